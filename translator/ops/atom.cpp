// SPDX-License-Identifier: MIT
#include "lower/access.h"
#include "ops/op.h"

// clang-format off
#define PTXSHIM_ATOM_WHERE "sem?=.relaxed|.acquire|.release|.acq_rel; sc?=.cta|.cluster|.gpu|.sys; ss?=.global|.shared|.shared::cta|.shared::cluster; "
PTXSHIM_OP(atom,
    {"atom{sem}{sc}{ss}<o><t> d, [addr], a",            PTXSHIM_ATOM_WHERE "o=.and|.or|.xor; t=.b32|.b64", "d:t a:t", 11, 11},
    {"atom{sem}{sc}{ss}.exch<t> d, [addr], a",          PTXSHIM_ATOM_WHERE "t=.b32|.b64|.b128", "d:t a:t", 11, 11},
    {"atom{sem}{sc}{ss}.add<t> d, [addr], a",           PTXSHIM_ATOM_WHERE "t=.u32|.s32|.u64|.f32|.f64", "d:t a:t", 11, 11},
    {"atom{sem}{sc}{ss}<o>.u32 d, [addr], a",           PTXSHIM_ATOM_WHERE "o=.inc|.dec", "d:u32 a:u32", 11, 11},
    {"atom{sem}{sc}{ss}<o><t> d, [addr], a",            PTXSHIM_ATOM_WHERE "o=.min|.max; t=.u32|.s32|.u64|.s64", "d:t a:t", 11, 11},
    {"atom{sem}{sc}{ss}.cas<t> d, [addr], a, b",        PTXSHIM_ATOM_WHERE "t=.b16|.b32|.b64|.b128", "d:t a:t b:t", 11, 11},
    {"atom{sem}{sc}{ss}.add.noftz<t> d, [addr], a",     PTXSHIM_ATOM_WHERE "t=.f16|.f16x2|.bf16|.bf16x2", "d:t a:t", 62, 60},
    {"atom{sem}{sc}{ss}.add<vec>.f32 {d..}, [addr], {a..}", PTXSHIM_ATOM_WHERE "vec=.v2|.v4", "d:f32 a:f32", 81, 90},
    {"atom{sem}{sc}{ss}<o>.noftz<vec><t> {d..}, [addr], {a..}", PTXSHIM_ATOM_WHERE "o=.add|.min|.max; vec=.v2|.v4|.v8; t=.f16|.bf16|.f16x2|.bf16x2", "d:t a:t", 81, 90},
    {"atom{sem}{sc}{ss}<o>.L2::cache_hint<t> d, [addr], a, b", PTXSHIM_ATOM_WHERE "o=.and|.or|.xor|.exch|.add|.inc|.dec|.min|.max; t=.b32|.b64|.u32|.s32|.u64|.s64|.f32|.f64", "d:t a:t b:u64", 74, 80}) {
  // clang-format on
  return lower_atomic(e, true);
}
