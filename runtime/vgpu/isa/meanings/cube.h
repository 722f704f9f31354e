// SPDX-License-Identifier: MIT
//
// Opcodes that serve cube maps and lighting: plain arithmetic on floats. The axis of the largest magnitude chooses the
// face; of equal ones z wins, then y. In any mode denormals count as zeros (RDNA4 ISA, 7.2.4), but a coordinate that is
// one is passed on (captures of gfx1201: ROCm/rocm-systems, rocjitsu/portable_cube.h).
#pragma once

#include "meanings/arithmetic.h"

namespace ptxshim::vgpu::meaning {

inline bool is_as_large(float a, float b) { return absolute(flush(a)) >= absolute(flush(b)); }
inline bool z_is_largest(float x, float y, float z) { return is_as_large(z, x) && is_as_large(z, y); }
inline bool is_below_zero(float a) { return flush(a) < 0; }
inline float coordinate(float a, const FloatMode& m) { return is_nan(a) && m.ieee ? quiet(a) : a; }

// The face: +x, -x, +y, -y, +z, -z are 0 to 5.
inline float v_cubeid_f32(float x, float y, float z, const FloatMode&) {
  if (z_is_largest(x, y, z)) return is_below_zero(z) ? 5.0f : 4.0f;
  if (is_as_large(y, x)) return is_below_zero(y) ? 3.0f : 2.0f;
  return is_below_zero(x) ? 1.0f : 0.0f;
}
// The face's coordinates.
inline float v_cubesc_f32(float x, float y, float z, const FloatMode& m) {
  if (z_is_largest(x, y, z)) return coordinate(is_below_zero(z) ? negate(x) : x, m);
  if (is_as_large(y, x)) return coordinate(x, m);
  return coordinate(is_below_zero(x) ? z : negate(z), m);
}
inline float v_cubetc_f32(float x, float y, float z, const FloatMode& m) {
  if (z_is_largest(x, y, z) || !is_as_large(y, x)) return coordinate(negate(y), m);
  return coordinate(is_below_zero(y) ? negate(z) : z, m);
}
// Twice the major axis, added to +0.
inline float v_cubema_f32(float x, float y, float z, const FloatMode& m) {
  return fma(2.0f, flush(z_is_largest(x, y, z) ? z : is_as_large(y, x) ? y : x), 0.0f, m);
}

// The specular term of lighting: a product that is -FLT_MAX unless both the base and the third operand are usable.
inline float v_mullit_f32(float a, float b, float c, const FloatMode& m) {
  a = flush_in(a, m);
  b = flush_in(b, m);
  c = flush_in(c, m);
  const float lowest = from_bits<float>(0xff7fffffU);
  if (b == lowest || b == infinity<float>(true) || is_nan(b) || c <= 0.0f || is_nan(c)) return lowest;
  return is_zero(a) || is_zero(b) ? 0.0f : mul(a, b, m);
}

} // namespace ptxshim::vgpu::meaning
