// SPDX-License-Identifier: MIT
#include "ops/op.h"

PTXSHIM_OP(xor_, {"xor<t> d, a, b", "t=.pred|.b16|.b32|.b64", "", 10, 10}) {
  e.write(0, e.ir.CreateXor(e.read(1), e.read(2)), e.type());
  return {};
}
