// SPDX-License-Identifier: MIT
// Allocation, registration, and the registry of ranges (memory.h).
#include "pool.h"
#include "bodies.h"
#include "context.h"

#include <shared_mutex>

namespace ptxshim::api {

namespace {

// Ranges by their start, twice for registered host memory: under its device address and under its host address.
struct Registry {
  std::shared_mutex mutex;
  std::map<uintptr_t, Allocation> ranges;
};

Registry& registry() {
  static Registry* const kRegistry = new Registry;
  return *kRegistry;
}

uintptr_t start_of(uintptr_t key, const Allocation& allocation) { return key == allocation.host ? allocation.host : allocation.address; }

std::optional<Allocation> find_locked(const Registry& all, uintptr_t address) {
  auto found = all.ranges.upper_bound(address);
  if (found == all.ranges.begin()) return std::nullopt;
  --found;
  if (address - start_of(found->first, found->second) >= found->second.bytes) return std::nullopt;
  return found->second;
}

CUresult release(const Allocation& allocation) {
  void* const address = reinterpret_cast<void*>(allocation.address);
  switch (allocation.kind) {
  case MemoryKind::Device:
  case MemoryKind::Managed: return waited(hip::api.hipFree(address));
  case MemoryKind::Host: return waited(hip::api.hipHostFree(reinterpret_cast<void*>(allocation.host)));
  case MemoryKind::Registered: return waited(hip::api.hipHostUnregister(reinterpret_cast<void*>(allocation.host)));
  case MemoryKind::Variable: return CUDA_SUCCESS; // goes with its module
  }
  return CUDA_ERROR_UNKNOWN;
}

CUresult allocate(CUdeviceptr* out, size_t bytes, MemoryKind kind, unsigned flags) {
  if (!out || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  void* address = nullptr;
  const hip::Error failed = kind == MemoryKind::Managed ? hip::api.hipMallocManaged(&address, bytes, flags)
                                                        : hip::api.hipMalloc(&address, bytes);
  if (failed != hip::kSuccess) return result_of(failed);
  const uintptr_t value = reinterpret_cast<uintptr_t>(address);
  remember({.kind = kind, .address = value, .bytes = bytes, .host = kind == MemoryKind::Managed ? value : 0, .flags = flags,
            .context = current()});
  *out = value;
  return CUDA_SUCCESS;
}

} // namespace

void remember(const Allocation& allocation) {
  Registry& all = registry();
  const std::unique_lock lock(all.mutex);
  Allocation& stored = all.ranges[allocation.address] = allocation;
  if (stored.id == 0) stored.id = next_id();
  if (allocation.host && allocation.host != allocation.address) all.ranges[allocation.host] = stored;
}

std::optional<Allocation> forget(uintptr_t address, bool (*accept)(const Allocation&)) {
  Registry& all = registry();
  const std::unique_lock lock(all.mutex);
  const auto found = all.ranges.find(address);
  if (found == all.ranges.end() || !accept(found->second)) return std::nullopt;
  const Allocation allocation = found->second;
  all.ranges.erase(allocation.address);
  if (allocation.host) all.ranges.erase(allocation.host);
  return allocation;
}

void forget_variables(const Module& module) {
  Registry& all = registry();
  const std::unique_lock lock(all.mutex);
  std::erase_if(all.ranges, [&](const auto& range) { return range.second.module == &module; });
}

std::optional<Allocation> find_allocation(uintptr_t address) {
  Registry& all = registry();
  const std::shared_lock lock(all.mutex);
  return find_locked(all, address);
}

bool is_device_range(uintptr_t address, size_t bytes) {
  const std::optional<Allocation> allocation = find_allocation(address);
  if (!allocation) return false;
  const bool by_host = allocation->kind == MemoryKind::Registered && address - allocation->host < allocation->bytes;
  const uintptr_t start = by_host ? allocation->host : allocation->address;
  return bytes <= allocation->bytes - (address - start);
}

void free_memory_of(Context& context) {
  std::vector<Allocation> mine;
  {
    Registry& all = registry();
    const std::unique_lock lock(all.mutex);
    for (const auto& [key, allocation] : all.ranges)
      if (allocation.context == &context && key == allocation.address && !allocation.pool) mine.push_back(allocation);
    std::erase_if(all.ranges, [&](const auto& range) { return range.second.context == &context && !range.second.pool; });
  }
  for (const Allocation& allocation : mine) static_cast<void>(release(allocation));
}

CUresult cuMemGetInfo_v2(size_t* free_bytes, size_t* total_bytes) {
  if (!free_bytes || !total_bytes) return CUDA_ERROR_INVALID_VALUE;
  return result_of(hip::api.hipMemGetInfo(free_bytes, total_bytes));
}

CUresult cuMemAlloc_v2(CUdeviceptr* out, size_t bytes) { return allocate(out, bytes, MemoryKind::Device, 0); }

CUresult cuMemAllocPitch_v2(CUdeviceptr* out, size_t* pitch, size_t width, size_t height, unsigned element_bytes) {
  if (!out || !pitch || width == 0 || height == 0) return CUDA_ERROR_INVALID_VALUE;
  if (element_bytes != 4 && element_bytes != 8 && element_bytes != 16) return CUDA_ERROR_INVALID_VALUE;
  constexpr size_t kPitchAlignment = 512;
  size_t bytes = 0;
  if (width > SIZE_MAX - kPitchAlignment) return CUDA_ERROR_INVALID_VALUE;
  const size_t row = (width + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment;
  if (__builtin_mul_overflow(row, height, &bytes)) return CUDA_ERROR_OUT_OF_MEMORY;
  const CUresult result = cuMemAlloc_v2(out, bytes);
  if (result == CUDA_SUCCESS) *pitch = row;
  return result;
}

CUresult cuMemAllocManaged(CUdeviceptr* out, size_t bytes, unsigned flags) {
  if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST) return CUDA_ERROR_INVALID_VALUE;
  return allocate(out, bytes, MemoryKind::Managed, flags);
}

CUresult cuMemFree_v2(CUdeviceptr address) {
  if (address == 0) return CUDA_SUCCESS;
  const std::optional<Allocation> allocation = forget(address, [](const Allocation& a) {
    return a.kind == MemoryKind::Device || a.kind == MemoryKind::Managed;
  });
  if (!allocation) return CUDA_ERROR_INVALID_VALUE;
  if (!allocation->pool) return release(*allocation);
  const CUresult ended = cuCtxSynchronize(); // the synchronous free of a stream-ordered allocation
  const CUresult given_back = give_back_to_pool(*allocation, nullptr);
  return ended == CUDA_SUCCESS ? given_back : ended;
}

CUresult cuMemHostAlloc(void** out, size_t bytes, unsigned flags) {
  constexpr unsigned kKnown = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
  if (!out || (flags & ~kKnown) || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  unsigned hip_flags = hip::kHostMallocMapped; // unified addressing: always mapped
  if (flags & CU_MEMHOSTALLOC_PORTABLE) hip_flags |= hip::kHostMallocPortable;
  if (flags & CU_MEMHOSTALLOC_WRITECOMBINED) hip_flags |= hip::kHostMallocWriteCombined;
  void* host = nullptr;
  if (const hip::Error failed = hip::api.hipHostMalloc(&host, bytes, hip_flags)) return result_of(failed);
  void* device = nullptr;
  if (hip::api.hipHostGetDevicePointer(&device, host, 0) != hip::kSuccess) device = host;
  remember({.kind = MemoryKind::Host, .address = reinterpret_cast<uintptr_t>(device), .bytes = bytes,
            .host = reinterpret_cast<uintptr_t>(host), .flags = flags | CU_MEMHOSTALLOC_DEVICEMAP, .context = current()});
  *out = host;
  return CUDA_SUCCESS;
}

CUresult cuMemAllocHost_v2(void** out, size_t bytes) { return cuMemHostAlloc(out, bytes, 0); }

CUresult cuMemFreeHost(void* host) {
  const std::optional<Allocation> allocation =
      forget(reinterpret_cast<uintptr_t>(host), [](const Allocation& a) { return a.kind == MemoryKind::Host; });
  return allocation ? release(*allocation) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemHostRegister_v2(void* host, size_t bytes, unsigned flags) {
  constexpr unsigned kKnown = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP | CU_MEMHOSTREGISTER_IOMEMORY |
                              CU_MEMHOSTREGISTER_READ_ONLY;
  if (!host || bytes == 0 || (flags & ~kKnown)) return CUDA_ERROR_INVALID_VALUE;
  if (flags & (CU_MEMHOSTREGISTER_IOMEMORY | CU_MEMHOSTREGISTER_READ_ONLY)) return CUDA_ERROR_NOT_SUPPORTED;
  const uintptr_t start = reinterpret_cast<uintptr_t>(host);
  if (!is_program_range(start, bytes)) return CUDA_ERROR_INVALID_VALUE;
  if (find_allocation(start) || find_allocation(start + bytes - 1)) return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  if (const hip::Error failed = hip::api.hipHostRegister(host, bytes, flags)) return result_of(failed); // equal numbers
  void* device = nullptr;
  if (hip::api.hipHostGetDevicePointer(&device, host, 0) != hip::kSuccess) device = host;
  remember({.kind = MemoryKind::Registered, .address = reinterpret_cast<uintptr_t>(device), .bytes = bytes, .host = start,
            .flags = flags | CU_MEMHOSTREGISTER_DEVICEMAP, .context = current()});
  return CUDA_SUCCESS;
}

CUresult cuMemHostUnregister(void* host) {
  if (!host) return CUDA_ERROR_INVALID_VALUE;
  const std::optional<Allocation> allocation =
      forget(reinterpret_cast<uintptr_t>(host), [](const Allocation& a) { return a.kind == MemoryKind::Registered; });
  return allocation ? release(*allocation) : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* out, void* host, unsigned flags) {
  if (!out || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  *out = 0;
  const uintptr_t start = reinterpret_cast<uintptr_t>(host);
  const std::optional<Allocation> allocation = find_allocation(start);
  if (!allocation || !allocation->host) return CUDA_ERROR_INVALID_VALUE;
  *out = allocation->address + (start - allocation->host);
  return CUDA_SUCCESS;
}

CUresult cuMemHostGetFlags(unsigned* flags, void* host) {
  if (!flags) return CUDA_ERROR_INVALID_VALUE;
  const std::optional<Allocation> allocation = find_allocation(reinterpret_cast<uintptr_t>(host));
  if (!allocation || (allocation->kind != MemoryKind::Host && allocation->kind != MemoryKind::Registered))
    return CUDA_ERROR_INVALID_VALUE;
  *flags = allocation->flags;
  return CUDA_SUCCESS;
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr* base, size_t* bytes, CUdeviceptr address) {
  const std::optional<Allocation> allocation = find_allocation(address);
  if (!allocation) return CUDA_ERROR_NOT_FOUND;
  if (base) *base = allocation->address;
  if (bytes) *bytes = allocation->bytes;
  return CUDA_SUCCESS;
}

} // namespace ptxshim::api
