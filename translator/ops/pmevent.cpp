// SPDX-License-Identifier: MIT
// Triggers performance monitor events, of which there are none.
#include "ops/op.h"

// clang-format off
PTXSHIM_OP(pmevent, 
    {"pmevent a",      "", "a:u32", 14, 10},
    {"pmevent.mask a", "", "a:u32", 30, 20}) {
  // clang-format on
  return {};
}
