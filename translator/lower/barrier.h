// SPDX-License-Identifier: MIT
// The block-wide barrier, for bar and barrier.
#pragma once

#include "lower/emitter.h"

namespace ptxshim::ptx {

Result<void> lower_barrier(Emitter& e);

} // namespace ptxshim::ptx
