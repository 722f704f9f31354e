// SPDX-License-Identifier: MIT
#include "syntax/check.h"

#include <algorithm>

#include "syntax/keywords.h"
#include "syntax/lexer.h"

namespace ptxshim::ptx {

namespace {

// "mul<m>!<t>" for a message: "mul.hi|.lo.u16|…" would be long, so the mark alone goes.
std::string pattern(const CompiledForm& form) {
  std::string text(form.syntax);
  std::erase(text, '!');
  return text;
}

} // namespace

std::string full_name(const Module& module, const RegisterInfo& info) {
  std::string name(module.name(info.name));
  return info.number == kNone ? name : name + std::to_string(info.number);
}

void Checker::grow() {
  std::vector<Match> old(memory_.size() * 2);
  old.swap(memory_);
  for (Match& entry : old) {
    if (entry.op == Op::kInvalid) continue;
    size_t slot = entry.hash & (memory_.size() - 1);
    while (memory_[slot].op != Op::kInvalid) slot = (slot + 1) & (memory_.size() - 1);
    memory_[slot] = std::move(entry);
  }
}

const Checker::Match& Checker::match(const Instruction& instruction) {
  const std::span<const Mod> modifiers = module_.modifiers_of(instruction);
  const uint64_t hash = hash_text({reinterpret_cast<const char*>(modifiers.data()), modifiers.size_bytes()},
                                  0x5bd1e995u + static_cast<uint64_t>(instruction.op) * 0x9e3779b97f4a7c15u);
  if (used_ * 2 > memory_.size()) grow();
  size_t slot = hash & (memory_.size() - 1);
  for (; memory_[slot].op != Op::kInvalid; slot = (slot + 1) & (memory_.size() - 1)) {
    const Match& entry = memory_[slot];
    if (entry.hash == hash && entry.op == instruction.op &&
        std::equal(modifiers.begin(), modifiers.end(), entry.modifiers.begin(), entry.modifiers.end())) {
      return entry;
    }
  }
  Match& entry = memory_[slot];
  ++used_;
  entry.op = instruction.op;
  entry.hash = hash;
  entry.modifiers.assign(modifiers.begin(), modifiers.end());
  std::vector<uint8_t> choices;
  const std::vector<CompiledForm>& forms = compiled_forms(instruction.op);
  for (size_t i = 0; i < forms.size() && i < 256; ++i)
    if (match_modifiers(forms[i], modifiers, choices) && excluded(forms[i], choices).empty()) {
      entry.candidates.push_back(make_candidate(instruction.op, forms[i], static_cast<uint8_t>(i), modifiers, choices));
    }
  judge(entry, instruction);
  return entry;
}

// Whether the PTX ISA has these modifiers, and the module's version and target have what they need.
void Checker::judge(Match& entry, const Instruction& instruction) const {
  std::vector<uint8_t> choices;
  bool met = false;
  for (const KnownForm& known : known_forms(instruction.op)) {
    if (!match_modifiers(known.form, entry.modifiers, choices) || !excluded(known.form, choices).empty()) continue;
    std::string missing;
    if (meets(module_, requirement_of(known, choices), &missing)) {
      met = true;
      for (Candidate& candidate : known_candidates(known, entry.modifiers, choices)) entry.untranslated.push_back(std::move(candidate));
      entry.unsaid = entry.unsaid || known.operands.empty();
    } else if (!entry.known) {
      entry.wrong = describe_modifiers(instruction) + " " + missing;
    }
    entry.known = true;
  }
  if (met) entry.wrong.clear();
  if (!entry.known) entry.wrong = unfit_modifiers(instruction);
}

std::string Checker::describe_modifiers(const Instruction& instruction) const {
  std::string name(spelling(instruction.op));
  for (const Mod modifier : module_.modifiers_of(instruction)) name.append(".").append(spelling(modifier));
  return name;
}

// Names the modifiers that exclude each other, or the one that no form of the op has; else shows the form that comes nearest.
std::string Checker::unfit_modifiers(const Instruction& instruction) const {
  const std::vector<KnownForm>& forms = known_forms(instruction.op);
  std::vector<uint8_t> choices;
  for (const KnownForm& known : forms) {
    if (!match_modifiers(known.form, module_.modifiers_of(instruction), choices)) continue;
    return describe_modifiers(instruction) + ": " + excluded(known.form, choices);
  }
  const auto has = [](const CompiledForm& form, Mod modifier) {
    for (const FormSlot& slot : form.slots)
      for (const std::vector<Mod>& choice : slot.choices)
        if (std::find(choice.begin(), choice.end(), modifier) != choice.end()) return true;
    return false;
  };
  const KnownForm* best = nullptr;
  size_t best_score = 0;
  for (const KnownForm& known : forms) {
    size_t score = 1;
    for (const Mod modifier : module_.modifiers_of(instruction)) score += has(known.form, modifier) ? 1 : 0;
    if (score <= best_score) continue;
    best = &known;
    best_score = score;
  }
  for (const Mod modifier : module_.modifiers_of(instruction)) {
    const bool found = std::any_of(forms.begin(), forms.end(), [&](const KnownForm& known) { return has(known.form, modifier); });
    if (!found) return std::string(spelling(instruction.op)) + " has no modifier '." + std::string(spelling(modifier)) + "'";
  }
  if (std::string near = one_modifier_off(instruction); !near.empty()) return describe_modifiers(instruction) + ": " + near;
  std::string text = "the modifiers of " + describe_modifiers(instruction) + " do not fit together";
  if (best) text += ": a form is '" + pattern(best->form) + "'";
  return text;
}

// ".rni or .rzi is missing", or ".ftz has no place there": when one modifier more or less would do.
std::string Checker::one_modifier_off(const Instruction& instruction) const {
  const std::span<const Mod> given = module_.modifiers_of(instruction);
  std::vector<uint8_t> choices;
  const auto fits_form = [&](const KnownForm& known, const std::vector<Mod>& modifiers) {
    return match_modifiers(known.form, modifiers, choices) && excluded(known.form, choices).empty() && meets(module_, requirement_of(known, choices));
  };
  std::vector<std::string> missing;
  for (const KnownForm& known : known_forms(instruction.op))
    for (const FormSlot& slot : known.form.slots)
      for (size_t c = 0; c < slot.choices.size() && !slot.optional; ++c)
        for (size_t at = 0; at <= given.size(); ++at) {
          std::vector<Mod> longer(given.begin(), given.end());
          longer.insert(longer.begin() + static_cast<std::ptrdiff_t>(at), slot.choices[c].begin(), slot.choices[c].end());
          if (!fits_form(known, longer)) continue;
          std::string word;
          for (const Mod modifier : slot.choices[c]) word.append(".").append(spelling(modifier));
          if (std::find(missing.begin(), missing.end(), word) == missing.end()) missing.push_back(word);
          break;
        }
  if (!missing.empty()) {
    std::string text = missing.size() == 1 ? missing[0] + " is missing" : "one of " + missing[0];
    for (size_t i = 1; i < missing.size(); ++i) text += (i + 1 == missing.size() ? " and " : ", ") + missing[i];
    return missing.size() == 1 ? text : text + " is missing";
  }
  for (size_t at = 0; at < given.size(); ++at) {
    std::vector<Mod> shorter(given.begin(), given.end());
    shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(at));
    for (const KnownForm& known : known_forms(instruction.op))
      if (fits_form(known, shorter)) return "." + std::string(spelling(given[at])) + " has no place there";
  }
  return {};
}

