// SPDX-License-Identifier: MIT
//
// Addition, multiplication and their fusion in the mode of a wave, for f16, f32 and f64. The opcodes' functions are
// these with their names; what an opcode flushes, negates or scales beyond that is written there.
//
// A NaN result is made the manuals' way with as few vector operations as possible: the host gives the default NaN or
// the only NaN operand made quiet, and only if the first operand is a NaN the host may pick another one. (Operands that
// are constants at compile time are another matter: compilers fold inf - inf to a NaN of the other sign.)
#pragma once

#include "meanings/float_bits.h"

namespace ptxshim::vgpu::meaning {

template <class T> constexpr T first_nan(T a, T result) { return is_nan(a) ? quiet(a) : result; }
// An operand that is passed on: no denormal if the mode flushes, and a quiet NaN.
template <class T> inline T canonical(T x, const FloatMode& m) {
  x = flush_in(x, m);
  return is_nan(x) && m.ieee ? quiet(x) : x;
}

// To nearest even on the host.
template <class T> inline T nearest_add(T a, T b) { return first_nan(a, a + b); }
template <class T> inline T nearest_sub(T a, T b) { return first_nan(a, a - b); }
template <class T> inline T nearest_mul(T a, T b) { return first_nan(a, a * b); }
inline F16 nearest_add(F16 a, F16 b) { return narrow_nearest(nearest_add(widen(a), widen(b))); }
inline F16 nearest_sub(F16 a, F16 b) { return narrow_nearest(nearest_sub(widen(a), widen(b))); }
inline F16 nearest_mul(F16 a, F16 b) { return narrow_nearest(nearest_mul(widen(a), widen(b))); }

inline float fused(float a, float b, float c) {
#if defined(__FMA__)
  return __builtin_fmaf(a, b, c);
#else
  return static_cast<float>(add_odd(static_cast<double>(a) * b, static_cast<double>(c)));
#endif
}
inline double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }

// Infinity times zero is a NaN before the addend is looked at; so is a NaN factor.
template <class T> inline T nearest_fma(T a, T b, T c) {
  const T product = a * b;
  return select(is_nan(product), first_nan(a, product), fused(a, b, c));
}
inline float half_fma_odd(float a, float b, float c) {
  const float product = a * b; // exact: 22 bits
  return select(is_nan(product), first_nan(a, product), add_odd(product, c));
}
inline F16 nearest_fma(F16 a, F16 b, F16 c) { return narrow_nearest(half_fma_odd(widen(a), widen(b), widen(c))); }

// Directed rounding. An exact zero sum of unlike signs is -0 only toward minus infinity.
template <class T, class Wide> inline T round_sum(Wide a, Wide b, Round round) {
  const Wide sum = add_odd(a, b);
  if (sum == 0) return zero<T>(is_negative(a) == is_negative(b) ? is_negative(a) : round == Round::MinusInfinity);
  return convert_float<T>(sum, round);
}
PTXSHIM_RARE inline float directed_fma(float a, float b, float c, Round round) {
  return round_sum<float>(static_cast<double>(a) * b, static_cast<double>(c), round);
}
PTXSHIM_RARE inline double directed_fma(double a, double b, double c, Round round) { return exact_fma(a, b, c, round); }
PTXSHIM_RARE inline F16 directed_fma(F16 a, F16 b, F16 c, Round round) {
  return round_sum<F16>(widen(a) * widen(b), widen(c), round);
}
template <class T> inline T one() {
  return from_bits<T>(static_cast<BitsOf<T>>(BitsOf<T>{Format<T>::kBias} << Format<T>::kFraction));
}
template <class T> inline bool all_finite(T a, T b) { return is_finite(a) && is_finite(b); }

template <class T> inline T add(T a, T b, const FloatMode& m) {
  const Round round = rounding<T>(m);
  a = flush_in(a, m);
  b = flush_in(b, m);
  const bool host = round == Round::NearestEven || !all_finite(a, b);
  return flush_out(host ? nearest_add(a, b) : directed_fma(a, one<T>(), b, round), m);
}
template <class T> inline T sub(T a, T b, const FloatMode& m) {
  const Round round = rounding<T>(m);
  a = flush_in(a, m);
  b = flush_in(b, m);
  const bool host = round == Round::NearestEven || !all_finite(a, b);
  return flush_out(host ? nearest_sub(a, b) : directed_fma(a, one<T>(), negate(b), round), m);
}
template <class T> inline T mul(T a, T b, const FloatMode& m) {
  const Round round = rounding<T>(m);
  a = flush_in(a, m);
  b = flush_in(b, m);
  if (round == Round::NearestEven || !all_finite(a, b)) return flush_out(nearest_mul(a, b), m);
  return flush_out(directed_fma(a, b, zero<T>(is_negative(a) != is_negative(b)), round), m);
}
template <class T> inline T fma(T a, T b, T c, const FloatMode& m) {
  const Round round = rounding<T>(m);
  a = flush_in(a, m);
  b = flush_in(b, m);
  c = flush_in(c, m);
  const bool host = round == Round::NearestEven || !all_finite(a, b) || !is_finite(c);
  return flush_out(host ? nearest_fma(a, b, c) : directed_fma(a, b, c, round), m);
}

// Output modifiers. OMOD (1: times 2, 2: times 4, 3: divided by 2) does nothing where results keep denormals or the
// mode is IEEE, up to gfx11 (RDNA3 ISA, 7.2.3.1); gfx12 (`always`) applies it in any mode (RDNA4 ISA, 7.2.3.1). It makes
// +0 of zeros and denormals, and what it halves out of the normal range the zero of its sign (captures of gfx1010 to
// gfx1201: ROCm/rocm-systems, rocjitsu/output_modifier.h).
template <class T> inline T apply_omod(T x, unsigned omod, const FloatMode& m, bool always = false) {
  const bool keeps = sizeof(T) == 4 ? m.f32_denorm_out : m.f64_f16_denorm_out;
  if (omod == 0 || (!always && (keeps || m.ieee)) || !is_finite(x)) return x;
  if (exponent_field(x) == 0) return zero<T>(false);
  if (omod == 3 && exponent_field(x) == 1) return zero<T>(is_negative(x));
  const Unpacked u = unpack(x);
  const int by = omod == 1 ? 1 : omod == 2 ? 2 : -1;
  return round_value<T>(u.negative, u.exponent + by, u.significand, false, rounding<T>(m));
}
// CLAMP of a float: into [0, 1]; -0 becomes +0, and a NaN too if the mode has DX10_CLAMP.
template <class T> inline T apply_clamp(T x, const FloatMode& m) {
  if (is_nan(x)) return m.dx10_clamp ? zero<T>(false) : x;
  if (is_negative(x)) return zero<T>(false);
  return magnitude(x) > magnitude(one<T>()) ? one<T>() : x;
}

} // namespace ptxshim::vgpu::meaning
