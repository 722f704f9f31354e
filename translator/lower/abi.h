// SPDX-License-Identifier: MIT
// How PTX functions call each other in LLVM terms. A definition and an indirect call through a .callprototype
// must arrive at the same LLVM type from the shapes of the parameters alone:
//
//   parameter or result                     LLVM
//   .reg or scalar .param up to 16 bytes    the integer or float of that size, by value
//   .param array (struct by value)          argument: pointer to the caller's copy on the stack; result:
//   pointer to the caller's
//                                           result slot, in front of the other arguments
//   several results by value                a literal struct
#pragma once

#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/LLVMContext.h>
#include <span>

#include "syntax/ast.h"

namespace ptxshim::ptx {

bool passed_by_pointer(const Symbol& parameter);
llvm::Type* abi_type(llvm::LLVMContext& context,
                     const Symbol& parameter); // by value: its type; else a private pointer
llvm::FunctionType* function_type(llvm::LLVMContext& context, std::span<const Symbol* const> returns,
                                  std::span<const Symbol* const> parameters);

struct Signature {
  std::vector<const Symbol*> returns, parameters;
};
Signature signature_of(const Module& module, const Function& function);
Signature signature_of(const Table& prototype);

} // namespace ptxshim::ptx
