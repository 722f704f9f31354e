// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "memory_map.h"

namespace ptxshim::vgpu {

// The name of the kernel whose descriptor is at this GPU address, from the symbols of the code object that is loaded
// there. Empty when there is none (the ROCm runtime's own blit kernels are bare code).
std::string kernel_name(const RangeMap& map, uint64_t kernel_object);

} // namespace ptxshim::vgpu
