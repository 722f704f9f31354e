// SPDX-License-Identifier: MIT
// sub.cc writes the borrow: the carry flag of a subtraction is set when b exceeds a.
#include "ops/float_arithmetic.h"
#include "ops/op.h"
#include "ops/values.h"

// clang-format off
PTXSHIM_OP(sub,
  {"sub<t> d, a, b", "t=.u16|.u32|.u64|.s16|.s32|.s64", "", 10, 10},
  {"sub.sat.s32 d, a, b", "", "", 10, 10},
  {"sub.cc<t> d, a, b", "t=.u32|.s32|.u64|.s64", "", 13, 10},
  {"sub{rnd}{ftz}{sat}.f32 d, a, b", "rnd?=.rn|.rz|.rm|.rp; ftz?=.ftz; sat?=.sat", "", 10, 10},
  {"sub{rnd}.f64 d, a, b", "rnd?=.rn|.rz|.rm|.rp", "", 10, 10},
  {"sub{rnd}{ftz}.f32x2 d, a, b", "rnd?=.rn|.rz|.rm|.rp; ftz?=.ftz", "", 86, 100},
  {"sub{rnd}{ftz}{sat}<t> d, a, b", "rnd?=.rn; ftz?=.ftz; sat?=.sat; t=.f16|.f16x2", "", 42, 53},
  {"sub{rnd}<t> d, a, b", "rnd?=.rn; t=.bf16|.bf16x2", "", 78, 90},
  {"sub{rnd}{sat}.f32<t> d, a, b", "rnd?=.rn|.rz|.rm|.rp; sat?=.sat; t=.f16|.bf16", "d:f32 a:t b:f32", 86, 100}) {
  // clang-format on
  if (is_float(e.type())) return float_arithmetic(e, FloatArithmetic::Sub);
  Value* a = e.read(1);
  Value* b = e.read(2);
  if (e.has(Mod::sat)) {
    e.write(0, e.ir.CreateBinaryIntrinsic(llvm::Intrinsic::ssub_sat, a, b), e.type());
    return {};
  }
  if (e.has(Mod::cc)) e.write_carry(e.ir.CreateICmpULT(a, b));
  e.write(0, e.ir.CreateSub(a, b), e.type());
  return {};
}
