// SPDX-License-Identifier: MIT
// A cluster has one thread block here: the address in block 0 of it is the address itself.
#include "ops/op.h"

PTXSHIM_OP(mapa, {"mapa{ss}<t> d, a, b", "ss?=.shared::cluster; t=.u32|.u64", "d:t a:t b:u32", 78, 90}) {
  e.write(0, e.read(1), e.type());
  return {};
}
