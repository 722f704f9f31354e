// SPDX-License-Identifier: MIT
// Lanes in different places of one function. A region, from the loops that wait to where all lanes of the wave
// come together or return, becomes one loop. A slot keeps for each lane the number of the place where it goes on:
//
//     enter:    from outside -> dispatch
//     dispatch: alive = lanes here; switch (place) -> the blocks that are places
//     latch:    -> dispatch
//
// Places are the headers of waiting loops and of loops around places, the blocks where the code outside leads into
// the region, what warps and blocks do together, and the ends of the region. Every edge to a place stores its number
// and goes to the latch. So no cycle is left that waits, and each turn moves every lane on: those that wait test once
// more, those that were let go run on, whichever side of the switch the hardware takes first. Ends are places too:
// what lies on the way to them must be in the loop, or it would have to wait until all lanes leave it.
//
// What the lanes of a warp do together begins by waiting until all of the members that are still in the loop are in
// this place, else the lane comes again; where warps stay whole (whole_warps.cpp) it is no place. Barriers that warps of
// one wave may be at in different places are no ends: the hardware counts waves, so all lanes of the wave meet in one
// place that these barriers share, and go on where each came from.
//
// All values that live across blocks are put in stack slots before, so that edges can be moved at will; LLVM's SROA
// takes them out again. Empty assembly statements keep the optimiser from looking through the latch and the entrance:
// it would follow the numbers and build the old loops again.
#include "lower/dispatch_loop.h"

#include <deque>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Scalar/Reg2Mem.h>

#include "lower/emitter.h"
#include "lower/whole_warps.h"

namespace ptxshim::ptx {

using llvm::BasicBlock;

namespace {

// What a function's regions have in common.
struct Parts {
  Blocks waiting;                                     // headers
  Blocks ends;                                        // begin with what gathers the wave, or with the return
  llvm::SmallVector<llvm::CallInst*> marks, barriers; // that are no ends
};

// A region and its ends.
struct Region {
  Blocks blocks, ends;
};

class DispatchLoop {
public:
  DispatchLoop(llvm::Function& function, const Parts& parts, Region region, const llvm::LoopInfo& loops, const WholeWarps& warps,
               bool wave64)
      : function_(function), parts_(parts), region_(std::move(region)), wave64_(wave64), ir_(function.getContext()) {
    find_places(loops);
    if (warps.come_together(region_.blocks, parts_.marks, places_)) return;
    for (llvm::CallInst* mark : parts_.marks)
      if (inside(mark->getParent())) add_place(mark->getParent());
    add_loops(loops);
    gathers_warps_ = true;
  }

  void build() {
    make_loop();
    for (llvm::CallInst* mark : parts_.marks)
      if (gathers_warps_ && inside(mark->getParent())) wait_for_members(*mark);
    for (llvm::CallInst* barrier : parts_.barriers)
      if (inside(barrier->getParent())) meet_block(*barrier);
    move_edges();
  }

private:
  bool inside(BasicBlock* block) const { return region_.blocks.contains(block); }

  void find_places(const llvm::LoopInfo& loops) {
    for (BasicBlock* header : parts_.waiting)
      if (inside(header)) add_place(header);
    for (llvm::CallInst* barrier : parts_.barriers)
      if (inside(barrier->getParent())) add_place(barrier->getParent()->getSingleSuccessor());
    for (BasicBlock& block : function_)
      if (!inside(&block))
        for (BasicBlock* next : llvm::successors(&block))
          if (inside(next)) add_place(next);
    add_loops(loops);
    for (BasicBlock* end : region_.ends) add_place(end);
  }
  // Loops with places in them are taken apart: they may be entered there.
  void add_loops(const llvm::LoopInfo& loops) {
    for (llvm::Loop* loop : loops.getLoopsInPreorder())
      if (inside(loop->getHeader()) && llvm::any_of(loop->blocks(), [&](BasicBlock* block) { return places_.contains(block); }))
        add_place(loop->getHeader());
  }

  void add_place(BasicBlock* block) {
    places_.insert({block, static_cast<uint32_t>(places_.size()) + 1}); // 0 is where the block meets
  }

