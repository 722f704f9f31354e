// SPDX-License-Identifier: MIT
#include "ops/op.h"
#include "ops/values.h"

PTXSHIM_OP(sad, {"sad<t> d, a, b, c", "t=.u16|.u32|.u64|.s16|.s32|.s64", "", 10, 10}) {
  Value* a = e.read(1);
  Value* b = e.read(2);
  Value* less = is_signed(e.type()) ? e.ir.CreateICmpSLT(a, b) : e.ir.CreateICmpULT(a, b);
  Value* distance = e.ir.CreateSelect(less, e.ir.CreateSub(b, a), e.ir.CreateSub(a, b));
  e.write(0, e.ir.CreateAdd(e.read(3), distance), e.type());
  return {};
}
