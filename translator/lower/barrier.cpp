// SPDX-License-Identifier: MIT
// A work group has one hardware barrier, for all of its waves; it orders LDS and global memory among them.
// Barriers without a thread count are that one, whatever their number. Those with a count, which may be for a
// part of the block, and arrivals without waiting are made of LDS words: a warp adds 32 to the barrier's
// count, the last one advances its generation, the others wait for that. (Where the two warps of a
// wave come along different paths, see progress.cpp.)
// Reductions over the whole block go through one word of LDS between barriers.
#include "lower/barrier.h"

#include "lower/function.h"
#include "lower/hazards.h"
#include "lower/memory.h"
#include "lower/progress.h"
#include "lower/warp.h"

namespace ptxshim::ptx {

namespace Intrinsic = llvm::Intrinsic;
using llvm::AtomicOrdering;

static void whole_block_barrier(Emitter& e) {
  fence(e, AtomicOrdering::Release, "workgroup");
  e.intrinsic(Intrinsic::amdgcn_s_barrier, {}, {});
  fence(e, AtomicOrdering::Acquire, "workgroup");
}

static llvm::GlobalVariable* reduction_word(Emitter& e) {
  llvm::Module& module = e.function.owner.llvm();
  constexpr const char* kName = "ptxshim.barrier.reduction";
  if (llvm::GlobalVariable* found = module.getGlobalVariable(kName, true)) return found;
  llvm::Type* word = e.ir.getInt32Ty();
  return new llvm::GlobalVariable(module, word, false, llvm::GlobalValue::InternalLinkage,
                                  llvm::PoisonValue::get(word), kName, nullptr,
                                  llvm::GlobalValue::NotThreadLocal, kLds, false);
}

// Counts the threads whose predicate is true: .or is count > 0, .and is no thread with the opposite.
static Value* count_over_block(Emitter& e, Value* predicate) {
  llvm::GlobalVariable* word = reduction_word(e);
  llvm::Type* type = e.ir.getInt32Ty();
  const auto group = e.ir.getContext().getOrInsertSyncScopeID("workgroup");
  whole_block_barrier(e); // the word's last readers are done
  e.ir.CreateStore(e.ir.getInt32(0), word);
  whole_block_barrier(e);
  e.ir.CreateAtomicRMW(llvm::AtomicRMWInst::Add, word, e.ir.CreateZExt(predicate, type), llvm::Align(4),
                       AtomicOrdering::Monotonic, group);
  whole_block_barrier(e);
  return e.ir.CreateLoad(type, word);
}

// Whether the count given (if any) is statically the whole block.
static bool covers_block(Emitter& e, unsigned count_operand) {
  const Operand& count = e.operand(count_operand);
  const Function& function = e.function.source;
  uint64_t threads = 1;
  for (unsigned axis = 0; axis < 3; ++axis)
    threads *= function.required_threads[axis];
  return count.kind == OperandKind::Integer && threads != 0 && static_cast<uint64_t>(count.value) == threads;
}

namespace {

// One of 16 barriers with a count. Four words: threads that have arrived, generation, and a sum for each
// parity of the generation (the one not in use is cleared by the last to arrive).
class CountedBarrier {
public:
  CountedBarrier(Emitter& emitter, unsigned id, unsigned count)
      : e(emitter), ir(e.ir), count_(e.read(count, ScalarType::U32)) {
    Value* index = ir.CreateAnd(e.read(id, ScalarType::U32), 15);
    base_ = ir.CreatePtrAdd(state(), ir.CreateShl(index, 4));
    group_ = ir.getContext().getOrInsertSyncScopeID("workgroup");
  }

