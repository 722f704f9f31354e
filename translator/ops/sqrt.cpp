// SPDX-License-Identifier: MIT
// .rn is LLVM's sqrt without accuracy metadata, correctly rounded. Directed f32 roots are rounded from f64, as quotients are (div.cpp).
// v_sqrt_f32 is within 1 ulp but takes no subnormals: without .ftz they are scaled by an even power of two.
#include "ops/float_arithmetic.h"
#include "ops/op.h"

namespace ptxshim::ptx {

static Value* approximate_root(Emitter& e, Value* a) {
  if (e.has(Mod::ftz)) return native(e, llvm::Intrinsic::amdgcn_sqrt, a);
  Value* small = e.ir.CreateFCmpOLT(a, float_like(a, 0x1p-126));
  Value* scaled = e.ir.CreateSelect(small, e.ir.CreateFMul(a, float_like(a, 0x1p32)), a);
  Value* root = native(e, llvm::Intrinsic::amdgcn_sqrt, scaled);
  return e.ir.CreateSelect(small, e.ir.CreateFMul(root, float_like(a, 0x1p-16)), root);
}

} // namespace ptxshim::ptx

// clang-format off
PTXSHIM_OP(sqrt,
  {"sqrt.approx{ftz}.f32 d, a", "ftz?=.ftz", "", 14, 10},
  {"sqrt<rnd>{ftz}.f32 d, a", "rnd=.rn|.rz|.rm|.rp; ftz?=.ftz", "", 10, 20},
  {"sqrt<rnd>.f64 d, a", "rnd=.rn|.rz|.rm|.rp", "", 10, 10},
  {"sqrt{ftz}<t> d, a", "ftz?=.ftz; t=.f32|.f64", "", 10, 10, 14}) { // before .version 1.4
  // clang-format on
  ScalarType t = e.type();
  Value* a = e.read(1);
  if (e.has(Mod::approx)) {
    e.write(0, approximate_root(e, a), t);
    return {};
  }
  a = ftz_moved(e, a); // a root is never subnormal
  if (!is_directed(e.rounding())) e.write(0, e.ir.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, a), t);
  else if (t == ScalarType::F64) e.write(0, e.device("ptx_sqrt_f64", a->getType(), {a, device_rounding(e, e.rounding())}), t);
  else {
    Value* root = e.ir.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, e.ir.CreateFPExt(a, e.ir.getDoubleTy()));
    e.write(0, e.rounded(e.rounding(), t, "v_cvt_f32_f64", {root}), t);
  }
  return {};
}
