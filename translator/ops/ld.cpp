// SPDX-License-Identifier: MIT
#include "lower/access.h"
#include "ops/op.h"

// clang-format off
#define PTXSHIM_LD_SPACES "ss?=.const|.global|.local|.param|.param::entry|.param::func|.shared|.shared::cta|.shared::cluster; "
#define PTXSHIM_LD_HINTS "cop?=.ca|.cg|.cs|.lu|.cv; l1?=.L1::evict_normal|.L1::evict_unchanged|.L1::evict_first|.L1::evict_last|.L1::no_allocate; " \
  "l2?=.L2::evict_normal|.L2::evict_first|.L2::evict_last; pf?=.L2::64B|.L2::128B|.L2::256B; "
#define PTXSHIM_LD_TYPES "vec?=.v2|.v4|.v8; t=.b8|.b16|.b32|.b64|.u8|.u16|.u32|.u64|.s8|.s16|.s32|.s64|.f32|.f64|.b128"
PTXSHIM_OP(ld,
    {"ld{w}{ss}{cop}{l1}{l2}{pf}{vec}<t> {d..}, [addr]",            "w?=.weak; " PTXSHIM_LD_SPACES PTXSHIM_LD_HINTS PTXSHIM_LD_TYPES, "d:t"},
    {"ld{w}{ss}{cop}{l1}{l2}<ch>{pf}{vec}<t> {d..}, [addr], a",     "w?=.weak; ch=.L2::cache_hint; " PTXSHIM_LD_SPACES PTXSHIM_LD_HINTS PTXSHIM_LD_TYPES, "d:t a:u64", 74, 80},
    {"ld.volatile{ss}{pf}{vec}<t> {d..}, [addr]",                   PTXSHIM_LD_SPACES "pf?=.L2::64B|.L2::128B|.L2::256B; " PTXSHIM_LD_TYPES, "d:t", 11},
    {"ld<sem><sc>{ss}{cop}{l1}{l2}{pf}{vec}<t> {d..}, [addr]",      "sem=.relaxed|.acquire; sc=.cta|.cluster|.gpu|.sys; " PTXSHIM_LD_SPACES PTXSHIM_LD_HINTS PTXSHIM_LD_TYPES, "d:t", 60, 70},
    {"ld<sem><sc>{ss}{cop}{l1}{l2}<ch>{pf}{vec}<t> {d..}, [addr], a", "sem=.relaxed|.acquire; sc=.cta|.cluster|.gpu|.sys; ch=.L2::cache_hint; " PTXSHIM_LD_SPACES PTXSHIM_LD_HINTS PTXSHIM_LD_TYPES, "d:t a:u64", 74, 80},
    {"ld.mmio.relaxed.sys{ss}<t> d, [addr]",                        PTXSHIM_LD_SPACES "t=.b8|.b16|.b32|.b64|.u8|.u16|.u32|.u64|.s8|.s16|.s32|.s64|.f32|.f64", "d:t", 82, 70},
    {"ld.global{cop}.nc{l1}{l2}{pf}{vec}<t> {d..}, [addr]",         PTXSHIM_LD_HINTS PTXSHIM_LD_TYPES, "d:t", 31, 32},
    {"ld.global{cop}.nc{l1}{l2}<ch>{pf}{vec}<t> {d..}, [addr], a",  "ch=.L2::cache_hint; " PTXSHIM_LD_HINTS PTXSHIM_LD_TYPES, "d:t a:u64", 74, 80}) {
  // clang-format on
  load_elements(e, 0, 1);
  return {};
}
