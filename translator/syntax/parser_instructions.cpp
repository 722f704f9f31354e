// SPDX-License-Identifier: MIT
// Instructions and their operands. Every operand is read the same way, whatever the instruction: an instruction that is not
// translated yet is parsed all the same, and fails its own function only.
#include "syntax/ops.h"
#include "syntax/parser.h"

namespace ptxshim::ptx {
namespace {

constexpr unsigned kDeepestOperand = 8;
constexpr size_t kMostOperands = 100;
constexpr size_t kMostModifiers = 64;

// The video instructions, which stand together in ops.def.
bool takes_selectors(Op op) { return op >= Op::vadd && op <= Op::vset4; }
bool takes_labels(Op op) { return op == Op::bra || op == Op::brx || op == Op::call; }

unsigned component_index(std::string_view word) {
  if (word.size() != 1) return kNoComponent;
  switch (word[0]) {
  case 'x':
  case 'r': return 0;
  case 'y':
  case 'g': return 1;
  case 'z':
  case 'b': return 2;
  case 'w':
  case 'a': return 3;
  default: return kNoComponent;
  }
}

// The part of a register that a video instruction takes: .b2, .h1, .b3210.
bool is_selector(std::string_view word) {
  if (word.size() < 2 || word.size() > 5 || (word[0] != 'b' && word[0] != 'h')) return false;
  for (const char c : word.substr(1))
    if (c < '0' || c > '7') return false;
  return true;
}

std::string quoted(std::string_view name) { return "'" + std::string(name.substr(0, 200)) + "'"; }

} // namespace

// For offsets that only grow: the text is walked once.
std::string Parser::place(Offset offset) {
  for (; line_offset_ < offset; ++line_offset_) {
    if (module_.text[line_offset_] != '\n') continue;
    ++line_;
    line_start_ = line_offset_ + 1;
  }
  return module_.file_name + ":" + std::to_string(line_) + ":" + std::to_string(offset - line_start_ + 1);
}

void Parser::not_supported(Offset offset, std::string what) {
  if (function().error.empty()) function().error = place(offset) + ": error: " + what + " is not supported yet";
}

bool Parser::parse_guard(Instruction& instruction) {
  advance();
  instruction.guard_negated = accept(Tok::Exclamation);
  if (!at(Tok::Identifier)) return fail_token("a predicate register");
  Operand operand;
  const Offset offset = token_.begin;
  const std::string name = quoted(token_.text);
  if (!resolve(token_.text, operand) || !parse_component(operand)) return false;
  if (operand.kind != OperandKind::Register || function().registers[operand.index].type != ScalarType::Pred) {
    return fail(offset, name + " is no predicate register");
  }
  instruction.guard = operand.index;
  advance();
  return true;
}

bool Parser::parse_modifiers(Instruction& instruction) {
  std::string_view word;
  instruction.first_modifier = static_cast<uint32_t>(module_.modifiers.size());
  while (lexer_.modifier(word)) {
    const Mod modifier = find_modifier(word);
    if (modifier == Mod::kInvalid) {
      const Offset offset = static_cast<Offset>(word.data() - module_.text.data()) - 1;
      return fail_unknown(offset, "unknown modifier '." + std::string(word.substr(0, 80)) + "' of " + std::string(spelling(op_)) +
                                      did_you_mean(modifier_words().nearest(word), "."));
    }
    if (instruction.modifier_count >= kMostModifiers) return fail(instruction.offset, "too many modifiers");
    module_.modifiers.push_back(modifier);
    ++instruction.modifier_count;
  }
  return true;
}

bool Parser::parse_instruction() {
  Instruction instruction;
  instruction.offset = token_.begin;
  stack_.clear();
  has_pending_ = false;
  takes_labels_ = false;
  if (at(Tok::At) && !parse_guard(instruction)) return false;
  if (!at(Tok::Identifier)) return fail_token("an instruction");
  op_ = find_op(token_.text);
  if (op_ == Op::kInvalid) {
    return fail_unknown(token_.begin, "unknown instruction " + describe(token_) + did_you_mean(op_words().nearest(token_.text)));
  }
  instruction.op = op_;
  takes_labels_ = takes_labels(op_);
  if (!parse_modifiers(instruction)) return false;
  spreads_ = op_ == Op::mov && (module_.has(instruction, Mod::v2) || module_.has(instruction, Mod::v4));
  advance();
  if (!at(Tok::Semicolon) && !parse_operands(instruction)) return false;
  if (!at(Tok::Semicolon)) return fail_token("';'");
  finish_instruction(instruction);
  advance();
  return true;
}

bool Parser::parse_operands(Instruction& instruction) {
  for (;;) {
    Operand operand;
    if (!parse_operand(operand, 0)) return false;
    operand.paired = at(Tok::Pipe);
    stack_.push_back(operand);
    if (stack_.size() > kMostOperands) return fail(instruction.offset, "too many operands");
    if (!at(Tok::Comma) && !at(Tok::Pipe)) return true;
    advance();
  }
}

void Parser::finish_instruction(Instruction& instruction) {
  const Offset offset = instruction.offset;
  instruction.operand_count = static_cast<uint8_t>(stack_.size());
  instruction.first_operand = static_cast<uint32_t>(module_.operands.size());
  const size_t pending_before = pending_.size();
  if (has_pending_) {
    for (size_t i = 0; i < stack_.size(); ++i) {
      Operand& operand = stack_[i];
      if (operand.kind != OperandKind::Label || operand.value == 0) continue;
      Pending pending;
      pending.name = operand.index;
      pending.index = instruction.first_operand + static_cast<uint32_t>(i);
      pending.offset = static_cast<Offset>(operand.value - 1);
      operand.value = 0;
      pending_.push_back(pending);
    }
  }
  module_.operands.insert(module_.operands.end(), stack_.begin(), stack_.end());
  std::string message;
  Offset where = offset;
  const Verdict verdict = checker_.check(function(), instruction, message, where);
  if (verdict == Verdict::NotYet) {
    not_supported(offset, std::move(message));
  } else if (verdict != Verdict::Right) {
    pending_.resize(pending_before);
    if (verdict == Verdict::Newer) fail_unknown(where, std::move(message));
    else fail(where, std::move(message));
    return;
  }
  if (op_ == Op::call) calls_.push_back(static_cast<uint32_t>(function().body.size()));
  function().body.push_back(instruction);
}

bool Parser::parse_operand(Operand& operand, unsigned nesting) {
  if (at(Tok::Identifier)) return parse_name_operand(operand);
  if (nesting > kDeepestOperand) return fail(token_.begin, "operands that are nested too deeply");
  if (at(Tok::LeftBracket)) return parse_address(operand, nesting);
  if (at(Tok::LeftBrace)) return parse_list(operand, OperandKind::Vector, Tok::RightBrace, nesting);
  if (at(Tok::LeftParen) && op_ == Op::call) return parse_list(operand, OperandKind::List, Tok::RightParen, nesting);
  if ((at(Tok::Exclamation) || at(Tok::Minus)) && Lexer::name_character(lexer_.peek()) && !(lexer_.peek() >= '0' && lexer_.peek() <= '9')) {
    return parse_negated_operand(operand);
  }
  if ((at(Tok::Exclamation) || at(Tok::Minus)) && lexer_.peek() == '%') return parse_negated_operand(operand);
  return parse_constant_operand(operand);
}

bool Parser::parse_constant_operand(Operand& operand) {
  Constant constant;
  if (!parse_constant(constant)) return false;
  switch (constant.kind) {
  case Constant::Kind::Integer: operand.kind = OperandKind::Integer; break;
  case Constant::Kind::Float32: operand.kind = OperandKind::Float32; break;
  case Constant::Kind::Float64: operand.kind = OperandKind::Float64; break;
  }
  operand.value = static_cast<int64_t>(constant.bits);
  return true;
}

bool Parser::parse_negated_operand(Operand& operand) {
  const Token sign = token_;
  advance();
  if (at(Tok::Identifier) && token_.text == "WARP_SZ") {
    if (!parse_constant_operand(operand)) return false;
    operand.value = sign.kind == Tok::Minus ? -operand.value : static_cast<int64_t>(operand.value == 0);
    return true;
  }
  const Offset offset = token_.begin;
  if (!at(Tok::Identifier) || !parse_name_operand(operand)) return fail_token("a register");
  if (operand.kind != OperandKind::Register) return fail(offset, "only a register can be negated");
  const bool predicate = function().registers[operand.index].type == ScalarType::Pred;
  if (!predicate && !takes_selectors(op_)) return fail(sign.begin, "only instructions of the video kind negate an operand");
  if (predicate != (sign.kind == Tok::Exclamation)) {
    return fail(sign.begin, predicate ? "a predicate is negated with '!'" : "'!' negates predicates only");
  }
  operand.negated = true;
  return true;
}

void Parser::take_elements(Operand& operand, size_t mark) {
  operand.index = static_cast<uint32_t>(module_.operands.size());
  operand.value = static_cast<int64_t>(stack_.size() - mark);
  module_.operands.insert(module_.operands.end(), stack_.begin() + static_cast<std::ptrdiff_t>(mark), stack_.end());
  stack_.resize(mark);
}

// {a, b} or (a, b)
bool Parser::parse_list(Operand& operand, OperandKind kind, Tok close, unsigned nesting) {
  const size_t mark = stack_.size();
  operand.kind = kind;
  advance();
  if (!at(close)) {
    for (;;) {
      Operand element;
      if (!parse_operand(element, nesting + 1)) return false;
      if (element.kind == OperandKind::Label) return fail(token_.begin, "a label has no place in a list");
      stack_.push_back(element);
      if (!accept(Tok::Comma)) break;
    }
  }
  if (!expect(close)) return false;
  take_elements(operand, mark);
  return true;
}

bool Parser::parse_address_base(Operand& operand) {
  const Offset offset = token_.begin;
  if (!at(Tok::Identifier) || token_.text == "WARP_SZ") {
    operand.kind = OperandKind::AddressAbsolute;
    return parse_constant_integer(operand.value);
  }
  if (!resolve(token_.text, operand) || !parse_component(operand)) return false;
  if (operand.kind == OperandKind::Register) operand.kind = OperandKind::AddressRegister;
  else if (operand.kind == OperandKind::Symbol) operand.kind = OperandKind::AddressSymbol;
  else return fail(offset, quoted(token_.text) + " is no address");
  advance();
  return true;
}

// +n behind the base of an address
bool Parser::parse_offset(Operand& operand) {
  if (at(Tok::Minus)) return fail(token_.begin, "a negative offset is written '+-n'");
  if (!accept(Tok::Plus)) return true;
  int64_t offset = 0;
  if (!parse_constant_integer(offset)) return false;
  operand.value = static_cast<int64_t>(static_cast<uint64_t>(operand.value) + static_cast<uint64_t>(offset));
  return true;
}

// [base+n], or [base, {x, y}, …] of textures and the like
bool Parser::parse_address(Operand& operand, unsigned nesting) {
  advance();
  if (!parse_address_base(operand) || !parse_offset(operand)) return false;
  if (accept(Tok::RightBracket)) {
    if (at(Tok::DotWord) && token_.text == "unified") advance(); // a hint: the address is in unified memory
    return true;
  }
  if (!at(Tok::Comma)) return fail_token("']'");
  const size_t mark = stack_.size();
  stack_.push_back(operand);
  operand = Operand();
  operand.kind = OperandKind::AddressList;
  while (accept(Tok::Comma)) {
    Operand element;
    if (!parse_operand(element, nesting + 1)) return false;
    stack_.push_back(element);
  }
  if (!expect(Tok::RightBracket)) return false;
  take_elements(operand, mark);
  return true;
}

void Parser::add_instruction(Op op, std::initializer_list<Mod> modifiers, std::initializer_list<Operand> operands) {
  Instruction added;
  added.op = op;
  added.offset = token_.begin;
  added.first_modifier = static_cast<uint32_t>(module_.modifiers.size());
  added.modifier_count = static_cast<uint8_t>(modifiers.size());
  added.first_operand = static_cast<uint32_t>(module_.operands.size());
  added.operand_count = static_cast<uint8_t>(operands.size());
  module_.modifiers.insert(module_.modifiers.end(), modifiers);
  module_.operands.insert(module_.operands.end(), operands);
  std::string message;
  Offset where = added.offset;
  const Verdict verdict = checker_.check(function(), added, message, where);
  if (verdict == Verdict::NotYet) not_supported(added.offset, std::move(message));
  else if (verdict != Verdict::Right) fail(added.offset, std::move(message));
  function().body.push_back(added);
}

// array[3]: the address of element 3 (of scalars, whatever the vector length and the dimensions).
bool Parser::parse_index(Operand& operand) {
  const Symbol& symbol = module_.symbols[operand.index];
  if (symbol.dimensions.empty()) return fail(token_.begin, quoted(module_.name(symbol.name)) + " is no array");
  const int64_t stride = std::max(bits_of(symbol.type) / 8, 1u);
  advance();
  Operand index;
  if (at(Tok::Identifier) && token_.text != "WARP_SZ") {
    if (!parse_address_base(index)) return false;
    if (index.kind != OperandKind::AddressRegister) return fail(token_.begin, "an array is indexed by a constant or a register");
    if (!parse_offset(index) || !index_by_register(operand, index, stride)) return false;
  } else if (!parse_constant_integer(index.value)) {
    return false;
  }
  if (op_ != Op::mov && operand.kind == OperandKind::Symbol) operand.kind = OperandKind::AddressSymbol;
  operand.value = static_cast<int64_t>(static_cast<uint64_t>(index.value) * static_cast<uint64_t>(stride));
  return expect(Tok::RightBracket);
}

// array[%r]: instructions in front of this one work out the address in a register of our own; the index is unsigned.
bool Parser::index_by_register(Operand& operand, const Operand& index, int64_t stride) {
  const bool wide = module_.address_size == 64;
  const Mod type = wide ? Mod::u64 : Mod::u32;
  const auto make_register = [&] {
    Operand made;
    made.kind = OperandKind::Register;
    made.index = static_cast<uint32_t>(function().registers.size());
    function().registers.push_back({wide ? ScalarType::B64 : ScalarType::B32, 1, intern("%element"), kNone});
    return made;
  };
  Operand element = index;
  element.kind = OperandKind::Register;
  element.value = 0;
  const uint32_t bits = bits_of(function().registers[index.index].type);
  if (bits != module_.address_size) {
    const Operand converted = make_register();
    add_instruction(Op::cvt, {type, bits == 16 ? Mod::u16 : bits == 32 ? Mod::u32 : Mod::u64}, {converted, element});
    element = converted;
  }
  const Operand address = make_register();
  Operand size;
  size.kind = OperandKind::Integer;
  size.value = stride;
  add_instruction(Op::mov, {type}, {address, operand});
  add_instruction(Op::mad, {Mod::lo, type}, {address, element, size, address});
  operand = address;
  if (op_ != Op::mov) operand.kind = OperandKind::AddressRegister;
  return true;
}

// mov.v4.u32 {%r1, %r2, %r3, %r4}, %tid: as {%tid.x, %tid.y, %tid.z, %tid.w}
void Parser::spread_special(Operand& operand) {
  const size_t mark = stack_.size();
  for (uint8_t component = 0; component < special_register(operand.index).components; ++component) {
    Operand element = operand;
    element.component = component;
    stack_.push_back(element);
  }
  operand = Operand();
  operand.kind = OperandKind::Vector;
  take_elements(operand, mark);
}

bool Parser::parse_component(Operand& operand) {
  std::string_view word;
  const bool written = lexer_.component(word);
  unsigned width = 1;
  if (operand.kind == OperandKind::Register) width = function().registers[operand.index].vector;
  if (operand.kind == OperandKind::SpecialRegister) width = special_register(operand.index).components;
  if (!written) return true;
  if (width == 1 && is_selector(word) && takes_selectors(op_)) {
    operand.component = kSelector;
    for (size_t i = word.size(); i > 0; --i) operand.value = operand.value << 8 | static_cast<unsigned char>(word[i - 1]);
    return true;
  }
  const unsigned component = component_index(word);
  if (width == 1 || component >= width) {
    return fail(token_.begin, "'" + std::string(token_.text.substr(0, 80)) + "' has no component '." + std::string(word.substr(0, 40)) + "'");
  }
  operand.component = static_cast<uint8_t>(component);
  return true;
}

bool Parser::parse_name_operand(Operand& operand) {
  if (token_.text.size() == 1 && token_.text[0] == '_') {
    operand.kind = OperandKind::Sink;
    advance();
    return true;
  }
  if (!resolve(token_.text, operand)) return false;
  if (operand.kind == OperandKind::WarpSize) {
    const char next = lexer_.peek();
    if (next != ',' && next != ';' && next != '}' && next != ')' && next != ']') return parse_constant_operand(operand);
    advance();
    return true;
  }
  if (!parse_component(operand)) return false;
  advance();
  if (spreads_ && operand.kind == OperandKind::SpecialRegister && operand.component == kNoComponent) spread_special(operand);
  if (operand.kind != OperandKind::Symbol) return true;
  if (at(Tok::LeftBracket)) return parse_index(operand);
  return parse_offset(operand);
}

} // namespace ptxshim::ptx
