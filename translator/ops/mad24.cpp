// SPDX-License-Identifier: MIT
#include "ops/mul24.h"
#include "ops/op.h"

// clang-format off
PTXSHIM_OP(mad24,
  {"mad24<m><t> d, a, b, c", "m=.hi|.lo; t=.u32|.s32", "", 10, 10},
  {"mad24.hi.sat.s32 d, a, b, c", "", "", 10, 10}) {
  // clang-format on
  Value* product = mul24_half(e, e.read(1), e.read(2));
  Value* c = e.read(3);
  Value* sum = e.has(Mod::sat) ? e.ir.CreateBinaryIntrinsic(llvm::Intrinsic::sadd_sat, product, c)
                               : e.ir.CreateAdd(product, c);
  e.write(0, sum, e.type());
  return {};
}
