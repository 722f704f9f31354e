// SPDX-License-Identifier: MIT
// Memory that a program frees goes back: to the device, whose free memory is as before, and, on the virtual GPU, to the system.
// The virtual GPU's memory is shared memory of the process (RssShmem), a real one's is none of it.
#include "api_test.h"

#include <fstream>
#include <functional>

namespace {

constexpr size_t kMiB = size_t{1} << 20;
constexpr size_t kBytes = 16 * kMiB;

size_t resident_shared() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word)
    if (word == "RssShmem:") break;
  size_t kib = 0;
  status >> kib;
  return kib * 1024;
}

size_t free_memory() {
  size_t free_bytes = 0, total = 0;
  EXPECT_OK(cuMemGetInfo_v2(&free_bytes, &total));
  return free_bytes;
}

// A module with a variable of that size.
std::string large_module() {
  return ".version 7.5\n.target sm_80\n.address_size 64\n"
         ".visible .global .align 16 .b8 large[" + std::to_string(kBytes) + "];\n"
         ".visible .entry nothing() { ret; }\n";
}

// What `use` takes and leaves behind, after a first time that fills what HIP keeps for ever.
void expect_all_given_back(const std::function<void()>& use) {
  use();
  constexpr size_t kSlack = 8 * kMiB; // ROCr keeps blocks of 2 MiB for small allocations
  const size_t resident = resident_shared(), left = free_memory();
  for (int i = 0; i < 5; ++i) use();
  EXPECT_LE(resident_shared(), resident + kSlack);
  EXPECT_GE(free_memory() + kSlack, left);
}

TEST(give_back, device_memory) {
  const TestContext context;
  expect_all_given_back([] {
    const size_t before = free_memory();
    CUdeviceptr memory = 0;
    ASSERT_OK(cuMemAlloc_v2(&memory, kBytes));
    ASSERT_OK(cuMemsetD8_v2(memory, 1, kBytes));
    ASSERT_OK(cuCtxSynchronize());
    EXPECT_EQ(free_memory() + kBytes, before);
    ASSERT_OK(cuMemFree_v2(memory));
    EXPECT_EQ(free_memory(), before);
  });
}

TEST(give_back, pinned_memory) {
  const TestContext context;
  expect_all_given_back([] {
    void* memory = nullptr;
    ASSERT_OK(cuMemHostAlloc(&memory, kBytes, 0));
    std::memset(memory, 1, kBytes);
    ASSERT_OK(cuMemFreeHost(memory));
  });
}

TEST(give_back, managed_memory) {
  const TestContext context;
  expect_all_given_back([] {
    CUdeviceptr memory = 0;
    ASSERT_OK(cuMemAllocManaged(&memory, kBytes, CU_MEM_ATTACH_GLOBAL));
    std::memset(reinterpret_cast<void*>(memory), 1, kBytes);
    ASSERT_OK(cuMemFree_v2(memory));
  });
}

TEST(give_back, pitched_memory) {
  const TestContext context;
  expect_all_given_back([] {
    CUdeviceptr memory = 0;
    size_t pitch = 0;
    ASSERT_OK(cuMemAllocPitch_v2(&memory, &pitch, 4000, 4096, 4));
    ASSERT_OK(cuMemsetD2D8_v2(memory, pitch, 1, 4000, 4096));
    ASSERT_OK(cuMemFree_v2(memory));
  });
}

TEST(give_back, memory_of_a_pool) {
  const TestContext context;
  expect_all_given_back([] {
    CUdeviceptr memory = 0;
    ASSERT_OK(cuMemAllocAsync(&memory, kBytes, nullptr));
    ASSERT_OK(cuMemsetD8Async(memory, 1, kBytes, nullptr));
    ASSERT_OK(cuMemFreeAsync(memory, nullptr));
    ASSERT_OK(cuCtxSynchronize());
  });
}

TEST(give_back, registered_memory_stays_the_programs) {
  const TestContext context;
  std::vector<char> own(kBytes, 1);
  expect_all_given_back([&own] {
    ASSERT_OK(cuMemHostRegister_v2(own.data(), kBytes, 0));
    ASSERT_OK(cuMemHostUnregister(own.data()));
  });
}

TEST(give_back, modules_and_their_variables) {
  const TestContext context;
  const std::string ptx = large_module();
  expect_all_given_back([&ptx] {
    CUmodule module = nullptr;
    CUdeviceptr large = 0;
    size_t bytes = 0;
    ASSERT_OK(cuModuleLoadData(&module, ptx.c_str()));
    ASSERT_OK(cuModuleGetGlobal_v2(&large, &bytes, module, "large"));
    ASSERT_EQ(bytes, kBytes);
    ASSERT_OK(cuMemsetD8_v2(large, 1, kBytes));
    ASSERT_OK(cuCtxSynchronize());
    ASSERT_OK(cuModuleUnload(module));
  });
}

TEST(give_back, what_a_destroyed_context_had) {
  const TestContext outer; // for cuMemGetInfo
  const std::string ptx = large_module();
  expect_all_given_back([&ptx] {
    CUcontext context = nullptr;
    ASSERT_OK(cuCtxCreate_v2(&context, 0, 0));
    CUdeviceptr memory = 0;
    void* pinned = nullptr;
    CUmodule module = nullptr;
    CUstream stream = nullptr;
    ASSERT_OK(cuMemAlloc_v2(&memory, kBytes));
    ASSERT_OK(cuMemsetD8_v2(memory, 1, kBytes));
    ASSERT_OK(cuMemHostAlloc(&pinned, kBytes, 0));
    std::memset(pinned, 1, kBytes);
    ASSERT_OK(cuModuleLoadData(&module, ptx.c_str()));
    ASSERT_OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    ASSERT_OK(cuCtxDestroy_v2(context));
  });
}

TEST(give_back, what_a_reset_device_had) {
  ASSERT_OK(cuInit(0));
  const TestContext outer;
  expect_all_given_back([] {
    CUcontext primary = nullptr;
    ASSERT_OK(cuDevicePrimaryCtxRetain(&primary, 0));
    ASSERT_OK(cuCtxPushCurrent_v2(primary));
    CUdeviceptr memory = 0;
    ASSERT_OK(cuMemAlloc_v2(&memory, kBytes));
    ASSERT_OK(cuMemsetD8_v2(memory, 1, kBytes));
    CUcontext popped = nullptr;
    ASSERT_OK(cuCtxPopCurrent_v2(&popped));
    ASSERT_OK(cuDevicePrimaryCtxReset_v2(0));
    ASSERT_OK(cuDevicePrimaryCtxRelease_v2(0));
  });
}

} // namespace
