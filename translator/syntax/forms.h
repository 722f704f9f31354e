// SPDX-License-Identifier: MIT
// The forms of op_forms.h, compiled: strings are read once per op, modifiers matched once per distinct mnemonic.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "syntax/op_forms.h"

namespace ptxshim::ptx {

enum class Role : uint8_t { Destination, Source, PredicateDestination, PredicateSource, Address, Label, List };

// What one operand of an instruction must be.
struct OperandSpec {
  Role role = Role::Source;
  bool paired = false;     // d|p: this is d
  bool vector = false;     // {d..}: a scalar without .vN, else a vector of N
  ScalarType type = ScalarType::None;
};

// A form whose modifiers match.
struct Candidate {
  uint8_t form = 0;
  uint8_t vector = 1; // N of .vN
  bool wider = false; // registers may be wider than the type (ld, st, cvt)
  uint16_t ptx = 10;
  uint16_t sm = 10;
  uint16_t until = 0;
  std::vector<OperandSpec> operands;
};

struct FormSlot {
  std::string_view name; // empty: a fixed modifier
  bool optional = false;
  bool typelike = false; // keeps its order among types
  std::vector<std::vector<Mod>> choices;
};

struct CompiledForm {
  std::string_view syntax;
  std::vector<FormSlot> slots;
  std::vector<OperandSpec> operands;
  std::vector<std::string_view> operand_names;
  std::string_view types;
  std::string_view never;
  uint16_t ptx = 10;
  uint16_t sm = 10;
  uint16_t until = 0;
};

CompiledForm compile(const Form& form);
const std::vector<CompiledForm>& compiled_forms(Op op); // of the rows that are translated
const std::vector<CompiledForm>& known_forms(Op op);    // of the whole PTX ISA (ptx_forms.def): modifiers only

// Which choice every slot takes (kAbsent: none) when the form has exactly these modifiers.
inline constexpr uint8_t kAbsent = 0xff;
bool match_modifiers(const CompiledForm& form, std::span<const Mod> modifiers, std::vector<uint8_t>& choices);
// The two modifiers of these choices that exclude each other (".lt and .b32"); empty when none do.
std::string excluded(const CompiledForm& form, const std::vector<uint8_t>& choices);
Candidate make_candidate(Op op, const CompiledForm& form, uint8_t index, std::span<const Mod> modifiers, const std::vector<uint8_t>& choices);

} // namespace ptxshim::ptx
