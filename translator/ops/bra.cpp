// SPDX-License-Identifier: MIT
#include "lower/function.h"
#include "ops/op.h"

PTXSHIM_OP(bra, {"bra{u} label", "u?=.uni"}) {
  if (e.operand(0).kind != OperandKind::Label) return e.error("bra needs a label");
  e.ir.CreateBr(e.function.label(e.operand(0).index));
  return {};
}
