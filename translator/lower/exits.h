// SPDX-License-Identifier: MIT
// What becomes of exit in functions, after linking and before optimisation.
#pragma once

#include <llvm/IR/Module.h>

namespace ptxshim::ptx {

inline constexpr const char* kExitMarker = "ptxshim.exit";

// Inlines the direct calls of these functions, and of those that reach them, as far as there is no recursion.
void inline_everywhere(llvm::ArrayRef<llvm::Function*> functions);

// Inlines every function from which an exit can be reached, turns the markers into kernel returns, and notes
// an error on functions where that cannot be done (recursion, calls through pointers).
void resolve_exits(llvm::Module& module);

} // namespace ptxshim::ptx
