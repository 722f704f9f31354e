// SPDX-License-Identifier: MIT
// The block-wide barrier, for bar and barrier.
#pragma once

#include "lower/emitter.h"

namespace ptxshim::ptx {

Result<void> lower_barrier(Emitter& e);

// The LDS words of barriers with a thread count; a kernel that reaches them clears them first.
inline constexpr const char* kBarrierState = "ptxshim.barriers";
void initialise_counted_barriers(llvm::Function& kernel, llvm::GlobalVariable& state);

} // namespace ptxshim::ptx
