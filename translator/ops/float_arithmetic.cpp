// SPDX-License-Identifier: MIT
#include "ops/float_arithmetic.h"

namespace ptxshim::ptx {

Value* float_like(Value* v, double value) { return llvm::ConstantFP::get(v->getType(), value); }

Value* float_bits(Emitter& e, Value* v) {
  llvm::Type* type = v->getType();
  llvm::Type* scalar = e.ir.getIntNTy(type->getScalarSizeInBits());
  if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) scalar = llvm::FixedVectorType::get(scalar, vector->getNumElements());
  return e.ir.CreateBitCast(v, scalar);
}

Value* from_bits(Emitter& e, Value* bits, llvm::Type* type) { return e.ir.CreateBitCast(bits, type); }

Value* canonical_nan(llvm::Type* type) {
  llvm::Type* scalar = type->getScalarType();
  llvm::APInt bits = llvm::APInt::getSignedMaxValue(scalar->getScalarSizeInBits());
  return llvm::ConstantFP::get(type, llvm::APFloat(scalar->getFltSemantics(), bits));
}

Value* is_nan(Emitter& e, Value* v) { return e.ir.CreateFCmpUNO(v, v); }

// Subnormal f16 numbers to zero of the same sign.
static Value* flush16(Emitter& e, Value* v) {
  Value* bits = float_bits(e, v);
  Value* subnormal_or_zero = e.ir.CreateICmpEQ(e.ir.CreateAnd(bits, 0x7c00), int_like(bits, 0));
  Value* zero = from_bits(e, e.ir.CreateAnd(bits, 0x8000), v->getType());
  return e.ir.CreateSelect(subnormal_or_zero, zero, v);
}

Value* ftz(Emitter& e, Value* v) {
  if (!e.has(Mod::ftz)) return v;
  if (v->getType()->getScalarType()->isHalfTy()) return flush16(e, v);
  return v->getType()->isFloatTy() ? e.flush(v) : v;
}

Value* ftz_moved(Emitter& e, Value* v) {
  if (!e.has(Mod::ftz) || !v->getType()->isFloatTy() || !e.mode_flushes()) return ftz(e, v);
  return e.ir.CreateUnaryIntrinsic(llvm::Intrinsic::canonicalize, v);
}

Value* saturated(Emitter& e, Value* v) {
  return e.ir.CreateMinNum(e.ir.CreateMaxNum(v, float_like(v, 0.0)), float_like(v, 1.0));
}

Value* relu(Emitter& e, Value* v) {
  Value* positive = e.ir.CreateMaxNum(v, float_like(v, 0.0));
  return e.ir.CreateSelect(is_nan(e, v), canonical_nan(v->getType()), positive);
}

Value* device_rounding(Emitter& e, Rounding rounding) {
  switch (rounding) {
  case Rounding::Default:
  case Rounding::NearestEven: return e.ir.getInt32(0);
  case Rounding::Zero: return e.ir.getInt32(1);
  case Rounding::MinusInf: return e.ir.getInt32(2);
  case Rounding::PlusInf: return e.ir.getInt32(3);
  }
  return nullptr;
}

Value* bf16_to_f32(Emitter& e, Value* v) {
  Value* bits = e.ir.CreateZExt(float_bits(e, v), e.ir.getInt32Ty());
  return e.ir.CreateBitCast(e.ir.CreateShl(bits, 16), e.ir.getFloatTy());
}

Value* f32_to_bf16(Emitter& e, Value* v, Rounding rounding) {
  Value* bits = e.ir.CreateBitCast(v, e.ir.getInt32Ty());
  Value* rounded = e.device("ptx_f32_to_bf16", e.ir.getInt16Ty(), {bits, device_rounding(e, rounding)});
  return e.ir.CreateBitCast(rounded, e.ir.getBFloatTy());
}

bool must_flush(const Emitter& e) { return e.has(Mod::ftz) && !e.mode_flushes(); }

