// SPDX-License-Identifier: MIT
extern "C" __global__ void histogram(const unsigned char* in, unsigned* bins, int n) {
  __shared__ unsigned local[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[in[i]], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    if (local[i]) atomicAdd(&bins[i], local[i]);
}

// One word for each kind of atomic, all threads on the same words.
extern "C" __global__ void atomics(unsigned* u, int* s, unsigned long long* l, float* f) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&u[0], i);
  atomicMax(&u[1], i);
  atomicMin(&u[2], i);
  atomicOr(&u[3], 1u << (i & 31));
  atomicAnd(&u[4], ~(1u << (i & 15)));
  atomicXor(&u[5], i);
  atomicInc(&u[6], 6u);
  atomicDec(&u[7], 9u);
  atomicMin(&s[0], -(int)i);
  atomicMax(&s[1], (int)i - 100);
  atomicSub(&s[2], 2);
  atomicAdd(&l[0], 0x100000001ull);
  unsigned long long seen = l[1], assumed;
  do {
    assumed = seen;
    seen = atomicCAS(&l[1], assumed, assumed + 3);
  } while (seen != assumed);
  atomicAdd(&f[0], 1.0f);
}
