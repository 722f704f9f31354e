// SPDX-License-Identifier: MIT
// The abstract syntax of a PTX module: flat arrays, indices instead of pointers, names interned, scopes already resolved.
//
// One generic Instruction stands for every opcode: what is particular to an instruction lives in its row (ops.def) and in its
// file (ops/NAME.cpp). The parser resolves every name as it reads it (declaration before use, except labels and functions), so
// lowering never looks a name up. Nothing here knows LLVM.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "syntax/types.h"

namespace ptxshim::ptx {

using NameId = uint32_t;   // index into Module::names
using SymbolId = uint32_t; // index into Module::symbols
using Offset = uint32_t;   // byte offset into the text; Module::location() gives line and column
inline constexpr uint32_t kNone = 0xffffffffu;

// The rows of ops.def, e.g. Op::add, Op::shfl. and/or/xor/not are C++ tokens: Op::and_, Op::or_, Op::xor_, Op::not_.
enum class Op : uint16_t {
#define OP(name, spelling, traits, status) name,
#include "ops.def"
  kLabel, // pseudo: a label stands here (operand 0 names it)
  kLoc,   // pseudo: .loc; operands: file index, line, column (Integer), and when it was inlined: the function's name (index = label
          // of .debug_str, value = offset from it), and file index, line, column of the call
  kInvalid
};

// The rows of syntax/modifiers.def: every dot-word that may follow a mnemonic (types and state spaces among them), e.g.
// Mod::sat, Mod::shared_cta, Mod::u32.
enum class Mod : uint16_t {
#define MOD(name, spelling, kind) name,
#include "syntax/modifiers.def"
  kInvalid
};
ScalarType type_of(Mod modifier);    // None when it is no type
StateSpace space_of(Mod modifier);   // None when it is no state space; .shared::cta gives Shared, .param::entry Param
std::string_view spelling(Mod modifier); // without the dot
std::string_view spelling(Op op);
std::string_view spelling(ScalarType type);

enum class OperandKind : uint8_t {
  None,
  Register,        // index = register of the function; component: 0..3 for v.x .. v.w, kNoComponent otherwise
  SpecialRegister, // index = row of special_registers.def; component as above (%tid.x)
  Integer,         // value
  Float32,         // value = bits (0f…)
  Float64,         // value = bits (0d… and decimal literals)
  Symbol,          // the address of a variable or function: index = SymbolId, value = byte offset
  AddressRegister, // [reg+imm]: index = register, value = byte offset
  AddressSymbol,   // [var+imm]: index = SymbolId, value = byte offset
  AddressAbsolute, // [imm]: value
  Vector,          // {a, b, …}: index = first element in Module::operands, value = count
  List,            // (a, b, …) of call: as Vector
  Label,           // index = label of the function
  Sink,            // _
  WarpSize,        // WARP_SZ
  Prototype,       // .callprototype, .calltargets or .branchtargets by its label: index = entry of Function::tables
  AddressList,     // [a, {b, c}, …] of textures, tensor maps and the like: as Vector
};
inline constexpr uint8_t kNoComponent = 0xff;
inline constexpr uint8_t kSelector = 0xfe; // .b0, .h1, .b3210 of a video instruction's register: value = its characters, first lowest

struct Operand {
  OperandKind kind = OperandKind::None;
  uint8_t component = kNoComponent;
  bool negated = false; // !p, or -reg where an instruction allows it
  bool paired = false;  // d|p: this is d, the next operand is p
  uint32_t index = kNone;
  int64_t value = 0;
};
static_assert(sizeof(Operand) == 16);

struct Instruction {
  Op op = Op::kInvalid;
  uint8_t modifier_count = 0;
  uint8_t operand_count = 0; // top-level operands; vectors and lists hold their elements elsewhere in the pool
  uint32_t first_modifier = 0; // into Module::modifiers
  uint32_t first_operand = 0;  // into Module::operands
  uint32_t guard = kNone;      // predicate register of @p, kNone when unguarded
  Offset offset = 0;
  bool guard_negated = false;  // @!p
  uint8_t form = 0;            // which form of its op it matched (set by the checker)
};

struct RegisterInfo {
  ScalarType type = ScalarType::None;
  uint8_t vector = 1; // 1, 2, 4
  NameId name = kNone;   // of the declaration; "%r" of %r<100>
  uint32_t number = kNone; // n of a parameterised name, kNone otherwise
};

enum class SymbolKind : uint8_t { Variable, Parameter, Function, Alias };
enum class Linkage : uint8_t { Internal, Visible, Extern, Weak, Common };

// An element of an initialiser: bytes to place, or an address.
struct Initializer {
  uint64_t offset = 0; // bytes from the start of the variable
  uint8_t size = 0;    // bytes
  uint64_t value = 0;  // bits, or the addend of an address
  SymbolId symbol = kNone; // address of this symbol
  bool generic = false;    // generic(symbol)
  uint64_t mask = ~0ull;   // mask(symbol): which byte of the address
  uint8_t mask_shift = 0;
};

struct Symbol {
  SymbolKind kind = SymbolKind::Variable;
  Linkage linkage = Linkage::Internal;
  StateSpace space = StateSpace::None;
  ScalarType type = ScalarType::None;
  uint8_t vector = 1;
  bool unsized = false;  // extern .shared x[];
  bool managed = false;  // .attribute(.managed)
  bool is_joined = false; // .extern, and another module that is linked in defines it
  uint8_t const_bank = 0;
  NameId name = kNone;
  uint32_t alignment = 1; // bytes
  uint64_t size = 0;      // bytes, 0 when unsized
  std::vector<uint64_t> dimensions;
  std::vector<Initializer> initializers;
  bool has_initializer = false;
  // Parameters: .ptr attributes.
  bool is_pointer = false;
  StateSpace pointer_space = StateSpace::None;
  uint32_t pointer_alignment = 0;
  // Register parameters of functions (.reg .b32 a): the register that holds it.
  uint32_t parameter_register = kNone;
  uint32_t function = kNone; // Function: index of the body or prototype in Module::functions; locals: their function
  SymbolId aliasee = kNone;
  Offset offset = 0;
};

// .callprototype, .calltargets, .branchtargets
struct Table {
  enum class Kind : uint8_t { CallPrototype, CallTargets, BranchTargets } kind = Kind::CallPrototype;
  NameId name = kNone;
  std::vector<uint32_t> entries;   // targets: SymbolId of functions, or labels
  std::vector<Symbol> parameters;  // prototype: shapes (space, type, size, alignment)
  std::vector<Symbol> returns;
  bool noreturn = false;
};

struct Function {
  SymbolId symbol = kNone;
  bool is_entry = false;
  bool has_body = false;
  bool noreturn = false;
  std::vector<SymbolId> returns;
  std::vector<SymbolId> parameters;
  std::vector<SymbolId> locals; // .local/.shared/.global/.const/.param variables declared in the body (name may be shadowed elsewhere)
  std::vector<RegisterInfo> registers;
  std::vector<NameId> labels; // label numbers -> names
  std::vector<Table> tables;
  std::vector<Instruction> body;
  uint32_t max_threads[3] = {0, 0, 0};      // .maxntid
  uint32_t required_threads[3] = {0, 0, 0}; // .reqntid
  uint32_t min_blocks = 0;                  // .minnctapersm
  uint32_t max_registers = 0;               // .maxnreg
  uint32_t cluster[3] = {0, 0, 0};          // .reqnctapercluster
  std::vector<NameId> pragmas;
  Offset offset = 0;
  std::string error; // why this function cannot be translated although the module can (an instruction that is a "later" row)
};

struct SourceFile {
  uint32_t index = 0;
  std::string path;
};

struct DebugLabel { // of .section .debug_str
  NameId name = kNone;
  uint32_t offset = 0; // into Module::debug_strings
};

struct Location {
  uint32_t line = 1;
  uint32_t column = 1;
};

struct Module {
  std::string file_name; // for messages
  std::string_view text; // the caller keeps it alive
  uint32_t version = 0;  // major * 10 + minor
  uint32_t sm = 0;       // 75 for sm_75
  char sm_suffix = 0;    // 'a' or 'f'
  bool debug = false, texmode_independent = false, map_f64_to_f32 = false;
  uint32_t address_size = 64;

