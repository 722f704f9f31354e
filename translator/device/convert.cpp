// SPDX-License-Identifier: MIT
#include "device/rounding.h"

using namespace ptxshim::device;

static uint64_t magnitude(int64_t a) { return a < 0 ? 0 - static_cast<uint64_t>(a) : static_cast<uint64_t>(a); }

PTXSHIM_DEVICE float ptx_u64_to_f32(uint64_t a, uint32_t rounding) {
  return __builtin_bit_cast(float, static_cast<uint32_t>(round_to(kF32, false, a, 0, rounding)));
}
PTXSHIM_DEVICE float ptx_s64_to_f32(int64_t a, uint32_t rounding) {
  return __builtin_bit_cast(float, static_cast<uint32_t>(round_to(kF32, a < 0, magnitude(a), 0, rounding)));
}
PTXSHIM_DEVICE double ptx_u64_to_f64(uint64_t a, uint32_t rounding) { return f64_of(round_to(kF64, false, a, 0, rounding)); }
PTXSHIM_DEVICE double ptx_s64_to_f64(int64_t a, uint32_t rounding) {
  return f64_of(round_to(kF64, a < 0, magnitude(a), 0, rounding));
}
PTXSHIM_DEVICE uint16_t ptx_u64_to_bf16(uint64_t a, uint32_t rounding) {
  return static_cast<uint16_t>(round_to(kBF16, false, a, 0, rounding));
}
PTXSHIM_DEVICE uint16_t ptx_s64_to_bf16(int64_t a, uint32_t rounding) {
  return static_cast<uint16_t>(round_to(kBF16, a < 0, magnitude(a), 0, rounding));
}

static uint16_t narrow(Format f, double a, uint32_t rounding) {
  const uint64_t bits = bits_of(a);
  const bool negative = (bits >> 63) != 0;
  const uint64_t size = bits & nan_bits(kF64);
  if (size > infinity_bits(kF64)) return static_cast<uint16_t>(nan_bits(f));
  const uint64_t sign = negative ? sign_bit(f) : 0;
  if (size == infinity_bits(kF64)) return static_cast<uint16_t>(sign | infinity_bits(f));
  if (size == 0) return static_cast<uint16_t>(sign);
  const Parts parts = parts_of(size);
  return static_cast<uint16_t>(round_to(f, negative, parts.significand, parts.exponent, rounding));
}
PTXSHIM_DEVICE uint16_t ptx_f64_to_f16(double a, uint32_t rounding) { return narrow(kF16, a, rounding); }
PTXSHIM_DEVICE uint16_t ptx_f64_to_bf16(double a, uint32_t rounding) { return narrow(kBF16, a, rounding); }

// Cuts `drop` bits off an f32 number of the same exponent range: subnormals need no care, and a carry may reach infinity.
static uint32_t shortened(uint32_t a, unsigned drop, uint32_t rounding) {
  const uint32_t size = a & 0x7fffffffu;
  if (size > 0x7f800000u) return 0x7fffffffu;
  if (size == 0x7f800000u) return a;
  const bool negative = (a >> 31) != 0;
  uint32_t kept = size >> drop;
  const uint32_t rest = size & ((1u << drop) - 1);
  if (rounds_up(rounding, negative, (kept & 1) != 0, rest, uint64_t{1} << (drop - 1))) ++kept;
  if (kept << drop == 0x7f800000u) {
    const bool stays_finite = rounding == kTowardZero || (rounding == kTowardMinusInf && !negative) ||
                              (rounding == kTowardPlusInf && negative);
    if (stays_finite) --kept;
  }
  return (a & 0x80000000u) | kept << drop;
}
PTXSHIM_DEVICE uint16_t ptx_f32_to_bf16(uint32_t a, uint32_t rounding) {
  return static_cast<uint16_t>(shortened(a, 16, rounding) >> 16);
}
PTXSHIM_DEVICE uint32_t ptx_f32_to_tf32(uint32_t a, uint32_t rounding) { return shortened(a, 13, rounding); }

PTXSHIM_DEVICE double ptx_bf16_to_f64(uint32_t a) {
  const uint64_t sign = static_cast<uint64_t>(a & 0x8000u) << 48;
  const uint32_t size = a & 0x7fffu;
  if (size > 0x7f80u) return f64_of(nan_bits(kF64));
  if (size == 0x7f80u) return f64_of(sign | infinity_bits(kF64));
  if (size >= 0x0080u) return f64_of(sign | ((static_cast<uint64_t>(size) << 45) + (uint64_t{1023 - 127} << 52)));
  return f64_of(round_to(kF64, sign != 0, size, -133, kNearestEven)); // subnormal: exact
}
