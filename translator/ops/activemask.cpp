// SPDX-License-Identifier: MIT
#include "lower/warp.h"
#include "ops/op.h"

PTXSHIM_OP(activemask, {"activemask.b32 d", "", "d:b32", 62, 30}) {
  e.write(0, warp_ballot(e, e.ir.getTrue()), ScalarType::B32);
  return {};
}
