// SPDX-License-Identifier: MIT
// Ends the thread. In a kernel that is its return. The hardware can only end waves, so a function that
// contains exit is inlined into its kernels: a call of kExitMarker followed by unreachable stands for it
// until then (lower/exits.h).
#include "lower/exits.h"
#include "lower/function.h"
#include "ops/op.h"

PTXSHIM_OP(exit, {"exit"}) {
  if (e.function.source.is_entry) {
    e.ir.CreateRetVoid();
    return {};
  }
  e.device(kExitMarker, e.ir.getVoidTy(), {});
  e.ir.CreateUnreachable();
  return {};
}
