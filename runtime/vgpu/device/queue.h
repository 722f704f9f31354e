// SPDX-License-Identifier: MIT
// A user-mode queue: a worker thread that takes packets off a ring. Spinning kernels exist (stream waits,
// host calls), so no two queues share a worker.
//
// Doorbells are plain stores, which nothing tells us about. A worker with nothing to do spins for a few
// microseconds (what a launch-and-synchronise loop needs), yields, and then blocks; from then on it is woken
// by kick(): from the hooked hsa_signal_store_* of the HIP runtime, or by the device's monitor, which looks
// at blocked queues every 50 us while anything happens and every 20 ms otherwise.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

namespace ptxshim::vgpu {

class Device;

struct QueueParameters {
  uint32_t id = 0;
  uint64_t ring_address = 0;
  uint64_t ring_bytes = 0;
  uint64_t write_pointer_address = 0;
  uint64_t read_pointer_address = 0;
};

class Queue {
public:
  Queue(Device& device, const QueueParameters& parameters) : device_(device), parameters_(parameters) {}
  virtual ~Queue() = default;
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  // Resolves the addresses; false if they are not memory of the device.
  virtual bool attach() = 0;
  bool start();
  // Returns when the worker has let go of the ring. As on hardware, which takes the waves of a queue that is
  // destroyed off the machine, a dispatch that runs is interrupted.
  void stop();
  void kick();
  void set_paused(bool paused);

  bool needs_kick() const { return state_.load(std::memory_order_acquire) == kBlocked && runnable(); }
  const QueueParameters& parameters() const { return parameters_; }
  bool uses(const Device& device, uint64_t gpu, uint64_t size) const;
  // In a forked child: the thread is not there; forget it.
  void abandon();

protected:
  virtual bool has_work() const = 0;
  // Processes one packet. False halts the queue (it has reported an error, or is being stopped).
  virtual bool step() = 0;

  const std::atomic<bool>& stop_flag() const { return stopping_; }
  bool stopping() const { return stopping_.load(std::memory_order_relaxed); }
  bool runnable() const {
    return !halted_.load(std::memory_order_relaxed) && !paused_.load(std::memory_order_relaxed) && has_work();
  }
  // Polls: spin, yield, sleep. False when the queue is being stopped.
  template <class Condition> bool wait_for(Condition condition) {
    for (uint32_t round = 0; !condition(); ++round) {
      if (stopping()) return false;
      back_off(round);
    }
    return true;
  }

  Device& device_;
  const QueueParameters parameters_;

private:
  static constexpr uint32_t kRunning = 0, kBlocked = 1;
  static void back_off(uint32_t round);
  void run();
  void idle();

  std::thread thread_;
  std::atomic<uint32_t> state_{kRunning};
  std::atomic<bool> stopping_{false}, paused_{false}, halted_{false};
};

} // namespace ptxshim::vgpu
