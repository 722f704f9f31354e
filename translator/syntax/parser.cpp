// SPDX-License-Identifier: MIT
#include "syntax/parser.h"

namespace ptxshim::ptx {
namespace {

constexpr unsigned kDeepestExpression = 200;

} // namespace

Parser::Parser(Module& module, std::vector<Diagnostic>& diagnostics)
    : module_(module), diagnostics_(diagnostics), lexer_(module.text), names_(module.names), checker_(module),
      dense_budget_(4 * module.text.size() / sizeof(uint32_t) + 4096) {}

bool Parser::fail(Offset offset, std::string message) {
  if (stopped()) return false;
  Diagnostic diagnostic;
  diagnostic.offset = offset;
  diagnostic.message = std::move(message);
  diagnostics_.push_back(std::move(diagnostic));
  ++errors_;
  return false;
}

bool Parser::fail_unknown(Offset offset, std::string message) {
  if (module_.version <= kNewestVersion) return fail(offset, std::move(message));
  message += ". Unsupported .version " + version_text(module_.version) + "; current version is '" + version_text(kNewestVersion) + "'"; // in ptxas' words
  fail(offset, std::move(message));
  if (!diagnostics_.empty()) diagnostics_.back().code = CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
  return false;
}

bool Parser::fail_token(std::string_view expected) {
  if (at(Tok::Invalid)) return fail(token_.begin, lexer_.error());
  return fail(token_.begin, std::string(expected) + " expected, found " + describe(token_));
}

bool Parser::allowed(Directive directive) {
  std::string missing;
  return meets(module_, requirement_of(directive), &missing) || fail(token_.begin, "." + std::string(token_.text) + " " + missing);
}

void Parser::warn(Offset offset, std::string message) {
  Diagnostic diagnostic;
  diagnostic.severity = Diagnostic::Severity::Warning;
  diagnostic.offset = offset;
  diagnostic.message = std::move(message);
  diagnostics_.push_back(std::move(diagnostic));
}

// Whether the brace that the parser stands at opens a vector operand, not a scope.
bool Parser::at_vector() const {
  const size_t found = module_.text.find_first_of(",};:.{", token_.end);
  return found != std::string_view::npos && (module_.text[found] == ',' || module_.text[found] == '}');
}

// Behind the next ';', or at the brace of a scope: the statement loop takes that itself.
void Parser::recover_statement() {
  unsigned vectors = 0;
  while (!at(Tok::End)) {
    if (at(Tok::LeftBrace)) {
      if (!at_vector()) return;
      ++vectors;
    } else if (at(Tok::RightBrace)) {
      if (vectors == 0) return;
      --vectors;
    } else if (accept(Tok::Semicolon)) {
      return;
    }
    advance();
  }
}

bool Parser::parse_integer(uint64_t& value, std::string_view what) {
  if (!at(Tok::Integer)) return fail_token(what);
  value = token_.value;
  advance();
  return true;
}

bool Parser::parse_count(uint32_t& value, std::string_view what) {
  const Offset offset = token_.begin;
  uint64_t wide = 0;
  if (!parse_integer(wide, what)) return false;
  if (wide > UINT32_MAX) return fail(offset, std::string(what) + " is too large");
  value = static_cast<uint32_t>(wide);
  return true;
}

bool Parser::parse_string(std::string_view& text) {
  if (!at(Tok::String)) return fail_token("a string");
  text = token_.text;
  advance();
  return true;
}

bool Parser::parse_name(std::string_view what, NameId& name, Offset& offset) {
  if (!at(Tok::Identifier)) return fail_token(what);
  name = intern(token_.text);
  offset = token_.begin;
  advance();
  return true;
}

// Precedence climbing; the nesting of parentheses, unary operators and ?: is bounded, so the stack is too.
bool Parser::parse_constant(Constant& value, unsigned lowest, unsigned nesting) {
  if (nesting > kDeepestExpression) return fail(token_.begin, "an expression that is nested too deeply");
  if (!parse_primary(value, nesting)) return false;
  for (;;) {
    const Tok op = token_.kind;
    const unsigned strength = precedence(op);
    if (strength == 0 || strength <= lowest) break;
    const Offset offset = token_.begin;
    advance();
    Constant right;
    if (!parse_constant(right, strength, nesting + 1)) return false;
    if (std::string message = apply_binary(op, value, right); !message.empty()) return fail(offset, std::move(message));
  }
  if (lowest > 0 || !at(Tok::Question)) return true;
  const Offset offset = token_.begin;
  advance();
  const Constant condition = value;
  Constant other;
  if (!parse_constant(value, 0, nesting + 1) || !expect(Tok::Colon) || !parse_constant(other, 0, nesting + 1)) return false;
  std::string message = apply_choice(condition, value, other);
  return message.empty() || fail(offset, std::move(message));
}

bool Parser::parse_primary(Constant& value, unsigned nesting) {
  if (nesting > kDeepestExpression) return fail(token_.begin, "an expression that is nested too deeply");
  const Token token = token_;
  if (at(Tok::Integer)) {
    value = Constant::integer(token.value, token.is_unsigned);
  } else if (at(Tok::Float64) || at(Tok::Float32)) {
    value = {at(Tok::Float64) ? Constant::Kind::Float64 : Constant::Kind::Float32, false, token.value};
  } else if (at(Tok::Identifier) && token.text == "WARP_SZ") {
    value = Constant::integer(32, false);
  } else if (at(Tok::LeftParen)) {
    advance();
    if (at(Tok::DotWord)) return parse_cast(value, nesting);
    return parse_constant(value, 0, nesting + 1) && expect(Tok::RightParen);
  } else if (at(Tok::Plus) || at(Tok::Minus) || at(Tok::Exclamation) || at(Tok::Tilde)) {
    advance();
    if (!parse_primary(value, nesting + 1)) return false;
    std::string message = apply_unary(token.kind, value);
    return message.empty() || fail(token.begin, std::move(message));
  } else {
    return fail_token("a constant");
  }
  advance();
  return true;
}

bool Parser::parse_cast(Constant& value, unsigned nesting) {
  const Offset offset = token_.begin;
  const bool is_unsigned = token_.text == "u64";
  if (!is_unsigned && token_.text != "s64") return fail(offset, "the casts of constant expressions are (.s64) and (.u64)");
  advance();
  if (!expect(Tok::RightParen) || !parse_primary(value, nesting + 1)) return false;
  if (!value.is_integer()) return fail(offset, "a cast takes an integer");
  value.is_unsigned = is_unsigned;
  return true;
}

bool Parser::parse_constant_integer(int64_t& value) {
  const Offset offset = token_.begin;
  Constant constant;
  if (!parse_constant(constant)) return false;
  if (!constant.is_integer()) return fail(offset, "an integer is expected here");
  value = static_cast<int64_t>(constant.bits);
  return true;
}

bool Parser::bind_new(NameId name, Meaning meaning, uint32_t index, Offset offset) {
  const std::string_view text = module_.name(name);
  if (text == "_" || text == "$" || text == "WARP_SZ") return fail(offset, "'" + std::string(text) + "' cannot be declared");
  const Binding* before = scopes_.find(name, meaning == Meaning::Range);
  if (before && before->depth == scopes_.depth()) {
    return fail(offset, "'" + std::string(module_.name(name).substr(0, 200)) + "' is declared twice in one scope");
  }
  if (meaning != Meaning::Range) {
    if (in_range(text)) return fail(offset, "'" + std::string(text.substr(0, 200)) + "' is one of the registers declared as name<n>");
    note_exact(name);
  }
  scopes_.bind(name, meaning, index);
  return true;
}

// Remembers that a plain name ends in digits, so that a register range of its prefix does not swallow it.
void Parser::note_exact(NameId name) {
  const std::string_view text = module_.name(name);
  size_t stem = text.size();
  while (stem > 0 && text[stem - 1] >= '0' && text[stem - 1] <= '9') --stem;
  if (stem == text.size() || stem == 0) return;
  const NameId prefix = intern(text.substr(0, stem));
  if (prefix >= exact_with_digits_.size()) exact_with_digits_.resize(prefix + prefix / 2 + 16);
  exact_with_digits_[prefix] = true;
}

} // namespace ptxshim::ptx
