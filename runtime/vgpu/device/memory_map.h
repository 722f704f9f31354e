// SPDX-License-Identifier: MIT
// GPU address -> host address, as an ordered set of ranges.
//
// Registered and pinned user memory has a GPU address that differs from its CPU address, so an identity
// mapping would not do; and the same structure gives the bounds checks that become page faults. Readers keep
// the range they found until generation() changes; it changes only when something is taken away, because a
// range that was found stays right when others are added.
#pragma once

#include <cstdint>
#include <map>
#include <shared_mutex>

#include "dispatch.h"

namespace ptxshim::vgpu {

class RangeMap final : public MemoryMap {
public:
  MemoryRange find(uint64_t gpu_address) const override;

  LoadedFile loaded_file(uint64_t gpu_address) const override;

  // False when it is empty, wraps, or overlaps a range that is there.
  bool insert(const MemoryRange& range);
  // Removes whatever of [gpu, gpu + size) is mapped; ranges that reach beyond are cut.
  void remove(uint64_t gpu, uint64_t size);
  void clear();

  // Host address of [gpu, gpu + size) if all of it lies in one range; null otherwise.
  std::byte* host(uint64_t gpu, uint64_t size, bool for_writing) const;
  template <class T> T* object(uint64_t gpu) const {
    if (gpu % alignof(T)) return nullptr;
    return reinterpret_cast<T*>(host(gpu, sizeof(T), true));
  }

  // fork(): held over it, so that the child finds the map whole.
  std::shared_mutex& mutex() const { return mutex_; }

private:
  bool overlaps(uint64_t gpu, uint64_t size) const;

  alignas(64) mutable std::shared_mutex mutex_;
  std::map<uint64_t, MemoryRange> ranges_; // by GPU address, disjoint
};

} // namespace ptxshim::vgpu
