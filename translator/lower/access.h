// SPDX-License-Identifier: MIT
// Loads and stores of registers and vectors of registers, for ld, ldu and st.
#pragma once

#include "lower/emitter.h"

namespace ptxshim::ptx {

void load_elements(Emitter& e, unsigned destination, unsigned address);
void store_elements(Emitter& e, unsigned address, unsigned source);

// atom (destination: operand 0, else kNone) and red.
Result<void> lower_atomic(Emitter& e, bool returns);

} // namespace ptxshim::ptx
