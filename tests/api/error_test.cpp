// SPDX-License-Identifier: MIT
#include "api_test.h"

namespace {

// The texts that the CUDA runtime library gives for the same codes (cudaGetErrorString), a sample.
TEST(cuGetErrorString, gives_nvidias_texts) {
  const struct {
    CUresult code;
    const char* text;
  } kCases[] = {
      {CUDA_SUCCESS, "no error"},
      {CUDA_ERROR_INVALID_VALUE, "invalid argument"},
      {CUDA_ERROR_OUT_OF_MEMORY, "out of memory"},
      {CUDA_ERROR_NOT_INITIALIZED, "initialization error"},
      {CUDA_ERROR_DEINITIALIZED, "driver shutting down"},
      {CUDA_ERROR_NO_DEVICE, "no CUDA-capable device is detected"},
      {CUDA_ERROR_INVALID_DEVICE, "invalid device ordinal"},
      {CUDA_ERROR_INVALID_CONTEXT, "invalid device context"},
      {CUDA_ERROR_NO_BINARY_FOR_GPU, "no kernel image is available for execution on the device"},
      {CUDA_ERROR_INVALID_PTX, "a PTX JIT compilation failed"},
      {CUDA_ERROR_UNSUPPORTED_PTX_VERSION, "the provided PTX was compiled with an unsupported toolchain."},
      {CUDA_ERROR_INVALID_HANDLE, "invalid resource handle"},
      {CUDA_ERROR_NOT_FOUND, "named symbol not found"},
      {CUDA_ERROR_NOT_READY, "device not ready"},
      {CUDA_ERROR_ILLEGAL_ADDRESS, "an illegal memory access was encountered"},
      {CUDA_ERROR_LAUNCH_FAILED, "unspecified launch failure"},
      {CUDA_ERROR_NOT_SUPPORTED, "operation not supported"},
      {CUDA_ERROR_UNKNOWN, "unknown error"},
  };
  for (const auto& expected : kCases) {
    const char* text = nullptr;
    EXPECT_OK(cuGetErrorString(expected.code, &text));
    EXPECT_STREQ(text, expected.text);
  }
}

TEST(cuGetErrorString, knows_every_code_with_a_name) {
  int known = 0;
  for (int code = 0; code < 1000; ++code) {
    const char* name = nullptr;
    const char* text = nullptr;
    const CUresult named = cuGetErrorName(static_cast<CUresult>(code), &name);
    EXPECT_EQ(cuGetErrorString(static_cast<CUresult>(code), &text), named) << code;
    EXPECT_EQ(name == nullptr, named != CUDA_SUCCESS);
    EXPECT_EQ(text == nullptr, named != CUDA_SUCCESS);
    known += named == CUDA_SUCCESS;
  }
  EXPECT_GT(known, 90);
}

TEST(cuGetErrorName, gives_the_enumerator) {
  const char* name = nullptr;
  EXPECT_OK(cuGetErrorName(CUDA_ERROR_INVALID_PTX, &name));
  EXPECT_STREQ(name, "CUDA_ERROR_INVALID_PTX");
}

TEST(cuGetErrorName, refuses_unknown_codes) {
  const char* name = "unchanged";
  EXPECT_EQ(cuGetErrorName(static_cast<CUresult>(12345), &name), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(name, nullptr);
  EXPECT_EQ(cuGetErrorName(CUDA_SUCCESS, nullptr), CUDA_ERROR_INVALID_VALUE);
}

} // namespace
