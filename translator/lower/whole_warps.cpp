// SPDX-License-Identifier: MIT
// Where two warps share a wave and each decides by votes how long it waits, a dispatch loop keeps the warps apart, not
// their lanes: CUB's look-back is such code. What a warp does together then finds its lanes together, as it does in code
// that is no dispatch loop, and need not wait for them. That is worth knowing: such waits are places, and what lives at any
// place takes registers in the whole loop.
//
// So each branch that may part a warp is looked at. In a region its sides must meet again before any place: the lanes part
// and join within one turn. Outside of it all lanes must come in by the same place. Places from which the region does
// nothing together any more do not count: nobody waits for those who are there.
#include "lower/whole_warps.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>

namespace ptxshim::ptx {

using llvm::BasicBlock;

// The blocks of the region from which a mark is reached without leaving it.
static Blocks blocks_before(llvm::ArrayRef<llvm::CallInst*> marks, const Blocks& region) {
  Blocks before;
  llvm::SmallVector<BasicBlock*> pending;
  for (llvm::CallInst* mark : marks) pending.push_back(mark->getParent());
  while (!pending.empty()) {
    BasicBlock* block = pending.pop_back_val();
    if (region.contains(block) && before.insert(block)) pending.append(llvm::pred_begin(block), llvm::pred_end(block));
  }
  return before;
}

// Calls `visit` for the blocks that lanes may come to from a branch until they meet again. It says whether to go on from there.
void WholeWarps::visit_sides(llvm::Instruction& split, llvm::function_ref<bool(BasicBlock*, bool meet)> visit) const {
  const auto* node = joins_.getNode(split.getParent());
  const BasicBlock* join = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr; // null: the end of the function
  Blocks seen;
  llvm::SmallVector<BasicBlock*> pending(llvm::succ_begin(&split), llvm::succ_end(&split));
  while (!pending.empty()) {
    BasicBlock* block = pending.pop_back_val();
    if (seen.insert(block) && visit(block, block == join) && block != join) pending.append(llvm::succ_begin(block), llvm::succ_end(block));
  }
}

bool WholeWarps::come_together(const Blocks& region, llvm::ArrayRef<llvm::CallInst*> marks, const Places& places) const {
  const Blocks before = blocks_before(marks, region);
  return before.empty() || llvm::all_of(splits_, [&](llvm::Instruction* split) {
           const bool from_inside = region.contains(split->getParent());
           Blocks parted; // the places where lanes would go on apart
           visit_sides(*split, [&](BasicBlock* block, bool meet) {
             if (before.contains(block) && places.contains(block) && !(from_inside && meet)) parted.insert(block);
             return region.contains(block) == from_inside;
           });
           return parted.size() <= (from_inside ? 0U : 1U);
         });
}

} // namespace ptxshim::ptx
