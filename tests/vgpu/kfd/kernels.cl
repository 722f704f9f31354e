// SPDX-License-Identifier: MIT
// Kernels of the tests that go through the real HIP runtime. Plain C with clang's builtins: no library is needed.
typedef unsigned int uint;
typedef unsigned long ulong;

static uint global_id(void) {
  return __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() + __builtin_amdgcn_workitem_id_x();
}

__kernel void vector_add(__global const float* a, __global const float* b, __global float* c, uint n) {
  const uint i = global_id();
  if (i < n) c[i] = a[i] + b[i];
}

__kernel void write_index(__global uint* out, uint base) { out[global_id()] = base + global_id(); }

__kernel void block_copy(__global const uint* in, __global uint* out) { out[global_id()] = in[global_id()]; }

__kernel void block_sum(__global const uint* in, __global uint* out) {
  __local uint shared[256];
  const uint lane = __builtin_amdgcn_workitem_id_x();
  shared[lane] = in[global_id()];
  for (uint step = 128; step > 0; step >>= 1) {
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
    __builtin_amdgcn_s_barrier();
    if (lane < step) shared[lane] += shared[lane + step];
  }
  if (lane == 0) out[__builtin_amdgcn_workgroup_id_x()] = shared[0];
}

// state[0] counts the launches; state[1] those that came in another order than they were made in.
__kernel void next_of(__global uint* state, uint expected) {
  if (state[0] != expected) ++state[1];
  state[0] = expected + 1;
}

__kernel void count(__global uint* counter) { __atomic_fetch_add(counter, 1u, __ATOMIC_RELAXED); }

// Ends when the host (or another kernel) sets the flag.
__kernel void wait_for_flag(__global uint* flag, __global uint* out) {
  while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) == 0u) __builtin_amdgcn_s_sleep(1);
  out[global_id()] = 1;
}

__kernel void set_flag(__global uint* flag) { __atomic_store_n(flag, 1u, __ATOMIC_RELEASE); }

__kernel void store_to(ulong address, uint value) { *(__global uint*)address = value + global_id(); }

__kernel void trap(void) { __builtin_trap(); }

// Every work group arrives before any leaves.
__kernel void grid_barrier(__global uint* counter, __global uint* out, uint groups) {
  if (__builtin_amdgcn_workitem_id_x() == 0) {
    __atomic_fetch_add(counter, 1u, __ATOMIC_ACQ_REL);
    while (__atomic_load_n(counter, __ATOMIC_ACQUIRE) < groups) __builtin_amdgcn_s_sleep(1);
    out[__builtin_amdgcn_workgroup_id_x()] = __atomic_load_n(counter, __ATOMIC_RELAXED);
  }
}

// What must not be done.
__kernel void atomic_at(ulong address) { __atomic_fetch_add((volatile __global uint*)address, 1u, __ATOMIC_RELAXED); }

__kernel void store_to_lds(__global uint* out, uint index) {
  __local uint shared[64];
  shared[index] = 7;
  out[0] = shared[index & 63];
}

__kernel void no_instruction(void) { __asm__ volatile(".long 0xffffffff"); }

__attribute__((noinline)) static uint down(uint n) {
  volatile uint frame[64];
  frame[n & 63] = n;
  return n == 0xffffffffu ? 0 : down(n + 1) + frame[(n + 1) & 63];
}
__kernel void endless_recursion(__global uint* out) { out[0] = down(0); }
