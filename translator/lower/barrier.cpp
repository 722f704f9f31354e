// SPDX-License-Identifier: MIT
// A work group has one hardware barrier, for all of its waves; it orders LDS and global memory among them. Barriers without a thread
// count are that one, whatever their number. A count that is not the whole block, and arrive without waiting, have no such form and
// are errors. Reductions over the block go through one word of LDS between barriers.
#include "lower/barrier.h"

#include "lower/function.h"
#include "lower/memory.h"
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
  return new llvm::GlobalVariable(module, word, false, llvm::GlobalValue::InternalLinkage, llvm::PoisonValue::get(word), kName, nullptr,
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
  e.ir.CreateAtomicRMW(llvm::AtomicRMWInst::Add, word, e.ir.CreateZExt(predicate, type), llvm::Align(4), AtomicOrdering::Monotonic, group);
  whole_block_barrier(e);
  return e.ir.CreateLoad(type, word);
}

// Whether the count given (if any) is statically the whole block.
static bool covers_block(Emitter& e, unsigned count_operand) {
  const Operand& count = e.operand(count_operand);
  const Function& function = e.function.source;
  uint64_t threads = 1;
  for (unsigned axis = 0; axis < 3; ++axis) threads *= function.required_threads[axis];
  return count.kind == OperandKind::Integer && threads != 0 && static_cast<uint64_t>(count.value) == threads;
}

static Result<void> reduce_over_block(Emitter& e) {
  const unsigned last = e.operand_count() - 1; // d, a{, b}, c0
  if (last == 3 && !covers_block(e, 2))
    return e.error("a barrier for a part of the block is not supported", CUDA_ERROR_NOT_SUPPORTED);
  Value* predicate = e.read(last, ScalarType::Pred);
  if (e.has(Mod::popc)) {
    e.write(0, count_over_block(e, predicate), ScalarType::U32);
  } else if (e.has(Mod::or_)) {
    e.write(0, e.ir.CreateICmpNE(count_over_block(e, predicate), e.ir.getInt32(0)));
  } else {
    e.write(0, e.ir.CreateICmpEQ(count_over_block(e, e.ir.CreateNot(predicate)), e.ir.getInt32(0)));
  }
  return {};
}

Result<void> lower_barrier(Emitter& e) {
  if (e.has(Mod::warp)) { // the lanes of a wave run in step: what is left is the order of their memory accesses
    fence(e, AtomicOrdering::Release, "wavefront");
    e.intrinsic(Intrinsic::amdgcn_wave_barrier, {}, {});
    fence(e, AtomicOrdering::Acquire, "wavefront");
    return {};
  }
  if (e.has(Mod::cluster)) { // a cluster of one block
    if (e.has(Mod::wait)) whole_block_barrier(e);
    else fence(e, AtomicOrdering::Release, "workgroup");
    return {};
  }
  if (e.has(Mod::arrive)) return e.error("a barrier that is arrived at without waiting is not supported", CUDA_ERROR_NOT_SUPPORTED);
  if (e.has(Mod::red)) return reduce_over_block(e);
  if (e.operand_count() > 1 && !covers_block(e, 1))
    return e.error("a barrier for a part of the block is not supported", CUDA_ERROR_NOT_SUPPORTED);
  whole_block_barrier(e);
  return {};
}

} // namespace ptxshim::ptx
