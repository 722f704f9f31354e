// SPDX-License-Identifier: MIT
// v_exp_f32 gives no subnormals: without .ftz the result of an exponent below -126 is made 2^64 times as large and scaled back.
#include "ops/float_arithmetic.h"
#include "ops/op.h"

namespace ptxshim::ptx {

static Value* power_of_two(Emitter& e, Value* a) {
  Value* small = e.ir.CreateFCmpOLT(a, float_like(a, -126.0));
  Value* moved = e.ir.CreateFAdd(a, e.ir.CreateSelect(small, float_like(a, 64.0), float_like(a, 0.0)));
  Value* power = native(e, llvm::Intrinsic::amdgcn_exp2, moved);
  return e.ir.CreateFMul(power, e.ir.CreateSelect(small, float_like(a, 0x1p-64), float_like(a, 1.0)));
}

} // namespace ptxshim::ptx

// clang-format off
PTXSHIM_OP(ex2,
  {"ex2.approx{ftz}.f32 d, a", "ftz?=.ftz", "", 14, 10},
  {"ex2{ftz}.f32 d, a", "ftz?=.ftz", "", 10, 10, 14}, // before .version 1.4
  {"ex2.approx<t> d, a", "t=.f16|.f16x2", "", 70, 75},
  {"ex2.approx.ftz<t> d, a", "t=.bf16|.bf16x2", "", 78, 90}) {
  // clang-format on
  if (e.type() != ScalarType::F32) return through_f32(e, [&](Value* v) { return power_of_two(e, v); });
  Value* a = e.read(1);
  if (e.has(Mod::ftz)) e.write(0, native(e, llvm::Intrinsic::amdgcn_exp2, a), e.type());
  else e.write(0, power_of_two(e, a), e.type());
  return {};
}
