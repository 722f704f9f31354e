// SPDX-License-Identifier: MIT
// Stream-ordered allocation: cuMemAllocAsync and the pools behind it. HIP's own came late and differs between versions; this one needs nothing but
// hipMalloc, hipFree and events, so that it behaves the same everywhere.
//
// A freed block keeps an event of the stream it was freed in. The same stream may have it again at once, since its work is in order; others when
// the event has happened. What is not reused goes back to HIP when a pool holds more than its release threshold (0 unless set) at the
// next allocation, trim or synchronisation of a pool's user.
#include "pool.h"
#include "bodies.h"
#include "context.h"
#include "graph.h"

#include <algorithm>

namespace ptxshim::api {

namespace {

// Stands for a stream that is gone. Null would be the default stream.
hip::Stream no_stream() { return reinterpret_cast<hip::Stream>(UINTPTR_MAX); }

constexpr size_t kGranularity = 512; // blocks are rounded up to it, so that similar sizes share

void destroy_block(Pool& pool, const FreedBlock& block) {
  if (block.done) static_cast<void>(hip::api.hipEventDestroy(block.done));
  static_cast<void>(hip::api.hipFree(block.address)); // HIP waits for its uses
  pool.reserved -= block.bytes;
}

bool is_over(const FreedBlock& block) { return !block.done || hip::api.hipEventQuery(block.done) == hip::kSuccess; }

// Gives blocks that nobody uses any more back to HIP until at most `keep` bytes are reserved.
void trim(Pool& pool, size_t keep) {
  for (auto block = pool.freed.begin(); block != pool.freed.end() && pool.reserved > keep;) {
    if (!is_over(block->second)) {
      ++block;
      continue;
    }
    destroy_block(pool, block->second);
    block = pool.freed.erase(block);
  }
}

// A freed block of the right size that this stream may use now.
void* reuse(Pool& pool, size_t bytes, hip::Stream stream) {
  for (auto block = pool.freed.lower_bound(bytes); block != pool.freed.end() && block->first <= bytes + bytes / 8; ++block) {
    const bool same_stream = block->second.done && block->second.stream == stream;
    if (!same_stream && !(pool.reuse_opportunistic && is_over(block->second))) continue;
    void* const address = block->second.address;
    if (block->second.done) static_cast<void>(hip::api.hipEventDestroy(block->second.done));
    pool.freed.erase(block);
    return address;
  }
  return nullptr;
}

CUresult allocate_from(Pool& pool, CUdeviceptr* out, size_t bytes, CUstream handle) {
  if (!out || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  const StreamArgument stream = resolve(handle);
  if (!stream.valid) return CUDA_ERROR_INVALID_HANDLE;
  if (bytes > SIZE_MAX - kGranularity) return CUDA_ERROR_OUT_OF_MEMORY;
  const size_t rounded = (bytes + kGranularity - 1) / kGranularity * kGranularity;
  const std::lock_guard lock(pool.mutex);
  if (pool.properties.maxSize && rounded > pool.properties.maxSize - std::min(pool.properties.maxSize, pool.used))
    return CUDA_ERROR_OUT_OF_MEMORY;
  size_t size = rounded;
  void* address = reuse(pool, rounded, stream.hip);
  if (!address) {
    trim(pool, std::max<uint64_t>(pool.release_threshold, pool.used));
    hip::Error failed = hip::api.hipMalloc(&address, rounded);
    if (failed != hip::kSuccess) { // what the pool still holds may be enough
      static_cast<void>(hip::api.hipDeviceSynchronize());
      trim(pool, 0);
      failed = hip::api.hipMalloc(&address, rounded);
    }
    if (failed != hip::kSuccess) return result_of(failed);
    pool.reserved += size;
    pool.reserved_high = std::max(pool.reserved_high, pool.reserved);
  }
  pool.used += size;
  pool.used_high = std::max(pool.used_high, pool.used);
  remember({.kind = MemoryKind::Device, .address = reinterpret_cast<uintptr_t>(address), .bytes = size, .context = current(),
            .pool = &pool});
  *out = reinterpret_cast<uintptr_t>(address);
  // The address must be known while capturing, so that the memory is there from now on.
  return is_capturing(stream.object) ? record(*stream.object, CU_GRAPH_NODE_TYPE_MEM_ALLOC, {}) : CUDA_SUCCESS;
}

} // namespace

CUresult give_back_to_pool(const Allocation& allocation, const hip::Stream* stream) {
  Pool& pool = *allocation.pool;
  FreedBlock block{reinterpret_cast<void*>(allocation.address), allocation.bytes, no_stream(), nullptr};
  CUresult result = CUDA_SUCCESS;
  if (stream) {
    constexpr unsigned kDisableTiming = 2;
    block.stream = *stream;
    hip::Error failed = hip::api.hipEventCreateWithFlags(&block.done, kDisableTiming);
    if (failed == hip::kSuccess) failed = hip::api.hipEventRecord(block.done, *stream);
    if (failed != hip::kSuccess) result = waited(hip::api.hipStreamSynchronize(*stream)); // then it is over now
  }
  const std::lock_guard lock(pool.mutex);
  pool.used -= allocation.bytes;
  pool.freed.emplace(block.bytes, block);
  if (!stream) trim(pool, std::max<uint64_t>(pool.release_threshold, pool.used));
  return result;
}

void forget_stream_in_pools(hip::Stream stream) {
  pools.for_each([stream](Pool& pool) {
    const std::lock_guard lock(pool.mutex);
    for (auto& [size, block] : pool.freed)
      if (block.stream == stream) block.stream = no_stream(); // another stream could get this address
  });
}

void trim_pools_of(const Device& device) {
  pools.for_each([&device](Pool& pool) {
    if (pool.device != &device) return;
    const std::lock_guard lock(pool.mutex);
    trim(pool, std::max<uint64_t>(pool.release_threshold, pool.used));
  });
}

CUresult cuMemAllocAsync(CUdeviceptr* out, size_t bytes, CUstream stream) {
  return allocate_from(*current_device().current_pool, out, bytes, stream);
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr* out, size_t bytes, CUmemoryPool handle, CUstream stream) {
  Pool* const pool = pools.find(handle);
  return pool ? allocate_from(*pool, out, bytes, stream) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream handle) {
  const StreamArgument stream = resolve(handle);
  if (!stream.valid) return CUDA_ERROR_INVALID_HANDLE;
  const std::optional<Allocation> allocation = forget(address, [](const Allocation& a) { return a.kind == MemoryKind::Device; });
  if (!allocation) return CUDA_ERROR_INVALID_VALUE;
  if (is_capturing(stream.object)) { // every launch of the graph uses it again
    if (allocation->pool && stream.object->capture->graph) stream.object->capture->graph->memory->freed.push_back(*allocation);
    return record(*stream.object, CU_GRAPH_NODE_TYPE_MEM_FREE, {});
  }
  if (allocation->pool) return give_back_to_pool(*allocation, &stream.hip);
  const CUresult ended = waited(hip::api.hipStreamSynchronize(stream.hip)); // memory of cuMemAlloc
  const CUresult freed = result_of(hip::api.hipFree(reinterpret_cast<void*>(allocation->address)));
  return ended == CUDA_SUCCESS ? freed : ended;
}

CUresult cuMemPoolCreate(CUmemoryPool* out, const CUmemPoolProps* properties) {
  if (!out || !properties || properties->allocType != CU_MEM_ALLOCATION_TYPE_PINNED) return CUDA_ERROR_INVALID_VALUE;
  if (properties->handleTypes != CU_MEM_HANDLE_TYPE_NONE || properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
    return CUDA_ERROR_NOT_SUPPORTED;
  Device* const device = find_device(properties->location.id);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  Pool* const pool = pools.create();
  if (!pool) return CUDA_ERROR_OUT_OF_MEMORY;
  pool->device = device;
  pool->properties = *properties;
  *out = pools.handle(pool);
  return CUDA_SUCCESS;
}

// Blocks in use stay valid: their owner can still free them, so the pool itself stays until then and only stops keeping memory.
CUresult cuMemPoolDestroy(CUmemoryPool handle) {
  Pool* const pool = pools.find(handle);
  if (!pool || pool->is_default) return CUDA_ERROR_INVALID_VALUE;
  if (pool->device->current_pool == pool) pool->device->current_pool = pool->device->default_pool;
  bool in_use = false;
  {
    const std::lock_guard lock(pool->mutex);
    pool->release_threshold = 0;
    for (const auto& [size, block] : pool->freed) destroy_block(*pool, block);
    pool->freed.clear();
    in_use = pool->used != 0;
  }
  if (!in_use) pools.destroy(pool);
  return CUDA_SUCCESS;
}

CUresult cuMemPoolTrimTo(CUmemoryPool handle, size_t keep) {
  Pool* const pool = pools.find(handle);
  if (!pool) return CUDA_ERROR_INVALID_VALUE;
  const std::lock_guard lock(pool->mutex);
  trim(*pool, keep);
  return CUDA_SUCCESS;
}

CUresult cuMemPoolSetAttribute(CUmemoryPool handle, CUmemPool_attribute attribute, void* value) {
  Pool* const pool = pools.find(handle);
  if (!pool || !value) return CUDA_ERROR_INVALID_VALUE;
  const std::lock_guard lock(pool->mutex);
  switch (attribute) {
  case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES: pool->reuse_follow_events = *static_cast<int*>(value); return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC: pool->reuse_opportunistic = *static_cast<int*>(value); return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES: pool->reuse_internal = *static_cast<int*>(value); return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD: pool->release_threshold = *static_cast<cuuint64_t*>(value); return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH: // only a reset to 0 is allowed
    if (*static_cast<cuuint64_t*>(value) != 0) return CUDA_ERROR_INVALID_VALUE;
    pool->reserved_high = pool->reserved;
    return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
    if (*static_cast<cuuint64_t*>(value) != 0) return CUDA_ERROR_INVALID_VALUE;
    pool->used_high = pool->used;
    return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
  case CU_MEMPOOL_ATTR_USED_MEM_CURRENT: return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemPoolGetAttribute(CUmemoryPool handle, CUmemPool_attribute attribute, void* value) {
  Pool* const pool = pools.find(handle);
  if (!pool || !value) return CUDA_ERROR_INVALID_VALUE;
  const std::lock_guard lock(pool->mutex);
  int* const number = static_cast<int*>(value);
  cuuint64_t* const bytes = static_cast<cuuint64_t*>(value);
  switch (attribute) {
  case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES: *number = pool->reuse_follow_events; return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC: *number = pool->reuse_opportunistic; return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES: *number = pool->reuse_internal; return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD: *bytes = pool->release_threshold; return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT: *bytes = pool->reserved; return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH: *bytes = pool->reserved_high; return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_USED_MEM_CURRENT: *bytes = pool->used; return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_USED_MEM_HIGH: *bytes = pool->used_high; return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

// The owning device has access always; others by peer access, which is the contexts' matter.
CUresult cuMemPoolSetAccess(CUmemoryPool handle, const CUmemAccessDesc* access, size_t count) {
  Pool* const pool = pools.find(handle);
  if (!pool || (!access && count)) return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; ++i) {
    if (access[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE || !find_device(access[i].location.id)) return CUDA_ERROR_INVALID_DEVICE;
    const bool own = access[i].location.id == pool->device->ordinal;
    if (own && access[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE) return CUDA_ERROR_INVALID_DEVICE;
    if (!own && access[i].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE) return CUDA_ERROR_NOT_SUPPORTED;
  }
  return CUDA_SUCCESS;
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags* flags, CUmemoryPool handle, CUmemLocation* location) {
  Pool* const pool = pools.find(handle);
  if (!flags || !pool || !location) return CUDA_ERROR_INVALID_VALUE;
  if (location->type != CU_MEM_LOCATION_TYPE_DEVICE || !find_device(location->id)) return CUDA_ERROR_INVALID_DEVICE;
  *flags = location->id == pool->device->ordinal ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_NONE;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* out, CUdevice ordinal) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  const Device* const device = find_device(ordinal);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  *out = pools.handle(device->default_pool);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetMemPool(CUmemoryPool* out, CUdevice ordinal) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  const Device* const device = find_device(ordinal);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  *out = pools.handle(device->current_pool);
  return CUDA_SUCCESS;
}

CUresult cuDeviceSetMemPool(CUdevice ordinal, CUmemoryPool handle) {
  Device* const device = find_device(ordinal);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  Pool* const pool = pools.find(handle);
  if (!pool || pool->device != device) return CUDA_ERROR_INVALID_VALUE;
  device->current_pool = pool;
  return CUDA_SUCCESS;
}

namespace {

bool is_device_memory(const CUmemLocation* location, CUmemAllocationType type) {
  return location && location->type == CU_MEM_LOCATION_TYPE_DEVICE && type == CU_MEM_ALLOCATION_TYPE_PINNED;
}

} // namespace

// The forms with a location: pools exist for device memory alone.
CUresult cuMemGetDefaultMemPool(CUmemoryPool* out, CUmemLocation* location, CUmemAllocationType type) {
  return is_device_memory(location, type) ? cuDeviceGetDefaultMemPool(out, location->id) : CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuMemGetMemPool(CUmemoryPool* out, CUmemLocation* location, CUmemAllocationType type) {
  return is_device_memory(location, type) ? cuDeviceGetMemPool(out, location->id) : CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuMemSetMemPool(CUmemLocation* location, CUmemAllocationType type, CUmemoryPool pool) {
  return is_device_memory(location, type) ? cuDeviceSetMemPool(location->id, pool) : CUDA_ERROR_NOT_SUPPORTED;
}

} // namespace ptxshim::api
