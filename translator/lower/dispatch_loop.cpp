// SPDX-License-Identifier: MIT
// Lanes in different places of one function. From the first waiting loop on the function becomes one loop
// around all of it, with a slot in which each lane keeps the number of the place where it goes on:
//
//     dispatch: alive = lanes here; switch (place) -> the blocks that are places
//     latch:    -> dispatch
//
// Places are the headers of waiting loops and of loops around places, where the part in front of the loop leads
// into it, and what warps and blocks do together. Every edge to a place stores its number and goes to the
// latch. So no cycle is left that waits, and each turn moves every lane on: those that wait test once more,
// those that were let go run on, whichever the order in which the hardware takes the sides of the switch.
//
// What the lanes of a warp do together begins by waiting until all of the members that are still alive are in
// this place, else the lane comes again. A barrier of the block counts waves, so the lanes of a wave meet in one
// place that all barriers share, and go on where each came from. Returns are places too: what lies on the way
// to them must be in the loop, or it would have to wait for all lanes to leave it.
//
// All values that live across blocks are put in stack slots before, so that edges can be moved at will; LLVM's
// SROA takes them out again. An empty assembly statement keeps the optimiser from looking through the latch: it
// would follow the numbers and build the old loops again.
#include "lower/dispatch_loop.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Scalar/Reg2Mem.h>

#include "lower/emitter.h"

namespace ptxshim::ptx {

using llvm::BasicBlock;

namespace {

class DispatchLoop {
public:
  DispatchLoop(llvm::Function& function, llvm::FunctionAnalysisManager& analyses, bool wave64)
      : function_(function), analyses_(analyses), wave64_(wave64), ir_(function.getContext()) {}

  void run(const Hazards& hazards) {
    split();
    llvm::SmallVector<BasicBlock*> starts(hazards.loops);
    for (llvm::Instruction* barrier : hazards.barriers) starts.push_back(barrier->getParent());
    for (BasicBlock* header : hazards.waiting) waiting_.insert(header);
    changed();
    llvm::RegToMemPass().run(function_, analyses_);
    changed();
    find_region(starts);
    find_places();
    make_loop();
    for (llvm::CallInst* mark : marks_)
      if (region_.contains(mark->getParent())) wait_for_members(*mark);
    for (llvm::CallInst* barrier : barriers_)
      if (region_.contains(barrier->getParent())) meet_block(*barrier);
    move_edges();
    changed();
  }

private:
  void changed() { analyses_.invalidate(function_, llvm::PreservedAnalyses::none()); }

  // Barriers and returns get blocks of their own, marks begin blocks.
  void split() {
    for (llvm::Instruction& i : llvm::instructions(function_)) {
      if (is_converge_mark(i)) marks_.push_back(llvm::cast<llvm::CallInst>(&i));
      if (is_block_barrier(i)) barriers_.push_back(llvm::cast<llvm::CallInst>(&i));
      if (llvm::isa<llvm::ReturnInst>(&i)) returns_.push_back(&i);
    }
    for (llvm::Instruction* end : returns_) end->getParent()->splitBasicBlock(end, "return");
    for (llvm::CallInst* mark : marks_) mark->getParent()->splitBasicBlock(mark, "together");
    for (llvm::CallInst* barrier : barriers_) {
      BasicBlock* block = barrier->getParent()->splitBasicBlock(barrier, "barrier");
      block->splitBasicBlock(std::next(barrier->getIterator()), "behind.barrier");
    }
  }

  void find_region(llvm::SmallVector<BasicBlock*> pending) {
    while (!pending.empty()) {
      BasicBlock* block = pending.pop_back_val();
      if (!region_.insert(block)) continue;
      for (BasicBlock* next : llvm::successors(block)) pending.push_back(next);
    }
  }

  void find_places() {
    for (BasicBlock* header : waiting_)
      if (region_.contains(header)) add_place(header);
    for (llvm::CallInst* mark : marks_)
      if (region_.contains(mark->getParent())) add_place(mark->getParent());
    for (llvm::CallInst* barrier : barriers_)
      if (region_.contains(barrier->getParent())) add_place(barrier->getParent()->getSingleSuccessor());
    for (llvm::Instruction* end : returns_)
      if (region_.contains(end->getParent())) add_place(end->getParent());
    for (BasicBlock& block : function_)
      if (!region_.contains(&block))
        for (BasicBlock* next : llvm::successors(&block))
          if (region_.contains(next)) add_place(next);
    // Loops with places in them are taken apart: they may be entered there.
    for (llvm::Loop* loop : analyses_.getResult<llvm::LoopAnalysis>(function_).getLoopsInPreorder())
      if (std::any_of(loop->block_begin(), loop->block_end(), [&](BasicBlock* block) { return places_.contains(block); }))
        add_place(loop->getHeader());
  }

  void add_place(BasicBlock* block) {
    places_.insert({block, static_cast<uint32_t>(places_.size()) + 1}); // 0 is the block's barrier
  }

  BasicBlock* new_block(const char* name) { return BasicBlock::Create(function_.getContext(), name, &function_); }
  llvm::Value* lanes() {
    llvm::Type* mask = ir_.getIntNTy(wave64_ ? 64 : 32);
    return ir_.CreateIntrinsic(llvm::Intrinsic::amdgcn_ballot, {mask}, {ir_.getTrue()});
  }
  // The half of a wave's mask that is the lane's own warp.
  llvm::Value* own_warp(llvm::Value* mask) {
    if (!wave64_) return mask;
    llvm::Value* below = ir_.CreateIntrinsic(llvm::Intrinsic::amdgcn_mbcnt_lo, {}, {ir_.getInt32(~0u), ir_.getInt32(0)});
    llvm::Value* lane = ir_.CreateIntrinsic(llvm::Intrinsic::amdgcn_mbcnt_hi, {}, {ir_.getInt32(~0u), below});
    llvm::Value* amount = ir_.CreateZExt(ir_.CreateAnd(lane, 32), mask->getType());
    return ir_.CreateTrunc(ir_.CreateLShr(mask, amount), ir_.getInt32Ty());
  }
  void go_to(uint32_t place, BasicBlock* by) {
    ir_.CreateStore(ir_.getInt32(place), place_);
    ir_.CreateBr(by);
  }

