// SPDX-License-Identifier: MIT
// Modifiers are free in order, apart from types, which say what is destination and what is source. A slot takes one of its choices;
// a choice may be several words that belong together (.xorsign.abs).
#include "syntax/forms.h"

#include <array>
#include <mutex>

#include "syntax/keywords.h"

namespace ptxshim::ptx {
namespace {

constexpr size_t kOps = static_cast<size_t>(Op::kInvalid);

bool is_typelike(Mod modifier) {
  if (type_of(modifier) != ScalarType::None) return true;
  const std::string_view word = spelling(modifier);
  for (const std::string_view start : {"e2m", "e3m", "e4m", "e5m", "ue4m", "ue5m", "ue8m", "s2f6", "u8x4", "s8x4"})
    if (word.substr(0, start.size()) == start) return true;
  return word == "s4" || word == "u4" || word == "s2" || word == "u2" || word == "b1";
}

// ".xorsign.abs" -> two modifiers; empty when a word is unknown.
std::vector<Mod> modifiers_in(std::string_view text) {
  std::vector<Mod> found;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('.', begin + 1), text.size());
    const std::string_view word = text.substr(begin + 1, end - begin - 1);
    const Mod modifier = find_modifier(word);
    if (modifier == Mod::kInvalid) return {};
    found.push_back(modifier);
    begin = end;
  }
  return found;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// The next piece of `rest` up to `separator`, which is dropped.
std::string_view take(std::string_view& rest, char separator) {
  const size_t end = rest.find(separator);
  const std::string_view piece = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  return trim(piece);
}

// The choices of slot `name` in "m=.hi|.lo; s?=.sat".
void read_choices(std::string_view slots, FormSlot& slot) {
  while (!slots.empty()) {
    std::string_view item = take(slots, ';');
    std::string_view name = take(item, '=');
    if (!name.empty() && name.back() == '?') {
      name.remove_suffix(1);
      if (name == slot.name) slot.optional = true;
    }
    if (name != slot.name) continue;
    while (!item.empty()) {
      std::vector<Mod> choice = modifiers_in(take(item, '|'));
      if (!choice.empty()) slot.choices.push_back(std::move(choice));
    }
  }
}

Order order_of(Mod modifier) {
  if (is_typelike(modifier)) return Order::Type;
  if (space_of(modifier) != StateSpace::None) return Order::Space;
  return modifier == Mod::row || modifier == Mod::col ? Order::Layout : Order::Free;
}

void finish_slot(FormSlot slot, std::vector<FormSlot>& slots) {
  for (const std::vector<Mod>& choice : slot.choices)
    if (slot.order == Order::Free) slot.order = order_of(choice[0]);
  slots.push_back(std::move(slot));
}

void read_mnemonic(std::string_view mnemonic, std::string_view slots, CompiledForm& form) {
  size_t at = mnemonic.find_first_of(".<{!");
  while (at < mnemonic.size()) {
    FormSlot slot;
    const char open = mnemonic[at];
    if (open == '!') {
      form.fixed_slots = form.slots.size();
      ++at;
      continue;
    }
    if (open == '.') {
      const size_t end = std::min(mnemonic.find_first_of(".<{!", at + 1), mnemonic.size());
      if (std::vector<Mod> word = modifiers_in(mnemonic.substr(at, end - at)); !word.empty()) slot.choices.push_back(std::move(word));
      at = end;
    } else {
      const size_t end = std::min(mnemonic.find(open == '<' ? '>' : '}', at), mnemonic.size() - 1);
      slot.name = mnemonic.substr(at + 1, end - at - 1);
      slot.optional = open == '{';
      read_choices(slots, slot);
      at = end + 1;
    }
    finish_slot(std::move(slot), form.slots);
  }
}

void read_operand(std::string_view text, CompiledForm& form) {
  OperandSpec spec;
  std::string_view name = text;
  if (text.front() == '[') {
    spec.role = Role::Address;
  } else if (text.front() == '(') {
    spec.role = Role::List;
  } else if (text == "label") {
    spec.role = Role::Label;
  } else {
    if (text.front() == '{') {
      spec.vector = true;
      name = text.substr(1, text.find_first_of(".}") - 1);
    }
    if (name.front() == 'd') spec.role = Role::Destination;
    else if (name.front() == 'p' || name.front() == 'q') spec.role = Role::PredicateDestination;
    else if (name == "c0" || name == "c1") spec.role = Role::PredicateSource;
  }
  form.operands.push_back(spec);
  form.operand_names.push_back(name);
}

void read_operands(std::string_view text, CompiledForm& form) {
  while (!text.empty()) {
    std::string_view item = take(text, ',');
    const size_t bar = item.find('|');
    read_operand(trim(item.substr(0, bar)), form);
    if (bar == std::string_view::npos) continue;
    form.operands.back().paired = true;
    read_operand(trim(item.substr(bar + 1)), form);
  }
}

ScalarType twice(ScalarType type) {
  switch (kind_of(type)) {
  case TypeKind::Unsigned: return bits_of(type) == 8 ? ScalarType::U16 : bits_of(type) == 16 ? ScalarType::U32 : ScalarType::U64;
  case TypeKind::Signed: return bits_of(type) == 8 ? ScalarType::S16 : bits_of(type) == 16 ? ScalarType::S32 : ScalarType::S64;
  case TypeKind::Untyped: return bits_of(type) == 16 ? ScalarType::B32 : bits_of(type) == 32 ? ScalarType::B64 : ScalarType::B128;
  case TypeKind::Float: return bits_of(type) == 16 ? ScalarType::F32 : ScalarType::F64;
  case TypeKind::None:
  case TypeKind::BFloat:
  case TypeKind::Predicate:
  case TypeKind::Opaque:
  case TypeKind::Other: return type;
  }
  return type;
}

ScalarType slot_type(const CompiledForm& form, std::string_view name, const std::vector<uint8_t>& choices) {
  for (size_t i = 0; i < form.slots.size(); ++i)
    if (form.slots[i].name == name && choices[i] != kAbsent) return type_of(form.slots[i].choices[choices[i]].back());
  return ScalarType::None;
}

// The type of operand `name` by "d:t a:t:wide c:u32"; None when nothing is said.
ScalarType stated_type(const CompiledForm& form, std::string_view name, const std::vector<uint8_t>& choices, OperandSpec& spec, bool& stated) {
  for (std::string_view rest = form.types; !rest.empty();) {
    std::string_view item = take(rest, ' ');
    if (take(item, ':') != name) continue;
    stated = true;
    const std::string_view what = take(item, ':');
    ScalarType type = slot_type(form, what, choices);
    if (type == ScalarType::None) type = find_type(what);
    spec.constant = item == "constant";
    spec.bits = item == "bits";
    return item == "wide" ? twice(type) : type;
  }
  return ScalarType::None;
}

bool same_words(const std::vector<Mod>& choice, std::span<const Mod> modifiers, size_t at) {
  if (modifiers.size() - at < choice.size()) return false;
  for (size_t i = 0; i < choice.size(); ++i)
    if (choice[i] != modifiers[at + i]) return false;
  return true;
}

// The words of the opcode itself, in their place: how many modifiers they take, or kNone when they are not there.
size_t match_fixed(const CompiledForm& form, std::span<const Mod> modifiers, std::vector<uint8_t>& choices) {
  size_t at = 0;
  for (size_t s = 0; s < form.fixed_slots; ++s) {
    const FormSlot& slot = form.slots[s];
    size_t taken = 0;
    for (size_t c = 0; c < slot.choices.size(); ++c) {
      if (slot.choices[c].size() <= taken || !same_words(slot.choices[c], modifiers, at)) continue;
      taken = slot.choices[c].size();
      choices[s] = static_cast<uint8_t>(c);
    }
    if (taken == 0 && !slot.optional) return kNone;
    at += taken;
  }
  return at;
}

// "c=.lt|.le": the choice of slot c when it is one of these, else nothing; "-" is one when the slot is absent.
std::string chosen_among(const CompiledForm& form, const std::vector<uint8_t>& choices, std::string_view text) {
  const std::string_view name = take(text, '=');
  for (size_t s = 0; s < form.slots.size(); ++s) {
    if (form.slots[s].name != name) continue;
    std::string chosen = choices[s] == kAbsent ? "-" : std::string();
    if (choices[s] != kAbsent)
      for (const Mod modifier : form.slots[s].choices[choices[s]]) chosen.append(".").append(spelling(modifier));
    while (!text.empty())
      if (take(text, '|') == chosen) return chosen;
  }
  return {};
}

} // namespace

