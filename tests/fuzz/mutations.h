// SPDX-License-Identifier: MIT
// Small mistakes in PTX, made at random: the kind a person or a compiler under work makes, one to a text.
#pragma once

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace ptxshim::ptx {

struct Mutation {
  std::string text; // the whole module, changed
  std::string what; // what was done, for the report
};

// Cuts a text into what a mutation moves about: names, dot-words, numbers, strings and single characters; comments are left out.
struct Piece {
  size_t begin = 0;
  size_t end = 0;
};
std::vector<Piece> pieces_of(std::string_view text);

class Mutator {
public:
  Mutator(std::string_view text, uint32_t seed);
  Mutation make();

private:
  using Kind = bool (Mutator::*)(Mutation&);
  bool remove_piece(Mutation& result);
  bool repeat_piece(Mutation& result);
  bool swap_pieces(Mutation& result);
  bool other_dot_word(Mutation& result);
  bool new_dot_word(Mutation& result);
  bool other_register(Mutation& result);
  bool register_to_constant(Mutation& result);
  bool other_constant(Mutation& result);
  bool undeclared_name(Mutation& result);
  bool more_operands(Mutation& result);
  bool fewer_operands(Mutation& result);
  bool other_mnemonic(Mutation& result);
  bool version_or_target(Mutation& result);
  bool remove_statement(Mutation& result);
  bool repeat_statement(Mutation& result);
  bool move_statement(Mutation& result);

  std::string_view word(size_t piece) const { return text_.substr(pieces_[piece].begin, pieces_[piece].end - pieces_[piece].begin); }
  size_t below(size_t limit) { return static_cast<size_t>(random_() % limit); }
  // A random piece that `fits`, from the body on where there is one; npos when there is none.
  template <class Fits> size_t pick(Fits fits);
  bool change(Mutation& result, size_t first, size_t last, const std::string& now, std::string_view kind);
  size_t statement_end(size_t piece) const;

  static constexpr size_t npos = static_cast<size_t>(-1);
  std::string_view text_;
  std::vector<Piece> pieces_;
  size_t body_ = 0; // first piece behind the opening directives
  std::mt19937 random_;
};

} // namespace ptxshim::ptx
