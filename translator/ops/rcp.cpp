// SPDX-License-Identifier: MIT
// The exact forms are quotients of 1 (see div.cpp). v_rcp_f32 is within 1 ulp but takes and gives no subnormals: without .ftz mantissa
// and exponent are treated apart. rcp.approx.ftz.f64 looks at the upper 32 bits of its operand only and clears the lower ones of its result.
#include "ops/float_arithmetic.h"
#include "ops/op.h"

namespace ptxshim::ptx {
namespace {

Value* approximate(Emitter& e, Value* a) {
  if (e.has(Mod::ftz)) return native(e, llvm::Intrinsic::amdgcn_rcp, a);
  Value* mantissa = native(e, llvm::Intrinsic::amdgcn_frexp_mant, a);
  Value* exponent = e.intrinsic(llvm::Intrinsic::amdgcn_frexp_exp, {e.ir.getInt32Ty(), a->getType()}, {a});
  Value* reciprocal = native(e, llvm::Intrinsic::amdgcn_rcp, mantissa);
  return e.intrinsic(llvm::Intrinsic::ldexp, {a->getType(), e.ir.getInt32Ty()}, {reciprocal, e.ir.CreateNeg(exponent)});
}

// Keeps the upper word; zero of the same sign when that is subnormal.
Value* upper_word(Emitter& e, Value* v) {
  Value* bits = float_bits(e, v);
  Value* exponent = e.ir.CreateAnd(bits, 0x7ff0'0000'0000'0000);
  Value* mask = e.ir.CreateSelect(e.ir.CreateICmpEQ(exponent, int_like(bits, 0)), int_like(bits, 0x8000'0000'0000'0000),
                                  int_like(bits, 0xffff'ffff'0000'0000));
  return from_bits(e, e.ir.CreateAnd(bits, mask), v->getType());
}

} // namespace
} // namespace ptxshim::ptx

// clang-format off
PTXSHIM_OP(rcp,
  {"rcp.approx{ftz}.f32 d, a", "ftz?=.ftz", "", 14, 10},
  {"rcp.approx.ftz.f64 d, a", "", "", 21, 20},
  {"rcp<rnd>{ftz}.f32 d, a", "rnd=.rn|.rz|.rm|.rp; ftz?=.ftz", "", 10, 20},
  {"rcp<rnd>.f64 d, a", "rnd=.rn|.rz|.rm|.rp", "", 21, 20},
  {"rcp{ftz}<t> d, a", "ftz?=.ftz; t=.f32|.f64", "", 10, 10, 14}) { // before .version 1.4
  // clang-format on
  ScalarType t = e.type();
  Value* a = e.read(1);
  if (e.has(Mod::approx)) {
    if (t == ScalarType::F32) e.write(0, approximate(e, a), t);
    else {
      // A NaN whose payload is in the lower word must stay one.
      Value* high = e.ir.CreateSelect(is_nan(e, a), a, upper_word(e, a));
      Value* reciprocal = native(e, llvm::Intrinsic::amdgcn_rcp, high);
      e.write(0, e.ir.CreateSelect(is_nan(e, a), canonical_nan(a->getType()), upper_word(e, reciprocal)), t);
    }
    return {};
  }
  a = ftz_moved(e, a);
  Value* one = float_like(a, 1.0);
  if (!is_directed(e.rounding())) e.write(0, ftz_moved(e, e.ir.CreateFDiv(one, a)), t);
  else if (t == ScalarType::F64) e.write(0, e.device("ptx_div_f64", a->getType(), {one, a, device_rounding(e, e.rounding())}), t);
  else {
    Value* wide = e.ir.CreateFPExt(a, e.ir.getDoubleTy());
    Value* quotient = e.ir.CreateFDiv(float_like(wide, 1.0), wide);
    e.write(0, ftz_moved(e, e.rounded(e.rounding(), t, "v_cvt_f32_f64", {quotient})), t);
  }
  return {};
}
