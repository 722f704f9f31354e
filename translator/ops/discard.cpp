// SPDX-License-Identifier: MIT
// Allows the memory to lose its contents; keeping them is allowed as well.
#include "ops/op.h"

// clang-format off
PTXSHIM_OP(discard, {"discard{ss}.L2 [addr], a", "ss?=.global", "a:u32", 74, 80}) {
  // clang-format on
  return {};
}
