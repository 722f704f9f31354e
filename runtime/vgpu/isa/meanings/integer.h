// SPDX-License-Identifier: MIT
//
// Integer arithmetic of the vector unit. Everything wraps, in unsigned arithmetic; where an opcode may have CLAMP set,
// the saturating result has a function of its own with the suffix _sat.
// Opcodes named ..rev take their operands in reverse. Names changed with gfx9 and gfx10: v_add_u32 (no carry),
// v_add_nc_u32; v_add_co_u32 (carry out); v_addc_co_u32, v_add_co_ci_u32 (carry in and out).
#pragma once

#include <limits>

#include "meanings/float_mode.h"

namespace ptxshim::vgpu::meaning {

constexpr int32_t as_signed(uint32_t x) { return static_cast<int32_t>(x); }
constexpr uint32_t as_unsigned(int32_t x) { return static_cast<uint32_t>(x); }
constexpr uint16_t low16(uint32_t x) { return static_cast<uint16_t>(x); }
constexpr int16_t low16s(int32_t x) { return static_cast<int16_t>(static_cast<uint32_t>(x)); }
// The low 24 bits as a number.
constexpr uint32_t unsigned24(uint32_t x) { return x & 0xffffffU; }
constexpr int32_t signed24(uint32_t x) { return static_cast<int32_t>(x << 8) >> 8; }
// A wide result (int32_t or int64_t) brought into the range of T.
template <class T, class Wide> constexpr T saturate(Wide x) {
  constexpr Wide kMin = std::numeric_limits<T>::min(), kMax = std::numeric_limits<T>::max();
  return static_cast<T>(x < kMin ? kMin : x > kMax ? kMax : x);
}

// CLAMP of a result that the harness has in full width (64 bits hold every sum and product of 32-bit operands).
template <class T> constexpr T apply_clamp(int64_t wide) { return saturate<T>(wide); }

// 32-bit sums without carry.
constexpr uint32_t v_add_u32(uint32_t a, uint32_t b) { return a + b; }
constexpr uint32_t v_sub_u32(uint32_t a, uint32_t b) { return a - b; }
constexpr uint32_t v_subrev_u32(uint32_t a, uint32_t b) { return b - a; }
constexpr uint32_t v_add_nc_u32(uint32_t a, uint32_t b) { return a + b; }
constexpr uint32_t v_sub_nc_u32(uint32_t a, uint32_t b) { return a - b; }
constexpr uint32_t v_subrev_nc_u32(uint32_t a, uint32_t b) { return b - a; }
constexpr int32_t v_add_i32(int32_t a, int32_t b) { return as_signed(as_unsigned(a) + as_unsigned(b)); }
constexpr int32_t v_sub_i32(int32_t a, int32_t b) { return as_signed(as_unsigned(a) - as_unsigned(b)); }
constexpr int32_t v_add_nc_i32(int32_t a, int32_t b) { return v_add_i32(a, b); }
constexpr int32_t v_sub_nc_i32(int32_t a, int32_t b) { return v_sub_i32(a, b); }
constexpr uint32_t v_add_u32_sat(uint32_t a, uint32_t b) { return a + b < a ? ~0U : a + b; }
constexpr uint32_t v_sub_u32_sat(uint32_t a, uint32_t b) { return a < b ? 0 : a - b; }
constexpr uint32_t v_subrev_u32_sat(uint32_t a, uint32_t b) { return v_sub_u32_sat(b, a); }
constexpr uint32_t v_add_nc_u32_sat(uint32_t a, uint32_t b) { return v_add_u32_sat(a, b); }
constexpr uint32_t v_sub_nc_u32_sat(uint32_t a, uint32_t b) { return v_sub_u32_sat(a, b); }
constexpr uint32_t v_subrev_nc_u32_sat(uint32_t a, uint32_t b) { return v_sub_u32_sat(b, a); }
constexpr int32_t v_add_i32_sat(int32_t a, int32_t b) { return saturate<int32_t>(int64_t{a} + b); }
constexpr int32_t v_sub_i32_sat(int32_t a, int32_t b) { return saturate<int32_t>(int64_t{a} - b); }
constexpr int32_t v_add_nc_i32_sat(int32_t a, int32_t b) { return v_add_i32_sat(a, b); }
constexpr int32_t v_sub_nc_i32_sat(int32_t a, int32_t b) { return v_sub_i32_sat(a, b); }

// 32-bit sums with carry or borrow.
constexpr WithCarry<uint32_t> v_add_co_u32(uint32_t a, uint32_t b) { return {a + b, a + b < a ? 1U : 0U}; }
constexpr WithCarry<uint32_t> v_sub_co_u32(uint32_t a, uint32_t b) { return {a - b, a < b ? 1U : 0U}; }
constexpr WithCarry<uint32_t> v_subrev_co_u32(uint32_t a, uint32_t b) { return {b - a, b < a ? 1U : 0U}; }
constexpr WithCarry<uint32_t> v_addc_co_u32(uint32_t a, uint32_t b, bool carry) {
  const uint32_t in = carry ? 1U : 0U, partial = a + b, sum = partial + in;
  return {sum, (partial < a ? 1U : 0U) | (sum < partial ? 1U : 0U)};
}
constexpr WithCarry<uint32_t> v_subb_co_u32(uint32_t a, uint32_t b, bool borrow) {
  const uint32_t in = borrow ? 1U : 0U, partial = a - b;
  return {partial - in, (a < b ? 1U : 0U) | (partial < in ? 1U : 0U)};
}
constexpr WithCarry<uint32_t> v_subbrev_co_u32(uint32_t a, uint32_t b, bool borrow) {
  return v_subb_co_u32(b, a, borrow);
}
constexpr WithCarry<uint32_t> v_add_co_ci_u32(uint32_t a, uint32_t b, bool c) { return v_addc_co_u32(a, b, c); }
constexpr WithCarry<uint32_t> v_sub_co_ci_u32(uint32_t a, uint32_t b, bool c) { return v_subb_co_u32(a, b, c); }
constexpr WithCarry<uint32_t> v_subrev_co_ci_u32(uint32_t a, uint32_t b, bool c) {
  return v_subb_co_u32(b, a, c);
}
constexpr WithCarry<uint32_t> v_addc_u32(uint32_t a, uint32_t b, bool c) { return v_addc_co_u32(a, b, c); }
constexpr WithCarry<uint32_t> v_subb_u32(uint32_t a, uint32_t b, bool c) { return v_subb_co_u32(a, b, c); }
constexpr WithCarry<uint32_t> v_subbrev_u32(uint32_t a, uint32_t b, bool c) { return v_subb_co_u32(b, a, c); }

constexpr uint32_t v_add3_u32(uint32_t a, uint32_t b, uint32_t c) { return a + b + c; }
constexpr uint32_t v_lshl_add_u32(uint32_t a, uint32_t b, uint32_t c) { return (a << (b & 31)) + c; }
constexpr uint64_t v_lshl_add_u64(uint64_t a, uint32_t b, uint64_t c) { return (a << (b & 7)) + c; }
constexpr uint32_t v_add_lshl_u32(uint32_t a, uint32_t b, uint32_t c) { return (a + b) << (c & 31); }
constexpr uint32_t v_xad_u32(uint32_t a, uint32_t b, uint32_t c) { return (a ^ b) + c; }
constexpr uint64_t v_add_nc_u64(uint64_t a, uint64_t b) { return a + b; }
constexpr uint64_t v_sub_nc_u64(uint64_t a, uint64_t b) { return a - b; }
constexpr uint64_t v_mul_u64(uint64_t a, uint64_t b) { return a * b; }

// Products.
constexpr uint32_t v_mul_lo_u32(uint32_t a, uint32_t b) { return a * b; }
constexpr uint32_t v_mul_lo_i32(uint32_t a, uint32_t b) { return a * b; }
constexpr uint32_t v_mul_hi_u32(uint32_t a, uint32_t b) { return static_cast<uint32_t>((uint64_t{a} * b) >> 32); }
constexpr int32_t v_mul_hi_i32(int32_t a, int32_t b) { return static_cast<int32_t>((int64_t{a} * b) >> 32); }
constexpr uint32_t v_mul_u32_u24(uint32_t a, uint32_t b) { return unsigned24(a) * unsigned24(b); }
constexpr uint32_t v_mul_hi_u32_u24(uint32_t a, uint32_t b) { return v_mul_hi_u32(unsigned24(a), unsigned24(b)); }
constexpr int32_t v_mul_i32_i24(uint32_t a, uint32_t b) {
  return as_signed(as_unsigned(signed24(a)) * as_unsigned(signed24(b)));
}
constexpr int32_t v_mul_hi_i32_i24(uint32_t a, uint32_t b) { return v_mul_hi_i32(signed24(a), signed24(b)); }
constexpr uint32_t v_mad_u32_u24(uint32_t a, uint32_t b, uint32_t c) { return v_mul_u32_u24(a, b) + c; }
constexpr int32_t v_mad_i32_i24(uint32_t a, uint32_t b, uint32_t c) {
  return as_signed(as_unsigned(v_mul_i32_i24(a, b)) + c);
}
constexpr uint32_t v_mad_u32_u24_sat(uint32_t a, uint32_t b, uint32_t c) {
  const uint64_t r = uint64_t{unsigned24(a)} * unsigned24(b) + c;
  return r >> 32 != 0 ? ~0U : static_cast<uint32_t>(r);
}
constexpr int32_t v_mad_i32_i24_sat(uint32_t a, uint32_t b, uint32_t c) {
  return saturate<int32_t>(int64_t{signed24(a)} * signed24(b) + as_signed(c));
}
constexpr WithCarry<uint64_t> v_mad_u64_u32(uint32_t a, uint32_t b, uint64_t c) {
  const uint64_t sum = uint64_t{a} * b + c;
  return {sum, sum < c ? 1U : 0U};
}
// The carry of the signed one is that of the 65-bit signed sum: it says that the result's sign is not the sum's.
constexpr WithCarry<int64_t> v_mad_i64_i32(int32_t a, int32_t b, int64_t c) {
  const int64_t product = int64_t{a} * b;
  const int64_t sum = static_cast<int64_t>(static_cast<uint64_t>(product) + static_cast<uint64_t>(c));
  const bool overflow = ((product ^ sum) & (c ^ sum)) < 0;
  return {sum, overflow != (sum < 0) ? 1U : 0U};
}
constexpr WithCarry<uint64_t> v_mad_co_u64_u32(uint32_t a, uint32_t b, uint64_t c) { return v_mad_u64_u32(a, b, c); }
constexpr WithCarry<int64_t> v_mad_co_i64_i32(int32_t a, int32_t b, int64_t c) { return v_mad_i64_i32(a, b, c); }
// gfx1250, without carry.
constexpr uint64_t v_mad_nc_u64_u32(uint32_t a, uint32_t b, uint64_t c) { return uint64_t{a} * b + c; }
constexpr uint64_t v_mad_nc_i64_i32(int32_t a, int32_t b, uint64_t c) {
  return static_cast<uint64_t>(int64_t{a} * b) + c;
}
constexpr uint32_t v_mad_u32(uint32_t a, uint32_t b, uint32_t c) { return a * b + c; }
constexpr uint32_t v_mad_u32_u16(uint16_t a, uint16_t b, uint32_t c) { return uint32_t{a} * b + c; }
constexpr int32_t v_mad_i32_i16(int16_t a, int16_t b, int32_t c) {
  return as_signed(as_unsigned(int32_t{a} * b) + as_unsigned(c));
}
constexpr uint32_t v_mad_u32_u16_sat(uint16_t a, uint16_t b, uint32_t c) { return v_add_u32_sat(uint32_t{a} * b, c); }
constexpr int32_t v_mad_i32_i16_sat(int16_t a, int16_t b, int32_t c) { return v_add_i32_sat(int32_t{a} * b, c); }

// 16 bits.
constexpr uint16_t v_add_u16(uint16_t a, uint16_t b) { return low16(uint32_t{a} + b); }
constexpr uint16_t v_sub_u16(uint16_t a, uint16_t b) { return low16(uint32_t{a} - b); }
constexpr uint16_t v_subrev_u16(uint16_t a, uint16_t b) { return low16(uint32_t{b} - a); }
constexpr uint16_t v_add_nc_u16(uint16_t a, uint16_t b) { return v_add_u16(a, b); }
constexpr uint16_t v_sub_nc_u16(uint16_t a, uint16_t b) { return v_sub_u16(a, b); }
constexpr int16_t v_add_i16(int16_t a, int16_t b) { return low16s(a + b); }
constexpr int16_t v_sub_i16(int16_t a, int16_t b) { return low16s(a - b); }
constexpr int16_t v_add_nc_i16(int16_t a, int16_t b) { return low16s(a + b); }
constexpr int16_t v_sub_nc_i16(int16_t a, int16_t b) { return low16s(a - b); }
constexpr uint16_t v_add_u16_sat(uint16_t a, uint16_t b) { return saturate<uint16_t>(int32_t{a} + b); }
constexpr uint16_t v_sub_u16_sat(uint16_t a, uint16_t b) { return saturate<uint16_t>(int32_t{a} - b); }
constexpr uint16_t v_subrev_u16_sat(uint16_t a, uint16_t b) { return v_sub_u16_sat(b, a); }
constexpr uint16_t v_add_nc_u16_sat(uint16_t a, uint16_t b) { return v_add_u16_sat(a, b); }
constexpr uint16_t v_sub_nc_u16_sat(uint16_t a, uint16_t b) { return v_sub_u16_sat(a, b); }
constexpr int16_t v_add_i16_sat(int16_t a, int16_t b) { return saturate<int16_t>(int32_t{a} + b); }
constexpr int16_t v_sub_i16_sat(int16_t a, int16_t b) { return saturate<int16_t>(int32_t{a} - b); }
constexpr int16_t v_add_nc_i16_sat(int16_t a, int16_t b) { return v_add_i16_sat(a, b); }
constexpr int16_t v_sub_nc_i16_sat(int16_t a, int16_t b) { return v_sub_i16_sat(a, b); }
constexpr uint16_t v_mul_lo_u16(uint16_t a, uint16_t b) { return low16(uint32_t{a} * b); }
constexpr uint16_t v_mad_u16(uint16_t a, uint16_t b, uint16_t c) { return low16(uint32_t{a} * b + c); }
constexpr int16_t v_mad_i16(int16_t a, int16_t b, int16_t c) {
  return low16s(as_signed(as_unsigned(int32_t{a} * b) + as_unsigned(int32_t{c})));
}
constexpr uint16_t v_mad_u16_sat(uint16_t a, uint16_t b, uint16_t c) {
  return saturate<uint16_t>(int64_t{a} * b + c);
}
constexpr int16_t v_mad_i16_sat(int16_t a, int16_t b, int16_t c) { return saturate<int16_t>(int32_t{a} * b + c); }
constexpr uint16_t v_mad_legacy_u16(uint16_t a, uint16_t b, uint16_t c) { return v_mad_u16(a, b, c); }
constexpr int16_t v_mad_legacy_i16(int16_t a, int16_t b, int16_t c) { return v_mad_i16(a, b, c); }

// Minimum, maximum, median.
template <class T> constexpr T least(T a, T b) { return a < b ? a : b; }
template <class T> constexpr T most(T a, T b) { return a > b ? a : b; }
template <class T> constexpr T middle(T a, T b, T c) { return most(least(a, b), least(most(a, b), c)); }
constexpr int16_t v_min_i16(int16_t a, int16_t b) { return least(a, b); }
constexpr int16_t v_max_i16(int16_t a, int16_t b) { return most(a, b); }
constexpr int16_t v_min3_i16(int16_t a, int16_t b, int16_t c) { return least(least(a, b), c); }
constexpr int16_t v_max3_i16(int16_t a, int16_t b, int16_t c) { return most(most(a, b), c); }
constexpr int16_t v_med3_i16(int16_t a, int16_t b, int16_t c) { return middle(a, b, c); }
constexpr uint16_t v_min_u16(uint16_t a, uint16_t b) { return least(a, b); }
constexpr uint16_t v_max_u16(uint16_t a, uint16_t b) { return most(a, b); }
constexpr uint16_t v_min3_u16(uint16_t a, uint16_t b, uint16_t c) { return least(least(a, b), c); }
constexpr uint16_t v_max3_u16(uint16_t a, uint16_t b, uint16_t c) { return most(most(a, b), c); }
constexpr uint16_t v_med3_u16(uint16_t a, uint16_t b, uint16_t c) { return middle(a, b, c); }
constexpr int32_t v_min_i32(int32_t a, int32_t b) { return least(a, b); }
constexpr int32_t v_max_i32(int32_t a, int32_t b) { return most(a, b); }
constexpr int32_t v_min3_i32(int32_t a, int32_t b, int32_t c) { return least(least(a, b), c); }
constexpr int32_t v_max3_i32(int32_t a, int32_t b, int32_t c) { return most(most(a, b), c); }
constexpr int32_t v_med3_i32(int32_t a, int32_t b, int32_t c) { return middle(a, b, c); }
constexpr int32_t v_minmax_i32(int32_t a, int32_t b, int32_t c) { return most(least(a, b), c); }
constexpr int32_t v_maxmin_i32(int32_t a, int32_t b, int32_t c) { return least(most(a, b), c); }
constexpr uint32_t v_min_u32(uint32_t a, uint32_t b) { return least(a, b); }
constexpr uint32_t v_max_u32(uint32_t a, uint32_t b) { return most(a, b); }
constexpr uint32_t v_min3_u32(uint32_t a, uint32_t b, uint32_t c) { return least(least(a, b), c); }
constexpr uint32_t v_max3_u32(uint32_t a, uint32_t b, uint32_t c) { return most(most(a, b), c); }
constexpr uint32_t v_med3_u32(uint32_t a, uint32_t b, uint32_t c) { return middle(a, b, c); }
constexpr uint32_t v_minmax_u32(uint32_t a, uint32_t b, uint32_t c) { return most(least(a, b), c); }
constexpr uint32_t v_maxmin_u32(uint32_t a, uint32_t b, uint32_t c) { return least(most(a, b), c); }
constexpr int64_t v_min_i64(int64_t a, int64_t b) { return least(a, b); }
constexpr int64_t v_max_i64(int64_t a, int64_t b) { return most(a, b); }
constexpr uint64_t v_min_u64(uint64_t a, uint64_t b) { return least(a, b); }
constexpr uint64_t v_max_u64(uint64_t a, uint64_t b) { return most(a, b); }

// Sums of absolute differences, of bytes and words.
constexpr uint32_t byte_of(uint32_t x, int n) { return (x >> (8 * n)) & 0xffU; }
constexpr uint32_t difference(uint32_t a, uint32_t b) { return a > b ? a - b : b - a; }
constexpr uint32_t v_sad_u8(uint32_t a, uint32_t b, uint32_t c) {
  for (int n = 0; n < 4; ++n) c += difference(byte_of(a, n), byte_of(b, n));
  return c;
}
constexpr uint32_t v_sad_hi_u8(uint32_t a, uint32_t b, uint32_t c) { return (v_sad_u8(a, b, 0) << 16) + c; }
constexpr uint32_t v_sad_u16(uint32_t a, uint32_t b, uint32_t c) {
  return difference(a & 0xffffU, b & 0xffffU) + difference(a >> 16, b >> 16) + c;
}
constexpr uint32_t v_sad_u32(uint32_t a, uint32_t b, uint32_t c) { return difference(a, b) + c; }
// Bytes of the reference (second operand) that are zero do not count.
constexpr uint32_t v_msad_u8(uint32_t a, uint32_t b, uint32_t c) {
  for (int n = 0; n < 4; ++n) c += byte_of(b, n) == 0 ? 0 : difference(byte_of(a, n), byte_of(b, n));
  return c;
}
// Four sums at the byte offsets 0 to 3 of a 64-bit source, each added to a 16-bit accumulator.
constexpr uint64_t v_qsad_pk_u16_u8(uint64_t a, uint32_t b, uint64_t c) {
  uint64_t r = 0;
  for (int n = 0; n < 4; ++n) {
    const uint32_t sum = v_sad_u8(static_cast<uint32_t>(a >> (8 * n)), b, low16(static_cast<uint32_t>(c >> (16 * n))));
    r |= uint64_t{low16(sum)} << (16 * n);
  }
  return r;
}
constexpr uint64_t v_mqsad_pk_u16_u8(uint64_t a, uint32_t b, uint64_t c) {
  uint64_t r = 0;
  for (int n = 0; n < 4; ++n) {
    const uint32_t sum = v_msad_u8(static_cast<uint32_t>(a >> (8 * n)), b, low16(static_cast<uint32_t>(c >> (16 * n))));
    r |= uint64_t{low16(sum)} << (16 * n);
  }
  return r;
}
struct U32x4 {
  uint32_t v[4];
};
constexpr U32x4 v_mqsad_u32_u8(uint64_t a, uint32_t b, U32x4 c) {
  for (int n = 0; n < 4; ++n) c.v[n] = v_msad_u8(static_cast<uint32_t>(a >> (8 * n)), b, c.v[n]);
  return c;
}
// With CLAMP the sums saturate.
constexpr uint32_t v_sad_u8_sat(uint32_t a, uint32_t b, uint32_t c) {
  return saturate<uint32_t>(int64_t{v_sad_u8(a, b, 0)} + c);
}
constexpr uint32_t v_sad_hi_u8_sat(uint32_t a, uint32_t b, uint32_t c) {
  return saturate<uint32_t>((int64_t{v_sad_u8(a, b, 0)} << 16) + c);
}
constexpr uint32_t v_sad_u16_sat(uint32_t a, uint32_t b, uint32_t c) {
  return saturate<uint32_t>(int64_t{v_sad_u16(a, b, 0)} + c);
}
constexpr uint32_t v_sad_u32_sat(uint32_t a, uint32_t b, uint32_t c) {
  return saturate<uint32_t>(int64_t{difference(a, b)} + c);
}
constexpr uint32_t v_msad_u8_sat(uint32_t a, uint32_t b, uint32_t c) {
  return saturate<uint32_t>(int64_t{v_msad_u8(a, b, 0)} + c);
}
constexpr uint64_t v_qsad_pk_u16_u8_sat(uint64_t a, uint32_t b, uint64_t c) {
  uint64_t r = 0;
  for (int n = 0; n < 4; ++n) {
    const uint32_t sum = v_sad_u8(static_cast<uint32_t>(a >> (8 * n)), b, low16(static_cast<uint32_t>(c >> (16 * n))));
    r |= uint64_t{saturate<uint16_t>(int64_t{sum})} << (16 * n);
  }
  return r;
}
constexpr uint64_t v_mqsad_pk_u16_u8_sat(uint64_t a, uint32_t b, uint64_t c) {
  uint64_t r = 0;
  for (int n = 0; n < 4; ++n) {
    const uint32_t sum = v_msad_u8(static_cast<uint32_t>(a >> (8 * n)), b, low16(static_cast<uint32_t>(c >> (16 * n))));
    r |= uint64_t{saturate<uint16_t>(int64_t{sum})} << (16 * n);
  }
  return r;
}
constexpr U32x4 v_mqsad_u32_u8_sat(uint64_t a, uint32_t b, U32x4 c) {
  for (int n = 0; n < 4; ++n) c.v[n] = v_msad_u8_sat(static_cast<uint32_t>(a >> (8 * n)), b, c.v[n]);
  return c;
}
// Averages of bytes; the third operand's low bits say which round up.
constexpr uint32_t v_lerp_u8(uint32_t a, uint32_t b, uint32_t c) {
  uint32_t r = 0;
  for (int n = 0; n < 4; ++n) r |= ((byte_of(a, n) + byte_of(b, n) + (byte_of(c, n) & 1U)) >> 1) << (8 * n);
  return r;
}

} // namespace ptxshim::vgpu::meaning
