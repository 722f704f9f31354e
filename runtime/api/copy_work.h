// SPDX-License-Identifier: MIT
// Copies and fills as work for graphs: checked now, run later without further checks.
#pragma once

#include "graph.h"

namespace ptxshim::api {

CUresult copy_work(Work& work, const CUDA_MEMCPY3D* copy);           // memcpy_3d.cpp
CUresult fill_work(Work& work, const CUDA_MEMSET_NODE_PARAMS* fill); // memset.cpp

} // namespace ptxshim::api
