// SPDX-License-Identifier: MIT
// Conversions round once. Where the machine would round twice (64-bit integers with a direction, bf16, f64 to half formats) the support
// library does it in integers; elsewhere an intermediate f32 is exact or beyond the range of what it is rounded to.
//
// From float to integer the hardware does what PTX asks for: it truncates, saturates, and gives 0 for NaN; LLVM's fptosi would be undefined
// there, and its saturating form would add comparisons. PTX has one exception (PTX ISA, "cvt"): NaN from .f64, or to 64 bits, gives
// the integer's top bit alone.
#include "ops/conversions.h"

#include "ops/float_arithmetic.h"
#include "ops/values.h"

namespace ptxshim::ptx {

using T = ScalarType;

Value* clamped(Emitter& e, Value* v, bool v_signed, unsigned bits, bool to_signed) {
  unsigned width = v->getType()->getIntegerBitWidth();
  llvm::APInt low = to_signed ? llvm::APInt::getSignedMinValue(bits) : llvm::APInt::getZero(bits);
  llvm::APInt high = to_signed ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getMaxValue(bits);
  auto constant = [&](const llvm::APInt& c) { return llvm::ConstantInt::get(v->getType(), to_signed ? c.sext(width) : c.zext(width)); };
  if (v_signed) {
    if (!to_signed || bits < width) v = e.ir.CreateBinaryIntrinsic(llvm::Intrinsic::smax, v, bits < width ? constant(low) : int_like(v, 0));
    return bits < width ? e.ir.CreateBinaryIntrinsic(llvm::Intrinsic::smin, v, constant(high)) : v;
  }
  if (bits < width) return e.ir.CreateBinaryIntrinsic(llvm::Intrinsic::umin, v, llvm::ConstantInt::get(v->getType(), high.zext(width)));
  if (bits == width && to_signed) return e.ir.CreateBinaryIntrinsic(llvm::Intrinsic::umin, v, constant(high));
  return v;
}

Value* integer_to_integer(Emitter& e, Value* v, T to, T from) {
  if (e.has(Mod::sat)) v = clamped(e, v, is_signed(from), bits_of(to), is_signed(to));
  llvm::Type* type = int_type(e, to);
  return is_signed(from) ? e.ir.CreateSExtOrTrunc(v, type) : e.ir.CreateZExtOrTrunc(v, type);
}

namespace {

Value* plain_to_float(Emitter& e, Value* v, llvm::Type* type, T from) {
  return is_signed(from) ? e.ir.CreateSIToFP(v, type) : e.ir.CreateUIToFP(v, type);
}

// Through the support library, at 64 bits.
Value* library_to_float(Emitter& e, Value* v, T from, const char* name_signed, const char* name_unsigned, llvm::Type* type) {
  Value* wide = widened(e, v, from, e.ir.getInt64Ty());
  return e.device(is_signed(from) ? name_signed : name_unsigned, type, {wide, device_rounding(e, e.rounding())});
}

Value* f32_to_f16(Emitter& e, Value* v) {
  if (!is_directed(e.rounding())) return e.ir.CreateFPTrunc(v, e.ir.getHalfTy());
  return e.rounded(e.rounding(), T::F16, "v_cvt_f16_f32", {v});
}

Value* any_to_f32(Emitter& e, Value* v, T from) {
  if (from == T::BF16) return bf16_to_f32(e, v);
  return from == T::F16 ? e.ir.CreateFPExt(v, e.ir.getFloatTy()) : v;
}

Value* bf16_to_f64(Emitter& e, Value* v) {
  return e.device("ptx_bf16_to_f64", e.ir.getDoubleTy(), {e.ir.CreateZExt(float_bits(e, v), e.ir.getInt32Ty())});
}

Value* round_integral(Emitter& e, Value* v) {
  ID id = e.has(Mod::rzi)   ? llvm::Intrinsic::trunc
          : e.has(Mod::rmi) ? llvm::Intrinsic::floor
          : e.has(Mod::rpi) ? llvm::Intrinsic::ceil
                            : llvm::Intrinsic::roundeven;
  return e.ir.CreateUnaryIntrinsic(id, v);
}
bool has_integral_rounding(const Emitter& e) { return e.has(Mod::rni) || e.has(Mod::rzi) || e.has(Mod::rmi) || e.has(Mod::rpi); }

Value* saturating_intrinsic(Emitter& e, Value* v, llvm::Type* type, bool to_signed) {
  return e.intrinsic(to_signed ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat, {type, v->getType()}, {v});
}

} // namespace

Value* integer_to_float(Emitter& e, Value* v, T to, T from) {
  Rounding rounding = e.rounding();
  Value* result = nullptr;
  if (to == T::BF16) {
    llvm::Type* bits = e.ir.getInt16Ty();
    result = from_bits(e, library_to_float(e, v, from, "ptx_s64_to_bf16", "ptx_u64_to_bf16", bits), e.ir.getBFloatTy());
  } else if (to == T::F16) {
    // Whatever is not exact in f32 is beyond f16's range, whichever way f32 rounds it.
    result = f32_to_f16(e, plain_to_float(e, v, e.ir.getFloatTy(), from));
  } else if (to == T::F64) {
    bool exact = bits_of(from) <= 32 || !is_directed(rounding);
    result = exact ? plain_to_float(e, v, e.ir.getDoubleTy(), from)
                   : library_to_float(e, v, from, "ptx_s64_to_f64", "ptx_u64_to_f64", e.ir.getDoubleTy());
  } else if (bits_of(from) <= 16 || !is_directed(rounding)) {
    result = plain_to_float(e, v, e.ir.getFloatTy(), from);
  } else if (bits_of(from) == 32) {
    result = e.rounded(rounding, T::F32, is_signed(from) ? "v_cvt_f32_i32" : "v_cvt_f32_u32", {v});
  } else {
    result = library_to_float(e, v, from, "ptx_s64_to_f32", "ptx_u64_to_f32", e.ir.getFloatTy());
  }
  return e.has(Mod::sat) ? saturated(e, result) : result;
}

Value* float_to_integer(Emitter& e, Value* v, T to, T from) {
  bool to_signed = is_signed(to);
  if (from == T::F16) v = e.ir.CreateFPExt(v, e.ir.getFloatTy());
  if (from == T::BF16) v = e.mode_flushes() ? bf16_to_f64(e, v) : bf16_to_f32(e, v);
  v = ftz_moved(e, v);
  Value* rounded = e.has(Mod::rzi) ? v : round_integral(e, v);
  bool is_double = v->getType()->isDoubleTy();
  Value* result = nullptr;
  if (bits_of(to) == 64 || llvm::isa<llvm::Constant>(rounded)) {
    result = saturating_intrinsic(e, rounded, bits_of(to) == 64 ? e.ir.getInt64Ty() : e.ir.getInt32Ty(), to_signed);
  } else {
    const char* mnemonic = to_signed ? (is_double ? "v_cvt_i32_f64" : "v_cvt_i32_f32") : (is_double ? "v_cvt_u32_f64" : "v_cvt_u32_f32");
    result = machine_op(e, e.ir.getInt32Ty(), mnemonic, rounded);
  }
  if (bits_of(to) < 32) result = e.ir.CreateTrunc(clamped(e, result, to_signed, bits_of(to), to_signed), int_type(e, to));
  if (from != T::F64 && bits_of(to) < 64) return result;
  return e.ir.CreateSelect(is_nan(e, v), int_like(result, uint64_t{1} << (bits_of(to) - 1)), result);
}

namespace {

// Infinities (and what overflowed to them) to the largest finite number of the sign.
Value* finite(Emitter& e, Value* v, uint64_t infinity, uint64_t largest) {
  Value* bits = float_bits(e, v);
  uint64_t sign = uint64_t{1} << (bits->getType()->getScalarSizeInBits() - 1);
  Value* size = e.ir.CreateAnd(bits, int_like(bits, sign - 1));
  Value* cut = e.ir.CreateOr(e.ir.CreateAnd(bits, int_like(bits, sign)), int_like(bits, largest));
  cut = e.ir.CreateSelect(e.ir.CreateICmpEQ(size, int_like(bits, infinity)), cut, bits);
  cut = e.ir.CreateSelect(e.ir.CreateICmpUGT(size, int_like(bits, infinity)), int_like(bits, sign - 1), cut);
  return from_bits(e, cut, v->getType());
}

// On bits: no mode of the machine has a say.
Value* relu_bits(Emitter& e, Value* v, uint64_t infinity) {
  Value* bits = float_bits(e, v);
  uint64_t sign = uint64_t{1} << (bits->getType()->getScalarSizeInBits() - 1);
  Value* positive = e.ir.CreateBinaryIntrinsic(llvm::Intrinsic::smax, bits, int_like(bits, 0));
  Value* nan = e.ir.CreateICmpUGT(e.ir.CreateAnd(bits, int_like(bits, sign - 1)), int_like(bits, infinity));
  return from_bits(e, e.ir.CreateSelect(nan, int_like(bits, sign - 1), positive), v->getType());
}

Value* to_half_format(Emitter& e, Value* v, T to, T from) {
  llvm::Type* type = e.llvm_type(to);
  if (from == T::F64) {
    const char* name = to == T::F16 ? "ptx_f64_to_f16" : "ptx_f64_to_bf16";
    return from_bits(e, e.device(name, e.ir.getInt16Ty(), {v, device_rounding(e, e.rounding())}), type);
  }
  Value* single = ftz(e, any_to_f32(e, v, from));
  return to == T::F16 ? f32_to_f16(e, single) : f32_to_bf16(e, single, e.rounding());
}

Value* to_tf32(Emitter& e, Value* v) {
  Value* rounding = e.has(Mod::rna) ? e.ir.getInt32(4) : device_rounding(e, e.rounding());
  Value* result = e.device("ptx_f32_to_tf32", e.ir.getInt32Ty(), {float_bits(e, v), rounding});
  if (e.has(Mod::satfinite)) result = finite(e, result, 0x7f80'0000, 0x7f7f'e000);
  return e.has(Mod::relu) ? relu_bits(e, result, 0x7f80'0000) : result;
}

Value* to_f32(Emitter& e, Value* v, T from) {
  if (from == T::F32) return ftz_moved(e, v);
  if (from != T::F64) return ftz_moved(e, any_to_f32(e, v, from));
  if (is_directed(e.rounding())) return ftz(e, e.rounded(e.rounding(), T::F32, "v_cvt_f32_f64", {v}));
  return ftz(e, e.ir.CreateFPTrunc(v, e.ir.getFloatTy()));
}

Value* to_f64(Emitter& e, Value* v, T from) {
  if (from == T::F64) return v;
  if (from == T::BF16) return bf16_to_f64(e, v);
  return e.ir.CreateFPExt(from == T::F32 ? ftz_moved(e, v) : v, e.ir.getDoubleTy());
}

} // namespace

Value* float_to_float(Emitter& e, Value* v, T to, T from) {
  if (to == T::TF32) return to_tf32(e, v);
  Value* result = nullptr;
  if (has_integral_rounding(e)) {
    // bf16 by way of f32, whose integers it can be rounded to only exactly.
    v = from == T::BF16 ? bf16_to_f32(e, v) : ftz_moved(e, v);
    v = round_integral(e, v);
    if (from == T::BF16) v = f32_to_bf16(e, v, Rounding::NearestEven);
  }
  if (to == T::F32) result = to_f32(e, v, from);
  else if (to == T::F64) result = to_f64(e, v, from);
  else result = to == from ? v : to_half_format(e, v, to, from);
  uint64_t infinity = to == T::F16 ? 0x7c00 : 0x7f80;
  if (e.has(Mod::satfinite)) result = finite(e, result, infinity, infinity - 1);
  if (e.has(Mod::relu)) result = relu_bits(e, result, infinity);
  return e.has(Mod::sat) ? saturated(e, result) : result;
}

} // namespace ptxshim::ptx
