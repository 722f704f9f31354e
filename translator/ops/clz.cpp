// SPDX-License-Identifier: MIT
// clz of zero is the width; the result is 32 bits wide for .b64 too.
#include "ops/op.h"

PTXSHIM_OP(clz, {"clz<t> d, a", "t=.b32|.b64", "d:u32 a:t", 20, 20}) {
  Value* count = e.ir.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, e.read(1), e.ir.getFalse());
  e.write(0, e.ir.CreateZExtOrTrunc(count, e.ir.getInt32Ty()), ScalarType::U32);
  return {};
}
