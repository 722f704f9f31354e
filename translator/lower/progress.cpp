// SPDX-License-Identifier: MIT
// CUDA promises since sm_70 that every thread goes on in the end, whatever the others of its warp do: lanes may
// take a lock from each other, wait for flags of each other, meet their block in barriers that stand in
// different places. On AMD hardware a wave has one program counter. LLVM runs one side of a branch before the
// other and holds lanes that have left a loop until all have left it, so a lane that waits for a held one waits
// for ever. (hipcc has no answer to this: the same CUDA sources compiled for AMD hang.) Where two warps share a
// wave, even warps hold each other.
//
// Turning every kernel into code that switches between the places of its lanes would be right and slow. So:
// hazards.cpp finds the loops that wait and could hold whom they wait for, and dispatch_loop.cpp rewrites the
// functions that have one. All others keep the code they had. Functions that wait are inlined when any function
// of the module waits, since a call can only return for all lanes that made it together.
//
// Not done: waiting in recursive functions or behind calls through pointers, for lanes that are in other places
// than that function; waiting by plain loads (which no compiler promises) and in loops that have no single
// header; progress of lanes in one place while others run a long loop that does not wait.
//
// The alternative for two warps in a wave, to give each warp a wave of its own and leave half of its lanes
// unused, costs half of the machine always and does not carry blocks of more than 512 threads.
#include "lower/progress.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Scalar/InstSimplifyPass.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/Mem2Reg.h>

#include "amdgpu/backend.h"
#include "lower/dispatch_loop.h"
#include "lower/exits.h"

namespace ptxshim::ptx {

void converge(Emitter& e, Value* members) { e.device(kConvergeMark, e.ir.getVoidTy(), {members}); }

static void remove_marks(llvm::Module& module) {
  llvm::Function* mark = module.getFunction(kConvergeMark);
  if (!mark) return;
  for (llvm::User* user : llvm::make_early_inc_range(mark->users())) llvm::cast<llvm::Instruction>(user)->eraseFromParent();
  mark->eraseFromParent();
}

// A first look, without analyses.
static bool may_wait(llvm::Function& function, bool wave64) {
  return llvm::any_of(llvm::instructions(function),
                      [&](const llvm::Instruction& i) { return watches(i, wave64) || (wave64 && is_block_barrier(i)); });
}

static bool concerns_other_lanes(llvm::Function& function, bool wave64) {
  return may_wait(function, wave64) ||
         llvm::any_of(llvm::instructions(function), [](const llvm::Instruction& i) { return is_block_barrier(i) || is_converge_mark(i); });
}

static Hazards examine(llvm::Function& function, llvm::FunctionAnalysisManager& analyses, bool wave64) {
  llvm::removeUnreachableBlocks(function);
  analyses.invalidate(function, llvm::PreservedAnalyses::none());
  analyses.invalidate(function, llvm::PromotePass().run(function, analyses));
  analyses.invalidate(function, llvm::InstSimplifyPass().run(function, analyses));
  analyses.invalidate(function, llvm::SimplifyCFGPass().run(function, analyses)); // short guards become selects
  return find_hazards(function, analyses, wave64);
}

void guarantee_progress(llvm::Module& module, llvm::TargetMachine& machine, bool wave64) {
  llvm::SmallVector<llvm::Function*> inner, all;
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    if (may_wait(function, wave64)) all.push_back(&function);
    if (function.getCallingConv() != llvm::CallingConv::AMDGPU_KERNEL && concerns_other_lanes(function, wave64)) inner.push_back(&function);
  }
  if (!all.empty()) {
    inline_everywhere(inner);
    amdgpu::Analyses analyses(machine);
    for (llvm::Function& function : module) {
      if (function.isDeclaration() || !may_wait(function, wave64)) continue;
      const Hazards hazards = examine(function, analyses.functions, wave64);
      if (hazards.any()) interleave_lanes(function, hazards, analyses.functions, wave64);
    }
  }
  remove_marks(module);
}

} // namespace ptxshim::ptx
