// SPDX-License-Identifier: MIT
// The support library: what is easier to say in C++ than in LLVM IR. One source, compiled twice: by clang to AMDGPU bitcode, which the
// translator carries and links into kernels, and by the host's compiler for the unit tests.
//
// The functions are freestanding, take and give plain integers and doubles (whose subnormals every kernel's mode keeps), and never touch
// f32 arithmetic, whose mode belongs to the kernel. `rounding` is a constant at every call: inlined, its branches fold away.
#pragma once

#include <stdint.h>

#ifdef __AMDGCN__
#define PTXSHIM_DEVICE extern "C" __attribute__((visibility("hidden"), always_inline))
#else
#define PTXSHIM_DEVICE extern "C"
#endif

enum : uint32_t { kNearestEven = 0, kTowardZero = 1, kTowardMinusInf = 2, kTowardPlusInf = 3, kNearestAway = 4 };

// fns.b32
PTXSHIM_DEVICE uint32_t ptx_fns(uint32_t mask, uint32_t base, int32_t offset);

// Directed f64 quotients and roots; nearest ones too.
PTXSHIM_DEVICE double ptx_div_f64(double a, double b, uint32_t rounding);
PTXSHIM_DEVICE double ptx_sqrt_f64(double a, uint32_t rounding);

// Conversions that round once.
PTXSHIM_DEVICE float ptx_u64_to_f32(uint64_t a, uint32_t rounding);
PTXSHIM_DEVICE float ptx_s64_to_f32(int64_t a, uint32_t rounding);
PTXSHIM_DEVICE double ptx_u64_to_f64(uint64_t a, uint32_t rounding);
PTXSHIM_DEVICE double ptx_s64_to_f64(int64_t a, uint32_t rounding);
PTXSHIM_DEVICE uint16_t ptx_u64_to_bf16(uint64_t a, uint32_t rounding);
PTXSHIM_DEVICE uint16_t ptx_s64_to_bf16(int64_t a, uint32_t rounding);
PTXSHIM_DEVICE uint16_t ptx_f64_to_f16(double a, uint32_t rounding);
PTXSHIM_DEVICE uint16_t ptx_f64_to_bf16(double a, uint32_t rounding);
PTXSHIM_DEVICE uint16_t ptx_f32_to_bf16(uint32_t a, uint32_t rounding); // a by its bits
PTXSHIM_DEVICE uint32_t ptx_f32_to_tf32(uint32_t a, uint32_t rounding);
PTXSHIM_DEVICE double ptx_bf16_to_f64(uint32_t a); // the low 16 bits

// a * b + c, rounded once.
PTXSHIM_DEVICE uint16_t ptx_fma_bf16(uint16_t a, uint16_t b, uint16_t c);

// Formats of 8, 6 and 4 bits: the code in the low bits. Too large numbers give the largest one (.satfinite), as NaN does where the
// format has none.
PTXSHIM_DEVICE uint32_t ptx_f32_to_e4m3(uint32_t a);
PTXSHIM_DEVICE uint32_t ptx_f32_to_e5m2(uint32_t a);
PTXSHIM_DEVICE uint32_t ptx_f32_to_e2m3(uint32_t a);
PTXSHIM_DEVICE uint32_t ptx_f32_to_e3m2(uint32_t a);
PTXSHIM_DEVICE uint32_t ptx_f32_to_e2m1(uint32_t a);
PTXSHIM_DEVICE uint32_t ptx_e4m3_to_f16(uint32_t a); // exact; bits above the format do not count
PTXSHIM_DEVICE uint32_t ptx_e5m2_to_f16(uint32_t a);
PTXSHIM_DEVICE uint32_t ptx_e2m3_to_f16(uint32_t a);
PTXSHIM_DEVICE uint32_t ptx_e3m2_to_f16(uint32_t a);
PTXSHIM_DEVICE uint32_t ptx_e2m1_to_f16(uint32_t a);
