// SPDX-License-Identifier: MIT
// Graphs, built on nothing but streams: HIP's own came late and differ between versions. A graph is a list of operations with dependencies;
// an executable one (graph_exec.cpp) replays them in an order that satisfies these, in the stream it is launched in. Branches that could overlap
// on an NVIDIA GPU run one after the other.
#include "graph.h"
#include "bodies.h"
#include "context.h"
#include "pool.h"

#include <algorithm>

namespace ptxshim::api {

constinit HandleTable<Graph, CUgraph, 1 << 18> graphs;
constinit HandleTable<GraphNode, CUgraphNode, 1 << 22> graph_nodes;
constinit HandleTable<GraphExec, CUgraphExec, 1 << 18> graph_execs;

GraphMemory::~GraphMemory() {
  if (!freed.empty()) static_cast<void>(hip::api.hipDeviceSynchronize()); // the last launch may still use it
  for (const Allocation& allocation : freed) static_cast<void>(give_back_to_pool(allocation, nullptr));
}

GraphNode* add_node(Graph& graph, CUgraphNodeType type, std::vector<GraphNode*> after) {
  GraphNode* const node = graph_nodes.create();
  if (!node) return nullptr;
  node->graph = &graph;
  node->type = type;
  node->after = std::move(after);
  graph.nodes.push_back(node);
  return node;
}

void destroy_graph(Graph& graph) {
  for (GraphNode* node : graph.nodes) {
    if (node->child) destroy_graph(*node->child);
    graph_nodes.destroy(node);
  }
  graphs.destroy(&graph);
}

bool find_nodes(std::vector<GraphNode*>& out, const Graph& graph, const CUgraphNode* handles, size_t count) {
  if (count > 0 && !handles) return false;
  for (size_t i = 0; i < count; ++i) {
    GraphNode* const node = graph_nodes.find(handles[i]);
    if (!node || node->graph != &graph || std::find(out.begin(), out.end(), node) != out.end()) return false;
    out.push_back(node);
  }
  return true;
}

// Kahn's algorithm; nodes that are free at the same time keep the order of their creation.
bool ordered(std::vector<GraphNode*>& out, const Graph& graph) {
  std::unordered_map<const GraphNode*, size_t> missing;
  std::unordered_map<const GraphNode*, std::vector<GraphNode*>> followers;
  std::vector<GraphNode*> ready;
  for (GraphNode* node : graph.nodes) {
    missing[node] = node->after.size();
    for (const GraphNode* before : node->after) followers[before].push_back(node);
    if (node->after.empty()) ready.push_back(node);
  }
  for (size_t i = 0; i < ready.size(); ++i) {
    out.push_back(ready[i]);
    for (GraphNode* follower : followers[ready[i]])
      if (--missing[follower] == 0) ready.push_back(follower);
  }
  return out.size() == graph.nodes.size();
}

namespace {

// The convention of all functions that list: without room they count; with room they fill, set the rest to null, and count what there is.
CUresult list(const std::vector<GraphNode*>& nodes, CUgraphNode* out, size_t* count) {
  if (!count) return CUDA_ERROR_INVALID_VALUE;
  if (out)
    for (size_t i = 0; i < *count; ++i) out[i] = i < nodes.size() ? graph_nodes.handle(nodes[i]) : nullptr;
  *count = out ? std::min(*count, nodes.size()) : nodes.size();
  return CUDA_SUCCESS;
}

// All edges are of the one kind there is here.
void clear_edges(CUgraphEdgeData* edges, const size_t* count) {
  if (edges && count) std::fill_n(edges, *count, CUgraphEdgeData{});
}

std::vector<GraphNode*> dependents(const GraphNode& node) {
  std::vector<GraphNode*> found;
  for (GraphNode* other : node.graph->nodes)
    if (std::find(other->after.begin(), other->after.end(), &node) != other->after.end()) found.push_back(other);
  return found;
}

Graph* clone(const Graph& graph) {
  Graph* const copy = graphs.create();
  if (!copy) return nullptr;
  copy->memory = graph.memory;
  std::unordered_map<const GraphNode*, GraphNode*> twins;
  for (const GraphNode* node : graph.nodes) {
    GraphNode* const twin = add_node(*copy, node->type, {});
    if (!twin) {
      destroy_graph(*copy);
      return nullptr;
    }
    twin->work = node->work;
    twin->kernel = node->kernel;
    if (node->child) twin->child = clone(*node->child);
    if (twin->child) twin->child->is_child = true;
    twins[node] = twin;
  }
  for (const GraphNode* node : graph.nodes)
    for (const GraphNode* before : node->after) twins[node]->after.push_back(twins[before]);
  return copy;
}

} // namespace

CUresult cuGraphCreate(CUgraph* out, unsigned flags) {
  if (!out || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  Graph* const graph = graphs.create();
  if (!graph) return CUDA_ERROR_OUT_OF_MEMORY;
  *out = graphs.handle(graph);
  return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph handle) {
  Graph* const graph = graphs.find(handle);
  if (!graph || graph->is_child) return CUDA_ERROR_INVALID_VALUE;
  destroy_graph(*graph);
  return CUDA_SUCCESS;
}

CUresult cuGraphClone(CUgraph* out, CUgraph handle) {
  const Graph* const graph = graphs.find(handle);
  if (!out || !graph) return CUDA_ERROR_INVALID_VALUE;
  Graph* const copy = clone(*graph);
  if (!copy) return CUDA_ERROR_OUT_OF_MEMORY;
  *out = graphs.handle(copy);
  return CUDA_SUCCESS;
}

// A clone has the nodes in the same order.
CUresult cuGraphNodeFindInClone(CUgraphNode* out, CUgraphNode original, CUgraph handle) {
  GraphNode* const node = graph_nodes.find(original);
  const Graph* const copy = graphs.find(handle);
  if (!out || !node || !copy || copy->nodes.size() != node->graph->nodes.size()) return CUDA_ERROR_INVALID_VALUE;
  const auto at = std::find(node->graph->nodes.begin(), node->graph->nodes.end(), node) - node->graph->nodes.begin();
  *out = graph_nodes.handle(copy->nodes[static_cast<size_t>(at)]);
  return CUDA_SUCCESS;
}

CUresult cuGraphDestroyNode(CUgraphNode handle) {
  GraphNode* const node = graph_nodes.find(handle);
  if (!node) return CUDA_ERROR_INVALID_VALUE;
  for (GraphNode* other : node->graph->nodes) std::erase(other->after, node);
  std::erase(node->graph->nodes, node);
  if (node->child) destroy_graph(*node->child);
  graph_nodes.destroy(node);
  return CUDA_SUCCESS;
}

CUresult cuGraphGetNodes(CUgraph handle, CUgraphNode* out, size_t* count) {
  const Graph* const graph = graphs.find(handle);
  return graph ? list(graph->nodes, out, count) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphGetRootNodes(CUgraph handle, CUgraphNode* out, size_t* count) {
  const Graph* const graph = graphs.find(handle);
  if (!graph) return CUDA_ERROR_INVALID_VALUE;
  std::vector<GraphNode*> roots;
  for (GraphNode* node : graph->nodes)
    if (node->after.empty()) roots.push_back(node);
  return list(roots, out, count);
}

CUresult cuGraphGetEdges(CUgraph handle, CUgraphNode* from, CUgraphNode* to, size_t* count) {
  const Graph* const graph = graphs.find(handle);
  if (!graph || !count || !from != !to) return CUDA_ERROR_INVALID_VALUE;
  std::vector<GraphNode*> sources, targets;
  for (GraphNode* node : graph->nodes)
    for (GraphNode* before : node->after) {
      sources.push_back(before);
      targets.push_back(node);
    }
  size_t room = *count;
  list(targets, to, &room);
  return list(sources, from, count);
}

CUresult cuGraphGetEdges_v2(CUgraph handle, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* edges, size_t* count) {
  clear_edges(edges, count);
  return cuGraphGetEdges(handle, from, to, count);
}

CUresult cuGraphNodeGetDependencies(CUgraphNode handle, CUgraphNode* out, size_t* count) {
  const GraphNode* const node = graph_nodes.find(handle);
  return node ? list(node->after, out, count) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphNodeGetDependencies_v2(CUgraphNode handle, CUgraphNode* out, CUgraphEdgeData* edges, size_t* count) {
  clear_edges(edges, count);
  return cuGraphNodeGetDependencies(handle, out, count);
}

CUresult cuGraphNodeGetDependentNodes(CUgraphNode handle, CUgraphNode* out, size_t* count) {
  const GraphNode* const node = graph_nodes.find(handle);
  return node ? list(dependents(*node), out, count) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode handle, CUgraphNode* out, CUgraphEdgeData* edges, size_t* count) {
  clear_edges(edges, count);
  return cuGraphNodeGetDependentNodes(handle, out, count);
}

CUresult cuGraphAddDependencies(CUgraph handle, const CUgraphNode* from, const CUgraphNode* to, size_t count) {
  const Graph* const graph = graphs.find(handle);
  if (!graph || (count > 0 && (!from || !to))) return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; ++i) {
    GraphNode* const before = graph_nodes.find(from[i]);
    GraphNode* const node = graph_nodes.find(to[i]);
    if (!before || !node || before == node || before->graph != graph || node->graph != graph) return CUDA_ERROR_INVALID_VALUE;
    if (std::find(node->after.begin(), node->after.end(), before) != node->after.end()) return CUDA_ERROR_INVALID_VALUE;
    node->after.push_back(before);
  }
  return CUDA_SUCCESS;
}

CUresult cuGraphAddDependencies_v2(CUgraph handle, const CUgraphNode* from, const CUgraphNode* to, const CUgraphEdgeData* edges,
                                   size_t count) {
  for (size_t i = 0; edges && i < count; ++i)
    if (edges[i].from_port || edges[i].to_port || edges[i].type) return CUDA_ERROR_NOT_SUPPORTED;
  return cuGraphAddDependencies(handle, from, to, count);
}

CUresult cuGraphNodeGetType(CUgraphNode handle, CUgraphNodeType* type) {
  const GraphNode* const node = graph_nodes.find(handle);
  if (!node || !type) return CUDA_ERROR_INVALID_VALUE;
  *type = node->type;
  return CUDA_SUCCESS;
}

} // namespace ptxshim::api
