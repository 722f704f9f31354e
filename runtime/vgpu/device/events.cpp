// SPDX-License-Identifier: MIT
// The age: a waiter of newer thunks says which setting of the event it has seen; if there was another one
// since, the wait returns at once, and no wake-up is lost between two waits of an auto-reset event.
#include "events.h"

#include <algorithm>
#include <chrono>

namespace ptxshim::vgpu {

std::optional<Events::Created> Events::create(uint32_t type, bool auto_reset) {
  std::lock_guard lock(mutex_);
  if (events_.size() >= kLimit) return std::nullopt;
  while (events_.contains(next_))
    next_ = next_ % kLimit + 1;
  const uint32_t id = next_;
  next_ = next_ % kLimit + 1;
  Event& event = events_[id];
  event.type = type;
  event.auto_reset = auto_reset;
  return Created{id, id - 1};
}

bool Events::destroy(uint32_t id) {
  std::lock_guard lock(mutex_);
  const auto at = events_.find(id);
  if (at == events_.end()) return false;
  for (Waiter* waiter : at->second.waiters)
    waiter->wake.notify_all();
  events_.erase(at);
  return true;
}

void Events::signal(Event& event) {
  event.signalled = true;
  ++event.age;
  for (Waiter* waiter : event.waiters)
    waiter->wake.notify_all();
}

bool Events::set(uint32_t id) {
  std::lock_guard lock(mutex_);
  const auto at = events_.find(id);
  if (at == events_.end()) return false;
  signal(at->second);
  return true;
}

bool Events::reset(uint32_t id) {
  std::lock_guard lock(mutex_);
  const auto at = events_.find(id);
  if (at == events_.end()) return false;
  at->second.signalled = false;
  return true;
}

void Events::raise_page_fault(const PageFaultRecord& record) {
  std::lock_guard lock(mutex_);
  for (auto& [id, event] : events_) {
    if (event.type != kMemoryType) continue;
    event.fault = record;
    signal(event);
  }
}

bool Events::enlist(std::span<Wanted> wanted, Waiter& waiter) {
  for (const Wanted& want : wanted)
    if (!events_.contains(want.id)) return false;
  for (const Wanted& want : wanted)
    events_[want.id].waiters.push_back(&waiter);
  return true;
}

void Events::delist(std::span<Wanted> wanted, Waiter& waiter) {
  for (const Wanted& want : wanted) {
    const auto at = events_.find(want.id);
    if (at != events_.end()) std::erase(at->second.waiters, &waiter);
  }
}

// An event that was destroyed meanwhile counts: its waiter must come back.
bool Events::satisfied(std::span<Wanted> wanted, bool all) const {
  const auto is_set = [this](const Wanted& want) {
    const auto at = events_.find(want.id);
    return at == events_.end() || at->second.signalled || (want.age && at->second.age != want.age);
  };
  return all ? std::all_of(wanted.begin(), wanted.end(), is_set)
             : std::any_of(wanted.begin(), wanted.end(), is_set);
}

void Events::collect(std::span<Wanted> wanted) {
  for (Wanted& want : wanted) {
    const auto at = events_.find(want.id);
    if (at == events_.end()) continue;
    Event& event = at->second;
    if (event.signalled && event.type == kMemoryType) want.fault = event.fault;
    if (want.age) want.age = event.age;
    if (event.signalled && event.auto_reset) event.signalled = false;
  }
}

WaitResult Events::wait(std::span<Wanted> wanted, bool all, uint32_t timeout_ms) {
  std::unique_lock lock(mutex_);
  Waiter waiter;
  if (!enlist(wanted, waiter)) return WaitResult::Fail;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
  const auto done = [&] { return satisfied(wanted, all); };
  bool complete = true;
  if (timeout_ms == kForever)
    waiter.wake.wait(lock, done);
  else
    complete = waiter.wake.wait_until(lock, deadline, done);
  delist(wanted, waiter);
  if (!complete) return WaitResult::Timeout;
  collect(wanted);
  return WaitResult::Complete;
}

void Events::reset_after_fork() {
  for (auto& [id, event] : events_)
    event.waiters.clear();
  events_.clear();
}

} // namespace ptxshim::vgpu
