// SPDX-License-Identifier: MIT
// Memory that the program registered and then gave back to the system behind our back: no map knows that it is gone, and a
// kernel's access to it raises SIGSEGV or SIGBUS in this process. From the first registration on, these signals end the
// kernel with a fault instead of the process, while a thread executes waves or copies; all others go to the handler that was
// there.
//
// Limits: a program that sets its own handler later gets the signal, as it would without us; memory that the system has
// given out again in the meantime is simply accessed (real hardware pins the old pages).
#pragma once

#include <atomic>
#include <csetjmp>
#include <cstddef>
#include <cstdint>

namespace ptxshim::vgpu {

// Called when memory of the program becomes visible to kernels. Once does it.
void install_memory_guard();

class MemoryGuard {
public:
  static bool installed() { return installed_.load(std::memory_order_relaxed); }

  // This thread's accesses that fail jump to where sigsetjmp(guard.jump, 0) was called.
  MemoryGuard();
  ~MemoryGuard();
  MemoryGuard(const MemoryGuard&) = delete;
  MemoryGuard& operator=(const MemoryGuard&) = delete;
  sigjmp_buf jump;
  uintptr_t address = 0; // that could not be accessed

  // While locks are held there is no jumping over their owners.
  class Pause {
  public:
    Pause();
    ~Pause();
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

  private:
    MemoryGuard* const active_;
  };

private:
  friend void install_memory_guard();
  static std::atomic<bool> installed_;
};

// Null when the access went well, else the address that it could not reach.
template <class Access> const std::byte* unreachable(Access access) {
  if (!MemoryGuard::installed()) {
    access();
    return nullptr;
  }
  MemoryGuard guard;
  if (sigsetjmp(guard.jump, 0)) return reinterpret_cast<const std::byte*>(guard.address);
  access();
  return nullptr;
}

} // namespace ptxshim::vgpu
