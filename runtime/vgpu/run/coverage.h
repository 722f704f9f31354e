// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace ptxshim::vgpu {

// Prints, for a target or for all of them, how many of the assembler's opcodes have a row, and the names of those without.
int print_coverage(const std::string& target);

} // namespace ptxshim::vgpu
