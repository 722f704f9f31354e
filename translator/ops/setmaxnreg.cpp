// SPDX-License-Identifier: MIT
// Moves registers between warps of a block; AMD's are given to a wave when it starts.
#include "ops/op.h"

PTXSHIM_OP(setmaxnreg, {"setmaxnreg<dir>.sync.aligned.u32 a", "dir=.inc|.dec", "a:u32", 80, 90}) {
  return {};
}
