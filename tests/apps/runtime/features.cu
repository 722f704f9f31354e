// SPDX-License-Identifier: MIT
// Streams, events, symbols, attributes, occupancy, pinned and managed memory, error queries of the runtime API.
#include "check.h"
#include <cstring>

__constant__ int scale = 3;
__device__ int offset = 4;
__device__ int results[64];

__global__ void affine(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * scale + offset;
}
__global__ __launch_bounds__(128) void bounded(int* out) {
  __shared__ int staging[128];
  staging[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = staging[127 - threadIdx.x];
  if (threadIdx.x < 64) results[threadIdx.x] = staging[threadIdx.x] * 2;
}
__global__ void dynamic(float* out) {
  extern __shared__ float data[];
  data[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = data[blockDim.x - 1 - threadIdx.x];
}

static void CUDART_CB count_up(void* counter) { ++*static_cast<int*>(counter); }

static void check_device() {
  int count = 0;
  CHECK(cudaGetDeviceCount(&count));
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  std::printf("device: %s\n", properties.name);
  expect(count >= 1 && properties.warpSize == 32 && properties.maxThreadsPerBlock == 1024 && properties.multiProcessorCount > 0 &&
             properties.totalGlobalMem > 0 && properties.sharedMemPerBlock >= 48 * 1024,
         "device properties");
  int driver = 0, runtime = 0;
  CHECK(cudaDriverGetVersion(&driver));
  CHECK(cudaRuntimeGetVersion(&runtime));
  expect(driver >= runtime, "versions");
  size_t free_bytes = 0, total = 0;
  CHECK(cudaMemGetInfo(&free_bytes, &total));
  expect(free_bytes > 0 && free_bytes <= total, "memory info");
}

static void check_symbols() {
  const int n = 1000;
  std::vector<int> in(n), want(n);
  for (int i = 0; i < n; ++i) in[i] = i, want[i] = i * 7 - 2;
  const int new_scale = 7, new_offset = -2;
  CHECK(cudaMemcpyToSymbol(scale, &new_scale, sizeof new_scale));
  CHECK(cudaMemcpyToSymbol(offset, &new_offset, sizeof new_offset));
  Buffer<int> din(in), dout(n);
  affine<<<8, 128>>>(din.data, dout.data, n);
  CHECK(cudaGetLastError());
  expect(dout.read() == want, "cudaMemcpyToSymbol");
  int back = 0;
  CHECK(cudaMemcpyFromSymbol(&back, scale, sizeof back));
  void* address = nullptr;
  size_t size = 0;
  CHECK(cudaGetSymbolAddress(&address, results));
  CHECK(cudaGetSymbolSize(&size, results));
  expect(back == 7 && address && size == 256, "symbols read back");
}

static void check_streams() {
  const int n = 4096;
  cudaStream_t streams[3];
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  for (cudaStream_t& s : streams) CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  int *in, *out;
  CHECK(cudaMallocHost(&in, 3 * n * sizeof(int)));
  CHECK(cudaMallocHost(&out, 3 * n * sizeof(int)));
  for (int i = 0; i < 3 * n; ++i) in[i] = i;
  Buffer<int> din(3 * n), dout(3 * n);
  int called = 0;
  CHECK(cudaEventRecord(begin, streams[0]));
  for (int k = 0; k < 3; ++k) {
    CHECK(cudaMemcpyAsync(din.data + k * n, in + k * n, n * sizeof(int), cudaMemcpyHostToDevice, streams[k]));
    affine<<<n / 256, 256, 0, streams[k]>>>(din.data + k * n, dout.data + k * n, n);
    CHECK(cudaMemcpyAsync(out + k * n, dout.data + k * n, n * sizeof(int), cudaMemcpyDeviceToHost, streams[k]));
  }
  CHECK(cudaLaunchHostFunc(streams[0], count_up, &called));
  CHECK(cudaEventRecord(end, streams[0]));
  CHECK(cudaStreamWaitEvent(streams[1], end, 0));
  CHECK(cudaEventSynchronize(end));
  float ms = -1;
  CHECK(cudaEventElapsedTime(&ms, begin, end));
  for (cudaStream_t s : streams) CHECK(cudaStreamSynchronize(s));
  CHECK(cudaStreamQuery(streams[2]));
  bool good = called == 1 && ms >= 0;
  for (int i = 0; i < 3 * n; ++i) good &= out[i] == i * 7 - 2;
  expect(good, "streams, events, pinned memory, host function");
  for (cudaStream_t s : streams) CHECK(cudaStreamDestroy(s));
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  CHECK(cudaFreeHost(in));
  CHECK(cudaFreeHost(out));
}

static void check_functions() {
  cudaFuncAttributes a;
  CHECK(cudaFuncGetAttributes(&a, bounded));
  expect(a.sharedSizeBytes == 512 && a.maxThreadsPerBlock == 128 && a.numRegs > 0, "cudaFuncGetAttributes");
  int blocks = 0, grid = 0, block = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, affine, 256, 0));
  CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, affine, 0, 0));
  expect(blocks > 0 && grid > 0 && block > 0 && block <= 1024, "occupancy");
  Buffer<int> out(128);
  bounded<<<1, 128>>>(out.data);
  CHECK(cudaGetLastError());
  std::vector<int> want(128);
  for (int i = 0; i < 128; ++i) want[i] = 127 - i;
  int copied[64];
  CHECK(cudaMemcpyFromSymbol(copied, results, sizeof copied));
  expect(out.read() == want && copied[63] == 126, "__launch_bounds__, static shared memory");
  Buffer<float> f(64);
  dynamic<<<1, 64, 64 * sizeof(float)>>>(f.data);
  CHECK(cudaGetLastError());
  std::vector<float> reversed(64);
  for (int i = 0; i < 64; ++i) reversed[i] = 63.0f - i;
  expect(f.read() == reversed, "dynamic shared memory");
}

