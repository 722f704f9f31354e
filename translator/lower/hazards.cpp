// SPDX-License-Identifier: MIT
// A loop waits when a way out of it depends on a value that is there to be changed by others: a volatile or
// atomic load, a compare-and-swap, an atomic operation that changes nothing or sets what may be set already.
// Two kinds of loops with atomics do not wait. Where a compare-and-swap expects what the loop has just read, a
// lane fails only because another one succeeded; and an atomic that counts gives each lane a new value.
//
// While some lanes of a wave are in a waiting loop, others are held: those that have left it, and those on the
// other sides of the branches that led there. That is a hazard if they could be what is waited for: if on
// their way anything that other threads see comes before they wait for the whole block (or warp) anyway. The
// usual wait of one thread for another block, with the block's barrier behind it, is none.
//
// Where two warps share a wave, one of them may wait for the other: what the lanes of a warp decide together, by a
// vote, still parts the wave. Even code for lanes below 32 is no code of one warp: a launch with blocks of several
// dimensions brings several there, whether the kernel asks for %tid.y or not. Votes say that such a loop leaves
// each warp whole, which makes its dispatch loop a small one.
//
// LLVM may see two loops in one where several edges lead back to a header (a lock taken anew for each of many items):
// the rest of such a loop is behind its waiting part. And it moves code on the way to an exit out of the loop (what is
// done under a lock that is tried until it was taken): what such a loop does counts as done behind it.
#include "lower/hazards.h"

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/UniformityAnalysis.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsAMDGPU.h>

#include "lower/emitter.h"

namespace ptxshim::ptx {

using llvm::BasicBlock;
using llvm::dyn_cast;
using llvm::isa;
using llvm::Loop;

bool is_block_barrier(const llvm::Instruction& i) {
  const auto* call = dyn_cast<llvm::IntrinsicInst>(&i);
  return call && call->getIntrinsicID() == llvm::Intrinsic::amdgcn_s_barrier;
}

bool is_converge_mark(const llvm::Instruction& i) {
  const auto* call = dyn_cast<llvm::CallInst>(&i);
  return call && call->getCalledFunction() && call->getCalledFunction()->getName() == kConvergeMark;
}

bool gathers_wave(const llvm::Instruction& i, bool wave64) {
  if (is_block_barrier(i)) return true;
  if (wave64 || !is_converge_mark(i)) return false; // a warp does not hold the wave's other one
  const auto* members = dyn_cast<llvm::ConstantInt>(i.getOperand(0));
  return members && members->isMinusOne();
}

static bool others_see(unsigned address_space) { return address_space != kPrivate && address_space != kConstant; }

static bool gives_new_values(const llvm::AtomicRMWInst& i) {
  const auto* amount = dyn_cast<llvm::ConstantInt>(i.getValOperand());
  switch (i.getOperation()) {
  case llvm::AtomicRMWInst::Add:
  case llvm::AtomicRMWInst::Sub: return !amount || !amount->isZero();
  case llvm::AtomicRMWInst::FAdd:
  case llvm::AtomicRMWInst::FSub:
  case llvm::AtomicRMWInst::UIncWrap:
  case llvm::AtomicRMWInst::UDecWrap: return true;
  default: // LLVM's enumeration: exchanges, bits, minima and maxima may leave all as it is
    return false;
  }
}

bool watches(const llvm::Instruction& i, bool wave64) {
  if (const auto* load = dyn_cast<llvm::LoadInst>(&i))
    return (load->isVolatile() || load->isAtomic()) && others_see(load->getPointerAddressSpace()) &&
           (wave64 || !load->hasMetadata(kWarpWaits));
  if (const auto* atomic = dyn_cast<llvm::AtomicRMWInst>(&i)) return !gives_new_values(*atomic);
  return isa<llvm::AtomicCmpXchgInst>(&i);
}

// What other threads could be waiting for.
static bool acts(const llvm::Instruction& i) {
  if (const auto* store = dyn_cast<llvm::StoreInst>(&i)) return others_see(store->getPointerAddressSpace());
  if (const auto* memory = dyn_cast<llvm::MemIntrinsic>(&i)) return others_see(memory->getDestAddressSpace());
  if (isa<llvm::AtomicRMWInst>(&i) || isa<llvm::AtomicCmpXchgInst>(&i)) return true;
  const auto* call = dyn_cast<llvm::CallInst>(&i);
  return call && !isa<llvm::IntrinsicInst>(call) && !call->isInlineAsm() && !is_converge_mark(i);
}

// Other than by trying to get what it waits for.
static bool acts_alone(const llvm::Instruction& i) { return acts(i) && (i.use_empty() || !watches(i, true)); }

namespace {

// Follows the values that a loop watches to its ways out.
class WatchedValues {
public:
  WatchedValues(const Loop& loop, bool wave64) : loop_(loop), is_several_(loop.getNumBackEdges() > 1) {
    for (BasicBlock* block : loop.blocks())
      for (llvm::Instruction& i : *block)
        if (watches(i, wave64)) add(i);
  }

