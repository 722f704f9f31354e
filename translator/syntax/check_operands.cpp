// SPDX-License-Identifier: MIT
// Operands against what a form wants (PTX ISA, "Operand Type Checking" and "Operand Size Exceeding Instruction-Type Size").
//   .bN takes every register of N bits; .uN and .sN take each other and .bN; .fN takes .fN and .bN; packed types take .b32 or
//   .f16x2 (.b64 for .f32x2), .f16 also .b16. ld, st and cvt take wider registers: for .bN any, for integers integers and .b,
//   for floats .b. Literals: integers for integer and bit types, floats for float types (and 0f for .b32, 0d for .b64).
#include <algorithm>

#include "syntax/check.h"
#include "syntax/keywords.h"

namespace ptxshim::ptx {
namespace {

bool say(std::string* problem, std::string text) {
  if (problem) *problem = std::move(text);
  return false;
}

bool is_integer(ScalarType type) {
  const TypeKind kind = kind_of(type);
  return kind == TypeKind::Unsigned || kind == TypeKind::Signed || kind == TypeKind::Untyped;
}

// Whether a register may stand where an instruction wants `wanted`, sizes being equal.
bool same_size_fits(ScalarType wanted, ScalarType held) {
  switch (kind_of(wanted)) {
  case TypeKind::Untyped: return held != ScalarType::Pred;
  case TypeKind::Unsigned:
  case TypeKind::Signed:
    if (wanted == ScalarType::U16x2 || wanted == ScalarType::S16x2) return kind_of(held) == TypeKind::Untyped || held == ScalarType::F16x2;
    return is_integer(held) || held == ScalarType::F16x2;
  case TypeKind::Float: return held == wanted || kind_of(held) == TypeKind::Untyped;
  case TypeKind::BFloat:
  case TypeKind::Other: return kind_of(held) == TypeKind::Untyped;
  case TypeKind::Predicate: return held == ScalarType::Pred;
  case TypeKind::Opaque: return is_integer(held);
  case TypeKind::None: return true;
  }
  return false;
}

bool wider_fits(ScalarType wanted, ScalarType held) {
  if (bits_of(held) < bits_of(wanted) || held == ScalarType::Pred) return false;
  switch (kind_of(wanted)) {
  case TypeKind::Untyped: return true;
  case TypeKind::Unsigned:
  case TypeKind::Signed: return is_integer(held);
  case TypeKind::Float: return kind_of(held) == TypeKind::Untyped;
  case TypeKind::BFloat:
  case TypeKind::Other:
  case TypeKind::None:
  case TypeKind::Predicate:
  case TypeKind::Opaque: return false;
  }
  return false;
}

bool literal_fits(ScalarType wanted, OperandKind kind) {
  if (wanted == ScalarType::U16x2 || wanted == ScalarType::S16x2) return false;
  if (kind == OperandKind::Integer || kind == OperandKind::WarpSize) {
    return is_integer(wanted) || wanted == ScalarType::Pred || wanted == ScalarType::None;
  }
  if (wanted == ScalarType::F32 || wanted == ScalarType::F64 || wanted == ScalarType::None) return true;
  if (kind == OperandKind::Float32) return wanted == ScalarType::B32;
  return wanted == ScalarType::B64;
}

std::string_view space_name(StateSpace space) {
  switch (space) {
  case StateSpace::None: return "generic";
  case StateSpace::Reg: return ".reg";
  case StateSpace::Const: return ".const";
  case StateSpace::Global: return ".global";
  case StateSpace::Local: return ".local";
  case StateSpace::Param: return ".param";
  case StateSpace::Shared: return ".shared";
  case StateSpace::Tex: return ".tex";
  }
  return {};
}

std::string dotted(ScalarType type) { return "." + std::string(spelling(type)); }

// The elements of a vector have one size, and are not floats and integers mixed; .bN goes with both.
enum class Family : uint8_t { Any, Untyped, Integer, Float };
Family family_of(ScalarType type) {
  if (kind_of(type) == TypeKind::Untyped) return Family::Untyped;
  return is_integer(type) ? Family::Integer : Family::Float;
}
ScalarType untyped_of(uint32_t bits) {
  return bits == 8 ? ScalarType::B8 : bits == 16 ? ScalarType::B16 : bits == 32 ? ScalarType::B32 : ScalarType::B64;
}

bool go_together(Family one, Family other) {
  return one == other || one == Family::Any || other == Family::Any || one == Family::Untyped || other == Family::Untyped;
}

bool is_simd_video(Op op) { return op >= Op::vadd2 && op <= Op::vset4; }

// values: "0..3", "-1|1", or "%16" for multiples
bool is_among(std::string_view values, const Operand& operand) {
  const int64_t value = operand.kind == OperandKind::WarpSize ? 32 : operand.value;
  if (operand.kind != OperandKind::Integer && operand.kind != OperandKind::WarpSize) return false;
  const size_t range = values.find("..");
  const std::string text(values);
  if (text.front() == '%') return value % std::stoll(text.substr(1)) == 0;
  if (range != std::string_view::npos) return value >= std::stoll(text) && value <= std::stoll(text.substr(range + 2));
  for (size_t at = 0; at < text.size(); at = std::min(text.find('|', at), text.size() - 1) + 1)
    if (value == std::stoll(text.substr(at))) return true;
  return false;
}

bool is_destination(Role role) { return role == Role::Destination || role == Role::PredicateDestination; }

} // namespace

std::string Checker::name_of(const Function& function, const Operand& operand) const {
  switch (operand.kind) {
  case OperandKind::Register:
  case OperandKind::AddressRegister: return "register " + full_name(module_, function.registers[operand.index]);
  case OperandKind::Symbol:
  case OperandKind::AddressSymbol: return "'" + std::string(module_.name_of(operand.index).substr(0, 200)) + "'";
  case OperandKind::SpecialRegister: return "special register " + std::string(special_register(operand.index).spelling);
  case OperandKind::Integer:
  case OperandKind::WarpSize: return "an integer";
  case OperandKind::Float32:
  case OperandKind::Float64: return "a floating-point number";
  case OperandKind::AddressAbsolute:
  case OperandKind::AddressList: return "an address";
  case OperandKind::Vector: return "a vector";
  case OperandKind::List: return "a list";
  case OperandKind::Label: return "a label";
  case OperandKind::Prototype: return "a table or prototype";
  case OperandKind::Sink: return "'_'";
  case OperandKind::None: break;
  }
  return "nothing";
}

bool Checker::fits(const Function& function, const Instruction& instruction, const Candidate& candidate, Problem* problem) const {
  const std::span<const Operand> operands = module_.operands_of(instruction);
  const size_t count = candidate.operands.size();
  for (size_t i = 0; i < operands.size() && i < count; ++i) {
    const OperandSpec& spec = candidate.operands[i];
    std::string text;
    bool good = spec.paired == operands[i].paired;
    if (!good) say(&text, spec.paired ? "a second destination '|p' is missing" : "'|' has no place here");
    if (good && spec.paired && i + 1 < operands.size() && operands[i].kind == OperandKind::Sink && operands[i + 1].kind == OperandKind::Sink) {
      good = say(&text, "both destinations are '_'");
    }
    good = good && fits_operand(function, instruction, candidate, spec, operands[i], problem ? &text : nullptr);
    if (good) continue;
    const bool shape = spec.vector == (operands[i].kind == OperandKind::Vector); // a form that is nearer
    if (problem) *problem = {2 * i + (shape ? 2 : 1), i, "operand " + std::to_string(i + 1) + ": " + text};
    return false;
  }
  if (operands.size() == count) return true;
  if (problem) {
    *problem = {2 * std::min(operands.size(), count), std::min(operands.size(), count),
                std::to_string(count) + (count == 1 ? " operand is" : " operands are") + " expected, " + std::to_string(operands.size()) +
                    (operands.size() == 1 ? " is given" : " are given")};
  }
  return false;
}

bool Checker::fits_operand(const Function& function, const Instruction& instruction, const Candidate& candidate, const OperandSpec& spec,
                           const Operand& operand, std::string* problem) const {
  switch (spec.role) {
  case Role::Address: return fits_place(function, instruction, candidate, spec, operand, problem);
  case Role::Nothing: return operand.kind == OperandKind::Sink || say(problem, "'_' is expected");
  case Role::List: return operand.kind == OperandKind::List || say(problem, "a list (…) is expected");
  case Role::Label: {
    const bool callee = operand.kind == OperandKind::Symbol && instruction.op == Op::call;
    if (callee && module_.symbols[operand.index].kind != SymbolKind::Function && module_.symbols[operand.index].kind != SymbolKind::Alias) {
      return say(problem, name_of(function, operand) + " is no function");
    }
    if (callee || operand.kind == OperandKind::Label || operand.kind == OperandKind::Prototype) return true;
    return say(problem, (instruction.op == Op::call ? "a function or prototype is expected, " : "a label is expected, ") +
                            (problem ? name_of(function, operand) : std::string()) + " is given");
  }
  case Role::Destination:
  case Role::Source:
  case Role::PredicateDestination:
  case Role::PredicateSource: break;
  }
  if (spec.place == Place::Sampler) return fits_handle(function, spec, operand, problem);
  if (spec.vector || operand.kind == OperandKind::Vector) return fits_vector(function, instruction, candidate, spec, operand, problem);
  return fits_scalar(function, instruction, candidate, spec, operand, problem);
}

// {a..}: as many elements as .vN says; mov packs two or four into its type.
bool Checker::fits_vector(const Function& function, const Instruction& instruction, const Candidate& candidate, const OperandSpec& spec,
                          const Operand& operand, std::string* problem) const {
  const bool packing = instruction.op == Op::mov && candidate.vector == 1;
  if (!spec.vector) return say(problem, "a vector has no place here");
  const RegisterInfo* whole = nullptr; // a vector register
  if (operand.kind == OperandKind::Register && operand.component == kNoComponent) whole = &function.registers[operand.index];
  if (whole && whole->vector == 1) whole = nullptr;
  if (operand.kind != OperandKind::Vector && !whole) {
    if (!packing && candidate.vector == 1 && spec.elements < 2) return fits_scalar(function, instruction, candidate, spec, operand, problem);
    return say(problem, "a vector {…} is expected");
  }
  const std::span<const Operand> elements = whole ? std::span<const Operand>{} : module_.elements_of(operand);
  const size_t count = whole ? whole->vector : elements.size();
  const size_t wanted = spec.elements ? spec.elements : candidate.vector;
  if (packing ? count != 2 && count != 4 : count != wanted || (candidate.vector == 1 && spec.elements == 0)) {
    return say(problem, packing ? std::string("mov packs two or four elements")
                                : "a vector of " + std::to_string(wanted) + (wanted == 1 ? " element is expected" : " elements is expected"));
  }
  OperandSpec each = spec;
  each.vector = false;
  if (packing) {
    const uint32_t bits = bits_of(candidate.operands[0].vector ? candidate.operands[1].type : candidate.operands[0].type);
    const uint32_t part = bits / static_cast<uint32_t>(count);
    each.type = untyped_of(part);
    if (part < 8) return say(problem, "the elements would have fewer than 8 bits");
  }
  if (whole) {
    Operand element = operand;
    element.component = 0;
    return fits_scalar(function, instruction, candidate, each, element, problem);
  }
  OperandSpec loose = each;
  if (is_untyped(function, instruction, elements, spec.type)) loose.type = untyped_of(bits_of(spec.type));
  bool all_dropped = true;
  for (const Operand& element : elements) {
    if (element.kind == OperandKind::Sink && is_destination(spec.role)) continue;
    all_dropped = false;
    const OperandSpec& wanted_of_it = element.kind == OperandKind::Register ? loose : each;
    if (!fits_scalar(function, instruction, candidate, wanted_of_it, element, problem)) return false;
  }
  if (all_dropped) return say(problem, "a vector of nothing but '_'");
  return spec.mixed || elements_go_together(function, elements, problem);
}

// A vector of floats with a .bN register among them has no type but a size, as has one of integers where floats are expected (mma
// apart). ptxas takes it for any type of the size.
bool Checker::is_untyped(const Function& function, const Instruction& instruction, std::span<const Operand> elements, ScalarType wanted) const {
  bool untyped = false, integers = false, floats = false;
  for (const Operand& element : elements) {
    if (element.kind != OperandKind::Register) continue;
    const ScalarType type = function.registers[element.index].type;
    if (bits_of(type) != bits_of(wanted)) return false;
    untyped = untyped || family_of(type) == Family::Untyped;
    integers = integers || family_of(type) == Family::Integer;
    floats = floats || family_of(type) == Family::Float;
  }
  const bool is_float = wanted == ScalarType::F16 || wanted == ScalarType::F32 || wanted == ScalarType::F64;
  return untyped || (integers && !floats && is_float && instruction.op != Op::mma && instruction.op != Op::wmma);
}

bool Checker::elements_go_together(const Function& function, std::span<const Operand> elements, std::string* problem) const {
  Family family = Family::Any;
  uint32_t bits = 0;
  for (const Operand& element : elements) {
    Family next = Family::Any;
    if (element.kind == OperandKind::Integer || element.kind == OperandKind::WarpSize) next = Family::Integer;
    if (element.kind == OperandKind::Float32 || element.kind == OperandKind::Float64) next = Family::Float;
    if (element.kind == OperandKind::Register) {
      const ScalarType type = function.registers[element.index].type;
      if (bits != 0 && bits != bits_of(type)) return say(problem, problem ? name_of(function, element) + " has another size than the others" : std::string());
      bits = bits_of(type);
      next = family_of(type);
    }
    if (!go_together(family, next)) return say(problem, problem ? name_of(function, element) + " has another type than the others" : std::string());
    if (family == Family::Any || family == Family::Untyped) family = next == Family::Any ? family : next;
  }
  return true;
}

bool Checker::fits_scalar(const Function& function, const Instruction& instruction, const Candidate& candidate, const OperandSpec& spec,
                          const Operand& operand, std::string* problem) const {
  if (instruction.op == Op::cvta && bits_of(spec.type) < module_.address_size) return say(problem, "addresses of this module have 64 bits");
  if (operand.kind == OperandKind::Register) {
    if (spec.constant) return say(problem, "a constant is expected" + (problem ? ", not " + name_of(function, operand) : std::string()));
    const bool selects = operand.component == kSelector;
    if (selects && !spec.selector && !is_simd_video(instruction.op)) return say(problem, "a selector (.b0, .h1) has no place here");
    if (is_destination(spec.role) && operand.negated) return say(problem, "a destination cannot be negated");
    return fits_register(function, candidate, spec, operand, problem);
  }
  if (is_destination(spec.role)) {
    const bool predicate = spec.role == Role::PredicateDestination;
    const bool droppable = spec.paired ? instruction.op != Op::shfl : predicate && instruction.op != Op::elect && instruction.op != Op::lop3 && instruction.op != Op::testp;
    const bool unused = droppable || instruction.op == Op::atom;
    if (operand.kind == OperandKind::Sink) return unused || say(problem, "the result of " + std::string(spelling(instruction.op)) + " cannot be dropped");
    return say(problem, "a destination must be a register" + (problem ? ", not " + name_of(function, operand) : std::string()));
  }
  switch (operand.kind) {
  case OperandKind::Integer:
  case OperandKind::WarpSize:
  case OperandKind::Float32:
  case OperandKind::Float64:
    if (is_simd_video(instruction.op) || spec.registers || spec.bits) return say(problem, "a register is expected");
    if (!spec.values.empty() && !is_among(spec.values, operand)) return say(problem, "the constant must be one of " + std::string(spec.values));
    if (literal_fits(spec.type, operand.kind)) return true;
    return say(problem, problem ? name_of(function, operand) + " where " + dotted(spec.type) + " is expected" : std::string());
  case OperandKind::SpecialRegister: return fits_special(instruction, spec, operand, problem);
  case OperandKind::Symbol: return fits_symbol(instruction, spec, operand, problem);
  case OperandKind::None:
  case OperandKind::Register:
  case OperandKind::AddressRegister:
  case OperandKind::AddressSymbol:
  case OperandKind::AddressAbsolute:
  case OperandKind::Vector:
  case OperandKind::List:
  case OperandKind::Label:
  case OperandKind::Sink:
  case OperandKind::Prototype:
  case OperandKind::AddressList: break;
  }
  return say(problem, "a register or a constant is expected" + (problem ? ", not " + name_of(function, operand) : std::string()));
}

bool Checker::fits_register(const Function& function, const Candidate& candidate, const OperandSpec& spec, const Operand& operand,
                            std::string* problem) const {
  const RegisterInfo& info = function.registers[operand.index];
  if (info.vector > 1 && operand.component == kNoComponent && spec.type != ScalarType::None) {
    return say(problem, problem ? name_of(function, operand) + " is a vector: name a component (.x …)" : std::string());
  }
  const bool same = bits_of(info.type) == bits_of(spec.type) ? same_size_fits(spec.type, info.type) : spec.type == ScalarType::None;
  if (spec.bits && kind_of(info.type) != TypeKind::Untyped) return say(problem, problem ? name_of(function, operand) + " is " + dotted(info.type) + ", not of a .b type" : std::string());
  if (same || (!spec.bits && (candidate.wider || spec.wider) && wider_fits(spec.type, info.type))) return true;
  return say(problem, problem ? name_of(function, operand) + " is " + dotted(info.type) + " where " + dotted(spec.type) + " is expected"
                              : std::string());
}

// Special registers stand in mov and cvt only; a read may be narrower for %tid and its like (.u16) and for %gridid (.u32).
bool Checker::fits_special(const Instruction& instruction, const OperandSpec& spec, const Operand& operand, std::string* problem) const {
  const SpecialRegisterRow& row = special_register(operand.index);
  const std::string name = problem ? std::string(row.spelling) : std::string();
  if (instruction.op != Op::mov && instruction.op != Op::cvt) {
    return say(problem, "special register " + name + " can be read by mov and cvt only");
  }
  if (row.components > 1 && operand.component == kNoComponent) return say(problem, name + " has components: name one (.x …)");
  if (row.type == ScalarType::Pred || spec.type == ScalarType::Pred) {
    return row.type == spec.type || say(problem, name + " is " + dotted(row.type));
  }
  if (instruction.op == Op::cvt) return true;
  const bool narrow = (row.components > 1 && bits_of(spec.type) == 16) || (row.type == ScalarType::U64 && bits_of(spec.type) == 32 && row.spelling == "%gridid");
  if (is_integer(spec.type) && (bits_of(spec.type) == bits_of(row.type) || narrow)) return true;
  return say(problem, problem ? name + " is " + dotted(row.type) + ", not " + dotted(spec.type) : name);
}

// The address of a variable or function as a value: mov, cvta, and of the block's own memory mapa and getctarank.
bool Checker::fits_symbol(const Instruction& instruction, const OperandSpec& spec, const Operand& operand, std::string* problem) const {
  const Symbol& symbol = module_.symbols[operand.index];
  const std::string name = problem ? "'" + std::string(module_.name(symbol.name).substr(0, 200)) + "'" : std::string();
  const bool mapped = (instruction.op == Op::mapa || instruction.op == Op::getctarank) && module_.space(instruction) == StateSpace::Shared;
  if (instruction.op != Op::mov && instruction.op != Op::cvta && !mapped) {
    return say(problem, name + " is a variable: load it, or take its address with mov");
  }
  if (!is_integer(spec.type) || bits_of(spec.type) < 32) return say(problem, "the address of " + name + " does not fit the type of the instruction");
  const bool function = symbol.kind == SymbolKind::Function || symbol.kind == SymbolKind::Alias;
  const bool far = !function && symbol.space == StateSpace::Global;
  if (far && bits_of(spec.type) < module_.address_size) return say(problem, "the address of " + name + " has 64 bits");
  const StateSpace wanted = module_.space(instruction);
  if (instruction.op != Op::mov && wanted != symbol.space) {
    return say(problem, name + " is in the " + std::string(space_name(symbol.space)) + " space, not in " + std::string(space_name(wanted)));
  }
  return true;
}

// Tensor memory is addressed by 32 bits; textures, samplers and surfaces by their variable or 64 bits that hold its address.
bool Checker::fits_handle(const Function& function, const OperandSpec& spec, const Operand& operand, std::string* problem) const {
  const uint32_t bits = spec.place == Place::Tensor ? 32 : 64;
  const bool bare = spec.role == Role::Source; // in a list: [texture, sampler, {…}]
  if (operand.kind == (bare ? OperandKind::Register : OperandKind::AddressRegister)) {
    const RegisterInfo& info = function.registers[operand.index];
    if (is_integer(info.type) && bits_of(info.type) == bits) return true;
    return say(problem, problem ? name_of(function, operand) + " is no address of " + std::to_string(bits) + " bits" : std::string());
  }
  const ScalarType wanted = spec.place == Place::Texture ? ScalarType::TexRef : spec.place == Place::Sampler ? ScalarType::SamplerRef : ScalarType::SurfRef;
  const bool named = operand.kind == (bare ? OperandKind::Symbol : OperandKind::AddressSymbol);
  if (named && spec.place != Place::Tensor && module_.symbols[operand.index].type == wanted) return true;
  return say(problem, problem ? name_of(function, operand) + " is no " + (spec.place == Place::Tensor ? "address in tensor memory" : dotted(wanted)) : std::string());
}

// [base], or [base, {x, y}, …]
bool Checker::fits_place(const Function& function, const Instruction& instruction, const Candidate& candidate, const OperandSpec& spec, const Operand& operand,
                         std::string* problem) const {
  const Operand* base = &operand;
  if (!spec.listed.empty() || operand.kind == OperandKind::AddressList) {
    if (operand.kind != OperandKind::AddressList || module_.elements_of(operand).size() != spec.listed.size() + 1) {
      return say(problem, "an address of " + std::to_string(spec.listed.size() + 1) + " parts is expected");
    }
    base = &module_.elements_of(operand)[0];
    for (size_t i = 0; i < spec.listed.size(); ++i)
      if (!fits_operand(function, instruction, candidate, spec.listed[i], module_.elements_of(operand)[i + 1], problem)) return false;
  }
  switch (spec.place) {
  case Place::Modifiers: return fits_address(function, instruction, module_.space(instruction), *base, problem);
  case Place::Global: return fits_address(function, instruction, StateSpace::Global, *base, problem);
  case Place::Shared: return fits_address(function, instruction, StateSpace::Shared, *base, problem);
  case Place::Generic: return fits_address(function, instruction, StateSpace::None, *base, problem);
  case Place::Tensor:
  case Place::Texture:
  case Place::Sampler:
  case Place::Surface: break;
  }
  return fits_handle(function, spec, *base, problem);
}

bool Checker::fits_address(const Function& function, const Instruction& instruction, StateSpace space, const Operand& operand, std::string* problem) const {
  if (operand.kind == OperandKind::AddressAbsolute) {
    return space == StateSpace::Local || say(problem, "only the .local space is addressed by numbers");
  }
  if (operand.kind == OperandKind::AddressSymbol) {
    const Symbol& symbol = module_.symbols[operand.index];
    const bool function_symbol = symbol.kind == SymbolKind::Function || symbol.kind == SymbolKind::Alias;
    if (function_symbol) return say(problem, name_of(function, operand) + " is a function, not data");
    if (symbol.space == StateSpace::Reg) return say(problem, name_of(function, operand) + " is a register parameter");
    const bool returned = std::find(function.returns.begin(), function.returns.end(), operand.index) != function.returns.end();
    if (instruction.op == Op::st && symbol.kind == SymbolKind::Parameter && !returned) {
      return say(problem, name_of(function, operand) + " is a parameter that cannot be written");
    }
    // Generic addresses reach variables of all spaces but these.
    const bool generic = space == StateSpace::None && symbol.space != StateSpace::Param && symbol.space != StateSpace::Const;
    if (generic || space == symbol.space) return true;
    return say(problem, problem ? name_of(function, operand) + " is in the " + std::string(space_name(symbol.space)) + " space, not in " +
                                      std::string(space_name(space))
                                : std::string());
  }
  if (operand.kind != OperandKind::AddressRegister) {
    return say(problem, "an address […] is expected" + (problem ? ", not " + name_of(function, operand) : std::string()));
  }
  const RegisterInfo& info = function.registers[operand.index];
  const uint32_t bits = bits_of(info.type);
  if (!is_integer(info.type) || (bits != 32 && bits != 64)) {
    return say(problem, problem ? name_of(function, operand) + " is " + dotted(info.type) + ": an address is an integer of 32 or 64 bits" : std::string());
  }
  if (info.vector > 1 && operand.component == kNoComponent) return say(problem, "a vector is no address");
  const bool far = space == StateSpace::None || space == StateSpace::Global;
  if (far && bits < module_.address_size) {
    return say(problem, problem ? name_of(function, operand) + " has 32 bits, addresses of this module have 64" : std::string());
  }
  return true;
}

} // namespace ptxshim::ptx
