// SPDX-License-Identifier: MIT
// Between lowering and optimisation: one LLVM module, the support library in it, and only what the wanted
// kernels need.
#pragma once

#include <llvm/IR/Module.h>
#include <map>
#include <string>
#include <vector>

#include "ptxshim/result.h"

namespace ptxshim::ptx {

using KernelErrors = std::map<std::string, Error>;

// Links the modules; an Error names the symbol that two of them define.
Result<std::unique_ptr<llvm::Module>> link_modules(std::vector<std::unique_ptr<llvm::Module>> modules);

// Adds the support library's functions that the module calls, for its target.
Result<void> link_device_library(llvm::Module& module);

// Gives bodies to functions that CUDA devices have built in, as far as they can be served here.
void define_device_runtime(llvm::Module& module);

// What is wrong with each kernel that reaches a failed function or a symbol that nobody defines; `undefined` says it of such a
// symbol, or nothing when it does not know.
KernelErrors find_kernel_errors(llvm::Module& module, llvm::function_ref<std::string(llvm::StringRef)> undefined);

// Puts in front of the kernels what their code relies on.
void prepare_kernels(llvm::Module& module);

// Removes kernels that are in `errors` or not in `wanted` (empty: all are), makes functions internal and
// variables visible to the runtime.
void settle(llvm::Module& module, const KernelErrors& errors, const std::vector<std::string>& wanted);

// The alignment of the extern shared arrays that a kernel reaches, 0 without any.
uint32_t dynamic_shared_alignment(const llvm::Function& kernel);

} // namespace ptxshim::ptx
