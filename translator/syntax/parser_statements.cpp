// SPDX-License-Identifier: MIT
// What stands in a body apart from instructions: labels, declarations, tables of targets, call prototypes, .loc, .pragma.
#include "syntax/ops.h"
#include "syntax/parser.h"

namespace ptxshim::ptx {

bool Parser::parse_statement() {
  switch (token_.kind) {
  case Tok::Identifier:
    if (lexer_.peek() == ':') return parse_label_statement();
    return parse_instruction();
  case Tok::At: return parse_instruction();
  case Tok::DotWord: return parse_body_directive();
  case Tok::End:
  case Tok::Semicolon:
  case Tok::Invalid:
  case Tok::Integer:
  case Tok::Float32:
  case Tok::Float64:
  case Tok::String:
  case Tok::ShiftLeft:
  case Tok::ShiftRight:
  case Tok::LessEqual:
  case Tok::GreaterEqual:
  case Tok::EqualEqual:
  case Tok::NotEqual:
  case Tok::AndAnd:
  case Tok::OrOr:
  case Tok::AtAt:
  case Tok::LeftBrace:
  case Tok::RightBrace:
  case Tok::LeftParen:
  case Tok::RightParen:
  case Tok::LeftBracket:
  case Tok::RightBracket:
  case Tok::Comma:
  case Tok::Colon:
  case Tok::Question:
  case Tok::Plus:
  case Tok::Minus:
  case Tok::Star:
  case Tok::Slash:
  case Tok::Percent:
  case Tok::Less:
  case Tok::Greater:
  case Tok::Equal:
  case Tok::Exclamation:
  case Tok::Tilde:
  case Tok::Ampersand:
  case Tok::Pipe:
  case Tok::Caret: break;
  }
  return fail_token("an instruction");
}

bool Parser::parse_label_statement() {
  const NameId name = intern(token_.text);
  const Offset offset = token_.begin;
  advance();
  advance(); // the colon
  if (at(Tok::DotWord)) {
    const Directive word = find_directive(token_.text);
    if (word == Directive::branchtargets || word == Directive::calltargets || word == Directive::callprototype) {
      return parse_table(name, offset);
    }
  }
  const uint32_t label = static_cast<uint32_t>(function().labels.size());
  if (!bind_new(name, Meaning::Label, label, offset)) return false;
  function().labels.push_back(name);
  Instruction instruction;
  instruction.op = Op::kLabel;
  instruction.operand_count = 1;
  instruction.first_operand = static_cast<uint32_t>(module_.operands.size());
  instruction.first_modifier = static_cast<uint32_t>(module_.modifiers.size());
  instruction.offset = offset;
  Operand operand;
  operand.kind = OperandKind::Label;
  operand.index = label;
  module_.operands.push_back(operand);
  function().body.push_back(instruction);
  return true;
}

bool Parser::parse_body_directive() {
  const Offset offset = token_.begin;
  const Directive word = find_directive(token_.text);
  if (!allowed(word)) return false;
  switch (word) {
  case Directive::reg: return parse_registers();
  case Directive::global:
  case Directive::const_:
  case Directive::shared:
  case Directive::local:
  case Directive::param: return parse_variables(Linkage::Internal);
  case Directive::loc: return parse_loc();
  case Directive::pragma: return parse_pragma(&function().pragmas);
  case Directive::loc_intermediate: {
    uint32_t ignored = 0;
    advance();
    return parse_count(ignored, "a file number") && parse_count(ignored, "a line") && parse_count(ignored, "a column");
  }
  case Directive::branchtargets:
  case Directive::calltargets:
  case Directive::callprototype: return fail(offset, describe(token_) + " needs a label in front");
  case Directive::extern_:
  case Directive::visible:
  case Directive::weak:
  case Directive::common: return fail(offset, describe(token_) + " belongs to module scope");
  case Directive::file:
  case Directive::version:
  case Directive::target:
  case Directive::address_size:
  case Directive::entry:
  case Directive::func:
  case Directive::tex:
  case Directive::align:
  case Directive::attribute:
  case Directive::managed:
  case Directive::unified:
  case Directive::alias:
  case Directive::maxnreg:
  case Directive::maxntid:
  case Directive::reqntid:
  case Directive::minnctapersm:
  case Directive::maxnctapersm:
  case Directive::reqnctapercluster:
  case Directive::explicitcluster:
  case Directive::maxclusterrank:
  case Directive::blocksareclusters:
  case Directive::noreturn:
  case Directive::abi_preserve:
  case Directive::abi_preserve_control:
  case Directive::minperctamemory:
  case Directive::language:
  case Directive::section:
  case Directive::ptr:
  case Directive::v2:
  case Directive::v4: return fail(offset, describe(token_) + " has no meaning in a function body");
  case Directive::Unknown: break;
  }
  return fail_unknown(offset, "unknown directive " + describe(token_) + did_you_mean(directive_words().nearest(token_.text), "."));
}

bool Parser::parse_table(NameId name, Offset offset) {
  const Directive word = find_directive(token_.text);
  if (!allowed(word)) return false;
  const uint32_t index = static_cast<uint32_t>(function().tables.size());
  if (!bind_new(name, Meaning::Table, index, offset)) return false;
  Table table;
  table.name = name;
  if (word == Directive::callprototype) {
    if (!parse_prototype(table)) return false;
    function().tables.push_back(std::move(table));
    return expect(Tok::Semicolon);
  }
  table.kind = word == Directive::calltargets ? Table::Kind::CallTargets : Table::Kind::BranchTargets;
  function().tables.push_back(std::move(table));
  return parse_table_entries(index, word == Directive::calltargets) && expect(Tok::Semicolon);
}

bool Parser::parse_table_entries(uint32_t table, bool functions) {
  do {
    advance();
    NameId name = kNone;
    Offset offset = 0;
    if (!parse_name(functions ? "a function" : "a label", name, offset)) return false;
    const Binding* binding = scopes_.find(name);
    std::vector<uint32_t>& entries = function().tables[table].entries;
    if (functions) {
      const bool good = binding && binding->meaning == Meaning::Symbol && module_.symbols[binding->index].kind != SymbolKind::Variable;
      if (!good) return fail(offset, "'" + std::string(module_.name(name)) + "' is not a function" + near_name(module_.name(name)));
      entries.push_back(binding->index);
    } else {
      Pending pending;
      pending.place = Pending::Place::TableEntry;
      pending.name = name;
      pending.index = table;
      pending.entry = static_cast<uint32_t>(entries.size());
      pending.offset = offset;
      pending_.push_back(pending);
      entries.push_back(kNone);
    }
  } while (at(Tok::Comma));
  return true;
}

// label: .callprototype {(returns)} _ {(parameters)} {.noreturn} {.abi_preserve n}
bool Parser::parse_prototype(Table& table) {
  advance();
  if (at(Tok::LeftParen) && !parse_parameter_list(table.returns, true)) return false;
  if (!at(Tok::Identifier)) return fail_token("'_'");
  advance();
  if (at(Tok::LeftParen) && !parse_parameter_list(table.parameters, true)) return false;
  while (at(Tok::DotWord)) {
    const Directive word = find_directive(token_.text);
    uint32_t ignored = 0;
    if (!allowed(word)) return false;
    if (word == Directive::noreturn) {
      table.noreturn = true;
      advance();
    } else if (word == Directive::abi_preserve || word == Directive::abi_preserve_control) {
      advance();
      if (!parse_count(ignored, "a number of registers")) return false;
    } else {
      return fail_token("';'");
    }
  }
  return true;
}

// file line column
bool Parser::parse_position() {
  for (unsigned i = 0; i < 3; ++i) {
    uint32_t number = 0;
    if (!parse_count(number, "a position (file, line, column)")) return false;
    Operand operand;
    operand.kind = OperandKind::Integer;
    operand.value = number;
    module_.operands.push_back(operand);
  }
  return true;
}

// .loc file line column {, function_name label{+n}, inlined_at file line column}
bool Parser::parse_loc() {
  Instruction instruction;
  instruction.op = Op::kLoc;
  instruction.offset = token_.begin;
  instruction.operand_count = 3;
  instruction.first_modifier = static_cast<uint32_t>(module_.modifiers.size());
  instruction.first_operand = static_cast<uint32_t>(module_.operands.size());
  advance();
  if (!parse_position()) return false;
  if (accept(Tok::Comma)) {
    if (!at(Tok::Identifier) || token_.text != "function_name") return fail_token("'function_name'");
    advance();
    if (!at(Tok::Identifier) && !at(Tok::DotWord)) return fail_token("a label of .debug_str");
    Operand name;
    name.kind = OperandKind::Integer;
    name.index = intern(source_text(token_));
    uint32_t offset = 0;
    advance();
    if (accept(Tok::Plus) && !parse_count(offset, "an offset")) return false;
    name.value = offset;
    module_.operands.push_back(name);
    if (!expect(Tok::Comma)) return false;
    if (!at(Tok::Identifier) || token_.text != "inlined_at") return fail_token("'inlined_at'");
    advance();
    if (!parse_position()) return false;
    instruction.operand_count = 7;
  }
  function().body.push_back(instruction);
  return true;
}

} // namespace ptxshim::ptx
