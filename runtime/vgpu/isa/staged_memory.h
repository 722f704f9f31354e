// SPDX-License-Identifier: MIT
#pragma once

#include "memory_ops.h"

namespace ptxshim::vgpu {

// Rows that vector operations put their sources into: nothing stays there from one instruction to the next.
inline constexpr uint16_t kStagedData = kSpareSources, kLaneOffsets = kSpareSources + 1;

const Op* run_stage_to_lds(Wave& wave, const Op* op);    // LDS := kStagedData
const Op* run_stage_from_lds(Wave& wave, const Op* op);  // kStagedData := LDS
const Op* run_lane_offsets(Wave& wave, const Op* op);    // kLaneOffsets := 4 * lane
const Op* run_block(Wave& wave, const Op* op);           // up to 32 dwords, chosen by M0

} // namespace ptxshim::vgpu
