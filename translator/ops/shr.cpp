// SPDX-License-Identifier: MIT
// As shl: the amount is an unsigned 32-bit number, compared as such. Signed types shift in the sign.
#include "ops/op.h"
#include "ops/values.h"

PTXSHIM_OP(shr, {"shr<t> d, a, b", "t=.b16|.b32|.b64|.u16|.u32|.u64|.s16|.s32|.s64", "d:t a:t b:u32", 10, 10}) {
  Value* a = e.read(1);
  Value* amount = e.read(2, ScalarType::U32);
  Value* last = int_like(amount, bits_of(e.type()) - 1u);
  if (is_signed(e.type())) {
    Value* count = e.ir.CreateBinaryIntrinsic(llvm::Intrinsic::umin, amount, last);
    e.write(0, e.ir.CreateAShr(a, e.ir.CreateZExtOrTrunc(count, a->getType())), e.type());
    return {};
  }
  Value* shifted = e.ir.CreateLShr(a, e.ir.CreateZExtOrTrunc(e.ir.CreateAnd(amount, last), a->getType()));
  e.write(0, e.ir.CreateSelect(e.ir.CreateICmpULE(amount, last), shifted, int_like(a, 0)), e.type());
  return {};
}
