// SPDX-License-Identifier: MIT
#include "lower/finish.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/MathExtras.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

#include "device/bitcode.h"
#include "lower/barrier.h"
#include "lower/emitter.h"
#include "lower/module.h"

namespace ptxshim::ptx {

namespace {

bool is_a_kernel(const llvm::Function& function) {
  return function.getCallingConv() == llvm::CallingConv::AMDGPU_KERNEL;
}

// Collects the text of LLVM's own errors while it lives.
class Diagnostics : public llvm::DiagnosticHandler {
public:
  explicit Diagnostics(std::string& text) : text_(text) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    if (info.getSeverity() == llvm::DS_Error) {
      llvm::raw_string_ostream stream(text_);
      llvm::DiagnosticPrinterRawOStream printer(stream);
      info.print(printer);
    }
    return true;
  }

private:
  std::string& text_;
};

// Everything a function refers to, through instructions, constants and the initialisers of variables.
llvm::SmallPtrSet<const llvm::GlobalValue*, 32> reached_from(const llvm::Function& root) {
  llvm::SmallPtrSet<const llvm::GlobalValue*, 32> reached;
  llvm::SmallPtrSet<const llvm::Constant*, 32> constants;
  llvm::SmallVector<const llvm::Constant*> pending{&root};
  while (!pending.empty()) {
    const llvm::Constant* constant = pending.pop_back_val();
    if (!constants.insert(constant).second) continue;
    if (const auto* value = llvm::dyn_cast<llvm::GlobalValue>(constant)) reached.insert(value);
    if (const auto* function = llvm::dyn_cast<llvm::Function>(constant)) {
      for (const llvm::Instruction& instruction : llvm::instructions(*function))
        for (const llvm::Use& use : instruction.operands())
          if (const auto* next = llvm::dyn_cast<llvm::Constant>(use.get())) pending.push_back(next);
      continue;
    }
    for (const llvm::Use& use : constant->operands())
      if (const auto* next = llvm::dyn_cast<llvm::Constant>(use.get())) pending.push_back(next);
  }
  return reached;
}

std::string quoted(const llvm::GlobalValue& value) {
  return std::string("'").append(value.getName()).append("'");
}

} // namespace

Result<std::unique_ptr<llvm::Module>> link_modules(std::vector<std::unique_ptr<llvm::Module>> modules) {
  std::unique_ptr<llvm::Module> whole = std::move(modules.front());
  std::string text;
  llvm::LLVMContext& context = whole->getContext();
  std::unique_ptr<llvm::DiagnosticHandler> before = context.getDiagnosticHandler();
  context.setDiagnosticHandler(std::make_unique<Diagnostics>(text));
  bool failed = false;
  for (size_t n = 1; n < modules.size() && !failed; ++n)
    failed = llvm::Linker::linkModules(*whole, std::move(modules[n]));
  context.setDiagnosticHandler(std::move(before));
  if (failed) return Error{CUDA_ERROR_INVALID_PTX, "the modules cannot be linked: " + text};
  // Other modules have found what a .alias stands for; from here on only that counts.
  for (llvm::GlobalAlias& alias : llvm::make_early_inc_range(whole->aliases())) {
    alias.replaceAllUsesWith(alias.getAliasee());
    alias.eraseFromParent();
  }
  return whole;
}

Result<void> link_device_library(llvm::Module& module) {
  llvm::SmallVector<std::string> names;
  for (const llvm::Function& function : module)
    if (function.isDeclaration() && function.getName().starts_with("ptx_"))
      names.push_back(function.getName().str());
  if (names.empty()) return {};
  const llvm::StringRef bytes(reinterpret_cast<const char*>(ptxshim_device_bitcode),
                              static_cast<size_t>(ptxshim_device_bitcode_end - ptxshim_device_bitcode));
  auto library = llvm::parseBitcodeFile(llvm::MemoryBufferRef(bytes, "device library"), module.getContext());
  if (!library)
    return Error{CUDA_ERROR_JIT_COMPILER_NOT_FOUND,
                 "the support library: " + llvm::toString(library.takeError())};
  (*library)->setTargetTriple(module.getTargetTriple());
  (*library)->setDataLayout(module.getDataLayout());
  if (llvm::NamedMDNode* flags = (*library)->getModuleFlagsMetadata()) flags->eraseFromParent();
  // Its functions take on the target and the mode of whom they are inlined into; those that stay keep
  // subnormals (f64 only).
  llvm::SmallVector<std::string> all;
  for (llvm::Function& function : **library) {
    if (function.isDeclaration()) continue;
    for (const char* attribute : {"target-cpu", "target-features", "denormal-fp-math", "denormal-fp-math-f32",
                                  "amdgpu-ieee", "uniform-work-group-size"})
      function.removeFnAttr(attribute);
    function.removeFnAttr(llvm::Attribute::NoInline);
    function.addFnAttr(llvm::Attribute::AlwaysInline);
    all.push_back(function.getName().str());
  }
  if (llvm::Linker::linkModules(module, std::move(*library), llvm::Linker::LinkOnlyNeeded))
    return Error{CUDA_ERROR_JIT_COMPILER_NOT_FOUND, "the support library cannot be linked"};
  for (const std::string& name : all)
    if (llvm::Function* function = module.getFunction(name); function && !function->isDeclaration())
      function->setLinkage(llvm::GlobalValue::InternalLinkage);
  return {};
}

// Functions that every CUDA device has built in.
static bool is_device_runtime(llvm::StringRef name) {
  return name == "vprintf" || name == "malloc" || name == "free" || name.starts_with("cuda") ||
         name.starts_with("__cuda") || name.starts_with("__nv_") || name.starts_with("__cnp");
}

