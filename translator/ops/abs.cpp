// SPDX-License-Identifier: MIT
// The smallest integer has no counterpart: abs gives it back.
#include "ops/float_arithmetic.h"
#include "ops/op.h"
#include "ops/values.h"

// clang-format off
PTXSHIM_OP(abs,
  {"abs<t> d, a", "t=.s16|.s32|.s64", "", 10, 10},
  {"abs{ftz}.f32 d, a", "ftz?=.ftz", "", 10, 10},
  {"abs.f64 d, a", "", "", 10, 10},
  {"abs{ftz}<t> d, a", "ftz?=.ftz; t=.f16|.f16x2", "", 65, 53},
  {"abs<t> d, a", "t=.bf16|.bf16x2", "", 70, 80}) {
  // clang-format on
  ScalarType t = e.type();
  if (!is_float(t)) {
    e.write(0, e.ir.CreateBinaryIntrinsic(llvm::Intrinsic::abs, e.read(1), e.ir.getFalse()), t);
    return {};
  }
  Value* result = by_lane(e, t, {e.read(1)}, t, [&](llvm::ArrayRef<Value*> v) {
    return e.ir.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, ftz_moved(e, v[0]));
  });
  e.write(0, result, t);
  return {};
}
