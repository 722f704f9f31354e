// SPDX-License-Identifier: MIT
// Position and length are the low 8 bits of their operands, so they may exceed the width. Bits of the field beyond the top are 0,
// or for signed types copies of the field's own top bit, which is the operand's when the field reaches beyond it.
#include "ops/op.h"
#include "ops/values.h"

PTXSHIM_OP(bfe, {"bfe<t> d, a, b, c", "t=.u32|.u64|.s32|.s64", "d:t a:t b:u32 c:u32", 20, 20}) {
  ScalarType t = e.type();
  Value* a = e.read(1);
  auto byte = [&](unsigned n) {
    return e.ir.CreateZExtOrTrunc(e.ir.CreateAnd(e.read(n, ScalarType::U32), 0xff), a->getType());
  };
  Value* position = byte(2);
  Value* length = byte(3);
  Value* width = int_like(a, bits_of(t));
  if (!is_signed(t)) {
    e.write(0, e.ir.CreateAnd(lshr_clamped(e, a, position), low_mask(e, length)), t);
    return {};
  }
  Value* field = ashr_clamped(e, a, position);
  Value* whole = e.ir.CreateICmpUGE(length, width);
  Value* unused = e.ir.CreateSelect(whole, int_like(a, 0), e.ir.CreateSub(width, length)); // width when the length is 0
  Value* extended = ashr_clamped(e, shl_clamped(e, field, unused), unused);                // then 0
  e.write(0, extended, t);
  return {};
}
