// SPDX-License-Identifier: MIT
// The link units of files, one at a time: a library may carry gigabytes of PTX.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ptxshim/image.h"

namespace ptxshim::loader {

using UnitVisitor = std::function<void(Result<std::vector<PtxImage>> unit)>;

// Calls `visit` for each unit, also for those that cannot be used (built without PTX, damaged). An error of
// the whole is returned: no such file, no format that we know. A file without device code has no units, and
// that is no error.
Result<void> for_each_unit(const std::string& path, uint32_t compute_capability, const UnitVisitor& visit);

// Does the file look like something that can hold device code (by its first bytes, or the name ending in
// .ptx)?
bool may_hold_device_code(const std::string& path);

} // namespace ptxshim::loader
