// SPDX-License-Identifier: MIT
// Each lane is extended as its operand's type says, so that no intermediate overflows. .sat clamps to a lane of the destination's type. With
// .add the lanes' results, extended as the destination's type says, are summed onto c; otherwise they fill d. Lane selectors and
// masks (a.b0123, d.b10) are not done yet: the parser names them.
#include "ops/video_simd.h"

#include "ops/conversions.h"
#include "ops/values.h"

namespace ptxshim::ptx {
namespace {

// x and y are exact in 32 bits: comparisons are signed whatever the lanes' types.
Value* compare_lane(Emitter& e, Value* x, Value* y) {
  using P = llvm::CmpInst::Predicate;
  P predicate = e.has(Mod::eq)   ? P::ICMP_EQ
                : e.has(Mod::ne) ? P::ICMP_NE
                : e.has(Mod::lt) ? P::ICMP_SLT
                : e.has(Mod::le) ? P::ICMP_SLE
                : e.has(Mod::gt) ? P::ICMP_SGT
                                 : P::ICMP_SGE;
  return e.ir.CreateZExt(e.ir.CreateICmp(predicate, x, y), x->getType());
}

Value* operate_lane(Emitter& e, VideoOperation operation, Value* x, Value* y) {
  switch (operation) {
  case VideoOperation::Add: return e.ir.CreateAdd(x, y);
  case VideoOperation::Sub: return e.ir.CreateSub(x, y);
  case VideoOperation::Average: { // a half rounds away from zero
    Value* sum = e.ir.CreateAdd(x, y);
    Value* up = e.ir.CreateZExt(e.ir.CreateICmpSGE(sum, int_like(sum, 0)), sum->getType());
    return e.ir.CreateAShr(e.ir.CreateAdd(sum, up), 1);
  }
  case VideoOperation::AbsoluteDifference: {
    Value* difference = e.ir.CreateSub(x, y);
    return e.ir.CreateBinaryIntrinsic(llvm::Intrinsic::abs, difference, e.ir.getFalse());
  }
  case VideoOperation::Min: return e.ir.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x, y);
  case VideoOperation::Max: return e.ir.CreateBinaryIntrinsic(llvm::Intrinsic::smax, x, y);
  case VideoOperation::Set: return compare_lane(e, x, y);
  }
  return nullptr;
}

} // namespace

Result<void> video_simd(Emitter& e, VideoOperation operation, unsigned lanes) {
  unsigned first_source = operation == VideoOperation::Set ? 0 : 1; // of the type modifiers
  ScalarType to = operation == VideoOperation::Set ? ScalarType::U32 : e.type(0);
  ScalarType at = e.type(first_source);
  ScalarType bt = e.type(first_source + 1);
  Value* a = e.read(1, ScalarType::B32);
  Value* b = e.read(2, ScalarType::B32);
  bool sum_up = e.has(Mod::add);
  bool all_unsigned = to == ScalarType::U32 && at == ScalarType::U32 && bt == ScalarType::U32;
  if (operation == VideoOperation::AbsoluteDifference && lanes == 4 && sum_up && all_unsigned) {
    e.write(0, e.intrinsic(llvm::Intrinsic::amdgcn_sad_u8, {}, {a, b, e.read(3, ScalarType::B32)}), ScalarType::B32);
    return {};
  }
  unsigned bits = 32 / lanes;
  llvm::Type* lane = e.ir.getIntNTy(bits);
  Value* result = sum_up ? e.read(3, ScalarType::B32) : int_like(a, 0);
  for (unsigned n = 0; n < lanes; ++n) {
    auto part = [&](Value* v, ScalarType t) { return widened(e, e.ir.CreateTrunc(e.ir.CreateLShr(v, bits * n), lane), t, v->getType()); };
    Value* value = operate_lane(e, operation, part(a, at), part(b, bt));
    if (e.has(Mod::sat)) value = clamped(e, value, true, bits, is_signed(to));
    Value* narrow = e.ir.CreateTrunc(value, lane);
    if (sum_up) result = e.ir.CreateAdd(result, widened(e, narrow, to, a->getType()));
    else result = e.ir.CreateOr(result, e.ir.CreateShl(e.ir.CreateZExt(narrow, a->getType()), bits * n));
  }
  e.write(0, result, ScalarType::B32);
  return {};
}

} // namespace ptxshim::ptx
