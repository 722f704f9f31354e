// SPDX-License-Identifier: MIT
// The storage behind the memory of all devices (VRAM) and GPU-visible system memory (GTT): one memfd whose
// offsets are what the kernel interface hands out as mmap offsets. The ROCm thunk maps pieces of it where it
// chose; the devices themselves use one window over the whole file, so that nothing the runtime unmaps can pull
// memory from under a running kernel, and what one device may see of another is a matter of its map alone.
// Pages exist only where something was written, and go back to the system when an allocation is freed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace ptxshim::vgpu {

// First fit over [begin, end), page granular, coalescing.
class OffsetAllocator {
public:
  void reset(uint64_t begin, uint64_t end);
  std::optional<uint64_t> allocate(uint64_t size);
  void free(uint64_t offset, uint64_t size);
  uint64_t available() const { return available_; }

private:
  std::map<uint64_t, uint64_t> free_; // offset -> size
  uint64_t available_ = 0;
};

class Backing {
public:
  static constexpr uint64_t kPage = 4096;
  // An area of the file: system memory, or the memory of a device.
  using Area = uint32_t;
  static constexpr Area kSystem = 0;
  static constexpr Area vram_of(uint32_t device) { return device + 1; }

  // 0 or an errno value.
  int open(std::span<const uint64_t> vram_bytes, uint64_t gtt_bytes);
  int fd() const { return fd_; }

  // Size in bytes, rounded up to pages. Nothing when the area is exhausted.
  std::optional<uint64_t> allocate(Area area, uint64_t size);
  void free(Area area, uint64_t offset, uint64_t size);
  std::byte* host(uint64_t offset) const { return window_ + offset; }
  uint64_t available(Area area) const;

  // A piece of the file for each device that is never freed (doorbells and the like). The low 32 bits of its
  // offset are zero, because thunks take those of a doorbell's offset for the place in the page.
  uint64_t reserved_offset(uint32_t device) const { return reserved_ + (uint64_t{device} << 32); }
  static constexpr uint64_t kReserved = 16 * kPage;

  std::mutex& mutex() const { return mutex_; }

private:
  mutable std::mutex mutex_;
  int fd_ = -1;
  std::byte* window_ = nullptr;
  uint64_t total_ = 0;
  uint64_t reserved_ = 0;
  std::vector<OffsetAllocator> areas_;
};

} // namespace ptxshim::vgpu
