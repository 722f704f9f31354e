// SPDX-License-Identifier: MIT
// One work group in execution on one host thread.
#pragma once

#include <memory>
#include <span>

#include "dispatch_state.h"

namespace ptxshim::vgpu {

// Memory of a work group's waves, kept by the host thread for the next group.
class GroupMemory {
public:
  ~GroupMemory();
  // Null when the host has not that much memory.
  std::byte* lds(size_t bytes);
  std::span<Wave> waves(size_t count);
  std::byte* scratch(size_t bytes);

private:
  struct Area {
    std::byte* at = nullptr;
    size_t size = 0;
  };
  static std::byte* reserve(Area& area, size_t bytes);
  Area lds_, waves_, scratch_;
};

class RunningGroup {
public:
  RunningGroup(Dispatch& dispatch, MemoryView& memory, RecentCode& recent_code)
      : dispatch_(dispatch), memory_(memory), recent_code_(recent_code) {}
  // Sets up all waves of the group with this number in the grid. False: a fault has been recorded.
  bool start(uint64_t number);
  // Gives every wave that can run one turn. True: the group has ended (or the dispatch has been stopped).
  bool turn();

private:
  void init_wave(Wave& wave, uint32_t index, const uint32_t size[3]);
  void init_scalars(Wave& wave);
  void init_work_items(Wave& wave, const uint32_t size[3]);
  void run(Wave& wave);
  void run_guarded(Wave& wave);
  void release_barrier();

  Dispatch& dispatch_;
  MemoryView& memory_;
  RecentCode& recent_code_;
  const Op* entry_ = nullptr;
  GroupMemory storage_;
  WorkGroup group_;
  std::span<Wave> waves_; // in storage_
};

} // namespace ptxshim::vgpu
