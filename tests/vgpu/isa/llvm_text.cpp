// SPDX-License-Identifier: MIT
// LLVM's text taken apart, to be compared with what op_text.cpp writes: registers by name, constants by value.
#include <bit>
#include <cctype>
#include <cstdlib>

#include "op_text.h"
#include "text.h"

namespace ptxshim::vgpu::check {
namespace {

// Cuts at commas and at spaces outside of brackets; what follows a space is a modifier.
void split(std::string_view text, std::vector<std::string>& terms, std::set<std::string>& modifiers) {
  std::string word;
  int depth = 0;
  bool in_terms = true;
  const auto flush = [&] {
    if (word.empty()) return;
    if (in_terms)
      terms.push_back(word);
    else
      modifiers.insert(word);
    word.clear();
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '[' || c == '(') ++depth;
    if (c == ']' || c == ')') --depth;
    if (depth == 0 && c == ',' && in_terms) {
      flush();
      if (i + 1 < text.size() && text[i + 1] == ' ') ++i;
    } else if (depth == 0 && c == ' ') {
      flush();
      in_terms = false;
    } else {
      word += c;
    }
  }
  flush();
}

// What caches do, which is not kept.
bool is_cache_policy(const std::string& modifier) {
  for (const char* word : {"glc", "slc", "dlc", "sc0", "sc1", "nt", "scc", "nv"})
    if (modifier == word) return true;
  return begins(modifier, "scope:") || begins(modifier, "th:");
}

struct MachineRegister {
  const char* name;
  unsigned id;
  unsigned first_generation = 9, last_generation = 12;
};
// Those that are more than ignored, as S_GETREG_B32's pages number them.
constexpr MachineRegister kRegisters[] = {
    {"HW_REG_MODE", 1}, {"HW_REG_STATUS", 2}, {"HW_REG_TRAPSTS", 3}, {"HW_REG_LDS_ALLOC", 6}, {"HW_REG_SH_MEM_BASES", 15, 9, 11},
    {"HW_REG_FLAT_SCR_LO", 20, 10}, {"HW_REG_FLAT_SCR_HI", 21, 10}, {"HW_REG_SCRATCH_BASE_LO", 20, 12}, {"HW_REG_SCRATCH_BASE_HI", 21, 12},
    {"HW_REG_SHADER_CYCLES", 29}, {"HW_REG_SHADER_CYCLES_LO", 29},
    {"HW_REG_SHADER_CYCLES_HI", 30}};
constexpr MachineRegister kMessages[] = {
    {"MSG_RTN_GET_DOORBELL", 128}, {"MSG_RTN_GET_DDID", 129}, {"MSG_RTN_GET_TMA", 130}, {"MSG_RTN_GET_REALTIME", 131},
    {"MSG_RTN_SAVE_WAVE", 132}, {"MSG_RTN_GET_TBA", 133}, {"MSG_RTN_GET_TBA_TO_PC", 134}, {"MSG_RTN_GET_SE_AID_ID", 135}};

} // namespace

std::string register_id(unsigned id, const Machine& machine) {
  for (const MachineRegister& known : kRegisters)
    if (known.id == id && machine.generation >= known.first_generation && machine.generation <= known.last_generation) return number(id);
  return "ignored";
}

