// SPDX-License-Identifier: MIT
//
// Half precision against exact arithmetic: every half is a small integer times 2^-24, sums and products of halves are
// integers of at most 80 bits times a power of two, and rounding those is written here a second time, plainly.
#include "support.h"

namespace ptxshim::vgpu::meaning {
namespace {

const FloatMode kNear = kKeepDenormals;
__extension__ typedef __int128 Int128;

Int128 fixed_point(F16 h) { // in units of 2^-24
  const int e = exponent_field(h);
  const Int128 f = h.bits & 0x3ff;
  const Int128 v = e == 0 ? f : (f + 1024) << (e - 1);
  return is_negative(h) ? -v : v;
}
// The half below or equal to |v| * 2^-shift units, found by search, then rounded by comparing distances.
F16 reference(Int128 v, int shift, bool negative_zero, Round r) {
  const bool negative = v < 0 || (v == 0 && negative_zero);
  const Int128 size = v < 0 ? -v : v;
  uint16_t low = 0, high = 0x7c00; // 0x7c00 stands for 2^16, as if the format went on
  const auto value = [&](uint16_t bits) { return fixed_point(F16{bits}) << shift; };
  if (size >= value(0x7c00)) {
    const bool infinite = r == Round::NearestEven || r == (negative ? Round::MinusInfinity : Round::PlusInfinity);
    return with_sign(F16{static_cast<uint16_t>(infinite ? 0x7c00 : 0x7bff)}, negative);
  }
  while (high - low > 1) {
    const uint16_t mid = static_cast<uint16_t>((low + high) / 2);
    (value(mid) <= size ? low : high) = mid;
  }
  const Int128 down = size - value(low), up = value(high) - size;
  bool take_high = false;
  switch (r) {
  case Round::NearestEven: take_high = up < down || (up == down && (low & 1) != 0); break;
  case Round::PlusInfinity: take_high = down != 0 && !negative; break;
  case Round::MinusInfinity: take_high = down != 0 && negative; break;
  case Round::TowardZero: break;
  }
  return with_sign(F16{take_high ? high : low}, negative);
}
std::vector<F16> finite_samples() {
  std::vector<F16> r;
  for (const F16 h : corners<F16>())
    if (is_finite(h)) r.push_back(h);
  Random random(5);
  while (r.size() < 160) {
    const F16 h = random.any<F16>();
    if (is_finite(h)) r.push_back(h);
  }
  return r;
}
bool zero_sum_sign(bool a, bool b, Round r) { return a == b ? a : r == Round::MinusInfinity; }

TEST(v_add_f16, is_exact_arithmetic_rounded_once) {
  for (const Round r : kRounds)
    for (const F16 a : finite_samples())
      for (const F16 b : finite_samples()) {
        const bool sign = zero_sum_sign(is_negative(a), is_negative(b), r);
        const F16 want = reference(fixed_point(a) + fixed_point(b), 0, sign, r);
        ASSERT_EQ(v_add_f16(a, b, mode_with(r)).bits, want.bits) << std::hex << a.bits << " " << b.bits;
        ASSERT_EQ(v_sub_f16(a, negate(b), mode_with(r)).bits, want.bits);
        ASSERT_EQ(v_subrev_f16(negate(b), a, mode_with(r)).bits, want.bits);
      }
}
TEST(v_mul_f16, is_exact_arithmetic_rounded_once) {
  for (const Round r : kRounds)
    for (const F16 a : finite_samples())
      for (const F16 b : finite_samples()) {
        const F16 want = reference(fixed_point(a) * fixed_point(b), 24, is_negative(a) != is_negative(b), r);
        ASSERT_EQ(v_mul_f16(a, b, mode_with(r)).bits, want.bits) << std::hex << a.bits << " " << b.bits;
      }
}
TEST(v_fma_f16, is_exact_arithmetic_rounded_once) {
  const std::vector<F16> s = finite_samples();
  for (const Round r : kRounds)
    for (const F16 a : s)
      for (const F16 b : s)
        for (size_t i = 0; i < s.size(); i += 3) {
          const F16 c = s[i];
          const Int128 product = fixed_point(a) * fixed_point(b);
          const bool sign = zero_sum_sign(is_negative(a) != is_negative(b), is_negative(c), r);
          const F16 want = reference(product + (fixed_point(c) << 24), 24, sign, r);
          ASSERT_EQ(v_fma_f16(a, b, c, mode_with(r)).bits, want.bits)
              << std::hex << a.bits << " " << b.bits << " " << c.bits << " mode " << static_cast<int>(r);
        }
}
TEST(v_fma_f16, names) {
  const F16 two{0x4000}, three{0x4200}, four{0x4400};
  EXPECT_F16(v_fma_f16(two, three, four, kNear), 0x4900U);
  EXPECT_F16(v_fmac_f16(two, three, four, kNear), 0x4900U);
  EXPECT_F16(v_fmamk_f16(two, three, four, kNear), 0x4900U);
  EXPECT_F16(v_fmaak_f16(two, three, four, kNear), 0x4900U);
  EXPECT_F16(v_fma_legacy_f16(two, three, four, kNear), 0x4900U);
  EXPECT_F16(v_mad_f16(two, three, four, kNear), 0x4900U);
  EXPECT_F16(v_mac_f16(two, three, four, kNear), 0x4900U);
  EXPECT_F16(v_madmk_f16(two, three, four, kNear), 0x4900U);
  EXPECT_F16(v_madak_f16(two, three, four, kNear), 0x4900U);
  EXPECT_F16(v_mad_legacy_f16(two, three, four, kNear), 0x4900U);
}
TEST(v_add_f16, nans_infinities_and_flushing) {
  EXPECT_F16(v_add_f16(f16(0x7c01), f16(0x7e02), kNear), 0x7e01U);
  EXPECT_F16(v_add_f16(f16(0x3c00), f16(0xfc03), kNear), 0xfe03U);
  EXPECT_F16(v_add_f16(f16(0x7c00), f16(0xfc00), kNear), 0xfe00U);
  EXPECT_F16(v_add_f16(f16(0x0001), f16(0x0001), kNear), 0x0002U);
  EXPECT_F16(v_add_f16(f16(0x0001), f16(0x0001), kFlushDenormals32), 0x0002U);
  EXPECT_F16(v_add_f16(f16(0x8001), f16(0x8001), kFlushAll), 0x8000U);
  EXPECT_F16(v_fma_f16(f16(0x7c00), f16(0x0000), f16(0x7e05), kNear), 0xfe00U);
}
TEST(widen, is_exact_and_narrow_undoes_it) {
  for (uint32_t b = 0; b < 0x10000; ++b) {
    const F16 h{static_cast<uint16_t>(b)};
    const float f = widen(h);
    if (is_nan(h)) {
      ASSERT_TRUE(is_nan(f));
      ASSERT_EQ(narrow_nearest(f).bits, b | 0x200U);
    } else {
      ASSERT_EQ(narrow_nearest(f).bits, b);
      if (is_finite(h)) {
        ASSERT_EQ(static_cast<double>(f) * 0x1p24, static_cast<double>(fixed_point(h)));
      }
    }
  }
}
TEST(narrow_nearest, agrees_with_the_general_conversion) {
  Random random(6);
  for (int i = 0; i < 2000000; ++i) {
    const float f = (i & 1) != 0 ? random.any<float>() : random.near_one<float>(26);
    ASSERT_EQ(narrow_nearest(f).bits, convert_float<F16>(f, Round::NearestEven).bits) << std::hex << to_bits(f);
  }
}
TEST(narrow_toward_zero, agrees_with_the_general_conversion) {
  Random random(10);
  for (const float f : corners<float>()) ASSERT_EQ(narrow_toward_zero(f), convert_float<F16>(f, Round::TowardZero));
  for (int i = 0; i < 1000000; ++i) {
    const float f = (i & 1) != 0 ? random.any<float>() : random.near_one<float>(26);
    ASSERT_EQ(narrow_toward_zero(f), convert_float<F16>(f, Round::TowardZero)) << std::hex << to_bits(f);
  }
}
TEST(narrow_odd, lets_a_double_become_a_half_with_one_rounding) {
  Random random(11);
  for (const double d : corners<double>()) {
    ASSERT_EQ(narrow_nearest(narrow_odd(d)), convert_float<F16>(d, Round::NearestEven)) << std::hex << to_bits(d);
  }
  for (int i = 0; i < 1000000; ++i) {
    // Close to halves and to the middles between them, where a second rounding shows.
    const double middle = static_cast<double>(random.near_one<float>(26));
    const double near = from_bits<double>((to_bits(middle) & ~uint64_t{0x1ffffffffff}) + (random.next() % 5) - 2);
    for (const double d : {near, random.near_one<double>(30), random.any<double>()}) {
      ASSERT_EQ(narrow_nearest(narrow_odd(d)), convert_float<F16>(d, Round::NearestEven)) << std::hex << to_bits(d);
    }
  }
}
TEST(v_min_f16, picks_by_the_manual) {
  EXPECT_F16(v_min_f16(f16(0x0000), f16(0x8000), kNear), 0x8000U);
  EXPECT_F16(v_max_f16(f16(0x8000), f16(0x0000), kNear), 0x0000U);
  EXPECT_F16(v_min_f16(f16(0x7e01), f16(0x3c00), kNear), 0x3c00U);
  EXPECT_F16(v_max_f16(f16(0x3c00), f16(0x7c01), kNear), 0x7e01U);
  EXPECT_F16(v_min_num_f16(f16(0x3c00), f16(0x7c01), kNear), 0x3c00U);
  EXPECT_F16(v_max_num_f16(f16(0x3c00), f16(0xbc00), kNear), 0x3c00U);
  EXPECT_F16(v_minimum_f16(f16(0x3c00), f16(0x7e01), kNear), 0x7e01U);
  EXPECT_F16(v_maximum_f16(f16(0x3c00), f16(0xbc00), kNear), 0x3c00U);
  EXPECT_F16(v_min3_f16(f16(0x4000), f16(0xbc00), f16(0x3c00), kNear), 0xbc00U);
  EXPECT_F16(v_max3_f16(f16(0x4000), f16(0xbc00), f16(0x3c00), kNear), 0x4000U);
  EXPECT_F16(v_med3_f16(f16(0x4000), f16(0xbc00), f16(0x3c00), kNear), 0x3c00U);
  EXPECT_F16(v_med3_num_f16(f16(0x4000), f16(0xbc00), f16(0x3c00), kNear), 0x3c00U);
  EXPECT_F16(v_minimum3_f16(f16(0x4000), f16(0xbc00), f16(0x3c00), kNear), 0xbc00U);
  EXPECT_F16(v_maximum3_f16(f16(0x4000), f16(0xbc00), f16(0x3c00), kNear), 0x4000U);
}
TEST(v_floor_f16, to_integers) {
  EXPECT_F16(v_floor_f16(f16(0xbe00), kNear), 0xc000U); // -1.5
  EXPECT_F16(v_ceil_f16(f16(0xbe00), kNear), 0xbc00U);
  EXPECT_F16(v_trunc_f16(f16(0xbe00), kNear), 0xbc00U);
  EXPECT_F16(v_rndne_f16(f16(0x4100), kNear), 0x4000U); // 2.5
  EXPECT_F16(v_fract_f16(f16(0xbf00), kNear), 0x3400U); // -1.75: 0.25
  EXPECT_F16(v_fract_f16(f16(0x8001), kNear), 0x3bffU);
}

TEST(v_minmax_f16, two_steps) { // of 5, 1, 3: max(min(5, 1), 3) and min(max(5, 1), 3)
  const F16 five = f16(0x4500), one = f16(0x3c00), three = f16(0x4200), nan = f16(0x7e00);
  const FloatMode& m = kKeepDenormals;
  EXPECT_F16(v_minmax_f16(five, one, three, m), 0x4200);
  EXPECT_F16(v_maxmin_f16(five, one, three, m), 0x4200);
  EXPECT_F16(v_minmax_f16(five, three, one, m), 0x4200);
  EXPECT_F16(v_maxmin_f16(one, three, five, m), 0x4200);
  EXPECT_F16(v_minmax_num_f16(five, one, three, m), 0x4200);
  EXPECT_F16(v_maxmin_num_f16(five, one, three, m), 0x4200);
  EXPECT_F16(v_minimummaximum_f16(five, one, three, m), 0x4200);
  EXPECT_F16(v_maximumminimum_f16(five, one, three, m), 0x4200);
  EXPECT_F16(v_minmax_num_f16(nan, one, three, m), 0x4200);       // a NaN loses against numbers
  EXPECT_F16(v_minimummaximum_f16(nan, one, three, m), 0x7e00);   // and wins here
  EXPECT_F16(v_maximumminimum_f16(five, nan, three, m), 0x7e00);
  EXPECT_F16(v_min3_num_f16(five, one, three, m), 0x3c00);
  EXPECT_F16(v_max3_num_f16(one, five, three, m), 0x4500);
  EXPECT_F16(v_max3_num_f16(nan, one, three, m), 0x4200);
}
TEST(s_min_f16, as_the_vector_unit) {
  const F16 minus_zero = f16(0x8000), zero_half = f16(0), two = f16(0x4000), nan = f16(0x7e01);
  const FloatMode& m = kKeepDenormals;
  EXPECT_F16(s_min_f16(zero_half, minus_zero, m), 0x8000);
  EXPECT_F16(s_max_f16(minus_zero, zero_half, m), 0x0000);
  EXPECT_F16(s_min_num_f16(nan, two, m), 0x4000);
  EXPECT_F16(s_max_num_f16(two, nan, m), 0x4000);
  EXPECT_F16(s_minimum_f16(two, nan, m), 0x7e01);
  EXPECT_F16(s_maximum_f16(nan, two, m), 0x7e01);
}

// A pair of halves like any result of halves: LLVM packs with it only what is canonical (is_canonicalized_2).
TEST(v_pack_b32_f16, makes_its_operands_canonical) {
  EXPECT_EQ(v_pack_b32_f16(f16(0x1234), f16(0xabcd), kKeepDenormals), 0xabcd1234U);
  EXPECT_EQ(v_pack_b32_f16(f16(0x7c01), f16(0xfdff), kKeepDenormals), 0xffff7e01U);
  EXPECT_EQ(v_pack_b32_f16(f16(0x7c01), f16(0x8001), kNoIeee), 0x80017c01U);
  EXPECT_EQ(v_pack_b32_f16(f16(0x03ff), f16(0x8001), kFlushAll), 0x80000000U);
}

} // namespace
} // namespace ptxshim::vgpu::meaning
