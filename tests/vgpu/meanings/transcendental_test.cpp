// SPDX-License-Identifier: MIT
//
// Special values exactly; elsewhere the error against long double, which must stay below what the header states.
#include <cmath>
#include <numbers>

#include "support.h"

namespace ptxshim::vgpu::meaning {
namespace {

const FloatMode kNear = kKeepDenormals;
const long double kTwoPi = 2 * std::numbers::pi_v<long double>;

// The error in units of the result's last place; results below the normal range are not compared.
template <class T> long double error_in_ulp(T got, long double want) {
  int e = 0;
  std::frexp(want, &e);
  const int least = 1 - Format<T>::kBias;
  const long double ulp = std::ldexp(1.0L, (e - 1 < least ? least : e - 1) - Format<T>::kFraction);
  return std::fabs(static_cast<long double>(number(got)) - want) / ulp;
}
template <class T, class F, class R> void check_error(F function, R reference, T low, T high, long double limit) {
  Random random(9);
  long double worst = 0;
  for (int i = 0; i < 200000; ++i) {
    const T x = low + (high - low) * static_cast<T>(static_cast<double>(random.next() >> 11) * 0x1p-53);
    const T y = function(x, kNear);
    if (is_zero(y) || is_denormal(y)) continue;
    worst = std::max(worst, error_in_ulp(y, reference(static_cast<long double>(x))));
  }
  EXPECT_LT(worst, limit);
}
// Every 251st of all floats (a prime: any low bits come up) against the host's function in double, which is close
// enough to tell 0.501 ulp, the infinite and the zero among the results against their ends.
template <class F, class R> void sweep_floats(F function, R reference) {
  double worst = 0;
  for (uint64_t bits = 0; bits < 0x100000000; bits += 251) {
    const float x = from_bits<float>(static_cast<uint32_t>(bits));
    if (!is_finite(x)) continue;
    const double want = reference(static_cast<double>(flush(x)));
    const float got = function(x, kNear);
    if (is_nan(want) || is_infinite(want)) {
      ASSERT_EQ(is_nan(got), is_nan(want)) << x;
      ASSERT_TRUE(is_nan(got) || static_cast<double>(got) == want) << x;
    } else if (is_infinite(got)) {
      ASSERT_GE(std::fabs(want), 0x1.ffffffp127) << x;
    } else if (is_zero(got)) {
      ASSERT_LT(std::fabs(want), 0x1p-126) << x;
    } else {
      int e = 0;
      std::frexp(want, &e);
      worst = std::max(worst, std::ldexp(std::fabs(static_cast<double>(got) - want), 24 - std::max(e, -125)));
    }
  }
  EXPECT_GT(worst, 0.49);
  EXPECT_LT(worst, 0.501);
}
TEST(v_rsq_f32, sweep) {
  sweep_floats(v_rsq_f32, [](double x) { return 1 / std::sqrt(x); });
}
TEST(v_exp_f32, sweep) {
  sweep_floats(v_exp_f32, [](double x) { return std::exp2(x); });
}
TEST(v_log_f32, sweep) {
  sweep_floats(v_log_f32, [](double x) { return std::log2(x); });
}
TEST(v_rcp_f32, is_correctly_rounded_and_flushes) {
  check_error<float>(v_rcp_f32, [](long double x) { return 1 / x; }, 0.001f, 1000.0f, 0.5001L);
  EXPECT_F32(v_rcp_f32(0.0f, kNear), 0x7f800000U);
  EXPECT_F32(v_rcp_f32(f32(0xff800000), kNear), 0x80000000U);
  EXPECT_F32(v_rcp_f32(f32(0x80000001), kNear), 0xff800000U);
  EXPECT_F32(v_rcp_f32(f32(0x7f000000), kNear), 0U); // 2^-127
  EXPECT_F32(v_rcp_f32(f32(0x7f800001), kNear), 0x7fc00001U);
  EXPECT_F32(v_rcp_iflag_f32(4.0f, kNear), to_bits(0.25f));
}
TEST(v_sqrt_f32, special_values) {
  check_error<float>(v_sqrt_f32, [](long double x) { return std::sqrt(x); }, 0.0f, 1000.0f, 0.5001L);
  EXPECT_F32(v_sqrt_f32(-0.0f, kNear), 0x80000000U);
  EXPECT_F32(v_sqrt_f32(f32(0xbf800000), kNear), 0xffc00000U);
  EXPECT_F32(v_sqrt_f32(f32(0x7f800000), kNear), 0x7f800000U);
  EXPECT_F32(v_sqrt_f32(f32(0x00000010), kNear), 0U);
}
TEST(v_rsq_f32, special_values_and_error) {
  check_error<float>(v_rsq_f32, [](long double x) { return 1 / std::sqrt(x); }, 0.001f, 1000.0f, 0.501L);
  EXPECT_F32(v_rsq_f32(-0.0f, kNear), 0xff800000U);
  EXPECT_F32(v_rsq_f32(f32(0xbf800000), kNear), 0xffc00000U);
  EXPECT_F32(v_rsq_f32(f32(0x7f800000), kNear), 0U);
  EXPECT_F32(v_rsq_f32(4.0f, kNear), to_bits(0.5f));
  EXPECT_F32(v_rsq_f32(f32(0x00000001), kNear), 0x7f800000U);
  EXPECT_F32(v_rsq_f32(f32(0x80000001), kNear), 0xff800000U);
  EXPECT_F32(v_rsq_f32(f32(0xff800001), kNear), 0xffc00001U);
  for (int i = -62; i < 64; ++i) EXPECT_EQ(v_rsq_f32(std::ldexp(1.0f, 2 * i), kNear), std::ldexp(1.0f, -i));
}
TEST(v_exp_f32, special_values_and_error) {
  check_error<float>(v_exp_f32, [](long double x) { return std::exp2(x); }, -130.0f, 127.9f, 0.501L);
  check_error<float>(v_exp_f32, [](long double x) { return std::exp2(x); }, -1.0f, 1.0f, 0.501L);
  EXPECT_F32(v_exp_f32(f32(0xff800000), kNear), 0U);
  EXPECT_F32(v_exp_f32(f32(0x7f800000), kNear), 0x7f800000U);
  EXPECT_F32(v_exp_f32(-0.0f, kNear), to_bits(1.0f));
  EXPECT_F32(v_exp_f32(128.0f, kNear), 0x7f800000U);
  EXPECT_F32(v_exp_f32(-127.0f, kNear), 0U);
  EXPECT_F32(v_exp_f32(-126.0f, kNear), 0x00800000U);
  EXPECT_F32(v_exp_f32(f32(0x7f7fffff), kNear), 0x7f800000U);
  EXPECT_F32(v_exp_f32(f32(0xff7fffff), kNear), 0U);
  EXPECT_F32(v_exp_f32(f32(0x7f800001), kNear), 0x7fc00001U);
  EXPECT_F32(v_exp_f32(f32(0xff800001), kNear), 0xffc00001U);
  EXPECT_F32(v_exp_f32(f32(0xc2fc0001), kNear), 0U); // just below -126: denormal
  EXPECT_F32(v_exp_legacy_f32(3.0f, kNear), to_bits(8.0f));
  for (int i = -126; i < 128; ++i) EXPECT_EQ(v_exp_f32(static_cast<float>(i), kNear), std::ldexp(1.0f, i));
}
TEST(v_log_f32, special_values_and_error) {
  check_error<float>(v_log_f32, [](long double x) { return std::log2(x); }, 0.0f, 4.0f, 0.501L);
  check_error<float>(v_log_f32, [](long double x) { return std::log2(x); }, 0.99f, 1.01f, 0.501L);
  check_error<float>(v_log_f32, [](long double x) { return std::log2(x); }, 1.0f, 1e30f, 0.501L);
  EXPECT_F32(v_log_f32(1.0f, kNear), 0U);
  EXPECT_F32(v_log_f32(0.0f, kNear), 0xff800000U);
  EXPECT_F32(v_log_f32(f32(0x00000001), kNear), 0xff800000U);
  EXPECT_F32(v_log_f32(f32(0xbf800000), kNear), 0xffc00000U);
  EXPECT_F32(v_log_f32(f32(0xff800000), kNear), 0xffc00000U);
  EXPECT_F32(v_log_f32(f32(0x7f800000), kNear), 0x7f800000U);
  EXPECT_F32(v_log_f32(f32(0xffc00003), kNear), 0xffc00003U);
  EXPECT_F32(v_log_legacy_f32(8.0f, kNear), to_bits(3.0f));
  for (int i = -126; i < 128; ++i) EXPECT_EQ(v_log_f32(std::ldexp(1.0f, i), kNear), static_cast<float>(i));
}
TEST(v_sin_f32, special_values_and_error) {
  check_error<float>(v_sin_f32, [](long double x) { return std::sin(x * kTwoPi); }, 0.01f, 0.49f, 0.501L);
  check_error<float>(v_sin_f32, [](long double x) { return std::sin(x * kTwoPi); }, 100.01f, 100.49f, 0.501L);
  EXPECT_F32(v_sin_f32(-0.0f, kNear), 0x80000000U);
  EXPECT_F32(v_sin_f32(0.25f, kNear), to_bits(1.0f));
  EXPECT_F32(v_sin_f32(0.75f, kNear), to_bits(-1.0f));
  EXPECT_F32(v_sin_f32(0.5f, kNear), 0U);
  EXPECT_F32(v_sin_f32(f32(0xff7fffff), kNear), 0U);
  EXPECT_F32(v_sin_f32(f32(0xff800000), kNear), 0xffc00000U);
  EXPECT_F32(v_sin_f32(f32(0x7f800001), kNear), 0x7fc00001U);
  EXPECT_F32(v_sin_f32(f32(0xff800001), kNear), 0xffc00001U);
}
// Sine or cosine of a number of revolutions that is reduced exactly to one in [-1/4, 1/4].
double sine_of(double x) {
  const double r = x - std::nearbyint(x);
  const double quarter = r > 0.25 ? 0.5 - r : r < -0.25 ? -0.5 - r : r;
  return std::sin(quarter * (2 * std::numbers::pi));
}
double cosine_of(double x) { return sine_of(0.25 - std::fabs(x - std::nearbyint(x))); }
TEST(v_sin_f32, sweep) {
  sweep_floats([](float x, const FloatMode& m) { return v_sin_f32(flush(x), m); }, sine_of);
  sweep_floats(v_cos_f32, cosine_of);
}
TEST(v_sin_f32, quarter_turns_are_exact) {
  constexpr float kSine[] = {0, 1, 0, -1};
  for (int i = -64; i <= 64; ++i) {
    const unsigned quarter = static_cast<unsigned>(i);
    const float x = static_cast<float>(i) * 0.25f;
    EXPECT_F32(v_sin_f32(opaque(x), kNear), to_bits(kSine[quarter % 4]));
    EXPECT_F32(v_cos_f32(opaque(x), kNear), to_bits(kSine[(quarter + 1) % 4]));
  }
}
TEST(v_sin_f32, denormals_go_by_the_mode) {
  EXPECT_F32(v_sin_f32(f32(0x80000001), kNear), 0x80000006U); // 2 pi of the least ones
  EXPECT_F32(v_sin_f32(f32(0x80000001), kFlushAll), 0x80000000U);
  EXPECT_F32(v_cos_f32(f32(0x80000001), kFlushAll), to_bits(1.0f));
}
TEST(v_cos_f32, special_values_and_error) {
  check_error<float>(v_cos_f32, [](long double x) { return std::cos(x * kTwoPi); }, -0.2f, 0.2f, 0.501L);
  check_error<float>(v_cos_f32, [](long double x) { return std::cos(x * kTwoPi); }, 0.26f, 0.74f, 0.501L);
  EXPECT_F32(v_cos_f32(0.0f, kNear), to_bits(1.0f));
  EXPECT_F32(v_cos_f32(0.25f, kNear), 0U);
  EXPECT_F32(v_cos_f32(-0.5f, kNear), to_bits(-1.0f));
  EXPECT_F32(v_cos_f32(f32(0x7f7fffff), kNear), to_bits(1.0f));
  EXPECT_F32(v_cos_f32(f32(0x7f800000), kNear), 0xffc00000U);
  EXPECT_F32(v_cos_f32(f32(0xff800001), kNear), 0xffc00001U);
  EXPECT_F32(v_cos_f32(f32(0x7f800001), kNear), 0x7fc00001U);
}
TEST(v_rcp_f64, seeds) {
  check_error<double>(v_rcp_f64, [](long double x) { return 1 / x; }, 0.001, 1000.0, 0.51L);
  check_error<double>(v_rsq_f64, [](long double x) { return 1 / std::sqrt(x); }, 0.001, 1000.0, 1.51L);
  check_error<double>(v_sqrt_f64, [](long double x) { return std::sqrt(x); }, 0.001, 1000.0, 0.51L);
  EXPECT_F64(v_rcp_f64(f64(0x8000000000000000), kNear), 0xfff0000000000000U);
  EXPECT_F64(v_rsq_f64(-0.0, kNear), 0xfff0000000000000U);
  EXPECT_F64(v_rsq_f64(f64(0xbff0000000000000), kNear), 0xfff8000000000000U);
  EXPECT_F64(v_sqrt_f64(f64(0xbff0000000000000), kNear), 0xfff8000000000000U);
  EXPECT_F64(v_rsq_f64(4.0, kNear), to_bits(0.5));
}
template <class F, class R> void check_every_half(F function, R reference) {
  for (uint32_t b = 0; b < 0x7c00; ++b) {
    const F16 x{static_cast<uint16_t>(b)};
    const F16 y = function(x, kNear);
    const long double want = reference(static_cast<long double>(widen(x)));
    if (is_infinite(y)) {
      EXPECT_TRUE(std::fabs(want) >= 65519.0L) << std::hex << b;
    } else if (!is_zero(y)) {
      EXPECT_LE(error_in_ulp(y, want), 0.51L) << std::hex << b;
    }
  }
}
TEST(v_rcp_f16, every_half) {
  check_every_half(v_rcp_f16, [](long double x) { return 1 / x; });
  check_every_half(v_sqrt_f16, [](long double x) { return std::sqrt(x); });
  check_every_half(v_rsq_f16, [](long double x) { return 1 / std::sqrt(x); });
  check_every_half(v_exp_f16, [](long double x) { return std::exp2(x); });
  check_every_half(v_log_f16, [](long double x) { return std::log2(x); });
  EXPECT_F16(v_log_f16(f16(0x8400), kNear), 0xfe00U);
  EXPECT_F16(v_sqrt_f16(f16(0xbc00), kNear), 0xfe00U);
  EXPECT_F16(v_exp_f16(f16(0xfc00), kNear), 0U);
  EXPECT_F16(v_rcp_f16(f16(0x7c01), kNear), 0x7e01U);
}
TEST(v_sin_f16, quarter_turns) {
  EXPECT_F16(v_sin_f16(f16(0x3400), kNear), 0x3c00U);
  EXPECT_F16(v_cos_f16(f16(0x3800), kNear), 0xbc00U);
  EXPECT_F16(v_sin_f16(f16(0x7c00), kNear), 0xfe00U);
  EXPECT_F16(v_cos_f16(f16(0xfc00), kNear), 0xfe00U);
}

} // namespace
} // namespace ptxshim::vgpu::meaning