std::string Checker::check_versions(const Instruction& instruction, const Candidate& candidate) const {
  if (module_.version < candidate.ptx) {
    return describe_modifiers(instruction) + " needs PTX version " + version_text(candidate.ptx) + ", the module is of version " +
           version_text(module_.version);
  }
  if (module_.sm < candidate.sm) {
    return describe_modifiers(instruction) + " needs target sm_" + std::to_string(candidate.sm) + ", the module's is sm_" +
           std::to_string(module_.sm);
  }
  if (candidate.until != 0 && module_.version >= candidate.until) {
    return describe_modifiers(instruction) + " in this form ended with PTX version " + version_text(candidate.until) + ", the module is of version " +
           version_text(module_.version);
  }
  return {};
}

// Constants that must be of a range: numbers of barriers and events, numbers of threads.
std::string Checker::check_values(const Instruction& instruction) const {
  const Op op = instruction.op;
  if (op != Op::bar && op != Op::barrier && op != Op::pmevent && op != Op::discard && op != Op::applypriority) return {};
  const std::span<const Operand> operands = module_.operands_of(instruction);
  const auto value = [&](size_t index, int64_t& found) {
    if (index >= operands.size()) return false;
    found = operands[index].kind == OperandKind::WarpSize ? 32 : operands[index].value;
    return operands[index].kind == OperandKind::WarpSize || operands[index].kind == OperandKind::Integer;
  };
  const std::string name = describe_modifiers(instruction);
  int64_t number = 0;
  if (op == Op::discard || op == Op::applypriority) return value(1, number) && number != 128 ? name + ": the size is 128" : std::string();
  if (op == Op::pmevent) {
    const int64_t most = module_.has(instruction, Mod::mask) ? 0xffff : 15;
    return value(0, number) && (number < 0 || number > most) ? name + ": " + std::to_string(number) + " is not from 0 to " + std::to_string(most) : std::string();
  }
  if (module_.has(instruction, Mod::warp) || module_.has(instruction, Mod::cluster)) return {};
  const bool reduces = module_.has(instruction, Mod::red);
  const size_t first = reduces ? 1 : 0;
  if (value(first, number) && (number < 0 || number > 15)) return name + ": barriers are numbered 0 to 15, not " + std::to_string(number);
  const bool counted = operands.size() > first + (reduces ? 2u : 1u);
  if (counted && value(first + 1, number) && number % 32 != 0) return name + ": the number of threads is a multiple of 32, not " + std::to_string(number);
  return {};
}

