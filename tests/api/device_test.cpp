// SPDX-License-Identifier: MIT
#include "api_test.h"

namespace {

class Initialised : public testing::Environment {
  void SetUp() override { ASSERT_OK(cuInit(0)); }
};
const testing::Environment* const kInitialised = testing::AddGlobalTestEnvironment(new Initialised);

int attribute(CUdevice_attribute id) {
  int value = -12345;
  EXPECT_OK(cuDeviceGetAttribute(&value, id, 0));
  return value;
}

TEST(cuDeviceGet, gives_ordinals) {
  int count = 0;
  ASSERT_OK(cuDeviceGetCount(&count));
  ASSERT_GE(count, 1);
  CUdevice device = -1;
  EXPECT_OK(cuDeviceGet(&device, 0));
  EXPECT_EQ(device, 0);
  EXPECT_EQ(cuDeviceGet(&device, count), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuDeviceGet(&device, -1), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuDeviceGet(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetCount(nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuDeviceGetName, is_cut_to_the_buffer) {
  char name[256] = {}, shorter[5];
  ASSERT_OK(cuDeviceGetName(name, sizeof name, 0));
  EXPECT_GT(std::strlen(name), 4u);
  std::memset(shorter, 'x', sizeof shorter);
  EXPECT_OK(cuDeviceGetName(shorter, sizeof shorter, 0));
  EXPECT_EQ(std::string(shorter), std::string(name, 4));
  EXPECT_EQ(cuDeviceGetName(name, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetName(nullptr, 10, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetName(name, sizeof name, 99), CUDA_ERROR_INVALID_DEVICE);
}

TEST(cuDeviceTotalMem_v2, is_what_can_be_allocated_from) {
  size_t bytes = 0;
  EXPECT_OK(cuDeviceTotalMem_v2(&bytes, 0));
  EXPECT_GE(bytes, size_t{256} << 20);
  EXPECT_EQ(cuDeviceTotalMem_v2(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceTotalMem_v2(&bytes, 99), CUDA_ERROR_INVALID_DEVICE);
}

// What translated kernels can rely on (CUDA C++ Programming Guide, compute capability 8.6) on every AMD GPU.
TEST(cuDeviceGetAttribute, states_the_guarantees_of_cuda) {
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE), 32);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 1024);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z), 64);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X), 2147483647);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK), 49152);
  EXPECT_GE(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN), 49152);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR), 8);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR), 6);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING), 1);
  EXPECT_GE(attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT), 1);
  EXPECT_GE(attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR), 1024);
}

TEST(cuDeviceGetAttribute, answers_every_id_there_is) {
  for (int id = 1; id <= CU_DEVICE_ATTRIBUTE_ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED; ++id) {
    int value = 0;
    EXPECT_OK(cuDeviceGetAttribute(&value, static_cast<CUdevice_attribute>(id), 0)) << id;
  }
}

