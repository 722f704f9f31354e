// SPDX-License-Identifier: MIT
// Devices are found once, at cuInit. An AMD GPU is described in CUDA's terms: what a kernel can rely on after translation
// (32 lanes a warp, 1024 threads a block, 48 KiB of shared memory without asking) is constant, the rest is HIP's answer.
#include "bodies.h"
#include "context.h"

#include <algorithm>
#include <cstring>

#include "ptxshim/target.h"

namespace ptxshim::api {

constinit Devices* devices = nullptr;

namespace {

constexpr int kDefaultSharedBytes = 48 * 1024; // what CUDA promises without CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES

enum class From : uint8_t { Constant, Hip };

struct AttributeRow {
  CUdevice_attribute attribute;
  From from;
  int value; // the constant, or HIP's number of the attribute
};

// Attributes that are not listed are 0: absent.
// clang-format off
constexpr AttributeRow kAttributes[] = {
    // attribute                                                   from            value
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK,                    From::Constant, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X,                          From::Constant, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y,                          From::Constant, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z,                          From::Constant, 64},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X,                           From::Constant, 2147483647},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y,                           From::Constant, 65535},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z,                           From::Constant, 65535},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK,              From::Constant, kDefaultSharedBytes},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,        From::Hip,      hip::kMaxSharedMemoryPerBlock},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,     From::Hip,      hip::kMaxSharedMemoryPerMultiprocessor},
    {CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY,                    From::Constant, 65536},
    {CU_DEVICE_ATTRIBUTE_WARP_SIZE,                                From::Constant, 32},
    {CU_DEVICE_ATTRIBUTE_MAX_PITCH,                                From::Constant, 2147483647},
    {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK,                  From::Constant, 65536},
    {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR,         From::Constant, 65536},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR,            From::Constant, 16},
    {CU_DEVICE_ATTRIBUTE_CLOCK_RATE,                               From::Hip,      hip::kClockRate},
    {CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT,                        From::Constant, 512},
    {CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT,                  From::Constant, 32},
    {CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT,                        From::Constant, 512},
    {CU_DEVICE_ATTRIBUTE_GPU_OVERLAP,                              From::Constant, 1},
    {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,                     From::Hip,      hip::kMultiprocessorCount},
    {CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT,                      From::Hip,      hip::kKernelExecTimeout},
    {CU_DEVICE_ATTRIBUTE_INTEGRATED,                               From::Hip,      hip::kIntegrated},
    {CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY,                      From::Constant, 1},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_MODE,                             From::Constant, CU_COMPUTEMODE_DEFAULT},
    {CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS,                       From::Constant, 1},
    {CU_DEVICE_ATTRIBUTE_ECC_ENABLED,                              From::Hip,      hip::kEccEnabled},
    {CU_DEVICE_ATTRIBUTE_PCI_BUS_ID,                               From::Hip,      hip::kPciBusId},
    {CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID,                            From::Hip,      hip::kPciDeviceId},
    {CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID,                            From::Hip,      hip::kPciDomainId},
    {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE,                        From::Hip,      hip::kMemoryClockRate},
    {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH,                  From::Hip,      hip::kMemoryBusWidth},
    {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE,                            From::Hip,      hip::kL2CacheSize},
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR,           From::Hip,      hip::kMaxThreadsPerMultiProcessor},
    {CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT,                       From::Constant, 2},
    {CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING,                       From::Constant, 1},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,                 From::Constant, kComputeMajor},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,                 From::Constant, kComputeMinor},
    {CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED,              From::Constant, 1},
    {CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED,                From::Constant, 1},
    {CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED,                 From::Constant, 1},
    {CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY,                           From::Hip,      hip::kManagedMemory},
    {CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS,                From::Hip,      hip::kConcurrentManagedAccess},
    {CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED,             From::Hip,      hip::kHostNativeAtomicSupported},
    {CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO,    From::Constant, 16},
    {CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS,                   From::Hip,      hip::kPageableMemoryAccess},
    {CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES, From::Hip,  hip::kPageableMemoryAccessUsesHostPageTables},
    {CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM,  From::Constant, 0}, // a registered page has a GPU address of its own
    {CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH,                       From::Hip,      hip::kCooperativeLaunch},
    {CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED,                  From::Constant, 1},
    {CU_DEVICE_ATTRIBUTE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST,      From::Hip,      hip::kDirectManagedMemAccessFromHost},
    {CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED,                   From::Constant, 1},
    {CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT,                    From::Constant, 1},
    {CU_DEVICE_ATTRIBUTE_NUMA_ID,                                  From::Constant, -1},
    {CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID,                             From::Constant, -1},
    {CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD_GROUP_ID,                 From::Constant, 0},
};
// clang-format on