static void check_errors() {
  affine<<<1, 2000>>>(nullptr, nullptr, 0); // more threads than a block may have
  expect(cudaGetLastError() == cudaErrorInvalidConfiguration, "launch with a block that is too large");
  expect(cudaGetLastError() == cudaSuccess, "the error is reported once");
  expect(cudaMalloc(static_cast<void**>(nullptr), 4) == cudaErrorInvalidValue, "cudaMalloc(nullptr)");
  cudaGetLastError();
  void* huge = nullptr;
  expect(cudaMalloc(&huge, size_t(1) << 50) == cudaErrorMemoryAllocation, "cudaMalloc of 1 PiB");
  expect(cudaPeekAtLastError() == cudaErrorMemoryAllocation && cudaGetLastError() == cudaErrorMemoryAllocation, "cudaPeekAtLastError");
  expect(!std::strcmp(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation"), "cudaGetErrorName");
  expect(cudaSetDevice(99) == cudaErrorInvalidDevice, "cudaSetDevice(99)");
  cudaGetLastError();
  expect(cudaFree(nullptr) == cudaSuccess, "cudaFree(nullptr)");
}

static void check_memory() {
  int* managed = nullptr;
  CHECK(cudaMallocManaged(&managed, 100 * sizeof(int)));
  for (int i = 0; i < 100; ++i) managed[i] = i;
  affine<<<1, 128>>>(managed, managed, 100);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  bool good = true;
  for (int i = 0; i < 100; ++i) good &= managed[i] == i * 7 - 2;
  expect(good, "managed memory");
  CHECK(cudaFree(managed));
  // 2D copies with pitch
  unsigned char* pitched = nullptr;
  size_t pitch = 0;
  CHECK(cudaMallocPitch(reinterpret_cast<void**>(&pitched), &pitch, 100, 20));
  std::vector<unsigned char> rows(100 * 20), back(100 * 20);
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<unsigned char>(i * 3);
  CHECK(cudaMemcpy2D(pitched, pitch, rows.data(), 100, 100, 20, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy2D(back.data(), 100, pitched, pitch, 100, 20, cudaMemcpyDeviceToHost));
  expect(pitch >= 100 && back == rows, "pitched memory");
  CHECK(cudaFree(pitched));
  cudaPointerAttributes attributes;
  Buffer<int> device(4);
  CHECK(cudaPointerGetAttributes(&attributes, device.data));
  expect(attributes.type == cudaMemoryTypeDevice, "pointer attributes");
}

int main() {
  check_device();
  check_symbols();
  check_streams();
  check_functions();
  check_errors();
  check_memory();
  return finish();
}
