// SPDX-License-Identifier: MIT
// Advice to the caches; nothing depends on it.
#include "ops/op.h"

// clang-format off
PTXSHIM_OP(prefetch, 
    {"prefetch{ss}<l> [addr]",        "ss?=.global|.local; l=.L1|.L2", "", 20, 20},
    {"prefetch.global<l> [addr]",     "l=.L2::evict_last|.L2::evict_normal", "", 74, 80},
    {"prefetch{ss}.tensormap [addr]", "ss?=.const|.param", "", 80, 90}) {
  // clang-format on
  return {};
}
