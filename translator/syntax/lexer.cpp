// SPDX-License-Identifier: MIT
// PTX is ASCII; bytes above it are taken in comments and strings only (file names). '#' opens a line: `#line` and `# 5 "file"` are
// skipped, as ptxas does; other preprocessor lines are no PTX. A literal must not run into a name: `12ab` is an error, and so is
// the suffix `u` (only `U` is one).
#include "syntax/lexer.h"

#include <array>
#include <bit>
#include <charconv>

namespace ptxshim::ptx {
namespace {

enum CharClass : uint8_t { kOther = 0, kBlank = 1, kNameStart = 2, kNameRest = 4, kDigit = 8, kHex = 16 };

constexpr std::array<uint8_t, 256> character_classes() {
  std::array<uint8_t, 256> classes{};
  for (const char c : {' ', '\t', '\n', '\r', '\v', '\f'}) classes[static_cast<unsigned char>(c)] = kBlank;
  for (unsigned c = 0; c < 26; ++c) {
    classes['a' + c] = kNameStart | kNameRest | (c < 6 ? kHex : 0);
    classes['A' + c] = kNameStart | kNameRest | (c < 6 ? kHex : 0);
  }
  for (unsigned c = '0'; c <= '9'; ++c) classes[c] = kNameRest | kDigit | kHex;
  classes['_'] = kNameStart | kNameRest;
  classes['$'] = kNameStart | kNameRest;
  classes['%'] = kNameStart;
  return classes;
}
constexpr std::array<uint8_t, 256> kClasses = character_classes();
inline bool is(char c, uint8_t wanted) { return (kClasses[static_cast<unsigned char>(c)] & wanted) != 0; }

unsigned digit_value(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  return static_cast<unsigned>((c | 0x20) - 'a' + 10);
}

constexpr std::array<Tok, 128> single_characters() {
  std::array<Tok, 128> kinds{};
  for (Tok& kind : kinds) kind = Tok::Invalid;
  constexpr std::pair<char, Tok> kPairs[] = {
      {'{', Tok::LeftBrace},   {'}', Tok::RightBrace},  {'(', Tok::LeftParen}, {')', Tok::RightParen}, {'[', Tok::LeftBracket},
      {']', Tok::RightBracket}, {',', Tok::Comma},      {';', Tok::Semicolon}, {':', Tok::Colon},      {'?', Tok::Question},
      {'+', Tok::Plus},        {'-', Tok::Minus},       {'*', Tok::Star},      {'/', Tok::Slash},      {'%', Tok::Percent},
      {'<', Tok::Less},        {'>', Tok::Greater},     {'=', Tok::Equal},     {'!', Tok::Exclamation}, {'~', Tok::Tilde},
      {'&', Tok::Ampersand},   {'|', Tok::Pipe},        {'^', Tok::Caret},     {'@', Tok::At}};
  for (const auto& [character, kind] : kPairs) kinds[static_cast<size_t>(character)] = kind;
  return kinds;
}
constexpr std::array<Tok, 128> kSingles = single_characters();

Tok double_character(char first, char second) {
  if (first == '<' && second == '<') return Tok::ShiftLeft;
  if (first == '>' && second == '>') return Tok::ShiftRight;
  if (first == '&' && second == '&') return Tok::AndAnd;
  if (first == '|' && second == '|') return Tok::OrOr;
  if (first == '@' && second == '@') return Tok::AtAt;
  if (second != '=') return Tok::Invalid;
  if (first == '<') return Tok::LessEqual;
  if (first == '>') return Tok::GreaterEqual;
  if (first == '=') return Tok::EqualEqual;
  if (first == '!') return Tok::NotEqual;
  return Tok::Invalid;
}

std::string printable(char c) {
  if (c >= 0x20 && c < 0x7f) return std::string("'") + c + "'";
  constexpr char kDigits[] = "0123456789abcdef";
  const unsigned char byte = static_cast<unsigned char>(c);
  return std::string("byte 0x") + kDigits[byte >> 4] + kDigits[byte & 15];
}

} // namespace

Lexer::Lexer(std::string_view text) : begin_(text.data()), p_(text.data()), end_(text.data() + text.size()) {
  while (end_ > begin_ && end_[-1] == '\0') --end_; // texts are often handed over with their final NUL
}

bool Lexer::name_character(char c) { return is(c, kNameRest); }

void Lexer::invalid(Token& token, std::string message) {
  token.kind = Tok::Invalid;
  token.end = offset();
  error_ = std::move(message);
}

bool Lexer::skip_blanks() {
  while (p_ < end_) {
    if (is(*p_, kBlank)) {
      ++p_;
    } else if (*p_ == '/' && p_ + 1 < end_ && (p_[1] == '/' || p_[1] == '*')) {
      if (!skip_comment()) return false;
    } else if (*p_ == '#') {
      if (!skip_hash_line()) return false;
    } else {
      return true;
    }
  }
  return true;
}

bool Lexer::skip_comment() {
  const std::string_view rest(p_, static_cast<size_t>(end_ - p_));
  if (p_[1] == '/') {
    const size_t newline = rest.find('\n');
    p_ = newline == std::string_view::npos ? end_ : p_ + newline + 1;
    return true;
  }
  const size_t close = rest.find("*/", 2);
  if (close == std::string_view::npos) {
    error_ = "a comment that is never closed";
    return false;
  }
  p_ += close + 2;
  return true;
}

void Lexer::skip_line() {
  const size_t newline = std::string_view(p_, static_cast<size_t>(end_ - p_)).find('\n');
  p_ = newline == std::string_view::npos ? end_ : p_ + newline;
}

bool Lexer::skip_hash_line() {
  if (p_ > begin_ && p_[-1] != '\n' && p_[-1] != '\r') {
    error_ = "'#' may only open a line";
    return false;
  }
  const char* word = p_ + 1;
  while (word < end_ && (*word == ' ' || *word == '\t')) ++word;
  const char* word_end = word;
  while (word_end < end_ && is(*word_end, kNameRest)) ++word_end;
  const std::string_view directive(word, static_cast<size_t>(word_end - word));
  if (directive != "line" && (directive.empty() || !is(directive[0], kDigit))) {
    error_ = "preprocessor directive '#" + std::string(directive) + "' is not PTX: run the preprocessor first (only #line is taken)";
    return false;
  }
  skip_line();
  return true;
}

void Lexer::next(Token& token) {
  const bool clean = skip_blanks();
  token.begin = offset();
  token.end = token.begin;
  token.text = {};
  if (!clean) {
    token.kind = Tok::Invalid;
    if (p_ < end_) ++p_;
    return;
  }
  if (p_ >= end_) {
    token.kind = Tok::End;
    return;
  }
  const char c = *p_;
  if (is(c, kNameStart)) return name(token);
  if (is(c, kDigit)) return number(token);
  if (c == '.') {
    if (p_ + 1 < end_ && is(p_[1], kDigit)) return decimal(token);
    const char* start = ++p_;
    while (p_ < end_ && (is(*p_, kNameRest) || (*p_ == ':' && p_ + 2 < end_ && p_[1] == ':' && is(p_[2], kNameRest)))) {
      p_ += *p_ == ':' ? 2 : 1;
    }
    if (p_ == start) return invalid(token, "a name is expected behind '.'");
    token.kind = Tok::DotWord;
    token.text = {start, static_cast<size_t>(p_ - start)};
    token.end = offset();
    return;
  }
  if (c == '"') return string(token);
  punctuation(token);
}

void Lexer::name(Token& token) {
  const char* start = p_++;
  while (p_ < end_ && is(*p_, kNameRest)) ++p_;
  token.end = offset();
  token.text = {start, static_cast<size_t>(p_ - start)};
  if (p_ - start == 1 && *start == '%') {
    token.kind = Tok::Percent;
    return;
  }
  token.kind = Tok::Identifier;
}

void Lexer::punctuation(Token& token) {
  const char c = *p_++;
  if (p_ < end_) {
    const Tok both = double_character(c, *p_);
    if (both != Tok::Invalid) {
      ++p_;
      token.kind = both;
      token.end = offset();
      return;
    }
  }
  token.kind = static_cast<unsigned char>(c) < 128 ? kSingles[static_cast<unsigned char>(c)] : Tok::Invalid;
  token.end = offset();
  if (token.kind == Tok::Invalid) invalid(token, "unexpected " + printable(c));
}

void Lexer::string(Token& token) {
  const char* start = ++p_;
  while (p_ < end_ && *p_ != '"' && *p_ != '\n') p_ += *p_ == '\\' && p_ + 1 < end_ && p_[1] != '\n' ? 2 : 1;
  if (p_ >= end_ || *p_ != '"') return invalid(token, "a string that is never closed");
  token.kind = Tok::String;
  token.text = {start, static_cast<size_t>(p_ - start)};
  ++p_;
  token.end = offset();
}

void Lexer::hex_float(Token& token, unsigned digits) {
  p_ += 2;
  const char* start = p_;
  uint64_t bits = 0;
  while (p_ < end_ && is(*p_, kHex)) {
    if (p_ - start < 16) bits = bits << 4 | digit_value(*p_);
    ++p_;
  }
  if (static_cast<size_t>(p_ - start) != digits || (p_ < end_ && is(*p_, kNameRest))) {
    return invalid(token, "a literal of this kind has exactly " + std::to_string(digits) + " hexadecimal digits");
  }
  token.kind = digits == 8 ? Tok::Float32 : Tok::Float64;
  token.value = bits;
  token.end = offset();
}

void Lexer::integer_digits(Token& token, unsigned base, std::string_view digits) {
  uint64_t value = 0;
  for (const char c : digits) {
    const unsigned digit = is(c, kHex) ? digit_value(c) : 99;
    if (digit >= base) return invalid(token, "digit " + printable(c) + " in a literal of base " + std::to_string(base));
    if (value > (~0ull - digit) / base) return invalid(token, "an integer that needs more than 64 bits");
    value = value * base + digit;
  }
  token.kind = Tok::Integer;
  token.value = value;
  token.is_unsigned = value > static_cast<uint64_t>(INT64_MAX);
  if (p_ < end_ && *p_ == 'U') {
    token.is_unsigned = true;
    ++p_;
  }
  if (p_ < end_ && is(*p_, kNameRest)) {
    const std::string suffix = printable(*p_);
    while (p_ < end_ && is(*p_, kNameRest)) ++p_;
    return invalid(token, suffix + " behind an integer: the only suffix is 'U'");
  }
  token.end = offset();
}

void Lexer::number(Token& token) {
  const char* start = p_;
  if (*p_ == '0' && p_ + 1 < end_) {
    const char kind = p_[1];
    if (kind == 'f' || kind == 'F') return hex_float(token, 8);
    if (kind == 'd' || kind == 'D') return hex_float(token, 16);
    if (kind == 'x' || kind == 'X' || kind == 'b' || kind == 'B') {
      const unsigned base = kind == 'x' || kind == 'X' ? 16 : 2;
      start = p_ += 2;
      while (p_ < end_ && is(*p_, base == 16 ? kHex : kDigit)) ++p_;
      if (p_ == start) return invalid(token, "digits are missing in an integer");
      return integer_digits(token, base, {start, static_cast<size_t>(p_ - start)});
    }
  }
  while (p_ < end_ && is(*p_, kDigit)) ++p_;
  if (p_ < end_ && (*p_ == '.' || *p_ == 'e' || *p_ == 'E')) {
    p_ = start;
    return decimal(token);
  }
  const std::string_view digits(start, static_cast<size_t>(p_ - start));
  integer_digits(token, digits.size() > 1 && digits[0] == '0' ? 8 : 10, digits);
}

void Lexer::decimal(Token& token) {
  const char* start = p_;
  while (p_ < end_ && is(*p_, kDigit)) ++p_;
  if (p_ < end_ && *p_ == '.') ++p_;
  while (p_ < end_ && is(*p_, kDigit)) ++p_;
  if (p_ < end_ && (*p_ == 'e' || *p_ == 'E')) {
    ++p_;
    if (p_ < end_ && (*p_ == '+' || *p_ == '-')) ++p_;
    const char* exponent = p_;
    while (p_ < end_ && is(*p_, kDigit)) ++p_;
    if (p_ == exponent) return invalid(token, "the exponent of a floating-point literal has no digits");
  }
  if (p_ < end_ && is(*p_, kNameRest)) return invalid(token, "unexpected " + printable(*p_) + " behind a floating-point literal");
  double value = 0;
  const std::from_chars_result result = std::from_chars(start, p_, value);
  if (result.ec == std::errc::result_out_of_range) {
    return invalid(token, "a floating-point number that double precision does not hold");
  }
  if (result.ec != std::errc{} || result.ptr != p_) {
    return invalid(token, "a malformed floating-point literal");
  }
  token.kind = Tok::Float64;
  token.value = std::bit_cast<uint64_t>(value);
  token.end = offset();
}

bool Lexer::modifier(std::string_view& word) {
  if (p_ < end_ && *p_ != '.' && (!is(*p_, kBlank) && *p_ != '/')) return false;
  if (p_ < end_ && *p_ != '.' && (peek() != '.')) return false;
  if (p_ + 1 >= end_ || *p_ != '.' || !is(p_[1], kNameRest)) return false;
  const char* start = ++p_;
  for (;;) {
    while (p_ < end_ && is(*p_, kNameRest)) ++p_;
    if (p_ + 2 < end_ && p_[0] == ':' && p_[1] == ':' && is(p_[2], kNameRest)) {
      p_ += 2;
    } else if (p_ + 1 < end_ && p_[0] == ':' && is(p_[-1], kDigit) && is(p_[1], kDigit)) {
      ++p_; // .sp::2:4
    } else {
      break;
    }
  }
  word = {start, static_cast<size_t>(p_ - start)};
  return true;
}

bool Lexer::component(std::string_view& word) {
  if (p_ + 1 >= end_ || *p_ != '.' || !is(p_[1], kNameStart)) return false;
  const char* start = ++p_;
  while (p_ < end_ && is(*p_, kNameRest)) ++p_;
  word = {start, static_cast<size_t>(p_ - start)};
  return true;
}

std::string_view spelling(Tok kind) {
  switch (kind) {
  case Tok::End: return "the end of the text";
  case Tok::Invalid: return "an invalid token";
  case Tok::Identifier: return "a name";
  case Tok::DotWord: return "a directive";
  case Tok::Integer: return "an integer";
  case Tok::Float32:
  case Tok::Float64: return "a floating-point number";
  case Tok::String: return "a string";
  case Tok::ShiftLeft: return "'<<'";
  case Tok::ShiftRight: return "'>>'";
  case Tok::LessEqual: return "'<='";
  case Tok::GreaterEqual: return "'>='";
  case Tok::EqualEqual: return "'=='";
  case Tok::NotEqual: return "'!='";
  case Tok::AndAnd: return "'&&'";
  case Tok::OrOr: return "'||'";
  case Tok::AtAt: return "'@@'";
  case Tok::LeftBrace: return "'{'";
  case Tok::RightBrace: return "'}'";
  case Tok::LeftParen: return "'('";
  case Tok::RightParen: return "')'";
  case Tok::LeftBracket: return "'['";
  case Tok::RightBracket: return "']'";
  case Tok::Comma: return "','";
  case Tok::Semicolon: return "';'";
  case Tok::Colon: return "':'";
  case Tok::Question: return "'?'";
  case Tok::Plus: return "'+'";
  case Tok::Minus: return "'-'";
  case Tok::Star: return "'*'";
  case Tok::Slash: return "'/'";
  case Tok::Percent: return "'%'";
  case Tok::Less: return "'<'";
  case Tok::Greater: return "'>'";
  case Tok::Equal: return "'='";
  case Tok::Exclamation: return "'!'";
  case Tok::Tilde: return "'~'";
  case Tok::Ampersand: return "'&'";
  case Tok::Pipe: return "'|'";
  case Tok::Caret: return "'^'";
  case Tok::At: return "'@'";
  }
  return {};
}

std::string describe(const Token& token) {
  if (token.kind == Tok::Identifier) return "'" + std::string(token.text.substr(0, 80)) + "'";
  if (token.kind == Tok::DotWord) return "'." + std::string(token.text.substr(0, 80)) + "'";
  return std::string(spelling(token.kind));
}

} // namespace ptxshim::ptx
