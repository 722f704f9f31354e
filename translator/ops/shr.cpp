// SPDX-License-Identifier: MIT
// As shl: the amount is an unsigned 32-bit number, compared as such. Signed types shift in the sign.
#include "ops/op.h"
#include "ops/values.h"

PTXSHIM_OP(shr, {"shr<t> d, a, b", "t=.b16|.b32|.b64|.u16|.u32|.u64|.s16|.s32|.s64", "d:t a:t b:u32", 10, 10}) {
  Value* a = e.read(1);
  Value* amount = e.read(2, ScalarType::U32);
  Value* width = int_like(amount, bits_of(e.type()));
  Value* clamped = e.ir.CreateBinaryIntrinsic(llvm::Intrinsic::umin, amount, width);
  clamped = e.ir.CreateZExtOrTrunc(clamped, a->getType());
  e.write(0, is_signed(e.type()) ? ashr_clamped(e, a, clamped) : lshr_clamped(e, a, clamped), e.type());
  return {};
}
