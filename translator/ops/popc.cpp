// SPDX-License-Identifier: MIT
#include "ops/op.h"

PTXSHIM_OP(popc, {"popc<t> d, a", "t=.b32|.b64", "d:u32 a:t", 20, 20}) {
  Value* count = e.ir.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, e.read(1));
  e.write(0, e.ir.CreateZExtOrTrunc(count, e.ir.getInt32Ty()), ScalarType::U32);
  return {};
}
