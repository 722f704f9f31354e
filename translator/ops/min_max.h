// SPDX-License-Identifier: MIT
// The common body of min and max.
#pragma once

#include "lower/emitter.h"

namespace ptxshim::ptx {

Result<void> min_max(Emitter& e, bool want_max);

} // namespace ptxshim::ptx
