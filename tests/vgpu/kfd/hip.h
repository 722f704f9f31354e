// SPDX-License-Identifier: MIT
// The installed HIP runtime, loaded as libptxshim.so loads it, on the virtual GPU. HIP's own headers are C++
// and bring overloads; the C functions that the tests call are declared here instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ptxshim/vgpu.h"

namespace hip {

using Stream = struct StreamTag*;
using Event = struct EventTag*;
using Module = struct ModuleTag*;
using Function = struct FunctionTag*;
using Graph = struct GraphTag*;
using GraphExec = struct GraphExecTag*;
using StreamCallback = void (*)(Stream, int, void*);
enum CopyKind : int { kHostToHost, kHostToDevice, kDeviceToHost, kDeviceToDevice, kDefault };
enum CaptureMode : int { kCaptureGlobal, kCaptureThreadLocal, kCaptureRelaxed };

// clang-format off
//          name                                            parameters
#define PTXSHIM_HIP_FUNCTIONS(F)                                                                                        \
  F(hipInit,                                        (unsigned))                                                         \
  F(hipGetDeviceCount,                              (int*))                                                             \
  F(hipDeviceGetAttribute,                          (int*, int, int))                                                   \
  F(hipDeviceGetName,                               (char*, int, int))                                                  \
  F(hipDeviceTotalMem,                              (size_t*, int))                                                     \
  F(hipSetDevice,                                   (int))                                                              \
  F(hipDeviceReset,                                 ())                                                                 \
  F(hipDeviceCanAccessPeer,                         (int*, int, int))                                                   \
  F(hipDeviceEnablePeerAccess,                      (int, unsigned))                                                    \
  F(hipMemcpyPeer,                                  (void*, int, const void*, int, size_t))                             \
  F(hipMemcpyPeerAsync,                             (void*, int, const void*, int, size_t, Stream))                     \
  F(hipDeviceSynchronize,                           ())                                                                 \
  F(hipMemGetInfo,                                  (size_t*, size_t*))                                                 \
  F(hipMalloc,                                      (void**, size_t))                                                   \
  F(hipFree,                                        (void*))                                                            \
  F(hipHostMalloc,                                  (void**, size_t, unsigned))                                         \
  F(hipHostFree,                                    (void*))                                                            \
  F(hipHostRegister,                                (void*, size_t, unsigned))                                          \
  F(hipHostUnregister,                              (void*))                                                            \
  F(hipHostGetDevicePointer,                        (void**, void*, unsigned))                                          \
  F(hipMallocManaged,                               (void**, size_t, unsigned))                                         \
  F(hipMemcpy,                                      (void*, const void*, size_t, CopyKind))                             \
  F(hipMemcpyAsync,                                 (void*, const void*, size_t, CopyKind, Stream))                     \
  F(hipMemcpy2D,                                    (void*, size_t, const void*, size_t, size_t, size_t, CopyKind))     \
  F(hipMemset,                                      (void*, int, size_t))                                               \
  F(hipMemsetAsync,                                 (void*, int, size_t, Stream))                                       \
  F(hipMemsetD32,                                   (void*, int, size_t))                                               \
  F(hipStreamCreateWithFlags,                       (Stream*, unsigned))                                                \
  F(hipStreamCreateWithPriority,                    (Stream*, unsigned, int))                                           \
  F(hipDeviceGetStreamPriorityRange,                (int*, int*))                                                       \
  F(hipStreamDestroy,                               (Stream))                                                           \
  F(hipStreamSynchronize,                           (Stream))                                                           \
  F(hipStreamQuery,                                 (Stream))                                                           \
  F(hipStreamWaitEvent,                             (Stream, Event, unsigned))                                          \
  F(hipStreamWaitValue32,                           (Stream, void*, uint32_t, unsigned, uint32_t))                      \
  F(hipStreamWriteValue32,                          (Stream, void*, uint32_t, unsigned))                                \
  F(hipStreamAddCallback,                           (Stream, StreamCallback, void*, unsigned))                        \
  F(hipEventCreateWithFlags,                        (Event*, unsigned))                                                 \
  F(hipEventRecord,                                 (Event, Stream))                                                    \
  F(hipEventQuery,                                  (Event))                                                            \
  F(hipEventSynchronize,                            (Event))                                                            \
  F(hipEventElapsedTime,                            (float*, Event, Event))                                             \
  F(hipEventDestroy,                                (Event))                                                            \
  F(hipModuleLoadData,                              (Module*, const void*))                                             \
  F(hipModuleUnload,                                (Module))                                                           \
  F(hipModuleGetFunction,                           (Function*, Module, const char*))                                   \
  F(hipModuleGetGlobal,                             (void**, size_t*, Module, const char*))                             \
  F(hipModuleLaunchKernel,                          (Function, unsigned, unsigned, unsigned, unsigned, unsigned,        \
                                                     unsigned, unsigned, Stream, void**, void**))                      \
  F(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor, (int*, Function, int, size_t))                                  \
  F(hipStreamBeginCapture,                          (Stream, CaptureMode))                                              \
  F(hipStreamEndCapture,                            (Stream, Graph*))                                                   \
  F(hipGraphInstantiate,                            (GraphExec*, Graph, void*, char*, size_t))                          \
  F(hipGraphLaunch,                                 (GraphExec, Stream))                                                \
  F(hipGraphExecDestroy,                            (GraphExec))                                                        \
  F(hipGraphDestroy,                                (Graph))
// clang-format on

#define F(name, parameters) inline int(*name) parameters = nullptr;
PTXSHIM_HIP_FUNCTIONS(F)
#undef F

inline ptxshim_vgpu_last_fault_t last_fault_of = nullptr;
inline ptxshim_vgpu_clear_fault_t clear_fault_of = nullptr;
inline int last_fault(ptxshim_vgpu_fault* fault) { return last_fault_of ? last_fault_of(0, fault) : 0; }
inline void clear_fault() {
  if (clear_fault_of) clear_fault_of(0);
}

// Loads HIP, activates the virtual GPU (PTXSHIM_GFX where nothing else is said) and initialises it, once per process. Empty when all went well,
// "absent: ..." when this machine has no HIP runtime, else the problem.
const std::string& load(uint32_t flags = PTXSHIM_VGPU_QUIET, const char* gfx = PTXSHIM_GFX);

// Another function of the runtime, once it is loaded.
void* find_symbol(const char* name);
template <class T> bool find_function(const char* name, T& function) {
  function = reinterpret_cast<T>(find_symbol(name));
  return function != nullptr;
}

// The tests' code object for a device.
const std::vector<char>& code_object(const std::string& gfx = PTXSHIM_GFX);

} // namespace hip
