// SPDX-License-Identifier: MIT
// Extends the low b bits of a; no bits give 0. .wrap counts modulo 32, .clamp keeps a whole from 32 on.
#include "ops/op.h"
#include "ops/values.h"

PTXSHIM_OP(szext, {"szext<m><t> d, a, b", "m=.clamp|.wrap; t=.u32|.s32", "d:t a:t b:u32", 76, 70}) {
  Value* a = e.read(1);
  Value* count = e.read(2, ScalarType::U32);
  if (e.has(Mod::wrap)) count = e.ir.CreateAnd(count, 31);
  if (!is_signed(e.type())) {
    e.write(0, e.ir.CreateAnd(a, low_mask(e, count)), e.type());
    return {};
  }
  Value* whole = e.ir.CreateICmpUGE(count, int_like(count, 32));
  Value* unused = e.ir.CreateSelect(whole, int_like(count, 0), e.ir.CreateSub(int_like(count, 32), count));
  e.write(0, ashr_clamped(e, shl_clamped(e, a, unused), unused), e.type());
  return {};
}
