// SPDX-License-Identifier: MIT
// What the tests of the driver API share.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ptxshim/cuda_abi.h"

inline std::ostream& operator<<(std::ostream& out, CUresult result) {
  const char* name = nullptr;
  return out << (cuGetErrorName(result, &name) == CUDA_SUCCESS ? name : "not a CUresult");
}

#define EXPECT_OK(call) EXPECT_EQ(call, CUDA_SUCCESS)
#define ASSERT_OK(call) ASSERT_EQ(call, CUDA_SUCCESS)

// A context on device 0, current while the object lives.
class TestContext {
public:
  TestContext() {
    EXPECT_OK(cuInit(0));
    EXPECT_OK(cuCtxCreate_v2(&handle_, 0, 0));
  }
  ~TestContext() {
    if (handle_) {
      EXPECT_OK(cuCtxDestroy_v2(handle_));
    }
  }
  TestContext(const TestContext&) = delete;
  TestContext& operator=(const TestContext&) = delete;
  CUcontext handle() const { return handle_; }

private:
  CUcontext handle_ = nullptr;
};

// Device memory with a host copy of its contents.
template <class Element> class DeviceArray {
public:
  explicit DeviceArray(size_t count) : count_(count) { EXPECT_OK(cuMemAlloc_v2(&address_, bytes())); }
  explicit DeviceArray(const std::vector<Element>& values) : DeviceArray(values.size()) {
    EXPECT_OK(cuMemcpyHtoD_v2(address_, values.data(), bytes()));
  }
  ~DeviceArray() { cuMemFree_v2(address_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  size_t bytes() const { return count_ * sizeof(Element); }
  CUdeviceptr address() const { return address_; }
  std::vector<Element> read() const {
    std::vector<Element> values(count_);
    EXPECT_OK(cuMemcpyDtoH_v2(values.data(), address_, bytes()));
    return values;
  }

private:
  size_t count_;
  CUdeviceptr address_ = 0;
};

// No object of ours: what an application passes by mistake.
template <class Handle> Handle bad_handle() {
  static char not_an_object[64];
  return reinterpret_cast<Handle>(not_an_object);
}

// A number as an enumerator that there is not: what a newer or a mistaken application passes.
template <class Enum> Enum no_such(int number) {
  Enum value;
  static_assert(sizeof value == sizeof number);
  std::memcpy(&value, &number, sizeof value);
  return value;
}
