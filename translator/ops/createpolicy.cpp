// SPDX-License-Identifier: MIT
// A policy is an opaque number that only cache hints take, and those are advice: any number will do.
#include "ops/op.h"

// clang-format off
PTXSHIM_OP(createpolicy,
  {"createpolicy.range{ss}<p>{s}.b64 d, [addr], a, b",
   "ss?=.global; p=.L2::evict_last|.L2::evict_normal|.L2::evict_first|.L2::evict_unchanged; s?=.L2::evict_first|.L2::evict_unchanged",
   "d:b64 a:u32 b:u32", 74, 80},
  {"createpolicy.fractional<p>{s}.b64 d",
   "p=.L2::evict_last|.L2::evict_normal|.L2::evict_first|.L2::evict_unchanged; s?=.L2::evict_first|.L2::evict_unchanged", "d:b64", 74, 80},
  {"createpolicy.fractional<p>{s}.b64 d, a",
   "p=.L2::evict_last|.L2::evict_normal|.L2::evict_first|.L2::evict_unchanged; s?=.L2::evict_first|.L2::evict_unchanged", "d:b64 a:f32", 74, 80},
  {"createpolicy.cvt.L2.b64 d, a", "", "d:b64 a:b64", 74, 80}) {
  // clang-format on
  e.write(0, e.ir.getInt64(0), ScalarType::B64);
  return {};
}
