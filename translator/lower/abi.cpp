// SPDX-License-Identifier: MIT
#include "lower/abi.h"

#include "lower/emitter.h"
#include "lower/module.h"

namespace ptxshim::ptx {

bool passed_by_pointer(const Symbol& parameter) {
  if (parameter.space == StateSpace::Reg) return false;
  return parameter.unsized || !parameter.dimensions.empty() || parameter.vector > 1 || parameter.size > 16;
}

llvm::Type* abi_type(llvm::LLVMContext& context, const Symbol& parameter) {
  if (passed_by_pointer(parameter)) return llvm::PointerType::get(context, kPrivate);
  if (parameter.type == ScalarType::Pred) return llvm::Type::getInt1Ty(context);
  return llvm::Type::getIntNTy(context, bits_of(parameter.type));
}

llvm::FunctionType* function_type(llvm::LLVMContext& context, std::span<const Symbol* const> returns,
                                  std::span<const Symbol* const> parameters) {
  llvm::SmallVector<llvm::Type*> arguments, results;
  for (const Symbol* each : returns)
    (passed_by_pointer(*each) ? arguments : results).push_back(abi_type(context, *each));
  for (const Symbol* each : parameters)
    arguments.push_back(abi_type(context, *each));
  llvm::Type* result = results.empty()       ? llvm::Type::getVoidTy(context)
                       : results.size() == 1 ? results.front()
                                             : llvm::StructType::get(context, results);
  return llvm::FunctionType::get(result, arguments, false);
}

Signature signature_of(const Module& module, const Function& function) {
  Signature signature;
  for (SymbolId id : function.returns)
    signature.returns.push_back(&module.symbols[id]);
  for (SymbolId id : function.parameters)
    signature.parameters.push_back(&module.symbols[id]);
  return signature;
}

Signature signature_of(const Table& prototype) {
  Signature signature;
  for (const Symbol& each : prototype.returns)
    signature.returns.push_back(&each);
  for (const Symbol& each : prototype.parameters)
    signature.parameters.push_back(&each);
  return signature;
}

} // namespace ptxshim::ptx
