// SPDX-License-Identifier: MIT
// Comparisons, by what they give for less, equal, greater and unordered operands: the four columns of each row. Then the
// corners: the signs of zero, infinities, denormals that the mode flushes, the widths and signs of integers.
#include "support.h"

namespace ptxshim::vgpu::meaning {
namespace {

template <class T> struct Operands;
template <> struct Operands<float> {
  static float one() { return f32(0x3f800000U); }
  static float two() { return f32(0x40000000U); }
  static float nan() { return f32(0x7fc00000U); }
};
template <> struct Operands<double> {
  static double one() { return f64(0x3ff0000000000000U); }
  static double two() { return f64(0x4000000000000000U); }
  static double nan() { return f64(0x7ff8000000000000U); }
};
template <> struct Operands<F16> {
  static F16 one() { return f16(0x3c00); }
  static F16 two() { return f16(0x4000); }
  static F16 nan() { return f16(0x7e00); }
};

template <class T> void check_float(const char* name, bool (*compare)(T, T, const FloatMode&), const bool (&expected)[4]) {
  using O = Operands<T>;
  EXPECT_EQ(compare(O::one(), O::two(), kKeepDenormals), expected[0]) << name;
  EXPECT_EQ(compare(negate(O::two()), negate(O::one()), kKeepDenormals), expected[0]) << name;
  EXPECT_EQ(compare(negate(infinity<T>(false)), O::one(), kKeepDenormals), expected[0]) << name;
  EXPECT_EQ(compare(O::two(), O::two(), kKeepDenormals), expected[1]) << name;
  EXPECT_EQ(compare(opaque(zero<T>(true)), opaque(zero<T>(false)), kKeepDenormals), expected[1]) << name;
  EXPECT_EQ(compare(O::two(), O::one(), kKeepDenormals), expected[2]) << name;
  EXPECT_EQ(compare(O::one(), negate(O::two()), kKeepDenormals), expected[2]) << name;
  EXPECT_EQ(compare(O::nan(), O::one(), kKeepDenormals), expected[3]) << name;
  EXPECT_EQ(compare(O::one(), O::nan(), kKeepDenormals), expected[3]) << name;
  EXPECT_EQ(compare(O::nan(), O::nan(), kKeepDenormals), expected[3]) << name;
  // The least denormal is greater than zero, unless the mode takes it for zero.
  const T least = opaque(from_bits<T>(1)), nothing = opaque(zero<T>(false));
  EXPECT_EQ(compare(least, nothing, kKeepDenormals), expected[2]) << name;
  EXPECT_EQ(compare(least, nothing, kFlushAll), expected[1]) << name;
}
#define FLOAT(name, ...) check_float(#name, &name, {__VA_ARGS__})

// `less` < `greater` in the type; as bits of the other signedness the order is the opposite.
template <class T> void check_integer(const char* name, bool (*compare)(T, T), const bool (&expected)[3]) {
  const T high = static_cast<T>(static_cast<T>(1) << (sizeof(T) * 8 - 1));
  const bool has_sign = high < 0;
  const T less = has_sign ? high : T{1}, greater = has_sign ? T{1} : high;
  EXPECT_EQ(compare(less, greater), expected[0]) << name;
  EXPECT_EQ(compare(5, 7), expected[0]) << name;
  EXPECT_EQ(compare(high, high), expected[1]) << name;
  EXPECT_EQ(compare(greater, less), expected[2]) << name;
}
#define INTEGER(name, ...) check_integer(#name, &name, {__VA_ARGS__})

TEST(v_cmp_lt_f16, and_its_like) {
  FLOAT(v_cmp_f_f16, false, false, false, false);
  FLOAT(v_cmp_lt_f16, true, false, false, false);
  FLOAT(v_cmp_eq_f16, false, true, false, false);
  FLOAT(v_cmp_le_f16, true, true, false, false);
  FLOAT(v_cmp_gt_f16, false, false, true, false);
  FLOAT(v_cmp_lg_f16, true, false, true, false);
  FLOAT(v_cmp_ge_f16, false, true, true, false);
  FLOAT(v_cmp_o_f16, true, true, true, false);
  FLOAT(v_cmp_u_f16, false, false, false, true);
  FLOAT(v_cmp_nge_f16, true, false, false, true);
  FLOAT(v_cmp_nlg_f16, false, true, false, true);
  FLOAT(v_cmp_ngt_f16, true, true, false, true);
  FLOAT(v_cmp_nle_f16, false, false, true, true);
  FLOAT(v_cmp_neq_f16, true, false, true, true);
  FLOAT(v_cmp_nlt_f16, false, true, true, true);
  FLOAT(v_cmp_tru_f16, true, true, true, true);
  FLOAT(v_cmp_t_f16, true, true, true, true);
}
TEST(v_cmp_lt_f32, and_its_like) {
  FLOAT(v_cmp_f_f32, false, false, false, false);
  FLOAT(v_cmp_lt_f32, true, false, false, false);
  FLOAT(v_cmp_eq_f32, false, true, false, false);
  FLOAT(v_cmp_le_f32, true, true, false, false);
  FLOAT(v_cmp_gt_f32, false, false, true, false);
  FLOAT(v_cmp_lg_f32, true, false, true, false);
  FLOAT(v_cmp_ge_f32, false, true, true, false);
  FLOAT(v_cmp_o_f32, true, true, true, false);
  FLOAT(v_cmp_u_f32, false, false, false, true);
  FLOAT(v_cmp_nge_f32, true, false, false, true);
  FLOAT(v_cmp_nlg_f32, false, true, false, true);
  FLOAT(v_cmp_ngt_f32, true, true, false, true);
  FLOAT(v_cmp_nle_f32, false, false, true, true);
  FLOAT(v_cmp_neq_f32, true, false, true, true);
  FLOAT(v_cmp_nlt_f32, false, true, true, true);
  FLOAT(v_cmp_tru_f32, true, true, true, true);
  FLOAT(v_cmp_t_f32, true, true, true, true);
}
TEST(v_cmp_lt_f64, and_its_like) {
  FLOAT(v_cmp_f_f64, false, false, false, false);
  FLOAT(v_cmp_lt_f64, true, false, false, false);
  FLOAT(v_cmp_eq_f64, false, true, false, false);
  FLOAT(v_cmp_le_f64, true, true, false, false);
  FLOAT(v_cmp_gt_f64, false, false, true, false);
  FLOAT(v_cmp_lg_f64, true, false, true, false);
  FLOAT(v_cmp_ge_f64, false, true, true, false);
  FLOAT(v_cmp_o_f64, true, true, true, false);
  FLOAT(v_cmp_u_f64, false, false, false, true);
  FLOAT(v_cmp_nge_f64, true, false, false, true);
  FLOAT(v_cmp_nlg_f64, false, true, false, true);
  FLOAT(v_cmp_ngt_f64, true, true, false, true);
  FLOAT(v_cmp_nle_f64, false, false, true, true);
  FLOAT(v_cmp_neq_f64, true, false, true, true);
  FLOAT(v_cmp_nlt_f64, false, true, true, true);
  FLOAT(v_cmp_tru_f64, true, true, true, true);
  FLOAT(v_cmp_t_f64, true, true, true, true);
}
TEST(s_cmp_lt_f16, and_its_like) {
  FLOAT(s_cmp_lt_f16, true, false, false, false);
  FLOAT(s_cmp_eq_f16, false, true, false, false);
  FLOAT(s_cmp_le_f16, true, true, false, false);
  FLOAT(s_cmp_gt_f16, false, false, true, false);
  FLOAT(s_cmp_lg_f16, true, false, true, false);
  FLOAT(s_cmp_ge_f16, false, true, true, false);
  FLOAT(s_cmp_o_f16, true, true, true, false);
  FLOAT(s_cmp_u_f16, false, false, false, true);
  FLOAT(s_cmp_nge_f16, true, false, false, true);
  FLOAT(s_cmp_nlg_f16, false, true, false, true);
  FLOAT(s_cmp_ngt_f16, true, true, false, true);
  FLOAT(s_cmp_nle_f16, false, false, true, true);
  FLOAT(s_cmp_neq_f16, true, false, true, true);
  FLOAT(s_cmp_nlt_f16, false, true, true, true);
}
TEST(s_cmp_lt_f32, and_its_like) {
  FLOAT(s_cmp_lt_f32, true, false, false, false);
  FLOAT(s_cmp_eq_f32, false, true, false, false);
  FLOAT(s_cmp_le_f32, true, true, false, false);
  FLOAT(s_cmp_gt_f32, false, false, true, false);
  FLOAT(s_cmp_lg_f32, true, false, true, false);
  FLOAT(s_cmp_ge_f32, false, true, true, false);
  FLOAT(s_cmp_o_f32, true, true, true, false);
  FLOAT(s_cmp_u_f32, false, false, false, true);
  FLOAT(s_cmp_nge_f32, true, false, false, true);
  FLOAT(s_cmp_nlg_f32, false, true, false, true);
  FLOAT(s_cmp_ngt_f32, true, true, false, true);
  FLOAT(s_cmp_nle_f32, false, false, true, true);
  FLOAT(s_cmp_neq_f32, true, false, true, true);
  FLOAT(s_cmp_nlt_f32, false, true, true, true);
}
TEST(v_cmp_lt_i16, and_its_like) {
  INTEGER(v_cmp_f_i16, false, false, false);
  INTEGER(v_cmp_lt_i16, true, false, false);
  INTEGER(v_cmp_eq_i16, false, true, false);
  INTEGER(v_cmp_le_i16, true, true, false);
  INTEGER(v_cmp_gt_i16, false, false, true);
  INTEGER(v_cmp_ne_i16, true, false, true);
  INTEGER(v_cmp_ge_i16, false, true, true);
  INTEGER(v_cmp_t_i16, true, true, true);
}
TEST(v_cmp_lt_u16, and_its_like) {
  INTEGER(v_cmp_f_u16, false, false, false);
  INTEGER(v_cmp_lt_u16, true, false, false);
  INTEGER(v_cmp_eq_u16, false, true, false);
  INTEGER(v_cmp_le_u16, true, true, false);
  INTEGER(v_cmp_gt_u16, false, false, true);
  INTEGER(v_cmp_ne_u16, true, false, true);
  INTEGER(v_cmp_ge_u16, false, true, true);
  INTEGER(v_cmp_t_u16, true, true, true);
}
TEST(v_cmp_lt_i32, and_its_like) {
  INTEGER(v_cmp_f_i32, false, false, false);
  INTEGER(v_cmp_lt_i32, true, false, false);
  INTEGER(v_cmp_eq_i32, false, true, false);
  INTEGER(v_cmp_le_i32, true, true, false);
  INTEGER(v_cmp_gt_i32, false, false, true);
  INTEGER(v_cmp_ne_i32, true, false, true);
  INTEGER(v_cmp_ge_i32, false, true, true);
  INTEGER(v_cmp_t_i32, true, true, true);
}
TEST(v_cmp_lt_u32, and_its_like) {
  INTEGER(v_cmp_f_u32, false, false, false);
  INTEGER(v_cmp_lt_u32, true, false, false);
  INTEGER(v_cmp_eq_u32, false, true, false);
  INTEGER(v_cmp_le_u32, true, true, false);
  INTEGER(v_cmp_gt_u32, false, false, true);
  INTEGER(v_cmp_ne_u32, true, false, true);
  INTEGER(v_cmp_ge_u32, false, true, true);
  INTEGER(v_cmp_t_u32, true, true, true);
}
TEST(v_cmp_lt_i64, and_its_like) {
  INTEGER(v_cmp_f_i64, false, false, false);
  INTEGER(v_cmp_lt_i64, true, false, false);
  INTEGER(v_cmp_eq_i64, false, true, false);
  INTEGER(v_cmp_le_i64, true, true, false);
  INTEGER(v_cmp_gt_i64, false, false, true);
  INTEGER(v_cmp_ne_i64, true, false, true);
  INTEGER(v_cmp_ge_i64, false, true, true);
  INTEGER(v_cmp_t_i64, true, true, true);
}
TEST(v_cmp_lt_u64, and_its_like) {
  INTEGER(v_cmp_f_u64, false, false, false);
  INTEGER(v_cmp_lt_u64, true, false, false);
  INTEGER(v_cmp_eq_u64, false, true, false);
  INTEGER(v_cmp_le_u64, true, true, false);
  INTEGER(v_cmp_gt_u64, false, false, true);
  INTEGER(v_cmp_ne_u64, true, false, true);
  INTEGER(v_cmp_ge_u64, false, true, true);
  INTEGER(v_cmp_t_u64, true, true, true);
}

} // namespace
} // namespace ptxshim::vgpu::meaning
