// SPDX-License-Identifier: MIT
// True is all ones in integer destinations, 1.0 in floating-point ones. Packed operands with a 32-bit integer destination fill each half.
#include "ops/compare.h"
#include "ops/op.h"
#include "ops/values.h"

// Bits have no order, and .lo to .hs are for unsigned numbers.
#define PTXSHIM_SET_NEVER "c=.lt|.le|.gt|.ge x t=.b16|.b32|.b64; c=.lo|.ls|.hi|.hs x t=.b16|.b32|.b64|.s16|.s32|.s64"
// clang-format off
PTXSHIM_OP(set,
  {"set<c><dt><t> d, a, b", "c=.eq|.ne|.lt|.le|.gt|.ge|.lo|.ls|.hi|.hs; dt=.u32|.s32|.f32; t=.b16|.b32|.b64|.u16|.u32|.u64|.s16|.s32|.s64",
   "d:dt a:t b:t", 10, 10, 0, PTXSHIM_SET_NEVER},
  {"set<c><bo><dt><t> d, a, b, c0", "c=.eq|.ne|.lt|.le|.gt|.ge|.lo|.ls|.hi|.hs; bo=.and|.or|.xor; dt=.u32|.s32|.f32; t=.b16|.b32|.b64|.u16|.u32|.u64|.s16|.s32|.s64",
   "d:dt a:t b:t c0:pred", 10, 10, 0, PTXSHIM_SET_NEVER},
  {"set<c>{ftz}<dt><t> d, a, b", "c=.eq|.ne|.lt|.le|.gt|.ge|.equ|.neu|.ltu|.leu|.gtu|.geu|.num|.nan; ftz?=.ftz; dt=.u32|.s32|.f32; t=.f32|.f64",
   "d:dt a:t b:t", 10, 10, 0, "ftz=.ftz x t=.f64"},
  {"set<c><bo>{ftz}<dt><t> d, a, b, c0", "c=.eq|.ne|.lt|.le|.gt|.ge|.equ|.neu|.ltu|.leu|.gtu|.geu|.num|.nan; bo=.and|.or|.xor; ftz?=.ftz; dt=.u32|.s32|.f32; t=.f32|.f64",
   "d:dt a:t b:t c0:pred", 10, 10, 0, "ftz=.ftz x t=.f64"},
  {"set<c>.f16<t> d, a, b", "c=.eq|.ne|.lt|.le|.gt|.ge|.lo|.ls|.hi|.hs; t=.b16|.b32|.b64|.u16|.u32|.u64|.s16|.s32|.s64",
   "d:f16 a:t b:t", 42, 53, 0, PTXSHIM_SET_NEVER},
  {"set<c><bo>.f16<t> d, a, b, c0", "c=.eq|.ne|.lt|.le|.gt|.ge|.lo|.ls|.hi|.hs; bo=.and|.or|.xor; t=.b16|.b32|.b64|.u16|.u32|.u64|.s16|.s32|.s64",
   "d:f16 a:t b:t c0:pred", 42, 53, 0, PTXSHIM_SET_NEVER},
  {"set<c>{ftz}.f16<t> d, a, b", "c=.eq|.ne|.lt|.le|.gt|.ge|.equ|.neu|.ltu|.leu|.gtu|.geu|.num|.nan; ftz?=.ftz; t=.f16|.f32|.f64",
   "d:f16 a:t b:t", 42, 53},
  {"set<c><bo>{ftz}.f16<t> d, a, b, c0", "c=.eq|.ne|.lt|.le|.gt|.ge|.equ|.neu|.ltu|.leu|.gtu|.geu|.num|.nan; bo=.and|.or|.xor; ftz?=.ftz; t=.f16|.f32|.f64",
   "d:f16 a:t b:t c0:pred", 42, 53},
  {"set<c>.bf16<t> d, a, b", "c=.eq|.ne|.lt|.le|.gt|.ge|.lo|.ls|.hi|.hs; t=.b16|.b32|.b64|.u16|.u32|.u64|.s16|.s32|.s64",
   "d:bf16 a:t b:t", 78, 90, 0, PTXSHIM_SET_NEVER},
  {"set<c><bo>.bf16<t> d, a, b, c0", "c=.eq|.ne|.lt|.le|.gt|.ge|.lo|.ls|.hi|.hs; bo=.and|.or|.xor; t=.b16|.b32|.b64|.u16|.u32|.u64|.s16|.s32|.s64",
   "d:bf16 a:t b:t c0:pred", 78, 90, 0, PTXSHIM_SET_NEVER},
  {"set<c>.bf16<t> d, a, b", "c=.eq|.ne|.lt|.le|.gt|.ge|.equ|.neu|.ltu|.leu|.gtu|.geu|.num|.nan; t=.f16|.f32|.f64|.bf16",
   "d:bf16 a:t b:t", 78, 90},
  {"set<c><bo>.bf16<t> d, a, b, c0", "c=.eq|.ne|.lt|.le|.gt|.ge|.equ|.neu|.ltu|.leu|.gtu|.geu|.num|.nan; bo=.and|.or|.xor; t=.f16|.f32|.f64|.bf16",
   "d:bf16 a:t b:t c0:pred", 78, 90},
  {"set<c>{ftz}<dt>.f16 d, a, b", "c=.eq|.ne|.lt|.le|.gt|.ge|.equ|.neu|.ltu|.leu|.gtu|.geu|.num|.nan; ftz?=.ftz; dt=.u16|.s16|.u32|.s32",
   "d:dt a:f16 b:f16", 65, 53},
  {"set<c><bo>{ftz}<dt>.f16 d, a, b, c0", "c=.eq|.ne|.lt|.le|.gt|.ge|.equ|.neu|.ltu|.leu|.gtu|.geu|.num|.nan; bo=.and|.or|.xor; ftz?=.ftz; dt=.u16|.s16|.u32|.s32",
   "d:dt a:f16 b:f16 c0:pred", 65, 53},
  {"set<c><dt>.bf16 d, a, b", "c=.eq|.ne|.lt|.le|.gt|.ge|.equ|.neu|.ltu|.leu|.gtu|.geu|.num|.nan; dt=.u16|.s16|.u32|.s32",
   "d:dt a:bf16 b:bf16", 78, 90},
  {"set<c><bo><dt>.bf16 d, a, b, c0", "c=.eq|.ne|.lt|.le|.gt|.ge|.equ|.neu|.ltu|.leu|.gtu|.geu|.num|.nan; bo=.and|.or|.xor; dt=.u16|.s16|.u32|.s32",
   "d:dt a:bf16 b:bf16 c0:pred", 78, 90},
  {"set<c>{ftz}<dt>.f16x2 d, a, b", "c=.eq|.ne|.lt|.le|.gt|.ge|.equ|.neu|.ltu|.leu|.gtu|.geu|.num|.nan; ftz?=.ftz; dt=.f16x2|.u32|.s32",
   "d:dt a:f16x2 b:f16x2", 42, 53},
  {"set<c><bo>{ftz}<dt>.f16x2 d, a, b, c0", "c=.eq|.ne|.lt|.le|.gt|.ge|.equ|.neu|.ltu|.leu|.gtu|.geu|.num|.nan; bo=.and|.or|.xor; ftz?=.ftz; dt=.f16x2|.u32|.s32",
   "d:dt a:f16x2 b:f16x2 c0:pred", 42, 53},
  {"set<c><dt>.bf16x2 d, a, b", "c=.eq|.ne|.lt|.le|.gt|.ge|.equ|.neu|.ltu|.leu|.gtu|.geu|.num|.nan; dt=.bf16x2|.u32|.s32",
   "d:dt a:bf16x2 b:bf16x2", 78, 90},
  {"set<c><bo><dt>.bf16x2 d, a, b, c0", "c=.eq|.ne|.lt|.le|.gt|.ge|.equ|.neu|.ltu|.leu|.gtu|.geu|.num|.nan; bo=.and|.or|.xor; dt=.bf16x2|.u32|.s32",
   "d:dt a:bf16x2 b:bf16x2 c0:pred", 78, 90}) {
  // clang-format on
  ScalarType d = e.type(0);
  ScalarType t = e.type(1);
  Value* c = has_combination(e) ? e.read(3, ScalarType::Pred) : nullptr;
  llvm::Type* lane = e.llvm_type(lane_type(d));
  if (is_packed(t) && !is_packed(d)) lane = e.ir.getInt16Ty();
  Value* result = by_lane(e, t, {e.read(1), e.read(2)}, d, [&](llvm::ArrayRef<Value*> v) -> Value* {
    Value* truth = compare(e, lane_type(t), v[0], v[1]);
    if (c) truth = combined(e, truth, c);
    if (lane->isIntegerTy()) return e.ir.CreateSExt(truth, lane);
    return e.ir.CreateSelect(truth, llvm::ConstantFP::get(lane, 1.0), llvm::ConstantFP::get(lane, 0.0));
  });
  e.write(0, result, d);
  return {};
}
