// SPDX-License-Identifier: MIT
// The support library on the host. Expectations: the host's own arithmetic in the rounding mode asked for, or the manual's definition
// written out bit by bit.
#include "device/device.h"

#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace {

constexpr int kHostModes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};

// Runs `f` in the host's rounding mode of the same number.
template <class F> auto in_mode(uint32_t rounding, F f) {
  std::fesetround(kHostModes[rounding]);
  volatile auto result = f(); // volatile: computed before the mode is restored
  std::fesetround(FE_TONEAREST);
  return result;
}

std::vector<double> interesting_doubles() {
  std::vector<double> all = {0.0, 1.0, 2.0, 3.0, 0.1, 1e308, 1e-308, 5e-324, 4.9e-320, 2.2250738585072014e-308, 1.7976931348623157e308,
                             HUGE_VAL, std::numeric_limits<double>::quiet_NaN(), 65504.0, 65519.9999, 65520.0, 0x1p-24, 0x1p-25,
                             0x1.8p-25, 0x1p-133, 0x1.fep127, 0x1.ffp127, 7.0, 10.0, 0x1.fffffffffffffp0, 0x1.0000000000001p0};
  std::mt19937_64 random(42);
  for (int n = 0; n < 300; ++n) all.push_back(std::bit_cast<double>(random()));
  for (int n = 0; n < 300; ++n) all.push_back(std::ldexp(static_cast<double>(random() >> 11), static_cast<int>(random() % 60) - 80));
  const size_t count = all.size();
  for (size_t n = 0; n < count; ++n) all.push_back(-all[n]);
  return all;
}

template <class T> bool same(T a, T b) { return (std::isnan(a) && std::isnan(b)) || std::memcmp(&a, &b, sizeof a) == 0; }

// fns as the PTX manual defines it.
uint32_t fns_by_definition(uint32_t mask, uint32_t base, int32_t offset) {
  if (offset == 0) return (mask >> base & 1u) ? base : 0xffffffffu;
  int64_t count = std::abs(int64_t{offset}) - 1;
  for (int position = static_cast<int>(base); position >= 0 && position < 32; position += offset > 0 ? 1 : -1)
    if (mask >> position & 1u) {
      if (count == 0) return static_cast<uint32_t>(position);
      --count;
    }
  return 0xffffffffu;
}

TEST(ptx_fns, FollowsTheDefinition) {
  std::mt19937 random(1);
  for (int n = 0; n < 2000; ++n) {
    const auto mask = static_cast<uint32_t>(n % 3 == 0 ? random() & random() : random());
    const auto base = static_cast<uint32_t>(random() % 32);
    const int32_t offset = static_cast<int32_t>(random() % 71) - 35;
    ASSERT_EQ(ptx_fns(mask, base, offset), fns_by_definition(mask, base, offset)) << mask << " " << base << " " << offset;
  }
  EXPECT_EQ(ptx_fns(0xffffffffu, 0, std::numeric_limits<int32_t>::min()), 0xffffffffu);
}

TEST(ptx_div_f64, RoundsAsTheHostInEachMode) {
  const std::vector<double> all = interesting_doubles();
  std::mt19937_64 random(3);
  for (uint32_t rounding = 0; rounding < 4; ++rounding)
    for (double a : all)
      for (int n = 0; n < 40; ++n) {
        volatile double x = a, y = all[random() % all.size()];
        const double expected = in_mode(rounding, [&] { return x / y; });
        const double got = ptx_div_f64(x, y, rounding);
        ASSERT_TRUE(same(expected, got)) << std::hexfloat << x << " / " << y << " mode " << rounding << ": " << got << " for " << expected;
      }
}

TEST(ptx_sqrt_f64, RoundsAsTheHostInEachMode) {
  for (uint32_t rounding = 0; rounding < 4; ++rounding)
    for (double a : interesting_doubles()) {
      volatile double x = a;
      const double expected = in_mode(rounding, [&] { return std::sqrt(x); });
      ASSERT_TRUE(same(expected, ptx_sqrt_f64(x, rounding))) << std::hexfloat << x << " mode " << rounding;
    }
}

