// SPDX-License-Identifier: MIT
// The boundary inside the virtual GPU: device/ and kfd/ own memory, queues and packets; isa/ owns everything from a kernel
// dispatch packet to its completion (descriptor, waves, registers, LDS, scratch, barriers, instruction meanings).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ptxshim::vgpu {

enum class Access : uint8_t { Read, Write, Execute };

// A contiguous piece of device-visible memory: GPU addresses [gpu, gpu + size) are host bytes at host. host is null for a
// hole: [gpu, gpu + size) then holds the queried address and is not mapped.
struct MemoryRange {
  uint64_t gpu = 0;
  uint64_t size = 0;
  std::byte* host = nullptr;
  bool writable = false;
};

// A code object as it was before it was loaded; `bias` was added to its addresses.
struct LoadedFile {
  std::vector<std::byte> bytes; // empty: nobody knows it
  uint64_t bias = 0;
};

// GPU address -> host address. Implemented by device/ (interval map), by ptxshim-run, and by tests.
class MemoryMap {
public:
  virtual ~MemoryMap() = default;
  // The range that holds the address (callers keep it as their one-entry cache until generation() changes). Thread-safe.
  virtual MemoryRange find(uint64_t gpu_address) const = 0;
  // The code object that lies at the address, for messages.
  virtual LoadedFile loaded_file(uint64_t) const { return {}; }
  // Changes whenever a range is removed or its host address changes: cached ranges are then stale. Asked before every
  // access to memory, so it is no virtual function.
  uint64_t generation() const { return generation_.load(std::memory_order_acquire); }

protected:
  void changed() { generation_.fetch_add(1, std::memory_order_acq_rel); }

private:
  alignas(64) std::atomic<uint64_t> generation_{1}; // (beside nothing that host threads write often)
};

// The 64-byte AQL kernel dispatch packet (HSA Platform System Architecture 1.2, 2.9.6), without header and completion signal.
struct DispatchPacket {
  uint16_t workgroup_size[3];
  uint32_t grid_size[3]; // in work-items
  uint32_t private_segment_size; // bytes per work-item
  uint32_t group_segment_size;   // bytes per work-group
  uint64_t kernel_object;   // GPU address of the kernel descriptor, or of an amd_kernel_code_t for ROCr's own blit kernels
  uint64_t kernarg_address; // GPU address
  uint64_t packet_address;  // GPU address of the packet itself (dispatch_ptr)
  uint64_t queue_address;   // GPU address of the amd_queue_t (queue_ptr)
  uint64_t completion_signal;
  uint64_t dispatch_id;
  const std::atomic<bool>* stop = nullptr; // becomes true: end soon with Fault::Interrupted
};

struct DeviceProperties {
  std::string gfx = "gfx1030";
  uint32_t compute_units = 8;
  uint32_t host_threads = 0;             // 0: one per core
  uint64_t lds_aperture = 0x1000000000000;     // flat addresses of LDS: base of a 4 GiB window
  uint64_t scratch_aperture = 0x2000000000000; // flat addresses of scratch: base of a 4 GiB window
};

enum class Fault : uint8_t {
  None,
  PageFault,          // an address that is not mapped, or a write to read-only memory
  IllegalInstruction, // no such opcode, or one without a meaning here
  Aperture,           // LDS or scratch out of range
  Misaligned,
  Trap,               // s_trap
  BadCodeObject,
  Interrupted,        // the queue is being destroyed, or another kernel of the device has faulted
};

// How a dispatch ended. With a fault, `report` is one readable text: kernel, pc, instruction, work group, lane, address.
struct DispatchOutcome {
  Fault fault = Fault::None;
  uint64_t address = 0;
  std::string report;
};

// Executes dispatches on host threads. One per device; execute() may be called from several queue threads at once, each
// call returns when its dispatch has completed.
class Executor {
public:
  virtual ~Executor() = default;
  virtual DispatchOutcome execute(const DispatchPacket& packet) = 0;
  // Code at any address may have changed (executable freeze, memory freed): forget decoded code.
  virtual void invalidate_code() = 0;
  // Makes running dispatches end soon with Fault::Interrupted.
  virtual void interrupt() = 0;
  // fork(): called in the child; threads of the parent are gone.
  virtual void after_fork_in_child() = 0;
};

std::unique_ptr<Executor> make_executor(const DeviceProperties& properties, const MemoryMap& memory);

} // namespace ptxshim::vgpu
