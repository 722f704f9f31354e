// SPDX-License-Identifier: MIT
// p takes the comparison, q its negation, each combined with c when the instruction says how. For packed operands p and q are the
// comparisons of the lower and the upper pair.
#include "ops/compare.h"
#include "ops/op.h"
#include "ops/values.h"

// Bits have no order, and .lo to .hs are for unsigned numbers.
#define PTXSHIM_SETP_NEVER "c=.lt|.le|.gt|.ge x t=.b16|.b32|.b64; c=.lo|.ls|.hi|.hs x t=.b16|.b32|.b64|.s16|.s32|.s64"
// clang-format off
PTXSHIM_OP(setp,
  {"setp<c><t> p, a, b", "c=.eq|.ne|.lt|.le|.gt|.ge|.lo|.ls|.hi|.hs; t=.b16|.b32|.b64|.u16|.u32|.u64|.s16|.s32|.s64",
   "p:pred a:t b:t", 10, 10, 0, PTXSHIM_SETP_NEVER},
  {"setp<c><t> p|q, a, b", "c=.eq|.ne|.lt|.le|.gt|.ge|.lo|.ls|.hi|.hs; t=.b16|.b32|.b64|.u16|.u32|.u64|.s16|.s32|.s64",
   "p:pred q:pred a:t b:t", 10, 10, 0, PTXSHIM_SETP_NEVER},
  {"setp<c><bo><t> p, a, b, c0", "c=.eq|.ne|.lt|.le|.gt|.ge|.lo|.ls|.hi|.hs; bo=.and|.or|.xor; t=.b16|.b32|.b64|.u16|.u32|.u64|.s16|.s32|.s64",
   "p:pred a:t b:t c0:pred", 10, 10, 0, PTXSHIM_SETP_NEVER},
  {"setp<c><bo><t> p|q, a, b, c0", "c=.eq|.ne|.lt|.le|.gt|.ge|.lo|.ls|.hi|.hs; bo=.and|.or|.xor; t=.b16|.b32|.b64|.u16|.u32|.u64|.s16|.s32|.s64",
   "p:pred q:pred a:t b:t c0:pred", 10, 10, 0, PTXSHIM_SETP_NEVER},
  {"setp<c>{ftz}<t> p, a, b", "c=.eq|.ne|.lt|.le|.gt|.ge|.equ|.neu|.ltu|.leu|.gtu|.geu|.num|.nan; ftz?=.ftz; t=.f32|.f64",
   "p:pred a:t b:t", 10, 10, 0, "ftz=.ftz x t=.f64"},
  {"setp<c>{ftz}<t> p|q, a, b", "c=.eq|.ne|.lt|.le|.gt|.ge|.equ|.neu|.ltu|.leu|.gtu|.geu|.num|.nan; ftz?=.ftz; t=.f32|.f64",
   "p:pred q:pred a:t b:t", 10, 10, 0, "ftz=.ftz x t=.f64"},
  {"setp<c><bo>{ftz}<t> p, a, b, c0", "c=.eq|.ne|.lt|.le|.gt|.ge|.equ|.neu|.ltu|.leu|.gtu|.geu|.num|.nan; bo=.and|.or|.xor; ftz?=.ftz; t=.f32|.f64",
   "p:pred a:t b:t c0:pred", 10, 10, 0, "ftz=.ftz x t=.f64"},
  {"setp<c><bo>{ftz}<t> p|q, a, b, c0", "c=.eq|.ne|.lt|.le|.gt|.ge|.equ|.neu|.ltu|.leu|.gtu|.geu|.num|.nan; bo=.and|.or|.xor; ftz?=.ftz; t=.f32|.f64",
   "p:pred q:pred a:t b:t c0:pred", 10, 10, 0, "ftz=.ftz x t=.f64"},
  {"setp<c>{ftz}.f16 p, a, b", "c=.eq|.ne|.lt|.le|.gt|.ge|.equ|.neu|.ltu|.leu|.gtu|.geu|.num|.nan; ftz?=.ftz",
   "p:pred a:f16 b:f16", 42, 53},
  {"setp<c><bo>{ftz}.f16 p, a, b, c0", "c=.eq|.ne|.lt|.le|.gt|.ge|.equ|.neu|.ltu|.leu|.gtu|.geu|.num|.nan; bo=.and|.or|.xor; ftz?=.ftz",
   "p:pred a:f16 b:f16 c0:pred", 42, 53},
  {"setp<c>{ftz}.f16x2 p|q, a, b", "c=.eq|.ne|.lt|.le|.gt|.ge|.equ|.neu|.ltu|.leu|.gtu|.geu|.num|.nan; ftz?=.ftz",
   "p:pred q:pred a:f16x2 b:f16x2", 42, 53},
  {"setp<c><bo>{ftz}.f16x2 p|q, a, b, c0", "c=.eq|.ne|.lt|.le|.gt|.ge|.equ|.neu|.ltu|.leu|.gtu|.geu|.num|.nan; bo=.and|.or|.xor; ftz?=.ftz",
   "p:pred q:pred a:f16x2 b:f16x2 c0:pred", 42, 53},
  {"setp<c>.bf16 p, a, b", "c=.eq|.ne|.lt|.le|.gt|.ge|.equ|.neu|.ltu|.leu|.gtu|.geu|.num|.nan",
   "p:pred a:bf16 b:bf16", 78, 90},
  {"setp<c><bo>.bf16 p, a, b, c0", "c=.eq|.ne|.lt|.le|.gt|.ge|.equ|.neu|.ltu|.leu|.gtu|.geu|.num|.nan; bo=.and|.or|.xor",
   "p:pred a:bf16 b:bf16 c0:pred", 78, 90},
  {"setp<c>.bf16x2 p|q, a, b", "c=.eq|.ne|.lt|.le|.gt|.ge|.equ|.neu|.ltu|.leu|.gtu|.geu|.num|.nan",
   "p:pred q:pred a:bf16x2 b:bf16x2", 78, 90},
  {"setp<c><bo>.bf16x2 p|q, a, b, c0", "c=.eq|.ne|.lt|.le|.gt|.ge|.equ|.neu|.ltu|.leu|.gtu|.geu|.num|.nan; bo=.and|.or|.xor",
   "p:pred q:pred a:bf16x2 b:bf16x2 c0:pred", 78, 90}) {
  // clang-format on
  ScalarType t = e.type();
  bool two = e.operand(0).paired;
  unsigned first = two ? 2 : 1;
  Value* a = e.read(first);
  Value* b = e.read(first + 1);
  Value* c = has_combination(e) ? e.read(first + 2, ScalarType::Pred) : nullptr;
  auto write = [&](unsigned n, Value* v) {
    if (!e.is_sink(n)) e.write(n, c ? combined(e, v, c) : v, ScalarType::Pred);
  };
  if (is_packed(t)) {
    llvm::Type* pair = llvm::FixedVectorType::get(e.llvm_type(lane_type(t)), 2);
    a = e.ir.CreateBitCast(a, pair);
    b = e.ir.CreateBitCast(b, pair);
    for (unsigned n = 0; n < 2; ++n)
      write(n, compare(e, lane_type(t), e.ir.CreateExtractElement(a, n), e.ir.CreateExtractElement(b, n)));
    return {};
  }
  Value* comparison = compare(e, t, a, b);
  write(0, comparison);
  if (two) write(1, e.ir.CreateNot(comparison));
  return {};
}
