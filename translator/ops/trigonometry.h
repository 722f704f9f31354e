// SPDX-License-Identifier: MIT
// v_sin_f32 and v_cos_f32 take their angle in turns, and lose precision with its size. The quotient by 2 pi is made in two parts and
// reduced to a fraction of a turn, which keeps the error of the angle far below that of the functions over the documented range.
#pragma once

#include "ops/float_arithmetic.h"

namespace ptxshim::ptx {

// |a| / (2 pi), modulo 1, as the hardware wants it.
inline Value* turns(Emitter& e, Value* magnitude) {
  Value* high = float_like(magnitude, 0x1.45f306p-3);                                 // 1 / (2 pi) in 24 bits,
  Value* low = float_like(magnitude, 0x1.45f306dc9c883p-3 - 0x1.45f306p-3);           // and the next ones
  auto fma = [&](Value* x, Value* y, Value* z) { return e.intrinsic(llvm::Intrinsic::fma, {x->getType()}, {x, y, z}); };
  Value* product = e.ir.CreateFMul(magnitude, high);
  Value* error = fma(magnitude, high, e.ir.CreateFNeg(product));
  Value* fraction = native(e, llvm::Intrinsic::amdgcn_fract, product);
  return e.ir.CreateFAdd(fraction, fma(magnitude, low, error));
}

} // namespace ptxshim::ptx
