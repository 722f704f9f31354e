// SPDX-License-Identifier: MIT
// Lets the lanes of a wave be in different places of a function. See dispatch_loop.cpp.
#pragma once

#include "lower/hazards.h"

namespace ptxshim::ptx {

// `hazards` were found in `function` as it is.
void interleave_lanes(llvm::Function& function, const Hazards& hazards, llvm::FunctionAnalysisManager& analyses, bool wave64);

} // namespace ptxshim::ptx
