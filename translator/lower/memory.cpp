// SPDX-License-Identifier: MIT
#include "lower/memory.h"

namespace ptxshim::ptx {

llvm::SyncScope::ID scope_of(const Emitter& e, const char* otherwise) {
  const char* name = otherwise;
  if (e.has(Mod::cta) || e.has(Mod::cluster))
    name = "workgroup";
  else if (e.has(Mod::gpu) || e.has(Mod::gl))
    name = "agent";
  else if (e.has(Mod::sys))
    name = "";
  return e.ir.getContext().getOrInsertSyncScopeID(name); // "" is the system
}

llvm::AtomicOrdering ordering_of(const Emitter& e, llvm::AtomicOrdering otherwise) {
  if (e.has(Mod::acq_rel)) return llvm::AtomicOrdering::AcquireRelease;
  if (e.has(Mod::acquire)) return llvm::AtomicOrdering::Acquire;
  if (e.has(Mod::release)) return llvm::AtomicOrdering::Release;
  if (e.has(Mod::relaxed)) return llvm::AtomicOrdering::Monotonic;
  return otherwise;
}

void fence(Emitter& e, llvm::AtomicOrdering ordering, const char* scope) {
  e.ir.CreateFence(ordering, e.ir.getContext().getOrInsertSyncScopeID(scope));
}

} // namespace ptxshim::ptx
