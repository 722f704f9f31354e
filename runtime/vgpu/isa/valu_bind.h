// SPDX-License-Identifier: MIT
#pragma once

#include "rows.h"
#include "valu.h"

namespace ptxshim::vgpu {

// Binds a row of vop_*.def that is executed by the handler of its meaning.
bool bind_valu(const BindContext& context, const Instruction& in, const Row& row, Op& op);

// Settles how the sources become rows and where the result goes, and with that the operation's handler. `form` holds what
// the instruction says; `packed` and `mixed` say how its modifiers are read.
void plan_valu(const BindContext& context, const ValuInfo& info, const VopExtra& form, bool packed, bool mixed, Op& op);

// Where each lane of a DPP operand reads, or -1 for a lane that is out of bounds.
int dpp_source_lane(const VopExtra& extra, unsigned lane, unsigned lanes);

} // namespace ptxshim::vgpu
