// SPDX-License-Identifier: MIT
// .local variables of module scope, after linking and before optimisation.
#pragma once

#include <llvm/IR/Module.h>

namespace ptxshim::ptx {

// Gives every kernel its own copy of those that it and the functions it calls use. Notes an error on functions where that cannot
// be done (recursion, calls through pointers) and on kernels that would need more memory than a thread has.
void place_thread_variables(llvm::Module& module);

} // namespace ptxshim::ptx
