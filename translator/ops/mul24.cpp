// SPDX-License-Identifier: MIT
#include "ops/mul24.h"
#include "ops/op.h"

PTXSHIM_OP(mul24, {"mul24<m><t> d, a, b", "m=.hi|.lo; t=.u32|.s32", "", 10, 10}) {
  e.write(0, mul24_half(e, e.read(1), e.read(2)), e.type());
  return {};
}
