// SPDX-License-Identifier: MIT
// The sign of a, the magnitude of b: the reverse of C's order.
#include "ops/op.h"

PTXSHIM_OP(copysign, {"copysign<t> d, a, b", "t=.f32|.f64", "", 20, 20}) {
  e.write(0, e.ir.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, e.read(2), e.read(1)), e.type());
  return {};
}
