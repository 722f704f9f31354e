// SPDX-License-Identifier: MIT
#include "mutations.h"

#include <cctype>
#include <iterator>

namespace ptxshim::ptx {
namespace {

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%'; }
bool is_number(std::string_view word) { return !word.empty() && std::isdigit(static_cast<unsigned char>(word[0])); }
bool is_register(std::string_view word) { return word.size() > 1 && word[0] == '%' && word.find_first_of("0123456789") != std::string_view::npos; }
bool is_dot_word(std::string_view word) { return word.size() > 1 && word[0] == '.'; }
bool is_mnemonic(std::string_view word) { return word.size() > 1 && std::islower(static_cast<unsigned char>(word[0])); }

constexpr std::string_view kModifiers[] = {
    ".u8", ".u16", ".u32", ".u64", ".s8", ".s16", ".s32", ".s64", ".b8", ".b16", ".b32", ".b64", ".b128", ".f16", ".f16x2", ".bf16", ".bf16x2",
    ".f32", ".f64", ".tf32", ".pred", ".global", ".shared", ".local", ".const", ".param", ".generic", ".shared::cta", ".shared::cluster", ".v2", ".v4",
    ".v8", ".rn", ".rz", ".rm", ".rp", ".rni", ".rzi", ".ftz", ".sat", ".satfinite", ".relu", ".NaN", ".approx", ".full", ".lo", ".hi", ".wide", ".sync",
    ".aligned", ".cta", ".cluster", ".gpu", ".sys", ".relaxed", ".acquire", ".release", ".acq_rel", ".sc", ".volatile", ".weak", ".uni", ".to", ".x", ".y",
    ".eq", ".ne", ".lt", ".gt", ".num", ".nan", ".ca", ".cg", ".cs", ".cv", ".nc", ".wb", ".wt", ".all", ".any", ".ballot", ".and", ".or", ".xor", ".popc",
    ".add", ".min", ".max", ".inc", ".dec", ".cas", ".exch", ".up", ".down", ".bfly", ".idx", ".clamp", ".wrap", ".cc", ".noftz", ".L2::64B", ".align",
    ".extern", ".visible", ".entry", ".func", ".reg", ".maxntid", ".mmio", ".unified", ".shiftamt", ".x2", ".x4"};
constexpr std::string_view kMnemonics[] = {"add", "sub", "mul", "mad", "fma", "div", "rem", "min", "max", "abs", "neg", "and", "or", "xor", "not", "cnot", "shl",
    "shr", "shf", "mov", "ld", "st", "ldu", "cvt", "cvta", "setp", "set", "selp", "slct", "popc", "clz", "bfind", "brev", "bfe", "bfi", "prmt", "lop3", "sin",
    "rcp", "sqrt", "rsqrt", "ex2", "lg2", "tanh", "bra", "call", "ret", "exit", "bar", "barrier", "membar", "fence", "atom", "red", "vote", "match", "shfl",
    "prefetch", "isspacep", "trap", "brkpt", "copysign", "testp", "sad", "dp4a", "elect", "activemask", "nanosleep", "addc", "madc", "mul24"};
constexpr std::string_view kConstants[] = {"0", "1", "-1", "7", "16", "31", "32", "63", "64", "255", "256", "65535", "65536", "0x7fffffff", "0xffffffff",
    "0x100000000", "0xffffffffffffffff", "1.0", "-2.5", "0f3F800000", "0d3FF0000000000000", "WARP_SZ", "(1+2)", "5U", "%tid.x", "%clock64", "%laneid", "_",
    "undeclared", "1e400", "010"};
constexpr std::string_view kTargets[] = {"sm_10", "sm_20", "sm_30", "sm_35", "sm_50", "sm_53", "sm_60", "sm_61", "sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_90a",
    "sm_100", "sm_100a", "sm_100f", "sm_103a", "sm_110f", "sm_120", "sm_120a", "sm_121f"};
constexpr std::string_view kVersions[] = {"1.0", "1.4", "2.0", "2.3", "3.0", "3.1", "3.2", "4.0", "4.3", "5.0", "6.0", "6.2", "6.3", "6.4", "6.5", "7.0", "7.1", "7.3", "7.4",
    "7.5", "7.6", "7.7", "7.8", "8.0", "8.1", "8.3", "8.4", "8.5", "8.6", "8.7", "8.8", "9.0"};

size_t skip_comment(std::string_view text, size_t at) {
  const bool line = text[at + 1] == '/';
  const size_t end = line ? text.find('\n', at) : text.find("*/", at + 2);
  if (end == std::string_view::npos) return text.size();
  return line ? end : end + 2;
}

size_t piece_end(std::string_view text, size_t at) {
  const char c = text[at];
  size_t end = at + 1;
  if (c == '"') {
    const size_t close = text.find('"', end);
    return close == std::string_view::npos ? text.size() : close + 1;
  }
  const bool number = std::isdigit(static_cast<unsigned char>(c)) != 0;
  if (!is_name(c) && (c != '.' || end >= text.size() || !is_name(text[end]))) return end;
  while (end < text.size()) {
    const bool colons = text[end] == ':' && end + 2 < text.size() && text[end + 1] == ':' && is_name(text[end + 2]);
    const bool point = number && text[end] == '.' && end + 1 < text.size() && std::isdigit(static_cast<unsigned char>(text[end + 1]));
    if (colons) end += 2;
    else if (is_name(text[end]) || point) ++end;
    else break;
  }
  return end;
}

} // namespace

std::vector<Piece> pieces_of(std::string_view text) {
  std::vector<Piece> pieces;
  for (size_t at = 0; at < text.size();) {
    if (std::isspace(static_cast<unsigned char>(text[at]))) {
      ++at;
    } else if (text[at] == '/' && at + 1 < text.size() && (text[at + 1] == '/' || text[at + 1] == '*')) {
      at = skip_comment(text, at);
    } else {
      const size_t end = piece_end(text, at);
      pieces.push_back({at, end});
      at = end;
    }
  }
  return pieces;
}

Mutator::Mutator(std::string_view text, uint32_t seed) : text_(text), pieces_(pieces_of(text)), random_(seed) {
  for (size_t i = 0; i < pieces_.size() && body_ == 0; ++i)
    if (word(i) == "{") body_ = i;
}

template <class Fits> size_t Mutator::pick(Fits fits) {
  const size_t first = below(8) == 0 ? 0 : body_; // heads are short: look at them now and then
  for (int tries = 0; tries < 200 && pieces_.size() > first; ++tries) {
    const size_t piece = first + below(pieces_.size() - first);
    if (fits(piece)) return piece;
  }
  return npos;
}

// Puts `now` in the place of the pieces first to last.
bool Mutator::change(Mutation& result, size_t first, size_t last, const std::string& now, std::string_view kind) {
  if (first == npos || last >= pieces_.size()) return false;
  const size_t begin = pieces_[first].begin;
  const size_t end = pieces_[last].end;
  if (text_.substr(begin, end - begin) == now) return false;
  result.text = std::string(text_.substr(0, begin)) + now + std::string(text_.substr(end));
  const size_t line_begin = result.text.rfind('\n', begin) + 1;
  const size_t line_end = result.text.find('\n', begin + now.size());
  result.what = std::string(kind) + ": " + result.text.substr(line_begin, std::min<size_t>(line_end - line_begin, 200));
  return true;
}

size_t Mutator::statement_end(size_t piece) const {
  while (piece + 1 < pieces_.size() && word(piece) != ";") ++piece;
  return piece;
}

bool Mutator::remove_piece(Mutation& result) {
  const size_t at = pick([](size_t) { return true; });
  return change(result, at, at, "", "remove");
}

bool Mutator::repeat_piece(Mutation& result) {
  const size_t at = pick([](size_t) { return true; });
  if (at == npos) return false;
  return change(result, at, at, std::string(word(at)) + (is_dot_word(word(at)) ? "" : " ") + std::string(word(at)), "repeat");
}

bool Mutator::swap_pieces(Mutation& result) {
  const size_t at = pick([&](size_t i) { return i + 1 < pieces_.size(); });
  if (at == npos) return false;
  const std::string gap(text_.substr(pieces_[at].end, pieces_[at + 1].begin - pieces_[at].end));
  return change(result, at, at + 1, std::string(word(at + 1)) + gap + std::string(word(at)), "swap");
}

bool Mutator::other_dot_word(Mutation& result) {
  const size_t at = pick([&](size_t i) { return is_dot_word(word(i)); });
  return change(result, at, at, std::string(kModifiers[below(std::size(kModifiers))]), "dot-word");
}

bool Mutator::new_dot_word(Mutation& result) {
  const size_t at = pick([&](size_t i) { return is_dot_word(word(i)) || is_mnemonic(word(i)); });
  if (at == npos) return false;
  return change(result, at, at, std::string(word(at)) + std::string(kModifiers[below(std::size(kModifiers))]), "more dot-words");
}

bool Mutator::other_register(Mutation& result) {
  const size_t at = pick([&](size_t i) { return is_register(word(i)); });
  const size_t other = pick([&](size_t i) { return is_register(word(i)); });
  return other != npos && change(result, at, at, std::string(word(other)), "register");
}

bool Mutator::register_to_constant(Mutation& result) {
  const size_t at = pick([&](size_t i) { return is_register(word(i)); });
  return change(result, at, at, std::string(kConstants[below(std::size(kConstants))]), "constant for register");
}

bool Mutator::other_constant(Mutation& result) {
  const size_t at = pick([&](size_t i) { return is_number(word(i)); });
  return change(result, at, at, std::string(kConstants[below(std::size(kConstants))]), "constant");
}

bool Mutator::undeclared_name(Mutation& result) {
  const size_t at = pick([&](size_t i) { return is_name(word(i)[0]) && !is_number(word(i)); });
  if (at == npos) return false;
  return change(result, at, at, std::string(word(at)) + "x", "name");
}

bool Mutator::more_operands(Mutation& result) {
  const size_t at = pick([&](size_t i) { return is_register(word(i)) || is_number(word(i)); });
  const size_t other = pick([&](size_t i) { return is_register(word(i)); });
  if (at == npos || other == npos) return false;
  return change(result, at, at, std::string(word(at)) + ", " + std::string(word(below(2) ? at : other)), "more operands");
}

bool Mutator::fewer_operands(Mutation& result) {
  const size_t at = pick([&](size_t i) { return word(i) == "," && i + 2 < pieces_.size(); });
  return change(result, at, at + 1, "", "fewer operands");
}

bool Mutator::other_mnemonic(Mutation& result) {
  const size_t at = pick([&](size_t i) { return is_mnemonic(word(i)) && (word(i - 1) == ";" || word(i - 1) == "{"); });
  return change(result, at, at, std::string(kMnemonics[below(std::size(kMnemonics))]), "mnemonic");
}

bool Mutator::version_or_target(Mutation& result) {
  const bool target = below(2) == 0;
  size_t at = 0;
  while (at < pieces_.size() && word(at) != (target ? ".target" : ".version")) ++at;
  const std::string now(target ? kTargets[below(std::size(kTargets))] : kVersions[below(std::size(kVersions))]);
  return change(result, at + 1, at + 1, now, "version or target");
}

bool Mutator::remove_statement(Mutation& result) {
  const size_t at = pick([&](size_t i) { return word(i) == ";" && i + 1 < pieces_.size(); });
  return at != npos && change(result, at + 1, statement_end(at + 1), "", "remove statement");
}

bool Mutator::repeat_statement(Mutation& result) {
  const size_t at = pick([&](size_t i) { return word(i) == ";" && i + 1 < pieces_.size(); });
  if (at == npos) return false;
  const size_t end = statement_end(at + 1);
  const std::string statement(text_.substr(pieces_[at + 1].begin, pieces_[end].end - pieces_[at + 1].begin));
  return change(result, at + 1, end, statement + "\n" + statement, "repeat statement");
}

bool Mutator::move_statement(Mutation& result) {
  const size_t at = pick([&](size_t i) { return word(i) == ";" && i + 1 < pieces_.size(); });
  const size_t to = pick([&](size_t i) { return word(i) == ";" || word(i) == "{" || word(i) == "}"; });
  if (at == npos || to == npos) return false;
  const size_t end = statement_end(at + 1);
  const std::string statement(text_.substr(pieces_[at + 1].begin, pieces_[end].end - pieces_[at + 1].begin));
  return change(result, to, to, std::string(word(to)) + " " + statement + "\n", "copy statement");
}

Mutation Mutator::make() {
  static constexpr Kind kKinds[] = {
      &Mutator::remove_piece,     &Mutator::repeat_piece,    &Mutator::swap_pieces,      &Mutator::other_dot_word,   &Mutator::other_dot_word,
      &Mutator::new_dot_word,     &Mutator::other_register,  &Mutator::other_register,   &Mutator::register_to_constant, &Mutator::other_constant,
      &Mutator::undeclared_name,  &Mutator::more_operands,   &Mutator::fewer_operands,   &Mutator::other_mnemonic,   &Mutator::version_or_target,
      &Mutator::remove_statement, &Mutator::repeat_statement, &Mutator::move_statement};
  Mutation result;
  while (!(this->*kKinds[below(std::size(kKinds))])(result)) {
  }
  return result;
}

} // namespace ptxshim::ptx
