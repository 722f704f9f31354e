// SPDX-License-Identifier: MIT
#include "lower/barrier.h"
#include "ops/op.h"

// clang-format off
PTXSHIM_OP(bar,
    {"bar{c}.sync a",                 "c?=.cta", "a:u32"},
    {"bar{c}.sync a, b",              "c?=.cta", "a:u32 b:u32"},
    {"bar{c}.arrive a, b",            "c?=.cta", "a:u32 b:u32", 20, 20},
    {"bar{c}.red.popc.u32 d, a, c0",  "c?=.cta", "d:u32 a:u32 c0:pred", 20, 20},
    {"bar{c}.red.popc.u32 d, a, b, c0", "c?=.cta", "d:u32 a:u32 b:u32 c0:pred", 20, 20},
    {"bar{c}.red<o>.pred p, a, c0",   "c?=.cta; o=.and|.or", "p:pred a:u32 c0:pred", 20, 20},
    {"bar{c}.red<o>.pred p, a, b, c0", "c?=.cta; o=.and|.or", "p:pred a:u32 b:u32 c0:pred", 20, 20},
    {"bar.warp.sync a",               "", "a:b32", 60, 30}) {
  // clang-format on
  return lower_barrier(e);
}
