// SPDX-License-Identifier: MIT
// What several bodies share about types and values: classes of types, packed pairs lane by lane, shifts that are defined for
// every amount, integer constants. Nothing here emits undefined behaviour or poison: no nsw, nuw, exact or fast-math flags.
#pragma once

#include <functional>

#include "lower/emitter.h"

namespace ptxshim::ptx {

inline bool is_signed(ScalarType t) { return kind_of(t) == TypeKind::Signed; }
inline bool is_float(ScalarType t) { return kind_of(t) == TypeKind::Float || kind_of(t) == TypeKind::BFloat; }
inline bool is_packed(ScalarType t) {
  return t == ScalarType::F16x2 || t == ScalarType::BF16x2 || t == ScalarType::F32x2 || t == ScalarType::U16x2 ||
         t == ScalarType::S16x2;
}

// The type of one lane of a packed type; any other type itself.
ScalarType lane_type(ScalarType t);
// The integer type of twice the width: .s32 -> .s64.
ScalarType wide_type(ScalarType t);
// The untyped integer of the same width.
llvm::Type* int_type(Emitter& e, ScalarType t);

Value* int_like(Value* v, uint64_t value); // a constant of v's (integer) type
Value* all_ones(Value* v);

// Applies `lane` to each lane of packed operands (each of type t) and packs the results again as `result`; for other types `lane`
// is applied once.
using LaneOperation = std::function<Value*(llvm::ArrayRef<Value*>)>;
Value* by_lane(Emitter& e, ScalarType t, llvm::ArrayRef<Value*> operands, ScalarType result, const LaneOperation& lane);

// Shifts for any amount (same type as v): at the width and above 0, or the sign for ashr.
Value* shl_clamped(Emitter& e, Value* v, Value* amount);
Value* lshr_clamped(Emitter& e, Value* v, Value* amount);
Value* ashr_clamped(Emitter& e, Value* v, Value* amount);
// The low `count` bits set; all of them from the width on.
Value* low_mask(Emitter& e, Value* count);

// One machine instruction without side effects, e.g. "v_cvt_i32_f32": where LLVM's own operation has undefined results that the
// hardware defines as PTX does.
Value* machine_op(Emitter& e, llvm::Type* result, const char* mnemonic, Value* operand);

// The high half of a product, and the product at twice the width.
Value* widened(Emitter& e, Value* v, ScalarType t, llvm::Type* to); // sign- or zero-extended as t says
Value* mul_wide(Emitter& e, Value* a, Value* b, ScalarType t);
Value* mul_high(Emitter& e, Value* a, Value* b, ScalarType t);
// "hi" or "lo" of the product as the instruction says.
Value* mul_half(Emitter& e, Value* a, Value* b, ScalarType t);

// "cvt.rn.e4m3x2.f32 is not supported yet"
Error not_supported(const Emitter& e, const std::string& what);

} // namespace ptxshim::ptx
