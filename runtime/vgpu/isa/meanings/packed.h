// SPDX-License-Identifier: MIT
//
// Packed operations: two halves or two floats of a register pair, mixed precision, and dot products. op_sel, neg and
// neg_hi are applied before: a function's operands are what the low and the high half work on.
#pragma once

#include "meanings/bits.h"
#include "meanings/convert.h"
#include "meanings/float16.h"
#include "meanings/float32.h"

namespace ptxshim::vgpu::meaning {

// Halves as f16.
inline F16x2 v_pk_add_f16(F16x2 a, F16x2 b, const FloatMode& m) {
  return {v_add_f16(a.lo, b.lo, m), v_add_f16(a.hi, b.hi, m)};
}
inline F16x2 v_pk_mul_f16(F16x2 a, F16x2 b, const FloatMode& m) {
  return {v_mul_f16(a.lo, b.lo, m), v_mul_f16(a.hi, b.hi, m)};
}
inline F16x2 v_pk_min_f16(F16x2 a, F16x2 b, const FloatMode& m) {
  return {v_min_f16(a.lo, b.lo, m), v_min_f16(a.hi, b.hi, m)};
}
inline F16x2 v_pk_max_f16(F16x2 a, F16x2 b, const FloatMode& m) {
  return {v_max_f16(a.lo, b.lo, m), v_max_f16(a.hi, b.hi, m)};
}
inline F16x2 v_pk_min_num_f16(F16x2 a, F16x2 b, const FloatMode& m) {
  return {v_min_num_f16(a.lo, b.lo, m), v_min_num_f16(a.hi, b.hi, m)};
}
inline F16x2 v_pk_max_num_f16(F16x2 a, F16x2 b, const FloatMode& m) {
  return {v_max_num_f16(a.lo, b.lo, m), v_max_num_f16(a.hi, b.hi, m)};
}
inline F16x2 v_pk_minimum_f16(F16x2 a, F16x2 b, const FloatMode& m) {
  return {v_minimum_f16(a.lo, b.lo, m), v_minimum_f16(a.hi, b.hi, m)};
}
inline F16x2 v_pk_maximum_f16(F16x2 a, F16x2 b, const FloatMode& m) {
  return {v_maximum_f16(a.lo, b.lo, m), v_maximum_f16(a.hi, b.hi, m)};
}
inline F16x2 v_pk_fma_f16(F16x2 a, F16x2 b, F16x2 c, const FloatMode& m) {
  return {v_fma_f16(a.lo, b.lo, c.lo, m), v_fma_f16(a.hi, b.hi, c.hi, m)};
}
inline F16x2 v_pk_fmac_f16(F16x2 a, F16x2 b, F16x2 c, const FloatMode& m) {
  return {v_fma_f16(a.lo, b.lo, c.lo, m), v_fma_f16(a.hi, b.hi, c.hi, m)};
}
inline F16x2 v_pk_minimum3_f16(F16x2 a, F16x2 b, F16x2 c, const FloatMode& m) {
  return {v_minimum3_f16(a.lo, b.lo, c.lo, m), v_minimum3_f16(a.hi, b.hi, c.hi, m)};
}
inline F16x2 v_pk_maximum3_f16(F16x2 a, F16x2 b, F16x2 c, const FloatMode& m) {
  return {v_maximum3_f16(a.lo, b.lo, c.lo, m), v_maximum3_f16(a.hi, b.hi, c.hi, m)};
}

// Halves as integers.
constexpr U16x2 v_pk_add_u16(U16x2 a, U16x2 b) { return {v_add_u16(a.lo, b.lo), v_add_u16(a.hi, b.hi)}; }
constexpr U16x2 v_pk_sub_u16(U16x2 a, U16x2 b) { return {v_sub_u16(a.lo, b.lo), v_sub_u16(a.hi, b.hi)}; }
constexpr U16x2 v_pk_min_u16(U16x2 a, U16x2 b) { return {v_min_u16(a.lo, b.lo), v_min_u16(a.hi, b.hi)}; }
constexpr U16x2 v_pk_max_u16(U16x2 a, U16x2 b) { return {v_max_u16(a.lo, b.lo), v_max_u16(a.hi, b.hi)}; }
constexpr U16x2 v_pk_add_u16_sat(U16x2 a, U16x2 b) {
  return {v_add_u16_sat(a.lo, b.lo), v_add_u16_sat(a.hi, b.hi)};
}
constexpr U16x2 v_pk_sub_u16_sat(U16x2 a, U16x2 b) {
  return {v_sub_u16_sat(a.lo, b.lo), v_sub_u16_sat(a.hi, b.hi)};
}
constexpr U16x2 v_pk_mad_u16(U16x2 a, U16x2 b, U16x2 c) {
  return {v_mad_u16(a.lo, b.lo, c.lo), v_mad_u16(a.hi, b.hi, c.hi)};
}
constexpr U16x2 v_pk_mad_u16_sat(U16x2 a, U16x2 b, U16x2 c) {
  return {v_mad_u16_sat(a.lo, b.lo, c.lo), v_mad_u16_sat(a.hi, b.hi, c.hi)};
}
constexpr I16x2 v_pk_add_i16(I16x2 a, I16x2 b) { return {v_add_i16(a.lo, b.lo), v_add_i16(a.hi, b.hi)}; }
constexpr I16x2 v_pk_sub_i16(I16x2 a, I16x2 b) { return {v_sub_i16(a.lo, b.lo), v_sub_i16(a.hi, b.hi)}; }
constexpr I16x2 v_pk_min_i16(I16x2 a, I16x2 b) { return {v_min_i16(a.lo, b.lo), v_min_i16(a.hi, b.hi)}; }
constexpr I16x2 v_pk_max_i16(I16x2 a, I16x2 b) { return {v_max_i16(a.lo, b.lo), v_max_i16(a.hi, b.hi)}; }
constexpr I16x2 v_pk_add_i16_sat(I16x2 a, I16x2 b) {
  return {v_add_i16_sat(a.lo, b.lo), v_add_i16_sat(a.hi, b.hi)};
}
constexpr I16x2 v_pk_sub_i16_sat(I16x2 a, I16x2 b) {
  return {v_sub_i16_sat(a.lo, b.lo), v_sub_i16_sat(a.hi, b.hi)};
}
constexpr I16x2 v_pk_mad_i16(I16x2 a, I16x2 b, I16x2 c) {
  return {v_mad_i16(a.lo, b.lo, c.lo), v_mad_i16(a.hi, b.hi, c.hi)};
}
constexpr I16x2 v_pk_mad_i16_sat(I16x2 a, I16x2 b, I16x2 c) {
  return {v_mad_i16_sat(a.lo, b.lo, c.lo), v_mad_i16_sat(a.hi, b.hi, c.hi)};
}
constexpr U16x2 v_pk_mul_lo_u16(U16x2 a, U16x2 b) {
  return {v_mul_lo_u16(a.lo, b.lo), v_mul_lo_u16(a.hi, b.hi)};
}
constexpr U16x2 v_pk_lshlrev_b16(U16x2 a, U16x2 b) {
  return {v_lshlrev_b16(a.lo, b.lo), v_lshlrev_b16(a.hi, b.hi)};
}
constexpr U16x2 v_pk_lshrrev_b16(U16x2 a, U16x2 b) {
  return {v_lshrrev_b16(a.lo, b.lo), v_lshrrev_b16(a.hi, b.hi)};
}
constexpr I16x2 v_pk_ashrrev_i16(U16x2 a, I16x2 b) { return {v_ashrrev_i16(a.lo, b.lo), v_ashrrev_i16(a.hi, b.hi)}; }

// Two floats (gfx90a and later CDNA). v_pk_mov_b32 takes its low result from the first operand, its high one from the
// second, each as op_sel chose (which the harness has put into .lo).
inline F32x2 v_pk_add_f32(F32x2 a, F32x2 b, const FloatMode& m) {
  return {v_add_f32(a.lo, b.lo, m), v_add_f32(a.hi, b.hi, m)};
}
inline F32x2 v_pk_mul_f32(F32x2 a, F32x2 b, const FloatMode& m) {
  return {v_mul_f32(a.lo, b.lo, m), v_mul_f32(a.hi, b.hi, m)};
}
inline F32x2 v_pk_fma_f32(F32x2 a, F32x2 b, F32x2 c, const FloatMode& m) {
  return {v_fma_f32(a.lo, b.lo, c.lo, m), v_fma_f32(a.hi, b.hi, c.hi, m)};
}
constexpr U32x2 v_pk_mov_b32(U32x2 a, U32x2 b) { return {a.lo, b.lo}; }

// Mixed precision: operands are widened before; a half result is rounded once.
inline float v_fma_mix_f32(float a, float b, float c, const FloatMode& m) { return fma(a, b, c, m); }
inline F16 fma_to_half(float a, float b, float c, const FloatMode& m) {
  a = flush_in(a, m);
  b = flush_in(b, m);
  c = flush_in(c, m);
  const double wide = a;
  const double product = wide * static_cast<double>(b); // exact
  const double sum = add_odd(product, static_cast<double>(c));
  const double r = is_nan(product) ? first_nan(wide, product) : sum;
  if (m.nearest64() || !is_finite(r)) return flush_out(narrow_nearest(narrow_odd(r)), m);
  return flush_out(round_sum<F16>(product, static_cast<double>(c), m.f64_f16_round), m);
}
inline F16 v_fma_mixlo_f16(float a, float b, float c, const FloatMode& m) { return fma_to_half(a, b, c, m); }
inline F16 v_fma_mixhi_f16(float a, float b, float c, const FloatMode& m) { return fma_to_half(a, b, c, m); }
// gfx900 has these unfused.
inline float v_mad_mix_f32(float a, float b, float c, const FloatMode& m) { return v_mad_f32(a, b, c, m); }
inline F16 v_mad_mixlo_f16(float a, float b, float c, const FloatMode& m) {
  return v_cvt_f16_f32(v_mad_f32(a, b, c, m), m);
}
inline F16 v_mad_mixhi_f16(float a, float b, float c, const FloatMode& m) { return v_mad_mixlo_f16(a, b, c, m); }

// Dot products of floats: products in f32 are exact; they are added to the accumulator one after the other, low one
// first. (The manuals do not say how the hardware rounds in between: the last place may differ.) Rounded to nearest, and
// without denormals of f32 and bf16, in any mode (RDNA3 and RDNA4 ISA, 7.2.4; of f32, LLVM's performFMACombine).
inline float dot2(float a0, float b0, float a1, float b1, float c) {
  return fma(a1, b1, fma(a0, b0, c, kFlushDenormals32), kFlushDenormals32);
}
inline float v_dot2_f32_f16(F16x2 a, F16x2 b, float c, const FloatMode& m) {
  return dot2(widen(flush_in(a.lo, m)), widen(flush_in(b.lo, m)), widen(flush_in(a.hi, m)), widen(flush_in(b.hi, m)), c);
}
inline float v_dot2c_f32_f16(F16x2 a, F16x2 b, float c, const FloatMode& m) { return v_dot2_f32_f16(a, b, c, m); }
inline float v_dot2acc_f32_f16(F16x2 a, F16x2 b, float c, const FloatMode& m) { return v_dot2_f32_f16(a, b, c, m); }
inline BF16 bf16_of(uint16_t bits) { return {bits}; }
inline float v_dot2_f32_bf16(U16x2 a, U16x2 b, float c, const FloatMode&) {
  return dot2(widen(bf16_of(a.lo)), widen(bf16_of(b.lo)), widen(bf16_of(a.hi)), widen(bf16_of(b.hi)), c);
}
inline float v_dot2c_f32_bf16(U16x2 a, U16x2 b, float c, const FloatMode& m) { return v_dot2_f32_bf16(a, b, c, m); }
inline F16 v_dot2_f16_f16(F16x2 a, F16x2 b, F16 c, const FloatMode& m) {
  FloatMode nearest = m;
  nearest.f64_f16_round = Round::NearestEven;
  return fma(a.hi, b.hi, fma(a.lo, b.lo, c, nearest), nearest);
}
inline BF16 v_dot2_bf16_bf16(U16x2 a, U16x2 b, BF16 c, const FloatMode& m) {
  return flush(narrow_bf16(v_dot2_f32_bf16(a, b, widen(c), m), Round::NearestEven));
}

// Dot products of integers. The sum is exact in 64 bits, then taken modulo 2^32; _sat saturates it (CLAMP).
constexpr int64_t field(uint32_t x, int bits, int n, bool is_signed) {
  const uint32_t up = x << (32 - bits * (n + 1)); // the field in the top bits
  return is_signed ? int64_t{static_cast<int32_t>(up) >> (32 - bits)} : int64_t{up >> (32 - bits)};
}
constexpr int64_t dot(uint32_t a, uint32_t b, int bits, bool a_signed, bool b_signed) {
  int64_t sum = 0;
  for (int n = 0; n < 32 / bits; ++n) sum += field(a, bits, n, a_signed) * field(b, bits, n, b_signed);
  return sum;
}
constexpr int32_t v_dot2_i32_i16(uint32_t a, uint32_t b, int32_t c) {
  return static_cast<int32_t>(dot(a, b, 16, true, true) + c);
}
constexpr int32_t v_dot2c_i32_i16(uint32_t a, uint32_t b, int32_t c) {
  return static_cast<int32_t>(dot(a, b, 16, true, true) + c);
}
constexpr int32_t v_dot2_i32_i16_sat(uint32_t a, uint32_t b, int32_t c) {
  return saturate<int32_t>(dot(a, b, 16, true, true) + c);
}
constexpr int32_t v_dot2c_i32_i16_sat(uint32_t a, uint32_t b, int32_t c) {
  return saturate<int32_t>(dot(a, b, 16, true, true) + c);
}
constexpr uint32_t v_dot2_u32_u16(uint32_t a, uint32_t b, uint32_t c) {
  return static_cast<uint32_t>(dot(a, b, 16, false, false) + c);
}
constexpr uint32_t v_dot2_u32_u16_sat(uint32_t a, uint32_t b, uint32_t c) {
  return saturate<uint32_t>(dot(a, b, 16, false, false) + c);
}
constexpr int32_t v_dot4_i32_i8(uint32_t a, uint32_t b, int32_t c) {
  return static_cast<int32_t>(dot(a, b, 8, true, true) + c);
}
constexpr int32_t v_dot4c_i32_i8(uint32_t a, uint32_t b, int32_t c) {
  return static_cast<int32_t>(dot(a, b, 8, true, true) + c);
}
constexpr int32_t v_dot4_i32_i8_sat(uint32_t a, uint32_t b, int32_t c) {
  return saturate<int32_t>(dot(a, b, 8, true, true) + c);
}
constexpr int32_t v_dot4c_i32_i8_sat(uint32_t a, uint32_t b, int32_t c) {
  return saturate<int32_t>(dot(a, b, 8, true, true) + c);
}
constexpr uint32_t v_dot4_u32_u8(uint32_t a, uint32_t b, uint32_t c) {
  return static_cast<uint32_t>(dot(a, b, 8, false, false) + c);
}
constexpr uint32_t v_dot4_u32_u8_sat(uint32_t a, uint32_t b, uint32_t c) {
  return saturate<uint32_t>(dot(a, b, 8, false, false) + c);
}
constexpr int32_t v_dot8_i32_i4(uint32_t a, uint32_t b, int32_t c) {
  return static_cast<int32_t>(dot(a, b, 4, true, true) + c);
}
constexpr int32_t v_dot8c_i32_i4(uint32_t a, uint32_t b, int32_t c) {
  return static_cast<int32_t>(dot(a, b, 4, true, true) + c);
}
constexpr int32_t v_dot8_i32_i4_sat(uint32_t a, uint32_t b, int32_t c) {
  return saturate<int32_t>(dot(a, b, 4, true, true) + c);
}
constexpr int32_t v_dot8c_i32_i4_sat(uint32_t a, uint32_t b, int32_t c) {
  return saturate<int32_t>(dot(a, b, 4, true, true) + c);
}
constexpr uint32_t v_dot8_u32_u4(uint32_t a, uint32_t b, uint32_t c) {
  return static_cast<uint32_t>(dot(a, b, 4, false, false) + c);
}
constexpr uint32_t v_dot8_u32_u4_sat(uint32_t a, uint32_t b, uint32_t c) {
  return saturate<uint32_t>(dot(a, b, 4, false, false) + c);
}
// gfx11: the neg bits of the first two operands say which of them is signed.
constexpr int32_t v_dot4_i32_iu8(uint32_t a, uint32_t b, int32_t c, bool a_signed, bool b_signed) {
  return static_cast<int32_t>(dot(a, b, 8, a_signed, b_signed) + c);
}
constexpr int32_t v_dot4_i32_iu8_sat(uint32_t a, uint32_t b, int32_t c, bool a_signed, bool b_signed) {
  return saturate<int32_t>(dot(a, b, 8, a_signed, b_signed) + c);
}
constexpr int32_t v_dot8_i32_iu4(uint32_t a, uint32_t b, int32_t c, bool a_signed, bool b_signed) {
  return static_cast<int32_t>(dot(a, b, 4, a_signed, b_signed) + c);
}
constexpr int32_t v_dot8_i32_iu4_sat(uint32_t a, uint32_t b, int32_t c, bool a_signed, bool b_signed) {
  return saturate<int32_t>(dot(a, b, 4, a_signed, b_signed) + c);
}

} // namespace ptxshim::vgpu::meaning
