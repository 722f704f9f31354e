// SPDX-License-Identifier: MIT
#pragma once

#include "wave.h"

namespace ptxshim::vgpu {

const Op* run_lds_load(Wave& wave, const Op* op);
const Op* run_lds_store(Wave& wave, const Op* op);
const Op* run_lds_load2(Wave& wave, const Op* op);
const Op* run_lds_store2(Wave& wave, const Op* op);
const Op* run_lds_exchange2(Wave& wave, const Op* op);
const Op* run_lds_atomic(Wave& wave, const Op* op);
const Op* run_lds_append(Wave& wave, const Op* op);
const Op* run_lds_bpermute(Wave& wave, const Op* op);
const Op* run_lds_permute(Wave& wave, const Op* op);
const Op* run_lds_swizzle(Wave& wave, const Op* op);
const Op* run_lds_addtid(Wave& wave, const Op* op);

} // namespace ptxshim::vgpu
