// SPDX-License-Identifier: MIT
// The HIP runtime as a table of function pointers, filled from libamdhip64 by load(). Nothing of it is linked.
#pragma once

#include <string>

#include "hip_abi.h"
#include "ptxshim/result.h"
#include "ptxshim/vgpu.h"

namespace ptxshim::hip {

struct Api {
#define HIP(need, name, parameters) Error(*name) parameters = nullptr;
#include "hip_api.def"
  int version = 0; // 10000000 * major + 100000 * minor + patch, as hipRuntimeGetVersion reports it
  int major() const { return version / 10000000; }
};

// The virtual GPU's entrances; null while a real GPU is used.
struct VirtualGpu {
  ptxshim_vgpu_last_fault_t last_fault = nullptr;
  ptxshim_vgpu_clear_fault_t clear_fault = nullptr;
};

// Loads libamdhip64, activates the virtual GPU where there is no real one, and calls hipInit. Once, from cuInit.
Result<void> load();

// Valid after load() succeeded.
extern constinit Api api;
extern constinit VirtualGpu virtual_gpu;

// hipError_t -> CUresult: one table, see hip_errors.cpp.
CUresult to_cuda(Error error) noexcept;

// hip_workarounds.cpp: what differs between HIP versions, or does not do what the manual says.
std::string gfx_name(int device);
uint32_t code_object_version();
Error launch_cooperative(Function function, const unsigned (&grid)[3], const unsigned (&block)[3], unsigned shared_bytes, Stream stream,
                         void* arguments, size_t argument_bytes);
Error launch_host_function(Stream stream, HostFunction function, void* user_data);

} // namespace ptxshim::hip
