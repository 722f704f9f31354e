// SPDX-License-Identifier: MIT
// Graphs and stream capture (graph.cpp, graph_nodes.cpp, graph_exec.cpp, capture.cpp).
#pragma once

#include <functional>
#include <pthread.h>

#include "launch.h"
#include "memory.h"

namespace ptxshim::api {

using Work = std::function<CUresult(hip::Stream)>;

struct Graph;

// Memory that was allocated and freed inside a graph: it goes with the last graph or executable that uses it.
struct GraphMemory {
  std::vector<Allocation> freed;
  ~GraphMemory();
};

struct GraphNode {
  Graph* graph = nullptr;
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
  std::vector<GraphNode*> after; // its dependencies
  Work work;                     // empty for kernels, children and empty nodes
  std::shared_ptr<const KernelWork> kernel;
  Graph* child = nullptr;        // owned
};

struct Graph {
  std::vector<GraphNode*> nodes;
  bool is_child = false;
  std::shared_ptr<GraphMemory> memory = std::make_shared<GraphMemory>();
};

struct GraphExec {
  struct Step {
    const GraphNode* source = nullptr;
    CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
    Work work;
    std::shared_ptr<const KernelWork> kernel;
  };
  std::vector<Step> steps; // in an order that satisfies the dependencies
  std::vector<std::shared_ptr<GraphMemory>> memory;
  cuuint64_t flags = 0;
};

struct Capture {
  Graph* graph = nullptr; // null once it has ended
  Stream* origin = nullptr;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  uint64_t id = 0;
  pthread_t thread{};
  bool invalid = false;
  std::vector<Stream*> streams; // that take part
};

extern constinit HandleTable<Graph, CUgraph, 1 << 18> graphs;
extern constinit HandleTable<GraphNode, CUgraphNode, 1 << 22> graph_nodes;
extern constinit HandleTable<GraphExec, CUgraphExec, 1 << 18> graph_execs;

// A new node; null when out of handles.
GraphNode* add_node(Graph& graph, CUgraphNodeType type, std::vector<GraphNode*> after);
void destroy_graph(Graph& graph);
// The nodes of handles; false when one is not a node of the graph.
bool find_nodes(std::vector<GraphNode*>& out, const Graph& graph, const CUgraphNode* handles, size_t count);
// The nodes in an order that satisfies the dependencies; false when there is a cycle.
bool ordered(std::vector<GraphNode*>& out, const Graph& graph);

// --- capture

inline bool is_capturing(const Stream* stream) noexcept { return stream && stream->capture; }
// Adds an operation to what a capturing stream has recorded.
CUresult record(Stream& stream, CUgraphNodeType type, Work work);
CUresult record_kernel(Stream& stream, std::shared_ptr<const KernelWork> work);
void record_event(Stream& stream, Event& event);
CUresult wait_for_recorded_event(Stream& stream, const Event& event);
// A call that a capturing stream does not permit: the capture becomes invalid.
CUresult refuse_capture(Stream& stream);
void leave_capture(Stream& stream); // the stream is being destroyed

} // namespace ptxshim::api
