// SPDX-License-Identifier: MIT
// Kernels of one stream run one after the other here: what came before is complete, and nothing is waiting.
#include "ops/op.h"

// clang-format off
PTXSHIM_OP(griddepcontrol, {"griddepcontrol<a>", "a=.launch_dependents|.wait", "", 78, 90}) {
  // clang-format on
  return {};
}
