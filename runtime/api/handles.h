// SPDX-License-Identifier: MIT
// Handles that can be checked. An application may hand us any pointer as a CUstream; a driver answers CUDA_ERROR_INVALID_HANDLE instead of
// crashing. The objects of a kind therefore live in slots of one reserved range of addresses: a handle is the address of its slot, and
// checking it is a range check, an alignment check and one load, without a lock.
//
// Freed slots are reused late (after kQuarantine others), so that use after destruction is found too. The range is reserved on first
// use, takes address space only, and is never given back.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <new>
#include <sys/mman.h>
#include <utility>

namespace ptxshim::api {

template <class Object, class Handle, size_t kCapacity> class HandleTable {
public:
  constexpr HandleTable() = default;
  HandleTable(const HandleTable&) = delete;
  HandleTable& operator=(const HandleTable&) = delete;

  // Null when the handle is not, or no longer, an object of this kind.
  Object* find(Handle handle) const noexcept {
    const uintptr_t base = base_.load(std::memory_order_acquire);
    const uintptr_t distance = reinterpret_cast<uintptr_t>(handle) - base;
    if (distance >= kCapacity * sizeof(Slot) || base == 0 || distance % sizeof(Slot) != 0) return nullptr;
    Slot* const slot = reinterpret_cast<Slot*>(base + distance);
    return slot->live.load(std::memory_order_acquire) ? slot->object() : nullptr;
  }

  // Null when there is no room.
  template <class... Arguments> Object* create(Arguments&&... arguments) {
    Slot* const slot = take();
    if (!slot) return nullptr;
    Object* object = nullptr;
    try {
      object = new (slot->storage) Object(std::forward<Arguments>(arguments)...);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      freed_->push_back(slot);
      throw;
    }
    slot->live.store(true, std::memory_order_release);
    return object;
  }

  // False when another thread was quicker.
  bool destroy(Object* object) {
    Slot* const slot = reinterpret_cast<Slot*>(object);
    if (!slot->live.exchange(false, std::memory_order_acq_rel)) return false;
    object->~Object();
    const std::lock_guard lock(mutex_);
    freed_->push_back(slot);
    return true;
  }

  static Handle handle(Object* object) noexcept { return reinterpret_cast<Handle>(object); }

  // Calls visit(object) for every live one; visit may destroy it.
  template <class Visitor> void for_each(Visitor&& visit) {
    const uintptr_t base = base_.load(std::memory_order_acquire);
    const size_t count = used_.load(std::memory_order_acquire);
    for (size_t i = 0; i < count; ++i) {
      Slot* const slot = reinterpret_cast<Slot*>(base) + i;
      if (slot->live.load(std::memory_order_acquire)) visit(*slot->object());
    }
  }

private:
  static constexpr size_t kQuarantine = 256;
  struct Slot {
    alignas(16) std::byte storage[sizeof(Object)];
    std::atomic<bool> live;
    Object* object() noexcept { return std::launder(reinterpret_cast<Object*>(storage)); }
  };
  static_assert(alignof(Object) <= 16);

  Slot* take() {
    const std::lock_guard lock(mutex_);
    if (!reserve()) return nullptr;
    const size_t used = used_.load(std::memory_order_relaxed);
    if (freed_->size() > kQuarantine || (used == kCapacity && !freed_->empty())) {
      Slot* const slot = freed_->front();
      freed_->pop_front();
      return slot;
    }
    if (used == kCapacity) return nullptr;
    used_.store(used + 1, std::memory_order_release);
    return reinterpret_cast<Slot*>(base_.load(std::memory_order_relaxed)) + used;
  }

  bool reserve() {
    if (base_.load(std::memory_order_relaxed) != 0) return true;
    void* const range = mmap(nullptr, kCapacity * sizeof(Slot), PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED) return false;
    freed_ = new std::deque<Slot*>; // never destroyed: calls may come from other libraries' destructors
    base_.store(reinterpret_cast<uintptr_t>(range), std::memory_order_release);
    return true;
  }

  std::atomic<uintptr_t> base_{0};
  std::atomic<size_t> used_{0};
  std::mutex mutex_;
  std::deque<Slot*>* freed_ = nullptr;
};

} // namespace ptxshim::api
