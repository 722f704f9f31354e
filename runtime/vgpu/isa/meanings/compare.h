// SPDX-License-Identifier: MIT
//
// Comparisons; v_cmpx_ are the same with EXEC for a destination. Of floats: `o` ordered (no NaN), `u` unordered, `lg`
// less or greater, and n.. the negation of each, which a NaN makes true. The names f and tru (t) are never and always.
// Denormal operands count as zero if the mode flushes operands.
#pragma once

#include "meanings/float_bits.h"
#include "meanings/order.h"

namespace ptxshim::vgpu::meaning {

template <class T> inline bool compare_lt(T a, T b, const FloatMode& m) {
  const auto x = number(flush_in(a, m)), y = number(flush_in(b, m));
  return x < y;
}
template <class T> inline bool compare_eq(T a, T b, const FloatMode& m) {
  const auto x = number(flush_in(a, m)), y = number(flush_in(b, m));
  return x == y;
}
template <class T> inline bool compare_le(T a, T b, const FloatMode& m) {
  const auto x = number(flush_in(a, m)), y = number(flush_in(b, m));
  return x <= y;
}
template <class T> inline bool compare_gt(T a, T b, const FloatMode& m) {
  const auto x = number(flush_in(a, m)), y = number(flush_in(b, m));
  return x > y;
}
template <class T> inline bool compare_lg(T a, T b, const FloatMode& m) {
  const auto x = number(flush_in(a, m)), y = number(flush_in(b, m));
  return x < y || x > y;
}
template <class T> inline bool compare_ge(T a, T b, const FloatMode& m) {
  const auto x = number(flush_in(a, m)), y = number(flush_in(b, m));
  return x >= y;
}
template <class T> inline bool compare_o(T a, T b, const FloatMode& m) {
  const auto x = number(flush_in(a, m)), y = number(flush_in(b, m));
  return !is_nan(x) && !is_nan(y);
}
template <class T> inline bool compare_u(T a, T b, const FloatMode& m) {
  const auto x = number(flush_in(a, m)), y = number(flush_in(b, m));
  return is_nan(x) || is_nan(y);
}
template <class T> inline bool compare_nge(T a, T b, const FloatMode& m) {
  const auto x = number(flush_in(a, m)), y = number(flush_in(b, m));
  return !(x >= y);
}
template <class T> inline bool compare_nlg(T a, T b, const FloatMode& m) {
  const auto x = number(flush_in(a, m)), y = number(flush_in(b, m));
  return !(x < y || x > y);
}
template <class T> inline bool compare_ngt(T a, T b, const FloatMode& m) {
  const auto x = number(flush_in(a, m)), y = number(flush_in(b, m));
  return !(x > y);
}
template <class T> inline bool compare_nle(T a, T b, const FloatMode& m) {
  const auto x = number(flush_in(a, m)), y = number(flush_in(b, m));
  return !(x <= y);
}
template <class T> inline bool compare_neq(T a, T b, const FloatMode& m) {
  const auto x = number(flush_in(a, m)), y = number(flush_in(b, m));
  return x != y;
}
template <class T> inline bool compare_nlt(T a, T b, const FloatMode& m) {
  const auto x = number(flush_in(a, m)), y = number(flush_in(b, m));
  return !(x < y);
}

inline bool v_cmp_f_f16(F16, F16, const FloatMode&) { return false; }
inline bool v_cmp_lt_f16(F16 a, F16 b, const FloatMode& m) { return compare_lt(a, b, m); }
inline bool v_cmp_eq_f16(F16 a, F16 b, const FloatMode& m) { return compare_eq(a, b, m); }
inline bool v_cmp_le_f16(F16 a, F16 b, const FloatMode& m) { return compare_le(a, b, m); }
inline bool v_cmp_gt_f16(F16 a, F16 b, const FloatMode& m) { return compare_gt(a, b, m); }
inline bool v_cmp_lg_f16(F16 a, F16 b, const FloatMode& m) { return compare_lg(a, b, m); }
inline bool v_cmp_ge_f16(F16 a, F16 b, const FloatMode& m) { return compare_ge(a, b, m); }
inline bool v_cmp_o_f16(F16 a, F16 b, const FloatMode& m) { return compare_o(a, b, m); }
inline bool v_cmp_u_f16(F16 a, F16 b, const FloatMode& m) { return compare_u(a, b, m); }
inline bool v_cmp_nge_f16(F16 a, F16 b, const FloatMode& m) { return compare_nge(a, b, m); }
inline bool v_cmp_nlg_f16(F16 a, F16 b, const FloatMode& m) { return compare_nlg(a, b, m); }
inline bool v_cmp_ngt_f16(F16 a, F16 b, const FloatMode& m) { return compare_ngt(a, b, m); }
inline bool v_cmp_nle_f16(F16 a, F16 b, const FloatMode& m) { return compare_nle(a, b, m); }
inline bool v_cmp_neq_f16(F16 a, F16 b, const FloatMode& m) { return compare_neq(a, b, m); }
inline bool v_cmp_nlt_f16(F16 a, F16 b, const FloatMode& m) { return compare_nlt(a, b, m); }
inline bool v_cmp_tru_f16(F16, F16, const FloatMode&) { return true; }
inline bool v_cmp_t_f16(F16, F16, const FloatMode&) { return true; }

inline bool v_cmp_f_f32(float, float, const FloatMode&) { return false; }
inline bool v_cmp_lt_f32(float a, float b, const FloatMode& m) { return compare_lt(a, b, m); }
inline bool v_cmp_eq_f32(float a, float b, const FloatMode& m) { return compare_eq(a, b, m); }
inline bool v_cmp_le_f32(float a, float b, const FloatMode& m) { return compare_le(a, b, m); }
inline bool v_cmp_gt_f32(float a, float b, const FloatMode& m) { return compare_gt(a, b, m); }
inline bool v_cmp_lg_f32(float a, float b, const FloatMode& m) { return compare_lg(a, b, m); }
inline bool v_cmp_ge_f32(float a, float b, const FloatMode& m) { return compare_ge(a, b, m); }
inline bool v_cmp_o_f32(float a, float b, const FloatMode& m) { return compare_o(a, b, m); }
inline bool v_cmp_u_f32(float a, float b, const FloatMode& m) { return compare_u(a, b, m); }
inline bool v_cmp_nge_f32(float a, float b, const FloatMode& m) { return compare_nge(a, b, m); }
inline bool v_cmp_nlg_f32(float a, float b, const FloatMode& m) { return compare_nlg(a, b, m); }
inline bool v_cmp_ngt_f32(float a, float b, const FloatMode& m) { return compare_ngt(a, b, m); }
inline bool v_cmp_nle_f32(float a, float b, const FloatMode& m) { return compare_nle(a, b, m); }
inline bool v_cmp_neq_f32(float a, float b, const FloatMode& m) { return compare_neq(a, b, m); }
inline bool v_cmp_nlt_f32(float a, float b, const FloatMode& m) { return compare_nlt(a, b, m); }
inline bool v_cmp_tru_f32(float, float, const FloatMode&) { return true; }
inline bool v_cmp_t_f32(float, float, const FloatMode&) { return true; }

inline bool v_cmp_f_f64(double, double, const FloatMode&) { return false; }
inline bool v_cmp_lt_f64(double a, double b, const FloatMode& m) { return compare_lt(a, b, m); }
inline bool v_cmp_eq_f64(double a, double b, const FloatMode& m) { return compare_eq(a, b, m); }
inline bool v_cmp_le_f64(double a, double b, const FloatMode& m) { return compare_le(a, b, m); }
inline bool v_cmp_gt_f64(double a, double b, const FloatMode& m) { return compare_gt(a, b, m); }
inline bool v_cmp_lg_f64(double a, double b, const FloatMode& m) { return compare_lg(a, b, m); }
inline bool v_cmp_ge_f64(double a, double b, const FloatMode& m) { return compare_ge(a, b, m); }
inline bool v_cmp_o_f64(double a, double b, const FloatMode& m) { return compare_o(a, b, m); }
inline bool v_cmp_u_f64(double a, double b, const FloatMode& m) { return compare_u(a, b, m); }
inline bool v_cmp_nge_f64(double a, double b, const FloatMode& m) { return compare_nge(a, b, m); }
inline bool v_cmp_nlg_f64(double a, double b, const FloatMode& m) { return compare_nlg(a, b, m); }
inline bool v_cmp_ngt_f64(double a, double b, const FloatMode& m) { return compare_ngt(a, b, m); }
inline bool v_cmp_nle_f64(double a, double b, const FloatMode& m) { return compare_nle(a, b, m); }
inline bool v_cmp_neq_f64(double a, double b, const FloatMode& m) { return compare_neq(a, b, m); }
inline bool v_cmp_nlt_f64(double a, double b, const FloatMode& m) { return compare_nlt(a, b, m); }
inline bool v_cmp_tru_f64(double, double, const FloatMode&) { return true; }
inline bool v_cmp_t_f64(double, double, const FloatMode&) { return true; }

// The second operand is a set of classes: 0 signaling NaN, 1 quiet NaN, 2 -infinity, 3 -normal, 4 -denormal, 5 -0,
// 6 +0, 7 +denormal, 8 +normal, 9 +infinity. The mode does not matter.
template <class T> constexpr bool is_in_class(T x, uint32_t set) {
  const BitsOf<T> m = magnitude(x);
  unsigned bit = 0;
  if (m > kInfinity<T>) {
    bit = is_signaling(x) ? 0 : 1;
  } else {
    const unsigned size = m == 0 ? 0 : m <= kFractionMask<T> ? 1 : m < kInfinity<T> ? 2 : 3;
    bit = is_negative(x) ? 5 - size : 6 + size;
  }
  return ((set >> bit) & 1U) != 0;
}
inline bool v_cmp_class_f16(F16 a, uint32_t set) { return is_in_class(a, set); }
inline bool v_cmp_class_f32(float a, uint32_t set) { return is_in_class(a, set); }
inline bool v_cmp_class_f64(double a, uint32_t set) { return is_in_class(a, set); }

constexpr bool v_cmp_f_i16(int16_t, int16_t) { return false; }
constexpr bool v_cmp_lt_i16(int16_t a, int16_t b) { return a < b; }
constexpr bool v_cmp_eq_i16(int16_t a, int16_t b) { return a == b; }
constexpr bool v_cmp_le_i16(int16_t a, int16_t b) { return a <= b; }
constexpr bool v_cmp_gt_i16(int16_t a, int16_t b) { return a > b; }
constexpr bool v_cmp_ne_i16(int16_t a, int16_t b) { return a != b; }
constexpr bool v_cmp_lg_i16(int16_t a, int16_t b) { return a != b; }
constexpr bool v_cmp_ge_i16(int16_t a, int16_t b) { return a >= b; }
constexpr bool v_cmp_t_i16(int16_t, int16_t) { return true; }
constexpr bool v_cmp_f_u16(uint16_t, uint16_t) { return false; }
constexpr bool v_cmp_lt_u16(uint16_t a, uint16_t b) { return a < b; }
constexpr bool v_cmp_eq_u16(uint16_t a, uint16_t b) { return a == b; }
constexpr bool v_cmp_le_u16(uint16_t a, uint16_t b) { return a <= b; }
constexpr bool v_cmp_gt_u16(uint16_t a, uint16_t b) { return a > b; }
constexpr bool v_cmp_ne_u16(uint16_t a, uint16_t b) { return a != b; }
constexpr bool v_cmp_lg_u16(uint16_t a, uint16_t b) { return a != b; }
constexpr bool v_cmp_ge_u16(uint16_t a, uint16_t b) { return a >= b; }
constexpr bool v_cmp_t_u16(uint16_t, uint16_t) { return true; }
constexpr bool v_cmp_f_i32(int32_t, int32_t) { return false; }
constexpr bool v_cmp_lt_i32(int32_t a, int32_t b) { return a < b; }
constexpr bool v_cmp_eq_i32(int32_t a, int32_t b) { return a == b; }
constexpr bool v_cmp_le_i32(int32_t a, int32_t b) { return a <= b; }
constexpr bool v_cmp_gt_i32(int32_t a, int32_t b) { return a > b; }
constexpr bool v_cmp_ne_i32(int32_t a, int32_t b) { return a != b; }
constexpr bool v_cmp_lg_i32(int32_t a, int32_t b) { return a != b; }
constexpr bool v_cmp_ge_i32(int32_t a, int32_t b) { return a >= b; }
constexpr bool v_cmp_t_i32(int32_t, int32_t) { return true; }
constexpr bool v_cmp_f_u32(uint32_t, uint32_t) { return false; }
constexpr bool v_cmp_lt_u32(uint32_t a, uint32_t b) { return a < b; }
constexpr bool v_cmp_eq_u32(uint32_t a, uint32_t b) { return a == b; }
constexpr bool v_cmp_le_u32(uint32_t a, uint32_t b) { return a <= b; }
constexpr bool v_cmp_gt_u32(uint32_t a, uint32_t b) { return a > b; }
constexpr bool v_cmp_ne_u32(uint32_t a, uint32_t b) { return a != b; }
constexpr bool v_cmp_lg_u32(uint32_t a, uint32_t b) { return a != b; }
constexpr bool v_cmp_ge_u32(uint32_t a, uint32_t b) { return a >= b; }
constexpr bool v_cmp_t_u32(uint32_t, uint32_t) { return true; }
constexpr bool v_cmp_f_i64(int64_t, int64_t) { return false; }
constexpr bool v_cmp_lt_i64(int64_t a, int64_t b) { return a < b; }
constexpr bool v_cmp_eq_i64(int64_t a, int64_t b) { return a == b; }
constexpr bool v_cmp_le_i64(int64_t a, int64_t b) { return a <= b; }
constexpr bool v_cmp_gt_i64(int64_t a, int64_t b) { return a > b; }
constexpr bool v_cmp_ne_i64(int64_t a, int64_t b) { return a != b; }
constexpr bool v_cmp_lg_i64(int64_t a, int64_t b) { return a != b; }
constexpr bool v_cmp_ge_i64(int64_t a, int64_t b) { return a >= b; }
constexpr bool v_cmp_t_i64(int64_t, int64_t) { return true; }
constexpr bool v_cmp_f_u64(uint64_t, uint64_t) { return false; }
constexpr bool v_cmp_lt_u64(uint64_t a, uint64_t b) { return a < b; }
constexpr bool v_cmp_eq_u64(uint64_t a, uint64_t b) { return a == b; }
constexpr bool v_cmp_le_u64(uint64_t a, uint64_t b) { return a <= b; }
constexpr bool v_cmp_gt_u64(uint64_t a, uint64_t b) { return a > b; }
constexpr bool v_cmp_ne_u64(uint64_t a, uint64_t b) { return a != b; }
constexpr bool v_cmp_lg_u64(uint64_t a, uint64_t b) { return a != b; }
constexpr bool v_cmp_ge_u64(uint64_t a, uint64_t b) { return a >= b; }
constexpr bool v_cmp_t_u64(uint64_t, uint64_t) { return true; }

} // namespace ptxshim::vgpu::meaning
