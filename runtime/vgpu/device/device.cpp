// SPDX-License-Identifier: MIT
#include "device.h"

#include <cerrno>

#include "hsa_layout.h"
#include "machine.h"
#include "ptxshim/log.h"

namespace ptxshim::vgpu {

int Device::open(const Settings& settings, MakeExecutor make) {
  settings_ = settings;
  DeviceProperties properties;
  properties.gfx = settings.gfx->name;
  properties.compute_units = settings.compute_units;
  properties.host_threads = settings.host_threads;
  executor_ = make(properties, map_);
  return executor_ ? 0 : ENODEV;
}

DispatchOutcome Device::execute(const DispatchPacket& packet) {
  executing_.fetch_add(1);
  DispatchOutcome outcome = executor_->execute(packet);
  executing_.fetch_sub(1);
  return outcome;
}

void Device::notify_signal(uint64_t mailbox, uint32_t event_id) {
  if (mailbox == 0 || event_id == 0) return;
  if (uint64_t* slot = map_.object<uint64_t>(mailbox))
    std::atomic_ref(*slot).store(event_id, std::memory_order_release);
  machine_.events().set(event_id);
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
  machine_.announce_completion();
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

// Under the lock: a kernel that begins after clear_fault() is not meant.
void Device::end_what_a_fault_left_waiting() {
  if (!faulted() || raw_exceptions() || executing_.load() == 0) return;
  std::lock_guard lock(fault_mutex_);
  if (faulted()) executor_->interrupt();
}

void Device::lock_for_fork() {
  map_.mutex().lock();
  fault_mutex_.lock();
}

void Device::unlock_after_fork() {
  fault_mutex_.unlock();
  map_.mutex().unlock();
}

void Device::reset_in_child() {
  std::construct_at(&fault_mutex_);
  std::construct_at(&map_.mutex());
  map_.clear();
  executor_->after_fork_in_child();
}

} // namespace ptxshim::vgpu