namespace {

std::string machine_register(std::string_view text, const Machine& machine) { // "hwreg(HW_REG_MODE, 0, 8)"
  std::string inside(text.substr(6, text.size() - 7)), parts[3] = {"", "0", "32"};
  for (unsigned i = 0; i < 3 && !inside.empty(); ++i) {
    const size_t comma = inside.find(", ");
    parts[i] = inside.substr(0, comma);
    inside = comma == std::string::npos ? std::string() : inside.substr(comma + 2);
  }
  std::string id = register_id(static_cast<unsigned>(std::strtoul(parts[0].c_str(), nullptr, 0)), machine); // unnamed ones
  for (const MachineRegister& known : kRegisters)
    if (parts[0] == known.name) id = number(known.id);
  return "hwreg " + id + " " + parts[1] + " " + parts[2];
}

uint64_t float_bits(double value, ValueType type, bool reciprocal) {
  const float single = static_cast<float>(value);
  if (type == ValueType::F64 || type == ValueType::B64) return reciprocal ? 0x3fc45f306dc9c882ULL : std::bit_cast<uint64_t>(value);
  if (type == ValueType::F16 || type == ValueType::F16x2) {
    const uint64_t wide = std::bit_cast<uint64_t>(value);
    if (reciprocal) return 0x3118;
    return (wide >> 48 & 0x8000U) | ((wide >> 52 & 0x7ffU) - 1023 + 15) << 10; // powers of two alone
  }
  const uint32_t bits = reciprocal ? 0x3e22f983U : std::bit_cast<uint32_t>(single);
  return type == ValueType::BF16 ? bits >> 16 : bits;
}

bool is_number(const std::string& text) {
  return !text.empty() && (std::isdigit(static_cast<unsigned char>(text[0])) || (text[0] == '-' && text.size() > 1 && std::isdigit(static_cast<unsigned char>(text[1]))));
}

Term parse_term(std::string text, ValueType type, const Machine& machine) {
  Term term;
  term.type = type;
  const auto unwrap = [&](const char* before) {
    const std::string_view prefix(before);
    if (!begins(text, prefix) || text.back() != ')') return false;
    text = text.substr(prefix.size(), text.size() - prefix.size() - 1);
    return true;
  };
  term.extended = unwrap("sext(");
  if (unwrap("neg(")) term.negative = true;
  if (text.size() > 1 && text[0] == '-' && !std::isdigit(static_cast<unsigned char>(text[1]))) term.negative = true, text.erase(0, 1);
  if (text.size() > 2 && text.front() == '|') term.absolute = true, text = text.substr(1, text.size() - 2);
  if (begins(text, "hwreg(")) {
    term.name = machine_register(text, machine);
  } else if (begins(text, "gpr_idx(")) {
    static constexpr const char* kWhich[] = {"SRC0", "SRC1", "SRC2", "DST"};
    for (unsigned i = 0; i < 4; ++i) term.value |= has(text, kWhich[i]) ? 1U << i : 0U;
  } else if (begins(text, "sendmsg(")) {
    term.value = std::strtoul(text.c_str() + 8, nullptr, 0);
    for (const MachineRegister& message : kMessages)
      if (has(text, std::string(message.name) + ")")) term.value = message.id;
  } else if (is_number(text)) {
    const bool real = text.find('.') != std::string::npos;
    if (real) {
      term.value = float_bits(std::strtod(text.c_str(), nullptr), type, has(text, "0.15"));
    } else {
      term.value = text[0] == '-' ? static_cast<uint64_t>(std::strtoll(text.c_str(), nullptr, 0)) : std::strtoull(text.c_str(), nullptr, 0);
    }
    if (type == ValueType::F64 && begins(text, "0x")) term.value <<= 32; // a literal is the high word
  } else {
    if (text.size() > 2 && text.substr(text.size() - 2) == ".l") text.resize(text.size() - 2); // a low half
    term.name = text;
  }
  return term;
}

uint64_t width_mask(ValueType type) {
  switch (type) {
  case ValueType::B16:
  case ValueType::F16:
  case ValueType::BF16: return 0xffff;
  case ValueType::F64: return ~uint64_t{0};
  case ValueType::None:
  case ValueType::B32:
  case ValueType::F32:
  case ValueType::B64: // literals are 32 bits wide; what they extend to is the tests' of the opcodes
  case ValueType::B16x2:
  case ValueType::F16x2:
  case ValueType::B32x2:
  case ValueType::F32x2:
  case ValueType::Mask: break;
  }
  return 0xffffffffU;
}

} // namespace

OpText parse_text(std::string_view text, const OpText& like, const Machine& machine) {
  OpText parsed;
  std::vector<std::string> terms;
  std::set<std::string> modifiers;
  split(text, terms, modifiers);
  for (size_t i = 0; i < terms.size(); ++i)
    parsed.terms.push_back(parse_term(terms[i], i < like.terms.size() ? like.terms[i].type : ValueType::B32, machine));
  for (const std::string& modifier : modifiers)
    if (!is_cache_policy(modifier)) parsed.modifiers.insert(modifier);
  return parsed;
}

std::string to_string(const OpText& text) {
  std::string out;
  for (const Term& term : text.terms)
    out += std::string(out.empty() ? "" : ", ") + (term.negative ? "-" : "") + (term.absolute ? "|" : "") + (term.extended ? "sext " : "") +
           (term.name.empty() ? "#" + hex(static_cast<int64_t>(term.value)) : term.name);
  for (const std::string& modifier : text.modifiers) out += " " + modifier;
  return out;
}

std::string difference(const OpText& ours, const OpText& theirs) {
  if (ours.terms.size() != theirs.terms.size()) return "number of operands";
  for (size_t i = 0; i < ours.terms.size(); ++i) {
    const Term &a = ours.terms[i], &b = theirs.terms[i];
    if (a.name != b.name) return "operand " + number(static_cast<int64_t>(i));
    if (a.name.empty() && ((a.value ^ b.value) & width_mask(a.type))) return "constant " + number(static_cast<int64_t>(i));
    if (a.absolute != b.absolute || (a.negative || a.extended) != (b.negative || b.extended)) return "sign " + number(static_cast<int64_t>(i));
  }
  return ours.modifiers == theirs.modifiers ? "" : "modifiers";
}

} // namespace ptxshim::vgpu::check
