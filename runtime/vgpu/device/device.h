// SPDX-License-Identifier: MIT
// The virtual GPU: memory, queues, events and the executor of its kernels, without any knowledge of the
// kernel interface that the ROCm runtime reaches it through (kfd/ has that). One per process; never
// destroyed, because the runtime's static destructors may still use it.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "backing.h"
#include "dispatch.h"
#include "events.h"
#include "gfx_rows.h"
#include "memory_map.h"
#include "queue.h"

namespace ptxshim::vgpu {

class Device {
public:
  struct Settings {
    const GfxRow* gfx = nullptr;
    uint32_t compute_units = 8;
    uint32_t host_threads = 0;
    uint64_t vram_bytes = 0;
    uint64_t gtt_bytes = 0;
    bool raw_exceptions = false;
  };
  using MakeExecutor = std::unique_ptr<Executor> (*)(const DeviceProperties&, const MemoryMap&);

  // 0 or an errno value.
  int open(const Settings& settings, MakeExecutor make);

  const GfxRow& properties_row() const { return *settings_.gfx; }
  const Settings& settings() const { return settings_; }
  bool raw_exceptions() const { return settings_.raw_exceptions; }
  RangeMap& map() { return map_; }
  Backing& backing() { return backing_; }
  Events& events() { return events_; }
  Executor& executor() { return *executor_; }

  // --- queues
  enum class QueueKind : uint8_t { Compute, Copy };
  // The id, or nothing when the parameters are not memory of this device or no thread can be had.
  std::optional<uint32_t> create_queue(QueueKind kind, QueueParameters parameters);
  bool destroy_queue(uint32_t id);
  bool pause_queue(uint32_t id, bool paused);
  // Stops every queue whose ring or indices lie in memory that is about to go away.
  void release_memory(uint64_t gpu, uint64_t size);
  void kick_queue(uint32_t id);
  // Wakes every blocked queue that has work.
  void kick_queues();
  // Something is being submitted: the monitor looks more often for a while.
  void note_activity();

  // --- kernels and signals
  DispatchOutcome execute(const DispatchPacket& packet);
  // A packet's completion signal: times, value - 1, then whoever waits for it.
  void complete(uint64_t signal, uint64_t begin, uint64_t end);
  void store_signal(uint64_t signal, int64_t value);
  // For waiters on the host: spin briefly, then sleep until something completes (or half a millisecond has
  // passed: signals are also set by the host).
  template <class Condition> void wait_for_completion(Condition condition) {
    for (uint32_t round = 0;; ++round) {
      const uint32_t seen = completions_.load(std::memory_order_acquire);
      if (condition()) return;
      wait_step(round, seen);
    }
  }
  // Something that a host thread may wait for has been written.
  void announce_completion();

  // --- faults
  struct FaultRecord {
    DispatchOutcome outcome;
    uint32_t count = 0;
  };
  bool faulted() const { return faulted_.load(std::memory_order_acquire); }
  void record_fault(const DispatchOutcome& outcome);
  FaultRecord fault() const;
  void clear_fault();

  // --- fork(): prepare, then one of the others
  void lock_for_fork();
  void unlock_after_fork();
  void reset_in_child();

private:
  void notify_signal(uint64_t mailbox, uint32_t event_id);
  void wait_step(uint32_t round, uint32_t seen);
  void start_monitor();
  void monitor();

  Settings settings_;
  RangeMap map_;
  Backing backing_;
  Events events_;
  std::unique_ptr<Executor> executor_;

  std::mutex queues_mutex_;
  std::map<uint32_t, std::unique_ptr<Queue>> queues_;
  uint32_t next_queue_ = 1;
  bool monitor_started_ = false;
  std::atomic<uint32_t> queue_count_{0};
  std::atomic<uint64_t> last_activity_{0};
  std::atomic<uint32_t> dozing_{0}; // a futex: the monitor sleeps long

  mutable std::mutex fault_mutex_;
  FaultRecord fault_;
  std::atomic<bool> faulted_{false};
  std::atomic<uint32_t> executing_{0};

  std::atomic<uint32_t> completions_{0}; // a futex
  std::atomic<uint32_t> sleepers_{0};
};

} // namespace ptxshim::vgpu
