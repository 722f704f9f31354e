// SPDX-License-Identifier: MIT
// Floating point: eq ne lt le gt ge are false when an operand is NaN (.ne too), equ neu ltu leu gtu geu are true then, num and nan ask for
// just that. Integers: the type says whether lt le gt ge compare signed; lo ls hi hs are the unsigned ones.
#include "ops/compare.h"

#include <iterator>

#include "ops/float_arithmetic.h"
#include "ops/values.h"

namespace ptxshim::ptx {
namespace {

using P = llvm::CmpInst::Predicate;

struct Comparison {
  Mod mod;
  P floating, with_sign, without_sign;
};

// clang-format off
constexpr Comparison kComparisons[] = {
// mod       floating        signed          unsigned
  {Mod::eq,  P::FCMP_OEQ,    P::ICMP_EQ,     P::ICMP_EQ},
  {Mod::ne,  P::FCMP_ONE,    P::ICMP_NE,     P::ICMP_NE},
  {Mod::lt,  P::FCMP_OLT,    P::ICMP_SLT,    P::ICMP_ULT},
  {Mod::le,  P::FCMP_OLE,    P::ICMP_SLE,    P::ICMP_ULE},
  {Mod::gt,  P::FCMP_OGT,    P::ICMP_SGT,    P::ICMP_UGT},
  {Mod::ge,  P::FCMP_OGE,    P::ICMP_SGE,    P::ICMP_UGE},
  {Mod::lo,  P::FCMP_FALSE,  P::ICMP_ULT,    P::ICMP_ULT},
  {Mod::ls,  P::FCMP_FALSE,  P::ICMP_ULE,    P::ICMP_ULE},
  {Mod::hi,  P::FCMP_FALSE,  P::ICMP_UGT,    P::ICMP_UGT},
  {Mod::hs,  P::FCMP_FALSE,  P::ICMP_UGE,    P::ICMP_UGE},
  {Mod::equ, P::FCMP_UEQ,    P::ICMP_EQ,     P::ICMP_EQ},
  {Mod::neu, P::FCMP_UNE,    P::ICMP_NE,     P::ICMP_NE},
  {Mod::ltu, P::FCMP_ULT,    P::ICMP_SLT,    P::ICMP_ULT},
  {Mod::leu, P::FCMP_ULE,    P::ICMP_SLE,    P::ICMP_ULE},
  {Mod::gtu, P::FCMP_UGT,    P::ICMP_SGT,    P::ICMP_UGT},
  {Mod::geu, P::FCMP_UGE,    P::ICMP_SGE,    P::ICMP_UGE},
  {Mod::num, P::FCMP_ORD,    P::ICMP_EQ,     P::ICMP_EQ},
  {Mod::nan, P::FCMP_UNO,    P::ICMP_NE,     P::ICMP_NE},
};
// clang-format on

} // namespace

Value* compare(Emitter& e, ScalarType t, Value* a, Value* b) {
  const Comparison* row = std::begin(kComparisons);
  while (row != std::end(kComparisons) && !e.has(row->mod)) ++row;
  if (row == std::end(kComparisons)) row = std::begin(kComparisons); // the forms demand one: not reached
  if (!is_float(t)) return e.ir.CreateICmp(is_signed(t) ? row->with_sign : row->without_sign, a, b);
  if (t == ScalarType::BF16) { // as f64, whose subnormals every mode keeps
    auto wide = [&](Value* v) {
      Value* bits = e.ir.CreateZExt(float_bits(e, v), e.ir.getInt32Ty());
      return e.device("ptx_bf16_to_f64", e.ir.getDoubleTy(), {bits});
    };
    return e.ir.CreateFCmp(row->floating, wide(a), wide(b));
  }
  return e.ir.CreateFCmp(row->floating, ftz(e, a), ftz(e, b));
}

Value* combined(Emitter& e, Value* comparison, Value* c) {
  if (e.has(Mod::and_)) return e.ir.CreateAnd(comparison, c);
  if (e.has(Mod::or_)) return e.ir.CreateOr(comparison, c);
  return e.ir.CreateXor(comparison, c);
}

} // namespace ptxshim::ptx
