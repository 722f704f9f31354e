// SPDX-License-Identifier: MIT
// With PTXSHIM_VIRTUAL_GPU=0 a machine without an AMD GPU has no device, and programs are told so as by NVIDIA's driver.
#include "api_test.h"

#include <unistd.h>

namespace {

TEST(cuInit, says_that_there_is_no_device) {
  if (access("/dev/kfd", F_OK) == 0) GTEST_SKIP() << "there is an AMD GPU";
  EXPECT_EQ(cuInit(0), CUDA_ERROR_NO_DEVICE);
  EXPECT_EQ(cuInit(0), CUDA_ERROR_NO_DEVICE);
  int count = -1;
  EXPECT_EQ(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
  CUdeviceptr address = 0;
  EXPECT_EQ(cuMemAlloc_v2(&address, 4), CUDA_ERROR_NOT_INITIALIZED);
}

} // namespace
