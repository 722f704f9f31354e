// SPDX-License-Identifier: MIT
// The position of the most significant bit that is not a sign bit; .shiftamt gives the left shift that would move it to the top.
// 0xffffffff when there is none.
#include "ops/op.h"
#include "ops/values.h"

PTXSHIM_OP(bfind, {"bfind{s}<t> d, a", "s?=.shiftamt; t=.u32|.u64|.s32|.s64", "d:u32 a:t", 20, 20}) {
  ScalarType t = e.type();
  Value* a = e.read(1);
  Value* top = int_like(a, bits_of(t) - 1u);
  if (is_signed(t)) a = e.ir.CreateXor(a, e.ir.CreateAShr(a, top));
  Value* leading = e.ir.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, a, e.ir.getFalse());
  Value* position = e.has(Mod::shiftamt) ? leading : e.ir.CreateSub(top, leading);
  Value* found = e.ir.CreateICmpNE(a, int_like(a, 0));
  e.write(0, e.ir.CreateZExtOrTrunc(e.ir.CreateSelect(found, position, all_ones(a)), e.ir.getInt32Ty()), ScalarType::U32);
  return {};
}
