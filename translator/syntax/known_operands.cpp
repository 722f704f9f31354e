// SPDX-License-Identifier: MIT
// The operands that rows of ptx_forms.def name behind the mnemonic: of instructions that are known but not translated. The notation
// stands at the head of that table; it is read once per distinct mnemonic of a module, when its modifiers are known.
#include <cctype>

#include "syntax/forms.h"

namespace ptxshim::ptx {
namespace {

using Operands = std::vector<OperandSpec>;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// The next piece up to `separator` outside of all brackets.
std::string_view next_piece(std::string_view& rest, char separator) {
  size_t end = 0;
  for (int depth = 0; end < rest.size() && (depth > 0 || rest[end] != separator); ++end) {
    if (rest[end] == '[' || rest[end] == '{') ++depth;
    if (rest[end] == ']' || rest[end] == '}') --depth;
  }
  const std::string_view piece = rest.substr(0, end);
  rest = end < rest.size() ? rest.substr(end + 1) : std::string_view{};
  return trimmed(piece);
}

bool drop_last(std::string_view& text, char mark) {
  if (text.empty() || text.back() != mark) return false;
  text.remove_suffix(1);
  return true;
}

unsigned number_in(std::string_view word) {
  const size_t begin = word.find_first_of("0123456789");
  unsigned value = 0;
  for (size_t at = begin; at < word.size() && std::isdigit(static_cast<unsigned char>(word[at])); ++at) value = value * 10 + static_cast<unsigned>(word[at] - '0');
  return value;
}

class OperandReader {
public:
  OperandReader(const KnownForm& known, std::span<const Mod> modifiers, const std::vector<uint8_t>& choices)
      : form_(known.form), choices_(choices) {
    for (const Mod modifier : modifiers) {
      const std::string_view word = spelling(modifier);
      if (modifier == Mod::v2 || modifier == Mod::v4 || modifier == Mod::v8) vector_ = static_cast<uint16_t>(number_in(word));
      const size_t n = word.find('n');
      const size_t k = word.find('k');
      if (word.front() != 'm' || n == std::string_view::npos || !std::isdigit(static_cast<unsigned char>(word[1]))) continue;
      m_ = number_in(word);
      n_ = number_in(word.substr(n));
      k_ = k == std::string_view::npos ? 0 : number_in(word.substr(k));
    }
  }

