// SPDX-License-Identifier: MIT
#include "ops/op.h"

PTXSHIM_OP(brev, {"brev<t> d, a", "t=.b32|.b64", "", 20, 20}) {
  e.write(0, e.ir.CreateUnaryIntrinsic(llvm::Intrinsic::bitreverse, e.read(1)), e.type());
  return {};
}
