// SPDX-License-Identifier: MIT
// Floating-point mad is fma on every target since sm_20; the unfused mad of sm_1x, which needs no rounding modifier, is computed
// fused as well, as NVIDIA's own compiler does when it translates such code for newer hardware.
#include "ops/float_arithmetic.h"
#include "ops/op.h"
#include "ops/values.h"

// clang-format off
PTXSHIM_OP(mad,
  {"mad<m><t> d, a, b, c", "m=.hi|.lo; t=.u16|.u32|.u64|.s16|.s32|.s64", "", 10, 10},
  {"mad.wide<t> d, a, b, c", "t=.u16|.u32|.s16|.s32", "d:t:wide a:t b:t c:t:wide", 10, 10},
  {"mad.hi.sat.s32 d, a, b, c", "", "", 10, 10},
  {"mad<h>.cc<t> d, a, b, c", "h=.hi|.lo; t=.u32|.s32|.u64|.s64", "", 30, 20},
  {"mad{rnd}{ftz}{sat}.f32 d, a, b, c", "rnd?=.rn|.rz|.rm|.rp; ftz?=.ftz; sat?=.sat", "", 10, 10},
  {"mad{rnd}.f64 d, a, b, c", "rnd?=.rn|.rz|.rm|.rp", "", 10, 10}) {
  // clang-format on
  ScalarType t = e.type();
  if (is_float(t)) return float_arithmetic(e, FloatArithmetic::Fma);
  if (e.has(Mod::wide)) {
    e.write(0, e.ir.CreateAdd(mul_wide(e, e.read(1), e.read(2), t), e.read(3, wide_type(t))), wide_type(t));
    return {};
  }
  Value* product = mul_half(e, e.read(1), e.read(2), t);
  if (e.has(Mod::sat)) {
    e.write(0, e.ir.CreateBinaryIntrinsic(llvm::Intrinsic::sadd_sat, product, e.read(3)), t);
    return {};
  }
  Value* sum = e.ir.CreateAdd(product, e.read(3));
  if (e.has(Mod::cc)) e.write_carry(e.ir.CreateICmpULT(sum, product));
  e.write(0, sum, t);
  return {};
}
