// SPDX-License-Identifier: MIT
// From the fatbins of one link unit to the PTX modules to be translated together.
#pragma once

#include <span>
#include <vector>

#include "ptxshim/image.h"

namespace ptxshim::loader {

// One PTX of each fatbin, without a device runtime library that nothing uses.
Result<std::vector<PtxImage>> link_unit(const std::vector<std::span<const std::byte>>& fatbins,
                                        uint32_t compute_capability);

} // namespace ptxshim::loader
