// SPDX-License-Identifier: MIT
//
// Steps of division, argument reduction, and taking numbers apart.
//
// A division is v_div_scale twice (denominator, numerator), a reciprocal refined by fused operations, v_div_fmas and
// v_div_fixup. v_div_scale moves operands by 2^64 (f32) or 2^128 (f64) where the refinement would over- or underflow
// and flags the lanes whose quotient must be moved back, which v_div_fmas does, rounding once. The manuals' text for
// v_div_scale speaks of denormal quotients and would scale a huge denominator upward; gfx11 and gfx12 hardware
// decides by the difference of the exponent fields alone and scales such a denominator downward, which is also what
// makes quotients right. Of the modes, v_div_fmas keeps denormal operands and v_div_fixup a denormal quotient in all of
// them; what over- or underflows is rounded (captures of gfx1100 and gfx1201: ROCm/rocm-systems, rocjitsu/division.h).
#pragma once

#include "meanings/arithmetic.h"

namespace ptxshim::vgpu::meaning {

// x * 2^n with one rounding.
inline float scale(float x, int n, Round round) {
  const int64_t inside = n < -400 ? -400 : n > 400 ? 400 : n;
  const double factor = from_bits<double>(static_cast<uint64_t>(inside + 1023) << 52);
  return narrow(static_cast<double>(x) * factor, round); // the product is exact
}
template <class T> inline T scale_bits(T x, int n, Round round) {
  if (is_nan(x)) return quiet(x);
  if (is_infinite(x)) return x;
  const Unpacked u = unpack(x);
  const int inside = n < -5000 ? -5000 : n > 5000 ? 5000 : n;
  return round_value<T>(u.negative, u.exponent + inside, u.significand, false, round);
}
// In steps of a power of two that the host has. The one below the normal range leaves 53 places, so that no product
// but the last one rounds unless the result is zero anyway.
inline double scale(double x, int n, Round round) {
  if (round != Round::NearestEven) return scale_bits(x, n, round);
  int left = n < -3000 ? -3000 : n > 3000 ? 3000 : n;
  for (int step = 0; step < 2; ++step) {
    const bool down = left < -1022, up = left > 1023;
    x *= down ? 0x1p-969 : up ? 0x1p1023 : 1.0;
    left += down ? 969 : up ? -1023 : 0;
  }
  left = left < -1022 ? -1022 : left > 1023 ? 1023 : left;
  return x * from_bits<double>(static_cast<uint64_t>(int64_t{left} + 1023) << 52);
}
inline F16 scale(F16 x, int n, Round round) { return scale_bits(x, n, round); }

inline float v_ldexp_f32(float a, int32_t b, const FloatMode& m) {
  return flush_out(scale(flush_in(a, m), b, m.f32_round), m);
}
inline double v_ldexp_f64(double a, int32_t b, const FloatMode& m) {
  return flush_out(scale(flush_in(a, m), b, m.f64_f16_round), m);
}
inline F16 v_ldexp_f16(F16 a, int16_t b, const FloatMode& m) {
  return flush_out(scale(flush_in(a, m), b, m.f64_f16_round), m);
}

// Mantissa in [0.5, 1) with the operand's sign, and the exponent that goes with it. Zero, infinity and NaN are their
// own mantissa, with exponent 0.
template <class T> inline T normalised(T x) { // a denormal made normal
  return is_denormal(x) ? x * (sizeof(T) == 4 ? T(0x1p24) : T(0x1p54)) : x;
}
template <class T> inline T frexp_mantissa(T x) {
  constexpr BitsOf<T> kHalf = BitsOf<T>{Format<T>::kBias - 1} << Format<T>::kFraction;
  const T mantissa = from_bits<T>((to_bits(normalised(x)) & (kSign<T> | kFractionMask<T>)) | kHalf);
  const T r = is_zero(x) || is_infinite(x) ? x : mantissa;
  return is_nan(x) ? quiet(x) : r;
}
template <class T> inline int frexp_exponent(T x) {
  const int exponent = exponent_field(normalised(x)) - (Format<T>::kBias - 1);
  const int down = is_denormal(x) ? (sizeof(T) == 4 ? 24 : 54) : 0;
  return is_zero(x) || !is_finite(x) ? 0 : exponent - down;
}
inline float v_frexp_mant_f32(float a, const FloatMode& m) { return frexp_mantissa(flush_in(a, m)); }
inline double v_frexp_mant_f64(double a, const FloatMode& m) { return frexp_mantissa(flush_in(a, m)); }
inline F16 v_frexp_mant_f16(F16 a, const FloatMode& m) {
  return narrow_nearest(frexp_mantissa(widen(flush_in(a, m))));
}
inline int32_t v_frexp_exp_i32_f32(float a, const FloatMode& m) { return frexp_exponent(flush_in(a, m)); }
inline int32_t v_frexp_exp_i32_f64(double a, const FloatMode& m) { return frexp_exponent(flush_in(a, m)); }
inline int16_t v_frexp_exp_i16_f16(F16 a, const FloatMode& m) {
  return static_cast<int16_t>(frexp_exponent(widen(flush_in(a, m))));
}

// Operands: the value to be scaled (one of the other two), denominator, numerator.
template <class T> inline WithCarry<T> div_scale(T value, T denominator, T numerator, const FloatMode& m) {
  constexpr int kBy = sizeof(T) == 4 ? 64 : 128;       // powers of two moved by
  constexpr int kFar = sizeof(T) == 4 ? 96 : 768;      // exponents this far apart need it
  constexpr int kTiny = sizeof(T) == 4 ? 24 : 53;      // a numerator whose residual would be denormal (manuals: 23)
  constexpr int kHuge = 2 * Format<T>::kBias - 1;      // from here a denominator's reciprocal is denormal
  value = flush_in(value, m);
  denominator = flush_in(denominator, m);
  numerator = flush_in(numerator, m);
  const int den = exponent_field(denominator), num = exponent_field(numerator);
  const int apart = num - den;
  const bool over = apart >= kFar, under = apart <= -kFar, flag = either(over, under);
  const bool is_denominator = to_bits(value) == to_bits(denominator);
  // The rules, the last one that applies first.
  int by = num <= kTiny ? kBy : 0;
  by = under ? (is_denominator ? 0 : kBy) : by;
  by = den >= kHuge ? (static_cast<int>(either(is_denominator, !flag)) * -kBy) : by;
  by = den == 0 ? kBy : by;
  by = over ? (is_denominator ? kBy : 0) : by;
  const T scaled = scale(value, by, Round::NearestEven);
  const bool no_quotient = is_zero(denominator) || is_zero(numerator);
  return {no_quotient ? default_nan<T>() : scaled, flag ? 1U : 0U};
}
inline WithCarry<float> v_div_scale_f32(float a, float b, float c, const FloatMode& m) { return div_scale(a, b, c, m); }
inline WithCarry<double> v_div_scale_f64(double a, double b, double c, const FloatMode& m) {
  return div_scale(a, b, c, m);
}

// a * b + c, moved back where v_div_scale flagged the lane: the quotient c so far tells the direction.
inline float v_div_fmas_f32(float a, float b, float c, bool scaled, const FloatMode& m) {
  const double factor = !scaled ? 1.0 : exponent_field(c) > Format<float>::kBias ? 0x1p64 : 0x1p-64;
  const double wide = a;
  const double product = wide * static_cast<double>(b); // exact, as is the odd sum times the factor
  const double sum = add_odd(product, static_cast<double>(c));
  const double r = is_nan(product) ? first_nan(wide, product) : sum;
  if (m.nearest32()) return flush_out(static_cast<float>(r * factor), m);
  if (r == 0) return round_sum<float>(product, static_cast<double>(c), m.f32_round);
  return flush_out(convert_float<float>(r * factor, m.f32_round), m);
}
PTXSHIM_RARE inline double scaled_fma(double a, double b, double c, const FloatMode& m) {
  if (!all_finite(a, b) || !is_finite(c)) return nearest_fma(a, b, c);
  const int by = exponent_field(c) > Format<double>::kBias ? 128 : -128;
  return flush_out(exact_fma(a, b, c, m.f64_f16_round, by), m);
}
inline double v_div_fmas_f64(double a, double b, double c, bool scaled, const FloatMode& m) {
  FloatMode keeping = m;
  keeping.f64_f16_denorm_in = true;
  return scaled ? scaled_fma(a, b, c, m) : fma(a, b, c, keeping);
}

// A number beyond the greatest one, or below the least, rounded.
template <class T> PTXSHIM_RARE inline T out_of_range(bool negative, bool large, Round round) {
  return round_value<T>(negative, large ? 5000 : -5000, 1, false, round);
}

// The quotient's special cases; otherwise the quotient so far with the right sign.
template <class T> inline T div_fixup(T quotient, T denominator, T numerator, const FloatMode& m) {
  denominator = flush_in(denominator, m);
  numerator = flush_in(numerator, m);
  const bool negative = is_negative(denominator) != is_negative(numerator);
  // The quotient is below half of the least denormal whatever the fractions are (f16 has no such rule).
  constexpr int kLost = sizeof(T) == 4 ? 150 : 1075;
  const bool lost = sizeof(T) != 2 && exponent_field(numerator) - exponent_field(denominator) < -kLost;
  const bool num_zero = is_zero(numerator), den_zero = is_zero(denominator);
  const bool num_infinite = is_infinite(numerator), den_infinite = is_infinite(denominator);
  const Round round = rounding<T>(m);
  const bool nearest = round == Round::NearestEven;
  const T overflow = nearest ? infinity<T>(negative) : out_of_range<T>(negative, true, round);
  const T underflow = nearest ? zero<T>(negative) : flush_out(out_of_range<T>(negative, false, round), m);
  // The rules, the last one that applies first.
  T r = is_finite(quotient) ? with_sign(quotient, negative) : overflow;
  r = lost ? underflow : r;
  r = den_infinite || num_zero ? zero<T>(negative) : r;
  r = den_zero || num_infinite ? infinity<T>(negative) : r;
  r = (den_zero && num_zero) || (den_infinite && num_infinite) ? default_nan<T>() : r;
  r = is_nan(denominator) ? quiet(denominator) : r;
  return is_nan(numerator) ? quiet(numerator) : r;
}
inline float v_div_fixup_f32(float a, float b, float c, const FloatMode& m) { return div_fixup(a, b, c, m); }
inline double v_div_fixup_f64(double a, double b, double c, const FloatMode& m) { return div_fixup(a, b, c, m); }
inline F16 v_div_fixup_f16(F16 a, F16 b, F16 c, const FloatMode& m) { return div_fixup(a, b, c, m); }
inline F16 v_div_fixup_legacy_f16(F16 a, F16 b, F16 c, const FloatMode& m) { return div_fixup(a, b, c, m); }

// The 1201 bits of 2/pi behind the point that the hardware has, leading word first.
inline constexpr uint64_t kTwoOverPi[19] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b0000,
};
// 53 bits of 2/pi for the given segment of a large argument: those from bit segment * 53 on, further on for an exponent
// above 1077; scaled by 2^128 for arguments from 2^945 on, which are themselves scaled down then.
inline double v_trig_preop_f64(double a, uint32_t segment) {
  const int exponent = exponent_field(a);
  const int start = static_cast<int>(segment & 31U) * 53 + (exponent > 1077 ? exponent - 1077 : 0);
  const auto word = [](int n) { return n < 19 ? kTwoOverPi[n] : uint64_t{0}; };
  const int in_word = start % 64;
  const uint64_t high = word(start / 64) << in_word;
  const uint64_t low = in_word == 0 ? 0 : word(start / 64 + 1) >> (64 - in_word);
  const uint64_t window = (high | low) >> 11;
  const int scaled = exponent >= 1968 ? 128 : 0;
  return round_value<double>(false, scaled - 53 - start, window, false, Round::NearestEven);
}

} // namespace ptxshim::vgpu::meaning