static const char* native_mnemonic(ID id) {
  // clang-format off
  switch (id) {
  case llvm::Intrinsic::amdgcn_rcp:  return "v_rcp_f32";
  case llvm::Intrinsic::amdgcn_rsq:  return "v_rsq_f32";
  case llvm::Intrinsic::amdgcn_sqrt: return "v_sqrt_f32";
  case llvm::Intrinsic::amdgcn_sin:  return "v_sin_f32";
  case llvm::Intrinsic::amdgcn_cos:  return "v_cos_f32";
  case llvm::Intrinsic::amdgcn_log:  return "v_log_f32";
  case llvm::Intrinsic::amdgcn_exp2: return "v_exp_f32";
  }
  // clang-format on
  return nullptr;
}

Value* native(Emitter& e, ID id, Value* v) {
  const char* mnemonic = native_mnemonic(id);
  if (mnemonic && v->getType()->isFloatTy() && must_flush(e))
    return e.rounded(Rounding::NearestEven, ScalarType::F32, mnemonic, {v}, /*flushing=*/true);
  return e.intrinsic(id, {v->getType()}, {v});
}

Result<void> through_f32(Emitter& e, const std::function<Value*(Value*)>& f) {
  ScalarType t = e.type();
  Value* result = by_lane(e, t, {e.read(1)}, t, [&](llvm::ArrayRef<Value*> v) {
    if (v[0]->getType()->isBFloatTy()) return f32_to_bf16(e, ftz_moved(e, f(bf16_to_f32(e, v[0]))), Rounding::NearestEven);
    return ftz(e, e.ir.CreateFPTrunc(f(e.ir.CreateFPExt(ftz(e, v[0]), e.ir.getFloatTy())), v[0]->getType()));
  });
  e.write(0, result, t);
  return {};
}

