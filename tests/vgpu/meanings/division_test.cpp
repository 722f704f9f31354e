// SPDX-License-Identifier: MIT
//
// The division steps by themselves, and together as code generators put them together: the result must be the
// correctly rounded quotient, for f32 and f64, denormals included.
#include "support.h"

namespace ptxshim::vgpu::meaning {
namespace {

const FloatMode kNear = kKeepDenormals;

float divide(float n, float d) {
  const float ds = v_div_scale_f32(d, d, n, kNear).value;
  const WithCarry<float> ns = v_div_scale_f32(n, d, n, kNear);
  float r = v_rcp_f32(ds, kNear);
  r = v_fma_f32(v_fma_f32(negate(ds), r, 1.0f, kNear), r, r, kNear);
  float q = v_mul_f32(ns.value, r, kNear);
  q = v_fma_f32(v_fma_f32(negate(ds), q, ns.value, kNear), r, q, kNear);
  const float rest = v_fma_f32(negate(ds), q, ns.value, kNear);
  return v_div_fixup_f32(v_div_fmas_f32(rest, r, q, ns.carry, kNear), d, n, kNear);
}
double divide(double n, double d) {
  const double ds = v_div_scale_f64(d, d, n, kNear).value;
  const WithCarry<double> ns = v_div_scale_f64(n, d, n, kNear);
  double r = v_rcp_f64(ds, kNear);
  r = v_fma_f64(r, v_fma_f64(negate(ds), r, 1.0, kNear), r, kNear);
  r = v_fma_f64(r, v_fma_f64(negate(ds), r, 1.0, kNear), r, kNear);
  const double q = v_mul_f64(ns.value, r, kNear);
  const double rest = v_fma_f64(negate(ds), q, ns.value, kNear);
  return v_div_fixup_f64(v_div_fmas_f64(rest, r, q, ns.carry, kNear), d, n, kNear);
}
template <class T> void check_division(T n, T d) {
  if (is_nan(n) || is_nan(d)) return;
  ASSERT_EQ(to_bits(divide(n, d)), to_bits(opaque(n) / opaque(d))) << std::hex << to_bits(n) << " / " << to_bits(d);
}
template <class T> void check_all_divisions(int spread) {
  for (const T n : corners<T>())
    for (const T d : corners<T>()) check_division(n, d);
  Random random(8);
  for (int i = 0; i < 300000; ++i) {
    check_division(random.any<T>(), random.any<T>());
    check_division(random.near_one<T>(spread), random.near_one<T>(spread));
    // Quotients that are denormal or nearly so, and numerators that are.
    const T small = scale_bits(random.near_one<T>(30), -Format<T>::kBias + 10, Round::NearestEven);
    check_division(small, random.near_one<T>(20));
    check_division(random.near_one<T>(20), scale_bits(small, Format<T>::kBias * 2 - 60, Round::NearestEven));
  }
}
TEST(v_div_fixup_f32, completes_a_correctly_rounded_division) { check_all_divisions<float>(126); }
TEST(v_div_fixup_f64, completes_a_correctly_rounded_division) { check_all_divisions<double>(1020); }

TEST(v_div_scale_f32, scales_by_the_exponent_fields) {
  const float one = 1.0f;
  const auto scaled = [](float v, float d, float n) { return v_div_scale_f32(v, d, n, kNear); };
  EXPECT_F32(scaled(3.0f, 3.0f, one).value, to_bits(3.0f));
  EXPECT_FALSE(scaled(3.0f, 3.0f, one).carry);
  // Quotient near overflow: the denominator goes up by 2^64.
  EXPECT_F32(scaled(0x1p-50f, 0x1p-50f, 0x1p50f).value, to_bits(0x1p14f));
  EXPECT_F32(scaled(0x1p50f, 0x1p-50f, 0x1p50f).value, to_bits(0x1p50f));
  EXPECT_TRUE(scaled(0x1p50f, 0x1p-50f, 0x1p50f).carry);
  // Quotient near underflow: the numerator does.
  EXPECT_F32(scaled(0x1p50f, 0x1p50f, 0x1p-50f).value, to_bits(0x1p50f));
  EXPECT_F32(scaled(0x1p-50f, 0x1p50f, 0x1p-50f).value, to_bits(0x1p14f));
  EXPECT_TRUE(scaled(0x1p-50f, 0x1p50f, 0x1p-50f).carry);
  EXPECT_TRUE(scaled(1.0f, 1.0f, 0x1p96f).carry);
  EXPECT_FALSE(scaled(1.0f, 1.0f, 0x1p95f).carry);
  EXPECT_TRUE(scaled(1.0f, 1.0f, 0x1p-96f).carry);
  EXPECT_FALSE(scaled(1.0f, 1.0f, 0x1p-95f).carry);
  // A denormal denominator moves both up, a huge one both down, a tiny numerator both up.
  EXPECT_F32(scaled(f32(1), f32(1), 0x1p-100f).value, to_bits(0x1p-85f));
  EXPECT_F32(scaled(0x1p-100f, f32(1), 0x1p-100f).value, to_bits(0x1p-36f));
  EXPECT_F32(scaled(0x1p127f, 0x1p127f, 0x1p100f).value, to_bits(0x1p63f));
  EXPECT_F32(scaled(0x1p100f, 0x1p127f, 0x1p100f).value, to_bits(0x1p36f));
  EXPECT_F32(scaled(0x1p-110f, 0x1p-100f, 0x1p-110f).value, to_bits(0x1p-46f));
  EXPECT_F32(scaled(0x1p-100f, 0x1p-100f, 0x1p-110f).value, to_bits(0x1p-36f));
  EXPECT_F32(scaled(0x1p-103f, 0x1p-100f, 0x1p-103f).value, to_bits(0x1p-39f)); // exponent field 24; the manuals end at 23
  EXPECT_F32(scaled(0x1p-102f, 0x1p-100f, 0x1p-102f).value, to_bits(0x1p-102f));
  // No quotient.
  EXPECT_F32(scaled(1.0f, 0.0f, 1.0f).value, 0xffc00000U);
  EXPECT_F32(scaled(1.0f, 1.0f, -0.0f).value, 0xffc00000U);
  EXPECT_F32(v_div_scale_f32(f32(1), f32(1), 1.0f, kFlushDenormals32).value, 0xffc00000U);
}
TEST(v_div_scale_f64, scales_by_the_exponent_fields) {
  EXPECT_F64(v_div_scale_f64(0x1p-400, 0x1p-400, 0x1p400, kNear).value, to_bits(0x1p-272));
  EXPECT_TRUE(v_div_scale_f64(1.0, 1.0, 0x1p768, kNear).carry);
  EXPECT_FALSE(v_div_scale_f64(1.0, 1.0, 0x1p767, kNear).carry);
  EXPECT_F64(v_div_scale_f64(0.0, 1.0, 0.0, kNear).value, 0xfff8000000000000U);
}
TEST(v_div_fmas_f32, moves_flagged_lanes_back) {
  EXPECT_F32(v_div_fmas_f32(0.0f, 1.0f, 3.0f, false, kNear), to_bits(3.0f));
  EXPECT_F32(v_div_fmas_f32(0.0f, 1.0f, 0x1p40f, true, kNear), to_bits(0x1p104f));
  EXPECT_F32(v_div_fmas_f32(0.0f, 1.0f, 0x1p-40f, true, kNear), to_bits(0x1p-104f));
  EXPECT_F32(v_div_fmas_f32(f32(0x7f800001), 1.0f, 1.0f, true, kNear), 0x7fc00001U);
  EXPECT_F64(v_div_fmas_f64(0.0, 1.0, 0x1p40, true, kNear), to_bits(0x1p168));
  EXPECT_F64(v_div_fmas_f64(0.0, 1.0, 0x1p-40, true, kNear), to_bits(0x1p-168));
  EXPECT_F64(v_div_fmas_f64(2.0, 3.0, 1.0, false, kNear), to_bits(7.0));
}
TEST(v_div_fmas_f32, keeps_denormal_operands_in_any_mode) {
  EXPECT_F32(v_div_fmas_f32(0x1p-127f, 0x1p127f, 0.0f, false, kFlushDenormals32), to_bits(1.0f));
  EXPECT_F32(v_div_fmas_f32(0.0f, 1.0f, 0x1p-127f, false, kFlushDenormals32), 0U); // but not a denormal result
  EXPECT_F64(v_div_fmas_f64(0x1p-1074, 0x1p1000, 0.0, false, kFlushAll), to_bits(0x1p-74));
  EXPECT_F64(v_div_fmas_f64(0x1p-1074, 0x1p1000, 1.0, true, kFlushAll), to_bits(0x1p-128));
  // An exact difference is -0 only toward minus infinity.
  EXPECT_F32(v_div_fmas_f32(1.0f, 1.0f, -1.0f, true, mode_with(Round::MinusInfinity)), 0x80000000U);
  EXPECT_F32(v_div_fmas_f32(1.0f, 1.0f, -1.0f, false, mode_with(Round::PlusInfinity)), 0U);
}
TEST(v_div_fixup_f32, rounds_what_is_out_of_range) {
  const float inf = f32(0x7f800000);
  EXPECT_F32(v_div_fixup_f32(f32(1), 1.0f, 1.0f, kFlushDenormals32), 1U); // the quotient passes as it is
  EXPECT_F32(v_div_fixup_f32(inf, 1.0f, 1.0f, mode_with(Round::TowardZero)), 0x7f7fffffU);
  EXPECT_F32(v_div_fixup_f32(inf, -1.0f, 1.0f, mode_with(Round::PlusInfinity)), 0xff7fffffU);
  EXPECT_F32(v_div_fixup_f32(inf, -1.0f, 1.0f, mode_with(Round::MinusInfinity)), 0xff800000U);
  EXPECT_F32(v_div_fixup_f32(0.5f, 0x1p100f, 0x1p-60f, mode_with(Round::PlusInfinity)), 1U);
  EXPECT_F32(v_div_fixup_f32(0.5f, 0x1p100f, 0x1p-60f, mode_with(Round::MinusInfinity)), 0U);
  EXPECT_F64(v_div_fixup_f64(0.5, -0x1p600, 0x1p-500, mode_with(Round::MinusInfinity)), 0x8000000000000001U);
}
TEST(v_div_fixup_f32, special_cases_of_the_manual) {
  const float inf = f32(0x7f800000), q = 0.5f;
  EXPECT_F32(v_div_fixup_f32(q, 2.0f, f32(0x7f800001), kNear), 0x7fc00001U);
  EXPECT_F32(v_div_fixup_f32(q, f32(0xff800002), 2.0f, kNear), 0xffc00002U);
  EXPECT_F32(v_div_fixup_f32(q, 0.0f, -0.0f, kNear), 0xffc00000U);
  EXPECT_F32(v_div_fixup_f32(q, inf, -inf, kNear), 0xffc00000U);
  EXPECT_F32(v_div_fixup_f32(q, -0.0f, 3.0f, kNear), 0xff800000U);
  EXPECT_F32(v_div_fixup_f32(q, 3.0f, -inf, kNear), 0xff800000U);
  EXPECT_F32(v_div_fixup_f32(q, inf, -3.0f, kNear), 0x80000000U);
  EXPECT_F32(v_div_fixup_f32(q, -3.0f, 0.0f, kNear), 0x80000000U);
  EXPECT_F32(v_div_fixup_f32(q, -3.0f, 3.0f, kNear), to_bits(-0.5f));
  EXPECT_F32(v_div_fixup_f32(f32(0x7fc00000), -3.0f, 3.0f, kNear), 0xff800000U);
  EXPECT_F32(v_div_fixup_f32(q, 0x1p100f, 0x1p-60f, kNear), 0U);
  EXPECT_F16(v_div_fixup_f16(f16(0x3800), f16(0x8000), f16(0x3c00), kNear), 0xfc00U);
  EXPECT_F16(v_div_fixup_f16(f16(0x3800), f16(0xc000), f16(0x3c00), kNear), 0xb800U);
  EXPECT_F16(v_div_fixup_legacy_f16(f16(0x3800), f16(0xc000), f16(0x3c00), kNear), 0xb800U);
}

TEST(v_ldexp_f32, scales_with_one_rounding) {
  EXPECT_F32(v_ldexp_f32(1.5f, 3, kNear), to_bits(12.0f));
  EXPECT_F32(v_ldexp_f32(f32(0x3f800001), -149, kNear), 1U);
  EXPECT_F32(v_ldexp_f32(1.5f, -149, kNear), 2U);
  EXPECT_F32(v_ldexp_f32(1.0f, -150, kNear), 0U);
  EXPECT_F32(v_ldexp_f32(1.0f, -150, mode_with(Round::PlusInfinity)), 1U);
  EXPECT_F32(v_ldexp_f32(-1.0f, INT32_MIN, kNear), 0x80000000U);
  EXPECT_F32(v_ldexp_f32(f32(1), INT32_MAX, kNear), 0x7f800000U);
  EXPECT_F32(v_ldexp_f32(f32(1), 149, kNear), to_bits(1.0f));
  EXPECT_F32(v_ldexp_f32(f32(1), 149, kFlushDenormals32), 0U);
  EXPECT_F32(v_ldexp_f32(f32(0x7f800001), 1, kNear), 0x7fc00001U);
  EXPECT_F64(v_ldexp_f64(1.5, -1074, kNear), 2U);
  EXPECT_F64(v_ldexp_f64(1.0, 1024, kNear), 0x7ff0000000000000U);
  EXPECT_F64(v_ldexp_f64(-3.0, 2, kNear), to_bits(-12.0));
  EXPECT_F16(v_ldexp_f16(f16(0x3e00), -24, kNear), 2U);
  EXPECT_F16(v_ldexp_f16(f16(0x3c00), 0x7fff, kNear), 0x7c00U);
}
TEST(v_ldexp_f64, agrees_with_exact_scaling) {
  Random random(12);
  const auto check = [](double x, int n) {
    ASSERT_EQ(to_bits(v_ldexp_f64(x, n, kNear)), to_bits(scale_bits(x, n, Round::NearestEven)))
        << std::hex << to_bits(x) << std::dec << " by " << n;
    const float f = static_cast<float>(x);
    ASSERT_EQ(to_bits(v_ldexp_f32(f, n, kNear)), to_bits(scale_bits(f, n, Round::NearestEven)));
  };
  for (const double x : corners<double>())
    for (int n = -2200; n <= 2200; n += 3) check(x, n);
  for (int i = 0; i < 300000; ++i) {
    const int n = static_cast<int>(random.next() % 4400) - 2200;
    check(random.any<double>(), n);
    check(random.near_one<double>(5), -1010 - static_cast<int>(random.next() % 70)); // ends among the denormals
  }
}
TEST(v_frexp_mant_f32, takes_numbers_apart) {
  EXPECT_F32(v_frexp_mant_f32(-12.0f, kNear), to_bits(-0.75f));
  EXPECT_EQ(v_frexp_exp_i32_f32(-12.0f, kNear), 4);
  EXPECT_F32(v_frexp_mant_f32(f32(1), kNear), to_bits(0.5f));
  EXPECT_EQ(v_frexp_exp_i32_f32(f32(1), kNear), -148);
  EXPECT_F32(v_frexp_mant_f32(f32(1), kFlushDenormals32), 0U);
  EXPECT_F32(v_frexp_mant_f32(f32(0xff800000), kNear), 0xff800000U);
  EXPECT_EQ(v_frexp_exp_i32_f32(f32(0xff800000), kNear), 0);
  EXPECT_F32(v_frexp_mant_f32(-0.0f, kNear), 0x80000000U);
  EXPECT_EQ(v_frexp_exp_i32_f32(0.0f, kNear), 0);
  EXPECT_F64(v_frexp_mant_f64(f64(1), kNear), to_bits(0.5));
  EXPECT_EQ(v_frexp_exp_i32_f64(f64(1), kNear), -1073);
  EXPECT_EQ(v_frexp_exp_i32_f64(1.0, kNear), 1);
  EXPECT_F16(v_frexp_mant_f16(f16(0x4200), kNear), 0x3a00U);
  EXPECT_EQ(v_frexp_exp_i16_f16(f16(0x4200), kNear), 2);
  EXPECT_EQ(v_frexp_exp_i16_f16(f16(0x0001), kNear), -23);
}
TEST(v_trig_preop_f64, segments_add_up_to_two_over_pi) {
  // 2/pi = 0.A2F9836E 4E441529 FC2757D1 F534DDC0 DB6295.. in base 16: the first 53 bits, then the next.
  EXPECT_F64(v_trig_preop_f64(1.0, 0), to_bits(0x1.45F306DC9C882p-1));
  // 52 bits are ..4E441; of the next digit, 5, its first bit still belongs to them: 101 starts the second segment,
  // which ends within the digit 3 of 29FC2757D1F534.
  const double second = v_trig_preop_f64(1.0, 1), third = v_trig_preop_f64(1.0, 2);
  EXPECT_F64(second, to_bits(0x0.00000000000005p0 + 0x0.0000000000000029FC2757D1F5p0));
  const double sum = v_trig_preop_f64(1.0, 0) + (second + third);
  EXPECT_F64(sum, to_bits(0x1.45f306dc9c883p-1)); // 2/pi, rounded
  // Large arguments start further on; very large ones are scaled.
  EXPECT_F64(v_trig_preop_f64(f64(uint64_t{1078} << 52), 0), to_bits(0x0.22F9836E4E4414p0)); // bits 1 to 53
  EXPECT_F64(v_trig_preop_f64(f64(uint64_t{2046} << 52), 31), 0U); // past the table
}

} // namespace
} // namespace ptxshim::vgpu::meaning
