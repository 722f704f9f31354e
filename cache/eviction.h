// SPDX-License-Identifier: MIT
// Keeps a cache directory under its size.
#pragma once

#include <cstdint>

#include "storage.h"

namespace ptxshim::cache {

struct Pruned {
  uint64_t entries = 0, bytes = 0; // found
  uint64_t removed = 0, removed_bytes = 0;
  uint64_t orphans = 0; // temporary files and locks left behind
  bool busy = false;    // another process is at it: nothing was done
};

// Removes the entries used longest ago until at most `limit` bytes are left; with `slack`, a tenth less than
// that, so that it is not due again with the next entry. One process at a time.
Pruned prune(const Storage& storage, uint64_t limit, bool slack);

// To be called after each new entry; looks at the directory now and then.
void evict_if_due(const Storage& storage, uint64_t new_bytes);

} // namespace ptxshim::cache
