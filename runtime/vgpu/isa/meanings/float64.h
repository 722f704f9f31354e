// SPDX-License-Identifier: MIT
//
// Double precision arithmetic.
#pragma once

#include "meanings/arithmetic.h"
#include "meanings/order.h"

namespace ptxshim::vgpu::meaning {

inline double v_add_f64(double a, double b, const FloatMode& m) { return add(a, b, m); }
inline double v_mul_f64(double a, double b, const FloatMode& m) { return mul(a, b, m); }
inline double v_fma_f64(double a, double b, double c, const FloatMode& m) { return fma(a, b, c, m); }
// The third operand of fmac is the destination; of fmamk and fmaak one operand is a literal.
inline double v_fmac_f64(double a, double b, double c, const FloatMode& m) { return fma(a, b, c, m); }

inline double v_min_f64(double a, double b, const FloatMode& m) { return min(a, b, m); }
inline double v_max_f64(double a, double b, const FloatMode& m) { return max(a, b, m); }
inline double v_min_num_f64(double a, double b, const FloatMode& m) { return min_num(a, b, m); }
inline double v_max_num_f64(double a, double b, const FloatMode& m) { return max_num(a, b, m); }
inline double v_minimum_f64(double a, double b, const FloatMode& m) { return minimum(a, b, m); }
inline double v_maximum_f64(double a, double b, const FloatMode& m) { return maximum(a, b, m); }

inline double v_trunc_f64(double a, const FloatMode& m) { return trunc_of(flush_in(a, m)); }
inline double v_ceil_f64(double a, const FloatMode& m) { return ceil_of(flush_in(a, m)); }
inline double v_floor_f64(double a, const FloatMode& m) { return floor_of(flush_in(a, m)); }
inline double v_rndne_f64(double a, const FloatMode& m) { return nearest_of(flush_in(a, m)); }
inline double v_fract_f64(double a, const FloatMode& m) {
  a = flush_in(a, m);
  const double r = sub(a, floor_of(a), m);
  return r >= 1.0 ? 0x1.fffffffffffffp-1 : r;
}

} // namespace ptxshim::vgpu::meaning
