// SPDX-License-Identifier: MIT
#include "ops/float_arithmetic.h"
#include "ops/op.h"
#include "ops/values.h"

// clang-format off
PTXSHIM_OP(add,
  {"add<t> d, a, b", "t=.u16|.u32|.u64|.s16|.s32|.s64", "", 10, 10},
  {"add<t> d, a, b", "t=.u16x2|.s16x2", "", 80, 90},
  {"add.sat.s32 d, a, b", "", "", 10, 10},
  {"add.cc<t> d, a, b", "t=.u32|.s32|.u64|.s64", "", 12, 10},
  {"add{rnd}{ftz}{sat}.f32 d, a, b", "rnd?=.rn|.rz|.rm|.rp; ftz?=.ftz; sat?=.sat", "", 10, 10},
  {"add{rnd}.f64 d, a, b", "rnd?=.rn|.rz|.rm|.rp", "", 10, 10},
  {"add{rnd}{ftz}.f32x2 d, a, b", "rnd?=.rn|.rz|.rm|.rp; ftz?=.ftz", "", 86, 100},
  {"add{rnd}{ftz}{sat}<t> d, a, b", "rnd?=.rn; ftz?=.ftz; sat?=.sat; t=.f16|.f16x2", "", 42, 53},
  {"add{rnd}<t> d, a, b", "rnd?=.rn; t=.bf16|.bf16x2", "", 78, 90},
  {"add{rnd}{sat}.f32<t> d, a, b", "rnd?=.rn|.rz|.rm|.rp; sat?=.sat; t=.f16|.bf16", "d:f32 a:t b:f32", 86, 100}) {
  // clang-format on
  ScalarType t = e.type();
  if (is_float(t)) return float_arithmetic(e, FloatArithmetic::Add);
  Value* a = e.read(1);
  Value* b = e.read(2);
  if (e.has(Mod::sat)) {
    e.write(0, e.ir.CreateBinaryIntrinsic(llvm::Intrinsic::sadd_sat, a, b), t);
    return {};
  }
  Value* sum = by_lane(e, t, {a, b}, t, [&](llvm::ArrayRef<Value*> v) { return e.ir.CreateAdd(v[0], v[1]); });
  if (e.has(Mod::cc)) e.write_carry(e.ir.CreateICmpULT(sum, a));
  e.write(0, sum, t);
  return {};
}
