// SPDX-License-Identifier: MIT
// Two devices of different wave sizes: PTXSHIM_VIRTUAL_GPU=gfx1030,gfx90a.
#include "api_test.h"
#include "test_ptx.h"

#include <numeric>

namespace {

class TwoDevices : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_OK(cuInit(0));
    for (int i = 0; i < 2; ++i) {
      ASSERT_OK(cuCtxCreate_v2(&contexts_[i], 0, i));
      ASSERT_OK(cuModuleLoadData(&modules_[i], kScalePtx));
      ASSERT_OK(cuMemAlloc_v2(&memory_[i], kBytes));
      ASSERT_OK(cuMemsetD32_v2(memory_[i], 0, kCount));
      ASSERT_OK(cuCtxSynchronize()); // streams that do not wait for the default one are used below
    }
    use(0);
  }
  void TearDown() override {
    for (const CUcontext context : contexts_)
      if (context) {
        EXPECT_OK(cuCtxDestroy_v2(context));
      }
  }
  void use(int device) { ASSERT_OK(cuCtxSetCurrent(contexts_[device])); }
  // On the current context, with the module of a device.
  CUresult scale(int module, CUdeviceptr values, unsigned factor, CUstream stream = nullptr) {
    CUfunction function = nullptr;
    if (const CUresult failed = cuModuleGetFunction(&function, modules_[module], "scale")) return failed;
    unsigned count = kCount;
    void* parameters[] = {&values, &factor, &count};
    return cuLaunchKernel(function, kCount / 64, 1, 1, 64, 1, 1, 0, stream, parameters, nullptr);
  }
  static std::vector<unsigned> counting() {
    std::vector<unsigned> values(kCount);
    std::iota(values.begin(), values.end(), 0u);
    return values;
  }
  static std::vector<unsigned> read(CUdeviceptr address) {
    std::vector<unsigned> values(kCount);
    EXPECT_OK(cuMemcpyDtoH_v2(values.data(), address, kBytes));
    return values;
  }
  static std::vector<unsigned> times(unsigned factor) {
    std::vector<unsigned> values = counting();
    for (unsigned& value : values)
      value *= factor;
    return values;
  }
  static constexpr unsigned kCount = 4096;
  static constexpr size_t kBytes = kCount * 4;
  CUcontext contexts_[2] = {};
  CUmodule modules_[2] = {};
  CUdeviceptr memory_[2] = {};
};

TEST_F(TwoDevices, are_counted_and_differ) {
  int count = 0;
  ASSERT_OK(cuDeviceGetCount(&count));
  ASSERT_EQ(count, 2);
  char names[2][256] = {}, buses[2][32] = {};
  CUuuid uuids[2] = {};
  for (int i = 0; i < 2; ++i) {
    ASSERT_OK(cuDeviceGetName(names[i], 256, i));
    ASSERT_OK(cuDeviceGetUuid_v2(&uuids[i], i));
    ASSERT_OK(cuDeviceGetPCIBusId(buses[i], 32, i));
    int warp = 0;
    ASSERT_OK(cuDeviceGetAttribute(&warp, CU_DEVICE_ATTRIBUTE_WARP_SIZE, i));
    EXPECT_EQ(warp, 32); // also where a wave has 64 lanes
    CUdevice back = -1;
    ASSERT_OK(cuDeviceGetByPCIBusId(&back, buses[i]));
    EXPECT_EQ(back, i);
  }
  EXPECT_NE(std::string(names[0]).find("gfx1030"), std::string::npos);
  EXPECT_NE(std::string(names[1]).find("gfx90a"), std::string::npos);
  EXPECT_NE(std::memcmp(&uuids[0], &uuids[1], sizeof uuids[0]), 0);
}

TEST_F(TwoDevices, can_access_each_other) {
  for (int i = 0; i < 2; ++i) {
    int can = 0;
    EXPECT_OK(cuDeviceCanAccessPeer(&can, i, 1 - i));
    EXPECT_EQ(can, 1);
    can = 0;
    EXPECT_OK(cuDeviceGetP2PAttribute(&can, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, i, 1 - i));
    EXPECT_EQ(can, 1);
  }
}

