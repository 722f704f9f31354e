// SPDX-License-Identifier: MIT
#include "memory_map.h"

#include <mutex>

#include "loaded_files.h"

namespace ptxshim::vgpu {

MemoryRange RangeMap::find(uint64_t gpu_address) const {
  std::shared_lock lock(mutex_);
  const auto after = ranges_.upper_bound(gpu_address);
  uint64_t hole_begin = 0;
  if (after != ranges_.begin()) {
    const MemoryRange& range = std::prev(after)->second;
    if (gpu_address - range.gpu < range.size) return range;
    hole_begin = range.gpu + range.size;
  }
  const uint64_t hole_end = after == ranges_.end() ? UINT64_MAX : after->first;
  return {hole_begin, hole_end - hole_begin, nullptr, false};
}

LoadedFile RangeMap::loaded_file(uint64_t gpu_address) const { return find_loaded_file(gpu_address); }

bool RangeMap::overlaps(uint64_t gpu, uint64_t size) const {
  const auto after = ranges_.upper_bound(gpu);
  if (after != ranges_.end() && after->first - gpu < size) return true;
  if (after == ranges_.begin()) return false;
  const MemoryRange& before = std::prev(after)->second;
  return gpu - before.gpu < before.size;
}

bool RangeMap::insert(const MemoryRange& range) {
  if (range.size == 0 || range.gpu + range.size < range.gpu || !range.host) return false;
  std::unique_lock lock(mutex_);
  if (overlaps(range.gpu, range.size)) return false;
  ranges_.emplace(range.gpu, range);
  return true;
}

void RangeMap::remove(uint64_t gpu, uint64_t size) {
  if (size == 0 || gpu + size < gpu) return;
  std::unique_lock lock(mutex_);
  const uint64_t end = gpu + size;
  auto at = ranges_.upper_bound(gpu);
  if (at != ranges_.begin()) --at;
  bool removed = false;
  while (at != ranges_.end() && at->first < end) {
    const MemoryRange range = at->second;
    const uint64_t range_end = range.gpu + range.size;
    if (range_end <= gpu) {
      ++at;
      continue;
    }
    at = ranges_.erase(at);
    removed = true;
    if (range.gpu < gpu)
      ranges_.emplace(range.gpu, MemoryRange{range.gpu, gpu - range.gpu, range.host, range.writable});
    if (range_end > end)
      at =
          ranges_
              .emplace(end, MemoryRange{end, range_end - end, range.host + (end - range.gpu), range.writable})
              .first;
  }
  if (removed) changed();
}

void RangeMap::clear() {
  std::unique_lock lock(mutex_);
  ranges_.clear();
  changed();
}

std::byte* RangeMap::host(uint64_t gpu, uint64_t size, bool for_writing) const {
  const MemoryRange range = find(gpu);
  if (!range.host || (for_writing && !range.writable)) return nullptr;
  const uint64_t offset = gpu - range.gpu;
  if (size > range.size - offset) return nullptr;
  return range.host + offset;
}

} // namespace ptxshim::vgpu
