// SPDX-License-Identifier: MIT
#include "ops/op.h"
#include "ops/trigonometry.h"

// clang-format off
PTXSHIM_OP(cos,
  {"cos.approx{ftz}.f32 d, a", "ftz?=.ftz", "", 14, 10},
  {"cos{ftz}.f32 d, a", "ftz?=.ftz", "", 10, 10, 14}) { // before .version 1.4
  // clang-format on
  Value* magnitude = e.ir.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, e.read(1));
  e.write(0, native(e, llvm::Intrinsic::amdgcn_cos, turns(e, magnitude)), e.type());
  return {};
}
