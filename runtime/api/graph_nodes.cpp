// SPDX-License-Identifier: MIT
// Nodes of the explicit interface: what each kind does when it runs.
#include "graph.h"
#include "bodies.h"
#include "context.h"
#include "copy_work.h"

namespace ptxshim::api {

namespace {

// Adds a node that does `work`; the checks that all kinds share.
CUresult add(CUgraphNode* out, CUgraph handle, const CUgraphNode* after, size_t count, CUgraphNodeType type, GraphNode** added) {
  Graph* const graph = graphs.find(handle);
  std::vector<GraphNode*> dependencies;
  if (!out || !graph || !find_nodes(dependencies, *graph, after, count)) return CUDA_ERROR_INVALID_VALUE;
  *added = add_node(*graph, type, std::move(dependencies));
  if (!*added) return CUDA_ERROR_OUT_OF_MEMORY;
  *out = graph_nodes.handle(*added);
  return CUDA_SUCCESS;
}

CUresult add_work(CUgraphNode* out, CUgraph graph, const CUgraphNode* after, size_t count, CUgraphNodeType type, Work work) {
  GraphNode* node = nullptr;
  const CUresult result = add(out, graph, after, count, type, &node);
  if (result == CUDA_SUCCESS) node->work = std::move(work);
  return result;
}

CUresult kernel_work(std::shared_ptr<const KernelWork>& out, const CUDA_KERNEL_NODE_PARAMS* p) {
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  auto work = std::make_shared<KernelWork>();
  const CUfunction function = p->func ? p->func : reinterpret_cast<CUfunction>(p->kern);
  const Shape shape{{p->gridDimX, p->gridDimY, p->gridDimZ}, {p->blockDimX, p->blockDimY, p->blockDimZ}, p->sharedMemBytes};
  const CUresult result = make_kernel_work(*work, function, shape, p->kernelParams, p->extra, false);
  if (result == CUDA_SUCCESS) out = std::move(work);
  return result;
}

} // namespace

CUresult cuGraphAddEmptyNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* after, size_t count) {
  GraphNode* node = nullptr;
  return add(out, graph, after, count, CU_GRAPH_NODE_TYPE_EMPTY, &node);
}

CUresult cuGraphAddKernelNode_v2(CUgraphNode* out, CUgraph graph, const CUgraphNode* after, size_t count,
                                 const CUDA_KERNEL_NODE_PARAMS* parameters) {
  std::shared_ptr<const KernelWork> work;
  if (const CUresult failed = kernel_work(work, parameters); failed != CUDA_SUCCESS) return failed;
  GraphNode* node = nullptr;
  const CUresult result = add(out, graph, after, count, CU_GRAPH_NODE_TYPE_KERNEL, &node);
  if (result == CUDA_SUCCESS) node->kernel = std::move(work);
  return result;
}

CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode handle, CUDA_KERNEL_NODE_PARAMS* parameters) {
  const GraphNode* const node = graph_nodes.find(handle);
  if (!node || !node->kernel || !parameters) return CUDA_ERROR_INVALID_VALUE;
  const KernelWork& work = *node->kernel;
  *parameters = {};
  parameters->func = work.function;
  parameters->gridDimX = work.shape.grid[0];
  parameters->gridDimY = work.shape.grid[1];
  parameters->gridDimZ = work.shape.grid[2];
  parameters->blockDimX = work.shape.block[0];
  parameters->blockDimY = work.shape.block[1];
  parameters->blockDimZ = work.shape.block[2];
  parameters->sharedMemBytes = work.shape.shared_bytes;
  parameters->kernelParams = const_cast<void**>(work.pointers.data()); // valid while the node has these parameters
  return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode handle, const CUDA_KERNEL_NODE_PARAMS* parameters) {
  GraphNode* const node = graph_nodes.find(handle);
  if (!node || !node->kernel) return CUDA_ERROR_INVALID_VALUE;
  return kernel_work(node->kernel, parameters);
}

CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec_handle, CUgraphNode handle, const CUDA_KERNEL_NODE_PARAMS* parameters) {
  GraphExec* const exec = graph_execs.find(exec_handle);
  const GraphNode* const node = graph_nodes.find(handle);
  if (!exec || !node) return CUDA_ERROR_INVALID_VALUE;
  for (GraphExec::Step& step : exec->steps)
    if (step.source == node && step.kernel) return kernel_work(step.kernel, parameters);
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphAddMemcpyNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* after, size_t count, const CUDA_MEMCPY3D* copy,
                              CUcontext) {
  Work work;
  const CUresult result = copy_work(work, copy);
  return result == CUDA_SUCCESS ? add_work(out, graph, after, count, CU_GRAPH_NODE_TYPE_MEMCPY, std::move(work)) : result;
}

CUresult cuGraphAddMemsetNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* after, size_t count,
                              const CUDA_MEMSET_NODE_PARAMS* fill, CUcontext) {
  Work work;
  const CUresult result = fill_work(work, fill);
  return result == CUDA_SUCCESS ? add_work(out, graph, after, count, CU_GRAPH_NODE_TYPE_MEMSET, std::move(work)) : result;
}

CUresult cuGraphAddHostNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* after, size_t count,
                            const CUDA_HOST_NODE_PARAMS* parameters) {
  if (!parameters || !parameters->fn) return CUDA_ERROR_INVALID_VALUE;
  return add_work(out, graph, after, count, CU_GRAPH_NODE_TYPE_HOST, [call = *parameters](hip::Stream stream) {
    return result_of(hip::launch_host_function(stream, call.fn, call.userData));
  });
}

CUresult cuGraphAddEventRecordNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* after, size_t count, CUevent handle) {
  if (!events.find(handle)) return CUDA_ERROR_INVALID_HANDLE;
  return add_work(out, graph, after, count, CU_GRAPH_NODE_TYPE_EVENT_RECORD, [handle](hip::Stream stream) {
    Event* const event = events.find(handle);
    if (!event) return CUDA_ERROR_INVALID_HANDLE;
    const CUresult result = result_of(hip::api.hipEventRecord(event->hip, stream));
    if (result == CUDA_SUCCESS) event->recorded.store(true);
    return result;
  });
}

CUresult cuGraphAddEventWaitNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* after, size_t count, CUevent handle) {
  if (!events.find(handle)) return CUDA_ERROR_INVALID_HANDLE;
  return add_work(out, graph, after, count, CU_GRAPH_NODE_TYPE_WAIT_EVENT, [handle](hip::Stream stream) {
    const Event* const event = events.find(handle);
    if (!event) return CUDA_ERROR_INVALID_HANDLE;
    return event->recorded.load() ? result_of(hip::api.hipStreamWaitEvent(stream, event->hip, 0)) : CUDA_SUCCESS;
  });
}

CUresult cuGraphAddChildGraphNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* after, size_t count, CUgraph child) {
  if (!graphs.find(child)) return CUDA_ERROR_INVALID_VALUE;
  GraphNode* node = nullptr;
  if (const CUresult failed = add(out, graph, after, count, CU_GRAPH_NODE_TYPE_GRAPH, &node); failed != CUDA_SUCCESS) return failed;
  CUgraph copy = nullptr;
  const CUresult cloned = cuGraphClone(&copy, child);
  if (cloned != CUDA_SUCCESS) {
    cuGraphDestroyNode(*out);
    return cloned;
  }
  node->child = graphs.find(copy);
  node->child->is_child = true;
  return CUDA_SUCCESS;
}

CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode handle, CUgraph* out) {
  const GraphNode* const node = graph_nodes.find(handle);
  if (!node || !node->child || !out) return CUDA_ERROR_INVALID_VALUE;
  *out = graphs.handle(node->child);
  return CUDA_SUCCESS;
}

} // namespace ptxshim::api
