// SPDX-License-Identifier: MIT
#include "ops/op.h"

PTXSHIM_OP(fns, {"fns.b32 d, a, b, c", "", "d:b32 a:b32 b:b32 c:s32", 60, 30}) {
  e.write(0, e.device("ptx_fns", e.ir.getInt32Ty(), {e.read(1), e.read(2), e.read(3, ScalarType::S32)}), ScalarType::B32);
  return {};
}
