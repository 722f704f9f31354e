// SPDX-License-Identifier: MIT
// /dev/kfd and /dev/dri/renderD128, answered in the process: the one interface that is stable over ROCm
// versions.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include "device.h"

struct kfd_ioctl_alloc_memory_of_gpu_args;

namespace ptxshim::vgpu {

class KernelInterface {
public:
  explicit KernelInterface(Device& device) : device_(device) {}

  // A new descriptor, or -1 with errno. Descriptors are real ones, of the device's memory file, because they
  // are mapped.
  int open(int flags);
  // Another number for one of ours (the DRM library keeps its own).
  bool owns(int fd) const;
  // 0, or -1 with errno. The argument has the size that is encoded in the request.
  int ioctl(unsigned long request, void* argument);
  // Wakes the queue that this doorbell belongs to.
  void doorbell_rung(uint64_t address);

  std::mutex& mutex() { return mutex_; }
  // In a forked child: what was allocated is not there any more.
  void reset_in_child();

  // One per ioctl; an errno value or 0. Public for the table of handlers.
  int get_version(void* argument);
  int create_queue(void* argument);
  int destroy_queue(void* argument);
  int update_queue(void* argument);
  int alloc_queue_gws(void* argument);
  int get_clock_counters(void* argument);
  int get_apertures(void* argument);
  int create_event(void* argument);
  int destroy_event(void* argument);
  int set_event(void* argument);
  int reset_event(void* argument);
  int wait_events(void* argument);
  int get_tile_config(void* argument);
  int alloc_memory(void* argument);
  int free_memory(void* argument);
  int map_memory(void* argument);
  int unmap_memory(void* argument);
  int available_memory(void* argument);
  int set_xnack_mode(void* argument);
  int accept(void* argument);

private:
  struct Allocation {
    enum class Kind : uint8_t { Vram, Gtt, User, Page } kind = Kind::Vram;
    uint64_t gpu = 0;
    uint64_t size = 0;
    uint64_t offset = 0; // in the memory file
    std::byte* host = nullptr;
    bool writable = true;
    bool mapped = false;
  };
  static constexpr uint32_t kDoorbells = 1024;

  std::optional<Allocation> back(const kfd_ioctl_alloc_memory_of_gpu_args& arguments) const;

  Device& device_;
  mutable std::mutex mutex_;
  std::map<uint64_t, Allocation> allocations_; // by handle
  uint64_t next_handle_ = 1;
  uint64_t doorbell_page_ = 0;          // where the thunk mapped it
  uint32_t doorbells_[kDoorbells] = {}; // slot -> queue id
};

} // namespace ptxshim::vgpu
