// SPDX-License-Identifier: MIT
// Calls against what they call: the function itself, a .callprototype, or every function of a .calltargets list.
#include "syntax/check.h"

namespace ptxshim::ptx {
namespace {

uint64_t bytes_of(ScalarType type, uint8_t vector) { return std::max(bits_of(type) / 8, 1u) * uint64_t{vector}; }

} // namespace

std::string Checker::check_argument(const Function& function, const Operand& actual, const Symbol& formal, bool result) const {
  if (formal.unsized) return {};
  uint64_t size = 0;
  switch (actual.kind) {
  case OperandKind::Symbol: {
    const Symbol& symbol = module_.symbols[actual.index];
    if (symbol.space != StateSpace::Param) return name_of(function, actual) + " is no .param variable";
    size = symbol.size;
    break;
  }
  case OperandKind::Register: {
    const RegisterInfo& info = function.registers[actual.index];
    if ((info.type == ScalarType::Pred) != (formal.type == ScalarType::Pred)) return name_of(function, actual) + " has the wrong type";
    size = bytes_of(info.type, actual.component == kNoComponent ? info.vector : uint8_t{1});
    break;
  }
  case OperandKind::Sink:
    if (result) return {};
    return "'_' is no argument";
  case OperandKind::Integer:
  case OperandKind::WarpSize:
  case OperandKind::Float32:
  case OperandKind::Float64: {
    if (result) return "a result must be a register or a .param variable";
    const TypeKind kind = kind_of(formal.type);
    const bool is_float = actual.kind == OperandKind::Float32 || actual.kind == OperandKind::Float64;
    if (is_float != (kind == TypeKind::Float) && kind != TypeKind::Untyped) return name_of(function, actual) + " has the wrong type";
    if (!formal.dimensions.empty()) return "a constant for an array";
    return {};
  }
  case OperandKind::None:
  case OperandKind::SpecialRegister:
  case OperandKind::AddressRegister:
  case OperandKind::AddressSymbol:
  case OperandKind::AddressAbsolute:
  case OperandKind::Vector:
  case OperandKind::List:
  case OperandKind::Label:
  case OperandKind::Prototype:
  case OperandKind::AddressList: return name_of(function, actual) + " cannot be handed to a function";
  }
  if (size == formal.size) return {};
  return name_of(function, actual) + " has " + std::to_string(size) + " bytes, the callee's has " + std::to_string(formal.size);
}

std::string Checker::check_list(const Function& function, const Operand* list, const std::vector<const Symbol*>& formals, bool results) const {
  const std::span<const Operand> actuals = list ? module_.elements_of(*list) : std::span<const Operand>{};
  const bool open = !formals.empty() && formals.back()->unsized && !results;
  const bool count_fits = actuals.size() == formals.size() || (open && actuals.size() + 1 == formals.size());
  if (!count_fits) {
    return std::string(results ? "results" : "arguments") + ": " + std::to_string(formals.size()) + " expected, " +
           std::to_string(actuals.size()) + " given";
  }
  for (size_t i = 0; i < actuals.size(); ++i) {
    if (std::string message = check_argument(function, actuals[i], *formals[i], results); !message.empty()) {
      return (results ? "result " : "argument ") + std::to_string(i + 1) + ": " + message;
    }
  }
  return {};
}

std::string Checker::check_call(const Function& function, const Instruction& call) const {
  const Operand* results = nullptr;
  const Operand* arguments = nullptr;
  const Operand* callee = nullptr;
  const Operand* table = nullptr;
  for (const Operand& operand : module_.operands_of(call)) {
    if (operand.kind == OperandKind::List) (callee ? arguments : results) = &operand;
    else (callee ? table : callee) = &operand;
  }
  if (!callee) return "call: nothing is called";
  std::vector<const Symbol*> returns;
  std::vector<const Symbol*> parameters;
  const auto take_function = [&](SymbolId id) {
    returns.clear();
    parameters.clear();
    for (unsigned steps = 0; module_.symbols[id].kind == SymbolKind::Alias && steps < 8; ++steps) id = module_.symbols[id].aliasee;
    const uint32_t index = module_.symbols[id].function;
    if (module_.symbols[id].kind != SymbolKind::Function || index >= module_.functions.size()) return;
    for (const SymbolId each : module_.functions[index].returns) returns.push_back(&module_.symbols[each]);
    for (const SymbolId each : module_.functions[index].parameters) parameters.push_back(&module_.symbols[each]);
  };
  const auto compare = [&](std::string_view name) {
    std::string message = check_list(function, results, returns, true);
    if (message.empty()) message = check_list(function, arguments, parameters, false);
    if (!message.empty()) message = "call of " + (name.empty() ? std::string("a function") : "'" + std::string(name.substr(0, 200)) + "'") + ": " + message;
    return message;
  };
  if (callee->kind == OperandKind::Symbol) {
    const Symbol& symbol = module_.symbols[callee->index];
    if (symbol.kind == SymbolKind::Function && module_.functions[symbol.function].is_entry) return "call: a kernel cannot be called";
    take_function(callee->index);
    return compare(module_.name(symbol.name));
  }
  if (callee->kind == OperandKind::Label || callee->kind == OperandKind::Prototype) return "call: a label cannot be called";
  if (callee->kind != OperandKind::Register) return "call: what is called is a function or a register that holds its address";
  if (!table || table->kind != OperandKind::Prototype) return "call: a call through a register needs its .callprototype or .calltargets";
  const Table& known = function.tables[table->index];
  if (known.kind == Table::Kind::BranchTargets) return "call: .branchtargets is for brx.idx";
  if (known.kind == Table::Kind::CallTargets) {
    for (const uint32_t target : known.entries) {
      take_function(target);
      if (std::string message = compare(module_.name_of(target)); !message.empty()) return message;
    }
    return {};
  }
  for (const Symbol& each : known.returns) returns.push_back(&each);
  for (const Symbol& each : known.parameters) parameters.push_back(&each);
  return compare({});
}

} // namespace ptxshim::ptx
