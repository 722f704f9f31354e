// SPDX-License-Identifier: MIT
// Threads that wait for each other: locks of single threads (by hand, with libcu++'s semaphore and atomics), a chain of threads
// in which each waits for its neighbour, a barrier over the grid, warps of one block that produce and consume.
#include "check.h"
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/semaphore>

struct Lock {
  int state;
  __device__ void take() {
    while (atomicCAS(&state, 0, 1) != 0) {}
    __threadfence();
  }
  __device__ void give_back() {
    __threadfence();
    atomicExch(&state, 0);
  }
};

__device__ Lock bucket_locks[4];
__device__ volatile int buckets[4];
__global__ void fill_buckets(const int* keys, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const int bucket = keys[i] & 3;
    bucket_locks[bucket].take();
    buckets[bucket] = buckets[bucket] + keys[i];
    bucket_locks[bucket].give_back();
  }
}

__device__ cuda::binary_semaphore<cuda::thread_scope_device> semaphore(1);
__device__ volatile int under_semaphore;
__global__ void count_under_semaphore() {
  semaphore.acquire();
  under_semaphore = under_semaphore + 1;
  semaphore.release();
}

__device__ cuda::atomic<int, cuda::thread_scope_device> flag;
__device__ int under_flag;
__global__ void count_under_flag() {
  int expected = 0;
  while (!flag.compare_exchange_weak(expected, 1, cuda::memory_order_acquire)) expected = 0;
  ++under_flag;
  flag.store(0, cuda::memory_order_release);
}

// A triangular solve without level sets: row i needs row before[i] < i, the last rows come first.
__global__ void solve_chain(volatile int* solved, const int* before, int n) {
  const int row = n - 1 - static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row < 0) return;
  int value = 1;
  if (before[row] >= 0) {
    int needed;
    while ((needed = solved[before[row]]) == 0) {}
    value += needed;
  }
  __threadfence();
  solved[row] = value;
}

__global__ void shift_over_grid(int* data, int rounds) {
  const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  const int i = static_cast<int>(grid.thread_rank()), n = static_cast<int>(grid.size());
  for (int round = 0; round < rounds; ++round) {
    data[((round + 1) & 1) * n + i] = data[(round & 1) * n + (i + 1) % n] + 1;
    grid.sync();
  }
}

// Two buffers: barriers 1 and 2 say that one is full, 3 and 4 that it is empty; the consumers meet at barrier 5.
__global__ void produce_and_consume(int* sums, int rounds) {
  __shared__ int buffer[2][96];
  if (threadIdx.x < 32) {
    for (int round = 0; round < rounds; ++round) {
      asm volatile("bar.sync %0, 128;" ::"r"(3 + (round & 1)) : "memory");
      for (int k = threadIdx.x; k < 96; k += 32) buffer[round & 1][k] = k * round;
      asm volatile("bar.arrive %0, 128;" ::"r"(1 + (round & 1)) : "memory");
    }
    return;
  }
  int sum = 0;
  asm volatile("bar.arrive 3, 128;" ::: "memory");
  for (int round = 0; round < rounds; ++round) {
    if (round + 1 < rounds) asm volatile("bar.arrive %0, 128;" ::"r"(3 + ((round + 1) & 1)) : "memory");
    asm volatile("bar.sync %0, 128;" ::"r"(1 + (round & 1)) : "memory");
    sum += buffer[round & 1][threadIdx.x - 32];
    asm volatile("bar.sync 5, 96;" ::: "memory");
  }
  sums[threadIdx.x - 32] = sum;
}

static void check_locks() {
  const int n = 500;
  std::vector<int> keys(n), want(4), got(4);
  for (int i = 0; i < n; ++i) {
    keys[i] = i * 7 + 3;
    want[keys[i] & 3] += keys[i];
  }
  Buffer<int> on_device(keys);
  fill_buckets<<<2, 64>>>(on_device.data, n);
  CHECK(cudaMemcpyFromSymbol(got.data(), buckets, 4 * sizeof(int)));
  expect(got == want, "a lock for each bucket");
  int count = 0;
  count_under_semaphore<<<2, 64>>>();
  CHECK(cudaMemcpyFromSymbol(&count, under_semaphore, sizeof count));
  expect(count == 128, "a semaphore");
  count_under_flag<<<2, 64>>>();
  CHECK(cudaMemcpyFromSymbol(&count, under_flag, sizeof count));
  expect(count == 128, "an atomic flag");
}

static void check_chain() {
  const int n = 200;
  std::vector<int> before(n), want(n);
  for (int i = 0; i < n; ++i) {
    before[i] = i == 0 ? -1 : i % 3 == 0 ? i - 3 : i - 1;
    want[i] = i == 0 ? 1 : want[before[i]] + 1;
  }
  Buffer<int> on_device(before), solved(std::vector<int>(n, 0));
  solve_chain<<<1, 256>>>(solved.data, on_device.data, n);
  expect(solved.read() == want, "a chain of threads");
}

static void check_groups() {
  const int n = 512;
  int rounds = 6;
  std::vector<int> data(2 * n);
  for (int i = 0; i < n; ++i) data[i] = i;
  Buffer<int> on_device(data);
  void* arguments[] = {&on_device.data, &rounds};
  CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(shift_over_grid), dim3(4), dim3(128), arguments));
  const std::vector<int> shifted = on_device.read();
  bool good = true;
  for (int i = 0; i < n; ++i) good = good && shifted[i] == (i + rounds) % n + rounds;
  expect(good, "a barrier over the grid");

  Buffer<int> sums(96);
  produce_and_consume<<<1, 128>>>(sums.data, 7);
  const std::vector<int> got = sums.read();
  good = true;
  for (int k = 0; k < 96; ++k) good = good && got[k] == k * 21; // 0 + 1 + ... + 6
  expect(good, "warps that produce and consume");
}

int main() {
  check_locks();
  check_chain();
  check_groups();
  return finish();
}