  BasicBlock* new_block(const char* name) { return BasicBlock::Create(function_.getContext(), name, &function_); }
  llvm::Value* lanes() {
    llvm::Type* mask = ir_.getIntNTy(wave64_ ? 64 : 32);
    return ir_.CreateIntrinsic(llvm::Intrinsic::amdgcn_ballot, {mask}, {ir_.getTrue()});
  }
  // The half of a wave's mask that is the lane's own warp.
  llvm::Value* own_warp(llvm::Value* mask) {
    if (!wave64_) return mask;
    llvm::Value* all = ir_.getInt32(~0u);
    llvm::Value* below = ir_.CreateIntrinsic(llvm::Intrinsic::amdgcn_mbcnt_lo, {}, {all, ir_.getInt32(0)});
    llvm::Value* lane = ir_.CreateIntrinsic(llvm::Intrinsic::amdgcn_mbcnt_hi, {}, {all, below});
    llvm::Value* amount = ir_.CreateZExt(ir_.CreateAnd(lane, 32), mask->getType());
    return ir_.CreateTrunc(ir_.CreateLShr(mask, amount), ir_.getInt32Ty());
  }
  void go_to(uint32_t place, BasicBlock* by) {
    ir_.CreateStore(ir_.getInt32(place), place_);
    ir_.CreateBr(by);
  }

  // To the dispatch, with a place that the optimiser knows nothing about.
  void dispatch_from(BasicBlock* block) {
    ir_.SetInsertPoint(block);
    llvm::FunctionType* type = llvm::FunctionType::get(ir_.getInt32Ty(), {ir_.getInt32Ty()}, false);
    llvm::CallInst* place = ir_.CreateCall(llvm::InlineAsm::get(type, "", "=v,0", true), {ir_.CreateLoad(ir_.getInt32Ty(), place_)});
    place->addFnAttr(llvm::Attribute::Convergent);
    ir_.CreateStore(place, place_);
    ir_.CreateBr(dispatch_);
  }

  // What the places do stays with them: out of the loop it would take registers in all of it.
  void keep_inside(llvm::Instruction& back_edge) {
    llvm::LLVMContext& context = function_.getContext();
    llvm::Metadata* hint = llvm::MDNode::get(context, llvm::MDString::get(context, "llvm.licm.disable"));
    llvm::MDNode* loop = llvm::MDNode::getDistinct(context, {nullptr, hint});
    loop->replaceOperandWith(0, loop);
    back_edge.setMetadata(llvm::LLVMContext::MD_loop, loop);
  }

  void make_loop() {
    BasicBlock& entry = function_.getEntryBlock();
    ir_.SetInsertPoint(&entry, entry.getFirstInsertionPt());
    place_ = ir_.CreateAlloca(ir_.getInt32Ty(), kPrivate, nullptr, "place");
    resume_ = ir_.CreateAlloca(ir_.getInt32Ty(), kPrivate, nullptr, "resume");
    enter_ = new_block("enter");
    dispatch_ = new_block("dispatch");
    latch_ = new_block("latch");
    BasicBlock* meeting = new_block("meeting");
    BasicBlock* nowhere = new_block("nowhere");
    dispatch_from(enter_);
    dispatch_from(latch_);
    keep_inside(*latch_->getTerminator());
    ir_.SetInsertPoint(dispatch_);
    alive_ = lanes();
    llvm::SwitchInst* choice =
        ir_.CreateSwitch(ir_.CreateLoad(ir_.getInt32Ty(), place_), nowhere, static_cast<unsigned>(places_.size()) + 1);
    choice->addCase(ir_.getInt32(0), parts_.barriers.empty() ? nowhere : meeting);
    for (const auto& [block, number] : places_) choice->addCase(ir_.getInt32(number), block);
    ir_.SetInsertPoint(nowhere);
    ir_.CreateUnreachable();
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
    barrier.eraseFromParent();
    block->getTerminator()->eraseFromParent();
    ir_.SetInsertPoint(block);
    go_to(0, latch_);
  }

  void wait_for_members(llvm::CallInst& mark) {
    BasicBlock* block = mark.getParent();
    BasicBlock* complete = block->splitBasicBlock(&mark, "complete");
    BasicBlock* again = new_block("again");
    added_.insert(complete);
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
      if (&block != dispatch_) blocks.push_back(&block);
    for (BasicBlock* block : blocks) {
      const bool from_inside = inside(block) || added_.contains(block);
      llvm::Instruction* branch = block->getTerminator();
      for (unsigned n = 0; n < branch->getNumSuccessors(); ++n) {
        BasicBlock* target = branch->getSuccessor(n);
        if (!places_.contains(target) || !(from_inside || inside(target))) continue;
        BasicBlock* edge = new_block("to.place");
        branch->setSuccessor(n, edge);
        ir_.SetInsertPoint(edge);
        go_to(places_.lookup(target), from_inside ? latch_ : enter_);
      }
    }
  }

