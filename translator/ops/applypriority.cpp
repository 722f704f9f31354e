// SPDX-License-Identifier: MIT
// Advice to the caches; nothing depends on it.
#include "ops/op.h"

// clang-format off
PTXSHIM_OP(applypriority, {"applypriority{ss}.L2::evict_normal [addr], a", "ss?=.global", "a:u32", 74, 80}) {
  // clang-format on
  return {};
}
