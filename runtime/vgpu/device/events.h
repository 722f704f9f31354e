// SPDX-License-Identifier: MIT
// KFD events: what a thread of the ROCm runtime sleeps on until a signal, an exception or a page fault
// arrives.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace ptxshim::vgpu {

struct PageFaultRecord {
  uint32_t device = 0;
  uint64_t address = 0;
  bool not_present = false;
  bool read_only = false;
};

enum class WaitResult : uint8_t { Complete, Timeout, Fail };

class Events {
public:
  static constexpr uint32_t kLimit = 4096; // slots of the event page
  static constexpr uint32_t kSignalType = 0, kMemoryType = 8;
  static constexpr uint32_t kForever = 0xffffffff;

  struct Created {
    uint32_t id;
    uint32_t slot;
  };
  std::optional<Created> create(uint32_t type, bool auto_reset);
  bool destroy(uint32_t id);
  bool set(uint32_t id);
  bool reset(uint32_t id);
  // Every event of the memory type, with what its waiters are told.
  void raise_page_fault(const PageFaultRecord& record);

  // One per event that is waited for. In: id, and age where the caller keeps one (else 0). Out: age, and for
  // a memory event its record.
  struct Wanted {
    uint32_t id = 0;
    uint64_t age = 0;
    std::optional<PageFaultRecord> fault;
  };
  WaitResult wait(std::span<Wanted> wanted, bool all, uint32_t timeout_ms);

  std::mutex& mutex() { return mutex_; }
  // In a forked child: nobody waits any more.
  void reset_after_fork();

private:
  struct Waiter {
    std::condition_variable wake;
  };
  struct Event {
    uint32_t type = 0;
    bool auto_reset = false;
    bool signalled = false;
    uint64_t age = 1;
    std::optional<PageFaultRecord> fault;
    std::vector<Waiter*> waiters;
  };

  static void signal(Event& event);
  bool satisfied(std::span<Wanted> wanted, bool all) const;
  void collect(std::span<Wanted> wanted);
  bool enlist(std::span<Wanted> wanted, Waiter& waiter);
  void delist(std::span<Wanted> wanted, Waiter& waiter);

  std::mutex mutex_;
  std::map<uint32_t, Event> events_; // by id; id - 1 is the slot
  uint32_t next_ = 1;
};

} // namespace ptxshim::vgpu
