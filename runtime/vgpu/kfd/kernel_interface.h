// SPDX-License-Identifier: MIT
// /dev/kfd and /dev/dri/renderD*, answered in the process: the one interface that is stable over ROCm versions.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "machine.h"

struct kfd_ioctl_alloc_memory_of_gpu_args;

namespace ptxshim::vgpu {

class KernelInterface {
public:
  explicit KernelInterface(Machine& machine) : machine_(machine) {}

  // A new descriptor, or -1 with errno. Descriptors are real ones, of the memory file, because they are mapped.
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
    uint32_t device = 0; // that it was asked of
    uint64_t gpu = 0;
    uint64_t size = 0;
    uint64_t offset = 0; // in the memory file
    std::byte* host = nullptr;
    bool writable = true;
    uint32_t mapped = 0; // a bit for each device
    Backing::Area area() const { return kind == Kind::Vram ? Backing::vram_of(device) : Backing::kSystem; }
  };
  static constexpr uint32_t kDoorbells = 1024;
  struct Doorbells {
    uint64_t page = 0;              // where the thunk mapped it
    uint32_t queues[kDoorbells] = {}; // slot -> queue id
  };

  // Null: there is no such device.
  Device* device_of(uint32_t gpu_id) const;
  std::optional<Allocation> back(const kfd_ioctl_alloc_memory_of_gpu_args& arguments, Device& device) const;
  // The bits of the devices in an array of the caller's; nothing if one is not there.
  std::optional<uint32_t> devices_of(uint64_t ids_address, uint32_t count) const;
  void unmap(const Allocation& allocation, uint32_t devices);

  Machine& machine_;
  mutable std::mutex mutex_;
  std::map<uint64_t, Allocation> allocations_; // by handle
  uint64_t next_handle_ = 1;
  std::vector<Doorbells> doorbells_; // of each device, once it has been used
};

} // namespace ptxshim::vgpu
