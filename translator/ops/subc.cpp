// SPDX-License-Identifier: MIT
// d = a - (b + CC.CF); the flag holds the borrow, before and after.
#include "ops/op.h"
#include "ops/values.h"

PTXSHIM_OP(subc, {"subc{cc}<t> d, a, b", "cc?=.cc; t=.u32|.s32|.u64|.s64", "", 13, 10}) {
  Value* a = e.read(1);
  Value* b = e.read(2);
  Value* borrow = e.ir.CreateZExt(e.read_carry(), a->getType());
  Value* partial = e.ir.CreateSub(a, b);
  if (e.has(Mod::cc))
    e.write_carry(e.ir.CreateOr(e.ir.CreateICmpULT(a, b), e.ir.CreateICmpULT(partial, borrow)));
  e.write(0, e.ir.CreateSub(partial, borrow), e.type());
  return {};
}
