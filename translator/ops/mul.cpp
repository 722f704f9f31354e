// SPDX-License-Identifier: MIT
#include "ops/float_arithmetic.h"
#include "ops/op.h"
#include "ops/values.h"

// clang-format off
PTXSHIM_OP(mul,
  {"mul<m><t> d, a, b", "m=.hi|.lo; t=.u16|.u32|.u64|.s16|.s32|.s64", "", 10, 10},
  {"mul.wide<t> d, a, b", "t=.u16|.u32|.s16|.s32", "d:t:wide a:t b:t", 10, 10},
  {"mul{rnd}{ftz}{sat}.f32 d, a, b", "rnd?=.rn|.rz|.rm|.rp; ftz?=.ftz; sat?=.sat", "", 10, 10},
  {"mul{rnd}.f64 d, a, b", "rnd?=.rn|.rz|.rm|.rp", "", 10, 10},
  {"mul{rnd}{ftz}.f32x2 d, a, b", "rnd?=.rn|.rz|.rm|.rp; ftz?=.ftz", "", 86, 100},
  {"mul{rnd}{ftz}{sat}<t> d, a, b", "rnd?=.rn; ftz?=.ftz; sat?=.sat; t=.f16|.f16x2", "", 42, 53},
  {"mul{rnd}<t> d, a, b", "rnd?=.rn; t=.bf16|.bf16x2", "", 78, 90}) {
  // clang-format on
  ScalarType t = e.type();
  if (is_float(t)) return float_arithmetic(e, FloatArithmetic::Mul);
  if (e.has(Mod::wide)) e.write(0, mul_wide(e, e.read(1), e.read(2), t), wide_type(t));
  else e.write(0, mul_half(e, e.read(1), e.read(2), t), t);
  return {};
}
