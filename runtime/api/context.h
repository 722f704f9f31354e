// SPDX-License-Identifier: MIT
// Devices, contexts, and what bodies ask of the current one.
#pragma once

#include "harness.h"
#include "ptxshim/image.h"

namespace ptxshim::api {

// The compute capability that every device reports: 8.6. It decides which PTX of a program is used (the newest not above it) and which
// of its code paths. Up to 8.6 these are wmma/mma.sync, cp.async, bf16 and tf32, which all have a counterpart here; 8.9 adds fp8 matrix
// products, which most AMD GPUs lack, and 9.0 adds clusters, TMA and wgmma, which no AMD GPU has.
inline constexpr int kComputeMajor = 8;
inline constexpr int kComputeMinor = 6;
static_assert(kComputeMajor * 10 + kComputeMinor == kComputeCapability); // what cache warming chooses PTX for

struct Devices {
  int count = 0;
  Device of[kMaxDevices];
};
extern constinit Devices* devices; // set by cuInit

Result<void> find_devices();
// Null when there is no such device.
inline Device* find_device(CUdevice ordinal) noexcept {
  return ordinal >= 0 && ordinal < devices->count ? &devices->of[ordinal] : nullptr;
}
CUresult device_attribute(int& value, int attribute, const Device& device);

// Makes a context current on this thread (null: none), the device of HIP included.
CUresult make_current(Context* context);
inline Context* current() noexcept { return thread.current; }
inline Device& current_device() noexcept { return *thread.current->device; }

Context* create_context(Device& device, unsigned flags, bool primary);
// Destroys what belongs to a context: streams, events, modules, libraries' modules, memory, local values.
void empty_context(Context& context);

// A HIP result as CUresult. The first is for calls that only enqueue. The second is for calls that wait: a kernel may have faulted
// meanwhile, which then sticks to the current context.
inline CUresult result_of(hip::Error error) noexcept { return hip::to_cuda(error); }
CUresult waited(hip::Error error) noexcept;

// The stream of an argument: a handle of ours, or one of the three default streams (0, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD).
struct StreamArgument {
  hip::Stream hip = nullptr;
  Stream* object = nullptr; // null for a default stream
  bool valid = false;
};
inline StreamArgument resolve(CUstream handle) noexcept {
  const uintptr_t value = reinterpret_cast<uintptr_t>(handle);
  if (value <= 2) {
    const bool per_thread = value == 2 || (value == 0 && thread.per_thread_default);
    return {per_thread ? hip::stream_per_thread() : nullptr, nullptr, true};
  }
  Stream* const stream = streams.find(handle);
  if (!stream) return {};
  return {stream->hip, stream, true};
}
// The stream of the functions without a stream parameter.
inline hip::Stream synchronous_stream() noexcept {
  return thread.per_thread_default ? hip::stream_per_thread() : nullptr;
}

uint64_t next_id() noexcept;

} // namespace ptxshim::api
