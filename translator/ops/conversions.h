// SPDX-License-Identifier: MIT
// The conversions of cvt, by class of source and destination.
#pragma once

#include "lower/emitter.h"

namespace ptxshim::ptx {

Value* integer_to_integer(Emitter& e, Value* v, ScalarType to, ScalarType from);
Value* integer_to_float(Emitter& e, Value* v, ScalarType to, ScalarType from);
Value* float_to_integer(Emitter& e, Value* v, ScalarType to, ScalarType from);
Value* float_to_float(Emitter& e, Value* v, ScalarType to, ScalarType from);

// v (of any integer type, signed or not) clamped to what `bits` bits hold, as an integer of v's width.
Value* clamped(Emitter& e, Value* v, bool v_signed, unsigned bits, bool to_signed);

// The whole of a cvt from or to a pair of the formats .e4m3x2 .e5m2x2 .e2m3x2 .e3m2x2 .e2m1x2, when the instruction is one.
bool is_small_float_conversion(const Emitter& e);
Result<void> small_float_conversion(Emitter& e);

} // namespace ptxshim::ptx
