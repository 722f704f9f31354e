// SPDX-License-Identifier: MIT
//
// Single precision arithmetic: add, mul, fma and their variants, min and max, rounding to integers.
// fract of an infinity is the default NaN, as the difference says.
#pragma once

#include "meanings/arithmetic.h"
#include "meanings/order.h"

namespace ptxshim::vgpu::meaning {

inline float v_add_f32(float a, float b, const FloatMode& m) { return add(a, b, m); }
inline float v_sub_f32(float a, float b, const FloatMode& m) { return sub(a, b, m); }
inline float v_subrev_f32(float a, float b, const FloatMode& m) { return sub(b, a, m); }
inline float v_mul_f32(float a, float b, const FloatMode& m) { return mul(a, b, m); }
inline float v_fma_f32(float a, float b, float c, const FloatMode& m) { return fma(a, b, c, m); }
// The third operand of fmac is the destination; of fmamk and fmaak one operand is a literal.
inline float v_fmac_f32(float a, float b, float c, const FloatMode& m) { return fma(a, b, c, m); }
inline float v_fmamk_f32(float a, float b, float c, const FloatMode& m) { return fma(a, b, c, m); }
inline float v_fmaak_f32(float a, float b, float c, const FloatMode& m) { return fma(a, b, c, m); }

inline float v_min_f32(float a, float b, const FloatMode& m) { return min(a, b, m); }
inline float v_max_f32(float a, float b, const FloatMode& m) { return max(a, b, m); }
inline float v_min_num_f32(float a, float b, const FloatMode& m) { return min_num(a, b, m); }
inline float v_max_num_f32(float a, float b, const FloatMode& m) { return max_num(a, b, m); }
inline float v_minimum_f32(float a, float b, const FloatMode& m) { return minimum(a, b, m); }
inline float v_maximum_f32(float a, float b, const FloatMode& m) { return maximum(a, b, m); }
inline float v_min3_f32(float a, float b, float c, const FloatMode& m) { return min(min(a, b, m), c, m); }
inline float v_min3_num_f32(float a, float b, float c, const FloatMode& m) {
  return min_num(min_num(a, b, m), c, m);
}
inline float v_max3_f32(float a, float b, float c, const FloatMode& m) { return max(max(a, b, m), c, m); }
inline float v_max3_num_f32(float a, float b, float c, const FloatMode& m) {
  return max_num(max_num(a, b, m), c, m);
}
inline float v_minimum3_f32(float a, float b, float c, const FloatMode& m) {
  return minimum(minimum(a, b, m), c, m);
}
inline float v_maximum3_f32(float a, float b, float c, const FloatMode& m) {
  return maximum(maximum(a, b, m), c, m);
}
inline float v_med3_f32(float a, float b, float c, const FloatMode& m) { return med3(a, b, c, m); }
inline float v_med3_num_f32(float a, float b, float c, const FloatMode& m) { return med3_num(a, b, c, m); }
inline float v_minmax_f32(float a, float b, float c, const FloatMode& m) { return max(min(a, b, m), c, m); }
inline float v_maxmin_f32(float a, float b, float c, const FloatMode& m) { return min(max(a, b, m), c, m); }
inline float v_minmax_num_f32(float a, float b, float c, const FloatMode& m) {
  return max_num(min_num(a, b, m), c, m);
}
inline float v_maxmin_num_f32(float a, float b, float c, const FloatMode& m) {
  return min_num(max_num(a, b, m), c, m);
}
inline float v_minimummaximum_f32(float a, float b, float c, const FloatMode& m) {
  return maximum(minimum(a, b, m), c, m);
}
inline float v_maximumminimum_f32(float a, float b, float c, const FloatMode& m) {
  return minimum(maximum(a, b, m), c, m);
}

// The old rule of 3D shaders: anything times zero is +0.
inline float v_mul_legacy_f32(float a, float b, const FloatMode& m) {
  return is_zero(flush_in(a, m)) || is_zero(flush_in(b, m)) ? 0.0f : mul(a, b, m);
}
inline float v_mul_dx9_zero_f32(float a, float b, const FloatMode& m) { return v_mul_legacy_f32(a, b, m); }
inline float v_fma_legacy_f32(float a, float b, float c, const FloatMode& m) {
  if (is_zero(flush_in(a, m)) || is_zero(flush_in(b, m))) return add(0.0f, c, m);
  return fma(a, b, c, m);
}
inline float v_fmac_legacy_f32(float a, float b, float c, const FloatMode& m) {
  return v_fma_legacy_f32(a, b, c, m);
}
constexpr FloatMode flushing32(FloatMode m) {
  m.f32_denorm_in = m.f32_denorm_out = false;
  return m;
}
// By its newer name it flushes denormals in any mode (RDNA4 ISA, 7.2.4).
inline float v_fma_dx9_zero_f32(float a, float b, float c, const FloatMode& m) {
  return v_fma_legacy_f32(a, b, c, flushing32(m));
}
inline float v_fmac_dx9_zero_f32(float a, float b, float c, const FloatMode& m) {
  return v_fma_legacy_f32(a, b, c, flushing32(m));
}

// v_mad rounds the product too, and flushes denormals in any mode (up to gfx10.1).
inline float v_mad_f32(float a, float b, float c, const FloatMode& m) {
  return add(mul(a, b, flushing32(m)), c, flushing32(m));
}
inline float v_mac_f32(float a, float b, float c, const FloatMode& m) { return v_mad_f32(a, b, c, m); }
inline float v_madmk_f32(float a, float b, float c, const FloatMode& m) { return v_mad_f32(a, b, c, m); }
inline float v_madak_f32(float a, float b, float c, const FloatMode& m) { return v_mad_f32(a, b, c, m); }
inline float v_mad_legacy_f32(float a, float b, float c, const FloatMode& m) {
  return add(v_mul_legacy_f32(a, b, flushing32(m)), c, flushing32(m));
}
inline float v_mac_legacy_f32(float a, float b, float c, const FloatMode& m) {
  return v_mad_legacy_f32(a, b, c, m);
}

// To integers that are floats. None can be inexact in a way that the mode sees.
inline float v_trunc_f32(float a, const FloatMode& m) { return trunc_of(flush_in(a, m)); }
inline float v_ceil_f32(float a, const FloatMode& m) { return ceil_of(flush_in(a, m)); }
inline float v_floor_f32(float a, const FloatMode& m) { return floor_of(flush_in(a, m)); }
inline float v_rndne_f32(float a, const FloatMode& m) { return nearest_of(flush_in(a, m)); }
// In [0, 1): a difference that rounds to one becomes the greatest number below it.
inline float v_fract_f32(float a, const FloatMode& m) {
  a = flush_in(a, m);
  const float r = sub(a, floor_of(a), m);
  return r >= 1.0f ? 0x1.fffffep-1f : r;
}

} // namespace ptxshim::vgpu::meaning
