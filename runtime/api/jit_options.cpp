// SPDX-License-Identifier: MIT
// The options of cuModuleLoadDataEx, cuLinkCreate and cuLibraryLoadData. Those that only exist for NVIDIA's own architectures (targets,
// cache modes, fallback strategies) are accepted and have no effect; those of link-time optimisation apply to inputs we do not take.
#include "jit_options.h"

#include <algorithm>
#include <cstring>

namespace ptxshim::api {

namespace {

unsigned number(void* value) { return static_cast<unsigned>(reinterpret_cast<uintptr_t>(value)); }

CUresult read_one(Jit& jit, CUjit_option option, void*& value) {
  switch (option) {
  case CU_JIT_MAX_REGISTERS: jit.request.max_registers = number(value); return CUDA_SUCCESS;
  case CU_JIT_WALL_TIME: jit.wall_time = &value; return CUDA_SUCCESS;
  case CU_JIT_INFO_LOG_BUFFER: jit.info_log = static_cast<char*>(value); return CUDA_SUCCESS;
  case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
    jit.info_bytes = number(value);
    jit.info_filled = &value;
    return CUDA_SUCCESS;
  case CU_JIT_ERROR_LOG_BUFFER: jit.error_log = static_cast<char*>(value); return CUDA_SUCCESS;
  case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
    jit.error_bytes = number(value);
    jit.error_filled = &value;
    return CUDA_SUCCESS;
  case CU_JIT_OPTIMIZATION_LEVEL:
    if (number(value) > 4) return CUDA_ERROR_INVALID_VALUE;
    jit.request.optimisation = std::min(number(value), 3u); // CUDA counts to 4, LLVM to 3
    return CUDA_SUCCESS;
  case CU_JIT_GENERATE_DEBUG_INFO: jit.request.debug_info = number(value) != 0; return CUDA_SUCCESS;
  case CU_JIT_LOG_VERBOSE: jit.verbose = number(value) != 0; return CUDA_SUCCESS;
  case CU_JIT_GLOBAL_SYMBOL_COUNT: return number(value) == 0 ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
  case CU_JIT_THREADS_PER_BLOCK:
  case CU_JIT_TARGET_FROM_CUCONTEXT:
  case CU_JIT_TARGET:
  case CU_JIT_FALLBACK_STRATEGY:
  case CU_JIT_GENERATE_LINE_INFO:
  case CU_JIT_CACHE_MODE:
  case CU_JIT_NEW_SM3X_OPT:
  case CU_JIT_FAST_COMPILE:
  case CU_JIT_GLOBAL_SYMBOL_NAMES:
  case CU_JIT_GLOBAL_SYMBOL_ADDRESSES:
  case CU_JIT_LTO:
  case CU_JIT_FTZ:
  case CU_JIT_PREC_DIV:
  case CU_JIT_PREC_SQRT:
  case CU_JIT_FMA:
  case CU_JIT_REFERENCED_KERNEL_NAMES:
  case CU_JIT_REFERENCED_KERNEL_COUNT:
  case CU_JIT_REFERENCED_VARIABLE_NAMES:
  case CU_JIT_REFERENCED_VARIABLE_COUNT:
  case CU_JIT_OPTIMIZE_UNUSED_DEVICE_VARIABLES:
  case CU_JIT_POSITION_INDEPENDENT_CODE:
  case CU_JIT_MIN_CTA_PER_SM:
  case CU_JIT_MAX_THREADS_PER_BLOCK:
  case CU_JIT_OVERRIDE_DIRECTIVE_VALUES:
  case CU_JIT_SPLIT_COMPILE: return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

// Cuts a text to a buffer with its NUL, between characters of UTF-8 (names of files); the filled size counts what stands there.
void fill(char* buffer, size_t bytes, void** filled, const std::string& text) {
  size_t length = 0;
  if (buffer && bytes > 0) {
    length = std::min(text.size(), bytes - 1);
    while (length > 0 && length < text.size() && (static_cast<unsigned char>(text[length]) & 0xc0) == 0x80) --length;
    std::memcpy(buffer, text.data(), length);
    buffer[length] = '\0';
  }
  if (filled) *filled = reinterpret_cast<void*>(static_cast<uintptr_t>(length ? length + 1 : 0));
}

std::string resources(const CodeObject& code) {
  std::string text;
  for (const KernelInfo& kernel : code.kernels) {
    if (!kernel.error.empty()) {
      text += "warning : kernel '" + kernel.name + "' cannot be used: " + kernel.error + "\n";
      continue;
    }
    text += "info : kernel '" + kernel.name + "' for '" + code.target + "': used " + std::to_string(kernel.vgprs) +
            " vector and " + std::to_string(kernel.sgprs) + " scalar registers, " + std::to_string(kernel.static_shared_bytes) +
            " bytes shared, " + std::to_string(kernel.private_bytes) + " bytes private\n";
  }
  return text;
}

} // namespace

CUresult read_jit_options(Jit& jit, unsigned count, const CUjit_option* options, void** values) {
  constexpr unsigned kMost = 1024; // there are 35: a larger count is no count
  if (count > kMost) return CUDA_ERROR_INVALID_VALUE;
  if (count > 0 && (!options || !values)) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < count; ++i)
    if (const CUresult failed = read_one(jit, options[i], values[i]); failed != CUDA_SUCCESS) return failed;
  return CUDA_SUCCESS;
}

void write_info(const Jit& jit, const CodeObject& code, uint64_t elapsed_ns) {
  fill(jit.info_log, jit.info_bytes, jit.info_filled, jit.verbose ? code.info_log + resources(code) : code.info_log);
  fill(jit.error_log, jit.error_bytes, jit.error_filled, {});
  if (!jit.wall_time) return;
  const float milliseconds = static_cast<float>(elapsed_ns) / 1e6f;
  uintptr_t bits = 0;
  std::memcpy(&bits, &milliseconds, sizeof milliseconds);
  *jit.wall_time = reinterpret_cast<void*>(bits);
}

void write_error(const Jit& jit, const std::string& message) {
  fill(jit.info_log, jit.info_bytes, jit.info_filled, {});
  fill(jit.error_log, jit.error_bytes, jit.error_filled, message + "\n");
}

} // namespace ptxshim::api
