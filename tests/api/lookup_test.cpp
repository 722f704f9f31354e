// SPDX-License-Identifier: MIT
#include "api_test.h"

#include <dlfcn.h>
#include <fstream>
#include <sstream>

namespace {

void* look_up(const char* name, int version, cuuint64_t flags = 0) {
  void* address = nullptr;
  CUdriverProcAddressQueryResult status{};
  if (cuGetProcAddress_v2(name, &address, version, flags, &status) != CUDA_SUCCESS) return nullptr;
  EXPECT_EQ(status, CU_GET_PROC_ADDRESS_SUCCESS);
  return address;
}

void* exported(const char* name) { return dlsym(RTLD_DEFAULT, name); }

TEST(cuGetProcAddress_v2, finds_everything_the_runtime_asks_for) {
  std::ifstream file(PTXSHIM_TEST_DATA "/cudart13_lookups.tsv");
  ASSERT_TRUE(file.is_open());
  std::string line;
  int asked = 0;
  while (std::getline(file, line)) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream fields(line);
    std::string name;
    int version = 0;
    cuuint64_t flags = 0;
    ASSERT_TRUE(fields >> name >> version >> flags) << line;
    EXPECT_NE(look_up(name.c_str(), version, flags), nullptr) << line;
    ++asked;
  }
  EXPECT_GT(asked, 400);
}

TEST(cuGetProcAddress_v2, gives_the_newest_form_up_to_the_version) {
  EXPECT_EQ(look_up("cuMemAlloc", 2000), exported("cuMemAlloc"));
  EXPECT_EQ(look_up("cuMemAlloc", 3010), exported("cuMemAlloc"));
  EXPECT_EQ(look_up("cuMemAlloc", 3020), exported("cuMemAlloc_v2"));
  EXPECT_EQ(look_up("cuMemAlloc", 13000), exported("cuMemAlloc_v2"));
  EXPECT_EQ(look_up("cuDeviceGetUuid", 9020), exported("cuDeviceGetUuid"));
  EXPECT_EQ(look_up("cuDeviceGetUuid", 11040), exported("cuDeviceGetUuid_v2"));
  EXPECT_EQ(look_up("cuDevicePrimaryCtxRelease", 7000), exported("cuDevicePrimaryCtxRelease"));
  EXPECT_EQ(look_up("cuDevicePrimaryCtxRelease", 11000), exported("cuDevicePrimaryCtxRelease_v2"));
  EXPECT_EQ(look_up("cuCtxSynchronize", 2000), exported("cuCtxSynchronize"));
  EXPECT_EQ(look_up("cuCtxSynchronize", 13000), exported("cuCtxSynchronize_v2"));
  EXPECT_EQ(look_up("cuGetProcAddress", 11030), exported("cuGetProcAddress"));
  EXPECT_EQ(look_up("cuGetProcAddress", 12000), exported("cuGetProcAddress_v2"));
}

TEST(cuGetProcAddress_v2, gives_the_per_thread_form_on_request) {
  constexpr cuuint64_t kPerThread = CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  EXPECT_EQ(look_up("cuMemcpyHtoD", 7000, kPerThread), exported("cuMemcpyHtoD_v2_ptds"));
  EXPECT_EQ(look_up("cuLaunchKernel", 7000, kPerThread), exported("cuLaunchKernel_ptsz"));
  EXPECT_EQ(look_up("cuLaunchKernel", 7000, CU_GET_PROC_ADDRESS_LEGACY_STREAM), exported("cuLaunchKernel"));
  EXPECT_EQ(look_up("cuMemAlloc", 7000, kPerThread), exported("cuMemAlloc_v2")); // there is only one form
}

TEST(cuGetProcAddress_v2, says_why_there_is_none) {
  void* address = bad_handle<void*>();
  CUdriverProcAddressQueryResult status{};
  EXPECT_EQ(cuGetProcAddress_v2("cuNoSuchFunction", &address, 13000, 0, &status), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  EXPECT_EQ(address, nullptr);
  EXPECT_EQ(cuGetProcAddress_v2("cuLibraryLoadData", &address, 11080, 0, &status), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(status, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
  EXPECT_EQ(cuGetProcAddress_v2("", &address, 13000, 0, &status), CUDA_ERROR_NOT_FOUND);
}

TEST(cuGetProcAddress_v2, refuses_bad_arguments) {
  void* address = nullptr;
  EXPECT_EQ(cuGetProcAddress_v2(nullptr, &address, 13000, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGetProcAddress_v2("cuInit", nullptr, 13000, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGetProcAddress_v2("cuInit", &address, 13000, 0x80, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuDriverGetVersion, is_at_least_what_the_runtime_demands) {
  int version = 0;
  ASSERT_OK(cuDriverGetVersion(&version)); // without cuInit
  EXPECT_GE(version, 13000);
  EXPECT_EQ(cuDriverGetVersion(nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuInit, is_demanded_by_everything_that_needs_a_device) {
  int count = 0;
  CUcontext context = nullptr;
  CUdeviceptr address = 0;
  EXPECT_EQ(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(cuCtxGetCurrent(&context), CUDA_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(cuMemAlloc_v2(&address, 4), CUDA_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(cuMemAlloc_v2(nullptr, 0), CUDA_ERROR_NOT_INITIALIZED); // before the arguments are looked at
}

TEST(cuInit, refuses_flags) { EXPECT_EQ(cuInit(1), CUDA_ERROR_INVALID_VALUE); }

} // namespace
