// SPDX-License-Identifier: MIT
// Rounds of integer mixing in 32 and 64 bits: multiplies, rotations, shifts, bit counts, divisions, byte permutation.
__device__ __noinline__ unsigned mix32(unsigned h, unsigned k) {
  k *= 0xcc9e2d51u;
  k = (k << 15) | (k >> 17);
  h ^= k * 0x1b873593u;
  h = (h << 13) | (h >> 19);
  return h * 5 + 0xe6546b64u;
}
extern "C" __global__ void hash(const unsigned* in, unsigned long long* out, int n, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned h = 0x9747b28cu;
  unsigned long long wide = 0xcbf29ce484222325ull;
  for (int r = 0; r < rounds; ++r) {
    const unsigned k = in[(i + r) % n];
    h = mix32(h, k);
    wide = (wide ^ h) * 0x100000001b3ull;
    wide ^= wide >> (k & 63);
    wide += __popc(h) + __clz(h | 1) + __brev(k) + __byte_perm(h, k, 0x5140);
    wide += __umulhi(h, k) + __umul64hi(wide, 0x9e3779b97f4a7c15ull);
    wide ^= (unsigned long long)(long long)((int)h / (int)((k & 0xff) + 1)) + (wide % ((k | 1u)));
  }
  out[i] = wide;
}
