// SPDX-License-Identifier: MIT
#include "ops/min_max.h"
#include "ops/op.h"

// clang-format off
PTXSHIM_OP(max,
  {"max<t> d, a, b", "t=.u16|.u32|.u64|.s16|.s32|.s64", "", 10, 10},
  {"max<t> d, a, b", "t=.u16x2|.s16x2", "", 80, 90},
  {"max.relu<t> d, a, b", "t=.s16x2|.s32", "", 80, 90},
  {"max{ftz}{nan}{x}.f32 d, a, b", "ftz?=.ftz; nan?=.NaN; x?=.xorsign.abs", "", 10, 10},
  {"max{ftz}{nan}{x}.f32 d, a, b, c", "ftz?=.ftz; nan?=.NaN; x?=.abs", "", 88, 100},
  {"max.f64 d, a, b", "", "", 10, 10},
  {"max{ftz}{nan}{x}<t> d, a, b", "ftz?=.ftz; nan?=.NaN; x?=.xorsign.abs; t=.f16|.f16x2", "", 70, 80},
  {"max{nan}{x}<t> d, a, b", "nan?=.NaN; x?=.xorsign.abs; t=.bf16|.bf16x2", "", 70, 80}) {
  // clang-format on
  return min_max(e, true);
}
