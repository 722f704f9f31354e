// SPDX-License-Identifier: MIT
#include "lower/function.h"

#include "ops/op.h"
#include "syntax/ops.h"

namespace ptxshim::ptx {

using llvm::BasicBlock;
using llvm::Type;

FunctionLowering::FunctionLowering(ModuleLowering& o, const Function& s, llvm::Function* t)
    : owner(o), module(o.source), source(s), target(t), ir(o.context()) {}

llvm::Type* FunctionLowering::register_type(uint32_t index) const {
  return owner.llvm_type(source.registers[index].type);
}

Value* FunctionLowering::load_register(uint32_t index, unsigned component) {
  const unsigned part = component == kNoComponent ? 0 : component;
  return ir.CreateLoad(register_type(index), registers_[index][part]);
}

void FunctionLowering::store_register(uint32_t index, unsigned component, Value* value) {
  ir.CreateStore(value, registers_[index][component == kNoComponent ? 0 : component]);
}

llvm::BasicBlock* FunctionLowering::new_block(const llvm::Twine& name) {
  return BasicBlock::Create(ir.getContext(), name, target);
}

void FunctionLowering::start_dead_block() { ir.SetInsertPoint(new_block("dead")); }

llvm::AllocaInst* FunctionLowering::slot(Type* type, const llvm::Twine& name, uint64_t alignment) {
  llvm::IRBuilder<> entry(entry_end_);
  llvm::AllocaInst* made = entry.CreateAlloca(type, kPrivate, nullptr, name);
  if (alignment) made->setAlignment(llvm::Align(alignment));
  return made;
}

Value* FunctionLowering::carry_slot() {
  if (!carry_) {
    llvm::AllocaInst* made = slot(ir.getInt1Ty(), "carry");
    llvm::IRBuilder<>(entry_end_).CreateStore(ir.getFalse(), made);
    carry_ = made;
  }
  return carry_;
}

Value* FunctionLowering::symbol_address(SymbolId id) {
  if (const auto found = local_symbols_.find(id); found != local_symbols_.end()) return found->second;
  if (llvm::Constant* variable = owner.variable(id)) return variable;
  return owner.function(id);
}

std::string_view FunctionLowering::pretty_name() const { return module.name_of(source.symbol); }

Result<void> FunctionLowering::check_sizes() const {
  uint64_t bytes = 0;
  const auto add = [&](const std::vector<SymbolId>& symbols) {
    for (SymbolId id : symbols) {
      const Symbol& symbol = module.symbols[id];
      if (symbol.space == StateSpace::Local || symbol.space == StateSpace::Param)
        bytes = llvm::SaturatingAdd(bytes, symbol.size);
    }
  };
  add(source.locals);
  if (!source.is_entry) {
    add(source.parameters);
    add(source.returns);
  }
  if (bytes <= kLocalLimit) return {};
  const Location at = module.location(source.offset);
  return Error{CUDA_ERROR_INVALID_PTX,
               module.file_name + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) +
                   ": error: '" + std::string(pretty_name()) + "' needs " + std::to_string(bytes) +
                   " bytes of local memory, a thread has at most " + std::to_string(kLocalLimit)};
}

void FunctionLowering::make_registers() {
  registers_.reserve(source.registers.size());
  for (const RegisterInfo& info : source.registers) {
    std::vector<llvm::AllocaInst*> parts;
    Type* type = owner.llvm_type(info.type);
    for (unsigned part = 0; part < info.vector; ++part) {
      llvm::AllocaInst* made = ir.CreateAlloca(type, kPrivate, nullptr);
      ir.CreateStore(llvm::Constant::getNullValue(type), made);
      parts.push_back(made);
    }
    registers_.push_back(std::move(parts));
  }
}

// .local variables and the .param variables that carry call arguments; the other spaces are module variables.
void FunctionLowering::make_locals() {
  for (SymbolId id : source.locals) {
    const Symbol& symbol = module.symbols[id];
    if (symbol.space != StateSpace::Local && symbol.space != StateSpace::Param) continue;
    llvm::Type* bytes = llvm::ArrayType::get(ir.getInt8Ty(), std::max<uint64_t>(symbol.size, 1));
    llvm::AllocaInst* made = ir.CreateAlloca(bytes, kPrivate, nullptr, module.name(symbol.name));
    made->setAlignment(llvm::Align(std::max<uint32_t>(symbol.alignment, 1)));
    local_symbols_[id] = made;
  }
}

