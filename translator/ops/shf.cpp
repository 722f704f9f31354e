// SPDX-License-Identifier: MIT
// A window of 32 bits over b:a (b is the upper word), moved by c: from the top for .l, from the bottom for .r.
#include "ops/op.h"
#include "ops/values.h"

PTXSHIM_OP(shf, {"shf<dir><m>.b32 d, a, b, c", "dir=.l|.r; m=.clamp|.wrap", "d:b32 a:b32 b:b32 c:u32", 31, 32}) {
  Value* low = e.read(1);
  Value* high = e.read(2);
  Value* amount = e.read(3, ScalarType::U32);
  bool left = e.has(Mod::l);
  ID funnel = left ? llvm::Intrinsic::fshl : llvm::Intrinsic::fshr;
  Value* shifted = e.intrinsic(funnel, {low->getType()}, {high, low, amount}); // modulo 32
  if (e.has(Mod::clamp)) {
    Value* beyond = e.ir.CreateICmpUGE(amount, int_like(amount, 32));
    shifted = e.ir.CreateSelect(beyond, left ? low : high, shifted);
  }
  e.write(0, shifted, ScalarType::B32);
  return {};
}
