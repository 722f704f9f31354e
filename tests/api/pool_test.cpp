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

class OwnPool {
public:
  OwnPool() {
    CUmemPoolProps properties{};
    properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    EXPECT_OK(cuMemPoolCreate(&handle_, &properties));
  }
  ~OwnPool() { cuMemPoolDestroy(handle_); }
  OwnPool(const OwnPool&) = delete;
  OwnPool& operator=(const OwnPool&) = delete;
  operator CUmemoryPool() const { return handle_; }

private:
  CUmemoryPool handle_ = nullptr;
};

TEST(cuMemAllocFromPoolAsync, counts_in_that_pool) {
  const TestContext context;
  const OwnPool pool;
  CUdeviceptr address = 0;
  ASSERT_OK(cuMemAllocFromPoolAsync(&address, 4096, pool, nullptr));
  EXPECT_EQ(pool_bytes(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 4096u);
  EXPECT_OK(cuMemsetD8_v2(address, 1, 4096));
  EXPECT_OK(cuMemFreeAsync(address, nullptr));
  EXPECT_EQ(pool_bytes(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 0u);
  EXPECT_EQ(cuMemAllocFromPoolAsync(nullptr, 4096, pool, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAllocFromPoolAsync(&address, 0, pool, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAllocFromPoolAsync(&address, 4096, bad_handle<CUmemoryPool>(), nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAllocFromPoolAsync(&address, 4096, pool, bad_handle<CUstream>()), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuMemFreeAsync, refuses_what_is_not_an_allocation) {
  const TestContext context;
  CUdeviceptr address = 0;
  ASSERT_OK(cuMemAllocAsync(&address, 4096, nullptr));
  EXPECT_EQ(cuMemFreeAsync(address + 8, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemFreeAsync(address, bad_handle<CUstream>()), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_OK(cuMemFreeAsync(address, nullptr));
  EXPECT_EQ(cuMemFreeAsync(address, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuMemPoolDestroy, memory_in_use_stays_valid) {
  const TestContext context;
  CUmemPoolProps properties{};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  CUmemoryPool pool = nullptr;
  ASSERT_OK(cuMemPoolCreate(&pool, &properties));
  CUdeviceptr address = 0;
  ASSERT_OK(cuMemAllocFromPoolAsync(&address, 64, pool, nullptr));
  ASSERT_OK(cuMemPoolDestroy(pool));
  EXPECT_OK(cuMemsetD32_v2(address, 0xabcd, 16));
  unsigned value = 0;
  EXPECT_OK(cuMemcpyDtoH_v2(&value, address + 60, 4));
  EXPECT_EQ(value, 0xabcdu);
  EXPECT_OK(cuMemFreeAsync(address, nullptr));
  EXPECT_EQ(cuMemPoolDestroy(bad_handle<CUmemoryPool>()), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuMemPoolGetAttribute, reads_every_attribute) {
  const TestContext context;
  const OwnPool pool;
  for (int id = CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES; id <= CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES; ++id) {
    int value = -1;
    EXPECT_OK(cuMemPoolGetAttribute(pool, static_cast<CUmemPool_attribute>(id), &value));
    EXPECT_EQ(value, 1) << id; // CUDA Driver API: enabled by default
  }
  EXPECT_EQ(pool_bytes(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD), 0u); // by default
  EXPECT_EQ(pool_bytes(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH), 0u);
  cuuint64_t value = 0;
  EXPECT_EQ(cuMemPoolGetAttribute(pool, no_such<CUmemPool_attribute>(99), &value), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemPoolGetAttribute(bad_handle<CUmemoryPool>(), CU_MEMPOOL_ATTR_USED_MEM_HIGH, &value), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuMemPoolSetAttribute, keeps_what_may_be_set) {
  const TestContext context;
  const OwnPool pool;
  int off = 0, value = 1;
  EXPECT_OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, &off));
  EXPECT_OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, &value));
  EXPECT_EQ(value, 0);
  cuuint64_t bytes = 12345;
  EXPECT_OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &bytes));
  EXPECT_EQ(pool_bytes(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD), 12345u);
  EXPECT_EQ(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &bytes), CUDA_ERROR_INVALID_VALUE); // only read
  EXPECT_EQ(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &bytes), CUDA_ERROR_INVALID_VALUE);    // only reset to 0
  bytes = 0;
  EXPECT_OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &bytes));
  EXPECT_EQ(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuMemPoolTrimTo, keeps_what_is_in_use) {
  const TestContext context;
  const OwnPool pool;
  cuuint64_t threshold = 64 << 20;
  ASSERT_OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
  CUdeviceptr used = 0, freed = 0;
  ASSERT_OK(cuMemAllocFromPoolAsync(&used, 1 << 20, pool, nullptr));
  ASSERT_OK(cuMemAllocFromPoolAsync(&freed, 1 << 20, pool, nullptr));
  ASSERT_OK(cuMemFreeAsync(freed, nullptr));
  ASSERT_OK(cuCtxSynchronize());
  EXPECT_EQ(pool_bytes(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), cuuint64_t{2} << 20);
  EXPECT_OK(cuMemPoolTrimTo(pool, 0));
  EXPECT_EQ(pool_bytes(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), cuuint64_t{1} << 20);
  EXPECT_OK(cuMemsetD8_v2(used, 1, 1 << 20));
  EXPECT_OK(cuMemFreeAsync(used, nullptr));
  EXPECT_EQ(cuMemPoolTrimTo(bad_handle<CUmemoryPool>(), 0), CUDA_ERROR_INVALID_VALUE);
}

// CUDA Driver API, cuMemPoolSetAccess: the access of the device that owns the memory cannot be taken away.
TEST(cuMemPoolSetAccess, the_owner_keeps_its_access) {
  const TestContext context;
  const OwnPool pool;
  CUmemAccessDesc access{{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  EXPECT_OK(cuMemPoolSetAccess(pool, &access, 1));
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
  EXPECT_NE(cuMemPoolSetAccess(pool, &access, 1), CUDA_SUCCESS);
  access.location.id = 99;
  EXPECT_EQ(cuMemPoolSetAccess(pool, &access, 1), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuMemPoolSetAccess(pool, nullptr, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemPoolSetAccess(bad_handle<CUmemoryPool>(), &access, 1), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuMemPoolGetAccess, the_owner_reads_and_writes) {
  const TestContext context;
  const OwnPool pool;
  CUmemLocation location{CU_MEM_LOCATION_TYPE_DEVICE, 0};
  CUmemAccess_flags flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
  EXPECT_OK(cuMemPoolGetAccess(&flags, pool, &location));
  EXPECT_EQ(flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  location.id = 99;
  EXPECT_EQ(cuMemPoolGetAccess(&flags, pool, &location), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuMemPoolGetAccess(&flags, pool, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuDeviceSetMemPool, decides_where_cuMemAllocAsync_allocates) {
  const TestContext context;
  const OwnPool pool;
  ASSERT_OK(cuDeviceSetMemPool(0, pool));
  CUdeviceptr address = 0;
  ASSERT_OK(cuMemAllocAsync(&address, 8192, nullptr));
  EXPECT_EQ(pool_bytes(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 8192u);
  EXPECT_OK(cuMemFreeAsync(address, nullptr));
  EXPECT_EQ(cuDeviceSetMemPool(99, pool), CUDA_ERROR_INVALID_DEVICE);
  CUmemoryPool standard = nullptr;
  ASSERT_OK(cuDeviceGetDefaultMemPool(&standard, 0));
  EXPECT_OK(cuDeviceSetMemPool(0, standard));
}

TEST(cuMemGetDefaultMemPool, is_that_of_the_device) {
  const TestContext context;
  CUmemLocation location{CU_MEM_LOCATION_TYPE_DEVICE, 0};
  CUmemoryPool by_location = nullptr, by_device = nullptr;
  ASSERT_OK(cuMemGetDefaultMemPool(&by_location, &location, CU_MEM_ALLOCATION_TYPE_PINNED));
  ASSERT_OK(cuDeviceGetDefaultMemPool(&by_device, 0));
  EXPECT_EQ(by_location, by_device);
  location.id = 99;
  EXPECT_EQ(cuMemGetDefaultMemPool(&by_location, &location, CU_MEM_ALLOCATION_TYPE_PINNED), CUDA_ERROR_INVALID_DEVICE);
}

TEST(cuMemSetMemPool, is_seen_by_cuMemGetMemPool) {
  const TestContext context;
  const OwnPool pool;
  CUmemLocation location{CU_MEM_LOCATION_TYPE_DEVICE, 0};
  CUmemoryPool now = nullptr, standard = nullptr;
  ASSERT_OK(cuMemSetMemPool(&location, CU_MEM_ALLOCATION_TYPE_PINNED, pool));
  ASSERT_OK(cuMemGetMemPool(&now, &location, CU_MEM_ALLOCATION_TYPE_PINNED));
  EXPECT_EQ(now, static_cast<CUmemoryPool>(pool));
  EXPECT_EQ(cuMemSetMemPool(&location, CU_MEM_ALLOCATION_TYPE_PINNED, bad_handle<CUmemoryPool>()), CUDA_ERROR_INVALID_VALUE);
  ASSERT_OK(cuMemGetDefaultMemPool(&standard, &location, CU_MEM_ALLOCATION_TYPE_PINNED));
  EXPECT_OK(cuMemSetMemPool(&location, CU_MEM_ALLOCATION_TYPE_PINNED, standard));
}

TEST(cuMemGetMemPool, is_the_default_pool_at_first) {
  const TestContext context;
  CUmemLocation location{CU_MEM_LOCATION_TYPE_DEVICE, 0};
  CUmemoryPool now = nullptr, standard = nullptr;
  ASSERT_OK(cuMemGetMemPool(&now, &location, CU_MEM_ALLOCATION_TYPE_PINNED));
  ASSERT_OK(cuMemGetDefaultMemPool(&standard, &location, CU_MEM_ALLOCATION_TYPE_PINNED));
  EXPECT_EQ(now, standard);
}

} // namespace
