// SPDX-License-Identifier: MIT
// One sum per block: shuffles inside each warp, then shared memory among warps. Integer sums: exact in any order.
extern "C" __global__ void block_sum(const int* in, int* out, int n) {
  __shared__ int partial[32];
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, offset);
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  if (lane == 0) partial[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    sum = lane < (blockDim.x + 31) / 32 ? partial[lane] : 0;
    for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, offset);
    if (lane == 0) out[blockIdx.x] = sum;
  }
}

// Per warp: what the other warp-level operations give.
extern "C" __global__ void warp_ops(const int* in, unsigned* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int value = in[i];
  const unsigned ballot = __ballot_sync(0xffffffffu, value & 1);
  const int up = __shfl_up_sync(0xffffffffu, value, 3);
  const int swapped = __shfl_xor_sync(0xffffffffu, value, 5);
  const int segment = __shfl_sync(0xffffffffu, value, 2, 8);
  const unsigned any = __any_sync(0xffffffffu, value > 90), all = __all_sync(0xffffffffu, value >= 0);
  out[i * 6 + 0] = ballot;
  out[i * 6 + 1] = (unsigned)up;
  out[i * 6 + 2] = (unsigned)swapped;
  out[i * 6 + 3] = (unsigned)segment;
  out[i * 6 + 4] = any * 2 + all;
  unsigned active = 0;
  if (value & 1) active = __activemask();
  out[i * 6 + 5] = active;
}
