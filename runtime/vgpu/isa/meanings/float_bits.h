// SPDX-License-Identifier: MIT
//
// What the floating point meanings are built from: formats as bits, NaN rules, flushing, conversion between formats.
//
// Half precision is computed in float, float in double where more than the host's own rounding is wanted. A wider
// sum is made odd: if it is inexact, its last bit is set (round to odd). Rounding such a value once more to the
// narrow format, in any mode, gives what one rounding of the exact sum would give, since the wide format has at
// least two bits more. Double has no wider format; its directed rounding is integer arithmetic (exact_fma).
#pragma once

#include <cstdint>

#include "meanings/builtins.h"
#include "meanings/float_mode.h"

namespace ptxshim::vgpu::meaning {

template <class T> struct Format;
template <> struct Format<F16> {
  using Bits = uint16_t;
  using Signed = int16_t;
  static constexpr int kFraction = 10, kBias = 15;
};
template <> struct Format<BF16> {
  using Bits = uint16_t;
  using Signed = int16_t;
  static constexpr int kFraction = 7, kBias = 127;
};
template <> struct Format<float> {
  using Bits = uint32_t;
  using Signed = int32_t;
  static constexpr int kFraction = 23, kBias = 127;
};
template <> struct Format<double> {
  using Bits = uint64_t;
  using Signed = int64_t;
  static constexpr int kFraction = 52, kBias = 1023;
};
template <class T> using BitsOf = typename Format<T>::Bits;

template <class T> constexpr BitsOf<T> to_bits(T x) { return __builtin_bit_cast(BitsOf<T>, x); }
template <class T> constexpr T from_bits(BitsOf<T> b) { return __builtin_bit_cast(T, b); }

template <class T> inline constexpr BitsOf<T> kSign = static_cast<BitsOf<T>>(BitsOf<T>{1} << (sizeof(T) * 8 - 1));
template <class T> inline constexpr BitsOf<T> kMagnitude = static_cast<BitsOf<T>>(kSign<T> - 1);
template <class T> inline constexpr BitsOf<T> kFractionMask =
    static_cast<BitsOf<T>>((BitsOf<T>{1} << Format<T>::kFraction) - 1);
template <class T> inline constexpr BitsOf<T> kInfinity = static_cast<BitsOf<T>>(kMagnitude<T> & ~kFractionMask<T>);
template <class T> inline constexpr BitsOf<T> kQuiet =
    static_cast<BitsOf<T>>(BitsOf<T>{1} << (Format<T>::kFraction - 1));
// What an operation on numbers gives that has no value: 0xffc00000 and its like.
template <class T> inline constexpr BitsOf<T> kDefaultNan =
    static_cast<BitsOf<T>>(kSign<T> | kInfinity<T> | kQuiet<T>);

template <class T> constexpr BitsOf<T> magnitude(T x) { return static_cast<BitsOf<T>>(to_bits(x) & kMagnitude<T>); }
template <class T> constexpr bool is_negative(T x) { return (to_bits(x) & kSign<T>) != 0; }
template <class T> constexpr bool is_nan(T x) { return magnitude(x) > kInfinity<T>; }
template <> constexpr bool is_nan(float x) { return x != x; } // these two become one vector comparison
template <> constexpr bool is_nan(double x) { return x != x; }
template <class T> constexpr bool is_signaling(T x) {
  return magnitude(x) > kInfinity<T> && (to_bits(x) & kQuiet<T>) == 0;
}
template <class T> constexpr bool is_infinite(T x) { return magnitude(x) == kInfinity<T>; }
template <class T> constexpr bool is_zero(T x) { return magnitude(x) == 0; }
template <class T> constexpr bool is_finite(T x) { return magnitude(x) < kInfinity<T>; }
template <class T> constexpr bool is_denormal(T x) {
  return magnitude(x) != 0 && magnitude(x) <= kFractionMask<T>;
}
// The biased exponent.
template <class T> constexpr int exponent_field(T x) {
  return static_cast<int>(magnitude(x) >> Format<T>::kFraction);
}
template <class T> constexpr T quiet(T x) { return from_bits<T>(static_cast<BitsOf<T>>(to_bits(x) | kQuiet<T>)); }
template <class T> constexpr T negate(T x) { return from_bits<T>(static_cast<BitsOf<T>>(to_bits(x) ^ kSign<T>)); }
template <class T> constexpr T absolute(T x) { return from_bits<T>(magnitude(x)); }
template <class T> constexpr T with_sign(T x, bool negative) {
  return from_bits<T>(static_cast<BitsOf<T>>(magnitude(x) | (negative ? kSign<T> : BitsOf<T>{0})));
}
template <class T> constexpr T default_nan() { return from_bits<T>(kDefaultNan<T>); }
template <class T> constexpr T infinity(bool negative) { return with_sign(from_bits<T>(kInfinity<T>), negative); }
template <class T> constexpr T zero(bool negative) { return with_sign(from_bits<T>(0), negative); }
// One of two values that are both computed: for ?: the compiler may make control flow, which stops its vectoriser.
template <class T> constexpr T select(bool condition, T yes, T no) {
  const auto mask = static_cast<BitsOf<T>>(-static_cast<typename Format<T>::Signed>(condition));
  return from_bits<T>(static_cast<BitsOf<T>>((to_bits(yes) & mask) | (to_bits(no) & static_cast<BitsOf<T>>(~mask))));
}
// A denormal becomes the zero of its sign.
template <class T> constexpr T flush(T x) {
  const auto b = to_bits(x);
  const auto kept = static_cast<BitsOf<T>>(magnitude(x) <= kFractionMask<T> ? kSign<T> : ~BitsOf<T>{0});
  return from_bits<T>(static_cast<BitsOf<T>>(b & kept));
}

// The fields of the mode that apply to a format.
template <class T> constexpr Round rounding(const FloatMode& m) {
  return sizeof(T) == 4 ? m.f32_round : m.f64_f16_round;
}
template <class T> constexpr T flush_in(T x, const FloatMode& m) {
  return (sizeof(T) == 4 ? m.f32_denorm_in : m.f64_f16_denorm_in) ? x : flush(x);
}
template <class T> constexpr T flush_out(T x, const FloatMode& m) {
  return (sizeof(T) == 4 ? m.f32_denorm_out : m.f64_f16_denorm_out) ? x : flush(x);
}

// Of all formats the value significand * 2^exponent, rounded once; `sticky` says that more lies below.
template <class T>
constexpr T round_value(bool negative, int exponent, uint64_t significand, bool sticky, Round round) {
  using F = Format<T>;
  if (significand == 0) return zero<T>(negative);
  const int lead = count_leading_zeros(significand);
  significand <<= lead;
  const int e = exponent + 63 - lead; // the value's exponent
  const int least = 1 - F::kBias;     // the least normal one
  const int drop = 63 - F::kFraction + (e < least ? least - e : 0);
  const uint64_t kept = drop >= 64 ? 0 : significand >> drop;
  const bool half = drop <= 64 && ((significand >> (drop - 1)) & 1U) != 0;
  const bool rest = sticky || drop > 64 || (significand & ((uint64_t{1} << (drop - 1)) - 1)) != 0;
  bool up = false;
  switch (round) {
  case Round::NearestEven: up = half && (rest || (kept & 1U) != 0); break;
  case Round::PlusInfinity: up = !negative && (half || rest); break;
  case Round::MinusInfinity: up = negative && (half || rest); break;
  case Round::TowardZero: break;
  }
  // A kept leading bit adds one to the exponent field, and so does a carry out of the fraction.
  const uint64_t base = e < least ? 0 : static_cast<uint64_t>(e - least);
  const uint64_t limit = uint64_t{kInfinity<T>} >> F::kFraction;
  uint64_t bits = base >= limit ? uint64_t{kInfinity<T>} : (base << F::kFraction) + kept + (up ? 1 : 0);
  if (bits >= kInfinity<T>) {
    const bool to_infinity = round == Round::NearestEven ||
                             round == (negative ? Round::MinusInfinity : Round::PlusInfinity);
    bits = uint64_t{kInfinity<T>} - (to_infinity ? 0U : 1U);
  }
  return with_sign(from_bits<T>(static_cast<BitsOf<T>>(bits)), negative);
}

// A number as integer significand and exponent; not for NaN and infinity.
struct Unpacked {
  bool negative;
  int exponent;
  uint64_t significand;
};
template <class T> constexpr Unpacked unpack(T x) {
  using F = Format<T>;
  const int field = exponent_field(x);
  const uint64_t fraction = static_cast<uint64_t>(magnitude(x) & kFractionMask<T>);
  return {is_negative(x), (field == 0 ? 1 : field) - F::kBias - F::kFraction,
          field == 0 ? fraction : fraction | (uint64_t{1} << F::kFraction)};
}

// A NaN of another format: sign and the leading payload bits stay, and it is quiet.
template <class To, class From> constexpr To convert_nan(From x) {
  const int shift = Format<From>::kFraction - Format<To>::kFraction;
  const uint64_t payload = static_cast<uint64_t>(magnitude(x) & kFractionMask<From>);
  const uint64_t moved = shift >= 0 ? payload >> (shift >= 0 ? shift : 0) : payload << (shift >= 0 ? 0 : -shift);
  return with_sign(from_bits<To>(static_cast<BitsOf<To>>(kInfinity<To> | kQuiet<To> | static_cast<BitsOf<To>>(moved))),
                   is_negative(x));
}

// Any format to any other, in any rounding mode.
template <class To, class From> PTXSHIM_RARE constexpr To convert_float(From x, Round round) {
  if (is_nan(x)) return convert_nan<To>(x);
  if (is_infinite(x)) return infinity<To>(is_negative(x));
  const Unpacked u = unpack(x);
  return round_value<To>(u.negative, u.exponent, u.significand, false, round);
}

// Half to float, exactly; a NaN keeps its bits. The product turns denormals into normal numbers.
inline float widen(F16 h) {
  const uint32_t shifted = (uint32_t{h.bits} & 0x7fffU) << 13;
  const uint32_t number = to_bits(from_bits<float>(shifted) * 0x1p112f);
  const uint32_t bits = (h.bits & 0x7c00U) == 0x7c00U ? shifted | 0x7f800000U : number;
  return from_bits<float>(bits | (uint32_t{h.bits} & 0x8000U) << 16);
}
inline float widen(BF16 h) { return from_bits<float>(uint32_t{h.bits} << 16); }

// Float to half, to nearest even. For a result that is denormal the host rounds: 0.5f's last place is 2^-24.
inline F16 narrow_nearest(float x) {
  const uint32_t m = magnitude(x);
  const uint32_t normal = (m - 0x38000000U + 0xfffU + ((m >> 13) & 1U)) >> 13;
  const uint32_t small = to_bits(from_bits<float>(m) + 0.5f) - 0x3f000000U;
  uint32_t bits = normal < 0x7c00U ? normal : 0x7c00U;
  bits = m < 0x38800000U ? small : bits;
  bits = m > 0x7f800000U ? 0x7e00U | ((m >> 13) & 0x3ffU) : bits;
  return {static_cast<uint16_t>(bits | ((to_bits(x) >> 16) & 0x8000U))};
}
// The same toward zero: places are cut off, and nothing finite becomes infinite.
inline F16 narrow_toward_zero(float x) {
  const uint32_t m = magnitude(x);
  const uint32_t normal = (m - 0x38000000U) >> 13;
  const float below = from_bits<float>(m < 0x38800000U ? m : 0) * 0x1p24f;
  const uint32_t small = static_cast<uint32_t>(static_cast<int32_t>(below));
  uint32_t bits = normal < 0x7c00U ? normal : 0x7bffU;
  bits = m < 0x38800000U ? small : bits;
  bits = m == 0x7f800000U ? 0x7c00U : bits;
  bits = m > 0x7f800000U ? 0x7e00U | ((m >> 13) & 0x3ffU) : bits;
  return {static_cast<uint16_t>(bits | ((to_bits(x) >> 16) & 0x8000U))};
}
inline F16 narrow(float x, Round round) {
  return round == Round::NearestEven ? narrow_nearest(x) : convert_float<F16>(x, round);
}
inline BF16 narrow_bf16(float x, Round round) {
  const uint32_t b = to_bits(x);
  if (is_nan(x)) return {static_cast<uint16_t>(b >> 16 | 0x40U)};
  if (round == Round::NearestEven) return {static_cast<uint16_t>((b + 0x7fffU + ((b >> 16) & 1U)) >> 16)};
  return convert_float<BF16>(x, round);
}
inline float narrow(double x, Round round) {
  return round == Round::NearestEven ? static_cast<float>(x) : convert_float<float>(x, round);
}

// a + b, rounded to odd. The error of the rounded sum is a number of the same format (two-sum).
template <class T> inline T add_odd(T a, T b) {
  using Bits = BitsOf<T>;
  const T s = a + b;
  const T b_part = s - a;
  const T error = (a - (s - b_part)) + (b - b_part);
  const Bits bits = to_bits(s);
  // Away from zero if the error has the sum's sign, else toward zero: the odd neighbour encloses the exact sum.
  const bool away = (error > 0) == (s > 0);
  const Bits odd = (bits & 1U) != 0 ? bits : (away ? bits + 1 : bits - 1);
  return error > 0 || error < 0 ? from_bits<T>(odd) : s; // (an infinite or NaN sum has a NaN for error)
}

// A double as a float, rounded to odd.
inline float narrow_odd(double x) {
  const float f = static_cast<float>(x);
  const double error = x - static_cast<double>(f);
  const bool away = (error > 0) == (f > 0);
  const uint32_t bits = to_bits(f);
  const uint32_t odd = (bits & 1U) != 0 ? bits : (away ? bits + 1 : bits - 1);
  // What rounds to zero lies between it and the least denormal, which is odd.
  const uint32_t least = 1U | (error < 0 ? 0x80000000U : 0U);
  const float adjusted = from_bits<float>(f == 0 ? least : odd);
  return error > 0 || error < 0 ? adjusted : f;
}

__extension__ typedef unsigned __int128 Uint128;

constexpr int leading_zeros(Uint128 v) {
  const uint64_t high = static_cast<uint64_t>(v >> 64);
  return high != 0 ? count_leading_zeros(high) : 64 + count_leading_zeros(static_cast<uint64_t>(v));
}
constexpr Uint128 shift_right_sticky(Uint128 v, int n) {
  if (n <= 0) return v;
  if (n >= 128) return v != 0 ? 1 : 0;
  return v >> n | ((v & ((Uint128{1} << n) - 1)) != 0 ? 1U : 0U);
}

// (a * b + c) * 2^scale of doubles with one rounding in the given direction; operands are numbers.
constexpr double exact_fma(double a, double b, double c, Round round, int scale = 0) {
  const Unpacked ua = unpack(a), ub = unpack(b), uc = unpack(c);
  const bool product_negative = ua.negative != ub.negative;
  Uint128 product = Uint128{ua.significand} * ub.significand;
  Uint128 addend = uc.significand;
  const bool both_zero = product == 0 && addend == 0;
  if (both_zero) {
    return zero<double>(product_negative == uc.negative ? product_negative : round == Round::MinusInfinity);
  }
  if (product == 0) return round_value<double>(uc.negative, uc.exponent + scale, uc.significand, false, round);
  int product_exponent = ua.exponent + ub.exponent;
  int addend_exponent = uc.exponent;
  // Leading bits to bit 125; what is then shifted out cannot matter but for being there.
  const int up_product = leading_zeros(product) - 2;
  product <<= up_product;
  product_exponent -= up_product;
  if (addend != 0) {
    const int up_addend = leading_zeros(addend) - 2;
    addend <<= up_addend;
    addend_exponent -= up_addend;
  } else {
    addend_exponent = product_exponent;
  }
  const int exponent = product_exponent > addend_exponent ? product_exponent : addend_exponent;
  product = shift_right_sticky(product, exponent - product_exponent);
  addend = shift_right_sticky(addend, exponent - addend_exponent);
  bool negative = product_negative;
  Uint128 sum = 0;
  if (product_negative == uc.negative) {
    sum = product + addend;
  } else if (product >= addend) {
    sum = product - addend;
  } else {
    sum = addend - product;
    negative = uc.negative;
  }
  if (sum == 0) return zero<double>(round == Round::MinusInfinity);
  const int lead = leading_zeros(sum);
  sum <<= lead;
  const bool sticky = static_cast<uint64_t>(sum) != 0;
  return round_value<double>(negative, exponent + scale - lead + 64, static_cast<uint64_t>(sum >> 64), sticky, round);
}

} // namespace ptxshim::vgpu::meaning
