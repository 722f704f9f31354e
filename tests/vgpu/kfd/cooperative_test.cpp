// SPDX-License-Identifier: MIT
// hipLaunchCooperativeKernel, which HIP 5 has for functions that a program registered at its start: as hipcc's programs do.
#include <cstring>
#include <gtest/gtest.h>

#include "hip.h"

using namespace hip;

#define OK(call) ASSERT_EQ(call, 0) << #call

namespace {

struct Dim3 {
  uint32_t x, y, z;
};
constexpr int kCooperativeLaunchTooLarge = 720;

// The container that hipcc puts into programs: magic, count of entries, {offset, size, length of the id, id} of each.
std::vector<char> bundle() {
  const std::vector<char>& code = code_object();
  const std::string ids[] = {"host-x86_64-unknown-linux", std::string("hipv4-amdgcn-amd-amdhsa--") + PTXSHIM_GFX};
  std::string bytes;
  const auto put = [&bytes](const void* from, size_t size) { bytes.append(static_cast<const char*>(from), size); };
  const auto put_number = [&put](uint64_t number) { put(&number, sizeof number); };
  constexpr size_t kCodeOffset = 4096;
  put("__CLANG_OFFLOAD_BUNDLE__", 24);
  put_number(2);
  for (size_t i = 0; i < 2; ++i) {
    put_number(kCodeOffset);
    put_number(i == 0 ? 0 : code.size());
    put_number(ids[i].size());
    put(ids[i].data(), ids[i].size());
  }
  bytes.resize(kCodeOffset);
  put(code.data(), code.size());
  return {bytes.begin(), bytes.end()};
}

struct Wrapper {
  uint32_t magic = 0x48495046; // "HIPF"
  uint32_t version = 1;
  const void* binary = nullptr;
  void* unused = nullptr;
};

class Cooperative : public testing::Test {
protected:
  void SetUp() override {
    const std::string& problem = load();
    if (problem.starts_with("absent")) GTEST_SKIP() << "no HIP runtime: " << problem;
    ASSERT_EQ(problem, "");
    ASSERT_TRUE(find_function("__hipRegisterFatBinary", register_binary_));
    ASSERT_TRUE(find_function("__hipRegisterFunction", register_function_));
    ASSERT_TRUE(find_function("hipLaunchCooperativeKernel", launch_));
    ASSERT_TRUE(find_function("hipOccupancyMaxActiveBlocksPerMultiprocessor", occupancy_));
    static const std::vector<char>* const kBundle = new std::vector<char>(bundle());
    static Wrapper wrapper;
    wrapper.binary = kBundle->data();
    void** const binary = register_binary_(&wrapper);
    ASSERT_NE(binary, nullptr);
    register_function_(binary, kernel(), "grid_barrier", "grid_barrier", ~0u, nullptr, nullptr, nullptr, nullptr, nullptr);
  }
  static const void* kernel() {
    static char host_function; // its address is the kernel's name
    return &host_function;
  }
  void** (*register_binary_)(const void*) = nullptr;
  void (*register_function_)(void**, const void*, const char*, const char*, unsigned, void*, void*, Dim3*, Dim3*, int*) = nullptr;
  int (*launch_)(const void*, Dim3, Dim3, void**, unsigned, Stream) = nullptr;
  int (*occupancy_)(int*, const void*, int, size_t) = nullptr;
};

TEST_F(Cooperative, as_many_groups_as_fit_are_resident_together_and_more_are_refused) {
  constexpr int kMultiprocessorCount = 63;
  int processors = 0;
  OK(hipDeviceGetAttribute(&processors, kMultiprocessorCount, 0));
  for (const unsigned size : {64u, 192u, 256u}) {
    int blocks = 0;
    OK(occupancy_(&blocks, kernel(), static_cast<int>(size), 0));
    unsigned groups = static_cast<unsigned>(blocks * processors);
    ASSERT_GT(groups, 0u);
    void* counter = nullptr;
    void* out = nullptr;
    OK(hipMalloc(&counter, 4));
    OK(hipMalloc(&out, groups * 4));
    OK(hipMemset(counter, 0, 4));
    void* arguments[] = {&counter, &out, &groups};
    OK(launch_(kernel(), {groups, 1, 1}, {size, 1, 1}, arguments, 0, nullptr));
    std::vector<uint32_t> seen(groups);
    OK(hipMemcpy(seen.data(), out, groups * 4, kDeviceToHost));
    EXPECT_EQ(seen, std::vector<uint32_t>(groups, groups));
    EXPECT_EQ(launch_(kernel(), {groups + 1, 1, 1}, {size, 1, 1}, arguments, 0, nullptr), kCooperativeLaunchTooLarge);
    EXPECT_EQ(last_fault(nullptr), 0);
    hipFree(counter);
    hipFree(out);
  }
}

} // namespace
