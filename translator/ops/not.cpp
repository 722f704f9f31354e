// SPDX-License-Identifier: MIT
#include "ops/op.h"

PTXSHIM_OP(not_, {"not<t> d, a", "t=.pred|.b16|.b32|.b64", "", 10, 10}) {
  e.write(0, e.ir.CreateNot(e.read(1)), e.type());
  return {};
}
