// SPDX-License-Identifier: MIT
// Faults that a compiler makes: constant data, and a stack that has no end.
typedef unsigned int uint;
#define K __attribute__((amdgpu_kernel, visibility("protected")))
#define G __attribute__((address_space(1)))

__attribute__((visibility("protected"))) G const volatile uint table[4] = {1, 2, 3, 4};

K void store_to_constant(uint i) {
  ((G volatile uint*)table)[i & 3] = 7;
}

__attribute__((noinline)) uint down(uint n) {
  volatile uint frame[64];
  frame[n & 63] = n;
  return n == 0xffffffffu ? 0 : down(n + 1) + frame[(n + 1) & 63];
}

K void endless_recursion(G uint* out) { out[0] = down(0); }

K void store_far_below(G uint* out, int far) {
  volatile uint frame[16];
  frame[out[0] & 15] = 1;
  frame[far] = 2;
  out[1] = frame[out[0] & 15];
}
