// SPDX-License-Identifier: MIT
// match.any gives each lane the mask of the lanes with its value: a loop takes the first lane's value,
// answers all lanes that have it, and goes on with the rest. match.all compares every lane with the lowest
// participant.
#include "lower/function.h"
#include "lower/warp.h"
#include "ops/op.h"

namespace ptxshim::ptx {

static void match_any(Emitter& e, Value* value, Value* members) {
  llvm::IRBuilder<>& ir = e.ir;
  llvm::BasicBlock* loop = e.function.new_block("match.loop");
  llvm::BasicBlock* done = e.function.new_block("match.done");
  ir.CreateBr(loop);
  ir.SetInsertPoint(loop);
  Value* same = ir.CreateICmpEQ(value, first_lane(e, value));
  Value* mask = ir.CreateAnd(warp_ballot(e, same), members);
  ir.CreateCondBr(same, done, loop);
  ir.SetInsertPoint(done);
  llvm::PHINode* result = ir.CreatePHI(ir.getInt32Ty(), 1);
  result->addIncoming(mask, loop);
  e.write(0, result, ScalarType::B32);
}

} // namespace ptxshim::ptx

// clang-format off
PTXSHIM_OP(match,
    {"match.any.sync<t> d, a, e",   "t=.b32|.b64", "d:b32 a:t e:b32", 60, 70},
    {"match.all.sync<t> d, a, e",   "t=.b32|.b64", "d:b32 a:t e:b32", 60, 70},
    {"match.all.sync<t> d|p, a, e", "t=.b32|.b64", "d:b32 p:pred a:t e:b32", 60, 70}) {
  // clang-format on
  const bool has_predicate = e.operand(0).paired;
  const unsigned first = has_predicate ? 2 : 1;
  const ScalarType type = e.type();
  Value* value = e.read(first, type);
  Value* members = warp_participants(e, first + 1);
  if (e.has(Mod::any)) {
    match_any(e, value, members);
    return {};
  }
  Value* lowest = lowest_bit(e, members);
  Value* reference =
      type == ScalarType::B64 ? warp_shuffle64(e, value, lowest) : warp_shuffle(e, value, lowest);
  Value* same = e.ir.CreateAnd(warp_ballot(e, e.ir.CreateICmpEQ(value, reference)), members);
  Value* all = e.ir.CreateICmpEQ(same, members);
  e.write(0, e.ir.CreateSelect(all, members, e.ir.getInt32(0)), ScalarType::B32);
  if (has_predicate) e.write(1, all);
  return {};
}
