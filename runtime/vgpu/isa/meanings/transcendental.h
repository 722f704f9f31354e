// SPDX-License-Identifier: MIT
//
// The approximate functions. AMD allows 1 ulp for f32, 0.51 ulp for f16 and 2^29 ulp for the f64 seeds; the bits
// beyond that are not published. Here they are better than that, the same on every host:
//   rcp, sqrt (f32), rcp, rsq, sqrt (f64)  what the host's division and square root give: 0.5 ulp (rsq f64: 1.5 ulp)
//   rsq, exp, log, sin, cos (f32)          computed in double, rounded once more: below 0.501 ulp
//   f16                                    the f32 function rounded to half: below 0.51 ulp
// Special values are exact: infinities, zeros, NaNs (made quiet), negative arguments of log, sqrt and rsq (default
// NaN). f32 forms of rcp, rsq, sqrt, exp and log flush denormal operands and results in every mode; sin, cos and the
// other formats go by the mode. Arguments of sin and cos are revolutions.
#pragma once

#include "meanings/arithmetic.h"

namespace ptxshim::vgpu::meaning {

// 2^x in double, relative error below 2^-45. The clamp keeps the exponent arithmetic in range.
inline double exp2_wide(double x) {
  const double inside = x > 1000 ? 1000 : x < -1000 ? -1000 : x;
  const double shifted = inside + 0x1.8p52; // the nearest integer in the low bits
  const double r = inside - (shifted - 0x1.8p52);
  double p = 0x1.e4cf5158b8ecap-28; // ln(2)^k / k! from here down
  p = p * r + 0x1.b5253d395e7c4p-24;
  p = p * r + 0x1.62c0223a5c824p-20;
  p = p * r + 0x1.ffcbfc588b0c7p-17;
  p = p * r + 0x1.430912f86c787p-13;
  p = p * r + 0x1.5d87fe78a6731p-10;
  p = p * r + 0x1.3b2ab6fba4e77p-7;
  p = p * r + 0x1.c6b08d704a0c0p-5;
  p = p * r + 0x1.ebfbdff82c58fp-3;
  p = p * r + 0x1.62e42fefa39efp-1;
  p = p * r + 1.0;
  const uint64_t n = to_bits(shifted) - to_bits(0x1.8p52);
  return from_bits<double>(to_bits(p) + (n << 52));
}

// log2 x of a positive finite number that is normal in double, relative error below 2^-42.
inline double log2_wide(double x) {
  // x = 2^k m with m in [sqrt(1/2), sqrt(2)); log2 m = 2 atanh(s) / ln 2, s = (m - 1) / (m + 1).
  const uint64_t bits = to_bits(x) + (0x3ff0000000000000U - 0x3fe6a09e667f3bcdU);
  const double k = from_bits<double>(0x4330000000000000U + (bits >> 52)) - (0x1p52 + 1023);
  const double m = from_bits<double>((bits & 0xfffffffffffffU) + 0x3fe6a09e667f3bcdU);
  const double s = (m - 1) / (m + 1);
  const double z = s * s;
  double p = 1.0 / 17;
  p = p * z + 1.0 / 15;
  p = p * z + 1.0 / 13;
  p = p * z + 1.0 / 11;
  p = p * z + 1.0 / 9;
  p = p * z + 1.0 / 7;
  p = p * z + 1.0 / 5;
  p = p * z + 1.0 / 3;
  p = p * z + 1.0;
  return k + s * p * 0x1.71547652b82fep+1;
}

// sin(2 pi r) for r in [-1/4, 1/4].
inline double sin_quarter(double r) {
  const double t = r * 0x1.921fb54442d18p+2;
  const double z = t * t;
  double p = 1.0 / 355687428096000;
  p = p * z - 1.0 / 1307674368000;
  p = p * z + 1.0 / 6227020800;
  p = p * z - 1.0 / 39916800;
  p = p * z + 1.0 / 362880;
  p = p * z - 1.0 / 5040;
  p = p * z + 1.0 / 120;
  p = p * z - 1.0 / 6;
  return t + t * z * p;
}
inline double sin_revolutions(double x) {
  double r = x - nearest_of(x);
  r = r > 0.25 ? 0.5 - r : r < -0.25 ? -0.5 - r : r;
  return sin_quarter(r);
}
inline double cos_revolutions(double x) {
  const double r = x - nearest_of(x);
  return sin_quarter(0.25 - (r < 0 ? -r : r));
}

inline float v_rcp_f32(float a, const FloatMode&) { return flush(1.0f / flush(a)); }
// The same value; only its exception flags differ.
inline float v_rcp_iflag_f32(float a, const FloatMode& m) { return v_rcp_f32(a, m); }
inline float v_sqrt_f32(float a, const FloatMode&) { return sqrt_of(flush(a)); }
inline float v_rsq_f32(float a, const FloatMode&) {
  a = flush(a);
  const float r = static_cast<float>(1.0 / sqrt_of(static_cast<double>(a)));
  return select(is_nan(a), quiet(a), r);
}
inline float v_exp_f32(float a, const FloatMode&) {
  const float r = flush(static_cast<float>(exp2_wide(a)));
  return select(is_nan(a), quiet(a), r);
}
inline float v_log_f32(float a, const FloatMode&) {
  a = flush(a);
  float r = static_cast<float>(log2_wide(a));
  r = select(is_infinite(a), a, r);
  r = select(is_negative(a), default_nan<float>(), r);
  r = select(is_zero(a), infinity<float>(true), r);
  return select(is_nan(a), quiet(a), r);
}
// gfx9's older exp and log.
inline float v_exp_legacy_f32(float a, const FloatMode& m) { return v_exp_f32(a, m); }
inline float v_log_legacy_f32(float a, const FloatMode& m) { return v_log_f32(a, m); }

inline float v_sin_f32(float a, const FloatMode& m) {
  a = flush_in(a, m);
  const float finite = select(is_finite(a), a, 0.0f);
  float r = flush_out(static_cast<float>(sin_revolutions(finite)), m);
  r = select(is_zero(a), a, r);
  r = select(is_infinite(a), default_nan<float>(), r);
  return select(is_nan(a), quiet(a), r);
}
inline float v_cos_f32(float a, const FloatMode& m) {
  a = flush_in(a, m);
  const float finite = select(is_finite(a), a, 0.0f);
  float r = flush_out(static_cast<float>(cos_revolutions(finite)), m);
  r = select(is_infinite(a), default_nan<float>(), r);
  return select(is_nan(a), quiet(a), r);
}

inline double v_rcp_f64(double a, const FloatMode& m) { return flush_out(1.0 / flush_in(a, m), m); }
inline double v_sqrt_f64(double a, const FloatMode& m) { return flush_out(sqrt_of(flush_in(a, m)), m); }
inline double v_rsq_f64(double a, const FloatMode& m) {
  a = flush_in(a, m);
  return is_nan(a) ? quiet(a) : 1.0 / sqrt_of(a);
}

inline F16 v_rcp_f16(F16 a, const FloatMode& m) {
  return flush_out(narrow_nearest(1.0f / widen(flush_in(a, m))), m);
}
inline F16 v_sqrt_f16(F16 a, const FloatMode& m) {
  return flush_out(narrow_nearest(sqrt_of(widen(flush_in(a, m)))), m);
}
inline F16 v_rsq_f16(F16 a, const FloatMode& m) {
  return flush_out(narrow_nearest(v_rsq_f32(widen(flush_in(a, m)), m)), m);
}
inline F16 v_exp_f16(F16 a, const FloatMode& m) {
  return flush_out(narrow_nearest(v_exp_f32(widen(flush_in(a, m)), m)), m);
}
inline F16 v_log_f16(F16 a, const FloatMode& m) {
  return flush_out(narrow_nearest(v_log_f32(widen(flush_in(a, m)), m)), m);
}
inline F16 v_sin_f16(F16 a, const FloatMode& m) {
  return flush_out(narrow_nearest(v_sin_f32(widen(flush_in(a, m)), kKeepDenormals)), m);
}
inline F16 v_cos_f16(F16 a, const FloatMode& m) {
  return flush_out(narrow_nearest(v_cos_f32(widen(flush_in(a, m)), kKeepDenormals)), m);
}

} // namespace ptxshim::vgpu::meaning
