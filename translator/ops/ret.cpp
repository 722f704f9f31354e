// SPDX-License-Identifier: MIT
#include "lower/function.h"
#include "ops/op.h"

PTXSHIM_OP(ret, {"ret{u}", "u?=.uni"}) {
  e.function.emit_return();
  return {};
}
