// SPDX-License-Identifier: MIT
// Stream capture: operations in a capturing stream become nodes of a graph. Each stream that takes part remembers its last nodes; an event
// recorded in one carries them to others, which thereby join. What a capture cannot hold makes it invalid, which cuStreamEndCapture tells.
//
// Default streams cannot be captured (CUDA allows the per-thread one; that is not done). Calls that CUDA forbids in every thread while a
// capture of mode GLOBAL runs, such as cuMemAlloc, are allowed here.
#include "graph.h"
#include "bodies.h"
#include "context.h"

#include <algorithm>

namespace ptxshim::api {

namespace {

CUresult append(Stream& stream, CUgraphNodeType type, GraphNode** added) {
  Capture& capture = *stream.capture;
  if (capture.invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  GraphNode* const node = add_node(*capture.graph, type, stream.tails);
  if (!node) return CUDA_ERROR_OUT_OF_MEMORY;
  stream.tails = {node};
  *added = node;
  return CUDA_SUCCESS;
}

void join(Stream& stream, const std::shared_ptr<Capture>& capture) {
  stream.capture = capture;
  stream.tails.clear();
  capture->streams.push_back(&stream);
}

// Every stream that joined must have been waited for by the origin: its last nodes are before the origin's.
bool all_joined(const Capture& capture) {
  std::vector<const GraphNode*> reached(capture.origin->tails.begin(), capture.origin->tails.end());
  for (size_t i = 0; i < reached.size(); ++i)
    for (const GraphNode* before : reached[i]->after)
      if (std::find(reached.begin(), reached.end(), before) == reached.end()) reached.push_back(before);
  for (const Stream* stream : capture.streams)
    for (const GraphNode* tail : stream->tails)
      if (std::find(reached.begin(), reached.end(), tail) == reached.end()) return false;
  return true;
}

CUresult info(Stream* stream, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph, const CUgraphNode** nodes, size_t* count) {
  const Capture* const capture = stream ? stream->capture.get() : nullptr;
  *status = !capture ? CU_STREAM_CAPTURE_STATUS_NONE
                     : capture->invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED : CU_STREAM_CAPTURE_STATUS_ACTIVE;
  if (!capture || capture->invalid) return CUDA_SUCCESS;
  if (id) *id = capture->id;
  if (graph) *graph = graphs.handle(capture->graph);
  if (count) *count = stream->tails.size();
  if (nodes) { // a handle is the address of its node
    static_assert(sizeof(CUgraphNode) == sizeof(GraphNode*));
    *nodes = reinterpret_cast<const CUgraphNode*>(stream->tails.data());
  }
  return CUDA_SUCCESS;
}

} // namespace

CUresult record(Stream& stream, CUgraphNodeType type, Work work) {
  GraphNode* node = nullptr;
  const CUresult result = append(stream, type, &node);
  if (result == CUDA_SUCCESS) node->work = std::move(work);
  return result;
}

CUresult record_kernel(Stream& stream, std::shared_ptr<const KernelWork> work) {
  GraphNode* node = nullptr;
  const CUresult result = append(stream, CU_GRAPH_NODE_TYPE_KERNEL, &node);
  if (result == CUDA_SUCCESS) node->kernel = std::move(work);
  return result;
}

void record_event(Stream& stream, Event& event) {
  event.capture = stream.capture;
  event.captured = stream.tails;
}

CUresult wait_for_recorded_event(Stream& stream, const Event& event) {
  if (!event.capture) { // work outside of the capture
    stream.capture->invalid = true;
    return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
  }
  if (!event.capture->graph) return CUDA_ERROR_CAPTURED_EVENT; // of a capture that has ended
  if (!stream.capture) join(stream, event.capture);
  if (stream.capture != event.capture) {
    stream.capture->invalid = event.capture->invalid = true;
    return CUDA_ERROR_STREAM_CAPTURE_MERGE;
  }
  for (GraphNode* node : event.captured)
    if (std::find(stream.tails.begin(), stream.tails.end(), node) == stream.tails.end()) stream.tails.push_back(node);
  return CUDA_SUCCESS;
}

CUresult refuse_capture(Stream& stream) {
  stream.capture->invalid = true;
  return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

void leave_capture(Stream& stream) {
  if (!stream.capture) return;
  stream.capture->invalid = true;
  std::erase(stream.capture->streams, &stream);
  if (stream.capture->origin == &stream && stream.capture->graph) {
    for (Stream* other : stream.capture->streams) other->tails.clear();
    destroy_graph(*stream.capture->graph);
    stream.capture->graph = nullptr;
  }
  stream.capture.reset();
}

CUresult cuStreamBeginCapture_v2(CUstream handle, CUstreamCaptureMode mode) {
  if (mode < CU_STREAM_CAPTURE_MODE_GLOBAL || mode > CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_ERROR_INVALID_VALUE;
  const StreamArgument stream = resolve(handle);
  if (!stream.valid) return CUDA_ERROR_INVALID_HANDLE;
  if (!stream.object) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED; // a default stream
  if (stream.object->capture) return CUDA_ERROR_ILLEGAL_STATE;
  auto capture = std::make_shared<Capture>();
  capture->graph = graphs.create();
  if (!capture->graph) return CUDA_ERROR_OUT_OF_MEMORY;
  capture->origin = stream.object;
  capture->mode = mode;
  capture->id = next_id();
  capture->thread = pthread_self();
  join(*stream.object, capture);
  return CUDA_SUCCESS;
}

CUresult cuStreamBeginCapture(CUstream stream) { return cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL); }

CUresult cuStreamEndCapture(CUstream handle, CUgraph* out) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  const StreamArgument stream = resolve(handle);
  if (!stream.valid) return CUDA_ERROR_INVALID_HANDLE;
  *out = nullptr;
  if (!is_capturing(stream.object)) return CUDA_ERROR_ILLEGAL_STATE;
  const std::shared_ptr<Capture> capture = stream.object->capture;
  if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED && !pthread_equal(capture->thread, pthread_self()))
    return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
  if (capture->origin != stream.object) {
    capture->invalid = true;
    return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  }
  CUresult result = CUDA_SUCCESS;
  if (capture->invalid || !capture->graph)
    result = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  else if (!all_joined(*capture))
    result = CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
  for (Stream* member : capture->streams) {
    member->capture.reset();
    member->tails.clear();
  }
  if (result == CUDA_SUCCESS)
    *out = graphs.handle(capture->graph);
  else if (capture->graph)
    destroy_graph(*capture->graph);
  capture->graph = nullptr;
  return result;
}

CUresult cuStreamIsCapturing(CUstream handle, CUstreamCaptureStatus* status) {
  return cuStreamGetCaptureInfo_v2(handle, status, nullptr, nullptr, nullptr, nullptr);
}

CUresult cuStreamGetCaptureInfo(CUstream handle, CUstreamCaptureStatus* status, cuuint64_t* id) {
  return cuStreamGetCaptureInfo_v2(handle, status, id, nullptr, nullptr, nullptr);
}

CUresult cuStreamGetCaptureInfo_v2(CUstream handle, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph,
                                   const CUgraphNode** nodes, size_t* count) {
  if (!status) return CUDA_ERROR_INVALID_VALUE;
  const StreamArgument stream = resolve(handle);
  return stream.valid ? info(stream.object, status, id, graph, nodes, count) : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuStreamGetCaptureInfo_v3(CUstream handle, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph,
                                   const CUgraphNode** nodes, const CUgraphEdgeData** edges, size_t* count) {
  if (edges) *edges = nullptr; // all edges are plain
  return cuStreamGetCaptureInfo_v2(handle, status, id, graph, nodes, count);
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  if (!mode || *mode < CU_STREAM_CAPTURE_MODE_GLOBAL || *mode > CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_ERROR_INVALID_VALUE;
  static thread_local CUstreamCaptureMode in_use __attribute__((tls_model("initial-exec"))) = CU_STREAM_CAPTURE_MODE_GLOBAL;
  std::swap(*mode, in_use);
  return CUDA_SUCCESS;
}

} // namespace ptxshim::api