  void make_loop() {
    BasicBlock& entry = function_.getEntryBlock();
    ir_.SetInsertPoint(&entry, entry.getFirstInsertionPt());
    place_ = ir_.CreateAlloca(ir_.getInt32Ty(), kPrivate, nullptr, "place");
    resume_ = ir_.CreateAlloca(ir_.getInt32Ty(), kPrivate, nullptr, "resume");
    dispatch_ = new_block("dispatch");
    latch_ = new_block("latch");
    BasicBlock* nowhere = new_block("nowhere");
    BasicBlock* meeting = new_block("meeting");
    ir_.SetInsertPoint(dispatch_);
    alive_ = lanes();
    llvm::SwitchInst* choice =
        ir_.CreateSwitch(ir_.CreateLoad(ir_.getInt32Ty(), place_), nowhere, static_cast<unsigned>(places_.size()) + 1);
    if (!barriers_.empty()) choice->addCase(ir_.getInt32(0), meeting);
    for (const auto& [block, number] : places_) choice->addCase(ir_.getInt32(number), block);
    ir_.SetInsertPoint(nowhere);
    ir_.CreateUnreachable();
    ir_.SetInsertPoint(latch_);
    auto* same = llvm::InlineAsm::get(llvm::FunctionType::get(ir_.getInt32Ty(), {ir_.getInt32Ty()}, false), "", "=v,0", true);
    llvm::CallInst* next = ir_.CreateCall(same, {ir_.CreateLoad(ir_.getInt32Ty(), place_)});
    next->addFnAttr(llvm::Attribute::Convergent);
    ir_.CreateStore(next, place_);
    ir_.CreateBr(dispatch_);
    fill_meeting(meeting);
  }

  // All lanes of the wave at barriers of the block, wherever these are.
  void fill_meeting(BasicBlock* meeting) {
    BasicBlock* met = new_block("met");
    ir_.SetInsertPoint(meeting);
    ir_.CreateCondBr(ir_.CreateICmpEQ(lanes(), alive_), met, latch_);
    ir_.SetInsertPoint(met);
    ir_.CreateIntrinsic(llvm::Intrinsic::amdgcn_s_barrier, {}, {});
    ir_.CreateStore(ir_.CreateLoad(ir_.getInt32Ty(), resume_), place_);
    ir_.CreateBr(latch_);
  }

  void meet_block(llvm::CallInst& barrier) {
    BasicBlock* block = barrier.getParent();
    ir_.SetInsertPoint(&barrier);
    ir_.CreateStore(ir_.getInt32(places_.lookup(block->getSingleSuccessor())), resume_);
    block->getTerminator()->eraseFromParent();
    barrier.eraseFromParent();
    ir_.SetInsertPoint(block);
    go_to(0, latch_);
  }

  void wait_for_members(llvm::CallInst& mark) {
    BasicBlock* block = mark.getParent();
    BasicBlock* complete = block->splitBasicBlock(&mark, "complete");
    BasicBlock* again = new_block("again");
    region_.insert(complete);
    region_.insert(again);
    block->getTerminator()->eraseFromParent();
    ir_.SetInsertPoint(block);
    llvm::Value* absent = ir_.CreateAnd(own_warp(alive_), ir_.CreateNot(own_warp(lanes())));
    absent = ir_.CreateAnd(absent, mark.getArgOperand(0));
    ir_.CreateCondBr(ir_.CreateICmpEQ(absent, ir_.getInt32(0)), complete, again);
    ir_.SetInsertPoint(again);
    go_to(places_.lookup(block), latch_);
  }

  void move_edges() {
    llvm::SmallVector<BasicBlock*> blocks;
    for (BasicBlock& block : function_)
      if (&block != dispatch_ && &block != latch_) blocks.push_back(&block);
    for (BasicBlock* block : blocks) {
      llvm::Instruction* branch = block->getTerminator();
      for (unsigned n = 0; n < branch->getNumSuccessors(); ++n) {
        const uint32_t place = places_.lookup(branch->getSuccessor(n));
        if (place == 0) continue;
        BasicBlock* edge = new_block("to.place");
        branch->setSuccessor(n, edge);
        ir_.SetInsertPoint(edge);
        go_to(place, region_.contains(block) ? latch_ : dispatch_);
      }
    }
  }

  llvm::Function& function_;
  llvm::FunctionAnalysisManager& analyses_;
  const bool wave64_;
  llvm::IRBuilder<> ir_;
  llvm::SmallVector<llvm::CallInst*> marks_, barriers_;
  llvm::SmallVector<llvm::Instruction*> returns_;
  llvm::SetVector<BasicBlock*> waiting_, region_;
  llvm::MapVector<BasicBlock*, uint32_t> places_;
  llvm::Value* place_ = nullptr;
  llvm::Value* resume_ = nullptr;
  llvm::Value* alive_ = nullptr;
  BasicBlock* dispatch_ = nullptr;
  BasicBlock* latch_ = nullptr;
};

} // namespace

void interleave_lanes(llvm::Function& function, const Hazards& hazards, llvm::FunctionAnalysisManager& analyses, bool wave64) {
  DispatchLoop(function, analyses, wave64).run(hazards);
}

} // namespace ptxshim::ptx
