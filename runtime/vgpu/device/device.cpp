// SPDX-License-Identifier: MIT
#include "device.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <immintrin.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>

#include "aql_queue.h"
#include "clock.h"
#include "ptxshim/log.h"
#include "sdma_queue.h"

namespace ptxshim::vgpu {

int Device::open(const Settings& settings, MakeExecutor make) {
  settings_ = settings;
  if (const int error = backing_.open(settings.vram_bytes, settings.gtt_bytes)) return error;
  DeviceProperties properties;
  properties.gfx = settings.gfx->name;
  properties.compute_units = settings.compute_units;
  properties.host_threads = settings.host_threads;
  executor_ = make(properties, map_);
  return executor_ ? 0 : ENODEV;
}

std::optional<uint32_t> Device::create_queue(QueueKind kind, QueueParameters parameters) {
  std::lock_guard lock(queues_mutex_);
  while (next_queue_ == 0 || queues_.contains(next_queue_))
    ++next_queue_;
  parameters.id = next_queue_;
  std::unique_ptr<Queue> queue;
  if (kind == QueueKind::Compute)
    queue = std::make_unique<AqlQueue>(*this, parameters);
  else
    queue = std::make_unique<SdmaQueue>(*this, parameters);
  if (!queue->attach() || !queue->start()) return std::nullopt;
  queues_.emplace(next_queue_++, std::move(queue));
  queue_count_.store(static_cast<uint32_t>(queues_.size()), std::memory_order_release);
  queue_count_.notify_all();
  start_monitor();
  return parameters.id;
}

bool Device::destroy_queue(uint32_t id) {
  std::unique_ptr<Queue> queue;
  {
    std::lock_guard lock(queues_mutex_);
    const auto at = queues_.find(id);
    if (at == queues_.end()) return false;
    queue = std::move(at->second);
    queues_.erase(at);
    queue_count_.store(static_cast<uint32_t>(queues_.size()), std::memory_order_release);
  }
  queue->stop();
  return true;
}

bool Device::pause_queue(uint32_t id, bool paused) {
  std::lock_guard lock(queues_mutex_);
  const auto at = queues_.find(id);
  if (at == queues_.end()) return false;
  at->second->set_paused(paused);
  return true;
}

void Device::release_memory(uint64_t gpu, uint64_t size) {
  std::map<uint32_t, std::unique_ptr<Queue>> orphans;
  {
    std::lock_guard lock(queues_mutex_);
    for (auto at = queues_.begin(); at != queues_.end();) {
      if (!at->second->uses(gpu, size)) {
        ++at;
        continue;
      }
      orphans.insert(queues_.extract(at++));
    }
    queue_count_.store(static_cast<uint32_t>(queues_.size()), std::memory_order_release);
  }
  for (auto& [id, queue] : orphans)
    queue->stop();
}

void Device::kick_queue(uint32_t id) {
  std::lock_guard lock(queues_mutex_);
  const auto at = queues_.find(id);
  if (at != queues_.end()) at->second->kick();
}

void Device::kick_queues() {
  note_activity();
  std::lock_guard lock(queues_mutex_);
  for (auto& [id, queue] : queues_)
    if (queue->needs_kick()) queue->kick();
}

void Device::note_activity() {
  last_activity_.store(clock_ns(CLOCK_MONOTONIC_COARSE), std::memory_order_relaxed);
  if (!dozing_.load()) return;
  dozing_.store(0);
  syscall(SYS_futex, &dozing_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

void Device::start_monitor() {
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

void Device::monitor() {
  for (;;) {
    queue_count_.wait(0, std::memory_order_acquire);
    {
      std::lock_guard lock(queues_mutex_);
      for (auto& [id, queue] : queues_)
        if (queue->needs_kick()) queue->kick();
    }
    // A kernel that began just as another one faulted may wait for ever for what that would have written.
    if (faulted() && !raw_exceptions() && executing_.load() > 0) executor_->interrupt();
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

DispatchOutcome Device::execute(const DispatchPacket& packet) {
  executing_.fetch_add(1);
  DispatchOutcome outcome = executor_->execute(packet);
  executing_.fetch_sub(1);
  return outcome;
}

void Device::announce_completion() {
  completions_.fetch_add(1);
  if (sleepers_.load() > 0)
    syscall(SYS_futex, &completions_, FUTEX_WAKE_PRIVATE, INT32_MAX, nullptr, nullptr, 0);
}

void Device::wait_step(uint32_t round, uint32_t seen) {
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

void Device::notify_signal(uint64_t mailbox, uint32_t event_id) {
  if (mailbox == 0 || event_id == 0) return;
  if (uint64_t* slot = map_.object<uint64_t>(mailbox))
    std::atomic_ref(*slot).store(event_id, std::memory_order_release);
  events_.set(event_id);
}

// The mailbox and the event are read first: once the value is down, a waiter may free the signal.
void Device::complete(uint64_t handle, uint64_t begin, uint64_t end) {
  AmdSignal* signal = map_.object<AmdSignal>(handle);
  if (!signal) {
    DispatchOutcome outcome;
    outcome.fault = Fault::PageFault;
    outcome.address = handle;
    outcome.report = "a completion signal that is not mapped";
    return record_fault(outcome);
  }
  signal->start_ts = begin;
  signal->end_ts = end;
  const uint64_t mailbox = signal->event_mailbox;
  const uint32_t event_id = signal->event_id;
  std::atomic_ref(signal->value).fetch_sub(1, std::memory_order_acq_rel);
  announce_completion();
  notify_signal(mailbox, event_id);
}

void Device::store_signal(uint64_t handle, int64_t value) {
  AmdSignal* signal = map_.object<AmdSignal>(handle);
  if (!signal) return;
  const uint64_t mailbox = signal->event_mailbox;
  const uint32_t event_id = signal->event_id;
  std::atomic_ref(signal->value).store(value, std::memory_order_release);
  notify_signal(mailbox, event_id);
}

void Device::record_fault(const DispatchOutcome& outcome) {
  {
    std::lock_guard lock(fault_mutex_);
    if (!faulted_.load(std::memory_order_relaxed)) fault_.outcome = outcome;
    ++fault_.count;
    faulted_.store(true, std::memory_order_release);
  }
  PTXSHIM_LOG_LINE(vgpu, error, "%s", outcome.report.c_str());
}

Device::FaultRecord Device::fault() const {
  std::lock_guard lock(fault_mutex_);
  return fault_;
}

void Device::clear_fault() {
  std::lock_guard lock(fault_mutex_);
  fault_.outcome = {};
  faulted_.store(false, std::memory_order_release);
}

void Device::lock_for_fork() {
  queues_mutex_.lock();
  events_.mutex().lock();
  map_.mutex().lock();
  backing_.mutex().lock();
  fault_mutex_.lock();
}

void Device::unlock_after_fork() {
  fault_mutex_.unlock();
  backing_.mutex().unlock();
  map_.mutex().unlock();
  events_.mutex().unlock();
  queues_mutex_.unlock();
}

// The child has no device: ROCm (like CUDA) does not support going on after fork(). What remains must not
// hang or crash it: queues are forgotten with their threads, and nothing is mapped any more. Locks are made
// anew, not released: they may count waiters that are not there.
void Device::reset_in_child() {
  for (auto& [id, queue] : queues_) {
    queue->abandon();
    static_cast<void>(queue.release());
  }
  queues_.clear();
  queue_count_.store(0);
  monitor_started_ = false;
  std::construct_at(&fault_mutex_);
  std::construct_at(&backing_.mutex());
  std::construct_at(&map_.mutex());
  std::construct_at(&events_.mutex());
  std::construct_at(&queues_mutex_);
  events_.reset_after_fork();
  map_.clear();
  executor_->after_fork_in_child();
}

} // namespace ptxshim::vgpu
