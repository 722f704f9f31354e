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

// Declarations of the registers that the text names.
std::string registers_for(const std::string& body) {
  std::string text;
#define PTXSHIM_X(name, spelled, bits, kind)                                                                          \
  if (held_as(ScalarType::name) == ScalarType::name && body.find(register_name(ScalarType::name)) != std::string::npos) \
    text += ".reg ." spelled " " + register_name(ScalarType::name) + ";\n";
  PTXSHIM_PTX_TYPES(PTXSHIM_X)
#undef PTXSHIM_X
  return text;
}

// What ptx_forms.def says of an operand of an instruction that is not translated.
std::string untranslated_text(const OperandSpec& spec) {
  if (spec.role == Role::Nothing) return "_";
  if (spec.constant || (!spec.values.empty() && spec.values.front() != '%')) return spec.values.empty() ? "0" : std::string(spec.values.substr(0, spec.values.find_first_of(".|")));
  if (spec.role == Role::Address) {
    std::string text = spec.place == Place::Tensor ? "[%b32_1" : "[%b64_1";
    for (const OperandSpec& each : spec.listed) text += ", " + (each.place == Place::Sampler ? "%b64_1" : untranslated_text(each));
    return text + "]";
  }
  const std::string text = register_name(held_as(spec.type)) + (spec.selector ? ".b0" : "");
  std::string list = "{" + text;
  for (unsigned i = 1; i < spec.elements; ++i) list += ", " + text;
  return spec.vector ? list + "}" : text;
}

