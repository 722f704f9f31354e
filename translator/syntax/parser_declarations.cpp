// SPDX-License-Identifier: MIT
// Declarations of variables, parameters and registers: .space {.align n} {.vN} .type name{<n>}{[dims]} {= initialiser}, …;
#include <algorithm>
#include <bit>

#include "syntax/parser.h"

namespace ptxshim::ptx {
namespace {

constexpr uint64_t kLargestVariable = 1ull << 47; // more than any address space in use
constexpr size_t kMostDimensions = 32;
constexpr uint32_t kMostRepetitions = 1u << 20;

bool declarable(ScalarType type) {
  switch (kind_of(type)) {
  case TypeKind::Untyped:
  case TypeKind::Predicate:
  case TypeKind::Opaque: return true;
  case TypeKind::Unsigned: return type != ScalarType::U16x2;
  case TypeKind::Signed: return type != ScalarType::S16x2;
  case TypeKind::Float: return type != ScalarType::F32x2;
  case TypeKind::None:
  case TypeKind::BFloat:
  case TypeKind::Other: return false;
  }
  return false;
}

std::string quoted(std::string_view name) { return "'" + std::string(name.substr(0, 200)) + "'"; }

StateSpace space_of_directive(Directive directive) {
  if (directive == Directive::global || directive == Directive::tex) return StateSpace::Global;
  if (directive == Directive::const_) return StateSpace::Const;
  if (directive == Directive::shared) return StateSpace::Shared;
  if (directive == Directive::local) return StateSpace::Local;
  if (directive == Directive::param) return StateSpace::Param;
  if (directive == Directive::reg) return StateSpace::Reg;
  return StateSpace::None;
}

} // namespace

bool Parser::parse_alignment(uint32_t& alignment) {
  advance();
  const Offset offset = token_.begin;
  if (!parse_count(alignment, "an alignment")) return false;
  return (std::has_single_bit(alignment) && alignment <= (1u << 30)) || fail(offset, "an alignment is a power of two");
}

// .attribute(.managed, .unified(1, 2))
bool Parser::parse_attribute(bool* managed) {
  advance();
  if (!expect(Tok::LeftParen)) return false;
  for (;;) {
    if (at(Tok::DotWord) && !allowed(find_directive(token_.text))) return false;
    if (at_directive(Directive::managed)) {
      if (!managed) return fail(token_.begin, ".managed is an attribute of variables");
      *managed = true;
      advance();
    } else if (at_directive(Directive::unified)) {
      uint64_t id = 0;
      advance();
      if (!expect(Tok::LeftParen) || !parse_integer(id, "an identifier") || !expect(Tok::Comma) ||
          !parse_integer(id, "an identifier") || !expect(Tok::RightParen)) {
        return false;
      }
    } else if (at(Tok::DotWord)) {
      return fail_unknown(token_.begin, "unknown attribute " + describe(token_));
    } else {
      return fail_token("an attribute");
    }
    if (!accept(Tok::Comma)) return expect(Tok::RightParen);
  }
}

// .ptr {.space} {.align n}
bool Parser::parse_pointer(Declaration& head) {
  if (head.space != StateSpace::Param) return fail(token_.begin, ".ptr belongs to parameters");
  if (head.type == ScalarType::None) return fail(token_.begin, ".ptr stands behind the type");
  head.is_pointer = true;
  advance();
  for (; at(Tok::DotWord);) {
    const Directive word = find_directive(token_.text);
    const StateSpace space = space_of_directive(word);
    if (word == Directive::align) {
      if (!parse_alignment(head.pointer_alignment)) return false;
    } else if (space != StateSpace::None && space != StateSpace::Reg && space != StateSpace::Param) {
      head.pointer_space = space;
      advance();
    } else {
      break;
    }
  }
  return true;
}

bool Parser::parse_const_bank(Declaration& head) {
  uint32_t bank = 0;
  const Offset offset = token_.begin;
  advance();
  if (!parse_count(bank, "a constant bank") || !expect(Tok::RightBracket)) return false;
  if (bank > 10) return fail(offset, "constant banks are numbered 0 to 10");
  if (module_.version >= 22) return fail(offset, "numbered constant banks ended with PTX version 2.1");
  head.const_bank = static_cast<uint8_t>(bank);
  return true;
}

bool Parser::parse_declaration_word(Declaration& head, bool& done) {
  const Directive word = find_directive(token_.text);
  const Offset offset = token_.begin;
  if (!allowed(word)) return false;
  if (word == Directive::align) return parse_alignment(head.alignment);
  if (word == Directive::attribute) return parse_attribute(&head.managed);
  if (word == Directive::ptr) return parse_pointer(head);
  if (word == Directive::v2 || word == Directive::v4) {
    head.vector = word == Directive::v2 ? 2 : 4;
    advance();
    return true;
  }
  const ScalarType type = find_type(token_.text);
  if (type == ScalarType::None) {
    return fail_unknown(offset, "a type is expected, found " + describe(token_) + did_you_mean(type_words().nearest(token_.text), "."));
  }
  if (head.type != ScalarType::None) return fail(offset, "a second type " + describe(token_));
  if (!declarable(type)) return fail(offset, describe(token_) + " is a type of instructions, nothing can be declared with it");
  head.type = type;
  done = false;
  advance();
  return true;
}

bool Parser::parse_declaration_head(Declaration& head) {
  const Offset offset = token_.begin;
  const Directive space = find_directive(token_.text);
  head.space = space_of_directive(space);
  advance();
  if (space == Directive::const_ && at(Tok::LeftBracket) && !parse_const_bank(head)) return false;
  bool done = false;
  while (at(Tok::DotWord) && !done) {
    if (!parse_declaration_word(head, done)) return false;
  }
  if (head.type == ScalarType::None) return fail_token("a type");
  if (space == Directive::tex) {
    if (module_.version >= 15) return fail(offset, ".tex variables ended with PTX version 1.4: declare .global .texref");
    head.type = ScalarType::TexRef;
  }
  if (head.vector > 1 && (bits_of(head.type) * head.vector > 128 || head.type == ScalarType::Pred)) {
    return fail(offset, "a vector has at most 128 bits");
  }
  return true;
}

// <n> behind a name.
bool Parser::parse_repetition(uint32_t& count, bool& repeated) {
  repeated = at(Tok::Less);
  if (!repeated) return true;
  advance();
  return parse_count(count, "a number of names") && expect(Tok::Greater);
}

bool Parser::parse_dimensions(Symbol& symbol) {
  while (accept(Tok::LeftBracket)) {
    const Offset offset = token_.begin;
    uint64_t extent = 0;
    const bool open = at(Tok::RightBracket);
    if (open && !symbol.dimensions.empty()) return fail(offset, "only the first dimension may be left open");
    if (at(Tok::Identifier) && token_.text == "WARP_SZ") {
      extent = 32;
      advance();
    } else if (!open && !parse_integer(extent, "the size of an array")) {
      return false;
    }
    if (!open && extent == 0) return fail(offset, "an array of no elements");
    if (symbol.dimensions.size() >= kMostDimensions) return fail(offset, "too many dimensions");
    symbol.dimensions.push_back(extent);
    symbol.unsized = symbol.unsized || open;
    if (!expect(Tok::RightBracket)) return false;
  }
  return true;
}

// Size and alignment from type, vector and dimensions; 0 while the first dimension is open.
bool Parser::finish_size(Symbol& symbol, Offset offset) {
  const uint32_t element = std::max(bits_of(symbol.type) / 8, 1u) * symbol.vector;
  if (symbol.alignment == 0) symbol.alignment = element;
  uint64_t size = element;
  for (const uint64_t extent : symbol.dimensions) {
    if (extent != 0 && size > kLargestVariable / extent) {
      return fail(offset, quoted(module_.name(symbol.name)) + " is too large");
    }
    size *= symbol.unsized && extent == 0 ? 1 : extent;
  }
  symbol.size = symbol.unsized ? 0 : size;
  return true;
}

bool Parser::check_variable(const Symbol& symbol) {
  const std::string name = quoted(module_.name(symbol.name));
  const bool opaque = kind_of(symbol.type) == TypeKind::Opaque;
  if (symbol.type == ScalarType::Pred) return fail(symbol.offset, "a predicate lives in a register: " + name);
  if (opaque && symbol.space != StateSpace::Global) return fail(symbol.offset, "opaque variable " + name + " must be .global");
  if (symbol.unsized && symbol.linkage != Linkage::Extern) {
    return fail(symbol.offset, name + " has no size: only extern arrays and those with an initialiser may leave it open");
  }
  if (symbol.type == ScalarType::SamplerRef && !module_.texmode_independent) {
    return fail(symbol.offset, ".samplerref " + name + " needs .target texmode_independent");
  }
  if (opaque && function_ != kNone) return fail(symbol.offset, "opaque variable " + name + " must be at module scope");
  if (symbol.managed && symbol.space != StateSpace::Global) return fail(symbol.offset, "managed variable " + name + " must be .global");
  if (symbol.linkage == Linkage::Common && symbol.space != StateSpace::Global) return fail(symbol.offset, ".common is for .global variables");
  if (symbol.space == StateSpace::Local && function_ == kNone && module_.version >= 30) {
    return fail(symbol.offset, ".local variable " + name + " at module scope (PTX allowed that before version 3.0 only)");
  }
  if (!symbol.has_initializer) return true;
  if (symbol.space != StateSpace::Global && symbol.space != StateSpace::Const) {
    return fail(symbol.offset, name + ": only .global and .const variables can be initialised");
  }
  return symbol.linkage != Linkage::Extern || fail(symbol.offset, "extern variable " + name + " is initialised");
}

bool Parser::redeclare_variable(SymbolId id, Symbol&& symbol) {
  Symbol& before = module_.symbols[id];
  const std::string name = quoted(module_.name(symbol.name));
  const bool both_defined = before.linkage != Linkage::Extern && symbol.linkage != Linkage::Extern;
  if (before.linkage == Linkage::Extern && symbol.linkage == Linkage::Internal) {
    return fail(symbol.offset, name + " is extern: its definition must be .visible, .weak or .common");
  }
  if (before.kind != SymbolKind::Variable || function_ != kNone || both_defined) {
    return fail(symbol.offset, name + " is declared twice");
  }
  const bool same_size = before.size == symbol.size || before.unsized || symbol.unsized;
  if (before.space != symbol.space || before.type != symbol.type || before.vector != symbol.vector || !same_size) {
    return fail(symbol.offset, name + " is declared again with another type, size or state space");
  }
  if (symbol.linkage != Linkage::Extern) before = std::move(symbol);
  return true;
}

bool Parser::declare_variable(Symbol&& symbol) {
  if (!check_variable(symbol)) return false;
  if (const Binding* binding = scopes_.find(symbol.name); binding && binding->depth == scopes_.depth()) {
    if (binding->meaning == Meaning::Symbol) return redeclare_variable(binding->index, std::move(symbol));
  }
  const SymbolId id = static_cast<SymbolId>(module_.symbols.size());
  if (!bind_new(symbol.name, Meaning::Symbol, id, symbol.offset)) return false;
  symbol.function = function_;
  module_.symbols.push_back(std::move(symbol));
  if (function_ == kNone) module_.variables.push_back(id);
  else function().locals.push_back(id);
  return true;
}

// x<3> declares x0, x1, x2.
bool Parser::declare_repeated(const Symbol& symbol, uint32_t count) {
  if (count > kMostRepetitions || module_.made_names.size() + count > kMostRepetitions) return fail(symbol.offset, "too many variables");
  for (uint32_t i = 0; i < count; ++i) {
    module_.made_names.push_back(std::make_shared<const std::string>(std::string(module_.name(symbol.name)) + std::to_string(i)));
    Symbol each = symbol;
    each.name = intern(*module_.made_names.back());
    if (!declare_variable(std::move(each))) return false;
  }
  return true;
}

bool Parser::parse_variable(const Declaration& head) {
  Symbol symbol;
  symbol.space = head.space;
  symbol.type = head.type;
  symbol.vector = head.vector;
  symbol.linkage = head.linkage;
  symbol.managed = head.managed;
  symbol.const_bank = head.const_bank;
  symbol.alignment = head.alignment;
  uint32_t count = 0;
  bool repeated = false;
  if (!parse_name("the name of a variable", symbol.name, symbol.offset) || !parse_repetition(count, repeated)) return false;
  if (repeated && at(Tok::LeftBracket)) return fail(token_.begin, "arrays are declared one by one");
  if (!parse_dimensions(symbol) || !finish_size(symbol, symbol.offset)) return false;
  if (at(Tok::Equal)) {
    if (repeated) return fail(token_.begin, "an initialiser for several variables");
    if (!parse_initializer(symbol)) return false;
  }
  return repeated ? declare_repeated(symbol, count) : declare_variable(std::move(symbol));
}

bool Parser::parse_variables(Linkage linkage) {
  Declaration head;
  if (!parse_declaration_head(head)) return false;
  head.linkage = linkage;
  head.managed = head.managed || (managed_ && function_ == kNone);
  if (head.is_pointer) return fail(token_.begin, ".ptr belongs to the parameters of a function");
  do {
    if (!parse_variable(head)) return false;
  } while (accept(Tok::Comma));
  return expect(Tok::Semicolon);
}

bool Parser::parse_registers() {
  Declaration head;
  const Offset offset = token_.begin;
  if (!parse_declaration_head(head)) return false;
  if (kind_of(head.type) == TypeKind::Opaque) return fail(offset, "an opaque type has no registers");
  if (head.managed) return fail(offset, "registers have no attributes");
  do {
    if (!parse_register(head.type, head.vector)) return false;
  } while (accept(Tok::Comma));
  return expect(Tok::Semicolon);
}

bool Parser::parse_register(ScalarType type, uint8_t vector) {
  NameId name = kNone;
  Offset offset = 0;
  uint32_t count = 0;
  bool repeated = false;
  if (!parse_name("the name of a register", name, offset) || !parse_repetition(count, repeated)) return false;
  if (at(Tok::LeftBracket)) return fail(token_.begin, "registers come in no arrays");
  if (!repeated) {
    const uint32_t index = static_cast<uint32_t>(function().registers.size());
    if (!bind_new(name, Meaning::Register, index, offset)) return false;
    function().registers.push_back({type, vector, name, kNone});
    return true;
  }
  if (!bind_new(name, Meaning::Range, static_cast<uint32_t>(ranges_.size()), offset)) return false;
  const std::string_view text = module_.name(name);
  digit_prefix_ = digit_prefix_ || (text.back() >= '0' && text.back() <= '9');
  RegisterRange range;
  range.prefix = name;
  range.type = type;
  range.vector = vector;
  range.count = count;
  ranges_.push_back(std::move(range));
  return true;
}

// .param/.reg type {.ptr …} name{[n]}
bool Parser::parse_parameter(Symbol& symbol, bool in_prototype) {
  if (!at_directive(Directive::param) && !at_directive(Directive::reg)) return fail_token("a parameter (.param or .reg)");
  Declaration head;
  if (!parse_declaration_head(head)) return false;
  symbol.kind = SymbolKind::Parameter;
  symbol.space = head.space;
  symbol.type = head.type;
  symbol.vector = head.vector;
  symbol.alignment = head.alignment;
  symbol.is_pointer = head.is_pointer;
  symbol.pointer_space = head.pointer_space;
  symbol.pointer_alignment = head.pointer_alignment;
  symbol.offset = token_.begin;
  if (!in_prototype || at(Tok::Identifier)) {
    if (!parse_name("the name of a parameter", symbol.name, symbol.offset)) return false;
  }
  if (!parse_dimensions(symbol) || !finish_size(symbol, symbol.offset)) return false;
  if (symbol.type == ScalarType::Pred && symbol.space == StateSpace::Param) return fail(symbol.offset, "a predicate cannot be a .param");
  if (symbol.space == StateSpace::Reg && !symbol.dimensions.empty()) return fail(symbol.offset, "a register parameter is no array");
  return true;
}

} // namespace ptxshim::ptx
