// SPDX-License-Identifier: MIT
#include "bodies.h"

#include <cinttypes>

namespace ptxshim::api {

constinit HandleTable<Context, CUcontext, 1 << 12> contexts;
constinit HandleTable<Stream, CUstream, 1 << 18> streams;
constinit HandleTable<Event, CUevent, 1 << 22> events;
constinit HandleTable<Module, CUmodule, 1 << 18> modules;
constinit HandleTable<Function, CUfunction, 1 << 21> functions;
constinit HandleTable<Library, CUlibrary, 1 << 18> libraries;
constinit HandleTable<Kernel, CUkernel, 1 << 21> kernels;
constinit HandleTable<LinkState, CUlinkState, 1 << 14> link_states;
constinit HandleTable<Pool, CUmemoryPool, 1 << 14> pools;

thread_local Thread thread __attribute__((tls_model("initial-exec")));
constinit std::atomic<State> state{State::kNotInitialised};
constinit std::atomic<int> trace_level{0};

CUresult state_error() noexcept {
  switch (state.load(std::memory_order_acquire)) {
  case State::kReady: return CUDA_SUCCESS;
  case State::kNotInitialised:
  case State::kForked: return CUDA_ERROR_NOT_INITIALIZED; // a child of fork cannot use its parent's device
  case State::kShutDown: return CUDA_ERROR_DEINITIALIZED;
  }
  return CUDA_ERROR_UNKNOWN;
}

CUresult context_error(const Context* context) noexcept {
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  if (const int sticky = context->sticky.load(std::memory_order_relaxed)) return static_cast<CUresult>(sticky);
  return CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

int learn_trace_level() noexcept {
  const int level = log_enabled(LogArea::api, LogLevel::trace) ? 2 : 1;
  trace_level.store(level, std::memory_order_relaxed);
  return level;
}

void trace_call(const char* name, const std::string& arguments, CUresult result) noexcept {
  const char* text = nullptr;
  if (cuGetErrorName(result, &text) != CUDA_SUCCESS) text = "?";
  PTXSHIM_LOG_LINE(api, trace, "%s(%s) = %s", name, arguments.c_str(), text);
}

void append_argument(std::string& out, const char* value) {
  if (!value) {
    out += "null";
    return;
  }
  out += '"';
  out.append(value, strnlen(value, 200));
  out += '"';
}

void append_argument(std::string& out, const void* value) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%" PRIxPTR, reinterpret_cast<uintptr_t>(value));
  out += text;
}

void append_argument(std::string& out, long long value) { out += std::to_string(value); }

void append_argument(std::string& out, unsigned long long value) {
  char text[32];
  std::snprintf(text, sizeof text, value > 0xffff ? "0x%llx" : "%llu", value);
  out += text;
}

CUresult unsupported(Row row, const char* name) noexcept {
  static constinit std::atomic<bool> warned[static_cast<size_t>(Row::kCount)];
  if (!warned[static_cast<size_t>(row)].exchange(true, std::memory_order_relaxed))
    PTXSHIM_LOG_LINE(api, warn, "%s is not supported: CUDA_ERROR_NOT_SUPPORTED", name);
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult caught(const char* name) noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  } catch (const std::exception& exception) {
    PTXSHIM_LOG_LINE(api, error, "%s: internal error: %s", name, exception.what());
  } catch (...) {
    PTXSHIM_LOG_LINE(api, error, "%s: internal error", name);
  }
  return CUDA_ERROR_UNKNOWN;
}

} // namespace ptxshim::api
