// SPDX-License-Identifier: MIT
// One PTX module on its way to an LLVM module: variables, function declarations, the target. See function.h
// for bodies.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/EquivalenceClasses.h>
#include <llvm/IR/Module.h>
#include <memory>
#include <string>
#include <vector>

#include "lower/abi.h"
#include "lower/debug_info.h"
#include "ptxshim/result.h"
#include "ptxshim/target.h"
#include "ptxshim/translate.h"
#include "syntax/ast.h"

namespace ptxshim::ptx {

// What the code is generated for.
struct LoweringOptions {
  const Target* target = nullptr;
  uint32_t code_object_version = 5;
  unsigned gfx_major = 10;
  uint32_t max_registers = 0;
  bool text_lines = false; // line tables of the PTX text where it has no .loc
};

class ModuleLowering {
public:
  ModuleLowering(const Module& source, const LoweringOptions& options, llvm::LLVMContext& context);

  // Declares everything, then lowers the bodies. What fails in one function is noted on it (attribute
  // kErrorAttribute) and costs the kernels that reach it; what fails here costs the module.
  Result<void> run();
  std::unique_ptr<llvm::Module> take() { return std::move(llvm_); }

  llvm::Constant* variable(SymbolId id) const; // null: not a module variable
  llvm::Function* function(SymbolId id) const; // null: not a function
  llvm::Module& llvm() { return *llvm_; }
  llvm::LLVMContext& context() { return llvm_->getContext(); }
  llvm::Type* llvm_type(ScalarType type) const;
  bool flushes(uint32_t function_index) const { return flushes_[function_index]; }
  void keep_subnormals() { keep_subnormals_ = true; } // several modules: one mode for all
  // Lower only these kernels and what they reach (empty: everything).
  void only(const std::vector<std::string>& kernels);

  const Module& source;
  const LoweringOptions& options;
  DebugInfo& debug_info() { return debug_info_; }

private:
  Result<void> declare_variables();
  Result<void> initialise_variable(SymbolId id);
  void declare_functions();
  void declare_function(uint32_t index);
  void define_aliases();
  void choose_modes();
  void join_indirect_calls(llvm::EquivalenceClasses<uint32_t>& groups) const;
  bool is_needed(uint32_t index) const { return needed_.empty() || needed_[index]; }
  // Calls `refer` with the index of every function that function `index` names.
  template <class Refer> void for_each_reference(uint32_t index, Refer refer) const;
  void set_kernel_attributes(const Function& function, llvm::Function* target);
  void set_common_attributes(uint32_t index, llvm::Function* target);

  std::unique_ptr<llvm::Module> llvm_;
  DebugInfo debug_info_;
  llvm::DenseMap<SymbolId, llvm::Constant*> variables_;
  llvm::DenseMap<SymbolId, llvm::Function*> functions_;
  std::vector<bool> flushes_;
  std::vector<bool> needed_; // by function; empty: all
  bool keep_subnormals_ = false;
};

// Function attributes that travel with the LLVM functions through linking.
inline constexpr const char* kErrorAttribute = "ptxshim-error";
inline constexpr const char* kErrorCodeAttribute = "ptxshim-error-code";
// On module-scope variables: "global", "const" or "managed".
inline constexpr const char* kVariableAttribute = "ptxshim-variable";

llvm::Type* llvm_type(llvm::LLVMContext& context, ScalarType type);

} // namespace ptxshim::ptx
