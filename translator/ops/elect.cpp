// SPDX-License-Identifier: MIT
// The leader is the lowest participating lane.
#include "lower/warp.h"
#include "ops/op.h"

PTXSHIM_OP(elect, {"elect.sync d|p, e", "", "d:b32 p:pred e:b32", 80, 90}) {
  Value* leader = lowest_bit(e, warp_participants(e, 2));
  e.write(0, leader, ScalarType::B32);
  e.write(1, e.ir.CreateICmpEQ(warp_lane(e), leader));
  return {};
}