  bool decide_the_exit() {
    while (!pending_.empty()) {
      llvm::Instruction* value = pending_.pop_back_val();
      for (llvm::User* user : value->users()) {
        auto* next = dyn_cast<llvm::Instruction>(user);
        if (!next || !loop_.contains(next) || retries(*next)) continue;
        if (!next->isTerminator())
          add(*next);
        else if (follow_branch(*next))
          return true;
      }
    }
    return false;
  }

private:
  void add(llvm::Instruction& i) {
    if (seen_.insert(&i).second) pending_.push_back(&i);
  }
  // A branch inside the loop decides which values meet behind it.
  bool follow_branch(llvm::Instruction& branch) {
    for (BasicBlock* side : llvm::successors(branch.getParent())) {
      if (!loop_.contains(side)) return true;
      BasicBlock* next = side->getSingleSuccessor();
      if (is_several_ && (side == loop_.getHeader() || next == loop_.getHeader())) return true;
      for (llvm::PHINode& phi : side->phis()) add(phi);
      if (next && loop_.contains(next))
        for (llvm::PHINode& phi : next->phis()) add(phi);
    }
    return false;
  }
  // old == expected, where `expected` is no constant of the loop: the retry of an update.
  bool retries(const llvm::Instruction& i) const {
    const auto* compare = dyn_cast<llvm::ICmpInst>(&i);
    if (!compare || !compare->isEquality()) return false;
    for (unsigned side = 0; side < 2; ++side) {
      const auto* old = dyn_cast<llvm::ExtractValueInst>(compare->getOperand(side));
      const auto* swap = old ? dyn_cast<llvm::AtomicCmpXchgInst>(old->getAggregateOperand()) : nullptr;
      if (swap && loop_.contains(swap) && swap->getCompareOperand() == compare->getOperand(1 - side) &&
          !loop_.isLoopInvariant(swap->getCompareOperand()))
        return true;
    }
    return false;
  }

  const Loop& loop_;
  const bool is_several_;
  llvm::SmallVector<llvm::Instruction*> pending_;
  llvm::DenseSet<llvm::Instruction*> seen_;
};

class HazardSearch {
public:
  HazardSearch(llvm::Function& function, llvm::FunctionAnalysisManager& analyses, bool wave64)
      : function_(function), loops_(analyses.getResult<llvm::LoopAnalysis>(function)),
        joins_(analyses.getResult<llvm::PostDominatorTreeAnalysis>(function)),
        uniformity_(analyses.getResult<llvm::UniformityInfoAnalysis>(function)), wave64_(wave64) {
    for (BasicBlock& block : function) {
      const unsigned number = static_cast<unsigned>(numbers_.size());
      numbers_[&block] = number;
      for (llvm::Instruction& i : block)
        if (wave64 && is_block_barrier(i)) barriers_.push_back(&i);
    }
  }

  Hazards run() {
    for (Loop* loop : loops_.getLoopsInPreorder())
      if (WatchedValues(*loop, wave64_).decide_the_exit()) {
        waiting_.push_back(loop);
        found_.waiting.push_back(loop->getHeader());
        check_exits(*loop);
      }
    if (waiting_.empty() && barriers_.empty()) return {}; // the usual kernel
    for (BasicBlock& block : function_)
      if (splits_a_wave(block)) check_branch(block);
    for (BasicBlock& block : function_)
      if (found_.any() && splits_a_warp(block)) found_.splits.push_back(block.getTerminator());
    return std::move(found_);
  }

private:
  void check_exits(const Loop& loop) {
    const auto any = [&](bool (*what)(const llvm::Instruction&)) {
      return llvm::any_of(loop.blocks(), [&](BasicBlock* block) { return llvm::any_of(*block, what); });
    };
    if (loop.getNumBackEdges() > 1 && any(acts)) note(loop);
    llvm::SmallVector<std::pair<BasicBlock*, BasicBlock*>> edges;
    loop.getExitEdges(edges);
    for (const auto& [from, to] : edges)
      if (splits_a_wave(*from) && (any(acts_alone) || acts_first(to, loop))) note(loop);
  }