namespace {

// Rounding to nearest even is every kernel's mode.
Value* operate_nearest(Emitter& e, FloatArithmetic operation, llvm::ArrayRef<Value*> v) {
  switch (operation) {
  case FloatArithmetic::Add: return e.ir.CreateFAdd(v[0], v[1]);
  case FloatArithmetic::Sub: return e.ir.CreateFSub(v[0], v[1]);
  case FloatArithmetic::Mul: return e.ir.CreateFMul(v[0], v[1]);
  case FloatArithmetic::Fma: return e.intrinsic(llvm::Intrinsic::fma, {v[0]->getType()}, v);
  }
  return nullptr;
}

// In a mode of its own: a directed rounding, or flushing in a kernel that keeps subnormals.
Value* operate_in_mode(Emitter& e, FloatArithmetic operation, ScalarType t, llvm::ArrayRef<Value*> v) {
  bool is_double = t == ScalarType::F64;
  auto bundle = [&](const char* mnemonic, llvm::ArrayRef<Value*> operands) {
    return e.rounded(e.rounding(), t, mnemonic, operands, must_flush(e) && !is_double);
  };
  switch (operation) {
  case FloatArithmetic::Add: return bundle(is_double ? "v_add_f64" : "v_add_f32", v);
  case FloatArithmetic::Sub: // there is no v_sub_f64
    if (is_double) return bundle("v_add_f64", {v[0], e.ir.CreateFNeg(v[1])});
    return bundle("v_sub_f32", v);
  case FloatArithmetic::Mul: return bundle(is_double ? "v_mul_f64" : "v_mul_f32", v);
  case FloatArithmetic::Fma: return bundle(is_double ? "v_fma_f64" : "v_fma_f32", v);
  }
  return nullptr;
}

Value* operate_bf16(Emitter& e, FloatArithmetic operation, llvm::ArrayRef<Value*> v) {
  if (operation != FloatArithmetic::Fma && !e.mode_flushes()) {
    Value* wide = operate_nearest(e, operation, {bf16_to_f32(e, v[0]), bf16_to_f32(e, v[1])});
    return f32_to_bf16(e, wide, Rounding::NearestEven);
  }
  auto bits = [&](Value* each) { return float_bits(e, each); };
  Value* one = e.ir.getInt16(0x3f80);
  Value* minus_zero = e.ir.getInt16(0x8000);
  Value* a = bits(v[0]);
  Value* b = bits(v[1]);
  Value* c = minus_zero;
  switch (operation) {
  case FloatArithmetic::Add: c = b; b = one; break;
  case FloatArithmetic::Sub: c = e.ir.CreateXor(b, minus_zero); b = one; break;
  case FloatArithmetic::Mul: break; // adding -0 keeps a zero product's sign, in both cases
  case FloatArithmetic::Fma: c = bits(v[2]); break;
  }
  return e.ir.CreateBitCast(e.device("ptx_fma_bf16", e.ir.getInt16Ty(), {a, b, c}), e.ir.getBFloatTy());
}

Value* operate(Emitter& e, FloatArithmetic operation, ScalarType t, llvm::ArrayRef<Value*> v) {
  Value* result = nullptr;
  if (t == ScalarType::F16 || t == ScalarType::F16x2) {
    llvm::SmallVector<Value*, 3> flushed;
    for (Value* each : v) flushed.push_back(ftz(e, each));
    result = ftz(e, operate_nearest(e, operation, flushed));
  } else if (t == ScalarType::BF16) {
    result = operate_bf16(e, operation, v);
  } else if (is_directed(e.rounding()) || (t == ScalarType::F32 && must_flush(e))) {
    result = operate_in_mode(e, operation, t, v);
  } else {
    result = operate_nearest(e, operation, v);
    // LLVM drops an operation with a neutral constant (x * 1), and with it the flush of the hardware.
    if (llvm::any_of(v, [](Value* each) { return llvm::isa<llvm::Constant>(each); })) result = ftz_moved(e, result);
  }
  if (e.has(Mod::sat)) result = saturated(e, result);
  if (e.has(Mod::relu)) {
    if (t != ScalarType::BF16) return relu(e, result);
    // In integers: LLVM's bf16 operations would go through f32 and its mode.
    Value* bits = float_bits(e, result);
    Value* nan = e.ir.CreateICmpUGT(e.ir.CreateAnd(bits, 0x7fff), int_like(bits, 0x7f80));
    Value* positive = e.ir.CreateBinaryIntrinsic(llvm::Intrinsic::smax, bits, int_like(bits, 0));
    result = e.ir.CreateBitCast(e.ir.CreateSelect(nan, int_like(bits, 0x7fff), positive), result->getType());
  }
  return result;
}

} // namespace

Result<void> float_arithmetic(Emitter& e, FloatArithmetic operation) {
  ScalarType t = e.type(0);
  if (e.has(Mod::oob)) return not_supported(e, "fma.oob");
  unsigned sources = operation == FloatArithmetic::Fma ? 3 : 2;
  bool mixed = e.type_count() == 2; // add.f32.f16 d, a, c: all sources but the last are of the narrow type
  llvm::SmallVector<Value*, 3> v;
  for (unsigned n = 1; n <= sources; ++n) {
    if (!mixed || n == sources) v.push_back(e.read(n, t));
    else if (e.type(1) == ScalarType::BF16) v.push_back(bf16_to_f32(e, e.read(n, ScalarType::BF16)));
    else v.push_back(e.ir.CreateFPExt(e.read(n, ScalarType::F16), e.ir.getFloatTy()));
  }
  if (t == ScalarType::F16x2) { // the hardware has it: no need to take the pair apart
    llvm::Type* pair = llvm::FixedVectorType::get(e.ir.getHalfTy(), 2);
    for (Value*& each : v) each = e.ir.CreateBitCast(each, pair);
    e.write(0, e.ir.CreateBitCast(operate(e, operation, t, v), e.llvm_type(t)), t);
    return {};
  }
  Value* result = by_lane(e, t, v, t, [&](llvm::ArrayRef<Value*> lanes) { return operate(e, operation, lane_type(t), lanes); });
  e.write(0, result, t);
  return {};
}

} // namespace ptxshim::ptx
