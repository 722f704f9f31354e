// SPDX-License-Identifier: MIT
#pragma once

#include "valu.h"
#include "wave.h"

namespace ptxshim::vgpu {

// Handlers of vector operations that have a lane kernel.
const Op* run_valu(Wave& wave, const Op* op);          // no modifiers
const Op* run_valu_signed(Wave& wave, const Op* op);   // neg and abs alone
const Op* run_valu_modified(Wave& wave, const Op* op); // neg, abs, op_sel, clamp, omod, SDWA, DPP
const Op* run_compare_exec(Wave& wave, const Op* op);  // v_cmpx_*

// What runs an operation without modifiers: run_valu, or for the commonest shape (all sources vector registers, no carry)
// a handler that asks nothing.
Handler plain_handler(const ValuInfo& info, const Op& op, unsigned lanes);

// Where each lane of a DPP operand reads, or -1 for a lane that is out of bounds.
int dpp_source_lane(const VopExtra& extra, unsigned lane, unsigned lanes);

} // namespace ptxshim::vgpu
