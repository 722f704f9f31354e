// SPDX-License-Identifier: MIT
// Kernels that the tests of ptxshim-run's command line run.
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

static uint global_id(void) {
  return __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() + __builtin_amdgcn_workitem_id_x();
}

__kernel void add(__global const float* a, __global const float* b, __global float* sum, uint count) {
  const uint i = global_id();
  if (i < count) sum[i] = a[i] + b[i];
}

__kernel void scale(__global uint* values, uint factor) { values[global_id()] *= factor; }

__kernel void copy(__global const uint* from, __global uint* to) { to[global_id()] = from[global_id()]; }

// Every scalar type, widened.
__kernel void scalars(__global long* out, __global double* real, char a, uchar b, short c, ushort d, int e, uint f, long g, ulong h, float i, double j) {
  out[0] = a;
  out[1] = b;
  out[2] = c;
  out[3] = d;
  out[4] = e;
  out[5] = f;
  out[6] = g;
  out[7] = (long)h;
  real[0] = i;
  real[1] = j;
}

struct Pair {
  uint first;
  ushort second;
};
__kernel void structure(__global uint* out, struct Pair pair) {
  out[0] = pair.first;
  out[1] = pair.second;
}

// The group's values in reverse order, through dynamic LDS.
__kernel void reverse(__global uint* values, __local uint* shared) {
  const uint lane = __builtin_amdgcn_workitem_id_x(), count = __builtin_amdgcn_workgroup_size_x();
  shared[lane] = values[global_id()];
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
  __builtin_amdgcn_s_barrier();
  values[global_id()] = shared[count - 1 - lane];
}

__kernel void place(__global uint* out) {
  const uint x = __builtin_amdgcn_workgroup_id_x(), y = __builtin_amdgcn_workgroup_id_y(), z = __builtin_amdgcn_workgroup_id_z();
  out[x + 2 * y + 6 * z] = x + 10 * y + 100 * z + 1000 * __builtin_amdgcn_workgroup_size_y();
}

// Every work group arrives before any leaves.
__kernel void meet(__global uint* arrived, __global uint* seen, uint groups) {
  if (__builtin_amdgcn_workitem_id_x() == 0) {
    __atomic_fetch_add(arrived, 1u, __ATOMIC_ACQ_REL);
    while (__atomic_load_n(arrived, __ATOMIC_ACQUIRE) < groups) __builtin_amdgcn_s_sleep(1);
  }
  __builtin_amdgcn_s_barrier();
  seen[__builtin_amdgcn_workgroup_id_x()] = __atomic_load_n(arrived, __ATOMIC_RELAXED);
}

__kernel void nowhere(ulong address) { *(__global uint*)address = 1; }