  // Whether lanes of one wave may go different ways at the end of the block.
  bool splits_a_wave(BasicBlock& block) const { return uniformity_.hasDivergentTerminator(block); }
  bool splits_a_warp(BasicBlock& block) const {
    if (!splits_a_wave(block)) return false;
    const auto* branch = dyn_cast<llvm::BranchInst>(block.getTerminator());
    return !branch || !is_warp_uniform(branch->getCondition(), block, 16);
  }
  // As `user` sees the value: lanes that left a loop at different times see what it had for each of them.
  bool is_warp_uniform(const llvm::Value* value, const BasicBlock& user, unsigned depth) const {
    const auto* i = dyn_cast<llvm::Instruction>(value);
    if (!i) return uniformity_.isUniform(value);
    if (const Loop* loop = loops_.getLoopFor(i->getParent()); depth == 0 || (loop && !loop->contains(&user))) return false;
    if (uniformity_.isUniform(i) || i->hasMetadata(kWarpUniform)) return true;
    return (isa<llvm::BinaryOperator>(i) || isa<llvm::CmpInst>(i) || isa<llvm::CastInst>(i) || isa<llvm::SelectInst>(i)) &&
           llvm::all_of(i->operands(), [&](const llvm::Use& use) { return is_warp_uniform(use.get(), *i->getParent(), depth - 1); });
  }

  void check_branch(BasicBlock& block) {
    BasicBlock* join = nullptr; // null: they meet at the end of the function
    if (const auto* node = joins_.getNode(&block); node && node->getIDom()) join = node->getIDom()->getBlock();
    llvm::SmallVector<BasicBlock*> starts;
    llvm::SmallVector<llvm::BitVector> sides;
    for (BasicBlock* successor : llvm::successors(&block)) {
      starts.push_back(successor);
      sides.push_back(reached(successor, join));
    }
    for (const Loop* loop : waiting_)
      if (!loop->contains(&block) && !found_.loops.contains(loop->getHeader())) check_entry(*loop, starts, sides, join);
    check_barriers(sides);
  }

  void check_entry(const Loop& loop, llvm::ArrayRef<BasicBlock*> starts, llvm::ArrayRef<llvm::BitVector> sides, BasicBlock* join) {
    const unsigned header = numbers_.lookup(loop.getHeader());
    bool leads = false, held_acts = false;
    for (size_t n = 0; n < sides.size(); ++n) {
      if (sides[n].test(header))
        leads = true;
      else
        held_acts = held_acts || acts_first(starts[n], loop);
    }
    if (leads && !held_acts && join) held_acts = acts_first(join, loop);
    if (leads && held_acts) note(loop);
  }

  // Warps that take different sides meet the rest of the block in different places.
  void check_barriers(llvm::ArrayRef<llvm::BitVector> sides) {
    llvm::SmallVector<llvm::Instruction*> found;
    unsigned with_barriers = 0;
    for (const llvm::BitVector& side : sides) {
      const size_t before = found.size();
      for (llvm::Instruction* barrier : barriers_)
        if (side.test(numbers_.lookup(barrier->getParent()))) found.push_back(barrier);
      with_barriers += found.size() != before;
    }
    if (with_barriers < 2) return;
    found_.barriers.insert(found.begin(), found.end());
  }

  void note(const Loop& loop) { found_.loops.insert(loop.getHeader()); }

  // What is reached from `start` without passing `end`.
  llvm::BitVector reached(BasicBlock* start, BasicBlock* end) const {
    llvm::BitVector seen(numbers_.size());
    llvm::SmallVector<BasicBlock*> pending{start};
    while (!pending.empty()) {
      BasicBlock* block = pending.pop_back_val();
      if (block == end || seen.test(numbers_.lookup(block))) continue;
      seen.set(numbers_.lookup(block));
      for (BasicBlock* next : llvm::successors(block)) pending.push_back(next);
    }
    return seen;
  }

  // Whether a thread at `start`, outside of the loop, acts before it stops for all others.
  bool acts_first(BasicBlock* start, const Loop& loop) const {
    llvm::BitVector seen(numbers_.size());
    llvm::SmallVector<BasicBlock*> pending{start};
    while (!pending.empty()) {
      BasicBlock* block = pending.pop_back_val();
      if (loop.contains(block) || seen.test(numbers_.lookup(block))) continue;
      seen.set(numbers_.lookup(block));
      bool stopped = false;
      for (const llvm::Instruction& i : *block) {
        if (acts(i)) return true;
        stopped = gathers_wave(i, wave64_);
        if (stopped) break;
      }
      if (stopped) continue;
      for (BasicBlock* next : llvm::successors(block)) pending.push_back(next);
    }
    return false;
  }

  llvm::Function& function_;
  llvm::LoopInfo& loops_;
  llvm::PostDominatorTree& joins_;
  llvm::UniformityInfo& uniformity_;
  const bool wave64_;
  llvm::DenseMap<BasicBlock*, unsigned> numbers_;
  llvm::SmallVector<const Loop*> waiting_;
  llvm::SmallVector<llvm::Instruction*> barriers_;
  Hazards found_;
};

} // namespace

Hazards find_hazards(llvm::Function& function, llvm::FunctionAnalysisManager& analyses, bool wave64) {
  return HazardSearch(function, analyses, wave64).run();
}

} // namespace ptxshim::ptx
