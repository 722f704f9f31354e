// SPDX-License-Identifier: MIT
// Picks four bytes out of the eight of b:a. In the plain mode each nibble of c names a byte, and its top bit asks for that byte's sign
// in all eight bits; the other modes are sixteen selectors of the plain one, chosen by the low two bits of c.
// v_perm_b32 numbers the bytes the same way but knows the sign of only some of them: the signs are made here.
#include "ops/op.h"
#include "ops/values.h"

namespace ptxshim::ptx {

// Four selectors of 16 bits, that for c = 0 in the lowest (PTX ISA, "prmt", table of modes).
static uint64_t mode_selectors(const Emitter& e) {
  // clang-format off
  if (e.has(Mod::f4e))  return 0x6543'5432'4321'3210;
  if (e.has(Mod::b4e))  return 0x0123'7012'6701'5670;
  if (e.has(Mod::rc8))  return 0x3333'2222'1111'0000;
  if (e.has(Mod::ecl))  return 0x3333'3222'3211'3210;
  if (e.has(Mod::ecr))  return 0x3210'2210'1110'0000;
  if (e.has(Mod::rc16)) return 0x3232'1010'3232'1010;
  // clang-format on
  return 0;
}

} // namespace ptxshim::ptx

PTXSHIM_OP(prmt, {"prmt.b32{m} d, a, b, c", "m?=.f4e|.b4e|.rc8|.ecl|.ecr|.rc16", "d:b32 a:b32 b:b32 c:b32", 20, 20}) {
  Value* a = e.read(1);
  Value* b = e.read(2);
  Value* c = e.read(3);
  if (uint64_t selectors = mode_selectors(e)) {
    Value* shift = e.ir.CreateZExt(e.ir.CreateShl(e.ir.CreateAnd(c, 3), 4), e.ir.getInt64Ty());
    c = e.ir.CreateTrunc(e.ir.CreateLShr(e.ir.getInt64(selectors), shift), c->getType());
  }
  // One nibble to a byte.
  c = e.ir.CreateAnd(c, 0xffff);
  c = e.ir.CreateAnd(e.ir.CreateOr(c, e.ir.CreateShl(c, 8)), 0x00ff00ff);
  c = e.ir.CreateAnd(e.ir.CreateOr(c, e.ir.CreateShl(c, 4)), 0x0f0f0f0f);
  Value* picked = e.intrinsic(llvm::Intrinsic::amdgcn_perm, {}, {b, a, e.ir.CreateAnd(c, 0x07070707)});
  auto spread = [&](Value* bits) { return e.ir.CreateMul(e.ir.CreateAnd(bits, 0x01010101), int_like(bits, 0xff)); };
  Value* want_sign = spread(e.ir.CreateLShr(c, 3));
  Value* sign = spread(e.ir.CreateLShr(picked, 7));
  Value* kept = e.ir.CreateAnd(picked, e.ir.CreateNot(want_sign));
  e.write(0, e.ir.CreateOr(kept, e.ir.CreateAnd(sign, want_sign)), ScalarType::B32);
  return {};
}
