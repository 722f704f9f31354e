// SPDX-License-Identifier: MIT
// From text to tokens, on demand: the parser holds one token and the lexer stands right behind it, so that what PTX decides by
// context (the modifiers of a mnemonic, the component of a register) is read directly from the text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "syntax/ast.h"

namespace ptxshim::ptx {

enum class Tok : uint8_t {
  End,
  Invalid,    // lexer().error() says why
  Identifier,
  DotWord,    // .name; text without the dot
  Integer,    // value; is_unsigned
  Float32,    // value = bits
  Float64,    // value = bits
  String,     // text without the quotes
  ShiftLeft, ShiftRight, LessEqual, GreaterEqual, EqualEqual, NotEqual, AndAnd, OrOr, AtAt,
  LeftBrace, RightBrace, LeftParen, RightParen, LeftBracket, RightBracket,
  Comma, Semicolon, Colon, Question, Plus, Minus, Star, Slash, Percent, Less, Greater, Equal, Exclamation, Tilde, Ampersand,
  Pipe, Caret, At
};

struct Token {
  Tok kind = Tok::End;
  bool is_unsigned = false;
  Offset begin = 0;
  Offset end = 0;
  uint64_t value = 0;
  std::string_view text;
};

class Lexer {
public:
  explicit Lexer(std::string_view text);

  void next(Token& token);
  // Right behind the current token: ".word" or ".word::word" of a mnemonic; blanks may stand before the dot.
  bool modifier(std::string_view& word);
  // Right behind a name, without blanks: ".x" and the like.
  bool component(std::string_view& word);
  // The next character that is neither blank nor comment; 0 at the end. Does not consume it.
  char peek() { return skip_blanks() && p_ < end_ ? *p_ : '\0'; }
  char peek_behind() const { return p_ + 1 < end_ ? p_[1] : '\0'; } // the one after peek()
  void skip_line(); // to the end of the current line
  const std::string& error() const { return error_; }
  Offset offset() const { return static_cast<Offset>(p_ - begin_); }
  static bool name_character(char c);

private:
  bool skip_blanks(); // false on a lexical error (error_ is set)
  bool skip_comment();
  bool skip_hash_line();
  void number(Token& token);
  void hex_float(Token& token, unsigned digits);
  void integer_digits(Token& token, unsigned base, std::string_view digits);
  void decimal(Token& token);
  void string(Token& token);
  void punctuation(Token& token);
  void name(Token& token);
  void invalid(Token& token, std::string message);

  const char* begin_;
  const char* p_;
  const char* end_;
  std::string error_;
};

// How a token is named in messages.
std::string describe(const Token& token);
std::string_view spelling(Tok kind);

} // namespace ptxshim::ptx
