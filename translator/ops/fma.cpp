// SPDX-License-Identifier: MIT
#include "ops/float_arithmetic.h"
#include "ops/op.h"

// clang-format off
PTXSHIM_OP(fma,
  {"fma<rnd>{ftz}{sat}.f32 d, a, b, c", "rnd=.rn|.rz|.rm|.rp; ftz?=.ftz; sat?=.sat", "", 20, 20},
  {"fma<rnd>{ftz}.f32x2 d, a, b, c", "rnd=.rn|.rz|.rm|.rp; ftz?=.ftz", "", 86, 100},
  {"fma<rnd>.f64 d, a, b, c", "rnd=.rn|.rz|.rm|.rp", "", 14, 10},
  {"fma.rn{ftz}{sat}<t> d, a, b, c", "ftz?=.ftz; sat?=.sat; t=.f16|.f16x2", "", 42, 53},
  {"fma.rn{ftz}.relu<t> d, a, b, c", "ftz?=.ftz; t=.f16|.f16x2", "", 70, 80},
  {"fma.rn{relu}<t> d, a, b, c", "relu?=.relu; t=.bf16|.bf16x2", "", 70, 80},
  {"fma.rn.oob{relu}<t> d, a, b, c", "relu?=.relu; t=.f16|.f16x2|.bf16|.bf16x2", "", 81, 90},
  {"fma<rnd>{sat}.f32<t> d, a, b, c", "rnd=.rn|.rz|.rm|.rp; sat?=.sat; t=.f16|.bf16", "d:f32 a:t b:t c:f32", 86, 100}) {
  // clang-format on
  return float_arithmetic(e, FloatArithmetic::Fma);
}