  llvm::Function& function_;
  const Parts& parts_;
  const Region region_;
  const bool wave64_;
  bool gathers_warps_ = false;
  llvm::IRBuilder<> ir_;
  Blocks added_;
  Places places_;
  llvm::Value* place_ = nullptr;
  llvm::Value* resume_ = nullptr;
  llvm::Value* alive_ = nullptr;
  BasicBlock* enter_ = nullptr;
  BasicBlock* dispatch_ = nullptr;
  BasicBlock* latch_ = nullptr;
};

// Lanes that have come together stay together to the end of the block: later marks there for the same lanes say nothing.
void drop_repeated_marks(llvm::Function& function) {
  for (BasicBlock& block : function) {
    const llvm::Value* together = nullptr;
    for (llvm::Instruction& i : llvm::make_early_inc_range(block)) {
      if (is_block_barrier(i)) together = nullptr;
      if (!is_converge_mark(i)) continue;
      if (i.getOperand(0) == together)
        i.eraseFromParent();
      else
        together = i.getOperand(0);
    }
  }
}

// Gives what ends regions, and what warps and blocks do together in them, blocks of their own.
Parts take_apart(llvm::Function& function, const Hazards& hazards, bool wave64) {
  Parts parts;
  llvm::SmallVector<llvm::Instruction*> ends;
  for (llvm::Instruction& i : llvm::instructions(function)) {
    if (llvm::isa<llvm::ReturnInst>(&i) || (gathers_wave(i, wave64) && !hazards.barriers.contains(&i)))
      ends.push_back(&i);
    else if (is_converge_mark(i))
      parts.marks.push_back(llvm::cast<llvm::CallInst>(&i));
    else if (is_block_barrier(i))
      parts.barriers.push_back(llvm::cast<llvm::CallInst>(&i));
  }
  for (llvm::Instruction* end : ends) parts.ends.insert(end->getParent()->splitBasicBlock(end, "end"));
  for (llvm::CallInst* mark : parts.marks) mark->getParent()->splitBasicBlock(mark, "together");
  for (llvm::CallInst* barrier : parts.barriers) {
    BasicBlock* block = barrier->getParent()->splitBasicBlock(barrier, "barrier");
    block->splitBasicBlock(std::next(barrier->getIterator()), "behind.barrier");
  }
  parts.waiting.insert(hazards.waiting.begin(), hazards.waiting.end());
  return parts;
}

Region region_from(BasicBlock* start, const Parts& parts) {
  Region region;
  llvm::SmallVector<BasicBlock*> pending{start};
  while (!pending.empty()) {
    BasicBlock* block = pending.pop_back_val();
    Blocks& kind = parts.ends.contains(block) ? region.ends : region.blocks;
    if (!kind.insert(block) || &kind == &region.ends) continue;
    for (BasicBlock* next : llvm::successors(block)) pending.push_back(next);
  }
  return region;
}

bool returns(BasicBlock* end) { return llvm::isa<llvm::ReturnInst>(end->getTerminator()); }

// Lanes may be in both at once: they overlap, or end in the same place. All returns count as one.
bool belong_together(const Region& a, const Region& b) {
  const auto in_b = [&](BasicBlock* block) { return b.blocks.contains(block) || b.ends.contains(block); };
  return llvm::any_of(a.blocks, in_b) || llvm::any_of(a.ends, in_b) || (llvm::any_of(a.ends, returns) && llvm::any_of(b.ends, returns));
}

llvm::SmallVector<Region> find_regions(const Hazards& hazards, const Parts& parts) {
  Blocks starts;
  starts.insert(hazards.loops.begin(), hazards.loops.end());
  for (llvm::Instruction* barrier : hazards.barriers) starts.insert(barrier->getParent());
  llvm::SmallVector<Region> regions;
  for (BasicBlock* start : starts) {
    Region whole = region_from(start, parts);
    for (size_t n = 0; n < regions.size();) {
      if (!belong_together(whole, regions[n])) {
        ++n;
        continue;
      }
      whole.blocks.insert(regions[n].blocks.begin(), regions[n].blocks.end());
      whole.ends.insert(regions[n].ends.begin(), regions[n].ends.end());
      regions.erase(regions.begin() + n);
      n = 0;
    }
    regions.push_back(std::move(whole));
  }
  return regions;
}

} // namespace

void interleave_lanes(llvm::Function& function, const Hazards& hazards, llvm::FunctionAnalysisManager& analyses, bool wave64) {
  drop_repeated_marks(function);
  const auto changed = [&] { analyses.invalidate(function, llvm::PreservedAnalyses::none()); };
  const Parts parts = take_apart(function, hazards, wave64);
  changed();
  llvm::RegToMemPass().run(function, analyses);
  changed();
  const WholeWarps warps(hazards.splits, analyses.getResult<llvm::PostDominatorTreeAnalysis>(function));
  std::deque<DispatchLoop> loops;
  for (Region& region : find_regions(hazards, parts))
    loops.emplace_back(function, parts, std::move(region), analyses.getResult<llvm::LoopAnalysis>(function), warps, wave64);
  for (DispatchLoop& loop : loops) loop.build();
  changed();
}

} // namespace ptxshim::ptx
