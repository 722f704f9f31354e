// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "device/dispatch.h"

namespace ptxshim::vgpu {

// The name of the kernel whose descriptor is at the address, from the symbols of the loaded code object around it; empty
// when there is none (ROCr's own kernels).
std::string kernel_name(const MemoryMap& memory, uint64_t descriptor);

} // namespace ptxshim::vgpu
