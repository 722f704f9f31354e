// SPDX-License-Identifier: MIT
#include "api_test.h"

namespace {

TEST(cuMemAlloc_v2, allocates_aligned_memory) {
  const TestContext context;
  CUdeviceptr address = 0;
  ASSERT_OK(cuMemAlloc_v2(&address, 12345));
  EXPECT_EQ(address % 256, 0u); // CUDA C++ Programming Guide: at least 256 bytes
  CUdeviceptr base = 0;
  size_t bytes = 0;
  EXPECT_OK(cuMemGetAddressRange_v2(&base, &bytes, address + 12344));
  EXPECT_EQ(base, address);
  EXPECT_EQ(bytes, 12345u);
  EXPECT_EQ(cuMemGetAddressRange_v2(&base, &bytes, address + 12345), CUDA_ERROR_NOT_FOUND);
  EXPECT_OK(cuMemFree_v2(address));
  EXPECT_EQ(cuMemGetAddressRange_v2(&base, &bytes, address), CUDA_ERROR_NOT_FOUND);
}

TEST(cuMemAlloc_v2, refuses_bad_sizes) {
  const TestContext context;
  CUdeviceptr address = 0;
  EXPECT_EQ(cuMemAlloc_v2(&address, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAlloc_v2(nullptr, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAlloc_v2(&address, size_t{1} << 46), CUDA_ERROR_OUT_OF_MEMORY);
}

TEST(cuMemFree_v2, refuses_what_is_not_an_allocation) {
  const TestContext context;
  const DeviceArray<int> memory(64);
  int local = 0;
  EXPECT_EQ(cuMemFree_v2(memory.address() + 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemFree_v2(reinterpret_cast<CUdeviceptr>(&local)), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuMemFree_v2(0));
}

TEST(cuMemGetInfo_v2, free_memory_shrinks_and_grows) {
  const TestContext context;
  size_t before = 0, during = 0, after = 0, total = 0;
  ASSERT_OK(cuMemGetInfo_v2(&before, &total));
  EXPECT_LE(before, total);
  CUdeviceptr address = 0;
  ASSERT_OK(cuMemAlloc_v2(&address, 64 << 20));
  ASSERT_OK(cuMemGetInfo_v2(&during, &total));
  EXPECT_LE(during + (size_t{60} << 20), before);
  ASSERT_OK(cuMemFree_v2(address));
  ASSERT_OK(cuMemGetInfo_v2(&after, &total));
  EXPECT_GT(after, during);
  EXPECT_EQ(cuMemGetInfo_v2(nullptr, &total), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuMemAllocPitch_v2, rows_are_aligned) {
  const TestContext context;
  CUdeviceptr address = 0;
  size_t pitch = 0;
  ASSERT_OK(cuMemAllocPitch_v2(&address, &pitch, 1000, 10, 4));
  EXPECT_GE(pitch, 1000u);
  EXPECT_EQ(pitch % 256, 0u);
  EXPECT_OK(cuMemsetD8_v2(address, 1, pitch * 10));
  EXPECT_OK(cuMemFree_v2(address));
  EXPECT_EQ(cuMemAllocPitch_v2(&address, &pitch, 1000, 10, 3), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAllocPitch_v2(&address, &pitch, 0, 10, 4), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuMemHostAlloc, has_a_device_pointer) {
  const TestContext context;
  void* host = nullptr;
  ASSERT_OK(cuMemHostAlloc(&host, 4096, CU_MEMHOSTALLOC_PORTABLE));
  std::memset(host, 0x5a, 4096);
  CUdeviceptr device = 0;
  ASSERT_OK(cuMemHostGetDevicePointer_v2(&device, host, 0));
  std::vector<unsigned char> copy(4096);
  EXPECT_OK(cuMemcpyDtoH_v2(copy.data(), device, copy.size()));
  EXPECT_EQ(copy, std::vector<unsigned char>(4096, 0x5a));
  unsigned flags = 0;
  EXPECT_OK(cuMemHostGetFlags(&flags, host));
  EXPECT_EQ(flags & CU_MEMHOSTALLOC_PORTABLE, unsigned{CU_MEMHOSTALLOC_PORTABLE});
  EXPECT_EQ(cuMemFree_v2(device), CUDA_ERROR_INVALID_VALUE); // host memory is freed by another function
  EXPECT_OK(cuMemFreeHost(host));
  EXPECT_EQ(cuMemFreeHost(host), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemHostAlloc(&host, 4096, 0x40), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemHostAlloc(&host, 0, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuMemAllocHost_v2, is_host_memory) {
  const TestContext context;
  void* host = nullptr;
  ASSERT_OK(cuMemAllocHost_v2(&host, 100));
  std::memset(host, 1, 100);
  EXPECT_OK(cuMemFreeHost(host));
}

TEST(cuMemHostRegister_v2, maps_memory_of_the_application) {
  const TestContext context;
  std::vector<int> memory(4096, 7);
  ASSERT_OK(cuMemHostRegister_v2(memory.data(), memory.size() * sizeof(int), CU_MEMHOSTREGISTER_DEVICEMAP));
  EXPECT_EQ(cuMemHostRegister_v2(memory.data(), 64, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  CUdeviceptr device = 0;
  ASSERT_OK(cuMemHostGetDevicePointer_v2(&device, memory.data() + 1, 0));
  EXPECT_OK(cuMemsetD32_v2(device, 9, 10));
  EXPECT_OK(cuCtxSynchronize());
  EXPECT_EQ(memory[0], 7);
  EXPECT_EQ(memory[1], 9);
  EXPECT_EQ(memory[10], 9);
  EXPECT_EQ(memory[11], 7);
  EXPECT_OK(cuMemHostUnregister(memory.data()));
  EXPECT_EQ(cuMemHostUnregister(memory.data()), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
  EXPECT_EQ(cuMemHostRegister_v2(nullptr, 64, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuMemHostGetDevicePointer_v2, refuses_other_memory) {
  const TestContext context;
  CUdeviceptr device = 1;
  int local = 0;
  EXPECT_EQ(cuMemHostGetDevicePointer_v2(&device, &local, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(device, 0u);
}

TEST(cuMemAllocManaged, is_seen_by_host_and_device) {
  const TestContext context;
  CUdeviceptr address = 0;
  ASSERT_OK(cuMemAllocManaged(&address, 4096, CU_MEM_ATTACH_GLOBAL));
  auto* const host = reinterpret_cast<unsigned*>(address);
  host[3] = 0xdeadbeef;
  unsigned value = 0;
  EXPECT_OK(cuMemcpyDtoH_v2(&value, address + 12, 4));
  EXPECT_EQ(value, 0xdeadbeef);
  EXPECT_OK(cuMemsetD32_v2(address, 77, 4));
  EXPECT_OK(cuCtxSynchronize());
  EXPECT_EQ(host[3], 77u);
  EXPECT_OK(cuMemPrefetchAsync(address, 4096, 0, nullptr));
  EXPECT_OK(cuMemAdvise(address, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
  EXPECT_OK(cuStreamAttachMemAsync(nullptr, address, 0, CU_MEM_ATTACH_GLOBAL));
  EXPECT_OK(cuMemFree_v2(address));
  EXPECT_EQ(cuMemAllocManaged(&address, 4096, 0), CUDA_ERROR_INVALID_VALUE);
  const DeviceArray<int> plain(16);
  EXPECT_EQ(cuMemAdvise(plain.address(), 64, CU_MEM_ADVISE_SET_READ_MOSTLY, 0), CUDA_ERROR_INVALID_VALUE);
}

template <class Value> Value pointer_attribute(CUpointer_attribute attribute, CUdeviceptr address) {
  Value value{};
  EXPECT_OK(cuPointerGetAttribute(&value, attribute, address));
  return value;
}

TEST(cuPointerGetAttribute, describes_device_memory) {
  const TestContext context;
  const DeviceArray<int> memory(100);
  const CUdeviceptr inside = memory.address() + 40;
  EXPECT_EQ(pointer_attribute<CUcontext>(CU_POINTER_ATTRIBUTE_CONTEXT, inside), context.handle());
  EXPECT_EQ(pointer_attribute<unsigned>(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, inside), unsigned{CU_MEMORYTYPE_DEVICE});
  EXPECT_EQ(pointer_attribute<CUdeviceptr>(CU_POINTER_ATTRIBUTE_DEVICE_POINTER, inside), inside);
  EXPECT_EQ(pointer_attribute<CUdeviceptr>(CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, inside), memory.address());
  EXPECT_EQ(pointer_attribute<size_t>(CU_POINTER_ATTRIBUTE_RANGE_SIZE, inside), 400u);
  EXPECT_EQ(pointer_attribute<unsigned>(CU_POINTER_ATTRIBUTE_IS_MANAGED, inside), 0u);
  EXPECT_EQ(pointer_attribute<int>(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, inside), 0);
  void* host = nullptr;
  EXPECT_EQ(cuPointerGetAttribute(&host, CU_POINTER_ATTRIBUTE_HOST_POINTER, inside), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuPointerGetAttributes, writes_all_four_bytes_of_a_truth_value) { // the CUDA runtime leaves them uninitialised
  const TestContext context;
  const DeviceArray<int> memory(100);
  unsigned managed = 0xdeadbeefu;
  void* data[] = {&managed};
  CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_IS_MANAGED};
  ASSERT_OK(cuPointerGetAttributes(1, attributes, data, memory.address()));
  EXPECT_EQ(managed, 0u);
}

TEST(cuPointerGetAttribute, describes_host_memory) {
  const TestContext context;
  void* host = nullptr;
  ASSERT_OK(cuMemHostAlloc(&host, 4096, 0));
  const CUdeviceptr address = reinterpret_cast<CUdeviceptr>(host) + 16;
  EXPECT_EQ(pointer_attribute<unsigned>(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address), unsigned{CU_MEMORYTYPE_HOST});
  EXPECT_EQ(pointer_attribute<void*>(CU_POINTER_ATTRIBUTE_HOST_POINTER, address), static_cast<char*>(host) + 16);
  EXPECT_OK(cuMemFreeHost(host));
  unsigned type = 0;
  EXPECT_EQ(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuPointerGetAttribute(&type, no_such<CUpointer_attribute>(0), address), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuPointerGetAttributes, succeeds_for_unknown_pointers) {
  const TestContext context;
  CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
  unsigned type = 99;
  int ordinal = 99, local = 0;
  void* data[] = {&type, &ordinal};
  EXPECT_OK(cuPointerGetAttributes(2, attributes, data, reinterpret_cast<CUdeviceptr>(&local)));
  EXPECT_EQ(type, 0u);
  EXPECT_EQ(ordinal, CU_DEVICE_INVALID);
  const DeviceArray<int> memory(4);
  EXPECT_OK(cuPointerGetAttributes(2, attributes, data, memory.address()));
  EXPECT_EQ(type, unsigned{CU_MEMORYTYPE_DEVICE});
  EXPECT_EQ(ordinal, 0);
  EXPECT_EQ(cuPointerGetAttributes(0, attributes, data, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuMemAdvise, takes_managed_memory) {
  const TestContext context;
  CUdeviceptr address = 0;
  ASSERT_OK(cuMemAllocManaged(&address, 4096, CU_MEM_ATTACH_GLOBAL));
  EXPECT_OK(cuMemAdvise(address, 4096, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, 0));
  EXPECT_OK(cuMemAdvise(address, 4096, CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION, 0));
  EXPECT_OK(cuMemAdvise_v2(address, 4096, CU_MEM_ADVISE_SET_ACCESSED_BY, {CU_MEM_LOCATION_TYPE_DEVICE, 0}));
  EXPECT_EQ(cuMemAdvise(address, 4096, no_such<CUmem_advise>(99), 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAdvise(address, 0, CU_MEM_ADVISE_SET_READ_MOSTLY, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuMemFree_v2(address));
}

TEST(cuMemPrefetchAsync, takes_managed_memory) {
  const TestContext context;
  CUdeviceptr address = 0;
  ASSERT_OK(cuMemAllocManaged(&address, 4096, CU_MEM_ATTACH_GLOBAL));
  auto* const host = reinterpret_cast<unsigned*>(address);
  host[7] = 1234;
  EXPECT_OK(cuMemPrefetchAsync(address, 4096, 0, nullptr));
  EXPECT_OK(cuMemPrefetchAsync(address, 4096, CU_DEVICE_CPU, nullptr));
  EXPECT_OK(cuMemPrefetchAsync_v2(address, 4096, {CU_MEM_LOCATION_TYPE_HOST, 0}, 0, nullptr));
  EXPECT_OK(cuCtxSynchronize());
  EXPECT_EQ(host[7], 1234u);
  EXPECT_EQ(cuMemPrefetchAsync(address, 4096, 0, bad_handle<CUstream>()), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuMemPrefetchAsync_v2(address, 4096, {CU_MEM_LOCATION_TYPE_DEVICE, 0}, 1, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuMemFree_v2(address));
}

TEST(cuMemFreeHost, refuses_other_memory) {
  const TestContext context;
  int local = 0;
  const DeviceArray<int> device(4);
  EXPECT_EQ(cuMemFreeHost(&local), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemFreeHost(reinterpret_cast<void*>(device.address())), CUDA_ERROR_INVALID_VALUE);
  void* host = nullptr;
  ASSERT_OK(cuMemHostAlloc(&host, 64, 0));
  EXPECT_OK(cuMemFreeHost(host));
  EXPECT_EQ(cuMemFreeHost(host), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuMemGetAddressRange_v2, either_result_may_be_left_out) {
  const TestContext context;
  const DeviceArray<int> memory(100);
  CUdeviceptr base = 0;
  size_t bytes = 0;
  EXPECT_OK(cuMemGetAddressRange_v2(&base, nullptr, memory.address() + 399));
  EXPECT_OK(cuMemGetAddressRange_v2(nullptr, &bytes, memory.address() + 399));
  EXPECT_EQ(base, memory.address());
  EXPECT_EQ(bytes, 400u);
  EXPECT_EQ(cuMemGetAddressRange_v2(&base, &bytes, 0), CUDA_ERROR_NOT_FOUND);
}

TEST(cuMemHostGetFlags, are_those_of_the_allocation) {
  const TestContext context;
  void* host = nullptr;
  ASSERT_OK(cuMemHostAlloc(&host, 4096, CU_MEMHOSTALLOC_WRITECOMBINED));
  unsigned flags = 0;
  EXPECT_OK(cuMemHostGetFlags(&flags, host));
  EXPECT_EQ(flags & CU_MEMHOSTALLOC_WRITECOMBINED, unsigned{CU_MEMHOSTALLOC_WRITECOMBINED});
  EXPECT_EQ(flags & CU_MEMHOSTALLOC_PORTABLE, 0u);
  EXPECT_EQ(cuMemHostGetFlags(nullptr, host), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemHostGetFlags(&flags, &flags), CUDA_ERROR_INVALID_VALUE); // not of cuMemHostAlloc
  EXPECT_OK(cuMemFreeHost(host));
}

TEST(cuMemHostUnregister, makes_memory_ordinary_again) {
  const TestContext context;
  std::vector<int> memory(4096);
  ASSERT_OK(cuMemHostRegister_v2(memory.data(), memory.size() * sizeof(int), 0));
  EXPECT_OK(cuMemHostUnregister(memory.data()));
  CUdeviceptr device = 0;
  EXPECT_EQ(cuMemHostGetDevicePointer_v2(&device, memory.data(), 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuMemHostRegister_v2(memory.data(), memory.size() * sizeof(int), 0)); // and may be registered again
  EXPECT_OK(cuMemHostUnregister(memory.data()));
}

TEST(cuPointerSetAttribute, knows_one_attribute) {
  const TestContext context;
  const DeviceArray<int> memory(4);
  unsigned off = 0;
  EXPECT_OK(cuPointerSetAttribute(&off, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, memory.address()));
  EXPECT_EQ(cuPointerSetAttribute(&off, CU_POINTER_ATTRIBUTE_CONTEXT, memory.address()), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuPointerSetAttribute(nullptr, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, memory.address()), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuPointerSetAttribute(&off, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, 16), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuStreamAttachMemAsync, takes_one_of_three_flags) {
  const TestContext context;
  CUdeviceptr address = 0;
  ASSERT_OK(cuMemAllocManaged(&address, 4096, CU_MEM_ATTACH_HOST));
  EXPECT_OK(cuStreamAttachMemAsync(nullptr, address, 0, CU_MEM_ATTACH_GLOBAL));
  EXPECT_OK(cuCtxSynchronize());
  EXPECT_EQ(cuStreamAttachMemAsync(nullptr, address, 0, 3), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamAttachMemAsync(bad_handle<CUstream>(), address, 0, CU_MEM_ATTACH_GLOBAL), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_OK(cuMemFree_v2(address));
}

} // namespace
