// SPDX-License-Identifier: MIT
// The rows of ptx_forms.def, and what they ask of the module.
#include <array>
#include <mutex>

#include "syntax/forms.h"
#include "syntax/keywords.h"

namespace ptxshim::ptx {
namespace {

struct KnownRow {
  Op op;
  const char* syntax;
  const char* slots;
  uint16_t ptx = 10;
  uint16_t sm = 10;
  const char* targets = "";
  const char* minima = "";
  const char* never = "";
  uint16_t until = 0;
  uint16_t until_sm = 0;
};
constexpr KnownRow kKnownRows[] = {
#define FORM(op, ...) {Op::op, __VA_ARGS__},
#include "syntax/ptx_forms.def"
};

std::string_view cut(std::string_view& rest, std::string_view separator) {
  const size_t end = rest.find(separator);
  const std::string_view piece = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + separator.size());
  return piece;
}

uint16_t number(std::string_view digits) {
  uint16_t value = 0;
  for (const char c : digits)
    if (c != '.') value = static_cast<uint16_t>(value * 10 + (c - '0'));
  return value;
}

// sm_101 was renamed to sm_110: they are one family.
unsigned family(unsigned sm) { return sm == 101 ? 11 : sm / 10; }

// Whether the target `sm` + `suffix` is the one called `name`, or of the family that it opens ("100f").
bool is_target(std::string_view name, unsigned sm, char suffix) {
  const unsigned named = number(name.substr(0, name.find_first_of("af")));
  if (suffix == 0) return false;
  if (name.back() == 'a') return suffix == 'a' && named == sm;
  return family(named) == family(sm) && sm >= named - (sm == 101 ? 9 : 0);
}

std::string list_of_targets(std::string_view targets) {
  std::string text;
  while (!targets.empty()) text += (text.empty() ? "sm_" : ", sm_") + std::string(cut(targets, " "));
  return text;
}

std::string target_text(const Module& module) {
  std::string text = "sm_" + std::to_string(module.sm);
  if (module.sm_suffix != 0) text += module.sm_suffix;
  return text;
}

// "4.3/20", "7.8", "/75", "8.6/100f 103f"
void demand(Requirement& requirement, std::string_view text) {
  const std::string_view version = cut(text, "/");
  requirement.ptx = std::max(requirement.ptx, number(version));
  if (text.empty()) return;
  if (text.find_first_of("af") != std::string_view::npos) requirement.targets = text;
  else requirement.sm = std::max(requirement.sm, number(text));
}

} // namespace

const std::vector<KnownForm>& known_forms(Op op) {
  constexpr size_t kOps = static_cast<size_t>(Op::kInvalid);
  static std::array<std::once_flag, kOps> once;
  static std::array<std::vector<KnownForm>, kOps> forms;
  const size_t index = static_cast<size_t>(op);
  std::call_once(once[index], [&] {
    for (const KnownRow& row : kKnownRows) {
      if (row.op != op) continue;
      Form form{row.syntax, row.slots};
      form.never = row.never;
      forms[index].push_back({compile(form), {row.ptx, row.sm, row.until, row.until_sm, row.targets}, row.minima, {}});
      const std::string_view syntax = row.syntax;
      if (const size_t space = syntax.find(' '); space != std::string_view::npos) forms[index].back().operands = syntax.substr(space + 1);
    }
  });
  return forms[index];
}

Requirement requirement_of(const KnownForm& known, const std::vector<uint8_t>& choices) {
  Requirement requirement = known.requirement;
  for (std::string_view rest = known.minima; !rest.empty();) {
    std::string_view item = cut(rest, "; ");
    const std::string_view name = cut(item, "=");
    const size_t colon = item.rfind(':');
    if (colon == std::string_view::npos) continue;
    for (size_t s = 0; s < known.form.slots.size(); ++s) {
      const FormSlot& slot = known.form.slots[s];
      if (slot.name != name) continue;
      std::string chosen = choices[s] == kAbsent ? "-" : std::string();
      if (choices[s] != kAbsent)
        for (const Mod modifier : slot.choices[choices[s]]) chosen.append(".").append(spelling(modifier));
      if (chosen == item.substr(0, colon)) demand(requirement, item.substr(colon + 1));
    }
  }
  return requirement;
}

Requirement requirement_of(Directive directive) {
  static constexpr struct {
    uint16_t ptx, sm;
  } kNeeds[] = {
#define DIRECTIVE(name, spelling, ptx, sm) {ptx, sm},
#include "syntax/directives.def"
  };
  const size_t index = static_cast<size_t>(directive);
  return index < std::size(kNeeds) ? Requirement{kNeeds[index].ptx, kNeeds[index].sm, 0, 0, {}} : Requirement{};
}

bool meets(const Module& module, const Requirement& requirement, std::string* missing) {
  const auto say = [&](std::string text) {
    if (missing) *missing = std::move(text);
    return false;
  };
  const std::string is_of = missing ? ", the module is of version " + version_text(module.version) : std::string();
  if (module.version < requirement.ptx) return say("needs PTX version " + version_text(requirement.ptx) + is_of);
  if (requirement.until != 0 && module.version >= requirement.until && module.sm >= requirement.until_sm) {
    std::string text = "ended with PTX version " + version_text(requirement.until);
    if (requirement.until <= 10) text = "is not there";
    if (requirement.until_sm != 0) text += " for targets from sm_" + std::to_string(requirement.until_sm) + " on";
    return say(text + is_of);
  }
  if (module.sm < requirement.sm) return say("needs target sm_" + std::to_string(requirement.sm) + ", the module's is " + target_text(module));
  if (requirement.targets.empty()) return true;
  for (std::string_view rest = requirement.targets; !rest.empty();)
    if (is_target(cut(rest, " "), module.sm, module.sm_suffix)) return true;
  return say("needs one of the targets " + list_of_targets(requirement.targets) + "; the module's is " + target_text(module));
}

} // namespace ptxshim::ptx