void FunctionLowering::bind_parameters() {
  if (source.is_entry) {
    if (source.parameters.empty()) return;
    uint64_t offset = 0;
    Value* segment = ir.CreateIntrinsic(llvm::Intrinsic::amdgcn_kernarg_segment_ptr, {}, {});
    for (SymbolId id : source.parameters) {
      const Symbol& symbol = module.symbols[id];
      offset = llvm::alignTo(offset, std::max<uint32_t>(symbol.alignment, 1));
      local_symbols_[id] = ir.CreatePtrAdd(segment, ir.getInt64(offset));
      offset += symbol.size;
    }
    return;
  }
  unsigned argument = 0;
  const auto memory_for = [&](const Symbol& symbol) {
    llvm::Type* bytes = llvm::ArrayType::get(ir.getInt8Ty(), std::max<uint64_t>(symbol.size, 1));
    llvm::AllocaInst* made = ir.CreateAlloca(bytes, kPrivate, nullptr, module.name(symbol.name));
    made->setAlignment(llvm::Align(std::max<uint32_t>(symbol.alignment, 1)));
    return made;
  };
  for (SymbolId id : source.returns) {
    const Symbol& symbol = module.symbols[id];
    if (passed_by_pointer(symbol))
      local_symbols_[id] = target->getArg(argument++);
    else if (symbol.space != StateSpace::Reg)
      local_symbols_[id] = memory_for(symbol);
  }
  for (SymbolId id : source.parameters) {
    const Symbol& symbol = module.symbols[id];
    llvm::Argument* value = target->getArg(argument++);
    if (symbol.space == StateSpace::Reg) {
      ir.CreateStore(ir.CreateBitCast(value, register_type(symbol.parameter_register)),
                     registers_[symbol.parameter_register][0]);
    } else if (passed_by_pointer(symbol) && symbol.unsized) {
      local_symbols_[id] = value; // variadic: the caller's buffer is read in place
    } else {
      llvm::AllocaInst* made = memory_for(symbol);
      local_symbols_[id] = made;
      if (passed_by_pointer(symbol))
        ir.CreateMemCpy(made, made->getAlign(), value, made->getAlign(), symbol.size);
      else
        ir.CreateStore(value, made);
    }
  }
}

void FunctionLowering::emit_return() {
  if (source.is_entry) {
    ir.CreateRetVoid();
    return;
  }
  llvm::SmallVector<Value*> results;
  for (SymbolId id : source.returns) {
    const Symbol& symbol = module.symbols[id];
    if (passed_by_pointer(symbol)) continue;
    Type* type = abi_type(ir.getContext(), symbol);
    if (symbol.space == StateSpace::Reg)
      results.push_back(ir.CreateBitCast(load_register(symbol.parameter_register, kNoComponent), type));
    else
      results.push_back(ir.CreateLoad(type, local_symbols_[id]));
  }
  if (results.empty()) {
    ir.CreateRetVoid();
  } else if (results.size() == 1) {
    ir.CreateRet(results.front());
  } else {
    Value* all = llvm::PoisonValue::get(target->getReturnType());
    for (unsigned n = 0; n < results.size(); ++n)
      all = ir.CreateInsertValue(all, results[n], n);
    ir.CreateRet(all);
  }
}

Result<void> FunctionLowering::lower_instruction(const Instruction& instruction) {
  owner.debug_info().at(instruction, ir);
  BasicBlock* current = ir.GetInsertBlock();
  if (instruction.op == Op::kLabel) {
    BasicBlock* next = labels_[module.operands_of(instruction)[0].index];
    if (!current->getTerminator()) ir.CreateBr(next);
    next->moveAfter(current);
    ir.SetInsertPoint(next);
    return {};
  }
  if (instruction.op == Op::kLoc) return {};
  if (current->getTerminator()) start_dead_block();
  Emitter emitter(*this, instruction);
  const OpBody& body = body_of(instruction.op);
  if (!body.lower)
    return emitter.error("'" + std::string(spelling(instruction.op)) + "' is not supported",
                         CUDA_ERROR_NOT_SUPPORTED);
  BasicBlock* after = nullptr;
  if (instruction.guard != kNone) {
    Value* guard = load_register(instruction.guard, kNoComponent);
    BasicBlock* guarded = new_block("guarded");
    after = new_block("after");
    if (instruction.guard_negated)
      ir.CreateCondBr(guard, after, guarded);
    else
      ir.CreateCondBr(guard, guarded, after);
    ir.SetInsertPoint(guarded);
  }
  if (Result<void> done = body.lower(emitter, instruction); !done) return done;
  if (failure) return *failure;
  if (after) {
    if (!ir.GetInsertBlock()->getTerminator()) ir.CreateBr(after);
    ir.SetInsertPoint(after);
  }
  return {};
}

Result<void> FunctionLowering::run() {
  if (Result<void> fits = check_sizes(); !fits) return fits;
  BasicBlock* entry = new_block("entry");
  BasicBlock* start = new_block("start");
  entry_end_ = llvm::BranchInst::Create(start, entry);
  ir.SetInsertPoint(entry_end_);
  owner.debug_info().enter(source, target, ir);
  make_registers();
  make_locals();
  bind_parameters();
  for (NameId name : source.labels)
    labels_.push_back(new_block(module.name(name)));
  ir.SetInsertPoint(start);
  for (const Instruction& instruction : source.body)
    if (Result<void> done = lower_instruction(instruction); !done) return done;
  if (!ir.GetInsertBlock()->getTerminator()) emit_return();
  for (BasicBlock* block : labels_)
    if (!block->getTerminator())
      return Error{CUDA_ERROR_INVALID_PTX, "a label of " + std::string(pretty_name()) + " is never placed"};
  return {};
}

} // namespace ptxshim::ptx
