// SPDX-License-Identifier: MIT
// Constant expressions, by the rules of the PTX ISA ("Constant Expressions"); values worked out by hand.
#include <bit>

#include "parsing.h"
#include "syntax/expression.h"

namespace ptxshim::ptx {
namespace {

// The value of an integer expression, as ".global .s64 x = …" stores it.
uint64_t value(const std::string& expression) {
  const Parsed parsed(kHead + ".global .s64 x = " + expression + ";");
  EXPECT_TRUE(parsed.ok()) << parsed.message();
  if (!parsed.ok()) return 0;
  const Symbol& symbol = parsed.symbol("x");
  return symbol.initializers.empty() ? 0 : symbol.initializers[0].value;
}
int64_t signed_value(const std::string& expression) { return static_cast<int64_t>(value(expression)); }
std::string error(const std::string& expression) { return error_of(kHead + ".global .s64 x = " + expression + ";"); }

TEST(Constants, precedence_is_that_of_c) {
  EXPECT_EQ(value("2 + 3 * 4"), 14u);
  EXPECT_EQ(value("(2 + 3) * 4"), 20u);
  EXPECT_EQ(value("1 << 2 + 3"), 32u);
  EXPECT_EQ(value("1 | 6 & 3 ^ 1"), 3u); // 1 | ((6 & 3) ^ 1)
  EXPECT_EQ(value("1 < 2 == 1"), 1u);
  EXPECT_EQ(value("0 && 1 || 1"), 1u);
  EXPECT_EQ(value("10 - 4 - 3"), 3u);
  EXPECT_EQ(value("1 ? 2 : 0 ? 3 : 4"), 2u);
  EXPECT_EQ(value("0 ? 2 : 0 ? 3 : 4"), 4u);
  EXPECT_EQ(signed_value("- - 5"), 5);
  EXPECT_EQ(signed_value("-2 * 3"), -6);
}

TEST(Constants, division_follows_signedness) {
  EXPECT_EQ(signed_value("-7 / 2"), -3);
  EXPECT_EQ(value("-7U / 2"), (UINT64_MAX - 6) / 2);
  EXPECT_EQ(value("-7 / 2U"), (UINT64_MAX - 6) / 2);
  EXPECT_EQ(value("0x8000000000000000 / (.s64) -1"), 0u);      // unsigned: 2^63 / (2^64 - 1)
  EXPECT_EQ(value("((.s64) 0x8000000000000000) / -1"), uint64_t{1} << 63); // wraps
}

TEST(Constants, remainder_is_always_unsigned) {
  EXPECT_EQ(value("7 % 4"), 3u);
  EXPECT_EQ(value("-1 % 10"), UINT64_MAX % 10);
}

TEST(Constants, shifts_keep_the_type_of_the_left_side) {
  EXPECT_EQ(signed_value("-8 >> 1"), -4);
  EXPECT_EQ(value("-8U >> 1"), (UINT64_MAX - 7) >> 1);
  EXPECT_EQ(value("1 << 65"), 2u); // the count is taken modulo 64
}

TEST(Constants, comparisons) {
  EXPECT_EQ(value("-1 < 0"), 1u);
  EXPECT_EQ(value("-1 < 0U"), 0u);
  EXPECT_EQ(value("-1 > 0U"), 1u);
  EXPECT_EQ(value("3 >= 3"), 1u);
  EXPECT_EQ(value("3 != 3"), 0u);
  EXPECT_EQ(value("1.5 > 1.25"), 1u);
}

TEST(Constants, unary_operators) {
  EXPECT_EQ(value("!5"), 0u);
  EXPECT_EQ(value("!0"), 1u);
  EXPECT_EQ(value("~5"), ~uint64_t{5});
  EXPECT_EQ(value("~0 / 2"), UINT64_MAX / 2); // ~ gives an unsigned value
}

TEST(Constants, casts) {
  EXPECT_EQ(value("(.u64) -1 / 2"), UINT64_MAX / 2);
  EXPECT_EQ(signed_value("(.s64) 0xfffffffffffffffe / 2"), -1);
  EXPECT_THAT(error("(.u32) 1"), testing::HasSubstr("(.s64) and (.u64)"));
}

TEST(Constants, warp_size) {
  EXPECT_EQ(value("WARP_SZ * 2"), 64u);
}

TEST(Constants, the_choice_takes_the_common_type) {
  EXPECT_EQ(value("(1 ? -1 : 0U) / 2"), UINT64_MAX / 2);
  EXPECT_THAT(error("1 ? 2 : 3.0"), testing::HasSubstr("both"));
  EXPECT_THAT(error("1.0 ? 2 : 3"), testing::HasSubstr("condition"));
}

TEST(Constants, floats_are_doubles) {
  const Parsed parsed(kHead + ".global .f64 x = 1.0 / 4.0 + 2.0 * -.5;");
  ASSERT_TRUE(parsed.ok()) << parsed.message();
  EXPECT_EQ(std::bit_cast<double>(parsed.symbol("x").initializers[0].value), -0.75);
}

TEST(Constants, what_is_refused) {
  EXPECT_THAT(error("1 / 0"), testing::HasSubstr("division by zero"));
  EXPECT_THAT(error("1 % 0U"), testing::Not(testing::IsEmpty()));
  EXPECT_THAT(error("1 + 1.0"), testing::HasSubstr("mixed"));
  EXPECT_THAT(error("-0f3F800000"), testing::HasSubstr("0f literal"));
  EXPECT_THAT(error("1.0 << 2.0"), testing::HasSubstr("integers only"));
  EXPECT_THAT(error("(1"), testing::HasSubstr("')' expected"));
  EXPECT_THAT(error("1 +"), testing::HasSubstr("a constant expected"));
  EXPECT_THAT(error("1.5"), testing::HasSubstr("floating-point"));
}

TEST(Constants, deep_nesting_is_an_error_not_an_overflow) {
  const std::string open(100000, '(');
  EXPECT_THAT(error(open + "1"), testing::HasSubstr("too deeply"));
  EXPECT_THAT(error(std::string(100000, '~') + "1"), testing::HasSubstr("too deeply"));
  std::string choices;
  for (int i = 0; i < 100000; ++i) choices += "1?1:";
  EXPECT_THAT(error(choices + "1"), testing::HasSubstr("too deeply"));
}

TEST(Constants, long_chains_are_fine) {
  std::string sum = "1";
  for (int i = 0; i < 100000; ++i) sum += "+1";
  EXPECT_EQ(value(sum), 100001u);
}

TEST(Constants, conversion_to_half) {
  EXPECT_EQ(half_bits(1.0), 0x3c00);
  EXPECT_EQ(half_bits(-2.0), 0xc000);
  EXPECT_EQ(half_bits(65504.0), 0x7bff);
  EXPECT_EQ(half_bits(65519.99), 0x7bff);
  EXPECT_EQ(half_bits(65520.0), 0x7c00); // ties to even: infinity
  EXPECT_EQ(half_bits(0x1p-24), 0x0001);
  EXPECT_EQ(half_bits(0x1p-25), 0x0000); // a tie, to even
  EXPECT_EQ(half_bits(0x1.8p-25), 0x0001);
  EXPECT_EQ(half_bits(0x1.ffcp-15), 0x0400); // 1023.5 steps of 2^-24: a tie, to even
  EXPECT_EQ(half_bits(1.0 + 0x1p-11), 0x3c00);            // tie to even
  EXPECT_EQ(half_bits(1.0 + 0x3p-11), 0x3c02);            // tie to even, upwards
  EXPECT_EQ(half_bits(-0.0), 0x8000);
}

TEST(Constants, conversion_to_bfloat) {
  EXPECT_EQ(bfloat_bits(1.0), 0x3f80);
  EXPECT_EQ(bfloat_bits(3.0e38), 0x7f62);
  EXPECT_EQ(bfloat_bits(3.4e38), 0x7f80); // more than the largest, 0x7f7f = 3.3895e38, by over half a step
  EXPECT_EQ(bfloat_bits(0x1p-133), 0x0001);
}

} // namespace
} // namespace ptxshim::ptx
