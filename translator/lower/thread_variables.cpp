// SPDX-License-Identifier: MIT
// PTX before version 3.0 has .local variables at module scope: one copy a thread, seen by all functions. LLVM has no
// globals in AMD's private memory, only stack slots. So the lowering makes a global as a name to refer to, and
// here, when all modules are one, functions that use it are inlined and each kernel gets a slot in its place.
// (NVIDIA's compiler also gives up calls for such modules: ptxas says "disabling ABI".)
#include "lower/thread_variables.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/ReplaceConstant.h>
#include <llvm/Support/MathExtras.h>

#include "lower/emitter.h"
#include "lower/exits.h"
#include "lower/function.h"
#include "lower/module.h"

namespace ptxshim::ptx {

using Variables = llvm::SmallVector<llvm::GlobalVariable*>;

// The functions that use them, in instructions only: what LLVM has folded into constants is unfolded first.
static llvm::SmallVector<llvm::Function*> users_of(const Variables& variables) {
  llvm::convertUsersOfConstantsToInstructions(llvm::SmallVector<llvm::Constant*>(variables.begin(), variables.end()));
  llvm::SmallVector<llvm::Function*> functions;
  llvm::SmallPtrSet<llvm::Function*, 16> seen;
  for (llvm::GlobalVariable* variable : variables)
    for (llvm::User* user : variable->users()) {
      llvm::Function* function = llvm::cast<llvm::Instruction>(user)->getFunction();
      if (seen.insert(function).second) functions.push_back(function);
    }
  return functions;
}

static void note(llvm::Function* function, const std::string& message, CUresult code) {
  function->addFnAttr(kErrorAttribute, message);
  function->addFnAttr(kErrorCodeAttribute, std::to_string(code));
}

static void replace_in(llvm::Function* function, llvm::GlobalVariable* variable, llvm::Value* value) {
  variable->replaceUsesWithIf(value, [&](const llvm::Use& use) {
    return llvm::cast<llvm::Instruction>(use.getUser())->getFunction() == function;
  });
}

static void place_in_kernel(llvm::Function* kernel, const Variables& variables) {
  llvm::IRBuilder<> ir(&*kernel->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  uint64_t bytes = 0;
  for (llvm::GlobalVariable* variable : variables) {
    const bool is_used = llvm::any_of(variable->users(), [&](llvm::User* user) {
      return llvm::cast<llvm::Instruction>(user)->getFunction() == kernel;
    });
    if (!is_used) continue;
    bytes = llvm::SaturatingAdd(bytes, kernel->getDataLayout().getTypeAllocSize(variable->getValueType()).getFixedValue());
    if (bytes > kLocalLimit) {
      note(kernel, "the .local variables of the module need more memory than a thread has", CUDA_ERROR_INVALID_PTX);
      replace_in(kernel, variable, llvm::PoisonValue::get(variable->getType()));
      continue;
    }
    llvm::AllocaInst* slot = ir.CreateAlloca(variable->getValueType(), kPrivate, nullptr, variable->getName());
    slot->setAlignment(variable->getAlign().valueOrOne());
    replace_in(kernel, variable, slot);
  }
}

void place_thread_variables(llvm::Module& module) {
  Variables variables;
  for (llvm::GlobalVariable& variable : module.globals())
    if (variable.getAddressSpace() == kPrivate && !variable.isDeclaration()) variables.push_back(&variable);
  if (variables.empty()) return;
  inline_everywhere(users_of(variables));
  for (llvm::Function* function : users_of(variables)) {
    if (function->getCallingConv() == llvm::CallingConv::AMDGPU_KERNEL) {
      place_in_kernel(function, variables);
    } else if (!function->use_empty()) {
      note(function, "'" + function->getName().str() + "', which is recursive or called through a pointer, uses a .local variable of the module; "
                                                       "that is not supported", CUDA_ERROR_NOT_SUPPORTED);
    }
  }
  for (llvm::GlobalVariable* variable : variables) {
    variable->replaceAllUsesWith(llvm::PoisonValue::get(variable->getType()));
    variable->eraseFromParent();
  }
}

} // namespace ptxshim::ptx
