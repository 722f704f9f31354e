// SPDX-License-Identifier: MIT
#include "backing.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace ptxshim::vgpu {

void OffsetAllocator::reset(uint64_t begin, uint64_t end) {
  free_.clear();
  free_.emplace(begin, end - begin);
  available_ = end - begin;
}

std::optional<uint64_t> OffsetAllocator::allocate(uint64_t size) {
  for (auto at = free_.begin(); at != free_.end(); ++at) {
    if (at->second < size) continue;
    const uint64_t offset = at->first, rest = at->second - size;
    free_.erase(at);
    if (rest) free_.emplace(offset + size, rest);
    available_ -= size;
    return offset;
  }
  return std::nullopt;
}

void OffsetAllocator::free(uint64_t offset, uint64_t size) {
  auto at = free_.emplace(offset, size).first;
  available_ += size;
  const auto next = std::next(at);
  if (next != free_.end() && at->first + at->second == next->first) {
    at->second += next->second;
    free_.erase(next);
  }
  if (at == free_.begin()) return;
  const auto before = std::prev(at);
  if (before->first + before->second != at->first) return;
  before->second += at->second;
  free_.erase(at);
}

int Backing::open(std::span<const uint64_t> vram_bytes, uint64_t gtt_bytes) {
  areas_.resize(vram_bytes.size() + 1);
  areas_[kSystem].reset(0, gtt_bytes);
  uint64_t end = gtt_bytes;
  for (uint32_t device = 0; device < vram_bytes.size(); ++device) {
    areas_[vram_of(device)].reset(end, end + vram_bytes[device]);
    end += vram_bytes[device];
  }
  constexpr uint64_t kLow = (uint64_t{1} << 32) - 1;
  reserved_ = (end + kLow) & ~kLow;
  total_ = reserved_offset(static_cast<uint32_t>(vram_bytes.size()) - 1) + kReserved;
  fd_ = memfd_create("ptxshim-vgpu", MFD_CLOEXEC);
  if (fd_ < 0) return errno;
  if (ftruncate(fd_, static_cast<off_t>(total_)) != 0) return errno;
  void* window = mmap(nullptr, total_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd_, 0);
  if (window == MAP_FAILED) return errno;
  madvise(window, total_,
          MADV_DONTFORK); // A child has no device; without page tables of it, fork() is quicker.
  madvise(window, total_, MADV_DONTDUMP);
  window_ = static_cast<std::byte*>(window);
  return 0;
}

std::optional<uint64_t> Backing::allocate(Area area, uint64_t size) {
  if (size == 0 || size > total_) return std::nullopt;
  std::lock_guard lock(mutex_);
  return areas_[area].allocate((size + kPage - 1) & ~(kPage - 1));
}

void Backing::free(Area area, uint64_t offset, uint64_t size) {
  size = (size + kPage - 1) & ~(kPage - 1);
  // Before the offset can be handed out again: the next owner finds zeros.
  fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
            static_cast<off_t>(size));
  std::lock_guard lock(mutex_);
  areas_[area].free(offset, size);
}

uint64_t Backing::available(Area area) const {
  std::lock_guard lock(mutex_);
  return areas_[area].available();
}

} // namespace ptxshim::vgpu
