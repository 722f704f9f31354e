// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace ptxshim::vgpu {

class Device;

// Runs a PM4 command buffer. Null when all of it was done, else what was not understood.
const char* run_pm4(Device& device, const uint32_t* commands, uint32_t dwords);

} // namespace ptxshim::vgpu
