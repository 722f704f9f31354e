// SPDX-License-Identifier: MIT
// Copies of two and three dimensions between linear memories: one pitched copy per slice. Arrays are not supported yet, so no argument can name one.
#include "bodies.h"
#include "context.h"
#include "copy_work.h"

namespace ptxshim::api {

namespace {

struct Side {
  CUmemorytype type;
  uintptr_t base;
  size_t x, y, z;
  size_t pitch, slice_rows; // bytes a row, rows a slice
  uintptr_t start = 0; // of the first byte copied
};

struct Extent {
  size_t width, height, depth;
};

// Finds the start of a side and checks its shape and range.
CUresult prepare(Side& side, const Extent& extent) {
  if (side.type == CU_MEMORYTYPE_ARRAY) return CUDA_ERROR_NOT_SUPPORTED;
  if (side.type < CU_MEMORYTYPE_HOST || side.type > CU_MEMORYTYPE_UNIFIED || side.base == 0) return CUDA_ERROR_INVALID_VALUE;
  size_t row_end = 0, column_end = 0;
  if (__builtin_add_overflow(side.x, extent.width, &row_end) || __builtin_add_overflow(side.y, extent.height, &column_end))
    return CUDA_ERROR_INVALID_VALUE;
  if (side.pitch == 0 && extent.height == 1 && extent.depth == 1 && side.y == 0 && side.z == 0) side.pitch = row_end;
  if (side.slice_rows == 0 && extent.depth == 1 && side.z == 0) side.slice_rows = column_end;
  if (side.pitch < row_end || side.slice_rows < column_end) return CUDA_ERROR_INVALID_VALUE;
  // first row = z * slice_rows + y; last row = (z + depth - 1) * slice_rows + y + height - 1
  size_t first = 0, last = 0, offset = 0, end = 0;
  if (__builtin_mul_overflow(side.z, side.slice_rows, &first) || __builtin_add_overflow(first, side.y, &first) ||
      __builtin_mul_overflow(extent.depth - 1, side.slice_rows, &last) || __builtin_add_overflow(last, extent.height - 1, &last) ||
      __builtin_mul_overflow(first, side.pitch, &offset) || __builtin_add_overflow(offset, side.x, &offset) ||
      __builtin_mul_overflow(last, side.pitch, &end) || __builtin_add_overflow(end, extent.width, &end) ||
      __builtin_add_overflow(side.base, offset, &side.start))
    return CUDA_ERROR_INVALID_VALUE;
  const bool ok = side.type == CU_MEMORYTYPE_DEVICE ? is_device_range(side.start, end)
                  : side.type == CU_MEMORYTYPE_HOST ? is_program_range(side.start, end)
                                                    : is_plausible_range(side.start, end);
  return ok ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

hip::MemcpyKind kind_of(CUmemorytype to, CUmemorytype from) {
  if (to == CU_MEMORYTYPE_UNIFIED || from == CU_MEMORYTYPE_UNIFIED) return hip::kDefault;
  if (to == CU_MEMORYTYPE_HOST) return from == CU_MEMORYTYPE_HOST ? hip::kHostToHost : hip::kDeviceToHost;
  return from == CU_MEMORYTYPE_HOST ? hip::kHostToDevice : hip::kDeviceToDevice;
}

// Sides that were prepared.
CUresult copy_slices(const Side& to, const Side& from, const Extent& extent, hip::Stream stream) {
  CUresult result = CUDA_SUCCESS;
  const hip::MemcpyKind kind = kind_of(to.type, from.type);
  for (size_t z = 0; z < extent.depth && result == CUDA_SUCCESS; ++z) {
    void* const target = reinterpret_cast<void*>(to.start + z * to.slice_rows * to.pitch);
    const void* const source = reinterpret_cast<const void*>(from.start + z * from.slice_rows * from.pitch);
    result = result_of(hip::api.hipMemcpy2DAsync(target, to.pitch, source, from.pitch, extent.width, extent.height, kind, stream));
  }
  return result;
}

CUresult copy(Side to, Side from, const Extent& extent, const StreamArgument& stream) {
  if (extent.width == 0 || extent.height == 0 || extent.depth == 0) return CUDA_SUCCESS;
  CUresult result = prepare(to, extent);
  if (result == CUDA_SUCCESS) result = prepare(from, extent);
  if (result != CUDA_SUCCESS) return result;
  if (!is_capturing(stream.object)) return copy_slices(to, from, extent, stream.hip);
  return record(*stream.object, CU_GRAPH_NODE_TYPE_MEMCPY,
                [=](hip::Stream at) { return copy_slices(to, from, extent, at); });
}

uintptr_t base_of(CUmemorytype type, const void* host, CUdeviceptr device) {
  return type == CU_MEMORYTYPE_HOST ? reinterpret_cast<uintptr_t>(host) : static_cast<uintptr_t>(device);
}

CUresult copy_2d(const CUDA_MEMCPY2D* c, const StreamArgument& stream) {
  if (!c) return CUDA_ERROR_INVALID_VALUE;
  const Side to{c->dstMemoryType, base_of(c->dstMemoryType, c->dstHost, c->dstDevice), c->dstXInBytes, c->dstY, 0, c->dstPitch, 0, 0};
  const Side from{c->srcMemoryType, base_of(c->srcMemoryType, c->srcHost, c->srcDevice), c->srcXInBytes, c->srcY, 0, c->srcPitch, 0, 0};
  return copy(to, from, {c->WidthInBytes, c->Height, 1}, stream);
}

// CUDA_MEMCPY3D and CUDA_MEMCPY3D_PEER agree in everything used here.
template <class Description> Side to_side(const Description* c) {
  return {c->dstMemoryType, base_of(c->dstMemoryType, c->dstHost, c->dstDevice), c->dstXInBytes, c->dstY, c->dstZ, c->dstPitch,
          c->dstHeight, 0};
}
template <class Description> Side from_side(const Description* c) {
  return {c->srcMemoryType, base_of(c->srcMemoryType, c->srcHost, c->srcDevice), c->srcXInBytes, c->srcY, c->srcZ, c->srcPitch,
          c->srcHeight, 0};
}

template <class Description> CUresult copy_3d(const Description* c, const StreamArgument& stream) {
  if (!c || c->srcLOD != 0 || c->dstLOD != 0) return CUDA_ERROR_INVALID_VALUE;
  const Side to = to_side(c), from = from_side(c);
  return copy(to, from, {c->WidthInBytes, c->Height, c->Depth}, stream);
}

CUresult wait_for(CUresult enqueued) {
  if (enqueued != CUDA_SUCCESS) return enqueued;
  return waited(hip::api.hipStreamSynchronize(synchronous_stream()));
}

bool contexts_exist(const CUDA_MEMCPY3D_PEER* c) {
  return c && contexts.find(c->srcContext ? c->srcContext : contexts.handle(current())) &&
         contexts.find(c->dstContext ? c->dstContext : contexts.handle(current()));
}

} // namespace

CUresult copy_work(Work& work, const CUDA_MEMCPY3D* c) {
  if (!c || c->srcLOD != 0 || c->dstLOD != 0) return CUDA_ERROR_INVALID_VALUE;
  Side to = to_side(c), from = from_side(c);
  const Extent extent{c->WidthInBytes, c->Height, c->Depth};
  if (extent.width == 0 || extent.height == 0 || extent.depth == 0) return CUDA_ERROR_INVALID_VALUE;
  CUresult result = prepare(to, extent);
  if (result == CUDA_SUCCESS) result = prepare(from, extent);
  if (result == CUDA_SUCCESS) work = [=](hip::Stream at) { return copy_slices(to, from, extent, at); };
  return result;
}

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D* copy) { return wait_for(copy_2d(copy, {synchronous_stream(), nullptr, true})); }
CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D* copy) { return wait_for(copy_2d(copy, {synchronous_stream(), nullptr, true})); }
CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D* copy) { return wait_for(copy_3d(copy, {synchronous_stream(), nullptr, true})); }

CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER* copy) {
  if (copy && !contexts_exist(copy)) return CUDA_ERROR_INVALID_CONTEXT;
  return wait_for(copy_3d(copy, {synchronous_stream(), nullptr, true}));
}

CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* copy, CUstream handle) {
  const StreamArgument stream = resolve(handle);
  return stream.valid ? copy_2d(copy, stream) : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D* copy, CUstream handle) {
  const StreamArgument stream = resolve(handle);
  return stream.valid ? copy_3d(copy, stream) : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER* copy, CUstream handle) {
  if (copy && !contexts_exist(copy)) return CUDA_ERROR_INVALID_CONTEXT;
  const StreamArgument stream = resolve(handle);
  return stream.valid ? copy_3d(copy, stream) : CUDA_ERROR_INVALID_HANDLE;
}

} // namespace ptxshim::api
