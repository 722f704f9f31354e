// SPDX-License-Identifier: MIT
// One PTX function on its way to an LLVM function.
//
// Every register becomes a stack slot of its own type, written and read by the instructions' bodies; LLVM's
// SROA turns the slots into SSA values (with pruned phis), so the code is SSA before any real pass sees it.
// Slots start as zero: a PTX register that is read before it is written holds some value, while LLVM's undef
// would make a branch on it undefined behaviour. Guards become branches around the body. Labels become basic
// blocks; irreducible flow is LLVM's matter.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lower/emitter.h"
#include "lower/module.h"

namespace ptxshim::ptx {

// What one thread may have in local memory, as on NVIDIA's devices (CUDA C++ Programming Guide, "Technical
// Specifications").
inline constexpr uint64_t kLocalLimit = 512 << 10;

class FunctionLowering {
public:
  FunctionLowering(ModuleLowering& owner, const Function& source, llvm::Function* target);

  Result<void> run();

  Value* load_register(uint32_t index, unsigned component);
  void store_register(uint32_t index, unsigned component, Value* value); // exactly the register's LLVM type
  llvm::Type* register_type(uint32_t index) const;

  llvm::BasicBlock* label(uint32_t index) { return labels_[index]; }
  llvm::BasicBlock* new_block(const llvm::Twine& name);
  // Opens a block for what follows a terminator (unreachable unless a label follows).
  void start_dead_block();

  // The address of a symbol in its own state space: a local variable, a parameter, a module variable or a
  // function.
  Value* symbol_address(SymbolId id);

  void emit_return();
  Value* carry_slot();
  // A stack slot in the entry block.
  llvm::AllocaInst* slot(llvm::Type* type, const llvm::Twine& name, uint64_t alignment = 0);
  std::string_view pretty_name() const;

  ModuleLowering& owner;
  const Module& module;
  const Function& source;
  llvm::Function* target;
  llvm::IRBuilder<> ir;
  std::optional<Error>
      failure; // set by operand accesses, which return values; ends the function after the instruction
  bool flushes = false; // this function runs with f32 subnormals flushed

private:
  Result<void> check_sizes() const;
  void make_registers();
  void make_locals();
  void bind_parameters();
  Result<void> lower_instruction(const Instruction& instruction);

  llvm::Instruction* entry_end_ = nullptr; // slots are made before it
  std::vector<std::vector<llvm::AllocaInst*>> registers_;
  std::vector<llvm::BasicBlock*> labels_;
  llvm::DenseMap<SymbolId, Value*> local_symbols_;
  Value* carry_ = nullptr;
};

} // namespace ptxshim::ptx
