// SPDX-License-Identifier: MIT
#include "api_test.h"
#include "test_ptx.h"

#include <numeric>

namespace {

// A kernel of one of the test modules.
class Kernel {
public:
  Kernel(const char* ptx, const char* name) {
    EXPECT_OK(cuModuleLoadData(&module_, ptx));
    EXPECT_OK(cuModuleGetFunction(&function_, module_, name));
  }
  ~Kernel() { cuModuleUnload(module_); }
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;
  operator CUfunction() const { return function_; }

private:
  CUmodule module_ = nullptr;
  CUfunction function_ = nullptr;
};

std::vector<unsigned> counting(size_t count) {
  std::vector<unsigned> values(count);
  std::iota(values.begin(), values.end(), 0u);
  return values;
}

std::vector<unsigned> scaled(std::vector<unsigned> values, unsigned factor) {
  for (unsigned& value : values) value *= factor;
  return values;
}

TEST(cuLaunchKernel, takes_arguments_one_by_one) {
  const TestContext context;
  const Kernel scale(kScalePtx, "scale");
  const DeviceArray<unsigned> memory(counting(1000));
  CUdeviceptr values = memory.address();
  unsigned factor = 3, count = 1000;
  void* parameters[] = {&values, &factor, &count};
  ASSERT_OK(cuLaunchKernel(scale, 8, 1, 1, 128, 1, 1, 0, nullptr, parameters, nullptr));
  EXPECT_EQ(memory.read(), scaled(counting(1000), 3));
}

TEST(cuLaunchKernel, takes_arguments_as_a_buffer) {
  const TestContext context;
  const Kernel scale(kScalePtx, "scale");
  const DeviceArray<unsigned> memory(counting(1000));
  struct {
    CUdeviceptr values;
    unsigned factor, count;
  } arguments{memory.address(), 7, 1000};
  size_t bytes = sizeof arguments;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &arguments, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
  ASSERT_OK(cuLaunchKernel(scale, 8, 1, 1, 128, 1, 1, 0, nullptr, nullptr, extra));
  EXPECT_EQ(memory.read(), scaled(counting(1000), 7));
  bytes = 12; // lacks the last argument
  EXPECT_EQ(cuLaunchKernel(scale, 8, 1, 1, 128, 1, 1, 0, nullptr, nullptr, extra), CUDA_ERROR_INVALID_VALUE);
  bytes = sizeof arguments;
  void* both[] = {&arguments.values, &arguments.factor, &arguments.count};
  EXPECT_EQ(cuLaunchKernel(scale, 8, 1, 1, 128, 1, 1, 0, nullptr, both, extra), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLaunchKernel(scale, 8, 1, 1, 128, 1, 1, 0, nullptr, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(memory.read(), scaled(counting(1000), 7)); // none of those ran
}

TEST(cuLaunchKernel, refuses_impossible_shapes) {
  const TestContext context;
  const Kernel count_up(kScalePtx, "count_up");
  const auto launch = [&](unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared = 0) {
    return cuLaunchKernel(count_up, gx, gy, gz, bx, by, bz, shared, nullptr, nullptr, nullptr);
  };
  EXPECT_EQ(launch(0, 1, 1, 1, 1, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch(1, 0, 1, 1, 1, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch(1, 1, 1, 0, 1, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch(1, 1, 1, 1, 1, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch(1, 65536, 1, 1, 1, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch(1, 1, 65536, 1, 1, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch(1, 1, 1, 1025, 1, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch(1, 1, 1, 32, 33, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch(1, 1, 1, 1, 1, 65), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch(1, 1, 1, 1, 1, 1, 49153), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(launch(1, 1, 1, 1024, 1, 1));
  EXPECT_OK(cuCtxSynchronize());
}

TEST(cuLaunchKernel, refuses_bad_handles) {
  const TestContext context;
  const Kernel count_up(kScalePtx, "count_up");
  EXPECT_EQ(cuLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuLaunchKernel(bad_handle<CUfunction>(), 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuLaunchKernel(count_up, 1, 1, 1, 1, 1, 1, 0, bad_handle<CUstream>(), nullptr, nullptr), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuLaunchKernel, demands_the_block_of_reqntid) {
  const TestContext context;
  const Kernel fixed(kSharedPtx, "fixed");
  const DeviceArray<unsigned> memory(std::vector<unsigned>(64, 99));
  CUdeviceptr values = memory.address();
  void* parameters[] = {&values};
  EXPECT_EQ(cuLaunchKernel(fixed, 1, 1, 1, 32, 1, 1, 0, nullptr, parameters, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuLaunchKernel(fixed, 1, 1, 1, 64, 1, 1, 0, nullptr, parameters, nullptr));
  EXPECT_EQ(memory.read(), counting(64));
}

TEST(cuLaunchKernel, gives_dynamic_shared_memory) {
  const TestContext context;
  const Kernel reverse(kSharedPtx, "reverse");
  const std::vector<unsigned> values = counting(1024);
  const DeviceArray<unsigned> memory(values);
  CUdeviceptr address = memory.address();
  void* parameters[] = {&address};
  ASSERT_OK(cuLaunchKernel(reverse, 1, 1, 1, 1024, 1, 1, 4096, nullptr, parameters, nullptr));
  EXPECT_EQ(memory.read(), std::vector<unsigned>(values.rbegin(), values.rend()));
}

TEST(cuFuncSetAttribute, raises_the_limit_of_dynamic_shared_memory) {
  const TestContext context;
  const Kernel reverse(kSharedPtx, "reverse");
  const DeviceArray<unsigned> memory(counting(64));
  CUdeviceptr address = memory.address();
  void* parameters[] = {&address};
  int most = 0;
  ASSERT_OK(cuDeviceGetAttribute(&most, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 0));
  ASSERT_GT(most, 49152);
  const unsigned bytes = static_cast<unsigned>(most);
  EXPECT_EQ(cuLaunchKernel(reverse, 1, 1, 1, 64, 1, 1, bytes, nullptr, parameters, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuFuncSetAttribute(reverse, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, most + 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuFuncSetAttribute(reverse, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, -1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuFuncSetAttribute(reverse, CU_FUNC_ATTRIBUTE_NUM_REGS, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuFuncSetAttribute(reverse, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, most));
  EXPECT_OK(cuLaunchKernel(reverse, 1, 1, 1, 64, 1, 1, bytes, nullptr, parameters, nullptr));
  const std::vector<unsigned> values = counting(64);
  EXPECT_EQ(memory.read(), std::vector<unsigned>(values.rbegin(), values.rend()));
}

TEST(cuLaunchKernelEx, takes_attributes) {
  const TestContext context;
  const Kernel scale(kScalePtx, "scale");
  const DeviceArray<unsigned> memory(counting(100));
  CUdeviceptr values = memory.address();
  unsigned factor = 2, count = 100;
  void* parameters[] = {&values, &factor, &count};
  CUlaunchAttribute attributes[2] = {};
  attributes[0].id = CU_LAUNCH_ATTRIBUTE_IGNORE;
  attributes[1].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  attributes[1].value.cooperative = 1;
  CUlaunchConfig config{};
  config.gridDimX = config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = 128;
  config.blockDimY = config.blockDimZ = 1;
  config.attrs = attributes;
  config.numAttrs = 2;
  ASSERT_OK(cuLaunchKernelEx(&config, scale, parameters, nullptr));
  EXPECT_EQ(memory.read(), scaled(counting(100), 2));
  attributes[0].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attributes[0].value.clusterDim = {2, 1, 1};
  EXPECT_EQ(cuLaunchKernelEx(&config, scale, parameters, nullptr), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuLaunchKernelEx(nullptr, scale, parameters, nullptr), CUDA_ERROR_INVALID_VALUE);
}

// As many blocks as the device says it has room for, of all sizes: they are resident together.
TEST(cuLaunchCooperativeKernel, has_all_blocks_resident) {
  const TestContext context;
  const Kernel meet(kMeetPtx, "meet");
  int processors = 0;
  ASSERT_OK(cuDeviceGetAttribute(&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
  for (const unsigned size : {32u, 96u, 256u, 1024u}) {
    int per_processor = 0;
    ASSERT_OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&per_processor, meet, static_cast<int>(size), 0));
    const unsigned blocks = static_cast<unsigned>(per_processor * processors);
    ASSERT_GT(blocks, 0u);
    const DeviceArray<unsigned> arrived{std::vector<unsigned>{0}}, seen{std::vector<unsigned>(blocks)};
    CUdeviceptr addresses[] = {arrived.address(), seen.address()};
    void* parameters[] = {&addresses[0], &addresses[1]};
    EXPECT_EQ(cuLaunchCooperativeKernel(meet, blocks + 1, 1, 1, size, 1, 1, 0, nullptr, parameters), CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    ASSERT_OK(cuLaunchCooperativeKernel(meet, blocks, 1, 1, size, 1, 1, 0, nullptr, parameters));
    EXPECT_EQ(seen.read(), std::vector<unsigned>(blocks, blocks));
  }
}

TEST(cuLaunchCooperativeKernel, refuses_grids_that_do_not_fit) {
  const TestContext context;
  const Kernel scale(kScalePtx, "scale");
  const DeviceArray<unsigned> memory(counting(64));
  CUdeviceptr values = memory.address();
  unsigned factor = 5, count = 64;
  void* parameters[] = {&values, &factor, &count};
  EXPECT_EQ(cuLaunchCooperativeKernel(scale, 1 << 24, 1, 1, 64, 1, 1, 0, nullptr, parameters), CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  EXPECT_OK(cuLaunchCooperativeKernel(scale, 2, 1, 1, 32, 1, 1, 0, nullptr, parameters));
  EXPECT_EQ(memory.read(), scaled(counting(64), 5));
}

// The line of the .cu, from -lineinfo, with the functions that were inlined there.
TEST(cuLaunchKernel, a_fault_on_the_virtual_gpu_names_the_source_line) {
  const TestContext context;
  CUmodule module = nullptr;
  ASSERT_OK(cuModuleLoad(&module, PTXSHIM_TEST_KERNELS "/lines.ptx"));
  CUfunction lines = nullptr;
  ASSERT_OK(cuModuleGetFunction(&lines, module, "lines"));
  CUdeviceptr in = 0x1000, out = 0x1000; // never mapped
  void* parameters[] = {&in, &out};
  testing::internal::CaptureStderr();
  EXPECT_OK(cuLaunchKernel(lines, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  const std::string report = testing::internal::GetCapturedStderr();
  if (report.find("work group") == std::string::npos) GTEST_SKIP() << "a real GPU writes no report";
  EXPECT_NE(report.find("at lines.cu:4:3 in doubled(float const*, int)"), std::string::npos) << report;
  EXPECT_NE(report.find("inlined at lines.cu:13:3 in lines"), std::string::npos) << report;
}

// CUDA Driver API: after CUDA_ERROR_ILLEGAL_ADDRESS the context cannot be used; a new one can.
TEST(cuLaunchKernel, an_illegal_address_sticks_to_the_context) {
  {
    const TestContext context;
    const Kernel wild(kSharedPtx, "wild");
    CUdeviceptr address = 0x10; // never mapped
    void* parameters[] = {&address};
    ASSERT_OK(cuLaunchKernel(wild, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
    EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    CUdeviceptr memory = 0;
    EXPECT_EQ(cuMemAlloc_v2(&memory, 4), CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_EQ(cuStreamSynchronize(nullptr), CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_EQ(cuLaunchKernel(wild, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr), CUDA_ERROR_ILLEGAL_ADDRESS);
  }
  const TestContext context;
  const Kernel scale(kScalePtx, "scale");
  const DeviceArray<unsigned> memory(counting(10));
  CUdeviceptr values = memory.address();
  unsigned factor = 2, count = 10;
  void* parameters[] = {&values, &factor, &count};
  EXPECT_OK(cuLaunchKernel(scale, 1, 1, 1, 32, 1, 1, 0, nullptr, parameters, nullptr));
  EXPECT_EQ(memory.read(), scaled(counting(10), 2));
}

} // namespace
