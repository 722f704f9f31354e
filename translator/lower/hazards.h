// SPDX-License-Identifier: MIT
// Which threads of one wave could wait for each other. See progress.cpp.
#pragma once

#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace ptxshim::ptx {

inline constexpr const char* kConvergeMark = "ptxshim.converge"; // a call: void(i32 members)
// On loads of loops that a warp is in as a whole: its lanes do not wait for each other there.
inline constexpr const char* kWarpWaits = "ptxshim.warp.waits";
// On values that all lanes of a warp have in common, where LLVM sees only waves.
inline constexpr const char* kWarpUniform = "ptxshim.warp.uniform";

bool is_block_barrier(const llvm::Instruction& instruction);
bool is_converge_mark(const llvm::Instruction& instruction);
// Whether all lanes of a wave wait for each other there, as far as the program is right.
bool gathers_wave(const llvm::Instruction& instruction, bool wave64);
// Whether the instruction is there to see what other threads write.
bool watches(const llvm::Instruction& instruction, bool wave64);

struct Hazards {
  llvm::SmallVector<llvm::BasicBlock*> waiting; // the headers of all loops that end when another thread has acted
  llvm::SetVector<llvm::BasicBlock*> loops;     // those among them that must not hold other lanes of the wave
  // With two warps in a wave: block barriers that one of them may be at while the other one is at another barrier.
  llvm::SetVector<llvm::Instruction*> barriers;
  llvm::SmallVector<llvm::Instruction*> splits; // where there is any hazard: branches at which the lanes of a warp may part
  bool any() const { return !loops.empty() || !barriers.empty(); }
};

// Of a function in SSA form.
Hazards find_hazards(llvm::Function& function, llvm::FunctionAnalysisManager& analyses, bool wave64);

} // namespace ptxshim::ptx
