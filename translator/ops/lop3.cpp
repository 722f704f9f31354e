// SPDX-License-Identifier: MIT
// Any function of three bits: bit (a << 2 | b << 1 | c) of the table is its value. The table is split on one of the inputs into two
// functions of the other two (Shannon); among the three inputs the one is taken that needs the fewest operations. What remains, e.g. the
// select of majority, is found again by LLVM's patterns (v_bfi_b32, v_xor3_b32, v_and_or_b32 …).
#include <array>

#include "ops/op.h"
#include "ops/values.h"

namespace ptxshim::ptx {
namespace {

// A function of two bits x, y as a table of four: bit (x << 1 | y).
enum : unsigned { kNever = 0x0, kNor = 0x1, kNotX = 0x3, kNotY = 0x5, kNand = 0x7, kAlways = 0xf };

unsigned cost2(unsigned table) {
  switch (table) {
  case kNever: case kAlways: case 0xc: case 0xa: return 0;                      // constants, x, y
  case kNotX: case kNotY: case 0x8: case 0xe: case 0x6: return 1;              // and, or, xor
  }
  return 2;
}

Value* build2(Emitter& e, unsigned table, Value* x, Value* y) {
  llvm::IRBuilder<>& ir = e.ir;
  switch (table) {
  case kNever: return int_like(x, 0);
  case kAlways: return all_ones(x);
  case 0xc: return x;
  case 0xa: return y;
  case 0x8: return ir.CreateAnd(x, y);
  case 0xe: return ir.CreateOr(x, y);
  case 0x6: return ir.CreateXor(x, y);
  case 0x4: return ir.CreateAnd(x, ir.CreateNot(y));
  case 0x2: return ir.CreateAnd(y, ir.CreateNot(x));
  case 0xd: return ir.CreateOr(x, ir.CreateNot(y));
  case 0xb: return ir.CreateOr(y, ir.CreateNot(x));
  }
  return ir.CreateNot(build2(e, table ^ kAlways, x, y)); // not x, not y, nor, nand, equal
}

struct Split {
  unsigned zero = 0, one = 0; // the tables of the other two inputs where the pivot is 0 and 1
};

// Pivot 0, 1, 2 is a, b, c; the other two keep their order.
Split split(unsigned table, unsigned pivot) {
  Split result;
  for (unsigned index = 0; index < 8; ++index) {
    if (((table >> index) & 1u) == 0) continue;
    std::array<unsigned, 3> bit = {(index >> 2) & 1u, (index >> 1) & 1u, index & 1u};
    unsigned x = pivot == 0 ? bit[1] : bit[0];
    unsigned y = pivot == 2 ? bit[1] : bit[2];
    (bit[pivot] ? result.one : result.zero) |= 1u << (x << 1 | y);
  }
  return result;
}

unsigned cost(Split s) {
  if (s.one == s.zero) return cost2(s.one);
  if (s.one == (s.zero ^ kAlways)) return cost2(s.zero) + 1;
  if (s.zero == kNever || s.one == kAlways) return cost2(s.zero == kNever ? s.one : s.zero) + 1;
  if (s.one == kNever || s.zero == kAlways) return cost2(s.one == kNever ? s.zero : s.one) + 2;
  return cost2(s.zero) + cost2(s.one) + 3;
}

Value* build(Emitter& e, Split s, Value* pivot, Value* x, Value* y) {
  llvm::IRBuilder<>& ir = e.ir;
  Value* one = build2(e, s.one, x, y);
  if (s.one == s.zero) return one;
  Value* zero = build2(e, s.zero, x, y);
  if (s.one == (s.zero ^ kAlways)) return ir.CreateXor(pivot, zero);
  if (s.zero == kNever) return ir.CreateAnd(pivot, one);
  if (s.one == kAlways) return ir.CreateOr(pivot, zero);
  Value* inverse = ir.CreateNot(pivot);
  if (s.one == kNever) return ir.CreateAnd(inverse, zero);
  if (s.zero == kAlways) return ir.CreateOr(inverse, one);
  return ir.CreateOr(ir.CreateAnd(pivot, one), ir.CreateAnd(inverse, zero));
}

} // namespace
} // namespace ptxshim::ptx

// clang-format off
PTXSHIM_OP(lop3,
  {"lop3.b32 d, a, b, c, e", "", "d:b32 a:b32 b:b32 c:b32 e:b32:constant", 43, 50},
  {"lop3<o>.b32 d|p, a, b, c, e, c0", "o=.or|.and", "d:b32 p:pred a:b32 b:b32 c:b32 e:b32:constant c0:pred", 82, 70}) {
  // clang-format on
  bool with_predicate = e.has(Mod::or_) || e.has(Mod::and_);
  unsigned first = with_predicate ? 2 : 1; // d|p are two operands
  std::array<Value*, 3> in = {e.read(first), e.read(first + 1), e.read(first + 2)};
  auto* constant = llvm::dyn_cast<llvm::ConstantInt>(e.read(first + 3, ScalarType::U32));
  if (!constant || constant->getZExtValue() > 0xff) return e.error("the table of lop3 must be a constant from 0 to 255");
  auto table = static_cast<unsigned>(constant->getZExtValue());
  unsigned pivot = 0;
  for (unsigned other = 1; other < 3; ++other)
    if (cost(split(table, other)) < cost(split(table, pivot))) pivot = other;
  Value* result = build(e, split(table, pivot), in[pivot], in[pivot == 0 ? 1 : 0], in[pivot == 2 ? 1 : 2]);
  if (!e.is_sink(0)) e.write(0, result, ScalarType::B32);
  if (with_predicate) {
    Value* any = e.ir.CreateICmpNE(result, int_like(result, 0));
    Value* c0 = e.read(first + 4, ScalarType::Pred);
    e.write(1, e.has(Mod::or_) ? e.ir.CreateOr(any, c0) : e.ir.CreateAnd(any, c0), ScalarType::Pred);
  }
  return {};
}
