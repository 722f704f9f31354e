// SPDX-License-Identifier: MIT
#include "api_test.h"
#include "test_ptx.h"

#include <numeric>

namespace {

class Stream {
public:
  Stream() { EXPECT_OK(cuStreamCreate(&handle_, CU_STREAM_NON_BLOCKING)); }
  ~Stream() { cuStreamDestroy_v2(handle_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  operator CUstream() const { return handle_; }

private:
  CUstream handle_ = nullptr;
};

// The kernel `scale` of test_ptx.h with arguments for a memory.
class Scale {
public:
  Scale(const DeviceArray<unsigned>& memory, unsigned factor) : values_(memory.address()), factor_(factor) {
    EXPECT_OK(cuModuleLoadData(&module_, kScalePtx));
    EXPECT_OK(cuModuleGetFunction(&function_, module_, "scale"));
    count_ = static_cast<unsigned>(memory.bytes() / 4);
  }
  ~Scale() { cuModuleUnload(module_); }
  Scale(const Scale&) = delete;
  Scale& operator=(const Scale&) = delete;
  CUresult launch(CUstream stream) {
    return cuLaunchKernel(function_, 1, 1, 1, 128, 1, 1, 0, stream, parameters_, nullptr);
  }
  CUDA_KERNEL_NODE_PARAMS node() {
    CUDA_KERNEL_NODE_PARAMS node{};
    node.func = function_;
    node.gridDimX = node.gridDimY = node.gridDimZ = 1;
    node.blockDimX = 128;
    node.blockDimY = node.blockDimZ = 1;
    node.kernelParams = parameters_;
    return node;
  }
  void set_factor(unsigned factor) { factor_ = factor; }

private:
  CUmodule module_ = nullptr;
  CUfunction function_ = nullptr;
  CUdeviceptr values_;
  unsigned factor_, count_ = 0;
  void* parameters_[3] = {&values_, &factor_, &count_};
};

CUstreamCaptureStatus status_of(CUstream stream) {
  CUstreamCaptureStatus status{};
  EXPECT_OK(cuStreamIsCapturing(stream, &status));
  return status;
}

size_t node_count(CUgraph graph) {
  size_t count = 0;
  EXPECT_OK(cuGraphGetNodes(graph, nullptr, &count));
  return count;
}

TEST(cuStreamBeginCapture_v2, records_instead_of_running) {
  const TestContext context;
  const Stream stream;
  const DeviceArray<unsigned> memory(std::vector<unsigned>(100, 1));
  Scale scale(memory, 3);
  std::vector<unsigned> copy(100, 0);
  ASSERT_OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  EXPECT_EQ(status_of(stream), CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_OK(cuMemsetD32Async(memory.address(), 2, 100, stream));
  EXPECT_OK(scale.launch(stream));
  EXPECT_OK(scale.launch(stream));
  EXPECT_OK(cuMemcpyDtoHAsync_v2(copy.data(), memory.address(), memory.bytes(), stream));
  int called = 0;
  EXPECT_OK(cuLaunchHostFunc(stream, [](void* data) { ++*static_cast<int*>(data); }, &called));
  CUgraph graph = nullptr;
  ASSERT_OK(cuStreamEndCapture(stream, &graph));
  EXPECT_EQ(status_of(stream), CU_STREAM_CAPTURE_STATUS_NONE);
  ASSERT_OK(cuCtxSynchronize());
  EXPECT_EQ(memory.read(), std::vector<unsigned>(100, 1)); // nothing ran
  EXPECT_EQ(called, 0);
  EXPECT_EQ(node_count(graph), 5u);
  CUgraphExec exec = nullptr;
  ASSERT_OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
  EXPECT_OK(cuGraphDestroy(graph)); // the executable does not need it
  for (int round = 1; round <= 2; ++round) {
    std::fill(copy.begin(), copy.end(), 0u);
    ASSERT_OK(cuGraphLaunch(exec, stream));
    ASSERT_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(copy, std::vector<unsigned>(100, 18)); // 2 * 3 * 3
    EXPECT_EQ(called, round);
  }
  EXPECT_OK(cuGraphExecDestroy(exec));
  EXPECT_EQ(cuGraphLaunch(exec, stream), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuStreamBeginCapture_v2, follows_events_to_other_streams) {
  const TestContext context;
  const Stream first, second;
  const DeviceArray<unsigned> a(std::vector<unsigned>(64, 1)), b(std::vector<unsigned>(64, 1));
  CUevent fork = nullptr, join = nullptr;
  ASSERT_OK(cuEventCreate(&fork, CU_EVENT_DISABLE_TIMING));
  ASSERT_OK(cuEventCreate(&join, CU_EVENT_DISABLE_TIMING));
  ASSERT_OK(cuStreamBeginCapture_v2(first, CU_STREAM_CAPTURE_MODE_RELAXED));
  EXPECT_OK(cuMemsetD32Async(a.address(), 5, 64, first));
  EXPECT_OK(cuEventRecord(fork, first));
  EXPECT_OK(cuStreamWaitEvent(second, fork, 0));
  EXPECT_EQ(status_of(second), CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_OK(cuMemcpyDtoDAsync_v2(b.address(), a.address(), b.bytes(), second));
  EXPECT_OK(cuEventRecord(join, second));
  EXPECT_EQ(cuEventQuery(join), CUDA_ERROR_CAPTURED_EVENT);
  EXPECT_OK(cuStreamWaitEvent(first, join, 0));
  CUgraph graph = nullptr;
  ASSERT_OK(cuStreamEndCapture(first, &graph));
  EXPECT_EQ(status_of(second), CU_STREAM_CAPTURE_STATUS_NONE);
  size_t edges = 0;
  EXPECT_OK(cuGraphGetEdges(graph, nullptr, nullptr, &edges));
  EXPECT_EQ(edges, 1u);
  CUgraphExec exec = nullptr;
  ASSERT_OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
  ASSERT_OK(cuGraphLaunch(exec, first));
  ASSERT_OK(cuStreamSynchronize(first));
  EXPECT_EQ(b.read(), std::vector<unsigned>(64, 5));
  EXPECT_OK(cuGraphExecDestroy(exec));
  EXPECT_OK(cuGraphDestroy(graph));
  EXPECT_OK(cuEventDestroy_v2(fork));
  EXPECT_OK(cuEventDestroy_v2(join));
}

TEST(cuStreamEndCapture, refuses_streams_that_were_not_joined) {
  const TestContext context;
  const Stream first, second;
  const DeviceArray<unsigned> memory(4);
  CUevent fork = nullptr;
  ASSERT_OK(cuEventCreate(&fork, 0));
  ASSERT_OK(cuStreamBeginCapture_v2(first, CU_STREAM_CAPTURE_MODE_GLOBAL));
  ASSERT_OK(cuEventRecord(fork, first));
  ASSERT_OK(cuStreamWaitEvent(second, fork, 0));
  ASSERT_OK(cuMemsetD32Async(memory.address(), 0, 4, second));
  CUgraph graph = nullptr;
  EXPECT_EQ(cuStreamEndCapture(first, &graph), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
  EXPECT_EQ(graph, nullptr);
  EXPECT_OK(cuStreamSynchronize(second)); // both are ordinary streams again
  EXPECT_OK(cuEventDestroy_v2(fork));
}

TEST(cuStreamEndCapture, tells_that_the_capture_was_broken) {
  const TestContext context;
  const Stream stream;
  CUgraph graph = nullptr;
  EXPECT_EQ(cuStreamEndCapture(stream, &graph), CUDA_ERROR_ILLEGAL_STATE);
  ASSERT_OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  EXPECT_EQ(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_ERROR_ILLEGAL_STATE);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(status_of(stream), CU_STREAM_CAPTURE_STATUS_INVALIDATED);
  EXPECT_EQ(cuStreamEndCapture(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(graph, nullptr);
  EXPECT_OK(cuStreamSynchronize(stream));
  EXPECT_EQ(cuStreamBeginCapture_v2(nullptr, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(cuStreamBeginCapture_v2(stream, no_such<CUstreamCaptureMode>(7)), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuMemAllocAsync, is_possible_inside_a_capture) {
  const TestContext context;
  const Stream stream;
  std::vector<unsigned> copy(16, 0);
  ASSERT_OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  CUdeviceptr address = 0;
  ASSERT_OK(cuMemAllocAsync(&address, 64, stream));
  ASSERT_OK(cuMemsetD32Async(address, 9, 16, stream));
  ASSERT_OK(cuMemcpyDtoHAsync_v2(copy.data(), address, 64, stream));
  ASSERT_OK(cuMemFreeAsync(address, stream));
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  ASSERT_OK(cuStreamEndCapture(stream, &graph));
  ASSERT_OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
  ASSERT_OK(cuGraphLaunch(exec, stream));
  ASSERT_OK(cuGraphLaunch(exec, stream));
  ASSERT_OK(cuStreamSynchronize(stream));
  EXPECT_EQ(copy, std::vector<unsigned>(16, 9));
  EXPECT_OK(cuGraphExecDestroy(exec));
  EXPECT_OK(cuGraphDestroy(graph));
}

TEST(cuGraphAddKernelNode_v2, runs_in_the_order_of_the_dependencies) {
  const TestContext context;
  const DeviceArray<unsigned> memory(std::vector<unsigned>(50, 0));
  Scale scale(memory, 4);
  CUgraph graph = nullptr;
  ASSERT_OK(cuGraphCreate(&graph, 0));
  CUDA_KERNEL_NODE_PARAMS kernel = scale.node();
  CUDA_MEMSET_NODE_PARAMS fill{};
  fill.dst = memory.address();
  fill.value = 6;
  fill.elementSize = 4;
  fill.width = 50;
  fill.height = 1;
  CUgraphNode scaled = nullptr, filled = nullptr, end = nullptr;
  ASSERT_OK(cuGraphAddKernelNode_v2(&scaled, graph, nullptr, 0, &kernel)); // added first, runs second
  ASSERT_OK(cuGraphAddMemsetNode(&filled, graph, nullptr, 0, &fill, context.handle()));
  ASSERT_OK(cuGraphAddDependencies(graph, &filled, &scaled, 1));
  ASSERT_OK(cuGraphAddEmptyNode(&end, graph, &scaled, 1));
  EXPECT_EQ(cuGraphAddDependencies(graph, &filled, &scaled, 1), CUDA_ERROR_INVALID_VALUE); // is there already
  size_t count = 0;
  EXPECT_OK(cuGraphGetRootNodes(graph, nullptr, &count));
  EXPECT_EQ(count, 1u);
  CUgraphNode roots[3] = {};
  count = 3;
  EXPECT_OK(cuGraphGetRootNodes(graph, roots, &count));
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(roots[0], filled);
  EXPECT_EQ(roots[1], nullptr);
  CUgraphNodeType type{};
  EXPECT_OK(cuGraphNodeGetType(scaled, &type));
  EXPECT_EQ(type, CU_GRAPH_NODE_TYPE_KERNEL);
  CUgraphExec exec = nullptr;
  ASSERT_OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
  ASSERT_OK(cuGraphLaunch(exec, nullptr));
  EXPECT_EQ(memory.read(), std::vector<unsigned>(50, 24));
  // Other arguments for the executable alone, then for the graph with an update.
  scale.set_factor(5);
  kernel = scale.node();
  ASSERT_OK(cuGraphExecKernelNodeSetParams_v2(exec, scaled, &kernel));
  ASSERT_OK(cuGraphLaunch(exec, nullptr));
  EXPECT_EQ(memory.read(), std::vector<unsigned>(50, 30));
  scale.set_factor(7);
  kernel = scale.node();
  ASSERT_OK(cuGraphKernelNodeSetParams_v2(scaled, &kernel));
  CUgraphExecUpdateResultInfo info{};
  ASSERT_OK(cuGraphExecUpdate_v2(exec, graph, &info));
  ASSERT_OK(cuGraphLaunch(exec, nullptr));
  EXPECT_EQ(memory.read(), std::vector<unsigned>(50, 42));
  CUDA_KERNEL_NODE_PARAMS back{};
  ASSERT_OK(cuGraphKernelNodeGetParams_v2(scaled, &back));
  EXPECT_EQ(back.blockDimX, 128u);
  EXPECT_EQ(*static_cast<unsigned*>(back.kernelParams[1]), 7u);
  EXPECT_OK(cuGraphDestroyNode(end));
  EXPECT_EQ(cuGraphExecUpdate_v2(exec, graph, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
  EXPECT_OK(cuGraphExecDestroy(exec));
  EXPECT_OK(cuGraphDestroy(graph));
  EXPECT_EQ(cuGraphDestroy(graph), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuGraphInstantiateWithFlags, refuses_cycles) {
  const TestContext context;
  CUgraph graph = nullptr;
  ASSERT_OK(cuGraphCreate(&graph, 0));
  CUgraphNode a = nullptr, b = nullptr;
  ASSERT_OK(cuGraphAddEmptyNode(&a, graph, nullptr, 0));
  ASSERT_OK(cuGraphAddEmptyNode(&b, graph, &a, 1));
  ASSERT_OK(cuGraphAddDependencies(graph, &b, &a, 1));
  CUgraphExec exec = nullptr;
  EXPECT_EQ(cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphInstantiateWithFlags(&exec, bad_handle<CUgraph>(), 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphAddEmptyNode(&a, bad_handle<CUgraph>(), nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuGraphDestroy(graph));
}

TEST(cuGraphAddChildGraphNode, is_a_copy) {
  const TestContext context;
  const DeviceArray<unsigned> memory(std::vector<unsigned>(8, 0));
  CUgraph child = nullptr, parent = nullptr;
  ASSERT_OK(cuGraphCreate(&child, 0));
  ASSERT_OK(cuGraphCreate(&parent, 0));
  CUDA_MEMSET_NODE_PARAMS fill{};
  fill.dst = memory.address();
  fill.value = 11;
  fill.elementSize = 4;
  fill.width = 8;
  fill.height = 1;
  CUgraphNode node = nullptr, copy_node = nullptr, child_node = nullptr;
  ASSERT_OK(cuGraphAddMemsetNode(&node, child, nullptr, 0, &fill, context.handle()));
  ASSERT_OK(cuGraphAddChildGraphNode(&child_node, parent, nullptr, 0, child));
  EXPECT_OK(cuGraphDestroy(child));
  std::vector<unsigned> back(8, 0);
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = memory.address();
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = back.data();
  copy.WidthInBytes = 32;
  copy.Height = copy.Depth = 1;
  ASSERT_OK(cuGraphAddMemcpyNode(&copy_node, parent, &child_node, 1, &copy, context.handle()));
  CUgraph inner = nullptr;
  EXPECT_OK(cuGraphChildGraphNodeGetGraph(child_node, &inner));
  EXPECT_EQ(node_count(inner), 1u);
  EXPECT_EQ(cuGraphDestroy(inner), CUDA_ERROR_INVALID_VALUE); // it belongs to its node
  CUgraphExec exec = nullptr;
  ASSERT_OK(cuGraphInstantiateWithFlags(&exec, parent, 0));
  ASSERT_OK(cuGraphLaunch(exec, nullptr));
  ASSERT_OK(cuCtxSynchronize());
  EXPECT_EQ(back, std::vector<unsigned>(8, 11));
  EXPECT_OK(cuGraphExecDestroy(exec));
  EXPECT_OK(cuGraphDestroy(parent));
}

} // namespace