TEST(cuDeviceGetAttribute, refuses_what_there_is_not) {
  int value = 0;
  EXPECT_EQ(cuDeviceGetAttribute(&value, no_such<CUdevice_attribute>(0), 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetAttribute(&value, no_such<CUdevice_attribute>(9999), 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetAttribute(nullptr, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 99), CUDA_ERROR_INVALID_DEVICE);
}

TEST(cuDeviceGetUuid, is_not_empty_and_the_same_in_both_forms) {
  CUuuid first{}, second{};
  const CUuuid empty{};
  ASSERT_OK(cuDeviceGetUuid(&first, 0));
  ASSERT_OK(cuDeviceGetUuid_v2(&second, 0));
  EXPECT_NE(std::memcmp(&first, &empty, sizeof first), 0);
  EXPECT_EQ(std::memcmp(&first, &second, sizeof first), 0);
  EXPECT_EQ(cuDeviceGetUuid(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetUuid(&first, 99), CUDA_ERROR_INVALID_DEVICE);
}

TEST(cuDeviceGetPCIBusId, names_the_device_for_cuDeviceGetByPCIBusId) {
  char text[32] = {};
  ASSERT_OK(cuDeviceGetPCIBusId(text, sizeof text, 0));
  EXPECT_EQ(std::strlen(text), std::strlen("0000:00:00.0"));
  CUdevice device = -1;
  EXPECT_OK(cuDeviceGetByPCIBusId(&device, text));
  EXPECT_EQ(device, 0);
  EXPECT_EQ(cuDeviceGetByPCIBusId(&device, "ffff:ff:1f.0"), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuDeviceGetByPCIBusId(&device, "nonsense"), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetPCIBusId(text, 4, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuDeviceComputeCapability, agrees_with_the_attributes) {
  int major = 0, minor = 0;
  EXPECT_OK(cuDeviceComputeCapability(&major, &minor, 0));
  EXPECT_EQ(major, attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR));
  EXPECT_EQ(minor, attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
}

TEST(cuDeviceGetProperties, agrees_with_the_attributes) {
  CUdevprop properties{};
  ASSERT_OK(cuDeviceGetProperties(&properties, 0));
  EXPECT_EQ(properties.SIMDWidth, 32);
  EXPECT_EQ(properties.maxThreadsDim[2], 64);
  EXPECT_EQ(properties.maxGridSize[1], 65535);
}

TEST(cuDeviceCanAccessPeer, a_device_is_not_its_own_peer) {
  int can = 1;
  EXPECT_OK(cuDeviceCanAccessPeer(&can, 0, 0));
  EXPECT_EQ(can, 0);
  EXPECT_EQ(cuDeviceCanAccessPeer(&can, 0, 99), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuDeviceGetP2PAttribute(&can, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 0), CUDA_ERROR_INVALID_DEVICE);
}

TEST(cuMulticastCreate, is_a_stub_that_says_so) {
  void* address = nullptr;
  ASSERT_OK(cuGetProcAddress_v2("cuMulticastCreate", &address, 13000, 0, nullptr));
  EXPECT_EQ(reinterpret_cast<CUresult (*)()>(address)(), CUDA_ERROR_NOT_SUPPORTED);
}

TEST(cuProfilerStart, nothing_listens) {
  EXPECT_OK(cuProfilerStart());
  EXPECT_OK(cuProfilerStop());
}

TEST(cuDeviceGetCount, is_the_first_ordinal_that_there_is_not) {
  int count = -1;
  ASSERT_OK(cuDeviceGetCount(&count));
  ASSERT_GE(count, 1);
  CUdevice device = -1;
  EXPECT_OK(cuDeviceGet(&device, count - 1));
  EXPECT_EQ(cuDeviceGet(&device, count), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuDeviceGetCount(nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuDeviceGetByPCIBusId, finds_what_cuDeviceGetPCIBusId_names) {
  int count = 0;
  ASSERT_OK(cuDeviceGetCount(&count));
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    char text[32] = {};
    CUdevice device = -1;
    ASSERT_OK(cuDeviceGetPCIBusId(text, sizeof text, ordinal));
    EXPECT_OK(cuDeviceGetByPCIBusId(&device, text)) << text;
    EXPECT_EQ(device, ordinal);
  }
  CUdevice device = -1;
  EXPECT_EQ(cuDeviceGetByPCIBusId(nullptr, "0000:00:00.0"), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetByPCIBusId(&device, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetByPCIBusId(&device, ""), CUDA_ERROR_INVALID_VALUE);
}

// CUDA Driver API, cuDeviceGetP2PAttribute: CUDA_ERROR_INVALID_DEVICE if a device is not valid or both are the same.
TEST(cuDeviceGetP2PAttribute, needs_two_devices) {
  int value = 0;
  EXPECT_EQ(cuDeviceGetP2PAttribute(&value, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 0), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuDeviceGetP2PAttribute(&value, CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK, 0, 99), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuDeviceGetP2PAttribute(nullptr, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 99), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuDeviceGetTexture1DLinearMaxWidth, agrees_with_the_attribute) {
  size_t width = 99;
  ASSERT_OK(cuDeviceGetTexture1DLinearMaxWidth(&width, CU_AD_FORMAT_FLOAT, 4, 0));
  EXPECT_EQ(width, static_cast<size_t>(attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH)));
  EXPECT_EQ(cuDeviceGetTexture1DLinearMaxWidth(nullptr, CU_AD_FORMAT_FLOAT, 4, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetTexture1DLinearMaxWidth(&width, CU_AD_FORMAT_FLOAT, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetTexture1DLinearMaxWidth(&width, CU_AD_FORMAT_FLOAT, 4, 99), CUDA_ERROR_INVALID_DEVICE);
}

TEST(cuDeviceGetMemPool, is_the_default_pool_at_first) {
  CUmemoryPool now = nullptr, standard = nullptr;
  ASSERT_OK(cuDeviceGetMemPool(&now, 0));
  ASSERT_OK(cuDeviceGetDefaultMemPool(&standard, 0));
  EXPECT_NE(now, nullptr);
  EXPECT_EQ(now, standard);
  EXPECT_EQ(cuDeviceGetMemPool(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetMemPool(&now, 99), CUDA_ERROR_INVALID_DEVICE);
}

TEST(cuProfilerStop, needs_no_start) {
  EXPECT_OK(cuProfilerStop());
  EXPECT_OK(cuProfilerStop());
}

} // namespace
