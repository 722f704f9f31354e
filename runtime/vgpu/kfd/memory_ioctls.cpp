// SPDX-License-Identifier: MIT
// Memory: ALLOC gives a handle and an offset to map, MAP makes the range visible to the kernels of the devices
// that it names: the memory of one device is another one's only where peer access was asked for. User memory
// (registered, or the thunk's own paged allocations) stays where it is; its GPU address is the thunk's
// choice.
#include <cerrno>
#include <linux/kfd_ioctl.h>
#include <sys/mman.h>

#include "kernel_interface.h"
#include "memory_guard.h"
#include "topology.h"

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#define MADV_POPULATE_WRITE 23
#endif

namespace ptxshim::vgpu {

namespace {

enum class UserMemory : uint8_t { Absent, ReadOnly, Writable };

// Kernels before 5.14 do not know the question.
bool can_probe() {
  static const bool kCan = [] {
    void* page = mmap(nullptr, Backing::kPage, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return false;
    const bool known = madvise(page, Backing::kPage, MADV_POPULATE_READ) == 0;
    munmap(page, Backing::kPage);
    return known;
  }();
  return kCan;
}

// What pinning would find; where that cannot be asked, it is taken as it comes.
UserMemory probe_user_memory(void* address, uint64_t size) {
  if (!can_probe() || madvise(address, size, MADV_POPULATE_WRITE) == 0) return UserMemory::Writable;
  return madvise(address, size, MADV_POPULATE_READ) == 0 ? UserMemory::ReadOnly : UserMemory::Absent;
}

} // namespace

std::optional<KernelInterface::Allocation>
KernelInterface::back(const kfd_ioctl_alloc_memory_of_gpu_args& in, Device& device) const {
  Allocation made;
  made.device = device.index();
  made.gpu = in.va_addr;
  made.size = in.size;
  if (in.flags & (KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL | KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP)) {
    const bool doorbell = in.flags & KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL;
    made.kind = Allocation::Kind::Page;
    made.offset = machine_.backing().reserved_offset(device.index()) + (doorbell ? 0 : Backing::kReserved / 2);
    if (made.size > Backing::kReserved / 2) return std::nullopt;
    made.host = machine_.backing().host(made.offset);
    return made;
  }
  if (in.flags & KFD_IOC_ALLOC_MEM_FLAGS_USERPTR) {
    made.kind = Allocation::Kind::User;
    made.host = reinterpret_cast<std::byte*>(in.mmap_offset);
    if (!made.host || in.mmap_offset % Backing::kPage) return std::nullopt;
    if (in.mmap_offset == in.va_addr) return made; // the thunk's own, just mapped
    const UserMemory found = probe_user_memory(made.host, made.size);
    if (found == UserMemory::Absent) return std::nullopt;
    made.writable = found == UserMemory::Writable;
    install_memory_guard();
    return made;
  }
  const bool vram = in.flags & KFD_IOC_ALLOC_MEM_FLAGS_VRAM;
  made.kind = vram ? Allocation::Kind::Vram : Allocation::Kind::Gtt;
  const std::optional<uint64_t> offset = machine_.backing().allocate(made.area(), made.size);
  if (!offset) return std::nullopt;
  made.offset = *offset;
  made.host = machine_.backing().host(*offset);
  return made;
}

int KernelInterface::alloc_memory(void* argument) {
  kfd_ioctl_alloc_memory_of_gpu_args* io = static_cast<kfd_ioctl_alloc_memory_of_gpu_args*>(argument);
  Device* device = device_of(io->gpu_id);
  if (!device || io->size == 0 || io->va_addr % Backing::kPage ||
      io->va_addr + io->size < io->va_addr)
    return EINVAL;
  const std::optional<Allocation> made = back(*io, *device);
  if (!made) return io->flags & KFD_IOC_ALLOC_MEM_FLAGS_USERPTR ? EFAULT : ENOMEM;
  std::lock_guard lock(mutex_);
  const uint64_t handle = uint64_t{io->gpu_id} << 32 | next_handle_++;
  allocations_.emplace(handle, *made);
  if (io->flags & KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL) {
    if (doorbells_.empty()) doorbells_.resize(machine_.devices().size());
    doorbells_[device->index()].page = io->va_addr;
  }
  io->handle = handle;
  if (made->kind != Allocation::Kind::User) io->mmap_offset = made->offset;
  return 0;
}

int KernelInterface::free_memory(void* argument) {
  Allocation gone;
  {
    std::lock_guard lock(mutex_);
    const auto at = allocations_.find(static_cast<kfd_ioctl_free_memory_of_gpu_args*>(argument)->handle);
    if (at == allocations_.end()) return EINVAL;
    gone = at->second;
    allocations_.erase(at);
    for (Doorbells& doorbells : doorbells_)
      if (gone.kind == Allocation::Kind::Page && gone.gpu == doorbells.page) doorbells.page = 0;
  }
  unmap(gone, gone.mapped);
  if (gone.kind == Allocation::Kind::Vram || gone.kind == Allocation::Kind::Gtt)
    machine_.backing().free(gone.area(), gone.offset, gone.size);
  return 0;
}

std::optional<uint32_t> KernelInterface::devices_of(uint64_t ids_address, uint32_t count) const {
  const uint32_t* ids = reinterpret_cast<const uint32_t*>(ids_address);
  if (!ids || count == 0 || count > machine_.devices().size()) return std::nullopt;
  uint32_t bits = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const Device* device = device_of(ids[i]);
    if (!device) return std::nullopt;
    bits |= 1u << device->index();
  }
  return bits;
}

int KernelInterface::map_memory(void* argument) {
  kfd_ioctl_map_memory_to_gpu_args* io = static_cast<kfd_ioctl_map_memory_to_gpu_args*>(argument);
  const std::optional<uint32_t> wanted = devices_of(io->device_ids_array_ptr, io->n_devices);
  if (!wanted) return EINVAL;
  std::lock_guard lock(mutex_);
  const auto at = allocations_.find(io->handle);
  if (at == allocations_.end()) return EINVAL;
  Allocation& allocation = at->second;
  for (const std::unique_ptr<Device>& device : machine_.devices()) {
    const uint32_t bit = 1u << device->index();
    if (!(*wanted & bit & ~allocation.mapped)) continue;
    if (!device->map().insert({allocation.gpu, allocation.size, allocation.host, allocation.writable}))
      return EINVAL;
    allocation.mapped |= bit;
  }
  io->n_success = io->n_devices;
  return 0;
}

void KernelInterface::unmap(const Allocation& allocation, uint32_t devices) {
  for (const std::unique_ptr<Device>& device : machine_.devices()) {
    if (!(devices >> device->index() & 1u)) continue;
    machine_.release_memory(*device, allocation.gpu, allocation.size);
    device->map().remove(allocation.gpu, allocation.size);
  }
}

int KernelInterface::unmap_memory(void* argument) {
  kfd_ioctl_unmap_memory_from_gpu_args* io = static_cast<kfd_ioctl_unmap_memory_from_gpu_args*>(argument);
  const std::optional<uint32_t> wanted = devices_of(io->device_ids_array_ptr, io->n_devices);
  if (!wanted) return EINVAL;
  Allocation allocation;
  {
    std::lock_guard lock(mutex_);
    const auto at = allocations_.find(io->handle);
    if (at == allocations_.end()) return EINVAL;
    allocation = at->second;
    at->second.mapped &= ~*wanted;
  }
  unmap(allocation, allocation.mapped & *wanted);
  io->n_success = io->n_devices;
  return 0;
}

void KernelInterface::reset_in_child() {
  allocations_.clear();
  doorbells_.clear();
}

} // namespace ptxshim::vgpu
