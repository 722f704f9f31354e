// SPDX-License-Identifier: MIT
//
// Minimum, maximum and median of floats, in AMD's three families:
//   v_min_f32          a number wins over a quiet NaN; in IEEE mode a signaling NaN wins, made quiet
//   v_min_num_f32      a number wins over any NaN (gfx12)
//   v_minimum_f32      any NaN wins, of two the first (gfx12)
// Where gfx12 machines differ from AMD's manual, the machine is right: the manual lets signaling NaNs win over quiet ones
// in v_minimum_f32, and takes zeros as equal in v_med3_num_f32 (captures of gfx1201, ROCm/rocm-systems, rocjitsu/minmax.h).
// All take -0 as less than +0. Denormal operands count as zero if the mode flushes operands; the flags for results
// do not matter, since a result is an operand.
#pragma once

#include "meanings/float_bits.h"

namespace ptxshim::vgpu::meaning {

// A value that the host compares.
inline float number(F16 x) { return widen(x); }
constexpr float number(float x) { return x; }
constexpr double number(double x) { return x; }

// Of two numbers. Equal ones differ at most in the sign of zero, and then in nothing but the sign bit.
template <class T> inline T lesser(T a, T b) {
  const T equal = from_bits<T>(static_cast<BitsOf<T>>(to_bits(a) | to_bits(b)));
  return number(a) < number(b) ? a : number(b) < number(a) ? b : equal;
}
template <class T> inline T greater(T a, T b) {
  const T equal = from_bits<T>(static_cast<BitsOf<T>>(to_bits(a) & to_bits(b)));
  return number(a) > number(b) ? a : number(b) > number(a) ? b : equal;
}

template <class T> inline T number_before_nan(T a, T b, T chosen, bool ieee) {
  T r = is_nan(a) ? b : chosen;
  r = is_nan(b) ? a : r;
  r = ieee && is_signaling(b) ? quiet(b) : r;
  return ieee && is_signaling(a) ? quiet(a) : r;
}
template <class T> inline T min(T a, T b, const FloatMode& m) {
  a = flush_in(a, m);
  b = flush_in(b, m);
  return number_before_nan(a, b, lesser(a, b), m.ieee);
}
template <class T> inline T max(T a, T b, const FloatMode& m) {
  a = flush_in(a, m);
  b = flush_in(b, m);
  return number_before_nan(a, b, greater(a, b), m.ieee);
}

template <class T> inline T number_before_any_nan(T a, T b, T chosen) {
  const T r = is_nan(b) ? a : chosen;
  return is_nan(a) ? (is_nan(b) ? quiet(a) : b) : r;
}
template <class T> inline T min_num(T a, T b, const FloatMode& m) {
  a = flush_in(a, m);
  b = flush_in(b, m);
  return number_before_any_nan(a, b, lesser(a, b));
}
template <class T> inline T max_num(T a, T b, const FloatMode& m) {
  a = flush_in(a, m);
  b = flush_in(b, m);
  return number_before_any_nan(a, b, greater(a, b));
}

template <class T> inline T nan_before_number(T a, T b, T chosen) {
  const T r = is_nan(b) ? quiet(b) : chosen;
  return is_nan(a) ? quiet(a) : r;
}
template <class T> inline T minimum(T a, T b, const FloatMode& m) {
  a = flush_in(a, m);
  b = flush_in(b, m);
  return nan_before_number(a, b, lesser(a, b));
}
template <class T> inline T maximum(T a, T b, const FloatMode& m) {
  a = flush_in(a, m);
  b = flush_in(b, m);
  return nan_before_number(a, b, greater(a, b));
}

template <class T> inline bool any_nan(T a, T b, T c) { return either(either(is_nan(a), is_nan(b)), is_nan(c)); }

// The manual's way to the median: leave out the operand that is the maximum, take the greater of the other two.
template <class T> inline T median(T a, T b, T c) {
  const T ab = greater(a, b), bc = greater(b, c), ac = greater(a, c);
  const auto top = number(greater(ab, c));
  const T others = top == number(b) ? ac : ab;
  return top == number(a) ? bc : others;
}
template <class T> inline T med3(T a, T b, T c, const FloatMode& m) {
  const T with_nan = min(min(a, b, m), c, m);
  const T middle_one = median(flush_in(a, m), flush_in(b, m), flush_in(c, m));
  return any_nan(a, b, c) ? with_nan : middle_one;
}
template <class T> inline T med3_num(T a, T b, T c, const FloatMode& m) {
  const T with_nan = min_num(min_num(a, b, m), c, m);
  a = flush_in(a, m);
  b = flush_in(b, m);
  return any_nan(a, b, c) ? with_nan : greater(lesser(a, b), lesser(greater(a, b), flush_in(c, m)));
}

} // namespace ptxshim::vgpu::meaning
