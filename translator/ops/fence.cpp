// SPDX-License-Identifier: MIT
// Without an order a fence is .acq_rel. There are no other proxies than the generic one here, so fences
// between proxies order it alone.
#include "lower/memory.h"
#include "ops/op.h"

// clang-format off
PTXSHIM_OP(fence,
    {"fence{s}<sc>", "s?=.sc|.acq_rel|.acquire|.release; sc=.cta|.cluster|.gpu|.sys", "", 60, 70},
    {"fence.acquire.sync_restrict::shared::cluster.cluster", "", "", 86, 90},
    {"fence.release.sync_restrict::shared::cta.cluster", "", "", 86, 90},
    {"fence.mbarrier_init.release.cluster", "", "", 80, 90},
    {"fence.proxy<p>", "p=.alias|.async|.async.global|.async.shared::cta|.async.shared::cluster", "", 75, 70},
    {"fence.proxy.tensormap::generic.release<sc>", "sc=.cta|.cluster|.gpu|.sys", "", 83, 70},
    {"fence.proxy.tensormap::generic.acquire<sc> [addr], a", "sc=.cta|.cluster|.gpu|.sys", "a:u32", 83, 70},
    {"fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster", "", "", 86, 90},
    {"fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster", "", "", 86, 90}) {
  // clang-format on
  const llvm::AtomicOrdering order = e.has(Mod::sc) ? llvm::AtomicOrdering::SequentiallyConsistent
                                                    : ordering_of(e, llvm::AtomicOrdering::AcquireRelease);
  e.ir.CreateFence(order, scope_of(e, "agent"));
  return {};
}
