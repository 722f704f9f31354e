// SPDX-License-Identifier: MIT
#include "ops/op.h"
#include "ops/values.h"

PTXSHIM_OP(addc, {"addc{cc}<t> d, a, b", "cc?=.cc; t=.u32|.s32|.u64|.s64", "", 12, 10}) {
  Value* a = e.read(1);
  Value* b = e.read(2);
  Value* carry = e.read_carry();
  Value* partial = e.ir.CreateAdd(a, b);
  Value* sum = e.ir.CreateAdd(partial, e.ir.CreateZExt(carry, a->getType()));
  if (e.has(Mod::cc)) e.write_carry(e.ir.CreateOr(e.ir.CreateICmpULT(partial, a), e.ir.CreateICmpULT(sum, partial)));
  e.write(0, sum, e.type());
  return {};
}
