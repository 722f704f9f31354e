// SPDX-License-Identifier: MIT
// The carry out is that of the final addition alone; the product's half cannot carry.
#include "ops/op.h"
#include "ops/values.h"

PTXSHIM_OP(madc, {"madc<h>{cc}<t> d, a, b, c", "h=.hi|.lo; cc?=.cc; t=.u32|.s32|.u64|.s64", "", 30, 20}) {
  Value* product = mul_half(e, e.read(1), e.read(2), e.type());
  Value* partial = e.ir.CreateAdd(product, e.read(3));
  Value* sum = e.ir.CreateAdd(partial, e.ir.CreateZExt(e.read_carry(), product->getType()));
  if (e.has(Mod::cc))
    e.write_carry(e.ir.CreateOr(e.ir.CreateICmpULT(partial, product), e.ir.CreateICmpULT(sum, partial)));
  e.write(0, sum, e.type());
  return {};
}
