// SPDX-License-Identifier: MIT
// One dispatch while it runs: shared by the host threads that execute its work groups.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "code_cache.h"
#include "device/dispatch.h"
#include "gws.h"
#include "kernel_start.h"
#include "wave.h"

namespace ptxshim::vgpu {

struct Dispatch {
  const DeviceProperties* properties = nullptr;
  const MemoryMap* memory = nullptr;
  GlobalWaveSync* gws = nullptr;
  DispatchPacket packet;
  KernelStart start;
  std::shared_ptr<CodeCache> code;
  const std::atomic<uint64_t>* interrupts = nullptr; // changes: stop
  uint64_t interrupts_seen = 0;

  uint32_t groups[3] = {1, 1, 1};
  uint64_t group_count = 1;
  uint64_t most_resident = 1; // groups that are begun and have not ended, where some wait for others
  uint64_t batch = 1;         // groups that a host thread takes at a time

  // Host threads write to these: each has its cache line, and is touched once a batch.
  alignas(64) std::atomic<uint64_t> next_group{0};
  alignas(64) std::atomic<uint64_t> ended_groups{0};
  alignas(64) std::atomic<bool> failed{false};

  std::mutex mutex; // of what follows
  DispatchOutcome outcome;

  bool has_room() const {
    return next_group.load(std::memory_order_relaxed) - ended_groups.load(std::memory_order_relaxed) < most_resident;
  }
  bool interrupted() const {
    return interrupts->load(std::memory_order_relaxed) != interrupts_seen || (packet.stop && packet.stop->load(std::memory_order_relaxed));
  }
  bool stopped() const {
    return failed.load(std::memory_order_relaxed) || interrupted();
  }
};

} // namespace ptxshim::vgpu
