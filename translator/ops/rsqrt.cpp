// SPDX-License-Identifier: MIT
// f32: v_rsq_f32 is within 1 ulp but takes no subnormals: without .ftz they are scaled by 2^24. f64: v_rsq_f64 gives about 24 bits, and
// two steps of Newton's method the rest; the .ftz form is defined on upper words alone and needs no step.
#include "ops/float_arithmetic.h"
#include "ops/op.h"

namespace ptxshim::ptx {
namespace {

Value* of_f32(Emitter& e, Value* a) {
  if (e.has(Mod::ftz)) return native(e, llvm::Intrinsic::amdgcn_rsq, a);
  Value* small = e.ir.CreateFCmpOLT(e.ir.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, a), float_like(a, 0x1p-126));
  Value* scaled = e.ir.CreateSelect(small, e.ir.CreateFMul(a, float_like(a, 0x1p24)), a);
  Value* root = native(e, llvm::Intrinsic::amdgcn_rsq, scaled);
  return e.ir.CreateSelect(small, e.ir.CreateFMul(root, float_like(a, 0x1p12)), root);
}

Value* of_f64(Emitter& e, Value* a) {
  Value* small = e.ir.CreateFCmpOLT(e.ir.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, a), float_like(a, 0x1p-1022));
  Value* x = e.ir.CreateSelect(small, e.ir.CreateFMul(a, float_like(a, 0x1p54)), a);
  Value* seed = native(e, llvm::Intrinsic::amdgcn_rsq, x);
  Value* y = seed;
  for (int step = 0; step < 2; ++step) { // y += y / 2 * (1 - x * y * y)
    Value* error = e.intrinsic(llvm::Intrinsic::fma, {y->getType()},
                               {e.ir.CreateFNeg(e.ir.CreateFMul(x, y)), y, float_like(y, 1.0)});
    y = e.intrinsic(llvm::Intrinsic::fma, {y->getType()}, {e.ir.CreateFMul(y, float_like(y, 0.5)), error, y});
  }
  Value* ordinary = e.ir.CreateAnd(e.ir.CreateFCmpOGT(x, float_like(x, 0.0)),
                                   e.ir.CreateFCmpOLT(x, llvm::ConstantFP::getInfinity(x->getType())));
  y = e.ir.CreateSelect(ordinary, y, seed);
  return e.ir.CreateSelect(small, e.ir.CreateFMul(y, float_like(y, 0x1p27)), y);
}

// Operand and result by their upper words; a subnormal operand counts as zero.
Value* of_upper_word(Emitter& e, Value* a) {
  Value* bits = float_bits(e, a);
  Value* exponent = e.ir.CreateAnd(bits, 0x7ff0'0000'0000'0000);
  Value* mask = e.ir.CreateSelect(e.ir.CreateICmpEQ(exponent, int_like(bits, 0)), int_like(bits, 0x8000'0000'0000'0000),
                                  int_like(bits, 0xffff'ffff'0000'0000));
  Value* high = from_bits(e, e.ir.CreateAnd(bits, mask), a->getType());
  Value* root = native(e, llvm::Intrinsic::amdgcn_rsq, high);
  Value* cut = from_bits(e, e.ir.CreateAnd(float_bits(e, root), 0xffff'ffff'0000'0000), a->getType());
  return e.ir.CreateSelect(e.ir.CreateOr(is_nan(e, a), is_nan(e, root)), canonical_nan(a->getType()), cut);
}

} // namespace
} // namespace ptxshim::ptx

// clang-format off
PTXSHIM_OP(rsqrt,
  {"rsqrt.approx{ftz}.f32 d, a", "ftz?=.ftz", "", 14, 10},
  {"rsqrt.approx.f64 d, a", "", "", 14, 10},
  {"rsqrt.approx.ftz.f64 d, a", "", "", 40, 20},
  {"rsqrt{ftz}<t> d, a", "ftz?=.ftz; t=.f32|.f64", "", 10, 10, 14}) { // before .version 1.4
  // clang-format on
  Value* a = e.read(1);
  bool is_double = e.type() == ScalarType::F64;
  e.write(0, !is_double ? of_f32(e, a) : e.has(Mod::ftz) ? of_upper_word(e, a) : of_f64(e, a), e.type());
  return {};
}
