// SPDX-License-Identifier: MIT
#pragma once

#include <deque>

#include "op.h"

namespace ptxshim::vgpu {

// gfx9's register index mode, from s_set_gpr_idx_on to s_set_gpr_idx_off. Compilers open and close it within straight code,
// so it is followed while decoding and costs nothing elsewhere.
const Op* run_set_index_on(Wave& wave, const Op* op);
const Op* run_set_index(Wave& wave, const Op* op);
const Op* run_set_index_mode(Wave& wave, const Op* op);
const Op* run_indexed(Wave& wave, const Op* op);

// Makes `op` (a vector operation inside the mode) one that adds the index to its registers.
void make_indexed(Op& op, std::deque<Op>& originals);

} // namespace ptxshim::vgpu
