// SPDX-License-Identifier: MIT
// The asynchronous forms of copies and fills, and those between contexts. Every one must be ordered after the work before it in its stream: it
// is behind a callback that waits for the test, so that a form which ran at once would be seen.
#include "api_test.h"

#include <atomic>
#include <numeric>
#include <thread>

namespace {

// A stream that stands still until it is told to go on.
class HeldStream {
public:
  HeldStream() {
    EXPECT_OK(cuStreamCreate(&handle_, CU_STREAM_NON_BLOCKING));
    EXPECT_OK(cuLaunchHostFunc(
        handle_,
        [](void* go) {
          while (!*static_cast<std::atomic<bool>*>(go)) std::this_thread::yield();
        },
        &go_));
  }
  ~HeldStream() {
    go_ = true;
    EXPECT_OK(cuStreamDestroy_v2(handle_));
  }
  HeldStream(const HeldStream&) = delete;
  HeldStream& operator=(const HeldStream&) = delete;
  operator CUstream() const { return handle_; }
  void finish() {
    EXPECT_EQ(cuStreamQuery(handle_), CUDA_ERROR_NOT_READY);
    go_ = true;
    EXPECT_OK(cuStreamSynchronize(handle_));
  }

private:
  CUstream handle_ = nullptr;
  std::atomic<bool> go_ = false;
};

// Pinned memory: copies from it do not stop the host.
template <class Element> class PinnedArray {
public:
  explicit PinnedArray(size_t count) : count_(count) {
    void* memory = nullptr;
    EXPECT_OK(cuMemHostAlloc(&memory, count * sizeof(Element), 0));
    elements_ = static_cast<Element*>(memory);
    std::fill_n(elements_, count, Element{});
  }
  ~PinnedArray() { EXPECT_OK(cuMemFreeHost(elements_)); }
  PinnedArray(const PinnedArray&) = delete;
  PinnedArray& operator=(const PinnedArray&) = delete;
  Element* data() const { return elements_; }
  std::vector<Element> read() const { return {elements_, elements_ + count_}; }

private:
  size_t count_;
  Element* elements_ = nullptr;
};

std::vector<unsigned> counting(size_t count) {
  std::vector<unsigned> values(count);
  std::iota(values.begin(), values.end(), 1u);
  return values;
}

// `width` elements at the start of each of the first `height` rows.
template <class Element> std::vector<Element> rectangle(size_t pitch, size_t rows, Element value, size_t width, size_t height) {
  std::vector<Element> expected(pitch * rows, 0);
  for (size_t y = 0; y < height; ++y) std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(y * pitch), width, value);
  return expected;
}

