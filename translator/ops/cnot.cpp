// SPDX-License-Identifier: MIT
#include "ops/op.h"
#include "ops/values.h"

PTXSHIM_OP(cnot, {"cnot<t> d, a", "t=.b16|.b32|.b64", "", 10, 10}) {
  Value* a = e.read(1);
  e.write(0, e.ir.CreateZExt(e.ir.CreateICmpEQ(a, int_like(a, 0)), a->getType()), e.type());
  return {};
}
