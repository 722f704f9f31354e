// SPDX-License-Identifier: MIT
// PTX's memory orders and scopes in LLVM's terms.
#pragma once

#include <llvm/Support/AtomicOrdering.h>

#include "lower/emitter.h"

namespace ptxshim::ptx {

// .cta and .cluster (of one block): workgroup; .gpu and .gl: agent; .sys: system. Without any: `otherwise`.
llvm::SyncScope::ID scope_of(const Emitter& e, const char* otherwise);
llvm::AtomicOrdering ordering_of(const Emitter& e, llvm::AtomicOrdering otherwise);
void fence(Emitter& e, llvm::AtomicOrdering ordering, const char* scope);

} // namespace ptxshim::ptx
