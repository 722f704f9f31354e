// SPDX-License-Identifier: MIT
#include "api_test.h"

#include <numeric>

namespace {

std::vector<unsigned> counting(size_t count) {
  std::vector<unsigned> values(count);
  std::iota(values.begin(), values.end(), 1u);
  return values;
}

TEST(cuMemcpyHtoD_v2, round_trip_of_many_sizes) {
  const TestContext context;
  for (const size_t count : {size_t{1}, size_t{3}, size_t{1000}, size_t{1} << 20}) {
    const std::vector<unsigned> values = counting(count);
    EXPECT_EQ(DeviceArray<unsigned>(values).read(), values) << count;
  }
}

TEST(cuMemcpyHtoD_v2, refuses_ranges_outside_of_allocations) {
  const TestContext context;
  const DeviceArray<unsigned> memory(16);
  unsigned values[32] = {};
  EXPECT_EQ(cuMemcpyHtoD_v2(memory.address(), values, 65), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpyHtoD_v2(memory.address() + 60, values, 8), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpyHtoD_v2(0, values, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpyHtoD_v2(0x1234, values, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpyHtoD_v2(memory.address(), nullptr, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpyDtoH_v2(values, memory.address(), 65), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpyDtoH_v2(nullptr, memory.address(), 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuMemcpyHtoD_v2(0, nullptr, 0)); // nothing to copy
}

TEST(cuMemcpyDtoD_v2, copies_within_the_device) {
  const TestContext context;
  const std::vector<unsigned> values = counting(500);
  const DeviceArray<unsigned> from(values), to(500);
  EXPECT_OK(cuMemcpyDtoD_v2(to.address(), from.address(), to.bytes()));
  EXPECT_EQ(to.read(), values);
  EXPECT_EQ(cuMemcpyDtoD_v2(to.address(), from.address(), to.bytes() + 4), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuMemcpyHtoDAsync_v2, is_ordered_in_its_stream) {
  const TestContext context;
  CUstream stream = nullptr;
  ASSERT_OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  const std::vector<unsigned> values = counting(1 << 16);
  std::vector<unsigned> back(values.size());
  const DeviceArray<unsigned> a(values.size()), b(values.size());
  EXPECT_OK(cuMemcpyHtoDAsync_v2(a.address(), values.data(), a.bytes(), stream));
  EXPECT_OK(cuMemcpyDtoDAsync_v2(b.address(), a.address(), a.bytes(), stream));
  EXPECT_OK(cuMemcpyDtoHAsync_v2(back.data(), b.address(), b.bytes(), stream));
  EXPECT_OK(cuStreamSynchronize(stream));
  EXPECT_EQ(back, values);
  EXPECT_EQ(cuMemcpyHtoDAsync_v2(a.address(), values.data(), 4, bad_handle<CUstream>()), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuMemcpyHtoDAsync_v2(a.address(), values.data(), 0, bad_handle<CUstream>()), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_OK(cuStreamDestroy_v2(stream));
}

TEST(cuMemcpyHtoD_v2_ptds, uses_the_stream_of_the_thread) {
  const TestContext context;
  const std::vector<unsigned> values = counting(100);
  std::vector<unsigned> back(100);
  const DeviceArray<unsigned> memory(100);
  EXPECT_OK(cuMemcpyHtoD_v2_ptds(memory.address(), values.data(), memory.bytes()));
  EXPECT_OK(cuMemcpyDtoHAsync_v2_ptsz(back.data(), memory.address(), memory.bytes(), nullptr));
  EXPECT_OK(cuStreamSynchronize_ptsz(nullptr));
  EXPECT_EQ(back, values);
}

TEST(cuMemcpy, tells_host_from_device) {
  const TestContext context;
  std::vector<unsigned> values = counting(64), back(64);
  const DeviceArray<unsigned> memory(64);
  EXPECT_OK(cuMemcpy(memory.address(), reinterpret_cast<CUdeviceptr>(values.data()), memory.bytes()));
  EXPECT_OK(cuMemcpy(reinterpret_cast<CUdeviceptr>(back.data()), memory.address(), memory.bytes()));
  EXPECT_EQ(back, values);
  std::fill(back.begin(), back.end(), 0u);
  EXPECT_OK(cuMemcpyAsync(reinterpret_cast<CUdeviceptr>(back.data()), memory.address(), memory.bytes(), nullptr));
  EXPECT_OK(cuCtxSynchronize());
  EXPECT_EQ(back, values);
  EXPECT_EQ(cuMemcpy(memory.address(), 0, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpy(memory.address() + 4, reinterpret_cast<CUdeviceptr>(values.data()), memory.bytes()), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuMemcpyPeer, within_one_device) {
  const TestContext context;
  const std::vector<unsigned> values = counting(64);
  const DeviceArray<unsigned> from(values), to(64);
  EXPECT_OK(cuMemcpyPeer(to.address(), context.handle(), from.address(), context.handle(), to.bytes()));
  EXPECT_EQ(to.read(), values);
  EXPECT_EQ(cuMemcpyPeer(to.address(), nullptr, from.address(), context.handle(), 4), CUDA_ERROR_INVALID_CONTEXT);
}

// A rectangle of 3 rows of 5 bytes at (2, 1) of the source goes to (4, 2) of the target.
TEST(cuMemcpy2D_v2, copies_a_rectangle) {
  const TestContext context;
  constexpr size_t kPitch = 16, kRows = 8;
  std::vector<unsigned char> source(kPitch * kRows), target(kPitch * kRows, 0xee), expected(target);
  std::iota(source.begin(), source.end(), static_cast<unsigned char>(0));
  const DeviceArray<unsigned char> device(target);
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = source.data();
  copy.srcPitch = kPitch;
  copy.srcXInBytes = 2;
  copy.srcY = 1;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = device.address();
  copy.dstPitch = kPitch;
  copy.dstXInBytes = 4;
  copy.dstY = 2;
  copy.WidthInBytes = 5;
  copy.Height = 3;
  ASSERT_OK(cuMemcpy2D_v2(&copy));
  for (size_t y = 0; y < 3; ++y)
    for (size_t x = 0; x < 5; ++x) expected[(y + 2) * kPitch + x + 4] = source[(y + 1) * kPitch + x + 2];
  EXPECT_EQ(device.read(), expected);
  copy.Height = 7; // beyond the target
  EXPECT_EQ(cuMemcpy2D_v2(&copy), CUDA_ERROR_INVALID_VALUE);
  copy.Height = 3;
  copy.srcPitch = 4; // narrower than the rows
  EXPECT_EQ(cuMemcpy2DUnaligned_v2(&copy), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpy2D_v2(nullptr), CUDA_ERROR_INVALID_VALUE);
  copy.Height = 0;
  EXPECT_OK(cuMemcpy2DAsync_v2(&copy, nullptr));
}

// Rows that begin in an allocation and end beyond it, whatever the program calls the memory.
TEST(cuMemcpy2D_v2, refuses_a_rectangle_that_leaves_its_allocation) {
  const TestContext context;
  const DeviceArray<char> from(4096), to(4096);
  for (const CUmemorytype type : {CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_UNIFIED}) {
    CUDA_MEMCPY2D copy{};
    copy.srcMemoryType = type;
    copy.srcDevice = from.address();
    copy.srcPitch = size_t{1} << 40;
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = to.address();
    copy.dstPitch = 64;
    copy.WidthInBytes = 64;
    copy.Height = 2;
    EXPECT_EQ(cuMemcpy2D_v2(&copy), CUDA_ERROR_INVALID_VALUE) << type;
    copy.srcPitch = 64;
    EXPECT_OK(cuMemcpy2D_v2(&copy));
  }
}

TEST(cuMemcpy3D_v2, copies_a_box) {
  const TestContext context;
  constexpr size_t kPitch = 8, kRows = 4, kSlices = 3;
  std::vector<unsigned char> source(kPitch * kRows * kSlices), back(source.size(), 0), expected(back);
  std::iota(source.begin(), source.end(), static_cast<unsigned char>(1));
  const DeviceArray<unsigned char> device(source);
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = device.address();
  copy.srcPitch = kPitch;
  copy.srcHeight = kRows;
  copy.srcXInBytes = 1;
  copy.srcY = 1;
  copy.srcZ = 1;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = back.data();
  copy.dstPitch = kPitch;
  copy.dstHeight = kRows;
  copy.WidthInBytes = 6;
  copy.Height = 2;
  copy.Depth = 2;
  ASSERT_OK(cuMemcpy3D_v2(&copy));
  for (size_t z = 0; z < 2; ++z)
    for (size_t y = 0; y < 2; ++y)
      for (size_t x = 0; x < 6; ++x)
        expected[(z * kRows + y) * kPitch + x] = source[((z + 1) * kRows + y + 1) * kPitch + x + 1];
  EXPECT_EQ(back, expected);
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  EXPECT_EQ(cuMemcpy3D_v2(&copy), CUDA_ERROR_NOT_SUPPORTED);
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.Depth = 3;
  EXPECT_EQ(cuMemcpy3DAsync_v2(&copy, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuMemsetD8_v2, fills_bytes) {
  const TestContext context;
  const DeviceArray<unsigned char> memory(std::vector<unsigned char>(100, 0));
  EXPECT_OK(cuMemsetD8_v2(memory.address() + 1, 0xab, 97));
  std::vector<unsigned char> expected(100, 0xab);
  expected[0] = expected[98] = expected[99] = 0;
  EXPECT_EQ(memory.read(), expected);
  EXPECT_EQ(cuMemsetD8_v2(memory.address(), 0, 101), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemsetD8_v2(0, 0, 1), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuMemsetD16_v2, fills_and_demands_alignment) {
  const TestContext context;
  const DeviceArray<unsigned short> memory(std::vector<unsigned short>(50, 0));
  EXPECT_OK(cuMemsetD16_v2(memory.address(), 0x1234, 49));
  std::vector<unsigned short> expected(50, 0x1234);
  expected[49] = 0;
  EXPECT_EQ(memory.read(), expected);
  EXPECT_EQ(cuMemsetD16_v2(memory.address() + 1, 0, 4), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuMemsetD32Async, fills_in_stream_order) {
  const TestContext context;
  const DeviceArray<unsigned> memory(1000);
  CUstream stream = nullptr;
  ASSERT_OK(cuStreamCreate(&stream, 0));
  EXPECT_OK(cuMemsetD32Async(memory.address(), 0x11111111, 1000, stream));
  EXPECT_OK(cuMemsetD32Async(memory.address(), 0xcafebabe, 500, stream));
  EXPECT_OK(cuStreamSynchronize(stream));
  std::vector<unsigned> expected(1000, 0x11111111);
  std::fill_n(expected.begin(), 500, 0xcafebabe);
  EXPECT_EQ(memory.read(), expected);
  EXPECT_EQ(cuMemsetD32Async(memory.address(), 0, 1, bad_handle<CUstream>()), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuMemsetD32Async(memory.address() + 2, 0, 1, stream), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuStreamDestroy_v2(stream));
}

template <class Element> std::vector<Element> rectangle(size_t pitch, size_t rows, Element value, size_t width, size_t height) {
  std::vector<Element> expected(pitch * rows, 0);
  for (size_t y = 0; y < height; ++y) std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(y * pitch), width, value);
  return expected;
}

TEST(cuMemsetD2D8_v2, fills_rectangles_of_every_width) {
  const TestContext context;
  const DeviceArray<unsigned char> bytes(std::vector<unsigned char>(16 * 4, 0));
  EXPECT_OK(cuMemsetD2D8_v2(bytes.address(), 16, 7, 5, 3));
  EXPECT_EQ(bytes.read(), (rectangle<unsigned char>(16, 4, 7, 5, 3)));
  const DeviceArray<unsigned short> shorts(std::vector<unsigned short>(16 * 4, 0));
  EXPECT_OK(cuMemsetD2D16_v2(shorts.address(), 32, 0x4321, 5, 3));
  EXPECT_EQ(shorts.read(), (rectangle<unsigned short>(16, 4, 0x4321, 5, 3)));
  const DeviceArray<unsigned> words(std::vector<unsigned>(16 * 4, 0));
  EXPECT_OK(cuMemsetD2D32_v2(words.address(), 64, 0x87654321, 5, 3));
  EXPECT_EQ(words.read(), (rectangle<unsigned>(16, 4, 0x87654321, 5, 3)));
  EXPECT_EQ(cuMemsetD2D32_v2(words.address(), 16, 0, 5, 3), CUDA_ERROR_INVALID_VALUE); // pitch below width
  EXPECT_EQ(cuMemsetD2D32_v2(words.address(), 64, 0, 5, 5), CUDA_ERROR_INVALID_VALUE); // beyond the end
}

} // namespace
