// SPDX-License-Identifier: MIT
// Stream-ordered allocation (pool.cpp), as other nouns need it.
#pragma once

#include "memory.h"

namespace ptxshim::api {

// Takes back a block whose last use is over in the order of a stream (null: over already).
CUresult give_back_to_pool(const Allocation& allocation, const hip::Stream* stream);
// Before a stream goes: blocks freed in it wait for it now.
void forget_stream_in_pools(hip::Stream stream);
// Memory a synchronisation has made free for the system again, above the release threshold.
void trim_pools_of(const Device& device);

} // namespace ptxshim::api
