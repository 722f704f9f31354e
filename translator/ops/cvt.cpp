// SPDX-License-Identifier: MIT
// cvt and cvt.pack. The conversions proper are in conversions.cpp.
//
// Packed destinations take a into the upper half and b into the lower one. Not done yet: stochastic rounding (.rs) and .ue8m0; their forms are
// known, so that the error names them.
#include "ops/conversions.h"
#include "ops/op.h"
#include "ops/values.h"

namespace ptxshim::ptx {
namespace {

using T = ScalarType;

// The modifiers that stand for what is not there yet.
constexpr Mod kMissing[] = {Mod::rs, Mod::ue8m0x2};

Value* convert(Emitter& e, Value* v, T to, T from) {
  bool from_float = is_float(from);
  if (to == T::TF32 || (is_float(to) && from_float)) return float_to_float(e, v, to, from);
  if (is_float(to)) return integer_to_float(e, v, to, from);
  return from_float ? float_to_integer(e, v, to, from) : integer_to_integer(e, v, to, from);
}

// cvt.pack.sat: a above b, both clamped; with c they are shifted into its low end.
Result<void> pack(Emitter& e) {
  struct PackedType { Mod mod; unsigned bits; bool is_signed; };
  constexpr PackedType kPacked[] = {{Mod::u16, 16, false}, {Mod::s16, 16, true}, {Mod::u8, 8, false}, {Mod::s8, 8, true},
                           {Mod::u4, 4, false},   {Mod::s4, 4, true},   {Mod::u2, 2, false}, {Mod::s2, 2, true}};
  const PackedType* row = kPacked;
  while (row + 1 != std::end(kPacked) && !e.has(row->mod)) ++row;
  auto part = [&](unsigned n) {
    Value* narrow = clamped(e, e.read(n, T::S32), true, row->bits, row->is_signed);
    return e.ir.CreateAnd(narrow, (uint64_t{1} << row->bits) - 1);
  };
  Value* result = e.ir.CreateOr(e.ir.CreateShl(part(1), row->bits), part(2));
  if (e.operand_count() == 4) result = e.ir.CreateOr(result, e.ir.CreateShl(e.read(3, T::B32), 2 * row->bits));
  e.write(0, result, T::B32);
  return {};
}

} // namespace
} // namespace ptxshim::ptx

#define PTXSHIM_INTEGERS ".u8|.u16|.u32|.u64|.s8|.s16|.s32|.s64"
#define PTXSHIM_FLOATS ".f16|.bf16|.f32|.f64"

