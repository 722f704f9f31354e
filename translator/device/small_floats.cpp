// SPDX-License-Identifier: MIT
#include "device/rounding.h"

using namespace ptxshim::device;

struct SmallFloat {
  int fraction_bits, bias, exponent_bits;
  uint32_t largest; // the code of the largest number
  uint32_t nan;     // that of NaN; 0: there is none
};

static constexpr SmallFloat kE4M3{3, 7, 4, 0x7e, 0x7f}, kE5M2{2, 15, 5, 0x7b, 0x7f}, kE2M3{3, 1, 2, 0x1f, 0}, kE3M2{2, 3, 3, 0x1f, 0},
    kE2M1{1, 1, 2, 0x07, 0};

static uint32_t sign_of(SmallFloat f) { return 1u << (f.fraction_bits + f.exponent_bits); }

static uint32_t encode(SmallFloat f, uint32_t a) {
  const uint32_t sign = (a >> 31) != 0 ? sign_of(f) : 0;
  const uint32_t size = a & 0x7fffffffu;
  if (size > 0x7f800000u) return f.nan != 0 ? f.nan : f.largest;
  if (size == 0x7f800000u) return sign | f.largest;
  const int field = static_cast<int>(size >> 23);
  const uint32_t fraction = size & 0x007fffffu;
  if (field == 0) return sign; // an f32 subnormal is far below the least number of any of these
  const uint32_t significand = fraction | 0x00800000u; // the number is significand * 2^(field - 150)
  const int top = field - 127;
  const int least = 1 - f.bias;
  int drop = 23 - f.fraction_bits;
  if (top < least) drop += least - top;
  if (drop > 24) return sign; // below half of the least number
  uint32_t kept = significand >> drop;
  const uint32_t rest = significand & ((1u << drop) - 1);
  if (rounds_up(kNearestEven, false, (kept & 1) != 0, rest, uint64_t{1} << (drop - 1))) ++kept;
  uint32_t code = kept;
  if (top >= least) code += static_cast<uint32_t>(top - least) << f.fraction_bits; // the hidden bit is the exponent's first
  return sign | (code > f.largest ? f.largest : code);
}

static uint32_t decode(SmallFloat f, uint32_t a) {
  const bool negative = (a & sign_of(f)) != 0;
  const uint32_t code = a & (sign_of(f) - 1);
  if (f.nan != 0 && f.exponent_bits == 5 && code == 0x7c) return negative ? 0xfc00 : 0x7c00; // e5m2 has infinities
  if (f.nan != 0 && code > f.largest) return 0x7fff;
  const uint32_t field = code >> f.fraction_bits;
  const uint32_t fraction = code & ((1u << f.fraction_bits) - 1);
  const uint32_t significand = field != 0 ? fraction | (1u << f.fraction_bits) : fraction;
  const int exponent = static_cast<int>(field != 0 ? field : 1) - f.bias - f.fraction_bits;
  return static_cast<uint32_t>(round_to(kF16, negative, significand, exponent, kNearestEven));
}

PTXSHIM_DEVICE uint32_t ptx_f32_to_e4m3(uint32_t a) { return encode(kE4M3, a); }
PTXSHIM_DEVICE uint32_t ptx_f32_to_e5m2(uint32_t a) { return encode(kE5M2, a); }
PTXSHIM_DEVICE uint32_t ptx_f32_to_e2m3(uint32_t a) { return encode(kE2M3, a); }
PTXSHIM_DEVICE uint32_t ptx_f32_to_e3m2(uint32_t a) { return encode(kE3M2, a); }
PTXSHIM_DEVICE uint32_t ptx_f32_to_e2m1(uint32_t a) { return encode(kE2M1, a); }
PTXSHIM_DEVICE uint32_t ptx_e4m3_to_f16(uint32_t a) { return decode(kE4M3, a); }
PTXSHIM_DEVICE uint32_t ptx_e5m2_to_f16(uint32_t a) { return decode(kE5M2, a); }
PTXSHIM_DEVICE uint32_t ptx_e2m3_to_f16(uint32_t a) { return decode(kE2M3, a); }
PTXSHIM_DEVICE uint32_t ptx_e3m2_to_f16(uint32_t a) { return decode(kE3M2, a); }
PTXSHIM_DEVICE uint32_t ptx_e2m1_to_f16(uint32_t a) { return decode(kE2M1, a); }
