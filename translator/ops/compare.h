// SPDX-License-Identifier: MIT
// The comparisons of set and setp.
#pragma once

#include "lower/emitter.h"

namespace ptxshim::ptx {

// a CmpOp b as i1, by the instruction's comparison; one lane, of the scalar type t.
Value* compare(Emitter& e, ScalarType t, Value* a, Value* b);
// … combined by the instruction's .and .or .xor with c, when it has one of them.
Value* combined(Emitter& e, Value* comparison, Value* c);
inline bool has_combination(const Emitter& e) { return e.has(Mod::and_) || e.has(Mod::or_) || e.has(Mod::xor_); }

} // namespace ptxshim::ptx