  std::vector<std::string_view> names;
  std::vector<std::shared_ptr<const std::string>> made_names; // names that stand nowhere in the text: x0, x1 … of x<8>
  std::vector<Symbol> symbols;
  std::vector<SymbolId> variables; // module scope, in order
  std::vector<Function> functions;
  std::vector<SourceFile> files;
  std::string debug_strings; // the bytes of .section .debug_str
  std::vector<DebugLabel> debug_labels;
  std::vector<Operand> operands;
  std::vector<Mod> modifiers;

  std::string_view name(NameId id) const { return id == kNone ? std::string_view{} : names[id]; }
  std::string_view name_of(SymbolId id) const { return name(symbols[id].name); }
  std::span<const Mod> modifiers_of(const Instruction& i) const { return {modifiers.data() + i.first_modifier, i.modifier_count}; }
  std::span<const Operand> operands_of(const Instruction& i) const { return {operands.data() + i.first_operand, i.operand_count}; }
  std::span<const Operand> elements_of(const Operand& list) const {
    return {operands.data() + list.index, static_cast<size_t>(list.value)};
  }
  bool has(const Instruction& i, Mod m) const {
    for (Mod each : modifiers_of(i))
      if (each == m) return true;
    return false;
  }
  // The n-th modifier that is a type: add.u32 has one, cvt.f32.s32 two (destination first).
  ScalarType type(const Instruction& i, unsigned n = 0) const;
  StateSpace space(const Instruction& i) const; // first modifier that is a state space
  Location location(Offset offset) const;
  std::string_view line_text(Offset offset) const;
};

} // namespace ptxshim::ptx
