// SPDX-License-Identifier: MIT
// Executable graphs, function by function.
#include "api_test.h"
#include "test_ptx.h"

namespace {

// One node that fills four words, and the executable graph of it.
class Fill {
public:
  explicit Fill(unsigned value) : memory_(std::vector<unsigned>(4, 0)) {
    EXPECT_OK(cuGraphCreate(&graph_, 0));
    CUDA_MEMSET_NODE_PARAMS fill{};
    fill.dst = memory_.address();
    fill.value = value;
    fill.elementSize = 4;
    fill.width = 4;
    fill.height = 1;
    CUcontext context = nullptr;
    EXPECT_OK(cuCtxGetCurrent(&context));
    EXPECT_OK(cuGraphAddMemsetNode(&node_, graph_, nullptr, 0, &fill, context));
  }
  ~Fill() { EXPECT_OK(cuGraphDestroy(graph_)); }
  Fill(const Fill&) = delete;
  Fill& operator=(const Fill&) = delete;
  CUgraph graph() const { return graph_; }
  CUgraphNode node() const { return node_; }
  std::vector<unsigned> read() const { return memory_.read(); }

private:
  DeviceArray<unsigned> memory_;
  CUgraph graph_ = nullptr;
  CUgraphNode node_ = nullptr;
};

// The kernel `scale` over a memory, as a graph of one node.
class ScaleGraph {
public:
  explicit ScaleGraph(unsigned factor) : memory_(std::vector<unsigned>(32, 1)), values_(memory_.address()), factor_(factor) {
    EXPECT_OK(cuModuleLoadData(&module_, kScalePtx));
    EXPECT_OK(cuModuleGetFunction(&function_, module_, "scale"));
    EXPECT_OK(cuGraphCreate(&graph_, 0));
    const CUDA_KERNEL_NODE_PARAMS kernel = parameters(factor);
    EXPECT_OK(cuGraphAddKernelNode_v2(&node_, graph_, nullptr, 0, &kernel));
  }
  ~ScaleGraph() {
    EXPECT_OK(cuGraphDestroy(graph_));
    EXPECT_OK(cuModuleUnload(module_));
  }
  ScaleGraph(const ScaleGraph&) = delete;
  ScaleGraph& operator=(const ScaleGraph&) = delete;
  CUDA_KERNEL_NODE_PARAMS parameters(unsigned factor) {
    factor_ = factor;
    CUDA_KERNEL_NODE_PARAMS kernel{};
    kernel.func = function_;
    kernel.gridDimX = kernel.gridDimY = kernel.gridDimZ = 1;
    kernel.blockDimX = 32;
    kernel.blockDimY = kernel.blockDimZ = 1;
    kernel.kernelParams = arguments_;
    return kernel;
  }
  CUgraph graph() const { return graph_; }
  CUgraphNode node() const { return node_; }
  std::vector<unsigned> read() const { return memory_.read(); }

private:
  DeviceArray<unsigned> memory_;
  CUdeviceptr values_;
  unsigned factor_, count_ = 32;
  void* arguments_[3] = {&values_, &factor_, &count_};
  CUmodule module_ = nullptr;
  CUfunction function_ = nullptr;
  CUgraph graph_ = nullptr;
  CUgraphNode node_ = nullptr;
};

TEST(cuGraphLaunch, runs_in_the_stream) {
  const TestContext context;
  const Fill fill(3);
  CUstream stream = nullptr;
  CUgraphExec exec = nullptr;
  ASSERT_OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  ASSERT_OK(cuGraphInstantiateWithFlags(&exec, fill.graph(), 0));
  EXPECT_EQ(fill.read(), std::vector<unsigned>(4, 0));
  EXPECT_OK(cuGraphLaunch(exec, stream));
  EXPECT_OK(cuStreamSynchronize(stream));
  EXPECT_EQ(fill.read(), std::vector<unsigned>(4, 3));
  EXPECT_EQ(cuGraphLaunch(exec, bad_handle<CUstream>()), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuGraphLaunch(bad_handle<CUgraphExec>(), stream), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuGraphExecDestroy(exec));
  EXPECT_OK(cuStreamDestroy_v2(stream));
}

TEST(cuGraphUpload, does_not_run_the_graph) {
  const TestContext context;
  const Fill fill(4);
  CUgraphExec exec = nullptr;
  ASSERT_OK(cuGraphInstantiateWithFlags(&exec, fill.graph(), 0));
  EXPECT_OK(cuGraphUpload(exec, nullptr));
  EXPECT_OK(cuCtxSynchronize());
  EXPECT_EQ(fill.read(), std::vector<unsigned>(4, 0));
  EXPECT_EQ(cuGraphUpload(exec, bad_handle<CUstream>()), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuGraphUpload(bad_handle<CUgraphExec>(), nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuGraphExecDestroy(exec));
}

TEST(cuGraphExecDestroy, launched_work_still_ends) {
  const TestContext context;
  const Fill fill(5);
  CUgraphExec exec = nullptr;
  ASSERT_OK(cuGraphInstantiateWithFlags(&exec, fill.graph(), 0));
  EXPECT_OK(cuGraphLaunch(exec, nullptr));
  EXPECT_OK(cuGraphExecDestroy(exec));
  EXPECT_EQ(cuGraphExecDestroy(exec), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(fill.read(), std::vector<unsigned>(4, 5));
}

TEST(cuGraphInstantiate_v2, reports_no_error_when_there_is_none) {
  const TestContext context;
  const Fill fill(6);
  CUgraphExec exec = nullptr;
  CUgraphNode wrong = bad_handle<CUgraphNode>();
  char log[32] = "before";
  ASSERT_OK(cuGraphInstantiate_v2(&exec, fill.graph(), &wrong, log, sizeof log));
  EXPECT_STREQ(log, "");
  EXPECT_OK(cuGraphLaunch(exec, nullptr));
  EXPECT_EQ(fill.read(), std::vector<unsigned>(4, 6));
  EXPECT_OK(cuGraphExecDestroy(exec));
  EXPECT_EQ(cuGraphInstantiate_v2(nullptr, fill.graph(), nullptr, nullptr, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuGraphInstantiateWithParams, says_how_it_went) {
  const TestContext context;
  const Fill fill(7);
  constexpr cuuint64_t kAutoFree = 1; // CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH
  CUDA_GRAPH_INSTANTIATE_PARAMS parameters{};
  parameters.flags = kAutoFree;
  parameters.result_out = CUDA_GRAPH_INSTANTIATE_ERROR;
  CUgraphExec exec = nullptr;
  ASSERT_OK(cuGraphInstantiateWithParams(&exec, fill.graph(), &parameters));
  EXPECT_EQ(parameters.result_out, CUDA_GRAPH_INSTANTIATE_SUCCESS);
  EXPECT_OK(cuGraphLaunch(exec, nullptr));
  EXPECT_EQ(fill.read(), std::vector<unsigned>(4, 7));
  EXPECT_OK(cuGraphExecDestroy(exec));
  parameters.flags = 1 << 20;
  EXPECT_EQ(cuGraphInstantiateWithParams(&exec, fill.graph(), &parameters), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(parameters.result_out, CUDA_GRAPH_INSTANTIATE_ERROR);
  EXPECT_EQ(cuGraphInstantiateWithParams(&exec, fill.graph(), nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuGraphExecGetFlags, are_those_of_the_instantiation) {
  const TestContext context;
  const Fill fill(0);
  CUgraphExec exec = nullptr;
  cuuint64_t flags = 99;
  ASSERT_OK(cuGraphInstantiateWithFlags(&exec, fill.graph(), 1));
  EXPECT_OK(cuGraphExecGetFlags(exec, &flags));
  EXPECT_EQ(flags, 1u);
  EXPECT_EQ(cuGraphExecGetFlags(exec, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphExecGetFlags(bad_handle<CUgraphExec>(), &flags), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuGraphExecDestroy(exec));
}

TEST(cuGraphExecUpdate_v2, takes_the_work_of_a_graph_of_the_same_shape) {
  const TestContext context;
  const Fill first(1), second(2);
  CUgraphExec exec = nullptr;
  ASSERT_OK(cuGraphInstantiateWithFlags(&exec, first.graph(), 0));
  CUgraphExecUpdateResultInfo info{CU_GRAPH_EXEC_UPDATE_ERROR, nullptr, nullptr};
  ASSERT_OK(cuGraphExecUpdate_v2(exec, second.graph(), &info));
  EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_SUCCESS);
  EXPECT_OK(cuGraphLaunch(exec, nullptr));
  EXPECT_EQ(first.read(), std::vector<unsigned>(4, 0));
  EXPECT_EQ(second.read(), std::vector<unsigned>(4, 2));
  EXPECT_EQ(cuGraphExecUpdate_v2(exec, second.graph(), nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuGraphExecDestroy(exec));
}

TEST(cuGraphKernelNodeGetParams_v2, gives_shape_and_arguments) {
  const TestContext context;
  ScaleGraph scale(9);
  CUDA_KERNEL_NODE_PARAMS found{};
  ASSERT_OK(cuGraphKernelNodeGetParams_v2(scale.node(), &found));
  EXPECT_EQ(found.func, scale.parameters(9).func);
  EXPECT_EQ(found.gridDimX * found.gridDimY * found.gridDimZ, 1u);
  EXPECT_EQ(found.blockDimX, 32u);
  ASSERT_NE(found.kernelParams, nullptr);
  EXPECT_EQ(*static_cast<unsigned*>(found.kernelParams[1]), 9u);
  EXPECT_EQ(*static_cast<unsigned*>(found.kernelParams[2]), 32u);
  const Fill fill(1);
  EXPECT_EQ(cuGraphKernelNodeGetParams_v2(fill.node(), &found), CUDA_ERROR_INVALID_VALUE); // not a kernel
  EXPECT_EQ(cuGraphKernelNodeGetParams_v2(scale.node(), nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuGraphKernelNodeSetParams_v2, does_not_reach_executable_graphs) {
  const TestContext context;
  ScaleGraph scale(3);
  CUgraphExec before = nullptr, after = nullptr;
  ASSERT_OK(cuGraphInstantiateWithFlags(&before, scale.graph(), 0));
  const CUDA_KERNEL_NODE_PARAMS five = scale.parameters(5);
  ASSERT_OK(cuGraphKernelNodeSetParams_v2(scale.node(), &five));
  ASSERT_OK(cuGraphInstantiateWithFlags(&after, scale.graph(), 0));
  EXPECT_OK(cuGraphLaunch(before, nullptr));
  EXPECT_EQ(scale.read(), std::vector<unsigned>(32, 3));
  EXPECT_OK(cuGraphLaunch(after, nullptr));
  EXPECT_EQ(scale.read(), std::vector<unsigned>(32, 15));
  EXPECT_EQ(cuGraphKernelNodeSetParams_v2(scale.node(), nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuGraphExecDestroy(before));
  EXPECT_OK(cuGraphExecDestroy(after));
}

TEST(cuGraphExecKernelNodeSetParams_v2, changes_the_executable_alone) {
  const TestContext context;
  ScaleGraph scale(2);
  CUgraphExec exec = nullptr;
  ASSERT_OK(cuGraphInstantiateWithFlags(&exec, scale.graph(), 0));
  const CUDA_KERNEL_NODE_PARAMS seven = scale.parameters(7);
  ASSERT_OK(cuGraphExecKernelNodeSetParams_v2(exec, scale.node(), &seven));
  EXPECT_OK(cuGraphLaunch(exec, nullptr));
  EXPECT_EQ(scale.read(), std::vector<unsigned>(32, 7));
  CUDA_KERNEL_NODE_PARAMS found{};
  ASSERT_OK(cuGraphKernelNodeGetParams_v2(scale.node(), &found));
  EXPECT_EQ(*static_cast<unsigned*>(found.kernelParams[1]), 2u);
  const Fill fill(1);
  EXPECT_EQ(cuGraphExecKernelNodeSetParams_v2(exec, fill.node(), &seven), CUDA_ERROR_INVALID_VALUE); // of another graph
  EXPECT_OK(cuGraphExecDestroy(exec));
}

} // namespace
