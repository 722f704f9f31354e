// SPDX-License-Identifier: MIT
// PTX ISA, "shfl.sync": bits 0-4 of c clamp the source lane, bits 8-12 split the warp into segments; delta,
// clamp and segment are 5 bits each. A source out of range keeps the thread's own value and gives a false
// predicate. Exited or absent lanes give anything.
#include "lower/progress.h"
#include "lower/warp.h"
#include "ops/op.h"

namespace ptxshim::ptx {

// A butterfly over the whole warp with a constant mask, 0 when it is none.
static uint32_t shfl_constant_mask(Emitter& e, unsigned first) {
  const Operand& mask = e.operand(first + 1);
  const Operand& control = e.operand(first + 2);
  const bool constant = mask.kind == OperandKind::Integer && control.kind == OperandKind::Integer;
  return constant && e.has(Mod::bfly) && (control.value & 0x1f1f) == 31
             ? static_cast<uint32_t>(mask.value & 31)
             : 0;
}

} // namespace ptxshim::ptx

// clang-format off
PTXSHIM_OP(shfl,
    {"shfl.sync<m>.b32 d, a, b, c, e",   "m=.up|.down|.bfly|.idx", "d:b32 a:b32 b:b32 c:b32 e:b32", 60, 30},
    {"shfl.sync<m>.b32 d|p, a, b, c, e", "m=.up|.down|.bfly|.idx", "d:b32 p:pred a:b32 b:b32 c:b32 e:b32", 60, 30},
    {"shfl<m>.b32 d, a, b, c",           "m=.up|.down|.bfly|.idx", "d:b32 a:b32 b:b32 c:b32", 30, 30},
    {"shfl<m>.b32 d|p, a, b, c",         "m=.up|.down|.bfly|.idx", "d:b32 p:pred a:b32 b:b32 c:b32", 30, 30}) {
  // clang-format on
  const bool has_predicate = e.operand(0).paired;
  const unsigned first = has_predicate ? 2 : 1;
  llvm::IRBuilder<>& ir = e.ir;
  if (e.has(Mod::sync)) converge(e, e.read(first + 3, ScalarType::B32));
  Value* value = e.read(first, ScalarType::B32);
  if (const uint32_t mask = shfl_constant_mask(e, first); mask && e.gfx_major() >= 10) {
    e.write(0, warp_exchange(e, value, mask), ScalarType::B32);
    if (has_predicate) e.write(1, ir.getTrue());
    return {};
  }
  Value* delta = ir.CreateAnd(e.read(first + 1, ScalarType::B32), 31);
  Value* control = e.read(first + 2, ScalarType::B32);
  Value* clamp = ir.CreateAnd(control, 31);
  Value* segment = ir.CreateAnd(ir.CreateLShr(control, 8), 31);
  Value* lane = warp_lane(e);
  Value* lowest = ir.CreateAnd(lane, segment);
  Value* limit = ir.CreateOr(lowest, ir.CreateAnd(clamp, ir.CreateNot(segment)));
  Value* source = nullptr;
  Value* valid = nullptr;
  if (e.has(Mod::up)) {
    source = ir.CreateSub(lane, delta);
    valid = ir.CreateICmpSGE(source, limit);
  } else {
    source = e.has(Mod::down)   ? ir.CreateAdd(lane, delta)
             : e.has(Mod::bfly) ? ir.CreateXor(lane, delta)
                                : ir.CreateOr(lowest, ir.CreateAnd(delta, ir.CreateNot(segment)));
    valid = ir.CreateICmpSLE(source, limit);
  }
  e.write(0, warp_shuffle(e, value, ir.CreateSelect(valid, source, lane)), ScalarType::B32);
  if (has_predicate) e.write(1, valid);
  return {};
}
