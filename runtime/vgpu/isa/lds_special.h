// SPDX-License-Identifier: MIT
#pragma once

#include "wave.h"

namespace ptxshim::vgpu {

const Op* run_lds_conditional_exchange(Wave& wave, const Op* op);
const Op* run_lds_two_cells(Wave& wave, const Op* op); // ds_*_src2_*
const Op* run_lds_direct(Wave& wave, const Op* op);

// Global wave sync; op->immediate: what, op->offset: which.
enum class GwsOp : uint32_t { Init, SemaV, SemaBr, SemaP, SemaReleaseAll, Barrier };
const Op* run_gws(Wave& wave, const Op* op);

} // namespace ptxshim::vgpu
