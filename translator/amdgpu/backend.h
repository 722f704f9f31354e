// SPDX-License-Identifier: MIT
// From LLVM IR to an AMD code object: optimisation, code generation, linking, and what the code object says
// about its kernels.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Target/TargetMachine.h>

#include "ptxshim/result.h"
#include "ptxshim/target.h"

namespace ptxshim::amdgpu {

void initialise(); // once a process

// Null with an error for a target that this LLVM does not know.
Result<std::unique_ptr<llvm::TargetMachine>> make_target_machine(const Target& target);
void prepare(llvm::Module& module, const llvm::TargetMachine& machine,
             uint32_t code_object_version); // triple, layout, flags
// LLVM's analyses as this target sees them.
struct Analyses {
  explicit Analyses(llvm::TargetMachine& machine);
  llvm::PassBuilder builder;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
};
void optimise(llvm::Module& module, llvm::TargetMachine& machine);

enum class Output { Object, Assembly };
Result<std::vector<std::byte>> generate(llvm::Module& module, llvm::TargetMachine& machine, Output output);
Result<std::vector<std::byte>> link_code_object(const std::vector<std::byte>& object);

// What the metadata note says of one kernel.
struct KernelFacts {
  uint32_t vgprs = 0, sgprs = 0, vgpr_spills = 0, sgpr_spills = 0;
  uint32_t shared_bytes = 0, private_bytes = 0, kernarg_bytes = 0, max_threads = 0, wave_size = 0;
  bool dynamic_stack = false;
};
Result<std::map<std::string, KernelFacts>> read_metadata(const std::vector<std::byte>& elf);

} // namespace ptxshim::amdgpu
