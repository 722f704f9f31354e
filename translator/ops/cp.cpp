// SPDX-License-Identifier: MIT
// cp.async from global to shared memory. It is done at once: a copy may complete at any time before it is waited for, so this is one of the
// orders that programs must expect, and committing and waiting have nothing left to do. (AMD's hardware has a path from memory to LDS past the
// registers, but it copies for a whole wave to one place.)
//
// Where fewer bytes are asked for than copied the rest is zero, and nothing beyond them may be read. Nearly always all or none is: that is
// one branch; the odd sizes between go byte by byte.
#include "lower/function.h"
#include "ops/op.h"
#include "ops/values.h"

namespace ptxshim::ptx {
namespace {

Value* wide_load(Emitter& e, llvm::Type* type, Value* from, uint64_t bytes) {
  return e.ir.CreateAlignedLoad(type, from, llvm::Align(bytes));
}

// The first `count` bytes at `from`, zeros behind them.
Value* partial_load(Emitter& e, llvm::Type* type, Value* from, uint64_t bytes, Value* count) {
  auto* vector = llvm::FixedVectorType::get(e.ir.getInt8Ty(), static_cast<unsigned>(bytes));
  Value* mask = llvm::PoisonValue::get(llvm::FixedVectorType::get(e.ir.getInt1Ty(), static_cast<unsigned>(bytes)));
  for (uint64_t n = 0; n < bytes; ++n) mask = e.ir.CreateInsertElement(mask, e.ir.CreateICmpUGT(count, int_like(count, n)), n);
  Value* loaded = e.ir.CreateMaskedLoad(vector, from, llvm::Align(bytes), mask, llvm::Constant::getNullValue(vector));
  return e.ir.CreateBitCast(loaded, type);
}

// All bytes where `whole`, otherwise `count` of them (none without it).
Value* conditional_load(Emitter& e, llvm::Type* type, Value* from, uint64_t bytes, Value* whole, Value* count) {
  llvm::LLVMContext& context = e.ir.getContext();
  llvm::Function* function = e.ir.GetInsertBlock()->getParent();
  auto* all = llvm::BasicBlock::Create(context, "cp.all", function);
  auto* some = llvm::BasicBlock::Create(context, "cp.some", function);
  auto* join = llvm::BasicBlock::Create(context, "cp.join", function);
  e.ir.CreateCondBr(whole, all, some);
  e.ir.SetInsertPoint(all);
  Value* everything = wide_load(e, type, from, bytes);
  e.ir.CreateBr(join);
  e.ir.SetInsertPoint(some);
  Value* part = count ? partial_load(e, type, from, bytes, count) : llvm::Constant::getNullValue(type);
  e.ir.CreateBr(join);
  e.ir.SetInsertPoint(join);
  llvm::PHINode* result = e.ir.CreatePHI(type, 2);
  result->addIncoming(everything, all);
  result->addIncoming(part, some);
  return result;
}

bool is_predicate(const Emitter& e, unsigned n) {
  const Operand& operand = e.operand(n);
  return operand.kind == OperandKind::Register && e.function.register_type(operand.index)->isIntegerTy(1);
}

} // namespace
} // namespace ptxshim::ptx

#define PTXSHIM_CP_WHERE "c=.ca|.cg; ss=.shared|.shared::cta; pf?=.L2::64B|.L2::128B|.L2::256B"

// clang-format off
PTXSHIM_OP(cp,
  {"cp.async<c><ss>.global{pf} [saddr], [gaddr], a", PTXSHIM_CP_WHERE, "a:u32", 70, 80},
  {"cp.async<c><ss>.global{pf} [saddr], [gaddr], a, b", PTXSHIM_CP_WHERE, "a:u32 b:u32", 70, 80},
  {"cp.async<c><ss>.global{pf} [saddr], [gaddr], a, c0", PTXSHIM_CP_WHERE, "a:u32 c0:pred", 75, 80},
  {"cp.async<c><ss>.global.L2::cache_hint{pf} [saddr], [gaddr], a, b", PTXSHIM_CP_WHERE, "a:u32 b:b64", 74, 80},
  {"cp.async<c><ss>.global.L2::cache_hint{pf} [saddr], [gaddr], a, b, e", PTXSHIM_CP_WHERE, "a:u32 b:u32 e:b64", 74, 80},
  {"cp.async<c><ss>.global.L2::cache_hint{pf} [saddr], [gaddr], a, c0, b", PTXSHIM_CP_WHERE, "a:u32 c0:pred b:b64", 75, 80},
  {"cp.async.commit_group", "", "", 70, 80},
  {"cp.async.wait_group a", "", "a:u32", 70, 80},
  {"cp.async.wait_all", "", "", 70, 80}) {
  // clang-format on
  if (e.has(Mod::commit_group) || e.has(Mod::wait_group) || e.has(Mod::wait_all)) return {};
  auto* size = llvm::dyn_cast<llvm::ConstantInt>(e.read(2, ScalarType::U32));
  uint64_t bytes = size ? size->getZExtValue() : 0;
  if (bytes != 16 && (e.has(Mod::cg) || (bytes != 4 && bytes != 8)))
    return e.error("cp.async copies 4, 8 or 16 bytes, with .cg only 16");
  Value* to = e.address(0, StateSpace::Shared);
  Value* from = e.address(1, StateSpace::Global);
  llvm::Type* word = e.ir.getInt32Ty();
  llvm::Type* type = bytes == 4 ? word : llvm::FixedVectorType::get(word, static_cast<unsigned>(bytes / 4));
  unsigned extra = e.operand_count() - 3 - (e.has(Mod::L2_cache_hint) ? 1 : 0);
  Value* value = nullptr;
  if (extra == 0) {
    value = wide_load(e, type, from, bytes);
  } else if (is_predicate(e, 3)) {
    value = conditional_load(e, type, from, bytes, e.ir.CreateNot(e.read(3, ScalarType::Pred)), nullptr);
  } else {
    Value* count = e.read(3, ScalarType::U32);
    value = conditional_load(e, type, from, bytes, e.ir.CreateICmpUGE(count, int_like(count, bytes)), count);
  }
  e.ir.CreateAlignedStore(value, to, llvm::Align(bytes));
  return {};
}
