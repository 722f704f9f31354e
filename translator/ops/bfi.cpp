// SPDX-License-Identifier: MIT
#include "ops/op.h"
#include "ops/values.h"

PTXSHIM_OP(bfi, {"bfi<t> d, a, b, c, e", "t=.b32|.b64", "d:t a:t b:t c:u32 e:u32", 20, 20}) {
  Value* field = e.read(1);
  Value* base = e.read(2);
  auto byte = [&](unsigned n) {
    return e.ir.CreateZExtOrTrunc(e.ir.CreateAnd(e.read(n, ScalarType::U32), 0xff), base->getType());
  };
  Value* position = byte(3);
  Value* mask = shl_clamped(e, low_mask(e, byte(4)), position);
  Value* inserted = e.ir.CreateAnd(shl_clamped(e, field, position), mask);
  e.write(0, e.ir.CreateOr(e.ir.CreateAnd(base, e.ir.CreateNot(mask)), inserted), e.type());
  return {};
}
