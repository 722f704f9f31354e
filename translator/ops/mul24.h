// SPDX-License-Identifier: MIT
// The 48-bit product of the low 24 bits of two operands: .lo is bits 31..0, .hi is bits 47..16.
#pragma once

#include "ops/values.h"

namespace ptxshim::ptx {

inline Value* mul24_half(Emitter& e, Value* a, Value* b) {
  auto low24 = [&](Value* v) {
    Value* top = e.ir.CreateShl(v, 8);
    Value* extended = is_signed(e.type()) ? e.ir.CreateAShr(top, 8) : e.ir.CreateLShr(top, 8);
    return widened(e, extended, e.type(), e.ir.getInt64Ty());
  };
  Value* product = e.ir.CreateMul(low24(a), low24(b));
  if (e.has(Mod::hi)) product = e.ir.CreateLShr(product, 16);
  return e.ir.CreateTrunc(product, a->getType());
}

} // namespace ptxshim::ptx