  void add(Value* amount) { // to this generation's sum
    atomic_add(sum(generation()), amount);
  }
  void arrive() {
    converge(e, ir.getInt32(~0u));
    fence(e, AtomicOrdering::Release, "workgroup");
    generation();
    llvm::BasicBlock* arriving = e.function.new_block("barrier.arrive");
    llvm::BasicBlock* last = e.function.new_block("barrier.last");
    llvm::BasicBlock* arrived = e.function.new_block("barrier.arrived");
    Value* leader = lowest_bit(e, warp_ballot(e, ir.getTrue()));
    ir.CreateCondBr(ir.CreateICmpEQ(warp_lane(e), leader), arriving, arrived);
    ir.SetInsertPoint(arriving);
    Value* before = atomic_add(base_, ir.getInt32(32));
    ir.CreateCondBr(ir.CreateICmpUGE(ir.CreateAdd(before, ir.getInt32(32)), count_), last, arrived);
    ir.SetInsertPoint(last);
    store(base_, ir.getInt32(0));
    store(sum(ir.CreateAdd(generation_, ir.getInt32(1))), ir.getInt32(0));
    atomic_add(word(4), ir.getInt32(1));
    ir.CreateBr(arrived);
    ir.SetInsertPoint(arrived);
  }
  void wait() {
    llvm::BasicBlock* waiting = e.function.new_block("barrier.wait");
    llvm::BasicBlock* done = e.function.new_block("barrier.done");
    ir.CreateBr(waiting);
    ir.SetInsertPoint(waiting);
    llvm::LoadInst* now = load(word(4));
    now->setMetadata(kWarpWaits, llvm::MDNode::get(ir.getContext(), {}));
    Value* same = ir.CreateICmpEQ(now, generation_);
    e.intrinsic(Intrinsic::amdgcn_s_sleep, {}, {ir.getInt32(1)});
    ir.CreateCondBr(same, waiting, done);
    ir.SetInsertPoint(done);
    fence(e, AtomicOrdering::Acquire, "workgroup");
  }
  Value* result() { return load(sum(generation_)); }

private:
  llvm::GlobalVariable* state() {
    llvm::Module& module = e.function.owner.llvm();
    if (llvm::GlobalVariable* found = module.getGlobalVariable(kBarrierState, true)) return found;
    llvm::Type* type = llvm::ArrayType::get(ir.getInt32Ty(), 64);
    auto* made = new llvm::GlobalVariable(module, type, false, llvm::GlobalValue::InternalLinkage,
                                          llvm::PoisonValue::get(type), kBarrierState, nullptr,
                                          llvm::GlobalValue::NotThreadLocal, kLds, false);
    made->setAlignment(llvm::Align(16));
    return made;
  }
  Value* generation() { // before this warp arrives it cannot change
    if (!generation_) generation_ = load(word(4));
    return generation_;
  }
  Value* word(uint32_t offset) { return ir.CreatePtrAdd(base_, ir.getInt32(offset)); }
  Value* sum(Value* generation) {
    return ir.CreatePtrAdd(base_, ir.CreateAdd(ir.CreateShl(ir.CreateAnd(generation, 1), 2), ir.getInt32(8)));
  }
  llvm::LoadInst* load(Value* pointer) {
    llvm::LoadInst* made = ir.CreateAlignedLoad(ir.getInt32Ty(), pointer, llvm::Align(4));
    made->setAtomic(AtomicOrdering::Monotonic, group_);
    return made;
  }
  void store(Value* pointer, Value* value) {
    ir.CreateAlignedStore(value, pointer, llvm::Align(4))->setAtomic(AtomicOrdering::Monotonic, group_);
  }
  Value* atomic_add(Value* pointer, Value* amount) {
    return ir.CreateAtomicRMW(llvm::AtomicRMWInst::Add, pointer, amount, llvm::Align(4),
                              AtomicOrdering::AcquireRelease, group_);
  }

  Emitter& e;
  llvm::IRBuilder<>& ir;
  Value* count_;
  Value* base_ = nullptr;
  Value* generation_ = nullptr;
  llvm::SyncScope::ID group_ = llvm::SyncScope::System;
};

} // namespace

static Result<void> reduce_over_block(Emitter& e) {
  const unsigned last = e.operand_count() - 1; // d, a{, b}, c0
  const auto count = [&](Value* predicate) -> Value* {
    if (last < 3 || covers_block(e, 2)) return count_over_block(e, predicate);
    CountedBarrier barrier(e, 1, 2);
    barrier.add(e.ir.CreateZExt(predicate, e.ir.getInt32Ty()));
    barrier.arrive();
    barrier.wait();
    return barrier.result();
  };
  Value* predicate = e.read(last, ScalarType::Pred);
  if (e.has(Mod::popc))
    e.write(0, count(predicate), ScalarType::U32);
  else if (e.has(Mod::or_))
    e.write(0, e.ir.CreateICmpNE(count(predicate), e.ir.getInt32(0)));
  else
    e.write(0, e.ir.CreateICmpEQ(count(e.ir.CreateNot(predicate)), e.ir.getInt32(0)));
  return {};
}

Result<void> lower_barrier(Emitter& e) {
  if (e.has(
          Mod::warp)) { // the lanes of a wave run in step: what is left is the order of their memory accesses
    converge(e, e.read(0, ScalarType::B32));
    fence(e, AtomicOrdering::Release, "wavefront");
    e.intrinsic(Intrinsic::amdgcn_wave_barrier, {}, {});
    fence(e, AtomicOrdering::Acquire, "wavefront");
    return {};
  }
  if (e.has(Mod::cluster)) { // a cluster of one block
    if (e.has(Mod::wait))
      whole_block_barrier(e);
    else
      fence(e, AtomicOrdering::Release, "workgroup");
    return {};
  }
  if (e.has(Mod::red)) return reduce_over_block(e);
  if (e.has(Mod::arrive) || (e.operand_count() > 1 && !covers_block(e, 1))) {
    CountedBarrier barrier(e, 0, 1);
    barrier.arrive();
    if (!e.has(Mod::arrive)) barrier.wait();
    return {};
  }
  whole_block_barrier(e);
  return {};
}

void initialise_counted_barriers(llvm::Function& kernel, llvm::GlobalVariable& state) {
  llvm::BasicBlock& entry = kernel.getEntryBlock();
  llvm::IRBuilder<> ir(&*entry.getFirstNonPHIOrDbgOrAlloca());
  const auto group = ir.getContext().getOrInsertSyncScopeID("workgroup");
  ir.CreateMemSet(&state, ir.getInt8(0), 256, llvm::Align(16));
  ir.CreateFence(AtomicOrdering::Release, group);
  ir.CreateIntrinsic(Intrinsic::amdgcn_s_barrier, {}, {});
  ir.CreateFence(AtomicOrdering::Acquire, group);
}

} // namespace ptxshim::ptx
