// SPDX-License-Identifier: MIT
// Streams are HIP's, with what CUDA lets one ask about them. The default streams are no objects: 0 and CU_STREAM_LEGACY are HIP's null
// stream, CU_STREAM_PER_THREAD is HIP's of the same meaning; resolve() in context.h makes the difference.
#include "bodies.h"
#include "context.h"
#include "graph.h"
#include "pool.h"

#include <algorithm>

namespace ptxshim::api {

namespace {

// The id of a default stream; those of created ones come from the same counter and start behind.
constexpr unsigned long long kLegacyStreamId = 1;
constexpr unsigned long long kPerThreadStreamId = 2;

struct Callback {
  CUstreamCallback function;
  CUstream stream;
  void* user_data;
};

void run_callback(hip::Stream, hip::Error status, void* data) {
  const std::unique_ptr<Callback> callback(static_cast<Callback*>(data));
  callback->function(callback->stream, hip::to_cuda(status), callback->user_data);
}

} // namespace

CUresult cuStreamCreateWithPriority(CUstream* out, unsigned flags, int priority) {
  if (!out || (flags & ~static_cast<unsigned>(CU_STREAM_NON_BLOCKING))) return CUDA_ERROR_INVALID_VALUE;
  int least = 0, greatest = 0;
  if (const hip::Error failed = hip::api.hipDeviceGetStreamPriorityRange(&least, &greatest)) return result_of(failed);
  priority = std::clamp(priority, greatest, least); // lower numbers are greater priorities
  hip::Stream created = nullptr;
  if (const hip::Error failed = hip::api.hipStreamCreateWithPriority(&created, flags, priority)) return result_of(failed);
  Stream* const stream = streams.create();
  if (!stream) {
    static_cast<void>(hip::api.hipStreamDestroy(created));
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  stream->context = current();
  stream->hip = created;
  stream->flags = flags;
  stream->priority = priority;
  stream->id = next_id() + kPerThreadStreamId;
  *out = streams.handle(stream);
  return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream* out, unsigned flags) { return cuStreamCreateWithPriority(out, flags, 0); }

CUresult cuStreamDestroy_v2(CUstream handle) {
  Stream* const stream = streams.find(handle);
  if (!stream) return CUDA_ERROR_INVALID_HANDLE;
  const hip::Stream hip_stream = stream->hip;
  leave_capture(*stream);
  forget_stream_in_pools(hip_stream);
  if (!streams.destroy(stream)) return CUDA_ERROR_INVALID_HANDLE;
  return result_of(hip::api.hipStreamDestroy(hip_stream)); // HIP ends what is enqueued first
}

CUresult cuStreamSynchronize(CUstream handle) {
  const StreamArgument stream = resolve(handle);
  if (!stream.valid) return CUDA_ERROR_INVALID_HANDLE;
  if (is_capturing(stream.object)) return refuse_capture(*stream.object);
  return waited(hip::api.hipStreamSynchronize(stream.hip));
}

CUresult cuStreamQuery(CUstream handle) {
  const StreamArgument stream = resolve(handle);
  if (!stream.valid) return CUDA_ERROR_INVALID_HANDLE;
  if (is_capturing(stream.object)) return refuse_capture(*stream.object);
  return waited(hip::api.hipStreamQuery(stream.hip));
}

CUresult cuStreamWaitEvent(CUstream handle, CUevent event_handle, unsigned flags) {
  const StreamArgument stream = resolve(handle);
  Event* const event = events.find(event_handle);
  if (!stream.valid || !event) return CUDA_ERROR_INVALID_HANDLE;
  if (flags & ~static_cast<unsigned>(CU_EVENT_WAIT_EXTERNAL)) return CUDA_ERROR_INVALID_VALUE;
  if (is_capturing(stream.object)) return wait_for_recorded_event(*stream.object, *event);
  if (event->capture) return stream.object ? wait_for_recorded_event(*stream.object, *event) : CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  if (!event->recorded.load()) return CUDA_SUCCESS; // nothing to wait for
  return result_of(hip::api.hipStreamWaitEvent(stream.hip, event->hip, 0));
}

CUresult cuStreamAddCallback(CUstream handle, CUstreamCallback function, void* user_data, unsigned flags) {
  const StreamArgument stream = resolve(handle);
  if (!stream.valid) return CUDA_ERROR_INVALID_HANDLE;
  if (!function || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  if (is_capturing(stream.object)) return refuse_capture(*stream.object);
  auto callback = std::make_unique<Callback>(Callback{function, handle, user_data});
  const hip::Error result = hip::api.hipStreamAddCallback(stream.hip, &run_callback, callback.get(), 0);
  if (result == hip::kSuccess) static_cast<void>(callback.release());
  return result_of(result);
}

CUresult cuLaunchHostFunc(CUstream handle, CUhostFn function, void* user_data) {
  const StreamArgument stream = resolve(handle);
  if (!stream.valid) return CUDA_ERROR_INVALID_HANDLE;
  if (!function) return CUDA_ERROR_INVALID_VALUE;
  if (is_capturing(stream.object))
    return record(*stream.object, CU_GRAPH_NODE_TYPE_HOST,
                  [=](hip::Stream at) { return result_of(hip::launch_host_function(at, function, user_data)); });
  return result_of(hip::launch_host_function(stream.hip, function, user_data));
}

CUresult cuStreamGetFlags(CUstream handle, unsigned* flags) {
  if (!flags) return CUDA_ERROR_INVALID_VALUE;
  const StreamArgument stream = resolve(handle);
  if (!stream.valid) return CUDA_ERROR_INVALID_HANDLE;
  *flags = stream.object ? stream.object->flags : 0u; // CU_STREAM_DEFAULT
  return CUDA_SUCCESS;
}

CUresult cuStreamGetPriority(CUstream handle, int* priority) {
  if (!priority) return CUDA_ERROR_INVALID_VALUE;
  const StreamArgument stream = resolve(handle);
  if (!stream.valid) return CUDA_ERROR_INVALID_HANDLE;
  *priority = stream.object ? stream.object->priority : 0;
  return CUDA_SUCCESS;
}

CUresult cuStreamGetCtx(CUstream handle, CUcontext* context) {
  if (!context) return CUDA_ERROR_INVALID_VALUE;
  const StreamArgument stream = resolve(handle);
  if (!stream.valid) return CUDA_ERROR_INVALID_HANDLE;
  *context = contexts.handle(stream.object ? stream.object->context : current());
  return CUDA_SUCCESS;
}

CUresult cuStreamGetDevice(CUstream handle, CUdevice* device) {
  if (!device) return CUDA_ERROR_INVALID_VALUE;
  const StreamArgument stream = resolve(handle);
  if (!stream.valid) return CUDA_ERROR_INVALID_HANDLE;
  *device = (stream.object ? stream.object->context : current())->device->ordinal;
  return CUDA_SUCCESS;
}

CUresult cuStreamGetId(CUstream handle, unsigned long long* id) {
  if (!id) return CUDA_ERROR_INVALID_VALUE;
  const StreamArgument stream = resolve(handle);
  if (!stream.valid) return CUDA_ERROR_INVALID_HANDLE;
  *id = stream.object ? stream.object->id : stream.hip ? kPerThreadStreamId : kLegacyStreamId;
  return CUDA_SUCCESS;
}

// Managed memory is visible everywhere all the time, which covers every attachment.
CUresult cuStreamAttachMemAsync(CUstream handle, CUdeviceptr address, size_t, unsigned flags) {
  if (!resolve(handle).valid) return CUDA_ERROR_INVALID_HANDLE;
  if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST && flags != CU_MEM_ATTACH_SINGLE) return CUDA_ERROR_INVALID_VALUE;
  return address ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuStreamGetAttribute(CUstream handle, CUstreamAttrID attribute, CUstreamAttrValue* value) {
  if (!value) return CUDA_ERROR_INVALID_VALUE;
  const StreamArgument stream = resolve(handle);
  if (!stream.valid) return CUDA_ERROR_INVALID_HANDLE;
  *value = {};
  switch (attribute) {
  case CU_LAUNCH_ATTRIBUTE_PRIORITY: value->priority = stream.object ? stream.object->priority : 0; return CUDA_SUCCESS;
  case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:   // no window is set
  case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY: // automatic
  case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
  case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN: return CUDA_SUCCESS;
  default: return CUDA_ERROR_INVALID_VALUE; // attributes of launches
  }
}

// Hints about caches and waiting may be ignored; what would change results is refused.
CUresult cuStreamSetAttribute(CUstream handle, CUstreamAttrID attribute, const CUstreamAttrValue* value) {
  if (!value) return CUDA_ERROR_INVALID_VALUE;
  if (!resolve(handle).valid) return CUDA_ERROR_INVALID_HANDLE;
  switch (attribute) {
  case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
  case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
  case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
  case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN: return CUDA_SUCCESS;
  case CU_LAUNCH_ATTRIBUTE_PRIORITY: return CUDA_ERROR_NOT_SUPPORTED; // HIP fixes it at creation
  default: return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult cuStreamCopyAttributes(CUstream to, CUstream from) {
  return resolve(to).valid && resolve(from).valid ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

} // namespace ptxshim::api
