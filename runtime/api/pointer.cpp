// SPDX-License-Identifier: MIT
// Questions about pointers, answered from the registry of ranges; hints about managed memory.
#include "bodies.h"
#include "context.h"
#include "memory.h"

namespace ptxshim::api {

namespace {

template <class Value> CUresult answer(void* data, Value value) {
  *static_cast<Value*>(data) = value;
  return CUDA_SUCCESS;
}

bool is_host_memory(const Allocation& a) { return a.kind == MemoryKind::Host || a.kind == MemoryKind::Registered; }

CUresult answer_about(const Allocation& a, CUdeviceptr address, CUpointer_attribute attribute, void* data) {
  const bool by_host = a.host && address - a.host < a.bytes;
  const uintptr_t offset = address - (by_host ? a.host : a.address);
  switch (attribute) {
  case CU_POINTER_ATTRIBUTE_CONTEXT: return answer(data, contexts.handle(a.context));
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE: return answer<unsigned>(data, is_host_memory(a) ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
  case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: return answer<CUdeviceptr>(data, a.address + offset);
  case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    return a.host ? answer(data, reinterpret_cast<void*>(a.host + offset)) : CUDA_ERROR_INVALID_VALUE;
  case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: return answer<unsigned>(data, 0);
  case CU_POINTER_ATTRIBUTE_BUFFER_ID: return answer<unsigned long long>(data, a.id);
  case CU_POINTER_ATTRIBUTE_IS_MANAGED: return answer<unsigned>(data, a.kind == MemoryKind::Managed);
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: return answer<int>(data, a.context->device->ordinal);
  case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE: return answer<unsigned>(data, 0);
  case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: return answer<CUdeviceptr>(data, a.address);
  case CU_POINTER_ATTRIBUTE_RANGE_SIZE: return answer<size_t>(data, a.bytes);
  case CU_POINTER_ATTRIBUTE_MAPPED: return answer<unsigned>(data, 1);
  case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES: return answer<unsigned long long>(data, 0);
  case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE: return answer<unsigned>(data, 0);
  case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS: return answer<unsigned>(data, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: return answer(data, pools.handle(a.pool));
  case CU_POINTER_ATTRIBUTE_MAPPING_SIZE: return answer<size_t>(data, a.bytes);
  case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR: return answer<CUdeviceptr>(data, a.address);
  case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID: return answer<unsigned long long>(data, a.id);
  case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE: return answer<unsigned>(data, 0);
  case CU_POINTER_ATTRIBUTE_P2P_TOKENS: return CUDA_ERROR_NOT_SUPPORTED;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

size_t size_of(CUpointer_attribute attribute) {
  switch (attribute) {
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
  case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
  case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
  // The manual says "boolean"; the CUDA runtime reads four bytes.
  case CU_POINTER_ATTRIBUTE_IS_MANAGED:
  case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
  case CU_POINTER_ATTRIBUTE_MAPPED:
  case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
  case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE: return 4;
  default: return 8;
  }
}

bool is_managed_range(CUdeviceptr address, size_t bytes) {
  const std::optional<Allocation> allocation = find_allocation(address);
  return allocation && allocation->kind == MemoryKind::Managed && is_device_range(address, bytes);
}

CUresult advise(CUdeviceptr address, size_t bytes, CUmem_advise advice) {
  if (advice < CU_MEM_ADVISE_SET_READ_MOSTLY || advice > CU_MEM_ADVISE_UNSET_ACCESSED_BY || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  return is_managed_range(address, bytes) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; // a hint; nothing to do
}

CUresult prefetch(CUdeviceptr address, size_t bytes, int device, CUstream handle) {
  const StreamArgument stream = resolve(handle);
  if (!stream.valid) return CUDA_ERROR_INVALID_HANDLE;
  if (bytes == 0 || !is_managed_range(address, bytes)) return CUDA_ERROR_INVALID_VALUE;
  if (device != CU_DEVICE_CPU && !find_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  // Where HIP cannot move pages, they stay where they are: the memory is accessible either way.
  if (hip::api.hipMemPrefetchAsync) static_cast<void>(hip::api.hipMemPrefetchAsync(pointer(address), bytes, device, stream.hip));
  return CUDA_SUCCESS;
}

// The device of a location, CU_DEVICE_CPU for the host, CU_DEVICE_INVALID for neither.
int device_of(const CUmemLocation& location) {
  switch (location.type) {
  case CU_MEM_LOCATION_TYPE_DEVICE: return location.id;
  case CU_MEM_LOCATION_TYPE_HOST:
  case CU_MEM_LOCATION_TYPE_HOST_NUMA:
  case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT: return CU_DEVICE_CPU;
  case CU_MEM_LOCATION_TYPE_INVALID: break;
  }
  return CU_DEVICE_INVALID;
}

} // namespace

CUresult cuPointerGetAttribute(void* data, CUpointer_attribute attribute, CUdeviceptr address) {
  if (!data || attribute < CU_POINTER_ATTRIBUTE_CONTEXT || attribute > CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE)
    return CUDA_ERROR_INVALID_VALUE;
  const std::optional<Allocation> allocation = find_allocation(address);
  if (!allocation) return CUDA_ERROR_INVALID_VALUE;
  return answer_about(*allocation, address, attribute, data);
}

// Unlike the form for one attribute, this succeeds for a pointer that is not known: the values are then zero.
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute* attributes, void** data, CUdeviceptr address) {
  if (count == 0 || !attributes || !data) return CUDA_ERROR_INVALID_VALUE;
  const std::optional<Allocation> allocation = find_allocation(address);
  for (unsigned i = 0; i < count; ++i) {
    if (attributes[i] < CU_POINTER_ATTRIBUTE_CONTEXT || attributes[i] > CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE || !data[i])
      return CUDA_ERROR_INVALID_VALUE;
    if (allocation && answer_about(*allocation, address, attributes[i], data[i]) == CUDA_SUCCESS) continue;
    __builtin_memset(data[i], 0, size_of(attributes[i]));
    if (attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL && !allocation) *static_cast<int*>(data[i]) = CU_DEVICE_INVALID;
  }
  return CUDA_SUCCESS;
}

CUresult cuPointerSetAttribute(const void* value, CUpointer_attribute attribute, CUdeviceptr address) {
  if (!value || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS || !find_allocation(address)) return CUDA_ERROR_INVALID_VALUE;
  return *static_cast<const unsigned*>(value) == 0 ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuMemAdvise(CUdeviceptr address, size_t bytes, CUmem_advise advice, CUdevice) { return advise(address, bytes, advice); }
CUresult cuMemAdvise_v2(CUdeviceptr address, size_t bytes, CUmem_advise advice, CUmemLocation) { return advise(address, bytes, advice); }

CUresult cuMemPrefetchAsync(CUdeviceptr address, size_t bytes, CUdevice device, CUstream stream) {
  return prefetch(address, bytes, device, stream);
}

CUresult cuMemPrefetchAsync_v2(CUdeviceptr address, size_t bytes, CUmemLocation location, unsigned flags, CUstream stream) {
  return flags == 0 ? prefetch(address, bytes, device_of(location), stream) : CUDA_ERROR_INVALID_VALUE;
}

} // namespace ptxshim::api
