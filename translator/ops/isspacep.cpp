// SPDX-License-Identifier: MIT
// Which window a generic address lies in. Constant variables are part of global memory here: .const compares
// with each of the module's own.
#include "lower/function.h"
#include "ops/op.h"

namespace ptxshim::ptx {

static Value* isspacep_const(Emitter& e, Value* address) {
  Value* inside = e.ir.getFalse();
  for (SymbolId id : e.module.variables) {
    const Symbol& symbol = e.module.symbols[id];
    llvm::Constant* variable = e.function.owner.variable(id);
    if (symbol.space != StateSpace::Const || !variable) continue;
    Value* distance = e.ir.CreateSub(address, e.ir.CreatePtrToInt(variable, e.ir.getInt64Ty()));
    inside = e.ir.CreateOr(inside, e.ir.CreateICmpULT(distance, e.ir.getInt64(symbol.size)));
  }
  return inside;
}

} // namespace ptxshim::ptx

// clang-format off
PTXSHIM_OP(isspacep, {"isspacep<ss> p, a", "ss=.const|.global|.local|.shared|.shared::cta|.shared::cluster|.param|.param::entry", "p:pred a:b64", 20, 20}) {
  // clang-format on
  Value* address = e.read(1, ScalarType::B64);
  Value* pointer = e.pointer(address, kFlat);
  const auto is = [&](ID id) { return e.intrinsic(id, {}, {pointer}); };
  switch (e.space()) {
  case StateSpace::Shared:
    e.write(0, is(Intrinsic::amdgcn_is_shared));
    break;
  case StateSpace::Local:
    e.write(0, is(Intrinsic::amdgcn_is_private));
    break;
  case StateSpace::Global:
    e.write(0,
            e.ir.CreateNot(e.ir.CreateOr(is(Intrinsic::amdgcn_is_shared), is(Intrinsic::amdgcn_is_private))));
    break;
  case StateSpace::Const:
    e.write(0, isspacep_const(e, address));
    break;
  case StateSpace::Param:
  case StateSpace::None:
  case StateSpace::Reg:
  case StateSpace::Tex:
    return e.error("isspacep of this state space is not supported", CUDA_ERROR_NOT_SUPPORTED);
  }
  return {};
}
