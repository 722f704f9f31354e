// SPDX-License-Identifier: MIT
// Four byte products added to c; everything wraps. Where the machine has the instruction for these signs it is used by name: LLVM finds
// it only for some orders of the bytes.
#include "ops/op.h"
#include "ops/values.h"

namespace ptxshim::ptx {

// v_dot4_i32_i8 and v_dot4_u32_u8 came with gfx906, not with gfx909, gfx90c and gfx1010; gfx11 has one for all signs.
static bool has_dot4(const Emitter& e) {
  llvm::StringRef gfx = e.gfx();
  bool old = gfx == "gfx906" || gfx == "gfx908" || gfx == "gfx90a" || gfx.starts_with("gfx94") || gfx.starts_with("gfx95");
  bool middle = gfx == "gfx1011" || gfx == "gfx1012" || gfx.starts_with("gfx103");
  return old || middle;
}

} // namespace ptxshim::ptx

PTXSHIM_OP(dp4a, {"dp4a<x><y> d, a, b, c", "x=.u32|.s32; y=.u32|.s32", "d:u32 a:u32 b:u32 c:u32", 50, 61}) {
  Value* a = e.read(1, ScalarType::B32);
  Value* b = e.read(2, ScalarType::B32);
  Value* sum = e.read(3, ScalarType::U32);
  if (e.type(0) == e.type(1) && has_dot4(e)) {
    ID dot = is_signed(e.type(0)) ? llvm::Intrinsic::amdgcn_sdot4 : llvm::Intrinsic::amdgcn_udot4;
    e.write(0, e.intrinsic(dot, {}, {a, b, sum, e.ir.getFalse()}), ScalarType::U32);
    return {};
  }
  if (e.gfx_major() >= 11) {
    auto flag = [&](unsigned n) { return e.ir.getInt1(is_signed(e.type(n))); };
    e.write(0, e.intrinsic(llvm::Intrinsic::amdgcn_sudot4, {}, {flag(0), a, flag(1), b, sum, e.ir.getFalse()}), ScalarType::U32);
    return {};
  }
  auto byte = [&](Value* v, unsigned n, ScalarType t) {
    return widened(e, e.ir.CreateTrunc(e.ir.CreateLShr(v, 8 * n), e.ir.getInt8Ty()), t, e.ir.getInt32Ty());
  };
  for (unsigned n = 0; n < 4; ++n)
    sum = e.ir.CreateAdd(sum, e.ir.CreateMul(byte(a, n, e.type(0)), byte(b, n, e.type(1))));
  e.write(0, sum, ScalarType::U32);
  return {};
}
