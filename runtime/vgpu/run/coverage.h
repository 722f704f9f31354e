// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace ptxshim::vgpu {

// Prints, for a target or for all of them, what becomes of its opcodes: counts, and which are approximate by how much.
int print_coverage(const std::string& target);

} // namespace ptxshim::vgpu
