// SPDX-License-Identifier: MIT
// Functions: header, directives behind it, body. Scopes of a body may nest up to Scopes::kDeepest.
#include "syntax/parser.h"

namespace ptxshim::ptx {
namespace {

constexpr uint64_t kLargestParameters = 32764; // bytes, of a kernel

std::string quoted(std::string_view name) { return "'" + std::string(name.substr(0, 200)) + "'"; }

} // namespace

bool Parser::parse_parameter_list(std::vector<Symbol>& parameters, bool in_prototype) {
  advance();
  if (accept(Tok::RightParen)) return true;
  do {
    if (!parameters.empty() && parameters.back().unsized) return fail(token_.begin, "only the last parameter may be without size");
    Symbol symbol;
    if (!parse_parameter(symbol, in_prototype)) return false;
    parameters.push_back(std::move(symbol));
  } while (accept(Tok::Comma));
  return expect(Tok::RightParen);
}

bool Parser::parse_function_header(Header& header) {
  if (at_directive(Directive::attribute)) {
    if (header.function.is_entry) return fail(token_.begin, ".attribute belongs to functions and variables, not to kernels");
    if (!parse_attribute(nullptr)) return false;
  }
  if (at(Tok::LeftParen)) {
    if (header.function.is_entry) return fail(token_.begin, "a kernel returns nothing");
    if (!parse_parameter_list(header.returns, false)) return false;
  }
  if (!parse_name("the name of a function", header.name, header.offset)) return false;
  if (at(Tok::LeftParen) && !parse_parameter_list(header.parameters, false)) return false;
  if (!header.function.is_entry) return check_function_header(header);
  uint64_t size = 0;
  for (const Symbol& parameter : header.parameters) {
    const std::string name = quoted(module_.name(parameter.name));
    if (parameter.space == StateSpace::Reg) return fail(parameter.offset, "parameter " + name + " of a kernel must be .param");
    if (parameter.unsized) return fail(parameter.offset, "parameter " + name + " of a kernel has no size");
    size = (size + parameter.alignment - 1) / parameter.alignment * parameter.alignment + parameter.size;
    if (size > kLargestParameters) return fail(parameter.offset, "the parameters of a kernel take at most 32764 bytes");
  }
  return true;
}

bool Parser::check_function_header(const Header& header) {
  if (header.linkage == Linkage::Common) return fail(header.offset, ".common is for .global variables");
  for (const std::vector<Symbol>* list : {&header.returns, &header.parameters})
    for (const Symbol& each : *list) {
      const std::string name = quoted(module_.name(each.name));
      if (module_.name(each.name) == "_") return fail(each.offset, "'_' is no name of a parameter, but in a .callprototype");
      if (each.is_pointer) return fail(each.offset, name + ": .ptr belongs to the parameters of kernels");
      const bool passed = each.space == StateSpace::Reg || (each.vector == 1 && kind_of(each.type) != TypeKind::Opaque);
      if (!passed) return fail(each.offset, name + ": a function takes neither vectors nor opaque types in .param");
    }
  const bool several = header.returns.size() > 1 && header.returns[0].space == StateSpace::Param;
  return !several || fail(header.offset, "several return values must be registers (.reg)");
}

// Directives that exclude each other, or what else stands there.
bool Parser::check_function_attributes(const Header& header) {
  const Function& now = header.function;
  if (now.max_threads[0] != 0 && now.required_threads[0] != 0) return fail(header.offset, ".maxntid and .reqntid exclude each other");
  if (now.cluster[0] != 0 && header.ranked) return fail(header.offset, ".reqnctapercluster and .maxclusterrank exclude each other");
  return !now.noreturn || header.returns.empty() || fail(header.offset, ".noreturn for a function with return values");
}

bool Parser::parse_triple(uint32_t (&values)[3]) {
  advance();
  values[0] = values[1] = values[2] = 1;
  for (unsigned i = 0; i < 3; ++i) {
    const Offset offset = token_.begin;
    if (!parse_count(values[i], "a size")) return false;
    if (values[i] == 0) return fail(offset, "a size of zero");
    if (!at(Tok::Comma)) return true;
    if (i < 2) advance();
  }
  return fail(token_.begin, "at most three sizes");
}

bool Parser::parse_function_attribute(Header& header, Directive directive, bool& known) {
  Function& now = header.function;
  uint32_t ignored = 0;
  const auto count = [&](uint32_t& value) {
    advance();
    const Offset offset = token_.begin;
    return parse_count(value, "a number") && (value != 0 || fail(offset, "a positive number is expected"));
  };
  if (!allowed(directive)) return false;
  const bool of_functions = directive == Directive::abi_preserve || directive == Directive::abi_preserve_control || directive == Directive::noreturn;
  const bool of_both = directive == Directive::pragma || directive == Directive::language || directive == Directive::Unknown;
  if (!of_functions && !of_both && !now.is_entry) return fail(token_.begin, describe(token_) + " belongs to kernels");
  if (of_functions && now.is_entry) return fail(token_.begin, describe(token_) + " belongs to functions, not to kernels");
  header.ranked = header.ranked || directive == Directive::maxclusterrank;
  if (directive == Directive::maxntid) return parse_triple(now.max_threads);
  if (directive == Directive::reqntid) return parse_triple(now.required_threads);
  if (directive == Directive::reqnctapercluster) return parse_triple(now.cluster);
  if (directive == Directive::minnctapersm) return count(now.min_blocks);
  if (directive == Directive::maxnreg) return count(now.max_registers);
  if (directive == Directive::pragma) return parse_pragma(&now.pragmas);
  if (directive == Directive::maxnctapersm && module_.version >= 21) {
    return fail(token_.begin, ".maxnctapersm ended with PTX version 2.0: use .minnctapersm");
  }
  if (directive == Directive::maxclusterrank || directive == Directive::abi_preserve || directive == Directive::abi_preserve_control ||
      directive == Directive::minperctamemory || directive == Directive::maxnctapersm) {
    return count(ignored);
  }
  if (directive == Directive::noreturn) {
    now.noreturn = true;
    advance();
    return true;
  }
  if (directive == Directive::explicitcluster || directive == Directive::blocksareclusters) {
    advance();
    return true;
  }
  if (directive == Directive::language) {
    do {
      advance();
      if (!at(Tok::String) && !at(Tok::Integer)) return fail_token("a language");
      advance();
    } while (at(Tok::Comma));
    return true;
  }
  known = false;
  return true;
}

bool Parser::parse_function_attributes(Header& header) {
  while (at(Tok::DotWord)) {
    bool known = true;
    if (!parse_function_attribute(header, find_directive(token_.text), known)) return false;
    if (!known) {
      return fail_unknown(token_.begin,
                          "unknown directive " + describe(token_) + " behind the head of a function" +
                              did_you_mean(directive_words().nearest(token_.text), "."));
    }
  }
  return true;
}

bool Parser::compatible(const std::vector<SymbolId>& before, const std::vector<Symbol>& now) const {
  if (before.size() != now.size()) return false;
  for (size_t i = 0; i < now.size(); ++i) {
    const Symbol& old = module_.symbols[before[i]];
    if (old.space != now[i].space || old.size != now[i].size || old.unsized != now[i].unsized || old.type != now[i].type) return false;
    if (old.alignment != now[i].alignment) return false;
  }
  return true;
}

bool Parser::redeclare_function(Header& header, SymbolId id, bool has_body) {
  Symbol& symbol = module_.symbols[id];
  const std::string name = quoted(module_.name(header.name));
  if (symbol.kind != SymbolKind::Function) return fail(header.offset, name + " is declared twice");
  Function& before = module_.functions[symbol.function];
  if (before.has_body && has_body) return fail(header.offset, "function " + name + " has two bodies");
  if (before.has_body) return fail(header.offset, "function " + name + " is declared again behind its body");
  if (symbol.linkage != header.linkage && (header.linkage != Linkage::Internal || symbol.linkage == Linkage::Extern)) {
    return fail(header.offset, "function " + name + " is declared again with another linkage");
  }
  if (before.is_entry != header.function.is_entry || !compatible(before.returns, header.returns) ||
      !compatible(before.parameters, header.parameters)) {
    return fail(header.offset, "function " + name + " is declared again with other parameters or return values");
  }
  function_ = symbol.function;
  if (!has_body) return true; // the first declaration stays
  if (symbol.linkage == Linkage::Extern || header.linkage != Linkage::Internal) symbol.linkage = header.linkage;
  symbol.offset = header.offset;
  header.function.symbol = id;
  header.function.noreturn = header.function.noreturn || before.noreturn;
  before = std::move(header.function);
  return true;
}

bool Parser::declare_function(Header& header, bool has_body) {
  header.function.offset = header.offset;
  header.function.has_body = has_body;
  if (const Binding* binding = scopes_.find(header.name); binding) {
    if (binding->meaning != Meaning::Symbol) return fail(header.offset, quoted(module_.name(header.name)) + " is declared twice");
    return redeclare_function(header, binding->index, has_body);
  }
  const SymbolId id = static_cast<SymbolId>(module_.symbols.size());
  if (!bind_new(header.name, Meaning::Symbol, id, header.offset)) return false;
  function_ = static_cast<uint32_t>(module_.functions.size());
  Symbol symbol;
  symbol.kind = SymbolKind::Function;
  symbol.linkage = header.linkage;
  symbol.name = header.name;
  symbol.function = function_;
  symbol.offset = header.offset;
  module_.symbols.push_back(std::move(symbol));
  header.function.symbol = id;
  module_.functions.push_back(std::move(header.function));
  return true;
}

bool Parser::add_parameters(std::vector<Symbol>& list, std::vector<SymbolId>& ids) {
  for (Symbol& parameter : list) {
    const SymbolId id = static_cast<SymbolId>(module_.symbols.size());
    parameter.function = function_;
    const bool named = module_.name(parameter.name) != "_";
    if (parameter.space == StateSpace::Reg) {
      parameter.parameter_register = static_cast<uint32_t>(function().registers.size());
      function().registers.push_back({parameter.type, parameter.vector, parameter.name, kNone});
      if (named && !bind_new(parameter.name, Meaning::Register, parameter.parameter_register, parameter.offset)) return false;
    } else if (named && !bind_new(parameter.name, Meaning::Symbol, id, parameter.offset)) {
      return false;
    }
    ids.push_back(id);
    module_.symbols.push_back(std::move(parameter));
  }
  return true;
}

bool Parser::parse_function(Linkage linkage, bool is_entry) {
  Header header;
  header.linkage = linkage;
  header.function.is_entry = is_entry;
  if (!parse_function_header(header) || !parse_function_attributes(header) || !check_function_attributes(header)) return false;
  const bool has_body = at(Tok::LeftBrace);
  if (has_body && linkage == Linkage::Extern) return fail(header.offset, "a body for the extern function " + quoted(module_.name(header.name)));
  if (!has_body && !at(Tok::Semicolon)) return fail_token("'{' or ';'");
  const size_t known = module_.functions.size();
  if (!declare_function(header, has_body)) {
    function_ = kNone;
    return false;
  }
  const bool fresh = has_body || module_.functions.size() > known;
  errors_before_ = errors_;
  open_scope();
  std::vector<SymbolId> returns;
  std::vector<SymbolId> parameters;
  bool good = true;
  if (fresh) {
    good = add_parameters(header.returns, returns) && add_parameters(header.parameters, parameters);
    function().returns = std::move(returns);
    function().parameters = std::move(parameters);
  }
  if (good) good = has_body ? parse_body() : accept(Tok::Semicolon);
  if (!open_.empty()) {
    while (open_.size() > 1) close_scope();
    close_scope();
  }
  finish_function();
  return good;
}

void Parser::open_scope() {
  open_.push_back({pending_.size(), token_.begin});
  scopes_.open();
}

// References that this scope's labels answer are settled; the others go to the scope around it.
void Parser::close_scope() {
  const size_t first = open_.back().first_pending;
  size_t kept = first;
  for (size_t i = first; i < pending_.size(); ++i) {
    const Pending& pending = pending_[i];
    const Binding* binding = scopes_.find(pending.name);
    const bool here = binding && binding->depth == scopes_.depth() &&
                      (binding->meaning == Meaning::Label || binding->meaning == Meaning::Table);
    if (!here) {
      pending_[kept++] = pending;
    } else if (pending.place == Pending::Place::TableEntry) {
      function().tables[pending.index].entries[pending.entry] = binding->index;
    } else {
      Operand& operand = module_.operands[pending.index];
      operand.kind = binding->meaning == Meaning::Label ? OperandKind::Label : OperandKind::Prototype;
      operand.index = binding->index;
    }
  }
  pending_.resize(kept);
  scopes_.close();
  open_.pop_back();
}

std::string Parser::near_label(std::string_view text) {
  constexpr size_t kMostTried = 5000;
  std::vector<std::string_view> labels;
  for (size_t i = 0; i < function().labels.size() && i < kMostTried; ++i) labels.push_back(module_.name(function().labels[i]));
  return did_you_mean(WordTable(labels.data(), labels.size()).nearest(text));
}

void Parser::finish_function() {
  for (const Pending& pending : pending_) {
    if (stopped()) break;
    std::string near = near_name(module_.name(pending.name));
    if (near.empty()) near = near_label(module_.name(pending.name));
    fail(pending.offset, quoted(module_.name(pending.name)) + " is neither a label of this function nor declared" + near);
  }
  const bool whole = pending_.empty() && errors_ == errors_before_;
  pending_.clear();
  if (whole) {
    for (const uint32_t index : calls_) {
      const Instruction& call = function().body[index];
      if (std::string message = checker_.check_call(function(), call); !message.empty()) fail(call.offset, std::move(message));
    }
  }
  calls_.clear();
  ranges_.clear();
  function_ = kNone;
}

bool Parser::parse_body() {
  const Offset start = token_.begin;
  const size_t outermost = open_.size();
  advance();
  while (!stopped()) {
    if (at(Tok::RightBrace)) {
      advance();
      if (open_.size() == outermost) return true;
      close_scope();
    } else if (at(Tok::LeftBrace)) {
      if (open_.size() >= Scopes::kDeepest) return fail(token_.begin, "scopes that are nested too deeply");
      open_scope();
      advance();
    } else if (at(Tok::End)) {
      return fail(start, "a body that is never closed");
    } else if (!parse_statement()) {
      recover_statement();
    }
  }
  return false;
}

} // namespace ptxshim::ptx
