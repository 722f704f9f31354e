// SPDX-License-Identifier: MIT
extern "C" __global__ void write_to(int* address) { *address = 7; }
extern "C" __global__ void read_from(const int* address, int* out) { *out = *address + 1; }
extern "C" __global__ void stop() { asm volatile("trap;"); }
extern "C" __global__ void fine(int* out) { *out = 42; }
