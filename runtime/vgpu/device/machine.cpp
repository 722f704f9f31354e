// SPDX-License-Identifier: MIT
#include "machine.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <immintrin.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <system_error>
#include <thread>
#include <unistd.h>

#include "aql_queue.h"
#include "clock.h"
#include "ptxshim/log.h"
#include "sdma_queue.h"

namespace ptxshim::vgpu {

int Machine::open(std::span<const Device::Settings> settings, uint64_t gtt_bytes, Device::MakeExecutor make) {
  if (settings.empty() || settings.size() > kMostDevices) return EINVAL;
  std::vector<uint64_t> vram;
  for (const Device::Settings& one : settings)
    vram.push_back(one.vram_bytes);
  if (const int error = backing_.open(vram, gtt_bytes)) return error;
  for (const Device::Settings& one : settings) {
    devices_.push_back(std::make_unique<Device>(*this, static_cast<uint32_t>(devices_.size())));
    if (const int error = devices_.back()->open(one, make)) return error;
  }
  return 0;
}

std::optional<uint32_t> Machine::create_queue(Device& device, QueueKind kind, QueueParameters parameters) {
  std::lock_guard lock(queues_mutex_);
  while (next_queue_ == 0 || queues_.contains(next_queue_))
    ++next_queue_;
  parameters.id = next_queue_;
  std::unique_ptr<Queue> queue;
  if (kind == QueueKind::Compute)
    queue = std::make_unique<AqlQueue>(device, parameters);
  else
    queue = std::make_unique<SdmaQueue>(device, parameters);
  if (!queue->attach() || !queue->start()) return std::nullopt;
  queues_.emplace(next_queue_++, std::move(queue));
  queue_count_.store(static_cast<uint32_t>(queues_.size()), std::memory_order_release);
  queue_count_.notify_all();
  start_monitor();
  return parameters.id;
}

// With the lock held.
std::unique_ptr<Queue> Machine::take_queue(std::map<uint32_t, std::unique_ptr<Queue>>::iterator at) {
  std::unique_ptr<Queue> queue = std::move(at->second);
  queues_.erase(at);
  queue_count_.store(static_cast<uint32_t>(queues_.size()), std::memory_order_release);
  return queue;
}

bool Machine::destroy_queue(uint32_t id) {
  std::unique_ptr<Queue> queue;
  {
    std::lock_guard lock(queues_mutex_);
    const auto at = queues_.find(id);
    if (at == queues_.end()) return false;
    queue = take_queue(at);
  }
  queue->stop();
  return true;
}

bool Machine::pause_queue(uint32_t id, bool paused) {
  std::lock_guard lock(queues_mutex_);
  const auto at = queues_.find(id);
  if (at == queues_.end()) return false;
  at->second->set_paused(paused);
  return true;
}

void Machine::release_memory(const Device& device, uint64_t gpu, uint64_t size) {
  std::vector<std::unique_ptr<Queue>> orphans;
  {
    std::lock_guard lock(queues_mutex_);
    for (auto at = queues_.begin(); at != queues_.end();) {
      const auto here = at++;
      if (here->second->uses(device, gpu, size)) orphans.push_back(take_queue(here));
    }
  }
  for (const std::unique_ptr<Queue>& queue : orphans)
    queue->stop();
}

void Machine::kick_queue(uint32_t id) {
  std::lock_guard lock(queues_mutex_);
  const auto at = queues_.find(id);
  if (at != queues_.end()) at->second->kick();
}

void Machine::kick_queues() {
  note_activity();
  std::lock_guard lock(queues_mutex_);
  for (auto& [id, queue] : queues_)
    if (queue->needs_kick()) queue->kick();
}

void Machine::note_activity() {
  last_activity_.store(clock_ns(CLOCK_MONOTONIC_COARSE), std::memory_order_relaxed);
  if (!dozing_.load()) return;
  dozing_.store(0);
  syscall(SYS_futex, &dozing_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

void Machine::start_monitor() {
  if (monitor_started_) return;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread thread([this] { monitor(); });
    pthread_setname_np(thread.native_handle(), "vgpu-monitor");
    thread.detach();
    monitor_started_ = true;
  } catch (const std::system_error&) {
    PTXSHIM_LOG_LINE(vgpu, warn, "no thread for the doorbell monitor; submissions may be noticed late");
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Machine::monitor() {
  for (;;) {
    queue_count_.wait(0, std::memory_order_acquire);
    {
      std::lock_guard lock(queues_mutex_);
      for (auto& [id, queue] : queues_)
        if (queue->needs_kick()) queue->kick();
    }
    for (const std::unique_ptr<Device>& device : devices_)
      device->end_what_a_fault_left_waiting();
    const uint64_t quiet = clock_ns(CLOCK_MONOTONIC_COARSE) - last_activity_.load(std::memory_order_relaxed);
    if (quiet < 500'000'000) {
      std::this_thread::sleep_for(std::chrono::microseconds(quiet < 20'000'000 ? 50 : 500));
      continue;
    }
    constexpr timespec kDoze{0, 20'000'000};
    dozing_.store(1);
    syscall(SYS_futex, &dozing_, FUTEX_WAIT_PRIVATE, 1, &kDoze, nullptr, 0);
    dozing_.store(0);
  }
}

void Machine::announce_completion() {
  completions_.fetch_add(1);
  if (sleepers_.load() > 0)
    syscall(SYS_futex, &completions_, FUTEX_WAKE_PRIVATE, INT32_MAX, nullptr, nullptr, 0);
}

void Machine::wait_step(uint32_t round, uint32_t seen) {
  constexpr uint32_t kSpins = 300, kYields = 20;
  if (round < kSpins) return _mm_pause();
  if (round < kSpins + kYields) {
    sched_yield();
    return;
  }
  constexpr timespec kLongest{0, 500'000};
  sleepers_.fetch_add(1);
  syscall(SYS_futex, &completions_, FUTEX_WAIT_PRIVATE, seen, &kLongest, nullptr, 0);
  sleepers_.fetch_sub(1);
}

void Machine::lock_for_fork() {
  queues_mutex_.lock();
  events_.mutex().lock();
  backing_.mutex().lock();
  for (const std::unique_ptr<Device>& device : devices_)
    device->lock_for_fork();
}

void Machine::unlock_after_fork() {
  for (const std::unique_ptr<Device>& device : devices_)
    device->unlock_after_fork();
  backing_.mutex().unlock();
  events_.mutex().unlock();
  queues_mutex_.unlock();
}

// The child has no device: ROCm (like CUDA) does not support going on after fork(). What remains must not
// hang or crash it: queues are forgotten with their threads, and nothing is mapped any more. Locks are made
// anew, not released: they may count waiters that are not there.
void Machine::reset_in_child() {
  for (auto& [id, queue] : queues_) {
    queue->abandon();
    static_cast<void>(queue.release());
  }
  queues_.clear();
  queue_count_.store(0);
  monitor_started_ = false;
  std::construct_at(&backing_.mutex());
  std::construct_at(&events_.mutex());
  std::construct_at(&queues_mutex_);
  events_.reset_after_fork();
  for (const std::unique_ptr<Device>& device : devices_)
    device->reset_in_child();
}

} // namespace ptxshim::vgpu
