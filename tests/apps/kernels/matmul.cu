// SPDX-License-Identifier: MIT
// C = A * B for row-major n x n matrices, tile by tile through shared memory: static, and dynamic of any tile width.
#define TILE 16
extern "C" __global__ void matmul_static(const float* a, const float* b, float* c, int n) {
  __shared__ float ta[TILE][TILE], tb[TILE][TILE];
  const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
  float sum = 0.0f;
  for (int t = 0; t < n; t += TILE) {
    ta[threadIdx.y][threadIdx.x] = row < n && t + threadIdx.x < n ? a[row * n + t + threadIdx.x] : 0.0f;
    tb[threadIdx.y][threadIdx.x] = column < n && t + threadIdx.y < n ? b[(t + threadIdx.y) * n + column] : 0.0f;
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum = fmaf(ta[threadIdx.y][k], tb[k][threadIdx.x], sum);
    __syncthreads();
  }
  if (row < n && column < n) c[row * n + column] = sum;
}

extern "C" __global__ void matmul_dynamic(const float* a, const float* b, float* c, int n) {
  extern __shared__ float tiles[];
  const int width = blockDim.x;
  float* ta = tiles;
  float* tb = tiles + width * width;
  const int row = blockIdx.y * width + threadIdx.y, column = blockIdx.x * width + threadIdx.x;
  const int mine = threadIdx.y * width + threadIdx.x;
  float sum = 0.0f;
  for (int t = 0; t < n; t += width) {
    ta[mine] = row < n && t + threadIdx.x < n ? a[row * n + t + threadIdx.x] : 0.0f;
    tb[mine] = column < n && t + threadIdx.y < n ? b[(t + threadIdx.y) * n + column] : 0.0f;
    __syncthreads();
    for (int k = 0; k < width; ++k) sum = fmaf(ta[threadIdx.y * width + k], tb[k * width + threadIdx.x], sum);
    __syncthreads();
  }
  if (row < n && column < n) c[row * n + column] = sum;
}
