// SPDX-License-Identifier: MIT
// One rounding of an exact number to a binary format, in integers.
//
// The number is significand * 2^exponent, where the lowest bit of the significand may be "sticky": it stands for anything non-zero below.
// Subnormal results lose as many bits as they must; a carry out of the significand runs into the exponent field by itself.
#pragma once

#include "device/device.h"

namespace ptxshim::device {

struct Format {
  int precision;    // bits of the significand, the hidden one counted
  int max_exponent; // of the largest finite number, which is the bias too
};
inline constexpr Format kF64{53, 1023}, kF32{24, 127}, kF16{11, 15}, kBF16{8, 127};

// The bits of infinity, and of the PTX NaN of a format of `width` bits.
inline uint64_t infinity_bits(Format f) { return static_cast<uint64_t>(2 * f.max_exponent + 1) << (f.precision - 1); }
inline uint64_t sign_bit(Format f) { return (infinity_bits(f) + (uint64_t{1} << (f.precision - 1))); }
inline uint64_t nan_bits(Format f) { return sign_bit(f) - 1; }

inline bool rounds_up(uint32_t rounding, bool negative, bool odd, uint64_t rest, uint64_t half) {
  if (rounding == kNearestEven) return rest > half || (rest == half && odd);
  if (rounding == kNearestAway) return rest >= half;
  if (rounding == kTowardMinusInf) return negative && rest != 0;
  if (rounding == kTowardPlusInf) return !negative && rest != 0;
  return false;
}

inline uint64_t round_to(Format f, bool negative, uint64_t significand, int exponent, uint32_t rounding) {
  const uint64_t sign = negative ? sign_bit(f) : 0;
  if (significand == 0) return sign;
  const int leading = __builtin_clzll(significand);
  significand <<= leading;
  const int top = exponent - leading + 63; // the number is in [2^top, 2^(top + 1))
  const int min_exponent = 1 - f.max_exponent;
  int drop = 64 - f.precision;
  if (top < min_exponent) drop += min_exponent - top;
  uint64_t kept = 0, rest = 0, half = uint64_t{1} << 63;
  if (drop < 64) {
    kept = significand >> drop;
    rest = significand << (64 - drop);
  } else if (drop == 64) {
    rest = significand;
  } else {
    rest = 1; // less than half of the smallest number
  }
  if (rounds_up(rounding, negative, (kept & 1) != 0, rest, half)) ++kept;
  uint64_t bits = kept;
  if (top >= min_exponent) {
    const uint64_t hidden = uint64_t{1} << (f.precision - 1);
    if (top > f.max_exponent) bits = infinity_bits(f);
    else bits = (static_cast<uint64_t>(top + f.max_exponent) << (f.precision - 1)) + (kept - hidden);
  }
  if (bits >= infinity_bits(f)) {
    const bool stays_finite = rounding == kTowardZero || (rounding == kTowardMinusInf && !negative) ||
                              (rounding == kTowardPlusInf && negative);
    bits = stays_finite ? infinity_bits(f) - 1 : infinity_bits(f);
  }
  return sign | bits;
}

inline uint64_t bits_of(double v) { return __builtin_bit_cast(uint64_t, v); }
inline double f64_of(uint64_t v) { return __builtin_bit_cast(double, v); }

// A finite f64 number that is not zero: significand in [2^52, 2^53), so that subnormals are treated like all others.
struct Parts {
  uint64_t significand;
  int exponent;
};
inline Parts parts_of(uint64_t bits) {
  const uint64_t fraction = bits & 0x000f'ffff'ffff'ffff;
  const int field = static_cast<int>((bits >> 52) & 0x7ff);
  if (field != 0) return {fraction | 0x0010'0000'0000'0000, field - 1075};
  const int shift = __builtin_clzll(fraction) - 11;
  return {fraction << shift, -1074 - shift};
}

} // namespace ptxshim::device
