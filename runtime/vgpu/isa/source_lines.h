// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "device/dispatch.h"

namespace ptxshim::vgpu {

// Where the instruction comes from, by the line table of its code object: "\n  at kernel.cu:12", and a line more for each function
// that was inlined there. Empty without a table.
std::string source_lines(const MemoryMap& memory, uint64_t pc);

} // namespace ptxshim::vgpu
