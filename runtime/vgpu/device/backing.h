// SPDX-License-Identifier: MIT
// The storage behind device memory (VRAM) and GPU-visible system memory (GTT): one memfd whose offsets are
// what the kernel interface hands out as mmap offsets. The ROCm thunk maps pieces of it where it chose; the
// device itself uses one window over the whole file, so that nothing the runtime unmaps can pull memory from
// under a running kernel. Pages exist only where something was written, and go back to the system when an
// allocation is freed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

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
  enum class Kind : uint8_t { Vram, Gtt };

  // 0 or an errno value.
  int open(uint64_t vram_bytes, uint64_t gtt_bytes);
  int fd() const { return fd_; }

  // Size in bytes, rounded up to pages. Nothing when the kind is exhausted.
  std::optional<uint64_t> allocate(Kind kind, uint64_t size);
  void free(Kind kind, uint64_t offset, uint64_t size);
  std::byte* host(uint64_t offset) const { return window_ + offset; }
  uint64_t available(Kind kind) const;

  // A piece of the file that is never freed (doorbells and the like). The low 32 bits of its offset are zero,
  // because thunks take those of a doorbell's offset for the place in the page.
  uint64_t reserved_offset() const { return total_ - kReserved; }
  static constexpr uint64_t kReserved = 16 * kPage;

  std::mutex& mutex() const { return mutex_; }

private:
  OffsetAllocator& of(Kind kind) { return kind == Kind::Vram ? vram_ : gtt_; }

  mutable std::mutex mutex_;
  int fd_ = -1;
  std::byte* window_ = nullptr;
  uint64_t total_ = 0;
  OffsetAllocator vram_, gtt_;
};

} // namespace ptxshim::vgpu
