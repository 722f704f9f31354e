// SPDX-License-Identifier: MIT
// Fills. The forms without a stream are asynchronous with respect to the host too, as CUDA defines them for device memory. HIP fills rectangles by
// bytes only: wider elements go row by row.
#include "bodies.h"
#include "context.h"
#include "memory.h"

namespace ptxshim::api {

namespace {

template <class Element> hip::Error fill_row(CUdeviceptr to, Element value, size_t count, hip::Stream stream) {
  if constexpr (sizeof(Element) == 1) return hip::api.hipMemsetD8Async(pointer(to), value, count, stream);
  if constexpr (sizeof(Element) == 2) return hip::api.hipMemsetD16Async(pointer(to), value, count, stream);
  if constexpr (sizeof(Element) == 4) return hip::api.hipMemsetD32Async(pointer(to), static_cast<int>(value), count, stream);
}

template <class Element> CUresult fill(CUdeviceptr to, Element value, size_t count, hip::Stream stream) {
  if (count == 0) return CUDA_SUCCESS;
  size_t bytes = 0;
  if (to % sizeof(Element) != 0 || __builtin_mul_overflow(count, sizeof(Element), &bytes) || !is_device_range(to, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  return result_of(fill_row(to, value, count, stream));
}

template <class Element>
CUresult fill_2d(CUdeviceptr to, size_t pitch, Element value, size_t width, size_t height, hip::Stream stream) {
  if (width == 0 || height == 0) return CUDA_SUCCESS;
  size_t row = 0, bytes = 0;
  if (to % sizeof(Element) != 0 || pitch % sizeof(Element) != 0 || __builtin_mul_overflow(width, sizeof(Element), &row))
    return CUDA_ERROR_INVALID_VALUE;
  if (height > 1 && pitch < row) return CUDA_ERROR_INVALID_VALUE;
  if (__builtin_mul_overflow(height - 1, pitch, &bytes) || __builtin_add_overflow(bytes, row, &bytes) || !is_device_range(to, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  if (pitch == row || height == 1) return result_of(fill_row(to, value, width * height, stream));
  if constexpr (sizeof(Element) == 1) return result_of(hip::api.hipMemset2DAsync(pointer(to), pitch, value, width, height, stream));
  for (size_t y = 0; y < height; ++y)
    if (const hip::Error failed = fill_row(to + y * pitch, value, width, stream)) return result_of(failed);
  return CUDA_SUCCESS;
}

template <class Element> CUresult fill_in(CUdeviceptr to, Element value, size_t count, CUstream handle) {
  const StreamArgument stream = resolve(handle);
  return stream.valid ? fill(to, value, count, stream.hip) : CUDA_ERROR_INVALID_HANDLE;
}

template <class Element>
CUresult fill_2d_in(CUdeviceptr to, size_t pitch, Element value, size_t width, size_t height, CUstream handle) {
  const StreamArgument stream = resolve(handle);
  return stream.valid ? fill_2d(to, pitch, value, width, height, stream.hip) : CUDA_ERROR_INVALID_HANDLE;
}

} // namespace

CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t n) { return fill(to, value, n, synchronous_stream()); }
CUresult cuMemsetD16_v2(CUdeviceptr to, unsigned short value, size_t n) { return fill(to, value, n, synchronous_stream()); }
CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned value, size_t n) { return fill(to, value, n, synchronous_stream()); }
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t n, CUstream stream) { return fill_in(to, value, n, stream); }
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t n, CUstream stream) { return fill_in(to, value, n, stream); }
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t n, CUstream stream) { return fill_in(to, value, n, stream); }

CUresult cuMemsetD2D8_v2(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height) {
  return fill_2d(to, pitch, value, width, height, synchronous_stream());
}
CUresult cuMemsetD2D16_v2(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height) {
  return fill_2d(to, pitch, value, width, height, synchronous_stream());
}
CUresult cuMemsetD2D32_v2(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height) {
  return fill_2d(to, pitch, value, width, height, synchronous_stream());
}
CUresult cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height, CUstream stream) {
  return fill_2d_in(to, pitch, value, width, height, stream);
}
CUresult cuMemsetD2D16Async(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height, CUstream stream) {
  return fill_2d_in(to, pitch, value, width, height, stream);
}
CUresult cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height, CUstream stream) {
  return fill_2d_in(to, pitch, value, width, height, stream);
}

} // namespace ptxshim::api
