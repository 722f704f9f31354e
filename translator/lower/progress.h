// SPDX-License-Identifier: MIT
// Forward progress of threads that wait for each other, after inlining for exits and before optimisation.
#pragma once

#include "lower/emitter.h"

namespace llvm {
class TargetMachine;
}

namespace ptxshim::ptx {

// Stands before what the `members` of a warp do together: here they wait for each other.
void converge(Emitter& e, Value* members);

// Rewrites functions whose threads could wait for others of their own wave, and removes the marks.
void guarantee_progress(llvm::Module& module, llvm::TargetMachine& machine, bool wave64);

} // namespace ptxshim::ptx
