// SPDX-License-Identifier: MIT
// The part of HIP's binary interface that ptxshim uses, declared here so that neither building nor running needs a particular HIP's
// headers: one build works with HIP 5, 6 and 7. Numbers and layouts are those that did not change between them; where they did
// (device properties), the code does not rely on the layout.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ptxshim::hip {

using Error = int; // hipError_t
using Stream = struct StreamHandle*;
using Event = struct EventHandle*;
using Module = struct ModuleHandle*;
using Function = struct FunctionHandle*;
using DevicePointer = void*;
using StreamCallback = void (*)(Stream stream, Error status, void* user_data);
using HostFunction = void (*)(void* user_data);

inline constexpr Error kSuccess = 0;
inline constexpr Error kNotReady = 600;
inline constexpr Error kNotSupported = 801;

// hipStreamPerThread; the legacy default stream is null.
inline Stream stream_per_thread() { return reinterpret_cast<Stream>(uintptr_t{2}); }

// The keys of hipModuleLaunchKernel's `extra`. The end key differs from CUDA's.
inline void* launch_param_buffer_pointer() { return reinterpret_cast<void*>(uintptr_t{1}); }
inline void* launch_param_buffer_size() { return reinterpret_cast<void*>(uintptr_t{2}); }
inline void* launch_param_end() { return reinterpret_cast<void*>(uintptr_t{3}); }

// clang-format off
enum MemcpyKind : int { kHostToHost = 0, kHostToDevice = 1, kDeviceToHost = 2, kDeviceToDevice = 3, kDefault = 4 };

enum Attribute : int { // hipDeviceAttribute_t
  kEccEnabled = 0, kAsyncEngineCount = 2, kCanMapHostMemory = 3, kCanUseHostPointerForRegisteredMem = 4, kClockRate = 5,
  kConcurrentKernels = 8, kConcurrentManagedAccess = 9, kCooperativeLaunch = 10, kDirectManagedMemAccessFromHost = 13,
  kHostNativeAtomicSupported = 15, kIntegrated = 16, kKernelExecTimeout = 18, kL2CacheSize = 19, kManagedMemory = 24,
  kMaxBlockDimX = 26, kMaxBlockDimY = 27, kMaxBlockDimZ = 28, kMaxGridDimX = 29, kMaxGridDimY = 30, kMaxGridDimZ = 31,
  kMaxThreadsPerBlock = 56, kMaxThreadsPerMultiProcessor = 57, kMaxPitch = 58, kMemoryBusWidth = 59, kMemoryClockRate = 60,
  kMultiprocessorCount = 63, kPageableMemoryAccess = 65, kPageableMemoryAccessUsesHostPageTables = 66, kPciBusId = 67,
  kPciDeviceId = 68, kPciDomainId = 69, kMaxRegistersPerBlock = 71, kMaxSharedMemoryPerBlock = 74, kTextureAlignment = 81,
  kTexturePitchAlignment = 82, kTotalConstantMemory = 83, kWarpSize = 87, kMaxSharedMemoryPerMultiprocessor = 10002,
};

enum HostMallocFlags : unsigned { kHostMallocPortable = 1, kHostMallocMapped = 2, kHostMallocWriteCombined = 4 };
enum FunctionAttribute : int { kFuncSharedSizeBytes = 1, kFuncLocalSizeBytes = 3, kFuncNumRegs = 4 };
enum Limit : int { kLimitStackSize = 0, kLimitMallocHeapSize = 2 };
// clang-format on

struct Uuid {
  char bytes[16];
};

// Device properties grow with every version. A caller hands a buffer of this size and reads only the name in front of it.
inline constexpr size_t kPropertiesBytes = 16384;

} // namespace ptxshim::hip
