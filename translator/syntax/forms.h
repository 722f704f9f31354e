// SPDX-License-Identifier: MIT
// The forms of op_forms.h, compiled: strings are read once per op, modifiers matched once per distinct mnemonic.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "syntax/keywords.h"
#include "syntax/op_forms.h"

namespace ptxshim::ptx {

enum class Role : uint8_t { Destination, Source, PredicateDestination, PredicateSource, Address, Label, List, Nothing };

// What an address names: the space that the modifiers say, another one, or something of a kind of its own.
enum class Place : uint8_t { Modifiers, Global, Shared, Generic, Tensor, Texture, Sampler, Surface };

// What one operand of an instruction must be.
struct OperandSpec {
  Role role = Role::Source;
  bool paired = false;     // d|p: this is d
  bool vector = false;     // {d..}: a scalar without .vN, else a vector of N
  bool constant = false;   // a constant, no register
  bool bits = false;       // registers of .b types only
  ScalarType type = ScalarType::None;
  // Said by ptx_forms.def only:
  bool registers = false;   // no constant
  bool selector = false;    // a.b0, a.h1 are allowed
  bool wider = false;       // registers may be wider than the type
  bool mixed = false;       // a vector of integers and floats: coordinates
  Place place = Place::Modifiers;
  uint16_t elements = 0;    // of the vector; 0: as .vN says
  std::string_view values;  // of a constant: "0..3", "-1|1"; empty: all
  std::vector<OperandSpec> listed; // [base, these]
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

// Modifiers are free in order, but for those of one of these kinds among themselves: destination before source.
enum class Order : uint8_t { Free, Type, Space, Layout };
inline constexpr size_t kOrders = 4;

struct FormSlot {
  std::string_view name; // empty: a fixed modifier
  bool optional = false;
  Order order = Order::Free;
  std::vector<std::vector<Mod>> choices;
};

struct CompiledForm {
  std::string_view syntax;
  std::vector<FormSlot> slots;
  size_t fixed_slots = 0; // the first ones, which keep their place
  std::vector<OperandSpec> operands;
  std::vector<std::string_view> operand_names;
  std::string_view types;
  std::string_view never;
  uint16_t ptx = 10;
  uint16_t sm = 10;
  uint16_t until = 0;
};

// What some modifiers ask of .version and .target.
struct Requirement {
  uint16_t ptx = 10;
  uint16_t sm = 10;
  uint16_t until = 0;
  uint16_t until_sm = 0;
  std::string_view targets; // "100a 103f": one of these; empty: any
};

// A row of ptx_forms.def.
struct KnownForm {
  CompiledForm form;
  Requirement requirement;
  std::string_view minima;
  std::string_view operands; // empty: not said, "-": none
};

CompiledForm compile(const Form& form);
const std::vector<CompiledForm>& compiled_forms(Op op); // of the rows that are translated
const std::vector<KnownForm>& known_forms(Op op);       // of the whole PTX ISA (ptx_forms.def)
std::vector<Candidate> known_candidates(const KnownForm& known, std::span<const Mod> modifiers, const std::vector<uint8_t>& choices);

Requirement requirement_of(const KnownForm& known, const std::vector<uint8_t>& choices);
Requirement requirement_of(Directive directive);
uint16_t version_of_target(std::string_view name); // lowest .version that has it ("sm_90a"); 0: unknown
// Whether a module of this version and target has it, else what is missing: "needs PTX version 7.8, the module is of version 7.0".
bool meets(const Module& module, const Requirement& requirement, std::string* missing = nullptr);

// Which choice every slot takes (kAbsent: none) when the form has exactly these modifiers.
inline constexpr uint8_t kAbsent = 0xff;
bool match_modifiers(const CompiledForm& form, std::span<const Mod> modifiers, std::vector<uint8_t>& choices);
// Why these choices do not go together (".lt and .b32 exclude each other"); empty when they do.
std::string excluded(const CompiledForm& form, const std::vector<uint8_t>& choices);
Candidate make_candidate(Op op, const CompiledForm& form, uint8_t index, std::span<const Mod> modifiers, const std::vector<uint8_t>& choices);

} // namespace ptxshim::ptx