// For a message: the operand is looked for in the text once more.
Offset Checker::offset_of_operand(const Instruction& instruction, size_t index) const {
  Lexer lexer(module_.text.substr(instruction.offset));
  Token token;
  lexer.next(token);
  if (token.kind == Tok::At) { // @p or @!p
    lexer.next(token);
    if (token.kind == Tok::Exclamation) lexer.next(token);
    lexer.next(token);
  }
  for (std::string_view word; lexer.modifier(word);) {
  }
  unsigned depth = 0;
  for (lexer.next(token); token.kind != Tok::End && token.kind != Tok::Semicolon; lexer.next(token)) {
    if (depth == 0 && index == 0) return instruction.offset + token.begin;
    if (token.kind == Tok::LeftBrace || token.kind == Tok::LeftBracket || token.kind == Tok::LeftParen) ++depth;
    if (token.kind == Tok::RightBrace || token.kind == Tok::RightBracket || token.kind == Tok::RightParen) --depth;
    if (depth == 0 && (token.kind == Tok::Comma || token.kind == Tok::Pipe)) --index;
  }
  return instruction.offset;
}

Verdict Checker::check(const Function& function, Instruction& instruction, std::string& message, Offset& where) {
  const Match& found = match(instruction);
  if (!found.wrong.empty()) {
    message = found.wrong;
    return found.known ? Verdict::Wrong : Verdict::Newer;
  }
  if (found.candidates.empty()) {
    const auto right = [&](const Candidate& candidate) { return fits(function, instruction, candidate, nullptr); };
    if (found.unsaid || std::any_of(found.untranslated.begin(), found.untranslated.end(), right)) {
      message = "instruction '" + describe_modifiers(instruction) + "'";
      return Verdict::NotYet;
    }
    message = misfit(function, instruction, found.untranslated, where);
    return Verdict::Wrong;
  }
  const Candidate* late = nullptr; // fits, but for the version
  for (const Candidate& candidate : found.candidates) {
    if (!fits(function, instruction, candidate, nullptr)) continue;
    const bool ended = candidate.until != 0 && module_.version >= candidate.until;
    if (module_.version < candidate.ptx || module_.sm < candidate.sm || ended) {
      late = &candidate;
      continue;
    }
    instruction.form = candidate.form;
    message = check_values(instruction);
    return message.empty() ? Verdict::Right : Verdict::Wrong;
  }
  if (late) {
    message = check_versions(instruction, *late);
    return Verdict::Wrong;
  }
  message = misfit(function, instruction, found.candidates, where);
  return Verdict::Wrong;
}

// The candidate that fits furthest tells what is wrong.
std::string Checker::misfit(const Function& function, const Instruction& instruction, const std::vector<Candidate>& candidates, Offset& where) const {
  Problem worst;
  bool any = false;
  for (const Candidate& candidate : candidates) {
    Problem problem;
    fits(function, instruction, candidate, &problem);
    if (any && problem.reached <= worst.reached) continue;
    worst = std::move(problem);
    any = true;
  }
  where = offset_of_operand(instruction, worst.operand);
  return describe_modifiers(instruction) + ": " + worst.text;
}

} // namespace ptxshim::ptx
