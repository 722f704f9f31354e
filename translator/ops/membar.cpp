// SPDX-License-Identifier: MIT
// membar is a sequentially consistent fence; the proxy form orders aliases of one memory, which are one
// address here.
#include "lower/memory.h"
#include "ops/op.h"

// clang-format off
PTXSHIM_OP(membar,
    {"membar<l>",          "l=.cta|.gl|.sys", "", 14, 10},
    {"membar.proxy.alias", "", "", 75, 60}) {
  // clang-format on
  e.ir.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent, scope_of(e, "agent"));
  return {};
}
