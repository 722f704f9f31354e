// SPDX-License-Identifier: MIT
// Directed f64 division and square root, and bf16's fma.
//
// With both significands scaled to [1, 2) the nearest quotient q is a normal number and the remainder a - q * b an exact one, which
// fma gives without error. Its sign says on which side of q the exact quotient lies; that is one sticky bit below q's significand, and one
// rounding of the whole gives the result, subnormal and overflowing ones included. Roots likewise.
#include "device/rounding.h"

using namespace ptxshim::device;

static double in_one_to_two(uint64_t significand) { return f64_of((significand & 0x000f'ffff'ffff'ffff) | (uint64_t{1023} << 52)); }

// nearest + something of the remainder's sign, times 2^scale. nearest is positive and normal.
static uint64_t round_with_remainder(bool negative, double nearest, double remainder, int scale, uint32_t rounding) {
  const Parts parts = parts_of(bits_of(nearest));
  uint64_t significand = parts.significand << 10;
  if (remainder > 0) significand |= 1;
  if (remainder < 0) significand -= 1;
  return round_to(kF64, negative, significand, parts.exponent - 10 + scale, rounding);
}

PTXSHIM_DEVICE double ptx_div_f64(double a, double b, uint32_t rounding) {
  const uint64_t sign = (bits_of(a) ^ bits_of(b)) & sign_bit(kF64);
  const uint64_t x = bits_of(a) & nan_bits(kF64);
  const uint64_t y = bits_of(b) & nan_bits(kF64);
  const uint64_t infinity = infinity_bits(kF64);
  if (x > infinity || y > infinity || (x == 0 && y == 0) || (x == infinity && y == infinity)) return f64_of(nan_bits(kF64));
  if (x == infinity || y == 0) return f64_of(sign | infinity);
  if (x == 0 || y == infinity) return f64_of(sign);
  const Parts p = parts_of(x);
  const Parts q = parts_of(y);
  const double m = in_one_to_two(p.significand);
  const double n = in_one_to_two(q.significand);
  const double nearest = m / n;
  const double remainder = __builtin_fma(-nearest, n, m);
  return f64_of(round_with_remainder(sign != 0, nearest, remainder, p.exponent - q.exponent, rounding));
}

PTXSHIM_DEVICE double ptx_sqrt_f64(double a, uint32_t rounding) {
  const uint64_t bits = bits_of(a);
  const uint64_t size = bits & nan_bits(kF64);
  if (size == 0) return a;
  if (size > infinity_bits(kF64) || bits != size) return f64_of(nan_bits(kF64));
  if (size == infinity_bits(kF64)) return a;
  const Parts p = parts_of(size);
  int exponent = p.exponent + 52; // a = m * 2^exponent, m in [1, 2)
  double m = in_one_to_two(p.significand);
  if ((exponent & 1) != 0) {
    m *= 2;
    exponent -= 1;
  }
  const double nearest = __builtin_sqrt(m);
  const double remainder = __builtin_fma(-nearest, nearest, m);
  return f64_of(round_with_remainder(false, nearest, remainder, exponent / 2, rounding));
}

// The product is exact in f64, the sum is rounded to odd there: a rounding to fewer bits than 51 after that is as good as a single one.
PTXSHIM_DEVICE uint16_t ptx_fma_bf16(uint16_t a, uint16_t b, uint16_t c) {
  const double product = ptx_bf16_to_f64(a) * ptx_bf16_to_f64(b);
  const double addend = ptx_bf16_to_f64(c);
  const double sum = product + addend;
  const uint64_t infinity = infinity_bits(kF64);
  uint64_t bits = bits_of(sum);
  if ((bits & nan_bits(kF64)) < infinity && sum != 0) {
    const double back = sum - product; // two-sum: the exact error of the addition
    const double error = (product - (sum - back)) + (addend - back);
    if (error != 0 && (bits & 1) == 0) bits += (error > 0) == (sum > 0) ? 1 : ~uint64_t{0};
  }
  return ptx_f64_to_bf16(f64_of(bits), kNearestEven);
}