CompiledForm compile(const Form& form) {
  CompiledForm compiled;
  compiled.syntax = form.syntax;
  compiled.types = form.types;
  compiled.never = form.never;
  compiled.until = form.until;
  compiled.ptx = form.ptx;
  compiled.sm = form.sm;
  std::string_view rest = form.syntax;
  const std::string_view mnemonic = take(rest, ' ');
  read_mnemonic(mnemonic, form.slots, compiled);
  return compiled;
}

const std::vector<CompiledForm>& compiled_forms(Op op) {
  static std::array<std::once_flag, kOps> once;
  static std::array<std::vector<CompiledForm>, kOps> forms;
  const size_t index = static_cast<size_t>(op);
  std::call_once(once[index], [&] {
    for (const Form& form : forms_of(op)) {
      CompiledForm& compiled = forms[index].emplace_back(compile(form));
      const size_t space = compiled.syntax.find(' ');
      if (space != std::string_view::npos) read_operands(trim(compiled.syntax.substr(space)), compiled);
    }
  });
  return forms[index];
}

bool match_modifiers(const CompiledForm& form, std::span<const Mod> modifiers, std::vector<uint8_t>& choices) {
  choices.assign(form.slots.size(), kAbsent);
  const size_t first = match_fixed(form, modifiers, choices);
  if (first == kNone) return false;
  std::array<size_t, kOrders> next; // slot from which on the next modifier of this kind is looked for
  next.fill(form.fixed_slots);
  for (size_t at = first; at < modifiers.size();) {
    const Order order = order_of(modifiers[at]);
    size_t& begin = next[static_cast<size_t>(order)];
    size_t taken = 0;
    size_t found = 0;
    for (size_t s = begin; s < form.slots.size() && taken == 0; ++s) {
      const FormSlot& slot = form.slots[s];
      if (slot.order != order || choices[s] != kAbsent) continue;
      for (size_t c = 0; c < slot.choices.size(); ++c) { // the longest: .async.global before .async
        if (slot.choices[c].size() <= taken || !same_words(slot.choices[c], modifiers, at)) continue;
        taken = slot.choices[c].size();
        choices[s] = static_cast<uint8_t>(c);
        found = s;
      }
      if (order == Order::Type && taken == 0 && !slot.optional) return false;
    }
    if (taken == 0) return false;
    if (order != Order::Free) begin = found + 1;
    at += taken;
  }
  for (size_t s = form.fixed_slots; s < form.slots.size(); ++s)
    if (!form.slots[s].optional && choices[s] == kAbsent) return false;
  return true;
}

