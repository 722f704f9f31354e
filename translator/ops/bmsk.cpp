// SPDX-License-Identifier: MIT
// A mask of b bits that starts at bit a.
#include "ops/op.h"
#include "ops/values.h"

PTXSHIM_OP(bmsk, {"bmsk<m>.b32 d, a, b", "m=.clamp|.wrap", "d:b32 a:u32 b:u32", 76, 70}) {
  Value* start = e.read(1, ScalarType::U32);
  Value* width = e.read(2, ScalarType::U32);
  if (e.has(Mod::wrap)) {
    start = e.ir.CreateAnd(start, 31);
    width = e.ir.CreateAnd(width, 31);
  }
  e.write(0, shl_clamped(e, low_mask(e, width), start), ScalarType::B32);
  return {};
}
