// SPDX-License-Identifier: MIT
// The amount is an unsigned 32-bit number whatever the type. It is compared as such before it takes the operand's width.
#include "ops/op.h"
#include "ops/values.h"

PTXSHIM_OP(shl, {"shl<t> d, a, b", "t=.b16|.b32|.b64", "d:t a:t b:u32", 10, 10}) {
  Value* a = e.read(1);
  Value* amount = e.read(2, ScalarType::U32);
  Value* inside = e.ir.CreateICmpULT(amount, int_like(amount, bits_of(e.type())));
  Value* count = e.ir.CreateAnd(amount, int_like(amount, bits_of(e.type()) - 1u));
  Value* shifted = e.ir.CreateShl(a, e.ir.CreateZExtOrTrunc(count, a->getType()));
  e.write(0, e.ir.CreateSelect(inside, shifted, int_like(a, 0)), e.type());
  return {};
}
