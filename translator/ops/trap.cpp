// SPDX-License-Identifier: MIT
#include "ops/op.h"

PTXSHIM_OP(trap, {"trap"}) {
  e.intrinsic(Intrinsic::trap, {}, {});
  e.ir.CreateUnreachable();
  return {};
}