void define_device_runtime(llvm::Module& module) {
  // A failed assertion stops the kernel. Its text would need the host's help.
  llvm::Function* fail = module.getFunction("__assertfail");
  if (!fail || !fail->isDeclaration()) return;
  llvm::IRBuilder<> ir(llvm::BasicBlock::Create(module.getContext(), "failed", fail));
  ir.CreateIntrinsic(llvm::Intrinsic::trap, {}, {});
  ir.CreateUnreachable();
}

// LLVM counts LDS in 32 bits and refuses what exceeds the target's: 4 GiB would count as nothing. No target has as much as this.
static constexpr uint64_t kSharedLimit = 1 << 20;

KernelErrors find_kernel_errors(llvm::Module& module, llvm::function_ref<std::string(llvm::StringRef)> undefined) {
  KernelErrors errors;
  for (const llvm::Function& kernel : module) {
    if (!is_a_kernel(kernel) || kernel.isDeclaration()) continue;
    const std::string name = kernel.getName().str();
    uint64_t shared_bytes = 0;
    for (const llvm::GlobalValue* value : reached_from(kernel)) {
      if (value->getAddressSpace() == kLds && !value->isDeclaration())
        shared_bytes = llvm::SaturatingAdd(
            shared_bytes, module.getDataLayout().getTypeAllocSize(value->getValueType()).getFixedValue());
      const auto* function = llvm::dyn_cast<llvm::Function>(value);
      if (function && function->hasFnAttribute(kErrorAttribute)) {
        const int code =
            std::atoi(function->getFnAttribute(kErrorCodeAttribute).getValueAsString().str().c_str());
        errors[name] = {static_cast<CUresult>(code),
                        function->getFnAttribute(kErrorAttribute).getValueAsString().str()};
        break;
      }
      const bool is_dynamic_shared = value->getAddressSpace() == kLds;
      const bool is_intrinsic = function && function->isIntrinsic();
      if (!value->isDeclaration() || is_dynamic_shared || is_intrinsic || errors.count(name)) continue;
      if (function && is_device_runtime(function->getName())) {
        errors[name] = {CUDA_ERROR_NOT_SUPPORTED,
                        "the device function " + quoted(*value) + " is not supported"};
        continue;
      }
      std::string message = undefined(value->getName());
      if (message.empty()) message = std::string("undefined ") + (function ? "function " : "variable ") + quoted(*value);
      errors[name] = {CUDA_ERROR_INVALID_PTX, message};
    }
    if (shared_bytes > kSharedLimit && !errors.count(name))
      errors[name] = {CUDA_ERROR_INVALID_PTX, std::to_string(shared_bytes) + " bytes of shared memory are more than any block has"};
  }
  return errors;
}

void prepare_kernels(llvm::Module& module) {
  llvm::SmallVector<llvm::GlobalVariable*> states; // one a linked module
  for (llvm::GlobalVariable& variable : module.globals())
    if (variable.getName().starts_with(kBarrierState)) states.push_back(&variable);
  if (states.empty()) return;
  for (llvm::Function& kernel : module) {
    if (!is_a_kernel(kernel) || kernel.isDeclaration()) continue;
    const auto reached = reached_from(kernel);
    for (llvm::GlobalVariable* state : states)
      if (reached.contains(state)) initialise_counted_barriers(kernel, *state);
  }
}

void settle(llvm::Module& module, const KernelErrors& errors, const std::vector<std::string>& wanted) {
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    if (function.isDeclaration()) continue;
    if (!is_a_kernel(function)) {
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
      continue;
    }
    const std::string name = function.getName().str();
    const bool is_wanted = wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end();
    if (errors.count(name) || !is_wanted) {
      if (function.use_empty()) {
        function.eraseFromParent();
        continue;
      }
      // Somebody holds its address (device-side launches): it stays as a symbol nobody can launch.
      function.replaceAllUsesWith(llvm::ConstantPointerNull::get(function.getType()));
      function.eraseFromParent();
      continue;
    }
    function.setLinkage(llvm::GlobalValue::ExternalLinkage);
    function.setVisibility(llvm::GlobalValue::ProtectedVisibility);
  }
  // What is still undefined is reached from variables only (tables of functions): nobody calls it.
  for (llvm::Function& function : llvm::make_early_inc_range(module))
    if (function.isDeclaration() && !function.isIntrinsic()) {
      function.replaceAllUsesWith(llvm::ConstantPointerNull::get(function.getType()));
      function.eraseFromParent();
    }
  for (llvm::GlobalVariable& variable : module.globals()) {
    if (variable.isDeclaration() || !variable.hasAttribute(kVariableAttribute)) continue;
    if (variable.getAddressSpace() == kLds) {
      variable.setLinkage(llvm::GlobalValue::InternalLinkage);
      continue;
    }
    variable.setLinkage(llvm::GlobalValue::ExternalLinkage);
    variable.setVisibility(llvm::GlobalValue::ProtectedVisibility);
  }
}

uint32_t dynamic_shared_alignment(const llvm::Function& kernel) {
  uint64_t alignment = 0;
  for (const llvm::GlobalValue* value : reached_from(kernel))
    if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(value))
      if (variable->isDeclaration() && variable->getAddressSpace() == kLds)
        alignment = std::max(alignment, variable->getAlign().valueOrOne().value());
  return static_cast<uint32_t>(alignment);
}

} // namespace ptxshim::ptx
