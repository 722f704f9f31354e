// SPDX-License-Identifier: MIT
// Fills. The forms without a stream are asynchronous with respect to the host too, as CUDA defines them for device memory. HIP fills rectangles by
// bytes only: wider elements go row by row.
#include "bodies.h"
#include "context.h"
#include "copy_work.h"

namespace ptxshim::api {

namespace {

template <class Element> hip::Error fill_row(CUdeviceptr to, Element value, size_t count, hip::Stream stream) {
  if constexpr (sizeof(Element) == 1) return hip::api.hipMemsetD8Async(pointer(to), value, count, stream);
  if constexpr (sizeof(Element) == 2) return hip::api.hipMemsetD16Async(pointer(to), value, count, stream);
  if constexpr (sizeof(Element) == 4) return hip::api.hipMemsetD32Async(pointer(to), static_cast<int>(value), count, stream);
}

template <class Element> struct Rectangle {
  CUdeviceptr to;
  size_t pitch;
  Element value;
  size_t width, height; // elements, rows
};

template <class Element> CUresult check(const Rectangle<Element>& r) {
  size_t row = 0, bytes = 0;
  if (r.to % sizeof(Element) != 0 || __builtin_mul_overflow(r.width, sizeof(Element), &row)) return CUDA_ERROR_INVALID_VALUE;
  if (r.height > 1 && (r.pitch < row || r.pitch % sizeof(Element) != 0)) return CUDA_ERROR_INVALID_VALUE;
  if (__builtin_mul_overflow(r.height - 1, r.pitch, &bytes) || __builtin_add_overflow(bytes, row, &bytes)) return CUDA_ERROR_INVALID_VALUE;
  return is_device_range(r.to, bytes) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

template <class Element> CUresult run(const Rectangle<Element>& r, hip::Stream stream) {
  if (r.height == 1 || r.pitch == r.width * sizeof(Element)) return result_of(fill_row(r.to, r.value, r.width * r.height, stream));
  if constexpr (sizeof(Element) == 1)
    return result_of(hip::api.hipMemset2DAsync(pointer(r.to), r.pitch, r.value, r.width, r.height, stream));
  for (size_t y = 0; y < r.height; ++y)
    if (const hip::Error failed = fill_row(r.to + y * r.pitch, r.value, r.width, stream)) return result_of(failed);
  return CUDA_SUCCESS;
}

template <class Element> CUresult fill(const Rectangle<Element>& r, const StreamArgument& stream) {
  if (!stream.valid) return CUDA_ERROR_INVALID_HANDLE;
  if (r.width == 0 || r.height == 0) return CUDA_SUCCESS;
  if (const CUresult failed = check(r); failed != CUDA_SUCCESS) return failed;
  if (!is_capturing(stream.object)) return run(r, stream.hip);
  return record(*stream.object, CU_GRAPH_NODE_TYPE_MEMSET, [r](hip::Stream at) { return run(r, at); });
}

StreamArgument now() { return {synchronous_stream(), nullptr, true}; }

template <class Element> CUresult work_of(Work& work, const Rectangle<Element>& r) {
  const CUresult checked = check(r);
  if (checked == CUDA_SUCCESS) work = [r](hip::Stream at) { return run(r, at); };
  return checked;
}

} // namespace

CUresult fill_work(Work& work, const CUDA_MEMSET_NODE_PARAMS* f) {
  if (!f || f->width == 0 || f->height == 0) return CUDA_ERROR_INVALID_VALUE;
  switch (f->elementSize) {
  case 1: return work_of<unsigned char>(work, {f->dst, f->pitch, static_cast<unsigned char>(f->value), f->width, f->height});
  case 2: return work_of<unsigned short>(work, {f->dst, f->pitch, static_cast<unsigned short>(f->value), f->width, f->height});
  case 4: return work_of<unsigned>(work, {f->dst, f->pitch, f->value, f->width, f->height});
  }
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t n) { return fill<unsigned char>({to, 0, value, n, 1}, now()); }
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t n, CUstream stream) {
  return fill<unsigned char>({to, 0, value, n, 1}, resolve(stream));
}
CUresult cuMemsetD2D8_v2(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height) {
  return fill<unsigned char>({to, pitch, value, width, height}, now());
}
CUresult cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height, CUstream stream) {
  return fill<unsigned char>({to, pitch, value, width, height}, resolve(stream));
}

CUresult cuMemsetD16_v2(CUdeviceptr to, unsigned short value, size_t n) { return fill<unsigned short>({to, 0, value, n, 1}, now()); }
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t n, CUstream stream) {
  return fill<unsigned short>({to, 0, value, n, 1}, resolve(stream));
}
CUresult cuMemsetD2D16_v2(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height) {
  return fill<unsigned short>({to, pitch, value, width, height}, now());
}
CUresult cuMemsetD2D16Async(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height, CUstream stream) {
  return fill<unsigned short>({to, pitch, value, width, height}, resolve(stream));
}

CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned value, size_t n) { return fill<unsigned>({to, 0, value, n, 1}, now()); }
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t n, CUstream stream) {
  return fill<unsigned>({to, 0, value, n, 1}, resolve(stream));
}
CUresult cuMemsetD2D32_v2(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height) {
  return fill<unsigned>({to, pitch, value, width, height}, now());
}
CUresult cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height, CUstream stream) {
  return fill<unsigned>({to, pitch, value, width, height}, resolve(stream));
}

} // namespace ptxshim::api
