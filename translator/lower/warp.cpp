// SPDX-License-Identifier: MIT
#include "lower/warp.h"

#include "lower/hazards.h"
#include "lower/progress.h"

#include <llvm/IR/MDBuilder.h>

namespace ptxshim::ptx {

namespace Intrinsic = llvm::Intrinsic;

// The range lets comparisons with it fold.
static Value* with_range(Emitter& e, Value* count, uint32_t limit) {
  llvm::MDBuilder metadata(e.ir.getContext());
  llvm::cast<llvm::Instruction>(count)->setMetadata(
      llvm::LLVMContext::MD_range, metadata.createRange(llvm::APInt(32, 0), llvm::APInt(32, limit)));
  return count;
}

Value* wave_lane(Emitter& e) {
  Value* all = e.ir.getInt32(~0u);
  Value* low = with_range(e, e.intrinsic(Intrinsic::amdgcn_mbcnt_lo, {}, {all, e.ir.getInt32(0)}),
                          e.wave64() ? 33 : 32);
  return e.wave64() ? with_range(e, e.intrinsic(Intrinsic::amdgcn_mbcnt_hi, {}, {all, low}), 64) : low;
}

Value* warp_lane(Emitter& e) {
  Value* lane = wave_lane(e);
  return e.wave64() ? e.ir.CreateAnd(lane, 31) : lane;
}

Value* warp_ballot(Emitter& e, Value* predicate) {
  if (!e.wave64()) return e.intrinsic(Intrinsic::amdgcn_ballot, {e.ir.getInt32Ty()}, {predicate});
  Value* both = e.intrinsic(Intrinsic::amdgcn_ballot, {e.ir.getInt64Ty()}, {predicate});
  Value* low = e.ir.CreateTrunc(both, e.ir.getInt32Ty());
  Value* high = e.ir.CreateTrunc(e.ir.CreateLShr(both, 32), e.ir.getInt32Ty());
  Value* own = e.ir.CreateSelect(e.ir.CreateICmpUGE(wave_lane(e), e.ir.getInt32(32)), high, low);
  llvm::cast<llvm::Instruction>(own)->setMetadata(kWarpUniform, llvm::MDNode::get(e.ir.getContext(), {}));
  return own;
}

Value* warp_shuffle(Emitter& e, Value* value, Value* lane) {
  if (e.wave64()) lane = e.ir.CreateOr(lane, e.ir.CreateAnd(wave_lane(e), 32));
  return e.intrinsic(Intrinsic::amdgcn_ds_bpermute, {}, {e.ir.CreateShl(lane, 2), value});
}

// Exchanges within a row of 16 lanes and between the two rows have instructions that need no trip through LDS
// hardware (gfx10 on).
Value* warp_exchange(Emitter& e, Value* value, uint32_t mask) {
  llvm::Type* word = e.ir.getInt32Ty();
  Value* old = llvm::PoisonValue::get(word);
  constexpr uint32_t kRowXmask = 0x160; // DPP control
  if (mask & 15) {
    Value* control = e.ir.getInt32(kRowXmask | (mask & 15));
    value = e.intrinsic(Intrinsic::amdgcn_update_dpp, {word},
                        {old, value, control, e.ir.getInt32(15), e.ir.getInt32(15), e.ir.getTrue()});
  }
  if (mask & 16)
    value = e.intrinsic(
        Intrinsic::amdgcn_permlanex16, {word},
        {old, value, e.ir.getInt32(0x76543210), e.ir.getInt32(0xfedcba98), e.ir.getFalse(), e.ir.getFalse()});
  return value;
}

Value* warp_shuffle64(Emitter& e, Value* value, Value* lane) {
  llvm::Type* word = e.ir.getInt32Ty();
  Value* low = warp_shuffle(e, e.ir.CreateTrunc(value, word), lane);
  Value* high = warp_shuffle(e, e.ir.CreateTrunc(e.ir.CreateLShr(value, 32), word), lane);
  llvm::Type* wide = e.ir.getInt64Ty();
  return e.ir.CreateOr(e.ir.CreateZExt(low, wide), e.ir.CreateShl(e.ir.CreateZExt(high, wide), 32));
}

Value* first_lane(Emitter& e, Value* value) {
  llvm::Type* word = e.ir.getInt32Ty();
  const auto first = [&](Value* v) { return e.intrinsic(Intrinsic::amdgcn_readfirstlane, {word}, {v}); };
  if (value->getType() == word) return first(value);
  llvm::Type* wide = e.ir.getInt64Ty();
  Value* low = first(e.ir.CreateTrunc(value, word));
  Value* high = first(e.ir.CreateTrunc(e.ir.CreateLShr(value, 32), word));
  return e.ir.CreateOr(e.ir.CreateZExt(low, wide), e.ir.CreateShl(e.ir.CreateZExt(high, wide), 32));
}

Value* lowest_bit(Emitter& e, Value* mask) {
  return e.intrinsic(Intrinsic::cttz, {mask->getType()}, {mask, e.ir.getFalse()});
}

Value* warp_participants(Emitter& e, unsigned n) {
  if (!e.has(Mod::sync)) return warp_ballot(e, e.ir.getTrue());
  Value* members = e.read(n, ScalarType::B32);
  converge(e, members);
  return e.ir.CreateAnd(warp_ballot(e, e.ir.getTrue()), members);
}

} // namespace ptxshim::ptx
