// SPDX-License-Identifier: MIT
// Building, reading and running graphs, function by function; graph_test.cpp has captures and kernels.
#include "api_test.h"

#include <algorithm>

namespace {

class Graph {
public:
  Graph() { EXPECT_OK(cuGraphCreate(&handle_, 0)); }
  ~Graph() {
    if (handle_) {
      EXPECT_OK(cuGraphDestroy(handle_));
    }
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  operator CUgraph() const { return handle_; }
  CUgraphNode empty(const std::vector<CUgraphNode>& after = {}) const {
    CUgraphNode node = nullptr;
    EXPECT_OK(cuGraphAddEmptyNode(&node, handle_, after.data(), after.size()));
    return node;
  }
  void run(CUstream stream = nullptr) const {
    CUgraphExec exec = nullptr;
    ASSERT_OK(cuGraphInstantiateWithFlags(&exec, handle_, 0));
    EXPECT_OK(cuGraphLaunch(exec, stream));
    EXPECT_OK(cuStreamSynchronize(stream));
    EXPECT_OK(cuGraphExecDestroy(exec));
  }

private:
  CUgraph handle_ = nullptr;
};

// Fills `words` words of a memory.
CUDA_MEMSET_NODE_PARAMS fill_words(const DeviceArray<unsigned>& memory, unsigned value, size_t words) {
  CUDA_MEMSET_NODE_PARAMS fill{};
  fill.dst = memory.address();
  fill.value = value;
  fill.elementSize = 4;
  fill.width = words;
  fill.height = 1;
  return fill;
}

CUgraphNodeType type_of(CUgraphNode node) {
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  EXPECT_OK(cuGraphNodeGetType(node, &type));
  return type;
}

using Nodes = std::vector<CUgraphNode>;

TEST(cuGraphCreate, makes_an_empty_graph) {
  const TestContext context;
  CUgraph graph = nullptr;
  EXPECT_EQ(cuGraphCreate(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphCreate(&graph, 1), CUDA_ERROR_INVALID_VALUE); // the flags must be 0
  ASSERT_OK(cuGraphCreate(&graph, 0));
  size_t count = 99;
  EXPECT_OK(cuGraphGetNodes(graph, nullptr, &count));
  EXPECT_EQ(count, 0u);
  EXPECT_OK(cuGraphDestroy(graph));
}

TEST(cuGraphDestroy, a_destroyed_graph_is_no_handle_any_more) {
  const TestContext context;
  CUgraph graph = nullptr;
  CUgraphNode node = nullptr;
  ASSERT_OK(cuGraphCreate(&graph, 0));
  ASSERT_OK(cuGraphAddEmptyNode(&node, graph, nullptr, 0));
  ASSERT_OK(cuGraphDestroy(graph));
  EXPECT_EQ(cuGraphDestroy(graph), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphDestroy(bad_handle<CUgraph>()), CUDA_ERROR_INVALID_VALUE);
  CUgraphNodeType type{};
  EXPECT_EQ(cuGraphNodeGetType(node, &type), CUDA_ERROR_INVALID_VALUE); // and its nodes with it
}

TEST(cuGraphGetNodes, without_room_they_are_counted) {
  const TestContext context;
  const Graph graph;
  const Nodes nodes{graph.empty(), graph.empty()};
  size_t count = 0;
  EXPECT_OK(cuGraphGetNodes(graph, nullptr, &count));
  EXPECT_EQ(count, 2u);
  Nodes found(3, bad_handle<CUgraphNode>());
  count = 3;
  EXPECT_OK(cuGraphGetNodes(graph, found.data(), &count));
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(found, (Nodes{nodes[0], nodes[1], nullptr}));
  EXPECT_EQ(cuGraphGetNodes(graph, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphGetNodes(bad_handle<CUgraph>(), nullptr, &count), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuGraphGetRootNodes, have_no_dependencies) {
  const TestContext context;
  const Graph graph;
  const CUgraphNode first = graph.empty();
  graph.empty({first});
  const CUgraphNode other = graph.empty();
  Nodes roots(2);
  size_t count = 2;
  EXPECT_OK(cuGraphGetRootNodes(graph, roots.data(), &count));
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(roots, (Nodes{first, other}));
  EXPECT_EQ(cuGraphGetRootNodes(bad_handle<CUgraph>(), nullptr, &count), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuGraphGetEdges, are_pairs) {
  const TestContext context;
  const Graph graph;
  const CUgraphNode a = graph.empty(), b = graph.empty({a}), c = graph.empty({a, b});
  size_t count = 0;
  EXPECT_OK(cuGraphGetEdges(graph, nullptr, nullptr, &count));
  ASSERT_EQ(count, 3u);
  Nodes from(3), to(3);
  EXPECT_OK(cuGraphGetEdges(graph, from.data(), to.data(), &count));
  std::vector<std::pair<CUgraphNode, CUgraphNode>> edges, expected{{a, b}, {a, c}, {b, c}};
  for (size_t i = 0; i < 3; ++i) edges.emplace_back(from[i], to[i]);
  std::sort(edges.begin(), edges.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(edges, expected);
  EXPECT_EQ(cuGraphGetEdges(graph, from.data(), nullptr, &count), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphGetEdges(bad_handle<CUgraph>(), nullptr, nullptr, &count), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuGraphGetEdges_v2, are_all_of_the_plain_kind) {
  const TestContext context;
  const Graph graph;
  const CUgraphNode a = graph.empty(), b = graph.empty({a});
  CUgraphNode from = nullptr, to = nullptr;
  CUgraphEdgeData edge{1, 1, 1, {}};
  size_t count = 1;
  EXPECT_OK(cuGraphGetEdges_v2(graph, &from, &to, &edge, &count));
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(from, a);
  EXPECT_EQ(to, b);
  EXPECT_EQ(edge.from_port + edge.to_port + edge.type, 0);
}

TEST(cuGraphNodeGetDependencies, are_the_nodes_before) {
  const TestContext context;
  const Graph graph;
  const CUgraphNode a = graph.empty(), b = graph.empty(), c = graph.empty({a, b});
  Nodes found(2);
  size_t count = 2;
  EXPECT_OK(cuGraphNodeGetDependencies(c, found.data(), &count));
  EXPECT_EQ(found, (Nodes{a, b}));
  EXPECT_OK(cuGraphNodeGetDependencies(a, nullptr, &count));
  EXPECT_EQ(count, 0u);
  CUgraphEdgeData edge{1, 1, 1, {}};
  count = 1;
  EXPECT_OK(cuGraphNodeGetDependencies_v2(c, found.data(), &edge, &count));
  EXPECT_EQ(edge.from_port + edge.to_port + edge.type, 0);
  EXPECT_EQ(cuGraphNodeGetDependencies(bad_handle<CUgraphNode>(), nullptr, &count), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuGraphNodeGetDependentNodes, are_the_nodes_after) {
  const TestContext context;
  const Graph graph;
  const CUgraphNode a = graph.empty(), b = graph.empty({a}), c = graph.empty({a});
  Nodes found(2);
  size_t count = 2;
  EXPECT_OK(cuGraphNodeGetDependentNodes(a, found.data(), &count));
  EXPECT_EQ(found, (Nodes{b, c}));
  EXPECT_OK(cuGraphNodeGetDependentNodes(c, nullptr, &count));
  EXPECT_EQ(count, 0u);
  CUgraphEdgeData edge{1, 1, 1, {}};
  count = 1;
  EXPECT_OK(cuGraphNodeGetDependentNodes_v2(a, found.data(), &edge, &count));
  EXPECT_EQ(edge.from_port + edge.to_port + edge.type, 0);
  EXPECT_EQ(cuGraphNodeGetDependentNodes(bad_handle<CUgraphNode>(), nullptr, &count), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuGraphAddEmptyNode, refuses_dependencies_of_another_graph) {
  const TestContext context;
  const Graph graph, other;
  const CUgraphNode stranger = other.empty(), own = graph.empty();
  CUgraphNode node = nullptr;
  EXPECT_EQ(cuGraphAddEmptyNode(&node, graph, &stranger, 1), CUDA_ERROR_INVALID_VALUE);
  const CUgraphNode twice[] = {own, own};
  EXPECT_EQ(cuGraphAddEmptyNode(&node, graph, twice, 2), CUDA_ERROR_INVALID_VALUE); // no duplicates
  EXPECT_EQ(cuGraphAddEmptyNode(&node, graph, nullptr, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphAddEmptyNode(nullptr, graph, nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(type_of(own), CU_GRAPH_NODE_TYPE_EMPTY);
}

TEST(cuGraphAddDependencies, adds_edges) {
  const TestContext context;
  const Graph graph;
  const CUgraphNode a = graph.empty(), b = graph.empty(), c = graph.empty();
  const CUgraphNode from[] = {a, b}, to[] = {b, c};
  EXPECT_OK(cuGraphAddDependencies(graph, from, to, 2));
  size_t count = 0;
  EXPECT_OK(cuGraphGetEdges(graph, nullptr, nullptr, &count));
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(cuGraphAddDependencies(graph, &a, &a, 1), CUDA_ERROR_INVALID_VALUE); // on itself
  EXPECT_EQ(cuGraphAddDependencies(graph, nullptr, to, 1), CUDA_ERROR_INVALID_VALUE);
  const CUgraphEdgeData plain{};
  EXPECT_OK(cuGraphAddDependencies_v2(graph, &a, &c, &plain, 1));
  EXPECT_OK(cuGraphGetEdges(graph, nullptr, nullptr, &count));
  EXPECT_EQ(count, 3u);
}

TEST(cuGraphDestroyNode, takes_its_edges_with_it) {
  const TestContext context;
  const Graph graph;
  const CUgraphNode a = graph.empty(), b = graph.empty({a}), c = graph.empty({b});
  EXPECT_OK(cuGraphDestroyNode(b));
  EXPECT_EQ(cuGraphDestroyNode(b), CUDA_ERROR_INVALID_VALUE);
  size_t count = 99;
  EXPECT_OK(cuGraphNodeGetDependencies(c, nullptr, &count));
  EXPECT_EQ(count, 0u);
  EXPECT_OK(cuGraphGetNodes(graph, nullptr, &count));
  EXPECT_EQ(count, 2u);
}

TEST(cuGraphNodeGetType, refuses_bad_arguments) {
  const TestContext context;
  const Graph graph;
  CUgraphNodeType type{};
  EXPECT_EQ(cuGraphNodeGetType(graph.empty(), nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphNodeGetType(bad_handle<CUgraphNode>(), &type), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuGraphClone, is_independent) {
  const TestContext context;
  const DeviceArray<unsigned> memory(std::vector<unsigned>(4, 0));
  CUgraph clone = nullptr;
  CUgraphNode original = nullptr, twin = nullptr;
  {
    const Graph graph;
    const CUDA_MEMSET_NODE_PARAMS fill = fill_words(memory, 8, 4);
    ASSERT_OK(cuGraphAddMemsetNode(&original, graph, nullptr, 0, &fill, context.handle()));
    ASSERT_OK(cuGraphClone(&clone, graph));
    ASSERT_OK(cuGraphNodeFindInClone(&twin, original, clone));
  }
  EXPECT_NE(twin, original);
  EXPECT_EQ(type_of(twin), CU_GRAPH_NODE_TYPE_MEMSET); // the graph it was made from is gone
  CUgraphExec exec = nullptr;
  ASSERT_OK(cuGraphInstantiateWithFlags(&exec, clone, 0));
  EXPECT_OK(cuGraphLaunch(exec, nullptr));
  EXPECT_EQ(memory.read(), std::vector<unsigned>(4, 8));
  EXPECT_OK(cuGraphExecDestroy(exec));
  EXPECT_OK(cuGraphDestroy(clone));
  EXPECT_EQ(cuGraphClone(&clone, bad_handle<CUgraph>()), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuGraphNodeFindInClone, finds_each_twin) {
  const TestContext context;
  const Graph graph;
  const CUgraphNode a = graph.empty(), b = graph.empty({a});
  CUgraph clone = nullptr;
  ASSERT_OK(cuGraphClone(&clone, graph));
  CUgraphNode twin_a = nullptr, twin_b = nullptr, before = nullptr;
  EXPECT_OK(cuGraphNodeFindInClone(&twin_a, a, clone));
  EXPECT_OK(cuGraphNodeFindInClone(&twin_b, b, clone));
  size_t count = 1;
  EXPECT_OK(cuGraphNodeGetDependencies(twin_b, &before, &count));
  EXPECT_EQ(before, twin_a);
  EXPECT_EQ(cuGraphNodeFindInClone(&twin_a, bad_handle<CUgraphNode>(), clone), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphNodeFindInClone(nullptr, a, clone), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuGraphDestroy(clone));
}

TEST(cuGraphAddMemsetNode, fills_a_rectangle) {
  const TestContext context;
  const DeviceArray<unsigned> memory(std::vector<unsigned>(8, 0));
  const Graph graph;
  CUDA_MEMSET_NODE_PARAMS fill = fill_words(memory, 0x77, 2);
  fill.height = 2;
  fill.pitch = 16;
  CUgraphNode node = nullptr;
  ASSERT_OK(cuGraphAddMemsetNode(&node, graph, nullptr, 0, &fill, context.handle()));
  EXPECT_EQ(type_of(node), CU_GRAPH_NODE_TYPE_MEMSET);
  graph.run();
  EXPECT_EQ(memory.read(), (std::vector<unsigned>{0x77, 0x77, 0, 0, 0x77, 0x77, 0, 0}));
  fill.elementSize = 3;
  EXPECT_EQ(cuGraphAddMemsetNode(&node, graph, nullptr, 0, &fill, context.handle()), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphAddMemsetNode(&node, graph, nullptr, 0, nullptr, context.handle()), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuGraphAddMemcpyNode, copies) {
  const TestContext context;
  const DeviceArray<unsigned> from(std::vector<unsigned>{1, 2, 3, 4}), to(std::vector<unsigned>(4, 0));
  const Graph graph;
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = from.address();
  copy.dstDevice = to.address();
  copy.dstXInBytes = 4;
  copy.WidthInBytes = 12;
  copy.Height = copy.Depth = 1;
  CUgraphNode node = nullptr;
  ASSERT_OK(cuGraphAddMemcpyNode(&node, graph, nullptr, 0, &copy, context.handle()));
  EXPECT_EQ(type_of(node), CU_GRAPH_NODE_TYPE_MEMCPY);
  graph.run();
  EXPECT_EQ(to.read(), (std::vector<unsigned>{0, 1, 2, 3}));
  copy.WidthInBytes = 16; // beyond the end
  EXPECT_EQ(cuGraphAddMemcpyNode(&node, graph, nullptr, 0, &copy, context.handle()), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphAddMemcpyNode(&node, graph, nullptr, 0, nullptr, context.handle()), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuGraphAddHostNode, calls_at_every_launch) {
  const TestContext context;
  const Graph graph;
  int calls = 0;
  const CUDA_HOST_NODE_PARAMS host{[](void* data) { ++*static_cast<int*>(data); }, &calls};
  CUgraphNode node = nullptr;
  ASSERT_OK(cuGraphAddHostNode(&node, graph, nullptr, 0, &host));
  EXPECT_EQ(type_of(node), CU_GRAPH_NODE_TYPE_HOST);
  EXPECT_EQ(calls, 0);
  graph.run();
  graph.run();
  EXPECT_EQ(calls, 2);
  const CUDA_HOST_NODE_PARAMS nothing{};
  EXPECT_EQ(cuGraphAddHostNode(&node, graph, nullptr, 0, &nothing), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphAddHostNode(&node, graph, nullptr, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuGraphAddEventRecordNode, records_at_the_launch) {
  const TestContext context;
  CUevent start = nullptr, end = nullptr;
  ASSERT_OK(cuEventCreate(&start, 0));
  ASSERT_OK(cuEventCreate(&end, 0));
  float milliseconds = -1;
  {
    const Graph graph;
    CUgraphNode first = nullptr, second = nullptr;
    ASSERT_OK(cuGraphAddEventRecordNode(&first, graph, nullptr, 0, start));
    ASSERT_OK(cuGraphAddEventRecordNode(&second, graph, &first, 1, end));
    EXPECT_EQ(type_of(first), CU_GRAPH_NODE_TYPE_EVENT_RECORD);
    EXPECT_EQ(cuEventElapsedTime(&milliseconds, start, end), CUDA_ERROR_INVALID_HANDLE); // not recorded yet
    graph.run();
    EXPECT_NE(cuGraphAddEventRecordNode(&first, graph, nullptr, 0, bad_handle<CUevent>()), CUDA_SUCCESS);
  }
  EXPECT_OK(cuEventElapsedTime(&milliseconds, start, end));
  EXPECT_GE(milliseconds, 0.0f);
  EXPECT_OK(cuEventDestroy_v2(start));
  EXPECT_OK(cuEventDestroy_v2(end));
}

TEST(cuGraphAddEventWaitNode, does_not_wait_for_what_was_not_recorded) {
  const TestContext context;
  CUevent event = nullptr;
  ASSERT_OK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  const Graph graph;
  int calls = 0;
  const CUDA_HOST_NODE_PARAMS host{[](void* data) { ++*static_cast<int*>(data); }, &calls};
  CUgraphNode wait = nullptr, call = nullptr;
  ASSERT_OK(cuGraphAddEventWaitNode(&wait, graph, nullptr, 0, event));
  ASSERT_OK(cuGraphAddHostNode(&call, graph, &wait, 1, &host));
  EXPECT_EQ(type_of(wait), CU_GRAPH_NODE_TYPE_WAIT_EVENT);
  graph.run();
  EXPECT_EQ(calls, 1);
  ASSERT_OK(cuEventRecord(event, nullptr));
  graph.run();
  EXPECT_EQ(calls, 2);
  EXPECT_NE(cuGraphAddEventWaitNode(&wait, graph, nullptr, 0, bad_handle<CUevent>()), CUDA_SUCCESS);
  EXPECT_OK(cuEventDestroy_v2(event));
}

TEST(cuGraphChildGraphNodeGetGraph, is_only_for_child_graphs) {
  const TestContext context;
  const Graph parent, child;
  child.empty();
  CUgraphNode node = nullptr;
  CUgraph inner = nullptr;
  ASSERT_OK(cuGraphAddChildGraphNode(&node, parent, nullptr, 0, child));
  EXPECT_EQ(type_of(node), CU_GRAPH_NODE_TYPE_GRAPH);
  EXPECT_OK(cuGraphChildGraphNodeGetGraph(node, &inner));
  EXPECT_NE(inner, static_cast<CUgraph>(child)); // a copy
  EXPECT_EQ(cuGraphChildGraphNodeGetGraph(parent.empty(), &inner), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphChildGraphNodeGetGraph(node, nullptr), CUDA_ERROR_INVALID_VALUE);
}

// A stream's capture, seen while it goes on.
TEST(cuStreamGetCaptureInfo, describes_the_capture) {
  const TestContext context;
  const DeviceArray<unsigned> memory(4);
  CUstream stream = nullptr;
  ASSERT_OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
  EXPECT_OK(cuStreamGetCaptureInfo(stream, &status, nullptr));
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_NONE);
  ASSERT_OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  ASSERT_OK(cuMemsetD32Async(memory.address(), 1, 4, stream));
  cuuint64_t id = 0, same_id = 0;
  EXPECT_OK(cuStreamGetCaptureInfo(stream, &status, &id));
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  CUgraph graph = nullptr, ended = nullptr;
  const CUgraphNode* last = nullptr;
  size_t count = 0;
  EXPECT_OK(cuStreamGetCaptureInfo_v2(stream, &status, &same_id, &graph, &last, &count));
  EXPECT_EQ(same_id, id);
  ASSERT_EQ(count, 1u);
  EXPECT_EQ(type_of(last[0]), CU_GRAPH_NODE_TYPE_MEMSET);
  const CUgraphEdgeData* edges = nullptr;
  EXPECT_OK(cuStreamGetCaptureInfo_v3(stream, &status, &same_id, &graph, &last, &edges, &count));
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(cuStreamGetCaptureInfo(bad_handle<CUstream>(), &status, &id), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuStreamGetCaptureInfo(stream, nullptr, &id), CUDA_ERROR_INVALID_VALUE);
  ASSERT_OK(cuStreamEndCapture(stream, &ended));
  EXPECT_EQ(ended, graph);
  EXPECT_OK(cuGraphDestroy(ended));
  EXPECT_OK(cuStreamDestroy_v2(stream));
}

} // namespace
