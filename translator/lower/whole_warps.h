// SPDX-License-Identifier: MIT
// Where the lanes of a warp go their ways together. See whole_warps.cpp.
#pragma once

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/PostDominators.h>

namespace ptxshim::ptx {

using Blocks = llvm::SetVector<llvm::BasicBlock*>;
using Places = llvm::MapVector<llvm::BasicBlock*, uint32_t>; // with their numbers

class WholeWarps {
public:
  // `splits`: the branches at which the lanes of a warp may part.
  WholeWarps(llvm::ArrayRef<llvm::Instruction*> splits, const llvm::PostDominatorTree& joins) : splits_(splits), joins_(joins) {}

  // Whether all lanes of a warp that come to one of the `marks` in the region come there in the same turn of a dispatch loop with
  // these places.
  bool come_together(const Blocks& region, llvm::ArrayRef<llvm::CallInst*> marks, const Places& places) const;

private:
  void visit_sides(llvm::Instruction& split, llvm::function_ref<bool(llvm::BasicBlock*, bool meet)> visit) const;

  llvm::ArrayRef<llvm::Instruction*> splits_;
  const llvm::PostDominatorTree& joins_;
};

} // namespace ptxshim::ptx
