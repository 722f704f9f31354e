// SPDX-License-Identifier: MIT
#include "lower/exits.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>

#include "lower/module.h"

namespace ptxshim::ptx {

using llvm::CallInst;

static bool is_kernel(const llvm::Function& function) {
  return function.getCallingConv() == llvm::CallingConv::AMDGPU_KERNEL;
}

// Direct calls of `callee` with a caller that is not itself.
static llvm::SmallVector<CallInst*> calls_of(llvm::Function& callee) {
  llvm::SmallVector<CallInst*> calls;
  for (llvm::User* user : callee.users())
    if (auto* call = llvm::dyn_cast<CallInst>(user); call && call->getCalledFunction() == &callee)
      calls.push_back(call);
  return calls;
}

// The functions that reach one of these, innermost first as far as there is no recursion.
static llvm::SmallVector<llvm::Function*> reaching(llvm::ArrayRef<llvm::Function*> callees) {
  llvm::SmallVector<llvm::Function*> found;
  llvm::SmallPtrSet<llvm::Function*, 16> seen;
  llvm::SmallVector<llvm::Function*> pending(callees);
  while (!pending.empty()) {
    llvm::Function* callee = pending.pop_back_val();
    for (CallInst* call : calls_of(*callee)) {
      llvm::Function* caller = call->getFunction();
      if (is_kernel(*caller) || !seen.insert(caller).second) continue;
      found.push_back(caller);
      pending.push_back(caller);
    }
  }
  return found;
}

void inline_everywhere(llvm::ArrayRef<llvm::Function*> callees) {
  llvm::SmallVector<llvm::Function*> functions(callees);
  for (llvm::Function* caller : reaching(callees))
    if (!llvm::is_contained(callees, caller)) functions.push_back(caller);
  // Each round inlines all present calls; without recursion the depth of the call graph is at most the number
  // of functions. Functions that call twice what calls twice … would grow without bound.
  constexpr unsigned kMostRounds = 64, kMostInstructions = 1 << 20;
  unsigned inlined = 0;
  bool changed = true;
  for (unsigned round = 0; changed && round < kMostRounds && round <= functions.size(); ++round) {
    changed = false;
    for (llvm::Function* function : functions)
      for (CallInst* call : calls_of(*function)) {
        if (call->getFunction() == function || inlined > kMostInstructions) continue;
        inlined += function->getInstructionCount();
        llvm::InlineFunctionInfo info;
        changed = llvm::InlineFunction(*call, info).isSuccess() || changed;
      }
  }
}

void resolve_exits(llvm::Module& module) {
  llvm::Function* marker = module.getFunction(kExitMarker);
  if (!marker) return;
  inline_everywhere(reaching({marker}));
  for (CallInst* call : calls_of(*marker)) {
    llvm::Function* function = call->getFunction();
    if (is_kernel(*function)) {
      llvm::BasicBlock* block = call->getParent();
      llvm::changeToUnreachable(call);
      block->getTerminator()->eraseFromParent();
      llvm::ReturnInst::Create(module.getContext(), block);
      continue;
    }
    if (!function->use_empty()) {
      function->addFnAttr(kErrorAttribute,
                          "exit in the function '" + function->getName().str() +
                              "', which is recursive, called through a pointer or inlined too often, is not supported");
      function->addFnAttr(kErrorCodeAttribute, std::to_string(CUDA_ERROR_NOT_SUPPORTED));
    }
    llvm::changeToUnreachable(call);
  }
  if (marker->use_empty()) marker->eraseFromParent();
}

} // namespace ptxshim::ptx