std::string excluded(const CompiledForm& form, const std::vector<uint8_t>& choices) {
  for (std::string_view rest = form.never; !rest.empty();) {
    std::string_view right = take(rest, ';');
    const size_t cross = right.find(" x ");
    const std::string one = chosen_among(form, choices, right.substr(0, cross));
    if (one.empty()) continue;
    if (cross == std::string_view::npos) return one + " has no place there";
    const std::string other = chosen_among(form, choices, trim(right.substr(cross + 3)));
    if (other.empty()) continue;
    if (other == "-" || one == "-") return (one == "-" ? other : one) + " is not complete";
    return one + " and " + other + " exclude each other";
  }
  return {};
}

Candidate make_candidate(Op op, const CompiledForm& form, uint8_t index, std::span<const Mod> modifiers, const std::vector<uint8_t>& choices) {
  Candidate candidate;
  candidate.form = index;
  candidate.ptx = form.ptx;
  candidate.sm = form.sm;
  candidate.until = form.until;
  candidate.wider = op == Op::ld || op == Op::ldu || op == Op::st || op == Op::cvt;
  ScalarType last = ScalarType::None;
  for (const Mod modifier : modifiers) {
    if (type_of(modifier) != ScalarType::None) last = type_of(modifier);
    if (modifier == Mod::v2) candidate.vector = 2;
    if (modifier == Mod::v4) candidate.vector = 4;
    if (modifier == Mod::v8) candidate.vector = 8;
    const std::string_view word = spelling(modifier);
    if (op == Op::cvt && word.size() > 2 && word.substr(word.size() - 2) == "x4") candidate.vector = 4; // four f32 to one .e4m3x4
  }
  candidate.operands = form.operands;
  for (size_t i = 0; i < candidate.operands.size(); ++i) {
    OperandSpec& spec = candidate.operands[i];
    bool stated = false;
    spec.type = stated_type(form, form.operand_names[i], choices, spec, stated);
    if (stated || spec.role == Role::Address || spec.role == Role::Label || spec.role == Role::List) continue;
    const bool predicate = spec.role == Role::PredicateDestination || spec.role == Role::PredicateSource;
    spec.type = predicate ? ScalarType::Pred : last;
  }
  return candidate;
}

} // namespace ptxshim::ptx
