// SPDX-License-Identifier: MIT
// Advice to the caches; nothing depends on it.
#include "ops/op.h"

// clang-format off
PTXSHIM_OP(prefetchu, {"prefetchu.L1 [addr]", "", "", 20, 20}) {
  // clang-format on
  return {};
}
