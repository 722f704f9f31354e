// SPDX-License-Identifier: MIT
#include "lower/access.h"
#include "ops/op.h"

// clang-format off
#define PTXSHIM_RED_WHERE "sem?=.relaxed|.release; sc?=.cta|.cluster|.gpu|.sys; ss?=.global|.shared|.shared::cta|.shared::cluster; "
PTXSHIM_OP(red,
    {"red{sem}{sc}{ss}<o><t> [addr], a",        PTXSHIM_RED_WHERE "o=.and|.or|.xor; t=.b32|.b64", "a:t", 12, 11},
    {"red{sem}{sc}{ss}.add<t> [addr], a",       PTXSHIM_RED_WHERE "t=.u32|.s32|.u64|.f32|.f64", "a:t", 12, 11},
    {"red{sem}{sc}{ss}<o>.u32 [addr], a",       PTXSHIM_RED_WHERE "o=.inc|.dec", "a:u32", 12, 11},
    {"red{sem}{sc}{ss}<o><t> [addr], a",        PTXSHIM_RED_WHERE "o=.min|.max; t=.u32|.s32|.u64|.s64", "a:t", 12, 11},
    {"red{sem}{sc}{ss}.add.noftz<t> [addr], a", PTXSHIM_RED_WHERE "t=.f16|.f16x2|.bf16|.bf16x2", "a:t", 62, 60},
    {"red{sem}{sc}{ss}.add<vec>.f32 [addr], {a..}", PTXSHIM_RED_WHERE "vec=.v2|.v4", "a:f32", 81, 90},
    {"red{sem}{sc}{ss}<o>.noftz<vec><t> [addr], {a..}", PTXSHIM_RED_WHERE "o=.add|.min|.max; vec=.v2|.v4|.v8; t=.f16|.bf16|.f16x2|.bf16x2", "a:t", 81, 90},
    {"red{sem}{sc}{ss}<o>.L2::cache_hint<t> [addr], a, b", PTXSHIM_RED_WHERE "o=.and|.or|.xor|.add|.inc|.dec|.min|.max; t=.b32|.b64|.u32|.s32|.u64|.s64|.f32|.f64", "a:t b:u64", 74, 80}) {
  // clang-format on
  return lower_atomic(e, false);
}
