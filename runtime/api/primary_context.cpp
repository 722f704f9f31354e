// SPDX-License-Identifier: MIT
// Primary contexts: one per device, shared by everything in the process that uses the CUDA runtime. Its handle exists from cuInit on; it is active
// from the first retain to the last release or a reset. A reset does not release: who retained still has to.
#include "bodies.h"
#include "context.h"

namespace ptxshim::api {

namespace {

std::recursive_mutex& primary_mutex() { // destructors of local values may call back
  static std::recursive_mutex* const kMutex = new std::recursive_mutex;
  return *kMutex;
}

void deactivate(Device& device) {
  Context& context = *device.primary;
  if (!context.active.load()) return;
  Context* const previous = thread.current;
  make_current(&context);
  empty_context(context);
  make_current(previous);
  context.active.store(false, std::memory_order_release);
}

} // namespace

CUresult cuDevicePrimaryCtxRetain(CUcontext* out, CUdevice ordinal) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  Device* const device = find_device(ordinal);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  const std::lock_guard lock(primary_mutex());
  ++device->retained;
  device->primary->active.store(true, std::memory_order_release);
  *out = contexts.handle(device->primary);
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice ordinal) {
  Device* const device = find_device(ordinal);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  const std::lock_guard lock(primary_mutex());
  if (device->retained == 0) return CUDA_ERROR_INVALID_CONTEXT;
  if (--device->retained == 0) deactivate(*device);
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice ordinal) {
  Device* const device = find_device(ordinal);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  const std::lock_guard lock(primary_mutex());
  deactivate(*device);
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice ordinal, unsigned flags) {
  Device* const device = find_device(ordinal);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  const unsigned scheduling = flags & CU_CTX_SCHED_MASK;
  if ((flags & ~static_cast<unsigned>(CU_CTX_FLAGS_MASK)) || (scheduling & (scheduling - 1))) return CUDA_ERROR_INVALID_VALUE;
  device->primary->flags.store(flags);
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice ordinal, unsigned* flags, int* active) {
  if (!flags || !active) return CUDA_ERROR_INVALID_VALUE;
  const Device* const device = find_device(ordinal);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  *flags = device->primary->flags.load();
  *active = device->primary->active.load() ? 1 : 0;
  return CUDA_SUCCESS;
}

} // namespace ptxshim::api
