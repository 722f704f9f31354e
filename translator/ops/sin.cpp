// SPDX-License-Identifier: MIT
// Odd: computed on the magnitude, so that -0 stays -0.
#include "ops/op.h"
#include "ops/trigonometry.h"

// clang-format off
PTXSHIM_OP(sin,
  {"sin.approx{ftz}.f32 d, a", "ftz?=.ftz", "", 14, 10},
  {"sin{ftz}.f32 d, a", "ftz?=.ftz", "", 10, 10, 14}) { // before .version 1.4
  // clang-format on
  Value* a = e.read(1);
  Value* magnitude = e.ir.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, a);
  Value* sine = float_bits(e, native(e, llvm::Intrinsic::amdgcn_sin, turns(e, magnitude)));
  Value* sign = e.ir.CreateAnd(float_bits(e, a), 0x8000'0000);
  e.write(0, from_bits(e, e.ir.CreateXor(sine, sign), a->getType()), e.type());
  return {};
}
