// SPDX-License-Identifier: MIT
// Linear copies. Every device side is checked against the registry (memory.h); a host side is the application's word. The synchronous forms wait in
// the legacy default stream, their _ptds forms in the thread's own.
#include "bodies.h"
#include "context.h"
#include "graph.h"
#include "memory.h"

namespace ptxshim::api {

namespace {

// A synchronous copy in the default stream that applies.
CUresult copy_now(void* to, const void* from, size_t bytes, hip::MemcpyKind kind) {
  if (!thread.per_thread_default) return waited(hip::api.hipMemcpy(to, from, bytes, kind));
  const hip::Stream stream = hip::stream_per_thread();
  if (const hip::Error failed = hip::api.hipMemcpyAsync(to, from, bytes, kind, stream)) return result_of(failed);
  return waited(hip::api.hipStreamSynchronize(stream));
}

// The side of a copy that must be memory of ours.
CUresult check_device(CUdeviceptr address, size_t bytes) {
  return is_device_range(address, bytes) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult check_host(const void* address, size_t bytes) {
  return is_program_range(reinterpret_cast<uintptr_t>(address), bytes) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult first_of(CUresult a, CUresult b) { return a != CUDA_SUCCESS ? a : b; }

CUresult copy_in_stream(void* to, const void* from, size_t bytes, hip::MemcpyKind kind, CUstream handle) {
  const StreamArgument stream = resolve(handle);
  if (!stream.valid) return CUDA_ERROR_INVALID_HANDLE;
  if (is_capturing(stream.object))
    return record(*stream.object, CU_GRAPH_NODE_TYPE_MEMCPY, [=](hip::Stream at) {
      return result_of(hip::api.hipMemcpyAsync(to, from, bytes, kind, at));
    });
  return result_of(hip::api.hipMemcpyAsync(to, from, bytes, kind, stream.hip));
}

// Any mixture of host and device.
CUresult check_any(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return is_plausible_range(to, bytes) && is_plausible_range(from, bytes) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

} // namespace

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, size_t bytes) {
  if (bytes == 0) return CUDA_SUCCESS;
  const CUresult checked = first_of(check_device(to, bytes), check_host(from, bytes));
  return checked == CUDA_SUCCESS ? copy_now(pointer(to), from, bytes, hip::kHostToDevice) : checked;
}

CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, size_t bytes) {
  if (bytes == 0) return CUDA_SUCCESS;
  const CUresult checked = first_of(check_host(to, bytes), check_device(from, bytes));
  return checked == CUDA_SUCCESS ? copy_now(to, pointer(from), bytes, hip::kDeviceToHost) : checked;
}

CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  if (bytes == 0) return CUDA_SUCCESS;
  const CUresult checked = first_of(check_device(to, bytes), check_device(from, bytes));
  if (checked != CUDA_SUCCESS) return checked;
  // Asynchronous with respect to the host, as CUDA defines copies within the device.
  return result_of(hip::api.hipMemcpyAsync(pointer(to), pointer(from), bytes, hip::kDeviceToDevice, synchronous_stream()));
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
  if (bytes == 0) return resolve(stream).valid ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  const CUresult checked = first_of(check_device(to, bytes), check_host(from, bytes));
  return checked == CUDA_SUCCESS ? copy_in_stream(pointer(to), from, bytes, hip::kHostToDevice, stream) : checked;
}

CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  if (bytes == 0) return resolve(stream).valid ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  const CUresult checked = first_of(check_host(to, bytes), check_device(from, bytes));
  return checked == CUDA_SUCCESS ? copy_in_stream(to, pointer(from), bytes, hip::kDeviceToHost, stream) : checked;
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  if (bytes == 0) return resolve(stream).valid ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  const CUresult checked = first_of(check_device(to, bytes), check_device(from, bytes));
  return checked == CUDA_SUCCESS ? copy_in_stream(pointer(to), pointer(from), bytes, hip::kDeviceToDevice, stream) : checked;
}

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  if (bytes == 0) return CUDA_SUCCESS;
  const CUresult checked = check_any(to, from, bytes);
  return checked == CUDA_SUCCESS ? copy_now(pointer(to), pointer(from), bytes, hip::kDefault) : checked;
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  if (bytes == 0) return resolve(stream).valid ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  const CUresult checked = check_any(to, from, bytes);
  return checked == CUDA_SUCCESS ? copy_in_stream(pointer(to), pointer(from), bytes, hip::kDefault, stream) : checked;
}

CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes) {
  if (!contexts.find(to_context) || !contexts.find(from_context)) return CUDA_ERROR_INVALID_CONTEXT;
  if (bytes == 0) return CUDA_SUCCESS;
  const CUresult checked = first_of(check_device(to, bytes), check_device(from, bytes));
  return checked == CUDA_SUCCESS ? copy_now(pointer(to), pointer(from), bytes, hip::kDefault) : checked;
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes,
                           CUstream stream) {
  if (!contexts.find(to_context) || !contexts.find(from_context)) return CUDA_ERROR_INVALID_CONTEXT;
  if (bytes == 0) return resolve(stream).valid ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  const CUresult checked = first_of(check_device(to, bytes), check_device(from, bytes));
  return checked == CUDA_SUCCESS ? copy_in_stream(pointer(to), pointer(from), bytes, hip::kDefault, stream) : checked;
}

} // namespace ptxshim::api
