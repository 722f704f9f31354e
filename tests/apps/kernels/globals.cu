// SPDX-License-Identifier: MIT
__constant__ float coefficients[4] = {1.0f, 2.0f, 3.0f, 4.0f};
__device__ int counter = 5;
__device__ float table[8];
__device__ int* pointer_to_counter = &counter;
extern "C" __global__ void evaluate(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = ((coefficients[3] * x[i] + coefficients[2]) * x[i] + coefficients[1]) * x[i] + coefficients[0] + table[i & 7];
  if (i % 3 == 0) atomicAdd(pointer_to_counter, 1);
}
