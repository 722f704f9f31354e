// SPDX-License-Identifier: MIT
// In integers, so that no float mode has a say. Zero is neither normal nor subnormal; a number is whatever is no NaN, infinities too.
#include "ops/float_arithmetic.h"
#include "ops/op.h"

PTXSHIM_OP(testp, {"testp<o><t> p, a", "o=.finite|.infinite|.number|.notanumber|.normal|.subnormal; t=.f32|.f64",
                   "p:pred a:t", 20, 20}) {
  bool is_double = e.type() == ScalarType::F64;
  uint64_t infinity = is_double ? 0x7ff0'0000'0000'0000 : 0x7f80'0000;
  uint64_t smallest_normal = is_double ? 0x0010'0000'0000'0000 : 0x0080'0000;
  Value* bits = float_bits(e, e.read(1));
  Value* magnitude = e.ir.CreateAnd(bits, is_double ? 0x7fff'ffff'ffff'ffff : 0x7fff'ffff);
  auto below = [&](uint64_t limit) { return e.ir.CreateICmpULT(magnitude, int_like(magnitude, limit)); };
  Value* result = nullptr;
  if (e.has(Mod::finite)) result = below(infinity);
  else if (e.has(Mod::infinite)) result = e.ir.CreateICmpEQ(magnitude, int_like(magnitude, infinity));
  else if (e.has(Mod::number)) result = below(infinity + 1);
  else if (e.has(Mod::notanumber)) result = e.ir.CreateNot(below(infinity + 1));
  else if (e.has(Mod::normal)) result = e.ir.CreateAnd(below(infinity), e.ir.CreateNot(below(smallest_normal)));
  else result = e.ir.CreateAnd(below(smallest_normal), e.ir.CreateNot(below(1)));
  e.write(0, result, ScalarType::Pred);
  return {};
}
