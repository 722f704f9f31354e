// SPDX-License-Identifier: MIT
// Kernels that every target runs, in C for the amdgcn target: work items, LDS, atomics, calls, scratch, faults.
typedef unsigned int uint;
typedef unsigned long ulong;
#define K __attribute__((amdgpu_kernel, visibility("protected")))
#define G __attribute__((address_space(1)))
#define L __attribute__((address_space(3)))
static inline uint tid(void) { return __builtin_amdgcn_workitem_id_x(); }
static inline uint bid(void) { return __builtin_amdgcn_workgroup_id_x(); }
static inline void barrier(void) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
__attribute__((loader_uninitialized)) L static uint shared[256];

K void add_floats(G const float* a, G const float* b, G float* c, uint n) {
  const uint i = bid() * 64 + tid();
  if (i < n) c[i] = a[i] + b[i];
}

K void reduce(G const uint* in, G uint* out) {
  const uint t = tid();
  shared[t] = in[bid() * 256 + t];
  barrier();
  for (uint s = 128; s; s >>= 1) {
    if (t < s) shared[t] += shared[t + s];
    barrier();
  }
  if (t == 0) out[bid()] = shared[0];
}

K void ids(G uint* out) {
  const uint x = tid(), y = __builtin_amdgcn_workitem_id_y(), z = __builtin_amdgcn_workitem_id_z();
  const uint gx = bid() * 5 + x, gy = __builtin_amdgcn_workgroup_id_y() * 3 + y, gz = __builtin_amdgcn_workgroup_id_z() * 2 + z;
  out[(gz * 6 + gy) * 10 + gx] = gx | gy << 8 | gz << 16 | 1u << 31;
}

K void count(G uint* c, G ulong* wide) {
  __atomic_fetch_add(c, 1, __ATOMIC_RELAXED);
  __atomic_fetch_max(c + 1, tid(), __ATOMIC_RELAXED);
  __atomic_fetch_xor(c + 2, 1u << (tid() & 31), __ATOMIC_RELAXED);
  __atomic_fetch_add(wide, (ulong)tid() << 32 | 1, __ATOMIC_RELAXED);
  uint old = c[3];
  while (!__atomic_compare_exchange_n(c + 3, &old, old + 2, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}

K void doubles(G double* o, double x, double y) {
  o[0] = x / y;
  o[1] = __builtin_sqrt(x);
  o[2] = __builtin_fma(x, y, 1.0);
  o[3] = __builtin_floor(x);
  o[4] = (double)(long)x;
  o[5] = (double)(ulong)x;
  o[6] = (float)x;
  o[7] = x < y ? x : y;
  o[8] = -__builtin_fabs(x);
}

K void floats(G float* o, float x, float y) {
  o[0] = x / y;
  o[1] = __builtin_fmaf(x, y, 1.0f);
  o[2] = __builtin_floorf(x);
  o[3] = (float)(long)x;
  o[4] = (float)(int)x;
  o[5] = x < y ? x : y;
  o[6] = -__builtin_fabsf(x);
  o[7] = __builtin_ldexpf(x, 3);
}

__attribute__((noinline)) static uint fibonacci(uint n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
K void calls(G uint* o) { o[tid()] = fibonacci(tid() % 12); }

K void private_memory(G uint* o, uint n) {
  volatile uint a[32];
  for (uint i = 0; i < 32; i++) a[i] = i * tid();
  uint s = 0;
  for (uint i = 0; i < n; i++) s += a[(i * 7 + tid()) & 31];
  o[tid()] = s;
}

K void collatz(G uint* o) {
  uint x = tid() + 1, c = 0;
  while (x != 1) {
    x = x & 1 ? 3 * x + 1 : x >> 1;
    c++;
  }
  o[tid()] = c;
}

K void divide(G ulong* o, G int* p, ulong a, uint b) {
  const uint t = tid() + b;
  o[tid()] = a / t;
  o[64 + tid()] = a % t;
  p[tid()] = -(int)a / (int)t;
}

struct Pair {
  ulong a, b;
};
K void wide(G struct Pair* o, G const struct Pair* i) {
  struct Pair s = i[tid()];
  s.a += s.b;
  s.b *= s.a;
  o[tid()] = s;
}

K void narrow(G unsigned char* o, G const short* i) { o[tid()] = (unsigned char)(i[tid()] >> 3); }

K void lds_atomics(G uint* o) {
  shared[tid()] = 0;
  barrier();
  __atomic_fetch_add(&shared[tid() & 7], tid(), __ATOMIC_RELAXED);
  barrier();
  o[tid()] = shared[tid()];
}

K void flat_pointers(G uint* o, uint use_lds) {
  uint local[4] = {1, 2, 3, 4};
  volatile uint* p = use_lds & 1 ? (uint*)&shared[tid()] : (uint*)local;
  *p = tid() * 3;
  o[tid()] = *p + local[1];
}

// Every group waits until all have come: they must make progress together.
K void meet(G uint* counter, uint groups) {
  if (tid() == 0) {
    __atomic_fetch_add(counter, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(counter, __ATOMIC_SEQ_CST) < groups) __builtin_amdgcn_s_sleep(1);
  }
  barrier();
  counter[1 + bid()] = 1;
}

// One wave of a group waits for another one without a barrier.
K void hand_over(G volatile uint* flag, G uint* out) {
  if (tid() == 0) {
    while (!flag[0]) {
    }
    out[0] = flag[0] + 1;
  }
  if (tid() == 255) flag[0] = 41;
}

K void wait_for(G volatile uint* flag) {
  while (!flag[0]) {
  }
}
K void set_flag(G volatile uint* flag) { flag[0] = 1; }

// Some waves leave before the others' barrier.
K void early_exit(G uint* o) {
  if (tid() >= 128) return;
  barrier();
  o[tid()] = tid();
}

#ifdef __GFX12__
// The lanes of the wave that is first at each of three barriers.
K void first_at_barriers(G uint* o) {
  for (int i = 0; i < 3; ++i) {
    if (__builtin_amdgcn_s_barrier_signal_isfirst(-1)) __atomic_fetch_add(o + i, 1, __ATOMIC_RELAXED);
    __builtin_amdgcn_s_barrier_wait(-1);
  }
}
#endif

K void out_of_bounds(G uint* o) { o[tid() * 100000] = 1; }
K void trap(G uint* o) {
  if (tid() == 5) __builtin_trap();
  o[tid()] = 1;
}
K void misaligned(G char* o) { __atomic_fetch_add((G uint*)(o + 1), 1, __ATOMIC_RELAXED); }
K void beyond_lds(G uint* o, uint i) { o[0] = shared[i]; }
