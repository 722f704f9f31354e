// SPDX-License-Identifier: MIT
#include "lower/warp.h"
#include "ops/op.h"

// clang-format off
PTXSHIM_OP(vote,
    {"vote.sync<m>.pred p, c0, e",     "m=.all|.any|.uni", "p:pred c0:pred e:b32", 60, 30},
    {"vote.sync.ballot.b32 d, c0, e",  "", "d:b32 c0:pred e:b32", 60, 30},
    {"vote<m>.pred p, c0",             "m=.all|.any|.uni", "p:pred c0:pred", 12, 12},
    {"vote.ballot.b32 d, c0",          "", "d:b32 c0:pred", 20, 20}) {
  // clang-format on
  Value* members = warp_participants(e, 2);
  Value* set = e.ir.CreateAnd(warp_ballot(e, e.read(1, ScalarType::Pred)), members);
  Value* none = e.ir.CreateICmpEQ(set, e.ir.getInt32(0));
  Value* all = e.ir.CreateICmpEQ(set, members);
  if (e.has(Mod::ballot))
    e.write(0, set, ScalarType::B32);
  else if (e.has(Mod::all))
    e.write(0, all);
  else if (e.has(Mod::any))
    e.write(0, e.ir.CreateNot(none));
  else
    e.write(0, e.ir.CreateOr(none, all));
  return {};
}
