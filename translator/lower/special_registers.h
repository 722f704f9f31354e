// SPDX-License-Identifier: MIT
#pragma once

#include "lower/emitter.h"

namespace ptxshim::ptx {

// The value of row `index` of special_registers.def; null when the register is not supported.
Value* read_special_register(Emitter& e, uint32_t index, unsigned component);

} // namespace ptxshim::ptx
