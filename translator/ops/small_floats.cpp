// SPDX-License-Identifier: MIT
// cvt between pairs of 8-, 6- and 4-bit numbers and pairs of larger ones. A pair of 8- or 6-bit numbers has one in each byte of its 16 bits,
// a pair of 4-bit ones has both in 8 bits; operand a is the upper one.
#include "ops/conversions.h"
#include "ops/float_arithmetic.h"
#include "ops/values.h"

namespace ptxshim::ptx {
namespace {

using T = ScalarType;

struct SmallFormat {
  Mod mod;
  const char* encode;
  const char* decode;
  unsigned bits; // that one of the pair takes
};
constexpr SmallFormat kSmallFormats[] = {
    {Mod::e4m3x2, "ptx_f32_to_e4m3", "ptx_e4m3_to_f16", 8}, {Mod::e5m2x2, "ptx_f32_to_e5m2", "ptx_e5m2_to_f16", 8},
    {Mod::e2m3x2, "ptx_f32_to_e2m3", "ptx_e2m3_to_f16", 8}, {Mod::e3m2x2, "ptx_f32_to_e3m2", "ptx_e3m2_to_f16", 8},
    {Mod::e2m1x2, "ptx_f32_to_e2m1", "ptx_e2m1_to_f16", 4},
};

const SmallFormat* format_of(const Emitter& e) {
  for (const SmallFormat& each : kSmallFormats)
    if (e.has(each.mod)) return &each;
  return nullptr;
}

// Negative numbers to +0, on the bits of an f32; NaN stays what it is.
Value* relu_of_f32_bits(Emitter& e, Value* bits) {
  Value* number = e.ir.CreateICmpULE(bits, int_like(bits, 0xff80'0000)); // as an unsigned integer: all but NaN with a sign
  Value* negative = e.ir.CreateICmpSLT(bits, int_like(bits, 0));
  return e.ir.CreateSelect(e.ir.CreateAnd(number, negative), int_like(bits, 0), bits);
}

Result<void> narrow(Emitter& e, const SmallFormat& format) {
  auto encode = [&](Value* single) {
    Value* bits = float_bits(e, single);
    if (e.has(Mod::relu)) bits = relu_of_f32_bits(e, bits);
    return e.device(format.encode, e.ir.getInt32Ty(), {bits});
  };
  Value* upper = nullptr;
  Value* lower = nullptr;
  if (e.type() == T::F32) {
    upper = encode(e.read(1));
    lower = encode(e.read(2));
  } else {
    T lane = lane_type(e.type());
    Value* pair = e.ir.CreateBitCast(e.read(1), llvm::FixedVectorType::get(e.llvm_type(lane), 2));
    auto single = [&](uint64_t n) {
      Value* v = e.ir.CreateExtractElement(pair, n);
      return lane == T::BF16 ? bf16_to_f32(e, v) : e.ir.CreateFPExt(v, e.ir.getFloatTy());
    };
    upper = encode(single(1));
    lower = encode(single(0));
  }
  Value* packed = e.ir.CreateOr(e.ir.CreateShl(upper, format.bits), lower);
  e.write(0, e.ir.CreateTrunc(packed, e.ir.getIntNTy(2 * format.bits)), format.bits == 8 ? T::B16 : T::B8);
  return {};
}

Result<void> widen(Emitter& e, const SmallFormat& format) {
  Value* pair = e.ir.CreateZExt(e.read(1, format.bits == 8 ? T::B16 : T::B8), e.ir.getInt32Ty());
  auto decode = [&](Value* code) {
    Value* half = e.device(format.decode, e.ir.getInt32Ty(), {code});
    if (!e.has(Mod::relu)) return half;
    return e.ir.CreateSelect(e.ir.CreateICmpUGE(half, int_like(half, 0x8000)), int_like(half, 0), half); // NaN has no sign here
  };
  Value* lower = decode(e.ir.CreateAnd(pair, (1u << format.bits) - 1));
  Value* upper = decode(e.ir.CreateLShr(pair, format.bits));
  Value* packed = e.ir.CreateOr(e.ir.CreateShl(upper, 16), lower);
  e.write(0, e.ir.CreateBitCast(packed, e.llvm_type(T::F16x2)), T::F16x2);
  return {};
}

} // namespace

bool is_small_float_conversion(const Emitter& e) { return format_of(e) != nullptr; }

Result<void> small_float_conversion(Emitter& e) {
  const SmallFormat& format = *format_of(e);
  if (e.has(Mod::satfinite)) return narrow(e, format);
  return widen(e, format);
}

} // namespace ptxshim::ptx
