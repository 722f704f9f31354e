// SPDX-License-Identifier: MIT
// Any duration from zero to twice the one asked for is right: the shortest sleep the hardware has (64
// cycles).
#include "ops/op.h"

PTXSHIM_OP(nanosleep, {"nanosleep.u32 a", "", "a:u32", 62, 70}) {
  e.intrinsic(Intrinsic::amdgcn_s_sleep, {}, {e.ir.getInt32(1)});
  return {};
}
