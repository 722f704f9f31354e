// SPDX-License-Identifier: MIT
//
// The approximate functions. AMD allows 1 ulp for f32, 0.51 ulp for f16 and 2^29 ulp for the f64 seeds; the bits
// beyond that are not published. Here they are better than that, the same on every host:
//   rcp, sqrt (f32), rcp, rsq, sqrt (f64)  what the host's division and square root give: 0.5 ulp (rsq f64: 1.5 ulp)
//   rsq, exp, log, sin, cos (f32)          computed in double, rounded once more: below 0.501 ulp. Measured over all
//                                          arguments: rsq 0.50000, log 0.50007, cos 0.50036, exp 0.50045, sin 0.50063
//   f16                                    the f32 function rounded to half: below 0.51 ulp
// Special values are exact: infinities, zeros, NaNs (made quiet), negative arguments of log, sqrt and rsq (default
// NaN). f32 forms of rcp, rsq, sqrt, exp and log flush denormal operands and results in every mode; sin, cos and the
// other formats go by the mode. Arguments of sin and cos are revolutions.
//
// Each polynomial has the least possible relative error for its degree. It is written as a product of quadratic
// factors, none of which has a zero where it is used: the factors do not wait for each other, there are no more
// operations than in Horner's scheme, and the rounding errors stay those of a few products. NaNs go through the
// arithmetic wherever they can (see arithmetic.h). What is special is chosen at the end, from values that cost nothing.
#pragma once

#include "meanings/arithmetic.h"

namespace ptxshim::vgpu::meaning {

// 2^r for r in [-1/2, 1/2], relative error below 2^-35: the square of a polynomial for 2^(r/2).
inline double exp2_fraction(double r) {
  const double p = ((r + 0x1.b4d6860eab57bp+3) * r + 0x1.a368c7bb44068p+5) *
                   ((r + 0x1.0aac58c8de828p+3) * r + 0x1.0a7480afcfa32p+6) *
                   ((r - 0x1.289b4d759386ap+2) * r + 0x1.dc5681b03b3b8p+6);
  return p * (p * 0x1.96dc3b11951d3p-38);
}
// log2 m for m in [sqrt(1/2), sqrt(2)], relative error below 2^-37: 2 atanh(s) / ln 2, s = (m - 1) / (m + 1).
inline double log2_mantissa(double m) {
  const double s = (m - 1) / (m + 1);
  const double z = s * s;
  return ((z + 0x1.5cdfe009e48aep+1) * z + 0x1.8a297f10c40bap+1) *
         ((z - 0x1.847225555a86ep+0) * z + 0x1.5fffd128363eep+1) * (s * 0x1.5ce7cd91a4d03p-2);
}
// sin(2 pi r) for r in [-1/4, 1/4], relative error below 2^-35.
inline double sin_quarter(double r) {
  const double z = r * r;
  return ((z - 0x1.fff0ab82eca54p-3) * ((z - 0x1.af155df559b00p+0) * z + 0x1.941b2aa2ec43dp-1)) *
         (((z - 0x1.f9642cec0c808p-1) * z + 0x1.1b72d5ab4949dp+1) * (r * -0x1.cc345a5c30024p+3));
}
// sin(2 pi r) for r in [-1/2, 1/2], relative error below 2^-34. The factor that is zero at 1/2 is exact there.
inline double sin_half(double r) {
  const double z = r * r;
  return (((z - 0x1.6f0da38bbca62p+1) * z + 0x1.b405f21f3aa99p+1) *
          ((z - 0x1.2ef1037c551cdp-1) * z + 0x1.035e28438eb7bp+3)) *
         (((0.25 - z) * (z - 0x1.01fd9b2bae966p+0)) * ((z - 0x1.7c983515bbdc7p+0) * (r * 0x1.3711ccb5b5656p-1)));
}

inline float v_rcp_f32(float a, const FloatMode&) { return flush(1.0f / flush(a)); }
// The same value; only its exception flags differ.
inline float v_rcp_iflag_f32(float a, const FloatMode& m) { return v_rcp_f32(a, m); }
inline float v_sqrt_f32(float a, const FloatMode&) { return sqrt_of(flush(a)); }
// One step of Newton's in double takes the float quotient, which is special where it must be, to full accuracy.
inline float v_rsq_f32(float a, const FloatMode&) {
  const float near = 1.0f / sqrt_of(a);
  const double w = near;
  const float better = static_cast<float>(w * (3.0 - static_cast<double>(a) * (w * w))) * 0.5f;
  const float r = absolute(a) < 0x1p-126f ? with_sign(infinity<float>(false), is_negative(a)) : better;
  return a < infinity<float>(false) ? r : near;
}
inline float v_exp_f32(float a, const FloatMode&) {
  const float shifted = a + 0x1.8p23f; // the nearest integer in the low bits
  const float p = static_cast<float>(exp2_fraction(a - (shifted - 0x1.8p23f)));
  const float scaled = from_bits<float>(to_bits(p) + (to_bits(shifted) << 23));
  const float r = a >= -126.0f ? scaled : 0.0f;
  return a < 128.0f ? r : a + infinity<float>(false);
}
inline float v_log_f32(float a, const FloatMode&) {
  const uint32_t above = to_bits(a) - 0x3f3504f3U; // sqrt(1/2)
  const double k = static_cast<int32_t>(above) >> 23;
  const double m = from_bits<float>(to_bits(a) - (above & 0xff800000U));
  float r = static_cast<float>(k + log2_mantissa(m));
  r = a < 0x1p-126f ? (a > -0x1p-126f ? infinity<float>(true) : default_nan<float>()) : r;
  return a < infinity<float>(false) ? r : a + a;
}
// gfx9's older exp and log.
inline float v_exp_legacy_f32(float a, const FloatMode& m) { return v_exp_f32(a, m); }
inline float v_log_legacy_f32(float a, const FloatMode& m) { return v_log_f32(a, m); }

// An infinity minus itself is the default NaN. The only zero with a sign is that of a zero.
inline float v_sin_f32(float a, const FloatMode& m) {
  a = flush_in(a, m);
  const float r = flush_out(static_cast<float>(sin_half(a - nearest_of(a))) + 0.0f, m);
  return a == 0 ? a : r;
}
inline float v_cos_f32(float a, const FloatMode&) {
  const float turn = a - nearest_of(a);
  const float r = static_cast<float>(sin_quarter(0.25 - static_cast<double>(absolute(turn))));
  return is_nan(turn) ? turn : r; // with the sign that absolute() takes
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