  // Every list of operands that `text` allows: alternatives, and optional operands there or not.
  std::vector<Operands> lists(std::string_view text) {
    std::vector<Operands> all;
    while (!text.empty()) {
      std::vector<Operands> some(1);
      for (std::string_view rest = next_piece(text, ';'); !rest.empty();) add(next_piece(rest, ','), some);
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  }

private:
  std::string_view chosen(std::string_view name) const { // the word of this slot, empty when it is absent
    for (size_t s = 0; s < form_.slots.size(); ++s)
      if (form_.slots[s].name == name && choices_[s] != kAbsent) return spelling(form_.slots[s].choices[choices_[s]].front());
    return {};
  }

  void add(std::string_view item, std::vector<Operands>& lists) {
    const size_t at = item.find('@');
    if (at != std::string_view::npos && chosen(item.substr(at + 1)).empty() && number_of(item.substr(at + 1)) == 0) return;
    item = item.substr(0, at);
    if (item.empty() || item == "-") return;
    const bool optional = drop_last(item, '?');
    const size_t before = lists.size();
    std::string_view rest = item;
    const std::string_view first = item.front() == '#' ? item : next_piece(rest, '|');
    const bool pair = item.front() != '#' && !rest.empty();
    lists.resize(optional ? 2 * before : before);
    for (size_t i = before; i < lists.size(); ++i) lists[i] = lists[i - before];
    for (size_t i = 0; i < lists.size(); ++i) {
      const bool there = i < before || !optional;
      if (!there && !pair) continue;
      lists[i].push_back(read(first));
      if (!there || !pair) continue;
      lists[i].back().paired = true;
      lists[i].push_back(read(rest));
    }
  }

  OperandSpec read(std::string_view item) {
    OperandSpec spec;
    if (item.front() == '#') {
      spec.constant = true;
      spec.values = item.substr(1);
      spec.type = ScalarType::S64;
      return spec;
    }
    if (item == "_") {
      spec.role = Role::Nothing;
      return spec;
    }
    if (item.front() == '[') return read_address(item.substr(1, item.size() - 2));
    spec.registers = drop_last(item, '!');
    spec.vector = item.front() == '{';
    if (spec.vector) item = item.substr(1, item.size() - 2);
    const std::string_view name = item.substr(0, item.find(':'));
    std::string_view type = item.size() > name.size() ? item.substr(name.size() + 1) : std::string_view{};
    if (const size_t equal = type.find('='); equal != std::string_view::npos) {
      spec.values = type.substr(equal + 1);
      type = type.substr(0, equal);
    }
    spec.selector = name.back() == '.';
    if (name.front() == 'd') spec.role = Role::Destination;
    if (name == "p" || name == "q") spec.role = Role::PredicateDestination;
    if (name == "c0") spec.role = Role::PredicateSource;
    if (type.empty()) {
      spec.type = ScalarType::Pred;
      return spec;
    }
    std::string_view kind = next_piece(type, '*');
    spec.wider = drop_last(kind, '+');
    spec.type = type_named(kind);
    spec.elements = spec.vector ? vector_ : uint16_t{0};
    if (!type.empty()) spec.elements = count(type, kind, spec);
    spec.mixed = name == "x";
    return spec;
  }

  OperandSpec read_address(std::string_view text) {
    static constexpr std::pair<std::string_view, Place> kPlaces[] = {
        {"global", Place::Global}, {"shared", Place::Shared}, {"generic", Place::Generic}, {"tmem", Place::Tensor}, {"tex", Place::Texture}, {"smp", Place::Sampler}, {"srf", Place::Surface}};
    OperandSpec spec;
    spec.role = Role::Address;
    const std::string_view base = next_piece(text, ',');
    for (const auto& [name, place] : kPlaces)
      if (base == name) spec.place = place;
    while (!text.empty()) {
      const std::string_view piece = next_piece(text, ',');
      spec.listed.push_back(piece == "smp" ? read_address(piece) : read(piece));
      if (piece == "smp") spec.listed.back().role = Role::Source;
    }
    return spec;
  }

  ScalarType type_named(std::string_view name) const {
    const std::string_view word = chosen(name).empty() ? name : chosen(name);
    if (const ScalarType type = find_type(word); type != ScalarType::None) return type;
    return word.find("x2") != std::string_view::npos ? ScalarType::B16 : ScalarType::B32; // .e4m3x2; the rest fills 32 bits
  }

  // "4", "n", "2*n", or the part of a matrix of `kind` that one lane holds: A, B, C, packed into registers.
  uint16_t count(std::string_view text, std::string_view kind, OperandSpec& spec) const {
    unsigned value = 1;
    unsigned divisor = 1;
    while (!text.empty()) {
      std::string_view factor = next_piece(text, '*');
      const size_t over = factor.find('/');
      if (over != std::string_view::npos) divisor *= number_in(factor.substr(over));
      factor = factor.substr(0, over);
      const unsigned matrix = factor == "A" ? m_ * k_ : factor == "B" ? k_ * n_ : factor == "C" ? m_ * n_ : 0;
      if (matrix != 0) {
        const std::string_view word = chosen(kind).empty() ? kind : chosen(kind);
        const unsigned bits = word.front() == 'e' ? 8 : number_in(word); // .e4m3
        if (spec.type != ScalarType::F32 && spec.type != ScalarType::F64) spec.type = ScalarType::B32;
        value *= matrix * bits;
        divisor *= 32 * bits_of(spec.type);
      } else {
        value *= number_of(factor);
      }
    }
    return static_cast<uint16_t>(value / divisor);
  }

  // A number, a slot's number (.x4), or what follows from a slot.
  unsigned number_of(std::string_view name) const {
    static constexpr struct {
      std::string_view name, slot, word;
      unsigned number;
    } kNumbers[] = {
        {"coords", "g", "1d", 1},    {"coords", "g", "a1d", 2},     {"coords", "g", "2d", 2},      {"coords", "g", "", 4},          // of a texture
        {"slope", "g", "1d", 1},     {"slope", "g", "a1d", 1},      {"slope", "g", "2d", 2},       {"slope", "g", "a2d", 2},        // of its gradient and offset
        {"slope", "g", "2dms", 2},   {"slope", "g", "a2dms", 2},
        {"slope", "g", "", 4},       {"parts", "sh", "16x128b", 2}, {"parts", "sh", "16x256b", 4}, {"parts", "sh", "m16n16", 2},    // registers of a piece
        {"parts", "sh", "", 1},      {"lanes", "cg", "cta_group::1", 4}, {"lanes", "cg", "", 8},   {"at", "lm", "tile::gather4", 5}, // of a tensor
        {"at", "lm", "tile::scatter4", 5}, {"offsets", "lm", "im2col::w", 2}, {"offsets", "lm", "im2col::w::128", 2}};
    for (const auto& row : kNumbers)
      if (row.name == name && (row.word.empty() || row.word == chosen(row.slot))) return row.number;
    const unsigned dimensions = number_in(chosen("dim"));
    if (name == "at") return dimensions;
    if (name == "offsets") return chosen("lm") == "im2col" ? dimensions - 2 : 0;
    return std::isdigit(static_cast<unsigned char>(name.front())) ? number_in(name) : number_in(chosen(name));
  }

  const CompiledForm& form_;
  const std::vector<uint8_t>& choices_;
  uint16_t vector_ = 1;
  unsigned m_ = 0, n_ = 0, k_ = 0; // of .m16n8k16
};

} // namespace

std::vector<Candidate> known_candidates(const KnownForm& known, std::span<const Mod> modifiers, const std::vector<uint8_t>& choices) {
  std::vector<Candidate> candidates;
  for (std::vector<OperandSpec>& operands : OperandReader(known, modifiers, choices).lists(known.operands)) {
    Candidate candidate;
    candidate.operands = std::move(operands);
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

} // namespace ptxshim::ptx
