// SPDX-License-Identifier: MIT
// What is known about memory: every allocation, registration and module variable with its range. Copies and fills are checked against it, since HIP
// takes a device pointer that it does not know for a host pointer, and would crash the application instead of refusing.
#pragma once

#include <optional>

#include "harness.h"

namespace ptxshim::api {

enum class MemoryKind : uint8_t { Device, Managed, Host, Registered, Variable };

struct Allocation {
  MemoryKind kind = MemoryKind::Device;
  uintptr_t address = 0;  // as kernels see it
  size_t bytes = 0;
  uintptr_t host = 0;     // as the host sees it; 0: not at all
  unsigned flags = 0;     // of cuMemHostAlloc and cuMemHostRegister
  Context* context = nullptr;
  Pool* pool = nullptr;   // stream-ordered allocations
  Module* module = nullptr; // variables
  uint64_t id = 0;
};

void remember(const Allocation& allocation);
// Removes and returns the allocation that starts at an address and is of one of the kinds for which accept() is true.
std::optional<Allocation> forget(uintptr_t address, bool (*accept)(const Allocation&));
void forget_variables(const Module& module);
// The allocation that an address is in: by its device or its host range.
std::optional<Allocation> find_allocation(uintptr_t address);
// True when [address, address + bytes) lies in memory that kernels can access.
bool is_device_range(uintptr_t address, size_t bytes);
// True when the range does not wrap around and a program may have memory there at all: nothing is ever mapped in the first page, and the
// upper half of the addresses is the kernel's.
inline bool is_program_range(uintptr_t address, size_t bytes) noexcept {
  constexpr uintptr_t kBegin = 4096, kEnd = UINTPTR_MAX / 2;
  return address >= kBegin && bytes <= kEnd && address <= kEnd - bytes;
}
// What can be known of an address that may be the host's or a device's: it is possible, and what is ours there is as long as said.
inline bool is_plausible_range(uintptr_t address, size_t bytes) {
  return is_program_range(address, bytes) && (!find_allocation(address) || is_device_range(address, bytes));
}

// Frees what a context allocated.
void free_memory_of(Context& context);

inline void* pointer(CUdeviceptr address) noexcept { return reinterpret_cast<void*>(static_cast<uintptr_t>(address)); }

} // namespace ptxshim::api
