// SPDX-License-Identifier: MIT
// A virtual GPU: which memory it sees, and the executor of its kernels, without any knowledge of the kernel
// interface that the ROCm runtime reaches it through (kfd/ has that).
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "dispatch.h"
#include "gfx_rows.h"
#include "memory_map.h"

namespace ptxshim::vgpu {

class Machine;

class Device {
public:
  struct Settings {
    const GfxRow* gfx = nullptr;
    uint32_t compute_units = 8;
    uint32_t host_threads = 0;
    uint64_t vram_bytes = 0;
    bool raw_exceptions = false;
    bool operator==(const Settings&) const = default;
  };
  using MakeExecutor = std::unique_ptr<Executor> (*)(const DeviceProperties&, const MemoryMap&);

  Device(Machine& machine, uint32_t index) : machine_(machine), index_(index) {}
  // 0 or an errno value.
  int open(const Settings& settings, MakeExecutor make);

  Machine& machine() { return machine_; }
  uint32_t index() const { return index_; } // in the machine
  const GfxRow& properties_row() const { return *settings_.gfx; }
  const Settings& settings() const { return settings_; }
  bool raw_exceptions() const { return settings_.raw_exceptions; }
  RangeMap& map() { return map_; }
  Executor& executor() { return *executor_; }

  // --- kernels and signals
  DispatchOutcome execute(const DispatchPacket& packet);
  // A packet's completion signal: times, value - 1, then whoever waits for it.
  void complete(uint64_t signal, uint64_t begin, uint64_t end);
  void store_signal(uint64_t signal, int64_t value);

  // --- faults
  struct FaultRecord {
    DispatchOutcome outcome;
    uint32_t count = 0;
  };
  bool faulted() const { return faulted_.load(std::memory_order_acquire); }
  void record_fault(const DispatchOutcome& outcome);
  FaultRecord fault() const;
  void clear_fault();
  // A kernel that began just as another one faulted may wait for ever for what that would have written.
  void end_what_a_fault_left_waiting();

  // --- fork(): prepare, then one of the others
  void lock_for_fork();
  void unlock_after_fork();
  void reset_in_child();

private:
  void notify_signal(uint64_t mailbox, uint32_t event_id);

  Machine& machine_;
  const uint32_t index_;
  Settings settings_;
  RangeMap map_;
  std::unique_ptr<Executor> executor_;

  mutable std::mutex fault_mutex_;
  FaultRecord fault_;
  std::atomic<bool> faulted_{false};
  std::atomic<uint32_t> executing_{0};
};

} // namespace ptxshim::vgpu