TEST(ptx_s64_to_f32, RoundsOnceInEachMode) {
  std::mt19937_64 random(5);
  for (uint32_t rounding = 0; rounding < 4; ++rounding)
    for (int n = 0; n < 3000; ++n) {
      volatile int64_t a = n == 0   ? 0
                           : n == 1 ? std::numeric_limits<int64_t>::min()
                           : n == 2 ? 0x7fffff4000000001 // between two f64 midpoints of f32: rounding twice goes wrong
                                    : static_cast<int64_t>(random()) >> (random() % 63);
      ASSERT_TRUE(same(in_mode(rounding, [&] { return static_cast<float>(a); }), ptx_s64_to_f32(a, rounding))) << a << " " << rounding;
      ASSERT_TRUE(same(in_mode(rounding, [&] { return static_cast<double>(a); }), ptx_s64_to_f64(a, rounding))) << a << " " << rounding;
    }
}

TEST(ptx_u64_to_f32, RoundsOnceInEachMode) {
  std::mt19937_64 random(6);
  for (uint32_t rounding = 0; rounding < 4; ++rounding)
    for (int n = 0; n < 3000; ++n) {
      const uint64_t a = n == 0 ? 0 : n == 1 ? ~uint64_t{0} : random() >> (random() % 63);
      // x86-64 has no unsigned conversion: long double holds every uint64_t, and its narrowing rounds once.
      volatile long double exact = static_cast<long double>(a);
      ASSERT_TRUE(same(in_mode(rounding, [&] { return static_cast<float>(exact); }), ptx_u64_to_f32(a, rounding))) << a << " " << rounding;
      ASSERT_TRUE(same(in_mode(rounding, [&] { return static_cast<double>(exact); }), ptx_u64_to_f64(a, rounding))) << a << " " << rounding;
    }
}

double f16_value(uint16_t bits) {
  const int field = bits >> 10 & 31;
  const int fraction = bits & 1023;
  double size = field == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, field - 25);
  if (field == 31) size = fraction ? std::numeric_limits<double>::quiet_NaN() : HUGE_VAL;
  return bits & 0x8000 ? -size : size;
}

double bf16_value(uint16_t bits) { return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits) << 16)); }

// The right neighbour by searching all finite numbers of the format below and above.
template <class Value> uint16_t narrowed(double a, uint32_t rounding, uint16_t infinity, Value value) {
  const uint16_t sign = std::signbit(a) ? 0x8000 : 0;
  const double size = std::fabs(a);
  if (std::isnan(a)) return 0x7fff;
  if (std::isinf(a)) return static_cast<uint16_t>(sign | infinity);
  uint16_t low = 0, high = infinity; // value(low) <= size < value(high)
  while (high - low > 1) {
    const uint16_t middle = static_cast<uint16_t>((low + high) / 2);
    (value(middle) <= size ? low : high) = middle;
  }
  if (value(low) == size) return static_cast<uint16_t>(sign | low);
  const double above = high == infinity ? 2 * value(low) - value(static_cast<uint16_t>(low - 1)) : value(high);
  bool up = false;
  if (rounding == kNearestEven) {
    const double middle = value(low) / 2 + above / 2;
    up = size > middle || (size == middle && (low & 1));
  } else if (rounding == kTowardMinusInf) up = sign != 0;
  else if (rounding == kTowardPlusInf) up = sign == 0;
  return static_cast<uint16_t>(sign | (up ? high : low));
}

TEST(ptx_f64_to_f16, FindsTheNeighbourInEachMode) {
  for (uint32_t rounding = 0; rounding < 4; ++rounding)
    for (double a : interesting_doubles())
      ASSERT_EQ(ptx_f64_to_f16(a, rounding), narrowed(a, rounding, 0x7c00, f16_value)) << std::hexfloat << a << " " << rounding;
}