// clang-format off
PTXSHIM_OP(cvt,
  {"cvt{sat}<dt><at> d, a", "sat?=.sat; dt=" PTXSHIM_INTEGERS "; at=" PTXSHIM_INTEGERS, "d:dt a:at", 10, 10},
  {"cvt<r>{sat}<dt><at> d, a", "r=.rn|.rz|.rm|.rp; sat?=.sat; dt=" PTXSHIM_FLOATS "; at=" PTXSHIM_INTEGERS, "d:dt a:at", 10, 10},
  {"cvt<r>{ftz}{sat}<dt><at> d, a", "r=.rni|.rzi|.rmi|.rpi; ftz?=.ftz; sat?=.sat; dt=" PTXSHIM_INTEGERS "; at=" PTXSHIM_FLOATS,
   "d:dt a:at", 10, 10},
  {"cvt{r}{ftz}{sat}<dt><at> d, a",
   "r?=.rn|.rz|.rm|.rp|.rni|.rzi|.rmi|.rpi; ftz?=.ftz; sat?=.sat; dt=" PTXSHIM_FLOATS "; at=" PTXSHIM_FLOATS, "d:dt a:at", 10, 10},
  {"cvt<r>{re}{sf}<dt>.f32 d, a", "r=.rn|.rz; re?=.relu; sf?=.satfinite; dt=.f16|.bf16", "d:dt a:f32", 70, 70},
  {"cvt<r>{re}{sf}<dt>.f32 d, a, b", "r=.rn|.rz; re?=.relu; sf?=.satfinite; dt=.f16x2|.bf16x2", "d:dt a:f32 b:f32", 70, 80},
  {"cvt<r>{sf}{re}.tf32.f32 d, a", "r=.rna|.rn|.rz; sf?=.satfinite; re?=.relu", "d:b32:bits a:f32", 70, 80},
  {"cvt.pack.sat<t>.s32 d, a, b", "t=.u16|.s16", "d:u32 a:s32 b:s32", 65, 72},
  {"cvt.pack.sat<t>.s32.b32 d, a, b, c", "t=.u2|.s2|.u4|.s4|.u8|.s8", "d:b32:bits a:s32 b:s32 c:b32", 65, 72},
  {"cvt.rs{re}{sf}<dt>.f32 d, a, b, c", "re?=.relu; sf?=.satfinite; dt=.f16x2|.bf16x2", "d:dt a:f32 b:f32 c:b32:bits", 87, 100},
  {"cvt.rn.satfinite{re}<t>.f32 d, a, b", "re?=.relu; t=.e4m3x2|.e5m2x2|.e2m3x2|.e3m2x2", "d:b16:bits a:f32 b:f32", 78, 89},
  {"cvt.rn.satfinite{re}.e2m1x2.f32 d, a, b", "re?=.relu", "d:b8:bits a:f32 b:f32", 86, 100},
  {"cvt.rn{re}.f16x2<t> d, a", "re?=.relu; t=.e4m3x2|.e5m2x2|.e2m3x2|.e3m2x2", "d:b32:bits a:b16:bits", 78, 89},
  {"cvt.rn{re}.f16x2.e2m1x2 d, a", "re?=.relu", "d:b32:bits a:b8:bits", 86, 100},
  {"cvt.rn.satfinite{re}<t>.f16x2 d, a", "re?=.relu; t=.e4m3x2|.e5m2x2", "d:b16:bits a:b32:bits", 78, 89},
  {"cvt.rn.satfinite{re}<t><s> d, a", "re?=.relu; t=.e4m3x2|.e5m2x2|.e2m3x2|.e3m2x2; s=.f16x2|.bf16x2", "d:b16:bits a:b32:bits", 91, 100},
  {"cvt.rn.satfinite{re}.e2m1x2<s> d, a", "re?=.relu; s=.f16x2|.bf16x2", "d:b8:bits a:b32:bits", 91, 100},
  {"cvt.rs{re}.satfinite<t>.f32 d, {a..}, b", "re?=.relu; t=.e4m3x4|.e5m2x4|.e2m3x4|.e3m2x4", "d:b32:bits a:f32 b:b32:bits", 87, 100},
  {"cvt.rs{re}.satfinite.e2m1x4.f32 d, {a..}, b", "re?=.relu", "d:b16:bits a:f32 b:b32:bits", 87, 100},
  {"cvt<r>{sf}.ue8m0x2.f32 d, a, b", "r=.rz|.rp; sf?=.satfinite", "d:b16:bits a:f32 b:f32", 86, 100},
  {"cvt<r>{sf}.ue8m0x2.bf16x2 d, a", "r=.rz|.rp; sf?=.satfinite", "d:b16:bits a:b32:bits", 86, 100},
  {"cvt.rn.bf16x2.ue8m0x2 d, a", "", "d:b32:bits a:b16:bits", 86, 100}) {
  // clang-format on
  if (e.has(Mod::pack)) return pack(e);
  for (Mod missing : kMissing)
    if (e.has(missing)) return not_supported(e, "cvt with ." + std::string(spelling(missing)));
  if (is_small_float_conversion(e)) return small_float_conversion(e);
  T to = e.type(0);
  T from = e.type(1);
  if (is_packed(to)) {
    Value* pair = llvm::PoisonValue::get(llvm::FixedVectorType::get(e.llvm_type(lane_type(to)), 2));
    pair = e.ir.CreateInsertElement(pair, convert(e, e.read(2, from), lane_type(to), from), uint64_t{0});
    pair = e.ir.CreateInsertElement(pair, convert(e, e.read(1, from), lane_type(to), from), uint64_t{1});
    e.write(0, e.ir.CreateBitCast(pair, e.llvm_type(to)), to);
    return {};
  }
  if (is_float(to) && is_float(from) && bits_of(to) < bits_of(from) && e.rounding() == Rounding::Default)
    return e.error("this conversion needs a rounding modifier");
  e.write(0, convert(e, e.read(1, from), to, from), to);
  return {};
}
