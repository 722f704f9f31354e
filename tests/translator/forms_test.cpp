// SPDX-License-Identifier: MIT
// Reads the forms of every instruction and tries them: a new row or form is tried without an edit here.
#include "parsing.h"
#include "syntax/forms.h"
#include "syntax/keywords.h"
#include "syntax/ops.h"

namespace ptxshim::ptx {
namespace {

std::string register_name(ScalarType type) { return type == ScalarType::Pred ? "%p1" : "%" + std::string(spelling(type)) + "_1"; }

// Packed types have no registers of their own.
ScalarType held_as(ScalarType type) {
  switch (type) {
  case ScalarType::None:
  case ScalarType::F32x2:
  case ScalarType::TexRef:
  case ScalarType::SamplerRef:
  case ScalarType::SurfRef: return ScalarType::B64;
  case ScalarType::BF16: return ScalarType::B16;
  case ScalarType::BF16x2:
  case ScalarType::TF32:
  case ScalarType::U16x2:
  case ScalarType::S16x2: return ScalarType::B32;
  case ScalarType::B8:
  case ScalarType::B16:
  case ScalarType::B32:
  case ScalarType::B64:
  case ScalarType::B128:
  case ScalarType::U8:
  case ScalarType::U16:
  case ScalarType::U32:
  case ScalarType::U64:
  case ScalarType::S8:
  case ScalarType::S16:
  case ScalarType::S32:
  case ScalarType::S64:
  case ScalarType::F16:
  case ScalarType::F32:
  case ScalarType::F64:
  case ScalarType::F16x2:
  case ScalarType::Pred: return type;
  }
  return type;
}

std::string all_registers() {
  std::string text;
#define PTXSHIM_X(name, spelled, bits, kind)                                                                          \
  if (held_as(ScalarType::name) == ScalarType::name) text += ".reg ." spelled " " + register_name(ScalarType::name) + ";\n";
  PTXSHIM_PTX_TYPES(PTXSHIM_X)
#undef PTXSHIM_X
  return text;
}

std::string operand_text(Op op, const Candidate& candidate, size_t index) {
  const OperandSpec& spec = candidate.operands[index];
  switch (spec.role) {
  case Role::Address: return "[%b64_1]";
  case Role::Label: return "L";
  case Role::List: return "()";
  case Role::Destination:
  case Role::Source:
  case Role::PredicateDestination:
  case Role::PredicateSource: break;
  }
  if (!spec.vector) return register_name(held_as(spec.type));
  if (op == Op::mov) { // two halves of the other operand's type
    const uint32_t half = bits_of(candidate.operands[1 - index].type) / 2;
    const std::string part = half < 8 ? "" : register_name(half == 8 ? ScalarType::B8 : half == 16 ? ScalarType::B16 : half == 32 ? ScalarType::B32 : ScalarType::B64);
    return "{" + part + ", " + part + "}";
  }
  std::string text = register_name(held_as(spec.type));
  if (candidate.vector == 1) return text;
  std::string list = "{" + text;
  for (unsigned i = 1; i < candidate.vector; ++i) list += ", " + text;
  return list + "}";
}

// The modifiers with slot `varied` at choice `choice`; optional slots stay away otherwise.
std::vector<Mod> modifiers_of(const CompiledForm& form, size_t varied, size_t choice) {
  std::vector<Mod> modifiers;
  for (size_t s = 0; s < form.slots.size(); ++s) {
    const FormSlot& slot = form.slots[s];
    if (slot.optional && s != varied) continue;
    const std::vector<Mod>& words = slot.choices[s == varied ? choice : 0];
    modifiers.insert(modifiers.end(), words.begin(), words.end());
  }
  return modifiers;
}

std::string instruction_text(Op op, const std::vector<Mod>& modifiers, const Candidate& candidate) {
  std::string text(spelling(op));
  for (const Mod modifier : modifiers) text += "." + std::string(spelling(modifier));
  for (size_t i = 0; i < candidate.operands.size(); ++i) {
    text += i == 0 ? " " : candidate.operands[i - 1].paired ? "|" : ", ";
    text += operand_text(op, candidate, i);
  }
  return text + ";";
}

TEST(Forms, every_word_of_every_form_is_known) {
  for (uint16_t i = 0; i < static_cast<uint16_t>(Op::kLabel); ++i) {
    const Op op = static_cast<Op>(i);
    EXPECT_EQ(compiled_forms(op).empty(), status(op) == OpStatus::Later) << spelling(op);
    for (const CompiledForm& form : compiled_forms(op)) {
      EXPECT_EQ(form.syntax.substr(0, form.syntax.find_first_of(" .<{")), spelling(op));
      for (const FormSlot& slot : form.slots) EXPECT_FALSE(slot.choices.empty()) << form.syntax << " slot '" << slot.name << "'";
    }
    for (const CompiledForm& form : known_forms(op))
      for (const FormSlot& slot : form.slots) EXPECT_TRUE(slot.optional || !slot.choices.empty()) << form.syntax << " slot '" << slot.name << "'";
  }
}

TEST(Forms, every_form_is_taken_with_each_of_its_modifiers) {
  const std::string head = ".version 9.4\n.target sm_121a\n.address_size 64\n.entry k() {\n" + all_registers();
  size_t tried = 0;
  for (uint16_t i = 0; i < static_cast<uint16_t>(Op::kLabel); ++i) {
    const Op op = static_cast<Op>(i);
    if (op == Op::call || op == Op::brx) continue; // they need functions and tables
    for (const CompiledForm& form : compiled_forms(op)) {
      if (form.until != 0) continue; // of old versions
      std::string body;
      for (size_t s = 0; s <= form.slots.size(); ++s) {
        const size_t choices = s == form.slots.size() ? 1 : form.slots[s].choices.size();
        for (size_t c = 0; c < choices; ++c) {
          const std::vector<Mod> modifiers = modifiers_of(form, s, c);
          const bool narrow = std::find(modifiers.begin(), modifiers.end(), Mod::u32) != modifiers.end();
          if (op == Op::cvta && narrow) continue; // for modules with 32-bit addresses
          std::vector<uint8_t> chosen;
          ASSERT_TRUE(match_modifiers(form, modifiers, chosen)) << form.syntax;
          if (!excluded(form, chosen).empty()) continue;
          body += instruction_text(op, modifiers, make_candidate(op, form, 0, modifiers, chosen)) + "\n";
          ++tried;
        }
      }
      const Parsed parsed(head + body + "L: ret; }");
      EXPECT_TRUE(parsed.ok()) << form.syntax << '\n' << parsed.message();
    }
  }
  EXPECT_GT(tried, 1000u);
}

} // namespace
} // namespace ptxshim::ptx
