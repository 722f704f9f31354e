// SPDX-License-Identifier: MIT
// A cluster has one thread block here, of rank 0.
#include "ops/op.h"

PTXSHIM_OP(getctarank, {"getctarank{ss}<t> d, a", "ss?=.shared::cluster; t=.u32|.u64", "d:u32 a:t", 78, 90}) {
  e.write(0, e.ir.getInt32(0), ScalarType::U32);
  return {};
}
