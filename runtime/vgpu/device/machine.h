// SPDX-License-Identifier: MIT
// The virtual GPUs of the process and what they share: system memory and the file behind all memory, events,
// the numbers of queues, and the thread that watches doorbells. One per process; never destroyed, because the
// ROCm runtime's static destructors may still use it.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "backing.h"
#include "device.h"
#include "events.h"
#include "queue.h"

namespace ptxshim::vgpu {

class Machine {
public:
  static constexpr size_t kMostDevices = 8;

  // One device for each of the settings. 0 or an errno value.
  int open(std::span<const Device::Settings> settings, uint64_t gtt_bytes, Device::MakeExecutor make);

  std::span<const std::unique_ptr<Device>> devices() const { return devices_; }
  Backing& backing() { return backing_; }
  Events& events() { return events_; }

  // --- queues
  enum class QueueKind : uint8_t { Compute, Copy };
  // The id, or nothing when the parameters are not memory of this device or no thread can be had.
  std::optional<uint32_t> create_queue(Device& device, QueueKind kind, QueueParameters parameters);
  // Returns when the worker has let go of the ring. What runs is interrupted.
  bool destroy_queue(uint32_t id);
  bool pause_queue(uint32_t id, bool paused);
  // Stops every queue of the device whose ring or indices lie in memory that is about to go away.
  void release_memory(const Device& device, uint64_t gpu, uint64_t size);
  void kick_queue(uint32_t id);
  // Wakes every blocked queue that has work.
  void kick_queues();
  // Something is being submitted: the monitor looks more often for a while.
  void note_activity();

  // --- waiters on the host: spin briefly, then sleep until something completes (or half a millisecond has
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

  // --- fork(): prepare, then one of the others
  void lock_for_fork();
  void unlock_after_fork();
  void reset_in_child();

private:
  void wait_step(uint32_t round, uint32_t seen);
  void start_monitor();
  void monitor();
  std::unique_ptr<Queue> take_queue(std::map<uint32_t, std::unique_ptr<Queue>>::iterator at);

  std::vector<std::unique_ptr<Device>> devices_;
  Backing backing_;
  Events events_;

  std::mutex queues_mutex_;
  std::map<uint32_t, std::unique_ptr<Queue>> queues_;
  uint32_t next_queue_ = 1;
  bool monitor_started_ = false;
  std::atomic<uint32_t> queue_count_{0};
  std::atomic<uint64_t> last_activity_{0};
  std::atomic<uint32_t> dozing_{0}; // a futex: the monitor sleeps long

  std::atomic<uint32_t> completions_{0}; // a futex
  std::atomic<uint32_t> sleepers_{0};
};

} // namespace ptxshim::vgpu
