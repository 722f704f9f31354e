// SPDX-License-Identifier: MIT
//
// A few functions of the standard library as compiler builtins. The meanings are compiled once per host ISA, each time
// in a namespace of its own; a template of namespace std that is not inlined would be one symbol for all of them, and
// the linker could give an old host the instructions of a new one.
#pragma once

#include <cstdint>

// What only rare modes need stays out of the lane loops, so that the compiler inlines all of the rest into them.
#define PTXSHIM_RARE [[gnu::noinline, gnu::cold]]

namespace ptxshim::vgpu::meaning {

// Without evaluation in order, which would be control flow in a lane loop.
constexpr bool either(bool a, bool b) { return (static_cast<int>(a) | static_cast<int>(b)) != 0; }

constexpr int count_leading_zeros(uint32_t x) { return x == 0 ? 32 : __builtin_clz(x); }
constexpr int count_leading_zeros(uint64_t x) { return x == 0 ? 64 : __builtin_clzl(x); }
constexpr int count_trailing_zeros(uint32_t x) { return x == 0 ? 32 : __builtin_ctz(x); }
constexpr int count_trailing_zeros(uint64_t x) { return x == 0 ? 64 : __builtin_ctzl(x); }
constexpr int count_ones(uint32_t x) { return __builtin_popcount(x); }
constexpr int count_ones(uint64_t x) { return __builtin_popcountl(x); }

inline float floor_of(float x) { return __builtin_floorf(x); }
inline float ceil_of(float x) { return __builtin_ceilf(x); }
inline float trunc_of(float x) { return __builtin_truncf(x); }
inline float nearest_of(float x) { return __builtin_nearbyintf(x); }
inline float sqrt_of(float x) { return __builtin_sqrtf(x); }
inline double floor_of(double x) { return __builtin_floor(x); }
inline double ceil_of(double x) { return __builtin_ceil(x); }
inline double trunc_of(double x) { return __builtin_trunc(x); }
inline double nearest_of(double x) { return __builtin_nearbyint(x); }
inline double sqrt_of(double x) { return __builtin_sqrt(x); }

} // namespace ptxshim::vgpu::meaning
