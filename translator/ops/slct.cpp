// SPDX-License-Identifier: MIT
// c >= 0 selects a; -0.0 does, NaN does not.
#include "ops/float_arithmetic.h"
#include "ops/op.h"

// clang-format off
PTXSHIM_OP(slct,
  {"slct<t>.s32 d, a, b, c", "t=.b16|.b32|.b64|.u16|.u32|.u64|.s16|.s32|.s64|.f32|.f64", "d:t a:t b:t c:s32", 10, 10},
  {"slct{ftz}<t>.f32 d, a, b, c", "ftz?=.ftz; t=.b16|.b32|.b64|.u16|.u32|.u64|.s16|.s32|.s64|.f32|.f64",
   "d:t a:t b:t c:f32", 10, 10}) {
  // clang-format on
  ScalarType t = e.type(0);
  Value* c = e.read(3, e.type(1));
  Value* take_a = e.type(1) == ScalarType::F32 ? e.ir.CreateFCmpOGE(ftz(e, c), float_like(c, 0.0))
                                               : e.ir.CreateICmpSGE(c, int_like(c, 0));
  e.write(0, e.ir.CreateSelect(take_a, e.read(1, t), e.read(2, t)), t);
  return {};
}
