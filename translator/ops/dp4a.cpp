// SPDX-License-Identifier: MIT
// Four byte products added to c; everything wraps.
#include "ops/op.h"
#include "ops/values.h"

PTXSHIM_OP(dp4a, {"dp4a<x><y> d, a, b, c", "x=.u32|.s32; y=.u32|.s32", "d:u32 a:b32 b:b32 c:u32", 50, 61}) {
  Value* a = e.read(1, ScalarType::B32);
  Value* b = e.read(2, ScalarType::B32);
  Value* sum = e.read(3, ScalarType::U32);
  auto byte = [&](Value* v, unsigned n, ScalarType t) {
    return widened(e, e.ir.CreateTrunc(e.ir.CreateLShr(v, 8 * n), e.ir.getInt8Ty()), t, e.ir.getInt32Ty());
  };
  for (unsigned n = 0; n < 4; ++n)
    sum = e.ir.CreateAdd(sum, e.ir.CreateMul(byte(a, n, e.type(0)), byte(b, n, e.type(1))));
  e.write(0, sum, ScalarType::U32);
  return {};
}
