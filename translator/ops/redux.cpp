// SPDX-License-Identifier: MIT
// A loop over the participating lanes: right for every mask, and no lane's value is counted twice.
#include "lower/function.h"
#include "lower/warp.h"
#include "ops/op.h"

namespace ptxshim::ptx {

static Value* redux_combine(Emitter& e, ScalarType type, Value* a, Value* b) {
  llvm::IRBuilder<>& ir = e.ir;
  const bool is_signed = kind_of(type) == TypeKind::Signed;
  if (e.has(Mod::add)) return ir.CreateAdd(a, b);
  if (e.has(Mod::and_)) return ir.CreateAnd(a, b);
  if (e.has(Mod::or_)) return ir.CreateOr(a, b);
  if (e.has(Mod::xor_)) return ir.CreateXor(a, b);
  if (e.has(Mod::min)) return ir.CreateBinaryIntrinsic(is_signed ? Intrinsic::smin : Intrinsic::umin, a, b);
  return ir.CreateBinaryIntrinsic(is_signed ? Intrinsic::smax : Intrinsic::umax, a, b);
}

} // namespace ptxshim::ptx

// clang-format off
PTXSHIM_OP(redux,
    {"redux.sync<o><t> d, a, e",  "o=.add|.min|.max; t=.u32|.s32", "d:t a:t e:u32", 70, 80},
    {"redux.sync<o>.b32 d, a, e", "o=.and|.or|.xor", "d:b32 a:b32 e:u32", 70, 80}) {
  // clang-format on
  llvm::IRBuilder<>& ir = e.ir;
  const ScalarType type = e.type();
  Value* value = e.read(1, type);
  Value* members = warp_participants(e, 2);
  Value* start = warp_shuffle(e, value, lowest_bit(e, members));
  Value* rest = ir.CreateAnd(members, ir.CreateSub(members, ir.getInt32(1)));
  llvm::BasicBlock* before = ir.GetInsertBlock();
  llvm::BasicBlock* head = e.function.new_block("redux.head");
  llvm::BasicBlock* body = e.function.new_block("redux.body");
  llvm::BasicBlock* done = e.function.new_block("redux.done");
  ir.CreateBr(head);
  ir.SetInsertPoint(head);
  llvm::PHINode* sum = ir.CreatePHI(ir.getInt32Ty(), 2);
  llvm::PHINode* left = ir.CreatePHI(ir.getInt32Ty(), 2);
  ir.CreateCondBr(ir.CreateICmpEQ(left, ir.getInt32(0)), done, body);
  ir.SetInsertPoint(body);
  Value* next = redux_combine(e, type, sum, warp_shuffle(e, value, lowest_bit(e, left)));
  Value* fewer = ir.CreateAnd(left, ir.CreateSub(left, ir.getInt32(1)));
  ir.CreateBr(head);
  sum->addIncoming(start, before);
  sum->addIncoming(next, body);
  left->addIncoming(rest, before);
  left->addIncoming(fewer, body);
  ir.SetInsertPoint(done);
  e.write(0, sum, type);
  return {};
}
