// SPDX-License-Identifier: MIT
#include "ops/values.h"

#include <llvm/IR/InlineAsm.h>

namespace ptxshim::ptx {

ScalarType lane_type(ScalarType t) {
  if (t == ScalarType::F16x2) return ScalarType::F16;
  if (t == ScalarType::BF16x2) return ScalarType::BF16;
  if (t == ScalarType::F32x2) return ScalarType::F32;
  if (t == ScalarType::U16x2) return ScalarType::U16;
  if (t == ScalarType::S16x2) return ScalarType::S16;
  return t;
}

ScalarType wide_type(ScalarType t) {
  if (t == ScalarType::U16) return ScalarType::U32;
  if (t == ScalarType::S16) return ScalarType::S32;
  if (t == ScalarType::U32) return ScalarType::U64;
  if (t == ScalarType::S32) return ScalarType::S64;
  return ScalarType::None;
}

llvm::Type* int_type(Emitter& e, ScalarType t) { return e.ir.getIntNTy(bits_of(t)); }

Value* int_like(Value* v, uint64_t value) { return llvm::ConstantInt::get(v->getType(), value); }
Value* all_ones(Value* v) { return llvm::Constant::getAllOnesValue(v->getType()); }

Value* by_lane(Emitter& e, ScalarType t, llvm::ArrayRef<Value*> operands, ScalarType result, const LaneOperation& lane) {
  if (!is_packed(t)) return lane(operands);
  llvm::Type* lane_llvm = e.llvm_type(lane_type(t));
  llvm::Type* vector = llvm::FixedVectorType::get(lane_llvm, 2);
  llvm::SmallVector<Value*, 3> vectors;
  for (Value* each : operands) vectors.push_back(e.ir.CreateBitCast(each, vector));
  llvm::SmallVector<Value*, 2> results;
  for (uint64_t n = 0; n < 2; ++n) {
    llvm::SmallVector<Value*, 3> lanes;
    for (Value* each : vectors) lanes.push_back(e.ir.CreateExtractElement(each, n));
    results.push_back(lane(lanes));
  }
  Value* packed = llvm::PoisonValue::get(llvm::FixedVectorType::get(results[0]->getType(), 2));
  for (uint64_t n = 0; n < 2; ++n) packed = e.ir.CreateInsertElement(packed, results[n], n);
  return e.ir.CreateBitCast(packed, e.llvm_type(result));
}

// The amount is masked for the shift proper, so that no path shifts by the width or more, which would be poison.
static Value* defined_amount(Emitter& e, Value* v, Value* amount) {
  return e.ir.CreateAnd(amount, int_like(v, v->getType()->getIntegerBitWidth() - 1u));
}
static Value* fits(Emitter& e, Value* v, Value* amount) {
  return e.ir.CreateICmpULT(amount, int_like(v, v->getType()->getIntegerBitWidth()));
}

Value* shl_clamped(Emitter& e, Value* v, Value* amount) {
  return e.ir.CreateSelect(fits(e, v, amount), e.ir.CreateShl(v, defined_amount(e, v, amount)), int_like(v, 0));
}

Value* lshr_clamped(Emitter& e, Value* v, Value* amount) {
  return e.ir.CreateSelect(fits(e, v, amount), e.ir.CreateLShr(v, defined_amount(e, v, amount)), int_like(v, 0));
}

Value* ashr_clamped(Emitter& e, Value* v, Value* amount) {
  Value* last = int_like(v, v->getType()->getIntegerBitWidth() - 1u);
  return e.ir.CreateAShr(v, e.ir.CreateSelect(fits(e, v, amount), amount, last));
}

Value* low_mask(Emitter& e, Value* count) {
  return e.ir.CreateNot(shl_clamped(e, all_ones(count), count));
}

Value* machine_op(Emitter& e, llvm::Type* result, const char* mnemonic, Value* operand) {
  auto* signature = llvm::FunctionType::get(result, {operand->getType()}, false);
  auto* code = llvm::InlineAsm::get(signature, std::string(mnemonic) + " $0, $1", "=v,v", /*hasSideEffects=*/false);
  return e.ir.CreateCall(signature, code, {operand});
}

Value* widened(Emitter& e, Value* v, ScalarType t, llvm::Type* to) {
  return is_signed(t) ? e.ir.CreateSExt(v, to) : e.ir.CreateZExt(v, to);
}

Value* mul_wide(Emitter& e, Value* a, Value* b, ScalarType t) {
  llvm::Type* wide = e.ir.getIntNTy(2 * bits_of(t));
  return e.ir.CreateMul(widened(e, a, t, wide), widened(e, b, t, wide));
}

Value* mul_high(Emitter& e, Value* a, Value* b, ScalarType t) {
  Value* product = mul_wide(e, a, b, t);
  return e.ir.CreateTrunc(e.ir.CreateLShr(product, int_like(product, bits_of(t))), a->getType());
}

Value* mul_half(Emitter& e, Value* a, Value* b, ScalarType t) {
  return e.has(Mod::hi) ? mul_high(e, a, b, t) : e.ir.CreateMul(a, b);
}

Error not_supported(const Emitter& e, const std::string& what) {
  return e.error(what + " is not supported yet", CUDA_ERROR_NOT_SUPPORTED);
}

} // namespace ptxshim::ptx
