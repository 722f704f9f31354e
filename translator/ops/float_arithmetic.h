// SPDX-License-Identifier: MIT
// What the floating-point bodies share: the order of .ftz, rounding, .sat and .relu around one operation, for every format.
//
// f32 and f64 are the hardware's. f16 keeps its subnormals in every kernel's mode, so .ftz is always done in code. bf16 has no
// arithmetic of its own: sums and products are rounded from f32, which has more than twice its precision (so rounding twice is
// harmless), fma and everything in kernels that flush f32 subnormals goes through the support library.
#pragma once

#include "lower/emitter.h"
#include "ops/values.h"

namespace ptxshim::ptx {

enum class FloatArithmetic : uint8_t { Add, Sub, Mul, Fma };
// The whole body of an add, sub, mul or fma on floating-point types.
Result<void> float_arithmetic(Emitter& e, FloatArithmetic operation);

Value* float_like(Value* v, double value); // a constant of v's type (a vector: in each lane)
Value* float_bits(Emitter& e, Value* v);   // reinterpreted as an integer (or a vector of integers)
Value* from_bits(Emitter& e, Value* bits, llvm::Type* type);
// PTX's NaN: all bits set but the sign.
Value* canonical_nan(llvm::Type* type);
Value* is_nan(Emitter& e, Value* v);

// .ftz, where the instruction has it: of an operand or result of an arithmetic operation (which the hardware flushes itself in kernels
// that run in that mode) …
Value* ftz(Emitter& e, Value* v);
// … and of operations that only move or compare bits.
Value* ftz_moved(Emitter& e, Value* v);
// The instruction flushes and the kernel does not.
bool must_flush(const Emitter& e);

Value* saturated(Emitter& e, Value* v); // to [0, 1], NaN to +0
Value* relu(Emitter& e, Value* v);      // negative numbers to +0, NaN to the canonical one

// The rounding of the support library's functions.
Value* device_rounding(Emitter& e, Rounding rounding);
inline bool is_directed(Rounding r) { return r == Rounding::Zero || r == Rounding::MinusInf || r == Rounding::PlusInf; }

// bf16 <-> f32. Widening is exact; narrowing rounds as told.
Value* bf16_to_f32(Emitter& e, Value* v);
Value* f32_to_bf16(Emitter& e, Value* v, Rounding rounding);

// The approximate operations of the hardware, "amdgcn_rcp" and the like; with .ftz, f32 subnormals are flushed before and after.
Value* native(Emitter& e, ID id, Value* v);

// .approx functions of half formats: through f32, lane by lane.
Result<void> through_f32(Emitter& e, const std::function<Value*(Value*)>& f);

} // namespace ptxshim::ptx