TEST(ptx_f64_to_bf16, FindsTheNeighbourInEachMode) {
  for (uint32_t rounding = 0; rounding < 4; ++rounding)
    for (double a : interesting_doubles())
      ASSERT_EQ(ptx_f64_to_bf16(a, rounding), narrowed(a, rounding, 0x7f80, bf16_value)) << std::hexfloat << a << " " << rounding;
}

TEST(ptx_f32_to_bf16, FindsTheNeighbourInEachMode) {
  std::mt19937 random(9);
  for (uint32_t rounding = 0; rounding < 4; ++rounding)
    for (int n = 0; n < 3000; ++n) {
      const auto bits = static_cast<uint32_t>(n == 0 ? 0x7f7fffff : n == 1 ? 1 : n == 2 ? 0x3f808000 : n == 3 ? 0x3f818000 : random());
      const double a = static_cast<double>(std::bit_cast<float>(bits));
      ASSERT_EQ(ptx_f32_to_bf16(bits, rounding), narrowed(a, rounding, 0x7f80, bf16_value)) << std::hex << bits << " " << rounding;
    }
}

TEST(ptx_f32_to_tf32, KeepsTenBits) {
  EXPECT_EQ(ptx_f32_to_tf32(0x3f801000, kNearestAway), 0x3f802000u); // a tie goes away from zero
  EXPECT_EQ(ptx_f32_to_tf32(0x3f801000, kNearestEven), 0x3f800000u);
  EXPECT_EQ(ptx_f32_to_tf32(0xbf801fff, kTowardZero), 0xbf800000u);
  EXPECT_EQ(ptx_f32_to_tf32(0x7f7fffff, kNearestAway), 0x7f800000u);
  EXPECT_EQ(ptx_f32_to_tf32(0xffc00001, kNearestAway), 0x7fffffffu);
}

TEST(ptx_bf16_to_f64, IsExact) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits)
    ASSERT_TRUE(same(ptx_bf16_to_f64(bits), bf16_value(static_cast<uint16_t>(bits)))) << std::hex << bits;
}

TEST(ptx_s64_to_bf16, RoundsOnce) {
  std::mt19937_64 random(8);
  for (uint32_t rounding = 0; rounding < 4; ++rounding)
    for (int n = 0; n < 2000; ++n) {
      const int64_t a = static_cast<int64_t>(random() & 0xfffffffffffff) >> (random() % 52); // exact in f64
      ASSERT_EQ(ptx_s64_to_bf16(a, rounding), narrowed(static_cast<double>(a), rounding, 0x7f80, bf16_value));
      ASSERT_EQ(ptx_u64_to_bf16(static_cast<uint64_t>(a), rounding), narrowed(static_cast<double>(a), rounding, 0x7f80, bf16_value));
    }
  EXPECT_EQ(ptx_s64_to_bf16(-0x1'0100'0001, kNearestEven), 0xcf81); // f32 in between would make it a tie
}

TEST(ptx_fma_bf16, RoundsOnce) {
  std::mt19937 random(11);
  for (int n = 0; n < 20000; ++n) {
    const auto a = static_cast<uint16_t>(random()), b = static_cast<uint16_t>(random());
    auto c = static_cast<uint16_t>(random());
    // Exact in long double when the exponents are near; what is not is left out.
    const long double product = static_cast<long double>(bf16_value(a)) * bf16_value(b);
    const long double exact = product + bf16_value(c);
    const double rounded = static_cast<double>(exact);
    const bool lossless = static_cast<long double>(rounded) == exact && exact - product == bf16_value(c);
    if (!lossless && std::isfinite(exact)) continue;
    if (std::isnan(rounded)) ASSERT_EQ(ptx_fma_bf16(a, b, c) & 0x7fff, 0x7fff);
    else ASSERT_EQ(ptx_fma_bf16(a, b, c), narrowed(rounded, kNearestEven, 0x7f80, bf16_value)) << a << " " << b << " " << c;
  }
  // 1 + 2^-8 is a tie; a tiny addend breaks it, however far below.
  EXPECT_EQ(ptx_fma_bf16(0x3f80, 0x3b80, 0x3f80), 0x3f80);               // 2^-8 + 1
  EXPECT_EQ(ptx_fma_bf16(0x3f81, 0x3b80, 0x3f80), 0x3f81);               // 2^-8 (1 + 2^-7) + 1
  EXPECT_EQ(ptx_fma_bf16(0x3f88, 0x3f88, 0x0080), 0x3f91);               // 1 + 2^-3 + 2^-8, a tie, + 2^-126
  EXPECT_EQ(ptx_fma_bf16(0x3f88, 0x3f88, 0x8080), 0x3f90);               // … - 2^-126
  EXPECT_EQ(ptx_fma_bf16(0x3f88, 0x3f88, 0x0000), 0x3f90);
  EXPECT_EQ(ptx_fma_bf16(0x3f80, 0x3f80, 0xbf80), 0x0000);               // exact cancellation gives +0
}

