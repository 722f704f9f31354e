// SPDX-License-Identifier: MIT
#include "lower/warp.h"

namespace ptxshim::ptx {

namespace Intrinsic = llvm::Intrinsic;

Value* wave_lane(Emitter& e) {
  Value* all = e.ir.getInt32(~0u);
  Value* low = e.intrinsic(Intrinsic::amdgcn_mbcnt_lo, {}, {all, e.ir.getInt32(0)});
  return e.wave64() ? e.intrinsic(Intrinsic::amdgcn_mbcnt_hi, {}, {all, low}) : low;
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
  return e.ir.CreateSelect(e.ir.CreateICmpUGE(wave_lane(e), e.ir.getInt32(32)), high, low);
}

Value* warp_shuffle(Emitter& e, Value* value, Value* lane) {
  if (e.wave64()) lane = e.ir.CreateOr(lane, e.ir.CreateAnd(wave_lane(e), 32));
  return e.intrinsic(Intrinsic::amdgcn_ds_bpermute, {}, {e.ir.CreateShl(lane, 2), value});
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
  Value* active = warp_ballot(e, e.ir.getTrue());
  return e.has(Mod::sync) ? e.ir.CreateAnd(active, e.read(n, ScalarType::B32)) : active;
}

} // namespace ptxshim::ptx
