// SPDX-License-Identifier: MIT
// Fat binaries: what nvcc packs device code into.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ptxshim/image.h"
#include "ptxshim/result.h"

namespace ptxshim::loader {

inline constexpr uint32_t kWrapperMagic = 0x466243b1;
inline constexpr uint32_t kFatbinMagic = 0xba55ed50;
inline constexpr uint32_t kOldFatbinMagic = 0x1ee55a01;
inline constexpr size_t kWrapperSize = 24;
inline constexpr size_t kFatbinHeaderSize = 16;
inline constexpr uint64_t kMaxFatbin = uint64_t{1} << 32; // bytes; a larger size is damage
inline constexpr uint64_t kMaxPtx = uint64_t{512} << 20;  // bytes after decompression

// Little-endian loads from anywhere.
uint16_t load16(const std::byte* at);
uint32_t load32(const std::byte* at);
uint64_t load64(const std::byte* at);

struct FatbinEntry {
  uint16_t kind = 0; // 1 PTX text, 2 cubin
  uint32_t sm = 0;
  uint32_t ptx_version = 0; // major * 10 + minor
  uint64_t flags = 0;
  uint64_t unpacked_size = 0; // 0: stored as it is
  std::span<const std::byte> payload;
  std::string identifier;
};

// Bytes of the fatbin whose header stands at `header` (at least kFatbinHeaderSize bytes readable): header and
// entries.
Result<uint64_t> fatbin_size(const std::byte* header);

// All entries of one fatbin. `bytes` may be longer than the fatbin.
Result<std::vector<FatbinEntry>> read_entries(std::span<const std::byte> bytes);

// The PTX of a fatbin that suits the compute capability, decompressed.
Result<PtxImage> select_ptx(std::span<const std::byte> fatbin, uint32_t compute_capability);

} // namespace ptxshim::loader
