// SPDX-License-Identifier: MIT
// A program for several GPUs, as they are written for the runtime API: work is split over all devices, halves are exchanged by
// peer copies and peer access, streams wait for events of other devices, each device has a thread. With one device it does nothing.
#include "check.h"
#include <numeric>
#include <thread>

__device__ unsigned device_total; // one on each device
__constant__ unsigned factor = 2;

__global__ void fill(unsigned* out, unsigned n, unsigned first) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = (first + i) * factor;
}
__global__ void add(unsigned* sum, const unsigned* a, const unsigned* b, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] = a[i] + b[i];
}
// The sum of all elements, by warp shuffles: other code where a wave has 64 lanes.
__global__ void total(const unsigned* in, unsigned n) {
  unsigned sum = 0;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
  if (threadIdx.x % 32 == 0) atomicAdd(&device_total, sum);
}

constexpr unsigned kCount = 10000;

static std::vector<unsigned> expected(unsigned first, unsigned times) {
  std::vector<unsigned> values(kCount);
  for (unsigned i = 0; i < kCount; ++i) values[i] = (first + i) * times;
  return values;
}

struct OnDevice {
  unsigned* a = nullptr;
  unsigned* b = nullptr;
  cudaStream_t stream = nullptr;
  cudaEvent_t filled = nullptr;
};

static std::vector<unsigned> read(const unsigned* from) {
  std::vector<unsigned> values(kCount);
  CHECK(cudaMemcpy(values.data(), from, kCount * sizeof(unsigned), cudaMemcpyDefault));
  return values;
}

static void check_properties(int count) {
  cudaDeviceProp first, second;
  CHECK(cudaGetDeviceProperties(&first, 0));
  CHECK(cudaGetDeviceProperties(&second, 1));
  std::printf("%d devices: %s, %s\n", count, first.name, second.name);
  expect(first.pciBusID != second.pciBusID && first.warpSize == 32 && second.warpSize == 32, "properties");
  int can = 0, back = 0;
  CHECK(cudaDeviceCanAccessPeer(&can, 0, 1));
  CHECK(cudaDeviceCanAccessPeer(&back, 1, 0));
  expect(can == 1 && back == 1, "peers");
}

static void check_copies(OnDevice (&on)[2]) {
  const size_t bytes = kCount * sizeof(unsigned);
  for (int i = 0; i < 2; ++i) {
    CHECK(cudaSetDevice(i));
    fill<<<(kCount + 255) / 256, 256, 0, on[i].stream>>>(on[i].a, kCount, 1000 * i);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(on[i].filled, on[i].stream));
  }
  for (int i = 0; i < 2; ++i) { // what the other one has, once it has it
    CHECK(cudaSetDevice(i));
    CHECK(cudaStreamWaitEvent(on[i].stream, on[1 - i].filled, 0));
    CHECK(cudaMemcpyPeerAsync(on[i].b, i, on[1 - i].a, 1 - i, bytes, on[i].stream));
  }
  for (int i = 0; i < 2; ++i) {
    CHECK(cudaSetDevice(i));
    CHECK(cudaStreamSynchronize(on[i].stream));
    expect(read(on[i].a) == expected(1000 * i, 2) && read(on[i].b) == expected(1000 * (1 - i), 2), "exchange by peer copies");
  }
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, on[1].a));
  expect(attributes.type == cudaMemoryTypeDevice && attributes.device == 1, "the device of a pointer");
}

static void check_access(OnDevice (&on)[2]) {
  for (int i = 0; i < 2; ++i) {
    CHECK(cudaSetDevice(i));
    CHECK(cudaDeviceEnablePeerAccess(1 - i, 0));
  }
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 2; ++i) {
    CHECK(cudaSetDevice(i));
    add<<<(kCount + 127) / 128, 128>>>(on[i].b, on[0].a, on[1].a, kCount);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::vector<unsigned> want = expected(0, 2);
    for (unsigned j = 0; j < kCount; ++j) want[j] += (1000 + j) * 2;
    expect(read(on[i].b) == want, "a kernel reads both devices");
  }
  CHECK(cudaSetDevice(0));
  CHECK(cudaDeviceDisablePeerAccess(1));
  expect(cudaDeviceDisablePeerAccess(1) == cudaErrorPeerAccessNotEnabled, "peer access is undone once");
  static_cast<void>(cudaGetLastError());
}

static void check_threads(OnDevice (&on)[2]) {
  unsigned totals[2] = {};
  const auto work = [&](int device) {
    CHECK(cudaSetDevice(device));
    const unsigned zero = 0, own_factor = 3 + device; // a variable of each device
    CHECK(cudaMemcpyToSymbol(device_total, &zero, sizeof zero));
    CHECK(cudaMemcpyToSymbol(factor, &own_factor, sizeof own_factor));
    fill<<<(kCount + 255) / 256, 256>>>(on[device].a, kCount, 0);
    total<<<4, 128>>>(on[device].a, kCount);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyFromSymbol(&totals[device], device_total, sizeof totals[device]));
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  const unsigned sum = kCount * (kCount - 1) / 2;
  expect(totals[0] == 3 * sum && totals[1] == 4 * sum, "a thread for each device, with its own variables");
}

static void check_managed() {
  unsigned* shared = nullptr;
  CHECK(cudaMallocManaged(&shared, kCount * sizeof(unsigned)));
  for (int i = 0; i < 2; ++i) {
    CHECK(cudaSetDevice(i));
    add<<<(kCount + 255) / 256, 256>>>(shared, shared, shared, 0); // nothing
    fill<<<(kCount + 255) / 256, 256>>>(shared, kCount, 7);
    CHECK(cudaDeviceSynchronize());
    expect(std::vector<unsigned>(shared, shared + kCount) == expected(7, 3 + i), "managed memory of both");
  }
  CHECK(cudaFree(shared));
}

int main() {
  int count = 0;
  CHECK(cudaGetDeviceCount(&count));
  if (count < 2) {
    std::printf("one device: nothing to do\n");
    return finish();
  }
  check_properties(count);
  OnDevice on[2];
  for (int i = 0; i < 2; ++i) {
    CHECK(cudaSetDevice(i));
    CHECK(cudaMalloc(&on[i].a, kCount * sizeof(unsigned)));
    CHECK(cudaMalloc(&on[i].b, kCount * sizeof(unsigned)));
    CHECK(cudaStreamCreate(&on[i].stream));
    CHECK(cudaEventCreate(&on[i].filled));
  }
  check_copies(on);
  check_access(on);
  check_threads(on);
  check_managed();
  for (int i = 0; i < 2; ++i) {
    CHECK(cudaSetDevice(i));
    CHECK(cudaDeviceReset());
  }
  return finish();
}
