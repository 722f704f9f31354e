// SPDX-License-Identifier: MIT
#include "api_test.h"

namespace {

cuuint64_t pool_bytes(CUmemoryPool pool, CUmemPool_attribute attribute) {
  cuuint64_t value = ~cuuint64_t{0};
  EXPECT_OK(cuMemPoolGetAttribute(pool, attribute, &value));
  return value;
}

TEST(cuMemAllocAsync, is_usable_in_stream_order) {
  const TestContext context;
  CUstream stream = nullptr;
  ASSERT_OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CUdeviceptr address = 0;
  ASSERT_OK(cuMemAllocAsync(&address, 4000, stream));
  ASSERT_OK(cuMemsetD32Async(address, 42, 1000, stream));
  std::vector<unsigned> values(1000);
  ASSERT_OK(cuMemcpyDtoHAsync_v2(values.data(), address, 4000, stream));
  ASSERT_OK(cuMemFreeAsync(address, stream));
  ASSERT_OK(cuStreamSynchronize(stream));
  EXPECT_EQ(values, std::vector<unsigned>(1000, 42));
  EXPECT_EQ(cuMemFreeAsync(address, stream), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAllocAsync(&address, 0, stream), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAllocAsync(&address, 4, bad_handle<CUstream>()), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_OK(cuStreamDestroy_v2(stream));
}

TEST(cuMemAllocAsync, reuses_in_the_same_stream) {
  const TestContext context;
  CUstream stream = nullptr;
  ASSERT_OK(cuStreamCreate(&stream, 0));
  CUdeviceptr first = 0, second = 0;
  ASSERT_OK(cuMemAllocAsync(&first, 1 << 20, stream));
  ASSERT_OK(cuMemFreeAsync(first, stream));
  ASSERT_OK(cuMemAllocAsync(&second, 1 << 20, stream));
  EXPECT_EQ(second, first);
  EXPECT_OK(cuMemFreeAsync(second, stream));
  EXPECT_OK(cuStreamDestroy_v2(stream));
}

TEST(cuMemFree_v2, takes_memory_of_cuMemAllocAsync) {
  const TestContext context;
  CUdeviceptr address = 0;
  ASSERT_OK(cuMemAllocAsync(&address, 4096, nullptr));
  EXPECT_OK(cuMemFree_v2(address));
  ASSERT_OK(cuMemAlloc_v2(&address, 4096));
  EXPECT_OK(cuMemFreeAsync(address, nullptr)); // and the other way round
}

TEST(cuMemPoolCreate, counts_and_trims) {
  const TestContext context;
  CUmemPoolProps properties{};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  CUmemoryPool pool = nullptr;
  ASSERT_OK(cuMemPoolCreate(&pool, &properties));
  CUdeviceptr address = 0;
  ASSERT_OK(cuMemAllocFromPoolAsync(&address, 1 << 20, pool, nullptr));
  EXPECT_EQ(pool_bytes(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), cuuint64_t{1} << 20);
  cuuint64_t threshold = 64 << 20;
  EXPECT_OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
  EXPECT_OK(cuMemFreeAsync(address, nullptr));
  EXPECT_OK(cuCtxSynchronize());
  EXPECT_EQ(pool_bytes(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 0u);
  EXPECT_EQ(pool_bytes(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH), cuuint64_t{1} << 20);
  EXPECT_EQ(pool_bytes(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), cuuint64_t{1} << 20);
  EXPECT_OK(cuMemPoolTrimTo(pool, 0));
  EXPECT_EQ(pool_bytes(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 0u);
  EXPECT_OK(cuMemPoolDestroy(pool));
  EXPECT_EQ(cuMemPoolDestroy(pool), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuDeviceGetDefaultMemPool, is_current_until_another_is_set) {
  const TestContext context;
  CUmemoryPool standard = nullptr, now = nullptr, own = nullptr;
  ASSERT_OK(cuDeviceGetDefaultMemPool(&standard, 0));
  ASSERT_OK(cuDeviceGetMemPool(&now, 0));
  EXPECT_EQ(now, standard);
  CUmemPoolProps properties{};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  ASSERT_OK(cuMemPoolCreate(&own, &properties));
  EXPECT_OK(cuDeviceSetMemPool(0, own));
  ASSERT_OK(cuDeviceGetMemPool(&now, 0));
  EXPECT_EQ(now, own);
  EXPECT_OK(cuMemPoolDestroy(own));
  ASSERT_OK(cuDeviceGetMemPool(&now, 0));
  EXPECT_EQ(now, standard);
  EXPECT_EQ(cuMemPoolDestroy(standard), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceSetMemPool(0, bad_handle<CUmemoryPool>()), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetDefaultMemPool(&now, 99), CUDA_ERROR_INVALID_DEVICE);
}

} // namespace
