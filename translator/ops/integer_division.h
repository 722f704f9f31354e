// SPDX-License-Identifier: MIT
// PTX leaves the result of a division by zero open but does not trap, and the smallest number by -1 wraps; in LLVM both are
// undefined behaviour. The divisor 1 takes their place: it gives the wrapped quotient and remainder of the latter as well.
#pragma once

#include "ops/values.h"

namespace ptxshim::ptx {

inline Value* defined_divisor(Emitter& e, Value* a, Value* b, ScalarType t) {
  Value* replace = e.ir.CreateICmpEQ(b, int_like(b, 0));
  if (is_signed(t)) {
    Value* lowest = llvm::ConstantInt::get(b->getType(), llvm::APInt::getSignedMinValue(bits_of(t)));
    Value* overflow = e.ir.CreateAnd(e.ir.CreateICmpEQ(a, lowest), e.ir.CreateICmpEQ(b, all_ones(b)));
    replace = e.ir.CreateOr(replace, overflow);
  }
  return e.ir.CreateSelect(replace, int_like(b, 1), b);
}

} // namespace ptxshim::ptx
