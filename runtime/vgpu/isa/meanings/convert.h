// SPDX-License-Identifier: MIT
//
// Conversions among floats and integers. To integers: toward zero unless the name says otherwise; a NaN is 0, what is
// too large is the nearest end of the range. To f16, also from f32, the f64/f16 fields of the mode apply; to f32 the
// f32 fields. Conversions from f16 and to f64 are exact.
#pragma once

#include "meanings/arithmetic.h"
#include "meanings/integer.h"

namespace ptxshim::vgpu::meaning {

// Float to integer. The value is brought into range before the host converts it, which is defined then. The greatest
// integer may not be a value of the float format; the bounds are powers of two, which are.
template <class F> inline int32_t to_i32(F x) {
  const F inside = x >= F(-0x1p31) && x < F(0x1p31) ? x : F(0);
  const int32_t end = x >= F(0x1p31) ? INT32_MAX : x < F(-0x1p31) ? INT32_MIN : 0;
  return inside == F(0) ? end : static_cast<int32_t>(inside);
}
template <class F> inline uint32_t to_u32(F x) {
  const F inside = x > F(-1) && x < F(0x1p32) ? x : F(0);
  const bool high = inside >= F(0x1p31);
  const uint32_t value = static_cast<uint32_t>(static_cast<int32_t>(high ? inside - F(0x1p31) : inside));
  return x >= F(0x1p32) ? ~0U : value + (high ? 0x80000000U : 0U);
}
// Into a range that the format holds exactly, which saves the vectoriser a choice among integers.
template <class F> inline int32_t to_range(F x, F low, F high) {
  const F inside = x < low ? low : x > high ? high : x;
  return static_cast<int32_t>(is_nan(x) ? F(0) : inside);
}
inline int16_t to_i16(float x) { return static_cast<int16_t>(to_range(x, -32768.0f, 32767.0f)); }
inline uint16_t to_u16(float x) { return static_cast<uint16_t>(to_range(x, 0.0f, 65535.0f)); }
inline int32_t v_cvt_i32_f32(float a, const FloatMode&) { return to_i32(a); }
inline uint32_t v_cvt_u32_f32(float a, const FloatMode&) { return to_u32(a); }
inline int32_t v_cvt_i32_f64(double a, const FloatMode&) { return to_i32(a); }
inline uint32_t v_cvt_u32_f64(double a, const FloatMode&) { return to_u32(a); }
inline int16_t v_cvt_i16_f16(F16 a, const FloatMode&) { return to_i16(widen(a)); }
inline uint16_t v_cvt_u16_f16(F16 a, const FloatMode&) { return to_u16(widen(a)); }
// To the nearest, halves upward; and downward. (Double has room for the half.)
inline int32_t v_cvt_rpi_i32_f32(float a, const FloatMode&) { return to_i32(floor_of(static_cast<double>(a) + 0.5)); }
inline int32_t v_cvt_flr_i32_f32(float a, const FloatMode&) { return to_i32(floor_of(a)); }
// By their newer names, a NaN becomes the end of the range on its sign's side (captures of gfx1201: ROCm/rocm-systems,
// rocjitsu/conversion.h; the manuals make it 0).
inline int32_t end_of_range(bool negative) { return negative ? INT32_MIN : INT32_MAX; }
inline int32_t v_cvt_nearest_i32_f32(float a, const FloatMode& m) {
  return is_nan(a) ? end_of_range(is_negative(a)) : v_cvt_rpi_i32_f32(a, m);
}
inline int32_t v_cvt_floor_i32_f32(float a, const FloatMode& m) {
  return is_nan(a) ? end_of_range(is_negative(a)) : v_cvt_flr_i32_f32(a, m);
}

// Integer to float.
template <class F> PTXSHIM_RARE inline F from_integer(bool negative, uint64_t size, Round round) {
  return round_value<F>(negative, 0, size, false, round);
}
inline float v_cvt_f32_i32(int32_t a, const FloatMode& m) {
  if (m.nearest32()) return static_cast<float>(a);
  return from_integer<float>(a < 0, a < 0 ? 0U - as_unsigned(a) : as_unsigned(a), m.f32_round);
}
inline float v_cvt_f32_u32(uint32_t a, const FloatMode& m) {
  if (m.nearest32()) return static_cast<float>(a);
  return from_integer<float>(false, a, m.f32_round);
}
inline double v_cvt_f64_i32(int32_t a) { return a; }
inline double v_cvt_f64_u32(uint32_t a) { return a; }
inline F16 v_cvt_f16_u16(uint16_t a, const FloatMode& m) { return narrow(static_cast<float>(a), m.f64_f16_round); }
inline F16 v_cvt_f16_i16(int16_t a, const FloatMode& m) { return narrow(static_cast<float>(a), m.f64_f16_round); }
inline float v_cvt_f32_ubyte0(uint32_t a) { return static_cast<float>(a & 0xffU); }
inline float v_cvt_f32_ubyte1(uint32_t a) { return static_cast<float>((a >> 8) & 0xffU); }
inline float v_cvt_f32_ubyte2(uint32_t a) { return static_cast<float>((a >> 16) & 0xffU); }
inline float v_cvt_f32_ubyte3(uint32_t a) { return static_cast<float>(a >> 24); }
// A signed nibble in sixteenths.
inline float v_cvt_off_f32_i4(uint32_t a) { return static_cast<float>(static_cast<int32_t>(a << 28) >> 28) * 0.0625f; }

// Float to float.
inline float v_cvt_f32_f64(double a, const FloatMode& m) {
  a = flush_in(a, m);
  return flush_out(m.nearest32() ? static_cast<float>(a) : convert_float<float>(a, m.f32_round), m);
}
inline double v_cvt_f64_f32(float a, const FloatMode& m) { return flush_in(a, m); }
inline F16 v_cvt_f16_f32(float a, const FloatMode& m) {
  return flush_out(narrow(flush_in(a, m), m.f64_f16_round), m);
}
inline float v_cvt_f32_f16(F16 a, const FloatMode& m) {
  const float r = widen(flush_in(a, m));
  return is_nan(r) ? quiet(r) : r;
}
inline float v_cvt_f32_bf16(BF16 a) { return widen(a); }
inline BF16 v_cvt_bf16_f32(float a, const FloatMode& m) { return narrow_bf16(flush_in(a, m), m.f32_round); }

// Pairs.
inline F16x2 v_cvt_pkrtz_f16_f32(float a, float b, const FloatMode& m) {
  return {flush_out(narrow_toward_zero(flush_in(a, m)), m), flush_out(narrow_toward_zero(flush_in(b, m)), m)};
}
inline F16x2 v_cvt_pk_rtz_f16_f32(float a, float b, const FloatMode& m) { return v_cvt_pkrtz_f16_f32(a, b, m); }
inline F16x2 v_cvt_pk_f16_f32(float a, float b, const FloatMode& m) {
  return {v_cvt_f16_f32(a, m), v_cvt_f16_f32(b, m)};
}
inline U16x2 v_cvt_pk_bf16_f32(float a, float b, const FloatMode& m) {
  return {v_cvt_bf16_f32(a, m).bits, v_cvt_bf16_f32(b, m).bits};
}
constexpr U16x2 v_cvt_pk_u16_u32(uint32_t a, uint32_t b) {
  return {static_cast<uint16_t>(least(a, 0xffffU)), static_cast<uint16_t>(least(b, 0xffffU))};
}
constexpr I16x2 v_cvt_pk_i16_i32(int32_t a, int32_t b) { return {saturate<int16_t>(a), saturate<int16_t>(b)}; }
inline I16x2 v_cvt_pk_i16_f32(float a, float b, const FloatMode&) {
  return {to_i16(a), to_i16(b)};
}
inline U16x2 v_cvt_pk_u16_f32(float a, float b, const FloatMode&) {
  return {to_u16(a), to_u16(b)};
}
// Bytes of two signed words, saturated.
constexpr uint16_t v_sat_pk_u8_i16(uint32_t a) {
  const I16x2 w = unpack_i16(a);
  return static_cast<uint16_t>(saturate<uint8_t>(int32_t{w.lo}) | saturate<uint8_t>(int32_t{w.hi}) << 8);
}
constexpr int32_t v_cvt_i32_i16(int16_t a) { return a; }
constexpr uint32_t v_cvt_u32_u16(uint16_t a) { return a; }

// A float to an integer in the mode's rounding, for the opcodes that pack bytes.
inline double round_to_integer(double x, Round round) {
  switch (round) {
  case Round::NearestEven: return nearest_of(x);
  case Round::PlusInfinity: return ceil_of(x);
  case Round::MinusInfinity: return floor_of(x);
  case Round::TowardZero: return trunc_of(x);
  }
  return x;
}
// Byte (b modulo 4) of c becomes a.
inline uint32_t v_cvt_pk_u8_f32(float a, uint32_t b, uint32_t c, const FloatMode& m) {
  const uint32_t byte = least(to_u32(round_to_integer(a, m.f32_round)), 0xffU);
  const uint32_t shift = 8 * (b & 3);
  return (c & ~(0xffU << shift)) | byte << shift;
}
inline uint32_t v_cvt_pkaccum_u8_f32(float a, uint32_t b, uint32_t c, const FloatMode& m) {
  return v_cvt_pk_u8_f32(a, b, c, m);
}

// Normalised integers: [-1, 1] to [-32767, 32767], [0, 1] to [0, 65535], to the nearest.
inline int16_t to_snorm(double x) {
  return static_cast<int16_t>(to_range(nearest_of(x * 32767.0), -32767.0, 32767.0));
}
inline uint16_t to_unorm(double x) {
  return static_cast<uint16_t>(to_range(nearest_of(x * 65535.0), 0.0, 65535.0));
}
inline int16_t v_cvt_norm_i16_f16(F16 a, const FloatMode&) { return to_snorm(widen(a)); }
inline uint16_t v_cvt_norm_u16_f16(F16 a, const FloatMode&) { return to_unorm(widen(a)); }
inline I16x2 v_cvt_pknorm_i16_f32(float a, float b, const FloatMode&) { return {to_snorm(a), to_snorm(b)}; }
inline U16x2 v_cvt_pknorm_u16_f32(float a, float b, const FloatMode&) { return {to_unorm(a), to_unorm(b)}; }
inline I16x2 v_cvt_pk_norm_i16_f32(float a, float b, const FloatMode& m) { return v_cvt_pknorm_i16_f32(a, b, m); }
inline U16x2 v_cvt_pk_norm_u16_f32(float a, float b, const FloatMode& m) { return v_cvt_pknorm_u16_f32(a, b, m); }
inline I16x2 v_cvt_pknorm_i16_f16(F16 a, F16 b, const FloatMode&) { return {to_snorm(widen(a)), to_snorm(widen(b))}; }
inline U16x2 v_cvt_pknorm_u16_f16(F16 a, F16 b, const FloatMode&) { return {to_unorm(widen(a)), to_unorm(widen(b))}; }
inline I16x2 v_cvt_pk_norm_i16_f16(F16 a, F16 b, const FloatMode& m) { return v_cvt_pknorm_i16_f16(a, b, m); }
inline U16x2 v_cvt_pk_norm_u16_f16(F16 a, F16 b, const FloatMode& m) { return v_cvt_pknorm_u16_f16(a, b, m); }

} // namespace ptxshim::vgpu::meaning
