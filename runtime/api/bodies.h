// SPDX-License-Identifier: MIT
// The bodies' declarations, from the rows: a body whose parameters differ from its row does not link.
#pragma once

#include "harness.h"

namespace ptxshim::api {

#define API(name, since, variant, needs, parameters) CUresult name parameters;
#define STUB(name, since, variant)
#include "driver_api.def"

} // namespace ptxshim::api
