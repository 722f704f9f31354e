// SPDX-License-Identifier: MIT
// The two halves of a times the two low (.lo) or high (.hi) bytes of b, added to c; everything wraps.
#include "ops/op.h"
#include "ops/values.h"

PTXSHIM_OP(dp2a, {"dp2a<m><x><y> d, a, b, c", "m=.lo|.hi; x=.u32|.s32; y=.u32|.s32", "d:u32 a:u32 b:u32 c:u32", 50, 61}) {
  Value* a = e.read(1, ScalarType::B32);
  Value* b = e.read(2, ScalarType::B32);
  Value* sum = e.read(3, ScalarType::U32);
  auto part = [&](Value* v, unsigned shift, unsigned bits, ScalarType t) {
    return widened(e, e.ir.CreateTrunc(e.ir.CreateLShr(v, shift), e.ir.getIntNTy(bits)), t, e.ir.getInt32Ty());
  };
  unsigned first = e.has(Mod::hi) ? 16 : 0;
  for (unsigned n = 0; n < 2; ++n)
    sum = e.ir.CreateAdd(sum, e.ir.CreateMul(part(a, 16 * n, 16, e.type(0)), part(b, first + 8 * n, 8, e.type(1))));
  e.write(0, sum, ScalarType::U32);
  return {};
}
