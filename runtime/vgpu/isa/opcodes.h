// SPDX-License-Identifier: MIT
#pragma once

#include <set>
#include <string>

#include "instruction.h"

namespace ptxshim::vgpu {

// The mnemonics that exist on the decoder's target, the halves of VOPD instructions among them.
std::set<std::string> opcodes_of(Decoder& decoder);

} // namespace ptxshim::vgpu
