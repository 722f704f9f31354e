// SPDX-License-Identifier: MIT
//
// Half precision arithmetic. Sums and products are computed in float, where they are exact or have two and more bits
// to spare for one rounding to half.
#pragma once

#include "meanings/arithmetic.h"
#include "meanings/order.h"

namespace ptxshim::vgpu::meaning {

inline F16 v_add_f16(F16 a, F16 b, const FloatMode& m) { return add(a, b, m); }
inline F16 v_sub_f16(F16 a, F16 b, const FloatMode& m) { return sub(a, b, m); }
inline F16 v_subrev_f16(F16 a, F16 b, const FloatMode& m) { return sub(b, a, m); }
inline F16 v_mul_f16(F16 a, F16 b, const FloatMode& m) { return mul(a, b, m); }
inline F16 v_fma_f16(F16 a, F16 b, F16 c, const FloatMode& m) { return fma(a, b, c, m); }
// The third operand of fmac is the destination; of fmamk and fmaak one operand is a literal.
inline F16 v_fmac_f16(F16 a, F16 b, F16 c, const FloatMode& m) { return fma(a, b, c, m); }
inline F16 v_fmamk_f16(F16 a, F16 b, F16 c, const FloatMode& m) { return fma(a, b, c, m); }
inline F16 v_fmaak_f16(F16 a, F16 b, F16 c, const FloatMode& m) { return fma(a, b, c, m); }

inline F16 v_min_f16(F16 a, F16 b, const FloatMode& m) { return min(a, b, m); }
inline F16 v_max_f16(F16 a, F16 b, const FloatMode& m) { return max(a, b, m); }
inline F16 v_min_num_f16(F16 a, F16 b, const FloatMode& m) { return min_num(a, b, m); }
inline F16 v_max_num_f16(F16 a, F16 b, const FloatMode& m) { return max_num(a, b, m); }
inline F16 v_minimum_f16(F16 a, F16 b, const FloatMode& m) { return minimum(a, b, m); }
inline F16 v_maximum_f16(F16 a, F16 b, const FloatMode& m) { return maximum(a, b, m); }
inline F16 v_min3_f16(F16 a, F16 b, F16 c, const FloatMode& m) { return min(min(a, b, m), c, m); }
inline F16 v_min3_num_f16(F16 a, F16 b, F16 c, const FloatMode& m) { return min_num(min_num(a, b, m), c, m); }
inline F16 v_max3_f16(F16 a, F16 b, F16 c, const FloatMode& m) { return max(max(a, b, m), c, m); }
inline F16 v_max3_num_f16(F16 a, F16 b, F16 c, const FloatMode& m) { return max_num(max_num(a, b, m), c, m); }
inline F16 v_minimum3_f16(F16 a, F16 b, F16 c, const FloatMode& m) { return minimum(minimum(a, b, m), c, m); }
inline F16 v_maximum3_f16(F16 a, F16 b, F16 c, const FloatMode& m) { return maximum(maximum(a, b, m), c, m); }
inline F16 v_med3_f16(F16 a, F16 b, F16 c, const FloatMode& m) { return med3(a, b, c, m); }
inline F16 v_med3_num_f16(F16 a, F16 b, F16 c, const FloatMode& m) { return med3_num(a, b, c, m); }
inline F16 v_minmax_f16(F16 a, F16 b, F16 c, const FloatMode& m) { return max(min(a, b, m), c, m); }
inline F16 v_maxmin_f16(F16 a, F16 b, F16 c, const FloatMode& m) { return min(max(a, b, m), c, m); }
inline F16 v_minmax_num_f16(F16 a, F16 b, F16 c, const FloatMode& m) {
  return max_num(min_num(a, b, m), c, m);
}
inline F16 v_maxmin_num_f16(F16 a, F16 b, F16 c, const FloatMode& m) {
  return min_num(max_num(a, b, m), c, m);
}
inline F16 v_minimummaximum_f16(F16 a, F16 b, F16 c, const FloatMode& m) {
  return maximum(minimum(a, b, m), c, m);
}
inline F16 v_maximumminimum_f16(F16 a, F16 b, F16 c, const FloatMode& m) {
  return minimum(maximum(a, b, m), c, m);
}

// v_mad_f16 rounds its product.
inline F16 v_mad_f16(F16 a, F16 b, F16 c, const FloatMode& m) { return add(mul(a, b, m), c, m); }
inline F16 v_mac_f16(F16 a, F16 b, F16 c, const FloatMode& m) { return v_mad_f16(a, b, c, m); }
inline F16 v_madmk_f16(F16 a, F16 b, F16 c, const FloatMode& m) { return v_mad_f16(a, b, c, m); }
inline F16 v_madak_f16(F16 a, F16 b, F16 c, const FloatMode& m) { return v_mad_f16(a, b, c, m); }
inline F16 v_mad_legacy_f16(F16 a, F16 b, F16 c, const FloatMode& m) { return v_mad_f16(a, b, c, m); }
inline F16 v_fma_legacy_f16(F16 a, F16 b, F16 c, const FloatMode& m) { return fma(a, b, c, m); }

// AMD's manuals show two moves; LLVM (is_canonicalized_2) and captures of gfx1201 know it to act on denormals and NaNs.
inline uint32_t v_pack_b32_f16(F16 a, F16 b, const FloatMode& m) {
  return canonical(a, m).bits | uint32_t{canonical(b, m).bits} << 16;
}

inline F16 v_trunc_f16(F16 a, const FloatMode& m) { return narrow_nearest(trunc_of(widen(flush_in(a, m)))); }
inline F16 v_ceil_f16(F16 a, const FloatMode& m) { return narrow_nearest(ceil_of(widen(flush_in(a, m)))); }
inline F16 v_floor_f16(F16 a, const FloatMode& m) { return narrow_nearest(floor_of(widen(flush_in(a, m)))); }
inline F16 v_rndne_f16(F16 a, const FloatMode& m) { return narrow_nearest(nearest_of(widen(flush_in(a, m)))); }
inline F16 v_fract_f16(F16 a, const FloatMode& m) {
  a = flush_in(a, m);
  const F16 r = sub(a, v_floor_f16(a, m), m);
  return magnitude(r) == 0x3c00 ? F16{0x3bff} : r;
}

} // namespace ptxshim::vgpu::meaning