std::string operand_text(Op op, const Candidate& candidate, size_t index) {
  const OperandSpec& spec = candidate.operands[index];
  switch (spec.role) {
  case Role::Address: return "[%b64_1]";
  case Role::Label: return "L";
  case Role::List: return "()";
  case Role::Nothing: return "_";
  case Role::Destination:
  case Role::Source:
  case Role::PredicateDestination:
  case Role::PredicateSource: break;
  }
  if (spec.constant) return "1";
  if (!spec.vector) return register_name(held_as(spec.type));
  if (op == Op::mov && candidate.vector == 1) { // two halves of the other operand's type
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

std::string instruction_text(Op op, const std::vector<Mod>& modifiers, const Candidate& candidate, bool translated = true) {
  std::string text(spelling(op));
  for (const Mod modifier : modifiers) text += "." + std::string(spelling(modifier));
  for (size_t i = 0; i < candidate.operands.size(); ++i) {
    text += i == 0 ? " " : candidate.operands[i - 1].paired ? "|" : ", ";
    text += translated ? operand_text(op, candidate, i) : untranslated_text(candidate.operands[i]);
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
    for (const KnownForm& known : known_forms(op))
      for (const FormSlot& slot : known.form.slots) EXPECT_TRUE(slot.optional || !slot.choices.empty()) << known.form.syntax << " slot '" << slot.name << "'";
  }
}

// A .version and .target.
struct Target {
  unsigned version = 0;
  std::string name;
};

std::string module_for(const Target& target, const std::string& statement) {
  const std::string size = target.version >= 23 ? "\n.address_size 64" : "";
  return ".version " + version_text(target.version) + "\n.target " + target.name + size + "\n.entry k() {\n" + registers_for(statement) + statement + "\nL: exit; }";
}

constexpr std::string_view kPlainTargets[] = {"sm_10", "sm_11", "sm_12", "sm_13", "sm_20", "sm_30", "sm_32", "sm_35", "sm_50", "sm_52", "sm_53", "sm_60", "sm_61",
                                             "sm_70", "sm_72", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_103", "sm_107", "sm_110", "sm_120"};

unsigned number_of(std::string_view target) { return static_cast<unsigned>(std::stoul(std::string(target.substr(3)))); }

// The least that a row asks for; an empty name when no target of its time has it.
Target least(const Requirement& needs) {
  if (!needs.targets.empty()) {
    const std::string name = "sm_" + std::string(needs.targets.substr(0, needs.targets.find(' ')));
    return {std::max<unsigned>(needs.ptx, version_of_target(name)), name};
  }
  for (const std::string_view name : kPlainTargets) {
    if (number_of(name) < needs.sm) continue;
    const unsigned version = std::max<unsigned>(needs.ptx, version_of_target(name));
    const bool ended = needs.until != 0 && version >= needs.until && number_of(name) >= needs.until_sm;
    return ended ? Target() : Target{version, std::string(name)};
  }
  return {};
}

struct Case {
  Op op = Op::kInvalid;
  std::vector<Mod> modifiers;
  struct Row {
    Requirement needs;
    std::string text;
  };
  std::vector<Row> rows; // every row that has these modifiers
};

// Every row of ptx_forms.def with each of its choices, the other optional slots being absent.
std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (uint16_t i = 0; i < static_cast<uint16_t>(Op::kLabel); ++i) {
    const Op op = static_cast<Op>(i);
    if (op == Op::call || op == Op::brx) continue; // they need functions and tables
    for (const KnownForm& known : known_forms(op))
      for (size_t s = 0; s <= known.form.slots.size(); ++s)
        for (size_t c = 0; c < (s == known.form.slots.size() ? 1 : known.form.slots[s].choices.size()); ++c) {
          Case made{op, modifiers_of(known.form, s, c), {}};
          std::vector<uint8_t> chosen;
          const std::vector<CompiledForm>& forms = compiled_forms(op);
          const auto ours = std::find_if(forms.begin(), forms.end(), [&](const CompiledForm& form) {
            return match_modifiers(form, made.modifiers, chosen) && excluded(form, chosen).empty();
          });
          const Candidate candidate = ours == forms.end() ? Candidate() : make_candidate(op, *ours, 0, made.modifiers, chosen);
          for (const KnownForm& row : known_forms(op))
            if (match_modifiers(row.form, made.modifiers, chosen) && excluded(row.form, chosen).empty()) {
              const std::vector<Candidate> said = known_candidates(row, made.modifiers, chosen);
              const bool translated = ours != forms.end() || said.empty();
              made.rows.push_back({requirement_of(row, chosen), instruction_text(op, made.modifiers, translated ? candidate : said[0], translated)});
            }
          if (made.rows.empty()) continue; // the first choices exclude each other
          cases.push_back(std::move(made));
        }
  }
  return cases;
}

TEST(Forms, every_row_is_taken_with_the_least_version_and_target_it_asks_for) {
  size_t tried = 0;
  for (const Case& each : all_cases())
    for (const Case::Row& row : each.rows) {
      const Target target = least(row.needs);
      if (target.name.empty()) continue;
      const Parsed parsed(module_for(target, row.text));
      EXPECT_TRUE(parsed.ok()) << parsed.message();
      ++tried;
    }
  EXPECT_GT(tried, 3000u);
}

// One version lower, or the next target below: refused, and the message says what is missing.
TEST(Forms, every_row_is_refused_below_what_it_asks_for) {
  size_t tried = 0;
  for (const Case& each : all_cases()) {
    if (each.rows.size() != 1) continue; // another row may be content with less
    const Requirement& row = each.rows[0].needs;
    const std::string& text = each.rows[0].text;
    Target target = least(row);
    if (target.name.empty()) continue;
    if (row.ptx > 10 && row.ptx > version_of_target(target.name)) {
      const Target below{row.ptx - 1u, target.name};
      EXPECT_THAT(error_of(module_for(below, text)), testing::HasSubstr("needs PTX version " + version_text(row.ptx))) << text;
      ++tried;
    }
    for (const std::string_view name : kPlainTargets) {
      if (row.targets.empty() && number_of(name) >= row.sm) break;
      const Target below{std::max<unsigned>(row.ptx, version_of_target(name)), std::string(name)};
      if (row.until != 0 && below.version >= row.until) continue;
      const std::string wanted = number_of(name) < row.sm ? "needs target sm_" + std::to_string(row.sm) : "needs one of the targets sm_";
      EXPECT_THAT(error_of(module_for(below, text)), testing::HasSubstr(wanted)) << text;
      ++tried;
    }
  }
  EXPECT_GT(tried, 3000u);
}

// Nothing of ours that the PTX ISA does not have: each form has some modifiers that a row knows.
TEST(Forms, every_form_is_one_of_the_isa) {
  for (const Case& each : all_cases()) ASSERT_FALSE(each.rows.empty());
  for (uint16_t i = 0; i < static_cast<uint16_t>(Op::kLabel); ++i) {
    const Op op = static_cast<Op>(i);
    for (const CompiledForm& form : compiled_forms(op)) {
      bool found = false;
      std::vector<uint8_t> chosen;
      for (const KnownForm& known : known_forms(op))
        for (size_t s = 0; s <= known.form.slots.size() && !found; ++s)
          for (size_t c = 0; c < (s == known.form.slots.size() ? 1 : known.form.slots[s].choices.size()) && !found; ++c)
            found = match_modifiers(form, modifiers_of(known.form, s, c), chosen);
      EXPECT_TRUE(found) << form.syntax;
    }
  }
}

} // namespace
} // namespace ptxshim::ptx
