// SPDX-License-Identifier: MIT
#include "syntax/lexer.h"

#include <bit>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ptxshim::ptx {
namespace {

std::vector<Token> tokens(std::string_view text) {
  Lexer lexer(text);
  std::vector<Token> found;
  Token token;
  for (lexer.next(token); token.kind != Tok::End && token.kind != Tok::Invalid; lexer.next(token)) found.push_back(token);
  if (token.kind == Tok::Invalid) found.push_back(token);
  return found;
}

Token only(std::string_view text) {
  const std::vector<Token> found = tokens(text);
  EXPECT_EQ(found.size(), 1u) << text;
  return found.empty() ? Token() : found[0];
}

std::string error_of(std::string_view text) {
  Lexer lexer(text);
  Token token;
  do lexer.next(token);
  while (token.kind != Tok::End && token.kind != Tok::Invalid);
  return token.kind == Tok::Invalid ? lexer.error() : "";
}

TEST(Lexer, integer_literals) {
  EXPECT_EQ(only("0").value, 0u);
  EXPECT_EQ(only("42").value, 42u);
  EXPECT_EQ(only("0x1f").value, 31u);
  EXPECT_EQ(only("0XFF").value, 255u);
  EXPECT_EQ(only("017").value, 15u);
  EXPECT_EQ(only("0b101").value, 5u);
  EXPECT_EQ(only("0B11U").value, 3u);
  EXPECT_EQ(only("18446744073709551615").value, UINT64_MAX);
}

TEST(Lexer, literals_are_signed_unless_they_do_not_fit_or_say_U) {
  EXPECT_FALSE(only("42").is_unsigned);
  EXPECT_TRUE(only("42U").is_unsigned);
  EXPECT_FALSE(only("0x7fffffffffffffff").is_unsigned);
  EXPECT_TRUE(only("0x8000000000000000").is_unsigned);
}

TEST(Lexer, bad_integers) {
  EXPECT_THAT(error_of("18446744073709551616"), testing::HasSubstr("64 bits"));
  EXPECT_THAT(error_of("089"), testing::HasSubstr("base 8"));
  EXPECT_THAT(error_of("0b12"), testing::HasSubstr("base 2"));
  EXPECT_THAT(error_of("0x"), testing::HasSubstr("digits are missing"));
  EXPECT_THAT(error_of("5u"), testing::HasSubstr("only suffix is 'U'"));
  EXPECT_THAT(error_of("12ab"), testing::HasSubstr("only suffix"));
}

TEST(Lexer, floating_point_literals) {
  EXPECT_EQ(std::bit_cast<double>(only("1.5").value), 1.5);
  EXPECT_EQ(std::bit_cast<double>(only(".25").value), 0.25);
  EXPECT_EQ(std::bit_cast<double>(only("1e3").value), 1000.0);
  EXPECT_EQ(std::bit_cast<double>(only("2.").value), 2.0);
  EXPECT_EQ(std::bit_cast<double>(only("1.0E-2").value), 0.01);
  EXPECT_EQ(only("0f3F800000").value, 0x3f800000u);
  EXPECT_EQ(only("0F3f800000").kind, Tok::Float32);
  EXPECT_EQ(only("0d3FF0000000000000").value, 0x3ff0000000000000u);
  EXPECT_EQ(only("0D3FF0000000000000").kind, Tok::Float64);
}

TEST(Lexer, bad_floats) {
  EXPECT_THAT(error_of("0f3F80000"), testing::HasSubstr("exactly 8"));
  EXPECT_THAT(error_of("0f3F8000000"), testing::HasSubstr("exactly 8"));
  EXPECT_THAT(error_of("0d3F800000"), testing::HasSubstr("exactly 16"));
  EXPECT_THAT(error_of("1e999"), testing::HasSubstr("double precision does not hold"));
  EXPECT_THAT(error_of("1e-999"), testing::HasSubstr("double precision does not hold"));
  EXPECT_THAT(error_of("1e"), testing::HasSubstr("exponent"));
  EXPECT_THAT(error_of("1.5f"), testing::HasSubstr("behind a floating-point literal"));
}

TEST(Lexer, names) {
  EXPECT_EQ(only("%r12").text, "%r12");
  EXPECT_EQ(only("$L__BB0_1").text, "$L__BB0_1");
  EXPECT_EQ(only("_").text, "_");
  EXPECT_EQ(only("a$b_9").text, "a$b_9");
  EXPECT_EQ(only(std::string(100000, 'x')).text.size(), 100000u);
}

TEST(Lexer, percent_before_a_name_character_starts_a_name) {
  EXPECT_EQ(tokens("7%4").at(1).text, "%4");
  EXPECT_EQ(tokens("7 % 4").at(1).kind, Tok::Percent);
}

TEST(Lexer, directives_keep_their_colons) {
  EXPECT_EQ(only(".param::entry").text, "param::entry");
  EXPECT_EQ(tokens(".x:").at(0).text, "x");
}

TEST(Lexer, operators) {
  const std::vector<Token> found = tokens("<< >> <= >= == != && || @@ < > = ! ~ & | ^ @");
  const std::vector<Tok> kinds = {Tok::ShiftLeft, Tok::ShiftRight, Tok::LessEqual, Tok::GreaterEqual, Tok::EqualEqual, Tok::NotEqual,
                                  Tok::AndAnd, Tok::OrOr, Tok::AtAt, Tok::Less, Tok::Greater, Tok::Equal, Tok::Exclamation, Tok::Tilde,
                                  Tok::Ampersand, Tok::Pipe, Tok::Caret, Tok::At};
  ASSERT_EQ(found.size(), kinds.size());
  for (size_t i = 0; i < kinds.size(); ++i) EXPECT_EQ(found[i].kind, kinds[i]) << i;
}

TEST(Lexer, comments_and_line_ends) {
  EXPECT_EQ(tokens("a // b\r\n/* c\n * d */ e").size(), 2u);
  EXPECT_EQ(tokens("a /**/ b").size(), 2u);
  EXPECT_EQ(tokens("a // no newline").size(), 1u);
  EXPECT_THAT(error_of("a /* b"), testing::HasSubstr("never closed"));
}

TEST(Lexer, comments_may_hold_any_byte_the_text_may_not) {
  EXPECT_EQ(error_of("a // gr\xc3\xbc\xc3\x9f"), "");
  EXPECT_THAT(error_of("a \xc3"), testing::HasSubstr("0xc3"));
}

TEST(Lexer, hash_lines) {
  EXPECT_EQ(tokens("#line 5 \"x.cu\"\na").size(), 1u);
  EXPECT_EQ(tokens("  # 5 \"x.cu\"\na").size(), 1u);
  EXPECT_THAT(error_of("#include <a>"), testing::HasSubstr("#include"));
  EXPECT_THAT(error_of("a #line 5"), testing::HasSubstr("open a line"));
}

TEST(Lexer, trailing_nul_bytes_are_ignored_others_are_not) {
  EXPECT_EQ(tokens(std::string_view("a\0\0\0", 4)).size(), 1u);
  EXPECT_THAT(error_of(std::string_view("a\0b", 3)), testing::HasSubstr("0x00"));
}

TEST(Lexer, strings) {
  EXPECT_EQ(only("\"a b\"").text, "a b");
  EXPECT_EQ(only("\"a\\\"b\"").text, "a\\\"b");
  EXPECT_THAT(error_of("\"a"), testing::HasSubstr("never closed"));
  EXPECT_THAT(error_of("\"a\nb\""), testing::HasSubstr("never closed"));
}

TEST(Lexer, modifiers_behind_a_mnemonic) {
  Lexer lexer("cp.async.L2::128B.1d .sp::2:4 a");
  Token token;
  lexer.next(token);
  EXPECT_EQ(token.text, "cp");
  std::string_view word;
  std::vector<std::string> words;
  while (lexer.modifier(word)) words.emplace_back(word);
  EXPECT_THAT(words, testing::ElementsAre("async", "L2::128B", "1d", "sp::2:4"));
}

TEST(Lexer, offsets) {
  const std::vector<Token> found = tokens("ab  .cd");
  EXPECT_EQ(found[1].begin, 4u);
  EXPECT_EQ(found[1].end, 7u);
}

} // namespace
} // namespace ptxshim::ptx
