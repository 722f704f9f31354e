// SPDX-License-Identifier: MIT
// call (results), callee, (arguments), prototype. The callee is a function's name, or a register that holds
// its address; then the shapes come from a .callprototype or from the first of the .calltargets. See
// lower/abi.h for how values travel.
#include "lower/function.h"
#include "ops/op.h"

namespace ptxshim::ptx {

namespace call_detail {

struct Parts {
  std::span<const Operand> results, arguments;
  const Operand* callee = nullptr;
  const Table* table = nullptr;
};

static bool is_list(const Operand& operand) {
  return operand.kind == OperandKind::List || operand.kind == OperandKind::Vector;
}

static Parts parts_of(Emitter& e) {
  Parts parts;
  for (unsigned n = 0; n < e.operand_count(); ++n) {
    const Operand& operand = e.operand(n);
    if (operand.kind == OperandKind::Prototype) {
      if (operand.index < e.function.source.tables.size())
        parts.table = &e.function.source.tables[operand.index];
    } else if (is_list(operand)) {
      (parts.callee ? parts.arguments : parts.results) = e.elements(n);
    } else if (!parts.callee) {
      parts.callee = &operand;
    }
  }
  return parts;
}

static Value* argument_value(Emitter& e, const Operand& given, const Symbol& shape) {
  llvm::Type* type = abi_type(e.ir.getContext(), shape);
  if (given.kind == OperandKind::Symbol) {
    Value* memory = e.function.symbol_address(given.index);
    if (memory && memory->getType()->getPointerAddressSpace() == kPrivate)
      return passed_by_pointer(shape) ? memory : e.ir.CreateLoad(type, memory);
  }
  if (passed_by_pointer(shape)) return nullptr;
  const ScalarType as = shape.type == ScalarType::Pred ? ScalarType::Pred
                        : bits_of(shape.type) == 8     ? ScalarType::B8
                        : bits_of(shape.type) == 16    ? ScalarType::B16
                        : bits_of(shape.type) == 32    ? ScalarType::B32
                        : bits_of(shape.type) == 64    ? ScalarType::B64
                                                       : ScalarType::B128;
  // A float literal needs the parameter's own type to be converted to.
  return e.reinterpret(e.read(given, kind_of(shape.type) == TypeKind::Float ? shape.type : as), type);
}

static void take_result(Emitter& e, const Operand& place, Value* value) {
  if (place.kind != OperandKind::Symbol) {
    e.write(place, value);
    return;
  }
  if (Value* memory = e.function.symbol_address(place.index)) e.ir.CreateStore(value, memory);
}

static Result<Signature> signature(Emitter& e, const Parts& parts) {
  const Module& module = e.module;
  uint32_t function = kNone;
  if (parts.callee->kind == OperandKind::Symbol) {
    SymbolId id = parts.callee->index;
    while (module.symbols[id].kind == SymbolKind::Alias && module.symbols[id].aliasee != kNone)
      id = module.symbols[id].aliasee;
    function = module.symbols[id].function;
  } else if (parts.table && parts.table->kind == Table::Kind::CallPrototype) {
    return signature_of(*parts.table);
  } else if (parts.table && parts.table->kind == Table::Kind::CallTargets && !parts.table->entries.empty()) {
    function = module.symbols[parts.table->entries[0]].function;
  }
  if (function >= module.functions.size()) return e.error("the callee's parameters are not known");
  return signature_of(module, module.functions[function]);
}

} // namespace call_detail

static Result<void> call_lower(Emitter& e) {
  using namespace call_detail;
  const Parts parts = parts_of(e);
  if (!parts.callee) return e.error("call without a callee");
  Result<Signature> shapes = signature(e, parts);
  if (!shapes) return shapes.error();
  if (shapes->returns.size() != parts.results.size() || shapes->parameters.size() != parts.arguments.size())
    return e.error("the call's results or arguments are not as many as the callee's");

  llvm::SmallVector<Value*> arguments;
  for (size_t n = 0; n < parts.results.size(); ++n)
    if (passed_by_pointer(*shapes->returns[n]))
      arguments.push_back(argument_value(e, parts.results[n], *shapes->returns[n]));
  for (size_t n = 0; n < parts.arguments.size(); ++n)
    arguments.push_back(argument_value(e, parts.arguments[n], *shapes->parameters[n]));
  for (Value* argument : arguments)
    if (!argument) return e.error("an argument of the call has not the parameter's form");

  llvm::FunctionType* type = function_type(e.ir.getContext(), shapes->returns, shapes->parameters);
  Value* callee = parts.callee->kind == OperandKind::Symbol
                      ? e.function.symbol_address(parts.callee->index)
                      : e.pointer(e.read(*parts.callee, ScalarType::B64), kFlat);
  if (!callee) return e.error("the callee is no function");
  llvm::CallInst* call = e.ir.CreateCall(type, callee, arguments);
  call->addFnAttr(llvm::Attribute::Convergent);
  const bool several = type->getReturnType()->isStructTy();
  unsigned value = 0;
  for (size_t n = 0; n < parts.results.size(); ++n) {
    if (passed_by_pointer(*shapes->returns[n])) continue;
    take_result(e, parts.results[n],
                several ? e.ir.CreateExtractValue(call, value) : static_cast<Value*>(call));
    ++value;
  }
  return {};
}

} // namespace ptxshim::ptx

// clang-format off
PTXSHIM_OP(call,
    {"call{u} label",                      "u?=.uni"},
    {"call{u} label, (list)",              "u?=.uni"},
    {"call{u} (list), label",              "u?=.uni"},
    {"call{u} (list), label, (list)",      "u?=.uni"},
    {"call{u} a, label",                   "u?=.uni", "a:u64", 21, 20},
    {"call{u} a, (list), label",           "u?=.uni", "a:u64", 21, 20},
    {"call{u} (list), a, label",           "u?=.uni", "a:u64", 21, 20},
    {"call{u} (list), a, (list), label",   "u?=.uni", "a:u64", 21, 20}) {
  // clang-format on
  return call_lower(e);
}
