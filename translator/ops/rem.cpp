// SPDX-License-Identifier: MIT
// The remainder has the sign of the dividend.
#include "ops/integer_division.h"
#include "ops/op.h"

PTXSHIM_OP(rem, {"rem<t> d, a, b", "t=.u16|.u32|.u64|.s16|.s32|.s64", "", 10, 10}) {
  ScalarType t = e.type();
  Value* a = e.ir.CreateFreeze(e.read(1));
  Value* b = e.ir.CreateFreeze(e.read(2));
  Value* divisor = defined_divisor(e, a, b, t);
  e.write(0, is_signed(t) ? e.ir.CreateSRem(a, divisor) : e.ir.CreateURem(a, divisor), t);
  return {};
}
