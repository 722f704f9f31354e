// SPDX-License-Identifier: MIT
// v_log_f32 takes no subnormals: without .ftz they are scaled by 2^32, and 32 is subtracted again.
#include "ops/float_arithmetic.h"
#include "ops/op.h"

// clang-format off
PTXSHIM_OP(lg2,
  {"lg2.approx{ftz}.f32 d, a", "ftz?=.ftz", "", 14, 10},
  {"lg2{ftz}.f32 d, a", "ftz?=.ftz", "", 10, 10, 14}) { // before .version 1.4
  // clang-format on
  Value* a = e.read(1);
  if (e.has(Mod::ftz)) {
    e.write(0, native(e, llvm::Intrinsic::amdgcn_log, a), e.type());
    return {};
  }
  Value* small = e.ir.CreateFCmpOLT(a, float_like(a, 0x1p-126));
  Value* scaled = e.ir.CreateFMul(a, e.ir.CreateSelect(small, float_like(a, 0x1p32), float_like(a, 1.0)));
  Value* excess = e.ir.CreateSelect(small, float_like(a, 32.0), float_like(a, 0.0));
  e.write(0, e.ir.CreateFSub(native(e, llvm::Intrinsic::amdgcn_log, scaled), excess), e.type());
  return {};
}