// HIP before 5.7 leaves the UUID empty on some devices; the PCI address then stands in: unique, and the same in every process.
CUuuid device_uuid(const Device& device) {
  hip::Uuid uuid{};
  if (!hip::api.hipDeviceGetUuid || hip::api.hipDeviceGetUuid(&uuid, device.ordinal) != hip::kSuccess) uuid = {};
  const hip::Uuid empty{};
  if (std::memcmp(&uuid, &empty, sizeof uuid) == 0) {
    int pci[3] = {};
    device_attribute(pci[0], CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, device);
    device_attribute(pci[1], CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, device);
    device_attribute(pci[2], CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, device);
    std::memcpy(uuid.bytes, "AMD", 3);
    uuid.bytes[3] = static_cast<char>(device.ordinal);
    std::memcpy(uuid.bytes + 4, pci, sizeof pci);
  }
  CUuuid result;
  static_assert(sizeof result == sizeof uuid);
  std::memcpy(&result, &uuid, sizeof result);
  return result;
}

Result<void> describe(Device& device, int ordinal) {
  device.ordinal = ordinal;
  device.gfx = hip::gfx_name(ordinal);
  if (device.gfx.empty()) return Error{CUDA_ERROR_NO_DEVICE, "HIP does not say which architecture device " + std::to_string(ordinal) + " has"};
  if (!find_target(device.gfx))
    PTXSHIM_LOG_LINE(api, warn, "device %d is a %s, for which no code can be made", ordinal, device.gfx.c_str());
  char name[256] = {};
  if (hip::api.hipDeviceGetName(name, sizeof name - 1, ordinal) == hip::kSuccess && name[0]) device.name = name;
  if (device.name.empty()) device.name = "AMD GPU " + device.gfx;
  device.uuid = device_uuid(device);
  int bus = 0;
  device_attribute(bus, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, device);
  device.virtual_number = static_cast<uint32_t>(bus) - 1; // see ptxshim/vgpu.h
  device.primary = create_context(device, 0, true);
  device.default_pool = pools.create();
  if (!device.primary || !device.default_pool) return Error{CUDA_ERROR_OUT_OF_MEMORY, "no memory for a device's context"};
  device.default_pool->device = &device;
  device.default_pool->is_default = true;
  device.default_pool->properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  device.default_pool->properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, ordinal};
  device.current_pool = device.default_pool;
  return {};
}

} // namespace

Result<void> find_devices() {
  int count = 0;
  if (const hip::Error failed = hip::api.hipGetDeviceCount(&count); failed != hip::kSuccess)
    return Error{hip::to_cuda(failed), "hipGetDeviceCount failed with " + std::to_string(failed)};
  if (count <= 0) return Error{CUDA_ERROR_NO_DEVICE, "HIP finds no AMD GPU"};
  devices = new Devices; // lives as long as the process
  devices->count = std::min(count, static_cast<int>(kMaxDevices));
  for (int i = 0; i < devices->count; ++i)
    if (Result<void> described = describe(devices->of[i], i); !described) return described;
  return {};
}

CUresult device_attribute(int& value, int attribute, const Device& device) {
  constexpr int kLast = CU_DEVICE_ATTRIBUTE_ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED;
  if (attribute < 1 || attribute > kLast) return CUDA_ERROR_INVALID_VALUE;
  value = 0;
  for (const AttributeRow& row : kAttributes) {
    if (row.attribute != attribute) continue;
    if (row.from == From::Constant) {
      value = row.value;
    } else if (hip::api.hipDeviceGetAttribute(&value, row.value, device.ordinal) != hip::kSuccess) {
      value = 0; // an attribute that this HIP does not know
    }
  }
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  if (!device) return CUDA_ERROR_INVALID_VALUE;
  if (!find_device(ordinal)) return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) {
  if (!count) return CUDA_ERROR_INVALID_VALUE;
  *count = devices->count;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char* name, int length, CUdevice ordinal) {
  if (!name || length <= 0) return CUDA_ERROR_INVALID_VALUE;
  const Device* const device = find_device(ordinal);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  const size_t copied = std::min(device->name.size(), static_cast<size_t>(length) - 1);
  std::memcpy(name, device->name.data(), copied);
  name[copied] = '\0';
  return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice ordinal) {
  if (!bytes) return CUDA_ERROR_INVALID_VALUE;
  if (!find_device(ordinal)) return CUDA_ERROR_INVALID_DEVICE;
  return result_of(hip::api.hipDeviceTotalMem(bytes, ordinal));
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice ordinal) {
  if (!value) return CUDA_ERROR_INVALID_VALUE;
  const Device* const device = find_device(ordinal);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  return device_attribute(*value, attribute, *device);
}

CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice ordinal) {
  if (!uuid) return CUDA_ERROR_INVALID_VALUE;
  const Device* const device = find_device(ordinal);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  *uuid = device->uuid;
  return CUDA_SUCCESS;
}

// The first form differs from the second only for partitioned devices, which are not reported.
CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice ordinal) { return cuDeviceGetUuid_v2(uuid, ordinal); }

CUresult cuDeviceGetPCIBusId(char* text, int length, CUdevice ordinal) {
  if (!text || length <= 0) return CUDA_ERROR_INVALID_VALUE;
  const Device* const device = find_device(ordinal);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  int domain = 0, bus = 0, slot = 0;
  device_attribute(domain, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, *device);
  device_attribute(bus, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, *device);
  device_attribute(slot, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, *device);
  const int needed = std::snprintf(text, static_cast<size_t>(length), "%04X:%02X:%02X.0", domain, bus, slot);
  return needed < length ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDeviceGetByPCIBusId(CUdevice* ordinal, const char* text) {
  if (!ordinal || !text) return CUDA_ERROR_INVALID_VALUE;
  unsigned wanted[4] = {};
  if (std::sscanf(text, "%x:%x:%x.%x", &wanted[0], &wanted[1], &wanted[2], &wanted[3]) < 3) {
    wanted[0] = 0; // [bus]:[device].[function] without a domain
    if (std::sscanf(text, "%x:%x.%x", &wanted[1], &wanted[2], &wanted[3]) < 2) return CUDA_ERROR_INVALID_VALUE;
  }
  constexpr int kIds[] = {CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID};
  for (int i = 0; i < devices->count; ++i) {
    bool equal = true;
    for (size_t j = 0; j < 3; ++j) {
      int value = 0;
      device_attribute(value, kIds[j], devices->of[i]);
      equal = equal && static_cast<unsigned>(value) == wanted[j];
    }
    if (!equal) continue;
    *ordinal = i;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice ordinal) {
  if (!major || !minor) return CUDA_ERROR_INVALID_VALUE;
  if (!find_device(ordinal)) return CUDA_ERROR_INVALID_DEVICE;
  *major = kComputeMajor;
  *minor = kComputeMinor;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetProperties(CUdevprop* properties, CUdevice ordinal) {
  if (!properties) return CUDA_ERROR_INVALID_VALUE;
  const Device* const device = find_device(ordinal);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  const auto get = [device](CUdevice_attribute attribute) {
    int value = 0;
    device_attribute(value, attribute, *device);
    return value;
  };
  *properties = {};
  properties->maxThreadsPerBlock = get(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  for (int i = 0; i < 3; ++i) {
    properties->maxThreadsDim[i] = get(static_cast<CUdevice_attribute>(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + i));
    properties->maxGridSize[i] = get(static_cast<CUdevice_attribute>(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + i));
  }
  properties->sharedMemPerBlock = get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  properties->totalConstantMemory = get(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY);
  properties->SIMDWidth = get(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  properties->memPitch = get(CU_DEVICE_ATTRIBUTE_MAX_PITCH);
  properties->regsPerBlock = get(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
  properties->clockRate = get(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  properties->textureAlign = get(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT);
  return CUDA_SUCCESS;
}

CUresult cuDeviceCanAccessPeer(int* can, CUdevice from, CUdevice to) {
  if (!can) return CUDA_ERROR_INVALID_VALUE;
  if (!find_device(from) || !find_device(to)) return CUDA_ERROR_INVALID_DEVICE;
  *can = 0;
  return from == to ? CUDA_SUCCESS : result_of(hip::api.hipDeviceCanAccessPeer(can, from, to));
}

CUresult cuDeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute attribute, CUdevice from, CUdevice to) {
  if (!value) return CUDA_ERROR_INVALID_VALUE;
  if (!find_device(from) || !find_device(to) || from == to) return CUDA_ERROR_INVALID_DEVICE;
  if (attribute < CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK || attribute > CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED)
    return CUDA_ERROR_INVALID_VALUE;
  *value = 0;
  if (attribute != CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED) return CUDA_SUCCESS;
  return result_of(hip::api.hipDeviceCanAccessPeer(value, from, to));
}

CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t* width, CUarray_format, unsigned channels, CUdevice ordinal) {
  if (!width || channels == 0 || channels > 4) return CUDA_ERROR_INVALID_VALUE;
  if (!find_device(ordinal)) return CUDA_ERROR_INVALID_DEVICE;
  *width = 0; // linear textures are not supported, as their attribute says
  return CUDA_SUCCESS;
}

} // namespace ptxshim::api
