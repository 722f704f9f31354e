// SPDX-License-Identifier: MIT
//
// Floats of 8 bits: FP8 has four exponent and three fraction bits, BF8 five and two.
//
//            gfx12 (OCP)                              gfx942 (FNUZ, functions named ..._fnuz)
//   FP8      bias 7, NaN 7f and ff, up to 448         bias 8, NaN 80, no -0, up to 240
//   BF8      bias 15, infinity 7c, NaN above, 57344   bias 16, NaN 80, no -0, up to 57344
//
// To eight bits the result is rounded to nearest even; what is too large becomes infinity where there is one, else NaN.
// Stochastic rounding adds random bits below the last place and cuts off. (The manual's formula lets a carry out of the
// fraction vanish and rounds the sum once more; AMD's own library code does what is done here.) gfx12 has random bits only
// for the places below those of a normal number: what a denormal result loses beyond is cut off first. A NaN becomes ff in
// its FP8, fe in its BF8 (captures of gfx1201: ROCm/rocm-systems, rocjitsu/conversion.h).
#pragma once

#include "meanings/arithmetic.h"

namespace ptxshim::vgpu::meaning {

struct Float8 {
  int fraction, bias;
  bool fnuz;
  uint32_t largest;  // magnitude
  uint32_t overflow; // what lies beyond: infinity or NaN
  uint32_t nan;
};
inline constexpr Float8 kFp8{3, 7, false, 0x7e, 0x7f, 0xff}, kFp8Fnuz{3, 8, true, 0x7f, 0x80, 0x80};
inline constexpr Float8 kBf8{2, 15, false, 0x7b, 0x7c, 0xfe}, kBf8Fnuz{2, 16, true, 0x7f, 0x80, 0x80};

inline float widen8(uint32_t byte, const Float8& f) {
  const uint32_t bits = byte & 0x7fU, sign = byte & 0x80U;
  const bool special = f.fnuz ? (byte & 0xffU) == 0x80U : bits > f.largest;
  if (special) return !f.fnuz && bits == 0x7cU && f.overflow == 0x7cU ? infinity<float>(sign != 0) : default_nan<float>();
  const uint32_t field = bits >> f.fraction, fraction = bits & ((1U << f.fraction) - 1);
  const int exponent = (field == 0 ? 1 : static_cast<int>(field)) - f.bias - f.fraction;
  const uint32_t significand = field == 0 ? fraction : fraction | 1U << f.fraction;
  const float scale = from_bits<float>(static_cast<uint32_t>(exponent + 127) << 23);
  return with_sign(static_cast<float>(significand) * scale, sign != 0);
}

// `random`: bits to be added below the last place, left aligned in 32 bits, with truncation; or to nearest even.
inline uint32_t narrow8(float x, const Float8& f, bool stochastic = false, uint32_t random = 0) {
  const uint32_t sign = is_negative(x) ? 0x80U : 0;
  if (is_nan(x)) return f.nan;
  if (is_infinite(x)) return f.fnuz ? 0x80U : sign | f.overflow;
  const Unpacked u = unpack(x);
  if (u.significand == 0) return f.fnuz ? 0 : sign;
  const int e = u.exponent + 63 - count_leading_zeros(u.significand), least = 1 - f.bias;
  const int drop = (e < least ? least : e) - f.fraction - u.exponent; // at least 20
  const uint64_t below = drop > 40 ? 0 : (uint64_t{1} << drop) - 1;
  uint64_t kept = drop > 40 ? 0 : u.significand >> drop;
  const int places = 23 - f.fraction; // below the last one of a normal number
  if (stochastic && !f.fnuz) {
    kept = drop > 40 ? 0 : ((u.significand >> (drop - places)) + (random >> (32 - places))) >> places;
  } else if (stochastic) {
    const uint64_t added = drop > 40 ? 0 : drop > 32 ? uint64_t{random} << (drop - 32) : random >> (32 - drop);
    kept = drop > 40 ? 0 : (u.significand + added) >> drop;
  } else if (drop <= 40) {
    const uint64_t rest = u.significand & below, half = uint64_t{1} << (drop - 1);
    kept += rest > half || (rest == half && (kept & 1U) != 0) ? 1 : 0;
  }
  const uint64_t bits = kept + (e < least ? 0 : static_cast<uint64_t>(e - least) << f.fraction);
  if (bits > f.largest) return f.fnuz ? 0x80U : sign | f.overflow;
  return f.fnuz && bits == 0 ? 0 : sign | static_cast<uint32_t>(bits);
}

inline F32x2 widen8_pair(uint32_t a, const Float8& f) { return {widen8(a, f), widen8(a >> 8, f)}; }
inline uint16_t narrow8_pair(float a, float b, const Float8& f, const FloatMode& m) {
  return static_cast<uint16_t>(narrow8(flush_in(a, m), f) | narrow8(flush_in(b, m), f) << 8);
}

inline float v_cvt_f32_fp8(uint32_t a) { return widen8(a, kFp8); }
inline float v_cvt_f32_bf8(uint32_t a) { return widen8(a, kBf8); }
inline float v_cvt_f32_fp8_fnuz(uint32_t a) { return widen8(a, kFp8Fnuz); }
inline float v_cvt_f32_bf8_fnuz(uint32_t a) { return widen8(a, kBf8Fnuz); }
inline F32x2 v_cvt_pk_f32_fp8(uint32_t a) { return widen8_pair(a, kFp8); }
inline F32x2 v_cvt_pk_f32_bf8(uint32_t a) { return widen8_pair(a, kBf8); }
inline F32x2 v_cvt_pk_f32_fp8_fnuz(uint32_t a) { return widen8_pair(a, kFp8Fnuz); }
inline F32x2 v_cvt_pk_f32_bf8_fnuz(uint32_t a) { return widen8_pair(a, kBf8Fnuz); }
inline uint16_t v_cvt_pk_fp8_f32(float a, float b, const FloatMode& m) { return narrow8_pair(a, b, kFp8, m); }
inline uint16_t v_cvt_pk_bf8_f32(float a, float b, const FloatMode& m) { return narrow8_pair(a, b, kBf8, m); }
inline uint16_t v_cvt_pk_fp8_f32_fnuz(float a, float b, const FloatMode& m) { return narrow8_pair(a, b, kFp8Fnuz, m); }
inline uint16_t v_cvt_pk_bf8_f32_fnuz(float a, float b, const FloatMode& m) { return narrow8_pair(a, b, kBf8Fnuz, m); }
inline uint32_t v_cvt_sr_fp8_f32(float a, uint32_t random, const FloatMode& m) {
  return narrow8(flush_in(a, m), kFp8, true, random);
}
inline uint32_t v_cvt_sr_bf8_f32(float a, uint32_t random, const FloatMode& m) {
  return narrow8(flush_in(a, m), kBf8, true, random);
}
inline uint32_t v_cvt_sr_fp8_f32_fnuz(float a, uint32_t random, const FloatMode& m) {
  return narrow8(flush_in(a, m), kFp8Fnuz, true, random);
}
inline uint32_t v_cvt_sr_bf8_f32_fnuz(float a, uint32_t random, const FloatMode& m) {
  return narrow8(flush_in(a, m), kBf8Fnuz, true, random);
}

// Four products, added to the accumulator one after the other from the lowest byte up.
inline float dot4_float8(uint32_t a, const Float8& fa, uint32_t b, const Float8& fb, float c, const FloatMode& m) {
  for (unsigned shift = 0; shift < 32; shift += 8) c = fma(widen8(a >> shift, fa), widen8(b >> shift, fb), c, m);
  return c;
}
inline float v_dot4_f32_fp8_fp8(uint32_t a, uint32_t b, float c, const FloatMode& m) {
  return dot4_float8(a, kFp8, b, kFp8, c, m);
}
inline float v_dot4_f32_fp8_bf8(uint32_t a, uint32_t b, float c, const FloatMode& m) {
  return dot4_float8(a, kFp8, b, kBf8, c, m);
}
inline float v_dot4_f32_bf8_fp8(uint32_t a, uint32_t b, float c, const FloatMode& m) {
  return dot4_float8(a, kBf8, b, kFp8, c, m);
}
inline float v_dot4_f32_bf8_bf8(uint32_t a, uint32_t b, float c, const FloatMode& m) {
  return dot4_float8(a, kBf8, b, kBf8, c, m);
}

} // namespace ptxshim::vgpu::meaning
