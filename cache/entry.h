// SPDX-License-Identifier: MIT
// One cache entry as bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ptxshim/cache.h"

namespace ptxshim::cache {

inline constexpr size_t kEntryHeader = 168;
inline constexpr uint64_t kMaxEntry = uint64_t{1} << 30; // bytes, packed and unpacked alike

struct EntryInfo {
  CacheKey key;
  uint64_t packed_size = 0, unpacked_size = 0;
  uint64_t created = 0; // seconds since 1970
  std::string producer; // the translator's build id
};

std::vector<std::byte> pack_entry(const CacheKey& key, const CodeObject& code_object);

// The header's fields, after everything that can be checked without decompression: magic, version, sizes,
// checksum.
Result<EntryInfo> check_entry(std::span<const std::byte> bytes);

// The code object of an entry that is whole and belongs to the key.
Result<CodeObject> unpack_entry(std::span<const std::byte> bytes, const CacheKey& key);

} // namespace ptxshim::cache
