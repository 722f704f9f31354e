// SPDX-License-Identifier: MIT
// With -rdc=true: a kernel that calls a function and reads a variable of the other file.
#include "check.h"
extern __device__ int twice(int value);
extern __device__ int base;
__global__ void use_other_file(int* out) { out[threadIdx.x] = twice(threadIdx.x) + base; }

int main() {
  Buffer<int> out(64);
  use_other_file<<<1, 64>>>(out.data);
  CHECK(cudaGetLastError());
  std::vector<int> want(64);
  for (int i = 0; i < 64; ++i) want[i] = 2 * i + 1000;
  expect(out.read() == want, "function and variable of another file");
  return finish();
}
