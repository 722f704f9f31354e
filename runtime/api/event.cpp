// SPDX-License-Identifier: MIT
// Events. CUDA defines what HIP leaves open: an event that was never recorded counts as complete, and has no time.
#include "bodies.h"
#include "context.h"
#include "graph.h"

namespace ptxshim::api {

CUresult cuEventCreate(CUevent* out, unsigned flags) {
  constexpr unsigned kKnown = CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
  if (!out || (flags & ~kKnown)) return CUDA_ERROR_INVALID_VALUE;
  if ((flags & CU_EVENT_INTERPROCESS) && !(flags & CU_EVENT_DISABLE_TIMING)) return CUDA_ERROR_INVALID_VALUE;
  if (flags & CU_EVENT_INTERPROCESS) return CUDA_ERROR_NOT_SUPPORTED;
  hip::Event created = nullptr;
  if (const hip::Error failed = hip::api.hipEventCreateWithFlags(&created, flags)) return result_of(failed); // equal numbers
  Event* const event = events.create();
  if (!event) {
    static_cast<void>(hip::api.hipEventDestroy(created));
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  event->context = current();
  event->hip = created;
  event->flags = flags;
  *out = events.handle(event);
  return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent handle) {
  Event* const event = events.find(handle);
  if (!event) return CUDA_ERROR_INVALID_HANDLE;
  const hip::Event hip_event = event->hip;
  if (!events.destroy(event)) return CUDA_ERROR_INVALID_HANDLE;
  return result_of(hip::api.hipEventDestroy(hip_event));
}

CUresult cuEventRecord(CUevent handle, CUstream stream_handle) {
  Event* const event = events.find(handle);
  const StreamArgument stream = resolve(stream_handle);
  if (!event || !stream.valid) return CUDA_ERROR_INVALID_HANDLE;
  if (event->context != (stream.object ? stream.object->context : current())) return CUDA_ERROR_INVALID_HANDLE;
  if (is_capturing(stream.object)) {
    record_event(*stream.object, *event);
    return CUDA_SUCCESS;
  }
  event->capture.reset();
  event->captured.clear();
  const CUresult result = result_of(hip::api.hipEventRecord(event->hip, stream.hip));
  if (result == CUDA_SUCCESS) event->recorded.store(true);
  return result;
}

CUresult cuEventRecordWithFlags(CUevent handle, CUstream stream, unsigned flags) {
  if (flags & ~static_cast<unsigned>(CU_EVENT_RECORD_EXTERNAL)) return CUDA_ERROR_INVALID_VALUE;
  return cuEventRecord(handle, stream);
}

CUresult cuEventQuery(CUevent handle) {
  Event* const event = events.find(handle);
  if (!event) return CUDA_ERROR_INVALID_HANDLE;
  if (event->capture) return CUDA_ERROR_CAPTURED_EVENT;
  return event->recorded.load() ? waited(hip::api.hipEventQuery(event->hip)) : CUDA_SUCCESS;
}

CUresult cuEventSynchronize(CUevent handle) {
  Event* const event = events.find(handle);
  if (!event) return CUDA_ERROR_INVALID_HANDLE;
  if (event->capture) return CUDA_ERROR_CAPTURED_EVENT;
  return event->recorded.load() ? waited(hip::api.hipEventSynchronize(event->hip)) : CUDA_SUCCESS;
}

CUresult cuEventElapsedTime(float* milliseconds, CUevent start_handle, CUevent end_handle) {
  if (!milliseconds) return CUDA_ERROR_INVALID_VALUE;
  Event* const start = events.find(start_handle);
  Event* const end = events.find(end_handle);
  if (!start || !end || start->context != end->context) return CUDA_ERROR_INVALID_HANDLE;
  if ((start->flags | end->flags) & CU_EVENT_DISABLE_TIMING) return CUDA_ERROR_INVALID_HANDLE;
  if (!start->recorded.load() || !end->recorded.load()) return CUDA_ERROR_INVALID_HANDLE;
  return waited(hip::api.hipEventElapsedTime(milliseconds, start->hip, end->hip));
}

} // namespace ptxshim::api
