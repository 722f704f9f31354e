// SPDX-License-Identifier: MIT
// The optimiser always runs as at -O3: the back end's -O0 path is the one with known wrong code, and a
// debugger has no use for AMD code that looks like PTX.
#include "amdgpu/backend.h"

#include <mutex>

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Triple.h>

extern "C" {
void LLVMInitializeAMDGPUTarget();
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUAsmPrinter();
void LLVMInitializeAMDGPUAsmParser();
void ptxshim_other_targets(); // generated: referring to it links the empty entry points of the targets that
                              // are left out
}

namespace ptxshim::amdgpu {

static constexpr const char* kTriple = "amdgcn-amd-amdhsa";

void initialise() {
  static std::once_flag once;
  std::call_once(once, [] {
    ptxshim_other_targets();
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
    LLVMInitializeAMDGPUAsmParser();
  });
}

Result<std::unique_ptr<llvm::TargetMachine>> make_target_machine(const Target& target) {
  initialise();
  if (target.minimum_llvm > LLVM_VERSION_MAJOR)
    return Error{CUDA_ERROR_NOT_SUPPORTED, std::string(target.name) + " needs LLVM " +
                                               std::to_string(target.minimum_llvm) + ", this is LLVM " +
                                               std::to_string(LLVM_VERSION_MAJOR)};
  std::string message;
  const llvm::Target* found = llvm::TargetRegistry::lookupTarget(kTriple, message);
  if (!found) return Error{CUDA_ERROR_JIT_COMPILER_NOT_FOUND, message};
  const char* features =
      target.wave_size == 64 ? "+wavefrontsize64,-wavefrontsize32" : "+wavefrontsize32,-wavefrontsize64";
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict; // never fuse what the PTX keeps apart
  std::unique_ptr<llvm::TargetMachine> machine(
      found->createTargetMachine(kTriple, target.name, features, options, llvm::Reloc::PIC_, std::nullopt,
                                 llvm::CodeGenOptLevel::Aggressive));
  if (!machine)
    return Error{CUDA_ERROR_JIT_COMPILER_NOT_FOUND, "no code generator for " + std::string(target.name)};
  return machine;
}

void prepare(llvm::Module& module, const llvm::TargetMachine& machine, uint32_t code_object_version) {
  module.setTargetTriple(kTriple);
  module.setDataLayout(machine.createDataLayout());
  module.setModuleFlag(llvm::Module::Error, "amdhsa_code_object_version", code_object_version * 100);
  module.setPICLevel(
      llvm::PICLevel::BigPIC); // as clang marks the support library: other behaviours do not link
}

Analyses::Analyses(llvm::TargetMachine& machine) : builder(&machine, llvm::PipelineTuningOptions()) {
  machine.registerPassBuilderCallbacks(builder);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
}

void optimise(llvm::Module& module, llvm::TargetMachine& machine) {
  Analyses analyses(machine);
  analyses.builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(module, analyses.modules);
}

Result<std::vector<std::byte>> generate(llvm::Module& module, llvm::TargetMachine& machine, Output output) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  const auto kind =
      output == Output::Assembly ? llvm::CodeGenFileType::AssemblyFile : llvm::CodeGenFileType::ObjectFile;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, kind))
    return Error{CUDA_ERROR_JIT_COMPILER_NOT_FOUND, "the code generator cannot emit this kind of file"};
  passes.run(module);
  const auto* data = reinterpret_cast<const std::byte*>(bytes.data());
  return std::vector<std::byte>(data, data + bytes.size());
}

} // namespace ptxshim::amdgpu
