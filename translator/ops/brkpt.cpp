// SPDX-License-Identifier: MIT
// Stops for a debugger; without one the hardware's debug trap goes on.
#include "ops/op.h"

PTXSHIM_OP(brkpt, {"brkpt", "", "", 10, 11}) {
  e.intrinsic(Intrinsic::debugtrap, {}, {});
  return {};
}
