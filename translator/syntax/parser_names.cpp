// SPDX-License-Identifier: MIT
// What a name in an operand stands for. The usual case, `%r17` of `.reg .b32 %r<100>`, is one look-up of the prefix.
#include "syntax/parser.h"

namespace ptxshim::ptx {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
std::string quoted(std::string_view name) { return "'" + std::string(name.substr(0, 200)) + "'"; }

constexpr size_t kMostDigits = 9; // of a register's number

// The number that text spells, without leading zeros; false when there is none that fits.
bool number_of(std::string_view text, uint32_t& number) {
  if (text.empty() || text.size() > kMostDigits || (text[0] == '0' && text.size() > 1)) return false;
  number = 0;
  for (const char c : text) number = number * 10 + static_cast<uint32_t>(c - '0');
  return true;
}

// Where the digits begin in which a name ends.
size_t stem_of(std::string_view text) {
  size_t stem = text.size();
  while (stem > 0 && is_digit(text[stem - 1])) --stem;
  return stem;
}

// The same, but behind what is too long for a register's number: names may be of a megabyte, and each split costs a look-up.
size_t first_split(std::string_view text) { return std::max(stem_of(text), text.size() - std::min(text.size(), kMostDigits)); }

} // namespace

uint32_t Parser::register_of(RegisterRange& range, uint32_t number) {
  const auto make = [&] {
    function().registers.push_back({range.type, range.vector, range.prefix, number});
    return static_cast<uint32_t>(function().registers.size() - 1);
  };
  if (number >= range.dense.size()) {
    const size_t wanted = std::min<size_t>(range.count, std::max<size_t>(number + 1, range.dense.size() * 2));
    const size_t more = wanted - range.dense.size();
    if (more <= dense_budget_) {
      dense_budget_ -= more;
      range.dense.resize(wanted, kNone);
    }
  }
  if (number < range.dense.size()) {
    uint32_t& slot = range.dense[number];
    if (slot == kNone) {
      const auto known = range.sparse.find(number);
      slot = known == range.sparse.end() ? make() : known->second;
    }
    return slot;
  }
  const auto [entry, added] = range.sparse.try_emplace(number, kNone);
  if (added) entry->second = make();
  return entry->second;
}

bool Parser::resolve_range(std::string_view text, size_t stem, Operand& operand) {
  const NameId prefix = names_.find(text.substr(0, stem));
  if (prefix == kNone) return false;
  const Binding* binding = scopes_.find(prefix, true);
  uint32_t number = 0;
  if (!binding || !number_of(text.substr(stem), number)) return false;
  RegisterRange& range = ranges_[binding->index];
  if (number >= range.count) return false;
  if (prefix < exact_with_digits_.size() && exact_with_digits_[prefix]) { // a plain name may hide it
    const NameId name = names_.find(text);
    const Binding* plain = name == kNone ? nullptr : scopes_.find(name);
    if (plain && plain->depth >= binding->depth) return false;
  }
  operand.kind = OperandKind::Register;
  operand.index = register_of(range, number);
  return true;
}

// Whether a range of this very scope declares the name already.
bool Parser::in_range(std::string_view text) const {
  for (size_t split = std::max<size_t>(first_split(text), 1); split < text.size(); ++split) {
    const NameId prefix = names_.find(text.substr(0, split));
    const Binding* binding = prefix == kNone ? nullptr : scopes_.find(prefix, true);
    uint32_t number = 0;
    if (binding && binding->depth == scopes_.depth() && number_of(text.substr(split), number) && number < ranges_[binding->index].count) return true;
  }
  return false;
}

bool Parser::resolve_bound(NameId name, const Binding& binding, Operand& operand) {
  operand.index = binding.index;
  switch (binding.meaning) {
  case Meaning::Register: operand.kind = OperandKind::Register; return true;
  case Meaning::Symbol: operand.kind = OperandKind::Symbol; return true;
  case Meaning::Label:
  case Meaning::Table:
    if (!takes_labels_) return fail(token_.begin, "label " + quoted(token_.text) + " is no operand of " + std::string(spelling(op_)));
    if (binding.depth == scopes_.depth()) {
      operand.kind = binding.meaning == Meaning::Label ? OperandKind::Label : OperandKind::Prototype;
    } else { // an inner scope may yet declare its own
      operand.kind = OperandKind::Label;
      operand.index = name;
      operand.value = static_cast<int64_t>(token_.begin) + 1;
      has_pending_ = true;
    }
    return true;
  case Meaning::None:
  case Meaning::Range: break;
  }
  return fail(token_.begin, quoted(token_.text) + " is not declared");
}

bool Parser::resolve_unbound(std::string_view text, Operand& operand) {
  if (text == "WARP_SZ") {
    operand.kind = OperandKind::WarpSize;
    return true;
  }
  if (text[0] == '%') {
    const uint32_t row = special_register_words().find(text);
    if (row != WordTable::kMissing) {
      operand.kind = OperandKind::SpecialRegister;
      operand.index = row;
      if (!special_register(row).ready) not_supported(token_.begin, "special register " + std::string(text));
      return true;
    }
  }
  if (takes_labels_) {
    operand.kind = OperandKind::Label;
    operand.index = intern(text);
    operand.value = static_cast<int64_t>(token_.begin) + 1;
    has_pending_ = true;
    return true;
  }
  const std::string message = quoted(text) + " is not declared" + near_name(text);
  return text[0] == '%' ? fail_unknown(token_.begin, message) : fail(token_.begin, message);
}

bool Parser::resolve(std::string_view text, Operand& operand) {
  if (is_digit(text.back())) {
    const size_t stem = stem_of(text);
    if (stem > 0 && resolve_range(text, stem, operand)) return true;
    // %r1<10> declares %r10 to %r19: the prefix may end in digits.
    for (size_t split = std::max(stem + 1, first_split(text)); digit_prefix_ && stem > 0 && split < text.size(); ++split)
      if (resolve_range(text, split, operand)) return true;
  }
  const NameId name = names_.find(text);
  const Binding* binding = name == kNone ? nullptr : scopes_.find(name);
  return binding ? resolve_bound(name, *binding, operand) : resolve_unbound(text, operand);
}

// " (did you mean '%r3'?)": the nearest of the names in sight.
std::string Parser::near_name(std::string_view text) const {
  constexpr size_t kMostTried = 5000;
  const std::vector<Binding>& bindings = scopes_.bindings();
  std::string_view best;
  unsigned limit = text.size() <= 3 ? 1 : 2;
  const size_t stem = stem_of(text);
  for (size_t i = bindings.size(); i > 0 && bindings.size() - i < kMostTried; --i) {
    const std::string_view name = module_.names[bindings[i - 1].key / 2];
    if (bindings[i - 1].meaning == Meaning::Range) {
      if (name != text.substr(0, stem)) continue;
      const uint32_t count = ranges_[bindings[i - 1].index].count;
      return ": " + std::string(name) + "<" + std::to_string(count) + "> declares " + std::string(name) + "0 to " + std::string(name) +
             std::to_string(count == 0 ? 0 : count - 1);
    }
    const unsigned distance = edit_distance(text, name, limit);
    if (distance > limit || name == text) continue;
    best = name;
    if (distance == 0) break;
    limit = distance - 1;
  }
  return did_you_mean(best);
}

} // namespace ptxshim::ptx
