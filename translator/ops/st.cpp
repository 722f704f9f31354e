// SPDX-License-Identifier: MIT
#include "lower/access.h"
#include "ops/op.h"

// clang-format off
#define PTXSHIM_ST_SPACES "ss?=.global|.local|.shared|.shared::cta|.shared::cluster|.param|.param::func; "
#define PTXSHIM_ST_HINTS "cop?=.wb|.cg|.cs|.wt; l1?=.L1::evict_normal|.L1::evict_unchanged|.L1::evict_first|.L1::evict_last|.L1::no_allocate; " \
  "l2?=.L2::evict_normal|.L2::evict_first|.L2::evict_last; "
#define PTXSHIM_ST_TYPES "vec?=.v2|.v4|.v8; t=.b8|.b16|.b32|.b64|.u8|.u16|.u32|.u64|.s8|.s16|.s32|.s64|.f32|.f64|.b128"
PTXSHIM_OP(st,
    {"st{w}{ss}{cop}{l1}{l2}{vec}<t> [addr], {a..}",              "w?=.weak; " PTXSHIM_ST_SPACES PTXSHIM_ST_HINTS PTXSHIM_ST_TYPES, "a:t"},
    {"st{w}{ss}{cop}{l1}{l2}<ch>{vec}<t> [addr], {a..}, b",       "w?=.weak; ch=.L2::cache_hint; " PTXSHIM_ST_SPACES PTXSHIM_ST_HINTS PTXSHIM_ST_TYPES, "a:t b:u64", 74, 80},
    {"st.volatile{ss}{vec}<t> [addr], {a..}",                     PTXSHIM_ST_SPACES PTXSHIM_ST_TYPES, "a:t", 11},
    {"st<sem><sc>{ss}{cop}{l1}{l2}{vec}<t> [addr], {a..}",        "sem=.relaxed|.release; sc=.cta|.cluster|.gpu|.sys; " PTXSHIM_ST_SPACES PTXSHIM_ST_HINTS PTXSHIM_ST_TYPES, "a:t", 60, 70},
    {"st<sem><sc>{ss}{cop}{l1}{l2}<ch>{vec}<t> [addr], {a..}, b", "sem=.relaxed|.release; sc=.cta|.cluster|.gpu|.sys; ch=.L2::cache_hint; " PTXSHIM_ST_SPACES PTXSHIM_ST_HINTS PTXSHIM_ST_TYPES, "a:t b:u64", 74, 80},
    {"st.mmio.relaxed.sys{ss}<t> [addr], a",                      PTXSHIM_ST_SPACES "t=.b8|.b16|.b32|.b64|.u8|.u16|.u32|.u64|.s8|.s16|.s32|.s64|.f32|.f64", "a:t", 82, 70}) {
  // clang-format on
  store_elements(e, 0, 1);
  return {};
}
