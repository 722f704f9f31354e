// SPDX-License-Identifier: MIT
// Functions of modules and how many blocks of them fit.
#include "api_test.h"
#include "test_ptx.h"

namespace {

class Kernel {
public:
  explicit Kernel(const char* name, const char* ptx = kScalePtx) {
    EXPECT_OK(cuModuleLoadData(&module_, ptx));
    EXPECT_OK(cuModuleGetFunction(&function_, module_, name));
  }
  ~Kernel() { EXPECT_OK(cuModuleUnload(module_)); }
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;
  operator CUfunction() const { return function_; }
  CUmodule module() const { return module_; }

private:
  CUmodule module_ = nullptr;
  CUfunction function_ = nullptr;
};

int device_attribute(CUdevice_attribute id) {
  int value = 0;
  EXPECT_OK(cuDeviceGetAttribute(&value, id, 0));
  return value;
}

TEST(cuModuleGetFunctionCount, counts_kernels_only) {
  const TestContext context;
  const Kernel scale("scale");
  unsigned count = 0;
  EXPECT_OK(cuModuleGetFunctionCount(&count, scale.module()));
  EXPECT_EQ(count, 2u); // scale, count_up
  EXPECT_EQ(cuModuleGetFunctionCount(nullptr, scale.module()), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuModuleGetFunctionCount(&count, bad_handle<CUmodule>()), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuModuleEnumerateFunctions, gives_at_most_what_there_is_room_for) {
  const TestContext context;
  const Kernel scale("scale");
  CUfunction all[2] = {}, one[2] = {};
  ASSERT_OK(cuModuleEnumerateFunctions(all, 2, scale.module()));
  EXPECT_TRUE(all[0] == scale || all[1] == scale);
  EXPECT_NE(all[0], all[1]);
  EXPECT_OK(cuModuleEnumerateFunctions(one, 1, scale.module()));
  EXPECT_EQ(one[0], all[0]);
  EXPECT_EQ(one[1], nullptr);
  EXPECT_EQ(cuModuleEnumerateFunctions(nullptr, 2, scale.module()), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuModuleEnumerateFunctions(all, 2, bad_handle<CUmodule>()), CUDA_ERROR_INVALID_HANDLE);
}

// A header and one entry of PTX, as `nvcc -fatbin -no-compress` writes them.
std::vector<char> fat_binary(const std::string& ptx) {
  const size_t payload = (ptx.size() + 8) / 8 * 8;
  constexpr size_t kHeader = 16, kEntry = 64;
  std::vector<char> bytes(kHeader + kEntry + payload, 0);
  const auto put = [&](size_t at, auto value) { std::memcpy(&bytes[at], &value, sizeof value); };
  put(0, uint32_t{0xba55ed50});
  put(4, uint16_t{1});
  put(6, uint16_t{kHeader});
  put(8, uint64_t{kEntry + payload});
  put(kHeader + 0, uint16_t{1}); // PTX
  put(kHeader + 2, uint16_t{0x0101});
  put(kHeader + 4, uint32_t{kEntry});
  put(kHeader + 8, static_cast<uint32_t>(payload));
  put(kHeader + 24, uint32_t{7 << 16 | 5}); // PTX 7.5
  put(kHeader + 28, uint32_t{80});          // sm_80
  put(kHeader + 40, uint64_t{0x11});        // 64 bits, Linux
  std::memcpy(&bytes[kHeader + kEntry], ptx.data(), ptx.size());
  return bytes;
}

TEST(cuModuleLoadFatBinary, takes_the_ptx_in_it) {
  const TestContext context;
  const std::vector<char> image = fat_binary(kScalePtx);
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  ASSERT_OK(cuModuleLoadFatBinary(&module, image.data()));
  EXPECT_OK(cuModuleGetFunction(&function, module, "scale"));
  EXPECT_OK(cuModuleUnload(module));
  EXPECT_EQ(cuModuleLoadFatBinary(nullptr, image.data()), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuModuleLoadFatBinary(&module, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuFuncGetModule, is_the_module_it_came_from) {
  const TestContext context;
  const Kernel scale("scale"), other("scale");
  CUmodule module = nullptr;
  EXPECT_OK(cuFuncGetModule(&module, scale));
  EXPECT_EQ(module, scale.module());
  EXPECT_NE(module, other.module());
  EXPECT_EQ(cuFuncGetModule(nullptr, scale), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuFuncGetModule(&module, bad_handle<CUfunction>()), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuFuncGetName, is_the_name_in_the_ptx) {
  const TestContext context;
  const Kernel count_up("count_up");
  const char* name = nullptr;
  EXPECT_OK(cuFuncGetName(&name, count_up));
  EXPECT_STREQ(name, "count_up");
  EXPECT_EQ(cuFuncGetName(nullptr, count_up), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuFuncGetName(&name, bad_handle<CUfunction>()), CUDA_ERROR_INVALID_HANDLE);
}

// CUDA Driver API: a function is loaded at the latest by cuFuncLoad.
TEST(cuFuncIsLoaded, is_after_cuFuncLoad) {
  const TestContext context;
  const Kernel scale("scale");
  CUfunctionLoadingState state = CU_FUNCTION_LOADING_STATE_MAX;
  EXPECT_OK(cuFuncLoad(scale));
  EXPECT_OK(cuFuncIsLoaded(&state, scale));
  EXPECT_EQ(state, CU_FUNCTION_LOADING_STATE_LOADED);
  EXPECT_EQ(cuFuncIsLoaded(nullptr, scale), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuFuncIsLoaded(&state, bad_handle<CUfunction>()), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuFuncLoad, may_be_called_again) {
  const TestContext context;
  const Kernel scale("scale");
  EXPECT_OK(cuFuncLoad(scale));
  EXPECT_OK(cuFuncLoad(scale));
  EXPECT_EQ(cuFuncLoad(bad_handle<CUfunction>()), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuFuncLoad(nullptr), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuFuncSetCacheConfig, is_a_hint) {
  const TestContext context;
  const Kernel scale("scale");
  for (const CUfunc_cache config :
       {CU_FUNC_CACHE_PREFER_NONE, CU_FUNC_CACHE_PREFER_SHARED, CU_FUNC_CACHE_PREFER_L1, CU_FUNC_CACHE_PREFER_EQUAL})
    EXPECT_OK(cuFuncSetCacheConfig(scale, config));
  EXPECT_EQ(cuFuncSetCacheConfig(scale, no_such<CUfunc_cache>(4)), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuFuncSetCacheConfig(bad_handle<CUfunction>(), CU_FUNC_CACHE_PREFER_L1), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuFuncSetSharedMemConfig, is_a_hint) {
  const TestContext context;
  const Kernel scale("scale");
  EXPECT_OK(cuFuncSetSharedMemConfig(scale, CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE));
  EXPECT_EQ(cuFuncSetSharedMemConfig(scale, no_such<CUsharedconfig>(3)), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuFuncSetSharedMemConfig(bad_handle<CUfunction>(), CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuOccupancyAvailableDynamicSMemPerBlock, that_many_blocks_fit_with_it) {
  const TestContext context;
  const Kernel reverse("reverse", kSharedPtx);
  for (const int blocks : {1, 2, 4}) {
    size_t bytes = 0;
    int fit = 0;
    ASSERT_OK(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, reverse, blocks, 64));
    EXPECT_GT(bytes, 0u);
    EXPECT_LE(bytes, static_cast<size_t>(device_attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)));
    EXPECT_OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&fit, reverse, 64, bytes));
    EXPECT_GE(fit, blocks);
  }
  size_t bytes = 0;
  EXPECT_EQ(cuOccupancyAvailableDynamicSMemPerBlock(nullptr, reverse, 1, 64), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, reverse, 0, 64), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, bad_handle<CUfunction>(), 1, 64), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, agrees_with_the_form_without) {
  const TestContext context;
  const Kernel scale("scale");
  int with = -1, without = -2;
  for (const int size : {32, 256, 1024}) {
    EXPECT_OK(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&with, scale, size, 0, CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE));
    EXPECT_OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&without, scale, size, 0));
    EXPECT_EQ(with, without) << size;
    EXPECT_LE(with * size, device_attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)) << size;
  }
  EXPECT_EQ(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&with, scale, 32, 0, 2), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(nullptr, scale, 32, 0, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuOccupancyMaxPotentialBlockSize, asks_for_the_shared_memory_of_each_size) {
  const TestContext context;
  const Kernel reverse("reverse", kSharedPtx);
  int grid = 0, block = 0, small_grid = 0, small_block = 0;
  ASSERT_OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, reverse, nullptr, 0, 0));
  EXPECT_EQ(grid % device_attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT), 0); // whole rounds over the device
  // A kilobyte for each thread: blocks of more threads than the limit in kilobytes cannot run.
  const int kilobytes = device_attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN) / 1024;
  ASSERT_OK(cuOccupancyMaxPotentialBlockSize(
      &small_grid, &small_block, reverse, [](int size) { return static_cast<size_t>(size) * 1024; }, 0, 0));
  EXPECT_GE(small_block, 1);
  EXPECT_LE(small_block, kilobytes);
  EXPECT_EQ(cuOccupancyMaxPotentialBlockSize(nullptr, &block, reverse, nullptr, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuOccupancyMaxPotentialBlockSize(&grid, &block, bad_handle<CUfunction>(), nullptr, 0, 0), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuOccupancyMaxPotentialBlockSizeWithFlags, keeps_to_the_limit) {
  const TestContext context;
  const Kernel scale("scale");
  int grid = 0, block = 0;
  ASSERT_OK(cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, scale, nullptr, 0, 96, CU_OCCUPANCY_DEFAULT));
  EXPECT_GE(block, 1);
  EXPECT_LE(block, 96);
  EXPECT_GE(grid, 1);
  EXPECT_EQ(cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, scale, nullptr, 0, 0, 2), CUDA_ERROR_INVALID_VALUE);
}

} // namespace
