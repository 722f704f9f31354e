// SPDX-License-Identifier: MIT
#include "lower/barrier.h"
#include "ops/op.h"

// clang-format off
PTXSHIM_OP(barrier,
    {"barrier{c}.sync{al} a",                 "c?=.cta; al?=.aligned", "a:u32", 60, 30},
    {"barrier{c}.sync{al} a, b",              "c?=.cta; al?=.aligned", "a:u32 b:u32", 60, 30},
    {"barrier{c}.arrive{al} a, b",            "c?=.cta; al?=.aligned", "a:u32 b:u32", 60, 30},
    {"barrier{c}.red.popc{al}.u32 d, a, c0",  "c?=.cta; al?=.aligned", "d:u32 a:u32 c0:pred", 60, 30},
    {"barrier{c}.red.popc{al}.u32 d, a, b, c0", "c?=.cta; al?=.aligned", "d:u32 a:u32 b:u32 c0:pred", 60, 30},
    {"barrier{c}.red<o>{al}.pred p, a, c0",   "c?=.cta; o=.and|.or; al?=.aligned", "p:pred a:u32 c0:pred", 60, 30},
    {"barrier{c}.red<o>{al}.pred p, a, b, c0", "c?=.cta; o=.and|.or; al?=.aligned", "p:pred a:u32 b:u32 c0:pred", 60, 30},
    {"barrier.cluster.arrive{s}{al}",         "s?=.release|.relaxed; al?=.aligned", "", 78, 90},
    {"barrier.cluster.wait{s}{al}",           "s?=.acquire; al?=.aligned", "", 78, 90}) {
  // clang-format on
  return lower_barrier(e);
}
