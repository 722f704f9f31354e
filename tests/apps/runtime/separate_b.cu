// SPDX-License-Identifier: MIT
__device__ int base = 1000;
__device__ int twice(int value) { return value * 2; }