TEST(cuMemcpyAsync, is_ordered_in_its_stream) {
  const TestContext context;
  const DeviceArray<unsigned> from(counting(256));
  const PinnedArray<unsigned> to(256);
  HeldStream stream;
  ASSERT_OK(cuMemcpyAsync(reinterpret_cast<CUdeviceptr>(to.data()), from.address(), from.bytes(), stream));
  EXPECT_EQ(to.data()[0], 0u);
  stream.finish();
  EXPECT_EQ(to.read(), counting(256));
  EXPECT_EQ(cuMemcpyAsync(from.address(), from.address() + 4, from.bytes(), stream), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpyAsync(from.address(), from.address(), 4, bad_handle<CUstream>()), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuMemcpyDtoDAsync_v2, is_ordered_in_its_stream) {
  const TestContext context;
  const DeviceArray<unsigned> from(counting(256)), to(std::vector<unsigned>(256, 0));
  HeldStream stream;
  ASSERT_OK(cuMemcpyDtoDAsync_v2(to.address(), from.address(), to.bytes(), stream));
  EXPECT_EQ(to.read(), std::vector<unsigned>(256, 0));
  stream.finish();
  EXPECT_EQ(to.read(), counting(256));
  EXPECT_EQ(cuMemcpyDtoDAsync_v2(to.address(), from.address(), to.bytes() + 1, stream), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpyDtoDAsync_v2(to.address(), from.address(), 4, bad_handle<CUstream>()), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuMemcpyDtoHAsync_v2, is_ordered_in_its_stream) {
  const TestContext context;
  const DeviceArray<unsigned> from(counting(256));
  const PinnedArray<unsigned> to(256);
  HeldStream stream;
  ASSERT_OK(cuMemcpyDtoHAsync_v2(to.data(), from.address(), from.bytes(), stream));
  EXPECT_EQ(to.data()[255], 0u);
  stream.finish();
  EXPECT_EQ(to.read(), counting(256));
  EXPECT_EQ(cuMemcpyDtoHAsync_v2(nullptr, from.address(), 4, stream), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpyDtoHAsync_v2(to.data(), from.address(), 4, bad_handle<CUstream>()), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuMemcpyDtoH_v2, reads_from_the_middle_of_an_allocation) {
  const TestContext context;
  const DeviceArray<unsigned> from(counting(16));
  std::vector<unsigned> to(4, 0);
  EXPECT_OK(cuMemcpyDtoH_v2(to.data(), from.address() + 12 * 4, 16));
  EXPECT_EQ(to, (std::vector<unsigned>{13, 14, 15, 16}));
  EXPECT_EQ(cuMemcpyDtoH_v2(to.data(), from.address() + 13 * 4, 16), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpyDtoH_v2(nullptr, from.address(), 16), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuMemcpyPeerAsync, is_ordered_in_its_stream) {
  const TestContext context;
  const DeviceArray<unsigned> from(counting(64)), to(std::vector<unsigned>(64, 0));
  HeldStream stream;
  ASSERT_OK(cuMemcpyPeerAsync(to.address(), context.handle(), from.address(), context.handle(), to.bytes(), stream));
  EXPECT_EQ(to.read(), std::vector<unsigned>(64, 0));
  stream.finish();
  EXPECT_EQ(to.read(), counting(64));
  EXPECT_EQ(cuMemcpyPeerAsync(to.address(), bad_handle<CUcontext>(), from.address(), context.handle(), 4, stream),
            CUDA_ERROR_INVALID_CONTEXT);
}

// Rows of 4 bytes at a pitch of 8, into rows at a pitch of 4.
CUDA_MEMCPY2D narrow_rows(const DeviceArray<unsigned char>& from, unsigned char* to, size_t rows) {
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = from.address();
  copy.srcPitch = 8;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = to;
  copy.dstPitch = 4;
  copy.WidthInBytes = 4;
  copy.Height = rows;
  return copy;
}
const std::vector<unsigned char> kWideRows{1, 2, 3, 4, 0, 0, 0, 0, 5, 6, 7, 8, 0, 0, 0, 0};
const std::vector<unsigned char> kNarrowRows{1, 2, 3, 4, 5, 6, 7, 8};

TEST(cuMemcpy2DAsync_v2, is_ordered_in_its_stream) {
  const TestContext context;
  const DeviceArray<unsigned char> from(kWideRows);
  const PinnedArray<unsigned char> to(8);
  HeldStream stream;
  CUDA_MEMCPY2D copy = narrow_rows(from, to.data(), 2);
  ASSERT_OK(cuMemcpy2DAsync_v2(&copy, stream));
  EXPECT_EQ(to.data()[0], 0u);
  stream.finish();
  EXPECT_EQ(to.read(), kNarrowRows);
  copy.Height = 3; // beyond the source
  EXPECT_EQ(cuMemcpy2DAsync_v2(&copy, stream), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpy2DAsync_v2(nullptr, stream), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpy2DAsync_v2(&copy, bad_handle<CUstream>()), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuMemcpy2DUnaligned_v2, takes_any_pitch) {
  const TestContext context;
  const DeviceArray<unsigned char> from(std::vector<unsigned char>{1, 2, 3, 4, 9, 5, 6, 7, 8, 9});
  std::vector<unsigned char> to(8, 0);
  CUDA_MEMCPY2D copy = narrow_rows(from, to.data(), 2);
  copy.srcPitch = 5;
  EXPECT_OK(cuMemcpy2DUnaligned_v2(&copy));
  EXPECT_EQ(to, kNarrowRows);
  EXPECT_EQ(cuMemcpy2DUnaligned_v2(nullptr), CUDA_ERROR_INVALID_VALUE);
}

// The same rows as two slices of one row.
template <class Copy> Copy narrow_slices(const DeviceArray<unsigned char>& from, unsigned char* to) {
  Copy copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = from.address();
  copy.srcPitch = 8;
  copy.srcHeight = 1;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = to;
  copy.dstPitch = 4;
  copy.dstHeight = 1;
  copy.WidthInBytes = 4;
  copy.Height = 1;
  copy.Depth = 2;
  return copy;
}

TEST(cuMemcpy3DAsync_v2, is_ordered_in_its_stream) {
  const TestContext context;
  const DeviceArray<unsigned char> from(kWideRows);
  const PinnedArray<unsigned char> to(8);
  HeldStream stream;
  const auto copy = narrow_slices<CUDA_MEMCPY3D>(from, to.data());
  ASSERT_OK(cuMemcpy3DAsync_v2(&copy, stream));
  EXPECT_EQ(to.data()[0], 0u);
  stream.finish();
  EXPECT_EQ(to.read(), kNarrowRows);
  EXPECT_EQ(cuMemcpy3DAsync_v2(nullptr, stream), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpy3DAsync_v2(&copy, bad_handle<CUstream>()), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuMemcpy3DPeer, copies_between_contexts) {
  const TestContext context;
  const DeviceArray<unsigned char> from(kWideRows);
  std::vector<unsigned char> to(8, 0);
  auto copy = narrow_slices<CUDA_MEMCPY3D_PEER>(from, to.data());
  copy.srcContext = copy.dstContext = context.handle();
  EXPECT_OK(cuMemcpy3DPeer(&copy));
  EXPECT_EQ(to, kNarrowRows);
  copy.Depth = 3; // beyond the source
  EXPECT_EQ(cuMemcpy3DPeer(&copy), CUDA_ERROR_INVALID_VALUE);
  copy.srcContext = bad_handle<CUcontext>();
  EXPECT_EQ(cuMemcpy3DPeer(&copy), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuMemcpy3DPeer(nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuMemcpy3DPeerAsync, is_ordered_in_its_stream) {
  const TestContext context;
  const DeviceArray<unsigned char> from(kWideRows);
  const PinnedArray<unsigned char> to(8);
  HeldStream stream;
  auto copy = narrow_slices<CUDA_MEMCPY3D_PEER>(from, to.data());
  copy.srcContext = copy.dstContext = context.handle();
  ASSERT_OK(cuMemcpy3DPeerAsync(&copy, stream));
  EXPECT_EQ(to.data()[0], 0u);
  stream.finish();
  EXPECT_EQ(to.read(), kNarrowRows);
  EXPECT_EQ(cuMemcpy3DPeerAsync(&copy, bad_handle<CUstream>()), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuMemsetD32_v2, fills_words) {
  const TestContext context;
  const DeviceArray<unsigned> memory(std::vector<unsigned>(5, 0));
  EXPECT_OK(cuMemsetD32_v2(memory.address() + 4, 0x89abcdef, 3));
  EXPECT_EQ(memory.read(), (std::vector<unsigned>{0, 0x89abcdef, 0x89abcdef, 0x89abcdef, 0}));
  EXPECT_EQ(cuMemsetD32_v2(memory.address() + 2, 0, 1), CUDA_ERROR_INVALID_VALUE); // not aligned
  EXPECT_EQ(cuMemsetD32_v2(memory.address(), 0, 6), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuMemsetD8Async, is_ordered_in_its_stream) {
  const TestContext context;
  const DeviceArray<unsigned char> memory(std::vector<unsigned char>(9, 0));
  HeldStream stream;
  ASSERT_OK(cuMemsetD8Async(memory.address(), 0xfe, 8, stream));
  EXPECT_EQ(memory.read(), std::vector<unsigned char>(9, 0));
  stream.finish();
  EXPECT_EQ(memory.read(), (rectangle<unsigned char>(9, 1, 0xfe, 8, 1)));
  EXPECT_EQ(cuMemsetD8Async(memory.address(), 0, 10, stream), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemsetD8Async(memory.address(), 0, 1, bad_handle<CUstream>()), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuMemsetD16Async, is_ordered_in_its_stream) {
  const TestContext context;
  const DeviceArray<unsigned short> memory(std::vector<unsigned short>(9, 0));
  HeldStream stream;
  ASSERT_OK(cuMemsetD16Async(memory.address(), 0xfedc, 8, stream));
  EXPECT_EQ(memory.read(), std::vector<unsigned short>(9, 0));
  stream.finish();
  EXPECT_EQ(memory.read(), (rectangle<unsigned short>(9, 1, 0xfedc, 8, 1)));
  EXPECT_EQ(cuMemsetD16Async(memory.address() + 1, 0, 1, stream), CUDA_ERROR_INVALID_VALUE); // not aligned
}

TEST(cuMemsetD2D8Async, is_ordered_in_its_stream) {
  const TestContext context;
  const DeviceArray<unsigned char> memory(std::vector<unsigned char>(16 * 4, 0));
  HeldStream stream;
  ASSERT_OK(cuMemsetD2D8Async(memory.address(), 16, 0x81, 3, 2, stream));
  EXPECT_EQ(memory.read(), std::vector<unsigned char>(16 * 4, 0));
  stream.finish();
  EXPECT_EQ(memory.read(), (rectangle<unsigned char>(16, 4, 0x81, 3, 2)));
  EXPECT_EQ(cuMemsetD2D8Async(memory.address(), 16, 0, 17, 2, stream), CUDA_ERROR_INVALID_VALUE); // wider than the pitch
}

TEST(cuMemsetD2D16_v2, fills_a_rectangle) {
  const TestContext context;
  const DeviceArray<unsigned short> memory(std::vector<unsigned short>(16 * 4, 0));
  EXPECT_OK(cuMemsetD2D16_v2(memory.address(), 32, 0x8001, 16, 3)); // the whole width
  EXPECT_EQ(memory.read(), (rectangle<unsigned short>(16, 4, 0x8001, 16, 3)));
  EXPECT_EQ(cuMemsetD2D16_v2(memory.address(), 32, 0, 16, 5), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuMemsetD2D16Async, is_ordered_in_its_stream) {
  const TestContext context;
  const DeviceArray<unsigned short> memory(std::vector<unsigned short>(16 * 4, 0));
  HeldStream stream;
  ASSERT_OK(cuMemsetD2D16Async(memory.address(), 32, 0x8123, 3, 2, stream));
  EXPECT_EQ(memory.read(), std::vector<unsigned short>(16 * 4, 0));
  stream.finish();
  EXPECT_EQ(memory.read(), (rectangle<unsigned short>(16, 4, 0x8123, 3, 2)));
  EXPECT_EQ(cuMemsetD2D16Async(memory.address(), 32, 0, 1, 1, bad_handle<CUstream>()), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuMemsetD2D32_v2, fills_a_rectangle) {
  const TestContext context;
  const DeviceArray<unsigned> memory(std::vector<unsigned>(16 * 4, 0));
  EXPECT_OK(cuMemsetD2D32_v2(memory.address(), 64, 0x80000001, 1, 4)); // the whole height
  EXPECT_EQ(memory.read(), (rectangle<unsigned>(16, 4, 0x80000001, 1, 4)));
  EXPECT_EQ(cuMemsetD2D32_v2(memory.address(), 64, 0, 17, 2), CUDA_ERROR_INVALID_VALUE); // wider than the pitch
  EXPECT_OK(cuMemsetD2D32_v2(memory.address(), 4, 0x80000001, 17, 1));                   // which one row does not use
}

TEST(cuMemsetD2D32Async, is_ordered_in_its_stream) {
  const TestContext context;
  const DeviceArray<unsigned> memory(std::vector<unsigned>(16 * 4, 0));
  HeldStream stream;
  ASSERT_OK(cuMemsetD2D32Async(memory.address(), 64, 0x81234567, 3, 2, stream));
  EXPECT_EQ(memory.read(), std::vector<unsigned>(16 * 4, 0));
  stream.finish();
  EXPECT_EQ(memory.read(), (rectangle<unsigned>(16, 4, 0x81234567, 3, 2)));
  EXPECT_EQ(cuMemsetD2D32Async(memory.address(), 64, 0, 1, 1, bad_handle<CUstream>()), CUDA_ERROR_INVALID_HANDLE);
}

} // namespace