// Every number of a small format is exact in f16 and comes back from it; the midpoints go to the even neighbour.
void check_small_format(uint32_t (*decode)(uint32_t), uint32_t (*encode)(uint32_t), uint32_t largest, uint32_t sign) {
  const auto value = [&](uint32_t code) { return f16_value(static_cast<uint16_t>(decode(code))); };
  const auto code_of = [&](double v) { return encode(std::bit_cast<uint32_t>(static_cast<float>(v))); };
  for (uint32_t code = 0; code <= largest; ++code) {
    ASSERT_EQ(code_of(value(code)), code);
    ASSERT_EQ(code_of(-value(code)), code | sign);
    if (code == 0) continue;
    ASSERT_LT(value(code - 1), value(code));
    const double middle = (value(code - 1) + value(code)) / 2;
    ASSERT_EQ(code_of(middle), code & 1 ? code - 1 : code);
    ASSERT_EQ(code_of(middle * (1 + 0x1p-20)), code);
    ASSERT_EQ(code_of(middle * (1 - 0x1p-20)), code - 1);
  }
  EXPECT_EQ(code_of(HUGE_VAL), largest);
  EXPECT_EQ(code_of(-1e30), largest | sign);
}

TEST(ptx_f32_to_e4m3, IsTheInverseOfDecoding) {
  check_small_format(ptx_e4m3_to_f16, ptx_f32_to_e4m3, 0x7e, 0x80);
  EXPECT_EQ(f16_value(static_cast<uint16_t>(ptx_e4m3_to_f16(0x7e))), 448.0);
  EXPECT_EQ(ptx_f32_to_e4m3(0xffc00000), 0x7fu);
}
TEST(ptx_f32_to_e5m2, IsTheInverseOfDecoding) {
  check_small_format(ptx_e5m2_to_f16, ptx_f32_to_e5m2, 0x7b, 0x80);
  EXPECT_EQ(f16_value(static_cast<uint16_t>(ptx_e5m2_to_f16(0x7b))), 57344.0);
  EXPECT_EQ(ptx_e5m2_to_f16(0xfc), 0xfc00u);
}
TEST(ptx_f32_to_e2m3, IsTheInverseOfDecoding) {
  check_small_format(ptx_e2m3_to_f16, ptx_f32_to_e2m3, 0x1f, 0x20);
  EXPECT_EQ(f16_value(static_cast<uint16_t>(ptx_e2m3_to_f16(0x1f))), 7.5);
  EXPECT_EQ(ptx_f32_to_e2m3(0xffc00000), 0x1fu); // there is no NaN: the largest number
}
TEST(ptx_f32_to_e3m2, IsTheInverseOfDecoding) {
  check_small_format(ptx_e3m2_to_f16, ptx_f32_to_e3m2, 0x1f, 0x20);
  EXPECT_EQ(f16_value(static_cast<uint16_t>(ptx_e3m2_to_f16(0x1f))), 28.0);
}
TEST(ptx_f32_to_e2m1, IsTheInverseOfDecoding) {
  check_small_format(ptx_e2m1_to_f16, ptx_f32_to_e2m1, 0x07, 0x08);
  EXPECT_EQ(f16_value(static_cast<uint16_t>(ptx_e2m1_to_f16(0x07))), 6.0);
}

} // namespace
