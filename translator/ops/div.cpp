// SPDX-License-Identifier: MIT
// Division.
//
// .rn is LLVM's fdiv without accuracy metadata: correctly rounded, subnormals included. Directed f32 quotients are computed in f64 and
// rounded once more: a quotient of two 24-bit numbers that is no f32 number lies at least 2^-49 of itself away from every f32 number, so
// rounding it to 53 bits never reaches one. f64 has no wider format: the support library corrects the nearest quotient by its remainder.
//
// .approx is a * (1 / b): for |b| above 2^126 the reciprocal counts as 0, as NVIDIA documents. .full scales both operands, so that its
// error holds in the whole range.
#include "ops/float_arithmetic.h"
#include "ops/integer_division.h"
#include "ops/op.h"

namespace ptxshim::ptx {
namespace {

Value* integer_quotient(Emitter& e, ScalarType t) {
  Value* a = e.ir.CreateFreeze(e.read(1));
  Value* b = e.ir.CreateFreeze(e.read(2));
  Value* divisor = defined_divisor(e, a, b, t);
  return is_signed(t) ? e.ir.CreateSDiv(a, divisor) : e.ir.CreateUDiv(a, divisor);
}

Value* approximate_quotient(Emitter& e, Value* a, Value* b) {
  if (e.has(Mod::ftz)) {
    Value* reciprocal = native(e, llvm::Intrinsic::amdgcn_rcp, b);
    if (!must_flush(e)) return e.ir.CreateFMul(a, reciprocal);
    return e.rounded(Rounding::NearestEven, ScalarType::F32, "v_mul_f32", {a, reciprocal}, /*flushing=*/true);
  }
  // The hardware's reciprocal does not take subnormals: scaled by 2^24 they are normal.
  Value* magnitude = e.ir.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, b);
  Value* small = e.ir.CreateFCmpOLT(magnitude, float_like(b, 0x1p-126));
  Value* scale = e.ir.CreateSelect(small, float_like(b, 0x1p24), float_like(b, 1.0));
  Value* reciprocal = e.flush(native(e, llvm::Intrinsic::amdgcn_rcp, e.ir.CreateFMul(b, scale)));
  return e.ir.CreateFMul(e.ir.CreateFMul(a, reciprocal), scale);
}

Value* full_range_quotient(Emitter& e, Value* a, Value* b) {
  auto mantissa = [&](Value* v) { return native(e, llvm::Intrinsic::amdgcn_frexp_mant, v); };
  auto exponent = [&](Value* v) { return e.intrinsic(llvm::Intrinsic::amdgcn_frexp_exp, {e.ir.getInt32Ty(), v->getType()}, {v}); };
  Value* quotient = e.ir.CreateFMul(mantissa(a), native(e, llvm::Intrinsic::amdgcn_rcp, mantissa(b)));
  Value* scale = e.ir.CreateSub(exponent(a), exponent(b));
  return e.intrinsic(llvm::Intrinsic::ldexp, {a->getType(), scale->getType()}, {quotient, scale});
}

Value* rounded_quotient(Emitter& e, ScalarType t, Value* a, Value* b) {
  if (!is_directed(e.rounding())) return e.ir.CreateFDiv(a, b);
  if (t == ScalarType::F64) return e.device("ptx_div_f64", e.ir.getDoubleTy(), {a, b, device_rounding(e, e.rounding())});
  llvm::Type* f64 = e.ir.getDoubleTy();
  Value* quotient = e.ir.CreateFDiv(e.ir.CreateFPExt(a, f64), e.ir.CreateFPExt(b, f64));
  return e.rounded(e.rounding(), t, "v_cvt_f32_f64", {quotient});
}

} // namespace
} // namespace ptxshim::ptx

// clang-format off
PTXSHIM_OP(div,
  {"div<t> d, a, b", "t=.u16|.u32|.u64|.s16|.s32|.s64", "", 10, 10},
  {"div.approx{ftz}.f32 d, a, b", "ftz?=.ftz", "", 14, 10},
  {"div.full{ftz}.f32 d, a, b", "ftz?=.ftz", "", 14, 10},
  {"div<rnd>{ftz}.f32 d, a, b", "rnd=.rn|.rz|.rm|.rp; ftz?=.ftz", "", 10, 20},
  {"div<rnd>.f64 d, a, b", "rnd=.rn|.rz|.rm|.rp", "", 10, 10},
  {"div{ftz}<t> d, a, b", "ftz?=.ftz; t=.f32|.f64", "", 10, 10, 14}) { // before .version 1.4
  // clang-format on
  ScalarType t = e.type();
  if (!is_float(t)) {
    e.write(0, integer_quotient(e, t), t);
    return {};
  }
  if (e.has(Mod::approx)) {
    e.write(0, approximate_quotient(e, e.read(1), e.read(2)), t);
    return {};
  }
  // fdiv and frexp look at their operands' bits: also in a kernel that flushes, subnormal ones must be gone before.
  Value* a = ftz_moved(e, e.read(1));
  Value* b = ftz_moved(e, e.read(2));
  Value* quotient = e.has(Mod::full) ? full_range_quotient(e, a, b) : rounded_quotient(e, t, a, b);
  e.write(0, ftz_moved(e, quotient), t);
  return {};
}
