// SPDX-License-Identifier: MIT
#include "ops/op.h"

PTXSHIM_OP(selp, {"selp<t> d, a, b, c0", "t=.b16|.b32|.b64|.u16|.u32|.u64|.s16|.s32|.s64|.f32|.f64",
                  "d:t a:t b:t c0:pred", 10, 10}) {
  e.write(0, e.ir.CreateSelect(e.read(3, ScalarType::Pred), e.read(1), e.read(2)), e.type());
  return {};
}
