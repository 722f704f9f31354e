// SPDX-License-Identifier: MIT
//
// Opcodes that serve cube maps and lighting: plain arithmetic on floats. The axis of the largest magnitude chooses the
// face; of equal ones z wins, then y.
#pragma once

#include "meanings/arithmetic.h"

namespace ptxshim::vgpu::meaning {

inline bool z_is_largest(float x, float y, float z) { return absolute(z) >= absolute(x) && absolute(z) >= absolute(y); }
inline bool y_is_largest(float x, float y) { return absolute(y) >= absolute(x); }

// The face: +x, -x, +y, -y, +z, -z are 0 to 5.
inline float v_cubeid_f32(float x, float y, float z, const FloatMode&) {
  if (z_is_largest(x, y, z)) return z < 0 ? 5.0f : 4.0f;
  if (y_is_largest(x, y)) return y < 0 ? 3.0f : 2.0f;
  return x < 0 ? 1.0f : 0.0f;
}
// The face's coordinates.
inline float v_cubesc_f32(float x, float y, float z, const FloatMode&) {
  if (z_is_largest(x, y, z)) return z < 0 ? negate(x) : x;
  if (y_is_largest(x, y)) return x;
  return x < 0 ? z : negate(z);
}
inline float v_cubetc_f32(float x, float y, float z, const FloatMode&) {
  if (z_is_largest(x, y, z)) return negate(y);
  if (y_is_largest(x, y)) return y < 0 ? negate(z) : z;
  return negate(y);
}
// Twice the major axis.
inline float v_cubema_f32(float x, float y, float z, const FloatMode& m) {
  return mul(2.0f, z_is_largest(x, y, z) ? z : y_is_largest(x, y) ? y : x, m);
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
