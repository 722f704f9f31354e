// SPDX-License-Identifier: MIT
// tanh |x| = 1 - 2 / (e^(2|x|) + 1), whose error is absolute: near zero x - x^3 / 3 takes over. Well inside the documented relative error
// of 2^-11. Subnormals are kept, and the sign of a zero.
#include "ops/float_arithmetic.h"
#include "ops/op.h"

namespace ptxshim::ptx {

static Value* hyperbolic_tangent(Emitter& e, Value* a) {
  auto fma = [&](Value* x, Value* y, Value* z) { return e.intrinsic(llvm::Intrinsic::fma, {x->getType()}, {x, y, z}); };
  Value* x = e.ir.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, a);
  Value* power = native(e, llvm::Intrinsic::amdgcn_exp2, e.ir.CreateFMul(x, float_like(x, 2.8853900817779268))); // 2 log2 e
  Value* reciprocal = native(e, llvm::Intrinsic::amdgcn_rcp, e.ir.CreateFAdd(power, float_like(x, 1.0)));
  Value* large = fma(reciprocal, float_like(x, -2.0), float_like(x, 1.0));
  Value* square = e.ir.CreateFMul(x, x);
  Value* small = fma(e.ir.CreateFMul(square, float_like(x, -1.0 / 3.0)), x, x);
  Value* near_zero = e.ir.CreateFCmpOLT(x, float_like(x, 0x1p-5));
  Value* result = e.ir.CreateSelect(near_zero, small, large);
  // Below 2^-12 it is x itself: moved, not computed, so that subnormals stay whatever the kernel's mode.
  result = e.ir.CreateSelect(e.ir.CreateFCmpOLT(x, float_like(x, 0x1p-12)), x, result);
  return e.ir.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, result, a);
}

} // namespace ptxshim::ptx

// clang-format off
PTXSHIM_OP(tanh,
  {"tanh.approx.f32 d, a", "", "", 70, 75},
  {"tanh.approx<t> d, a", "t=.f16|.f16x2|.bf16|.bf16x2", "", 70, 75}) {
  // clang-format on
  if (e.type() != ScalarType::F32) return through_f32(e, [&](Value* v) { return hyperbolic_tangent(e, v); });
  e.write(0, hyperbolic_tangent(e, e.read(1)), e.type());
  return {};
}
