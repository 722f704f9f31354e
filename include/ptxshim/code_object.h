// SPDX-License-Identifier: MIT
// The result of a translation: an AMD code object (ELF) with what the runtime must know about it. Travels from the worker
// to the runtime and into the cache; encode() and decode() are its one wire form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ptxshim/result.h"

namespace ptxshim {

// One kernel parameter as the PTX declares it. Offsets follow the PTX layout (natural or declared alignment, in order),
// which is also the layout of the kernel's explicit argument segment: cuLaunchKernel copies parameter i to offset.
struct KernelParameter {
  uint32_t offset = 0;    // bytes
  uint32_t size = 0;      // bytes
  uint32_t alignment = 1; // bytes
};

struct KernelInfo {
  std::string name; // as in the PTX; also the ELF's symbol (descriptor: name + ".kd")
  std::string error; // not empty: this kernel could not be translated and is not in the ELF; why, with line and column
  CUresult error_code = CUDA_SUCCESS; // with error: what asking for or launching the kernel gives

  std::vector<KernelParameter> parameters;
  uint32_t parameter_bytes = 0;     // size of the explicit argument segment
  uint32_t static_shared_bytes = 0; // LDS of the kernel's own variables (.group_segment_fixed_size)
  uint32_t dynamic_shared_alignment = 0; // 0: no extern shared array is used
  uint32_t private_bytes = 0;       // scratch per thread
  uint32_t vgprs = 0, sgprs = 0, vgpr_spills = 0, sgpr_spills = 0;
  uint32_t wave_size = 32;
  uint32_t max_threads = 1024;      // threads per block it may be launched with (.maxntid, .reqntid, registers)
  uint32_t required_threads[3] = {0, 0, 0}; // .reqntid, 0 where not stated
  uint32_t constant_bytes = 0;      // module .const bytes, as CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES reports
  bool uses_dynamic_stack = false;
  uint32_t ptx_version = 0;         // major * 10 + minor
  uint32_t sm_version = 0;          // 75 for sm_75
};

enum class VariableSpace : uint8_t { Global, Const, Managed };

// A module-scope variable that cuModuleGetGlobal can find; its symbol in the ELF has the same name.
struct VariableInfo {
  std::string name;
  uint64_t size = 0; // bytes
  uint32_t alignment = 1;
  VariableSpace space = VariableSpace::Global;
};

struct CodeObject {
  std::string target; // "gfx1030"
  std::vector<std::byte> elf; // empty when no kernel could be translated
  std::vector<KernelInfo> kernels;
  std::vector<VariableInfo> variables;
  std::string info_log;  // what a JIT info log buffer gets
  uint64_t translation_ns = 0; // time of the translation that made it
};

std::vector<std::byte> encode(const CodeObject& code_object);
// Every field of `bytes` is checked: truncated or inconsistent input is an error, never undefined behaviour.
Result<CodeObject> decode_code_object(std::span<const std::byte> bytes);

} // namespace ptxshim