// Each context has its module translated for its own device.
TEST_F(TwoDevices, a_module_runs_where_it_was_loaded) {
  const std::vector<unsigned> values = counting();
  for (int i = 0; i < 2; ++i) {
    use(i);
    ASSERT_OK(cuMemcpyHtoD_v2(memory_[i], values.data(), kBytes));
    ASSERT_OK(scale(i, memory_[i], 3 + static_cast<unsigned>(i)));
    EXPECT_EQ(read(memory_[i]), times(3 + static_cast<unsigned>(i)));
  }
  // A function of the other context's module is not for this one.
  EXPECT_EQ(scale(0, memory_[1], 2), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(TwoDevices, copy_to_each_other) {
  const std::vector<unsigned> values = counting();
  ASSERT_OK(cuMemcpyHtoD_v2(memory_[0], values.data(), kBytes));
  ASSERT_OK(scale(0, memory_[0], 5));
  ASSERT_OK(cuMemcpyPeer(memory_[1], contexts_[1], memory_[0], contexts_[0], kBytes));
  use(1);
  EXPECT_EQ(read(memory_[1]), times(5));
  ASSERT_OK(scale(1, memory_[1], 7));
  ASSERT_OK(cuMemcpyPeer(memory_[0], contexts_[0], memory_[1], contexts_[1], kBytes));
  EXPECT_EQ(read(memory_[0]), times(35));
}

TEST_F(TwoDevices, copy_in_the_order_of_streams_of_both) {
  const std::vector<unsigned> values = counting();
  CUstream streams[2] = {};
  CUevent copied = nullptr;
  for (int i = 0; i < 2; ++i) {
    use(i);
    ASSERT_OK(cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING));
  }
  use(0);
  ASSERT_OK(cuEventCreate(&copied, CU_EVENT_DISABLE_TIMING));
  for (unsigned round = 1; round < 10; ++round) {
    use(0);
    ASSERT_OK(cuMemcpyHtoDAsync_v2(memory_[0], values.data(), kBytes, streams[0]));
    ASSERT_OK(scale(0, memory_[0], round, streams[0]));
    ASSERT_OK(cuMemcpyPeerAsync(memory_[1], contexts_[1], memory_[0], contexts_[0], kBytes, streams[0]));
    ASSERT_OK(cuEventRecord(copied, streams[0]));
    use(1);
    ASSERT_OK(cuStreamWaitEvent(streams[1], copied, 0));
    ASSERT_OK(scale(1, memory_[1], 11, streams[1]));
    ASSERT_OK(cuStreamSynchronize(streams[1]));
    ASSERT_EQ(read(memory_[1]), times(round * 11));
  }
  use(0);
  EXPECT_OK(cuEventDestroy_v2(copied));
  for (const CUstream stream : streams)
    EXPECT_OK(cuStreamDestroy_v2(stream));
}

TEST_F(TwoDevices, reach_each_others_memory_with_peer_access) {
  const std::vector<unsigned> values = counting();
  ASSERT_OK(cuMemcpyHtoD_v2(memory_[0], values.data(), kBytes));
  use(1);
  ASSERT_OK(cuCtxEnablePeerAccess(contexts_[0], 0));
  EXPECT_EQ(cuCtxEnablePeerAccess(contexts_[0], 0), CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
  ASSERT_OK(scale(1, memory_[0], 9));
  ASSERT_OK(cuCtxSynchronize());
  use(0);
  EXPECT_EQ(read(memory_[0]), times(9));
  use(1);
  EXPECT_OK(cuCtxDisablePeerAccess(contexts_[0]));
  EXPECT_EQ(cuCtxDisablePeerAccess(contexts_[0]), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
}

TEST_F(TwoDevices, a_fault_sticks_to_the_device_that_has_it) {
  use(1);
  ASSERT_OK(scale(1, 0xdead0000, 9));
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  use(0);
  EXPECT_OK(cuCtxSynchronize());
  const std::vector<unsigned> values = counting();
  ASSERT_OK(cuMemcpyHtoD_v2(memory_[0], values.data(), kBytes));
  ASSERT_OK(scale(0, memory_[0], 2));
  EXPECT_EQ(read(memory_[0]), times(2));
  use(1);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(TwoDevices, pinned_and_managed_memory_is_of_both) {
  CUdeviceptr shared[2] = {};
  void* pinned = nullptr;
  ASSERT_OK(cuMemHostAlloc(&pinned, kBytes, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP));
  ASSERT_OK(cuMemHostGetDevicePointer_v2(&shared[0], pinned, 0));
  ASSERT_OK(cuMemAllocManaged(&shared[1], kBytes, CU_MEM_ATTACH_GLOBAL));
  unsigned* const host[2] = {static_cast<unsigned*>(pinned), reinterpret_cast<unsigned*>(shared[1])};
  for (int i = 0; i < 2; ++i) {
    std::iota(host[i], host[i] + kCount, 0u);
    for (int device = 0; device < 2; ++device) {
      use(device);
      ASSERT_OK(scale(device, shared[i], 3 + static_cast<unsigned>(device)));
      ASSERT_OK(cuCtxSynchronize());
    }
    EXPECT_EQ(std::vector<unsigned>(host[i], host[i] + kCount), times(12));
  }
  use(0);
  EXPECT_OK(cuMemFreeHost(pinned));
  EXPECT_OK(cuMemFree_v2(shared[1]));
}

TEST_F(TwoDevices, memory_is_counted_for_each) {
  size_t before[2] = {}, during[2] = {}, total = 0;
  const auto look = [&](size_t (&free_bytes)[2]) {
    for (int i = 0; i < 2; ++i) {
      use(i);
      ASSERT_OK(cuMemGetInfo_v2(&free_bytes[i], &total));
    }
  };
  look(before);
  CUdeviceptr large = 0;
  use(1);
  ASSERT_OK(cuMemAlloc_v2(&large, size_t{1} << 30));
  look(during);
  EXPECT_EQ(during[0], before[0]);
  EXPECT_EQ(during[1] + (size_t{1} << 30), before[1]);
  use(1);
  EXPECT_OK(cuMemFree_v2(large));
}

} // namespace
