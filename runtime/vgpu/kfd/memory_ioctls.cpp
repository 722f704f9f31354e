// SPDX-License-Identifier: MIT
// Memory: ALLOC gives a handle and an offset to map, MAP makes the range visible to kernels. User memory
// (registered, or the thunk's own paged allocations) stays where it is; its GPU address is the thunk's
// choice.
#include <algorithm>
#include <cerrno>
#include <linux/kfd_ioctl.h>
#include <sys/mman.h>

#include "kernel_interface.h"
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
KernelInterface::back(const kfd_ioctl_alloc_memory_of_gpu_args& in) const {
  Allocation made;
  made.gpu = in.va_addr;
  made.size = in.size;
  if (in.flags & (KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL | KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP)) {
    const bool doorbell = in.flags & KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL;
    made.kind = Allocation::Kind::Page;
    made.offset = device_.backing().reserved_offset() + (doorbell ? 0 : Backing::kReserved / 2);
    if (made.size > Backing::kReserved / 2) return std::nullopt;
    made.host = device_.backing().host(made.offset);
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
    return made;
  }
  const bool vram = in.flags & KFD_IOC_ALLOC_MEM_FLAGS_VRAM;
  made.kind = vram ? Allocation::Kind::Vram : Allocation::Kind::Gtt;
  const std::optional<uint64_t> offset =
      device_.backing().allocate(vram ? Backing::Kind::Vram : Backing::Kind::Gtt, made.size);
  if (!offset) return std::nullopt;
  made.offset = *offset;
  made.host = device_.backing().host(*offset);
  return made;
}

int KernelInterface::alloc_memory(void* argument) {
  kfd_ioctl_alloc_memory_of_gpu_args* io = static_cast<kfd_ioctl_alloc_memory_of_gpu_args*>(argument);
  if (io->gpu_id != kGpuId || io->size == 0 || io->va_addr % Backing::kPage ||
      io->va_addr + io->size < io->va_addr)
    return EINVAL;
  const std::optional<Allocation> made = back(*io);
  if (!made) return io->flags & KFD_IOC_ALLOC_MEM_FLAGS_USERPTR ? EFAULT : ENOMEM;
  std::lock_guard lock(mutex_);
  const uint64_t handle = uint64_t{kGpuId} << 32 | next_handle_++;
  allocations_.emplace(handle, *made);
  if (io->flags & KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL) doorbell_page_ = io->va_addr;
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
    if (gone.kind == Allocation::Kind::Page && gone.gpu == doorbell_page_) doorbell_page_ = 0;
  }
  if (gone.mapped) {
    device_.release_memory(gone.gpu, gone.size);
    device_.map().remove(gone.gpu, gone.size);
  }
  if (gone.kind == Allocation::Kind::Vram)
    device_.backing().free(Backing::Kind::Vram, gone.offset, gone.size);
  if (gone.kind == Allocation::Kind::Gtt) device_.backing().free(Backing::Kind::Gtt, gone.offset, gone.size);
  return 0;
}

int KernelInterface::map_memory(void* argument) {
  kfd_ioctl_map_memory_to_gpu_args* io = static_cast<kfd_ioctl_map_memory_to_gpu_args*>(argument);
  std::lock_guard lock(mutex_);
  const auto at = allocations_.find(io->handle);
  if (at == allocations_.end()) return EINVAL;
  Allocation& allocation = at->second;
  if (!allocation.mapped) {
    if (!device_.map().insert({allocation.gpu, allocation.size, allocation.host, allocation.writable}))
      return EINVAL;
    allocation.mapped = true;
  }
  io->n_success = io->n_devices;
  return 0;
}

int KernelInterface::unmap_memory(void* argument) {
  kfd_ioctl_unmap_memory_from_gpu_args* io = static_cast<kfd_ioctl_unmap_memory_from_gpu_args*>(argument);
  Allocation allocation;
  {
    std::lock_guard lock(mutex_);
    const auto at = allocations_.find(io->handle);
    if (at == allocations_.end()) return EINVAL;
    allocation = at->second;
    at->second.mapped = false;
  }
  if (allocation.mapped) {
    device_.release_memory(allocation.gpu, allocation.size);
    device_.map().remove(allocation.gpu, allocation.size);
  }
  io->n_success = io->n_devices;
  return 0;
}

void KernelInterface::reset_in_child() {
  allocations_.clear();
  doorbell_page_ = 0;
  std::fill(std::begin(doorbells_), std::end(doorbells_), 0u);
}

} // namespace ptxshim::vgpu
