// SPDX-License-Identifier: MIT
// Executable graphs: a graph's operations copied into one order. Later changes to the graph do not reach it.
#include "graph.h"
#include "bodies.h"
#include "context.h"

namespace ptxshim::api {

namespace {

constexpr unsigned long long kDeviceLaunch = 4; // CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH
constexpr unsigned long long kKnownFlags = 15;

// Children are replaced by what they consist of.
CUresult flatten(std::vector<GraphExec::Step>& steps, std::vector<std::shared_ptr<GraphMemory>>& memory, const Graph& graph) {
  std::vector<GraphNode*> nodes;
  if (!ordered(nodes, graph)) return CUDA_ERROR_INVALID_VALUE;
  memory.push_back(graph.memory);
  for (const GraphNode* node : nodes) {
    if (node->child) {
      if (const CUresult failed = flatten(steps, memory, *node->child); failed != CUDA_SUCCESS) return failed;
    } else {
      steps.push_back({node, node->type, node->work, node->kernel});
    }
  }
  return CUDA_SUCCESS;
}

CUgraphExecUpdateResult difference(const GraphExec& exec, const std::vector<GraphExec::Step>& steps, const GraphNode*& where) {
  if (steps.size() != exec.steps.size()) return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].type == exec.steps[i].type) continue;
    where = steps[i].source;
    return CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
  }
  return CU_GRAPH_EXEC_UPDATE_SUCCESS;
}

} // namespace

CUresult cuGraphInstantiateWithFlags(CUgraphExec* out, CUgraph handle, unsigned long long flags) {
  const Graph* const graph = graphs.find(handle);
  if (!out || !graph || (flags & ~kKnownFlags)) return CUDA_ERROR_INVALID_VALUE;
  if (flags & kDeviceLaunch) return CUDA_ERROR_NOT_SUPPORTED;
  GraphExec* const exec = graph_execs.create();
  if (!exec) return CUDA_ERROR_OUT_OF_MEMORY;
  exec->flags = flags;
  const CUresult result = flatten(exec->steps, exec->memory, *graph);
  if (result == CUDA_SUCCESS)
    *out = graph_execs.handle(exec);
  else
    graph_execs.destroy(exec);
  return result;
}

CUresult cuGraphInstantiate_v2(CUgraphExec* out, CUgraph graph, CUgraphNode* error_node, char* log, size_t bytes) {
  if (error_node) *error_node = nullptr;
  if (log && bytes) log[0] = '\0';
  return cuGraphInstantiateWithFlags(out, graph, 0);
}

CUresult cuGraphInstantiateWithParams(CUgraphExec* out, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS* parameters) {
  if (!parameters) return CUDA_ERROR_INVALID_VALUE;
  parameters->hErrNode_out = nullptr;
  const CUresult result = cuGraphInstantiateWithFlags(out, graph, parameters->flags);
  parameters->result_out = result == CUDA_SUCCESS ? CUDA_GRAPH_INSTANTIATE_SUCCESS : CUDA_GRAPH_INSTANTIATE_ERROR;
  return result;
}

CUresult cuGraphLaunch(CUgraphExec handle, CUstream stream_handle) {
  const GraphExec* const exec = graph_execs.find(handle);
  if (!exec) return CUDA_ERROR_INVALID_VALUE;
  const StreamArgument stream = resolve(stream_handle);
  if (!stream.valid) return CUDA_ERROR_INVALID_HANDLE;
  for (const GraphExec::Step& step : exec->steps) {
    CUresult result = CUDA_SUCCESS;
    if (is_capturing(stream.object)) // a graph launched into a capture becomes part of it
      result = step.kernel ? record_kernel(*stream.object, step.kernel) : record(*stream.object, step.type, step.work);
    else if (step.kernel)
      result = run_kernel(*step.kernel, stream.hip);
    else if (step.work)
      result = step.work(stream.hip);
    if (result != CUDA_SUCCESS) return result;
  }
  return CUDA_SUCCESS;
}

CUresult cuGraphUpload(CUgraphExec handle, CUstream stream) {
  if (!graph_execs.find(handle)) return CUDA_ERROR_INVALID_VALUE;
  return resolve(stream).valid ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE; // there is nothing to prepare
}

// Launched work keeps nothing of the executable; memory that goes with it is given back when the device has ended its uses.
CUresult cuGraphExecDestroy(CUgraphExec handle) {
  GraphExec* const exec = graph_execs.find(handle);
  if (!exec) return CUDA_ERROR_INVALID_VALUE;
  graph_execs.destroy(exec);
  return CUDA_SUCCESS;
}

CUresult cuGraphExecGetFlags(CUgraphExec handle, cuuint64_t* flags) {
  const GraphExec* const exec = graph_execs.find(handle);
  if (!exec || !flags) return CUDA_ERROR_INVALID_VALUE;
  *flags = exec->flags;
  return CUDA_SUCCESS;
}

CUresult cuGraphExecUpdate_v2(CUgraphExec handle, CUgraph graph_handle, CUgraphExecUpdateResultInfo* info) {
  GraphExec* const exec = graph_execs.find(handle);
  const Graph* const graph = graphs.find(graph_handle);
  if (!exec || !graph || !info) return CUDA_ERROR_INVALID_VALUE;
  std::vector<GraphExec::Step> steps;
  std::vector<std::shared_ptr<GraphMemory>> memory;
  const GraphNode* where = nullptr;
  *info = {};
  if (const CUresult failed = flatten(steps, memory, *graph); failed != CUDA_SUCCESS) return failed;
  info->result = difference(*exec, steps, where);
  info->errorNode = graph_nodes.handle(const_cast<GraphNode*>(where));
  if (info->result != CU_GRAPH_EXEC_UPDATE_SUCCESS) return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  for (size_t i = 0; i < steps.size(); ++i) steps[i].source = exec->steps[i].source; // the nodes it was made from name it still
  exec->steps = std::move(steps);
  exec->memory = std::move(memory);
  return CUDA_SUCCESS;
}

} // namespace ptxshim::api
