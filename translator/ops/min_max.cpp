// SPDX-License-Identifier: MIT
// min and max differ from IEEE 754's older minNum in one point: -0 is less than +0. AMD's v_min_f32 orders the zeros so, and LLVM folds
// constants so. A NaN loses against a number; with .NaN it wins, as the canonical NaN.
#include "ops/min_max.h"

#include "ops/float_arithmetic.h"
#include "ops/values.h"

namespace ptxshim::ptx {
namespace {

Value* integer_min_max(Emitter& e, bool want_max, Value* a, Value* b, bool with_sign) {
  ID id = want_max ? (with_sign ? llvm::Intrinsic::smax : llvm::Intrinsic::umax)
                   : (with_sign ? llvm::Intrinsic::smin : llvm::Intrinsic::umin);
  return e.ir.CreateBinaryIntrinsic(id, a, b);
}

// bf16 in integers: the hardware would need f32, in whose mode subnormals may be flushed. Numbers are ordered as signed integers once the
// magnitude bits of negative ones are inverted.
Value* bf16_min_max(Emitter& e, bool want_max, Value* a, Value* b) {
  auto nan = [&](Value* bits) { return e.ir.CreateICmpUGT(e.ir.CreateAnd(bits, 0x7fff), int_like(bits, 0x7f80)); };
  auto key = [&](Value* bits) { return e.ir.CreateXor(bits, e.ir.CreateAnd(e.ir.CreateAShr(bits, 15), 0x7fff)); };
  Value* x = float_bits(e, a);
  Value* y = float_bits(e, b);
  Value* less = e.ir.CreateICmpSLT(key(x), key(y));
  Value* chosen = e.ir.CreateSelect(less, want_max ? y : x, want_max ? x : y);
  chosen = e.ir.CreateSelect(nan(x), y, e.ir.CreateSelect(nan(y), x, chosen));
  Value* both = e.has(Mod::NaN) ? e.ir.CreateOr(nan(x), nan(y)) : e.ir.CreateAnd(nan(x), nan(y));
  chosen = e.ir.CreateSelect(both, int_like(x, 0x7fff), chosen);
  return from_bits(e, chosen, a->getType());
}

Value* number_min_max(Emitter& e, bool want_max, Value* a, Value* b) {
  if (a->getType()->isBFloatTy()) return bf16_min_max(e, want_max, a, b);
  Value* result = want_max ? e.ir.CreateMaxNum(a, b) : e.ir.CreateMinNum(a, b);
  if (!e.has(Mod::NaN)) return result;
  return e.ir.CreateSelect(e.ir.CreateFCmpUNO(a, b), canonical_nan(a->getType()), result);
}

Value* magnitude(Emitter& e, Value* v) {
  Value* bits = float_bits(e, v);
  uint64_t mask = (uint64_t{1} << (v->getType()->getScalarSizeInBits() - 1)) - 1;
  return from_bits(e, e.ir.CreateAnd(bits, mask), v->getType());
}

Value* float_min_max(Emitter& e, bool want_max, llvm::ArrayRef<Value*> operands) {
  llvm::SmallVector<Value*, 3> v(operands.begin(), operands.end());
  if (e.has(Mod::abs))
    for (Value*& each : v) each = magnitude(e, each);
  Value* result = v[0];
  for (Value* each : llvm::ArrayRef<Value*>(v).drop_front()) result = number_min_max(e, want_max, result, each);
  result = ftz_moved(e, result); // flushing keeps the order: once, afterwards, is enough
  if (!e.has(Mod::xorsign)) return result;
  // The signs of both operands, on what is no NaN.
  Value* signs = e.ir.CreateXor(float_bits(e, operands[0]), float_bits(e, operands[1]));
  uint64_t sign = uint64_t{1} << (result->getType()->getScalarSizeInBits() - 1);
  Value* bits = float_bits(e, result);
  Value* nan = e.ir.CreateICmpUGT(bits, float_bits(e, llvm::ConstantFP::getInfinity(result->getType())));
  Value* negated = e.ir.CreateOr(bits, e.ir.CreateAnd(signs, int_like(bits, sign)));
  return from_bits(e, e.ir.CreateSelect(nan, bits, negated), result->getType());
}

} // namespace

Result<void> min_max(Emitter& e, bool want_max) {
  ScalarType t = e.type();
  llvm::SmallVector<Value*, 3> v;
  for (unsigned n = 1; n < e.operand_count(); ++n) v.push_back(e.read(n));
  Value* result = by_lane(e, t, v, t, [&](llvm::ArrayRef<Value*> lanes) {
    if (is_float(t)) return float_min_max(e, want_max, lanes);
    Value* chosen = integer_min_max(e, want_max, lanes[0], lanes[1], is_signed(t));
    if (e.has(Mod::relu)) chosen = integer_min_max(e, true, chosen, int_like(chosen, 0), true);
    return chosen;
  });
  e.write(0, result, t);
  return {};
}

} // namespace ptxshim::ptx
