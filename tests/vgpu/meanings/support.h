// SPDX-License-Identifier: MIT
//
// What the tests of the meanings share: values written as bits, comparisons of bits, the values at which formats and
// widths have their corners, and the host's own arithmetic in a rounding mode as an independent reference.
#pragma once

#include <cfenv>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "meanings/meanings.h"

namespace ptxshim::vgpu::meaning {

// Operands that the compiler does not know, as in the executor: folding a NaN at compile time gives it another sign.
template <class T> inline T opaque(T value) {
  volatile BitsOf<T> bits = to_bits(value);
  return from_bits<T>(bits);
}
inline float f32(uint32_t bits) { return opaque(from_bits<float>(bits)); }
inline double f64(uint64_t bits) { return opaque(from_bits<double>(bits)); }
inline F16 f16(uint16_t bits) { return opaque(F16{bits}); }

#define EXPECT_F32(expression, expected) EXPECT_EQ(to_bits(expression), uint32_t{expected})
#define EXPECT_F64(expression, expected) EXPECT_EQ(to_bits(expression), uint64_t{expected})
#define EXPECT_F16(expression, expected) EXPECT_EQ((expression).bits, uint16_t{expected})

inline constexpr FloatMode kFlushAll = FloatMode::from_register(0x300);
inline constexpr FloatMode kNoIeee = FloatMode::from_register(0x1f0);
inline constexpr Round kRounds[] = {Round::NearestEven, Round::PlusInfinity, Round::MinusInfinity, Round::TowardZero};
constexpr FloatMode mode_with(Round r) {
  FloatMode m;
  m.f32_round = m.f64_f16_round = r;
  return m;
}
constexpr int host_round(Round r) {
  switch (r) {
  case Round::NearestEven: return FE_TONEAREST;
  case Round::PlusInfinity: return FE_UPWARD;
  case Round::MinusInfinity: return FE_DOWNWARD;
  case Round::TowardZero: return FE_TOWARDZERO;
  }
  return FE_TONEAREST;
}
// The host's rounding mode, for as long as this lives.
class HostRound {
public:
  explicit HostRound(Round r) { std::fesetround(host_round(r)); }
  ~HostRound() { std::fesetround(FE_TONEAREST); }
  HostRound(const HostRound&) = delete;
  HostRound& operator=(const HostRound&) = delete;
};

// Zeros, denormals, the ends of the normal range, ones and their neighbours, halves, infinities, NaNs of both kinds;
// each of both signs.
template <class T> inline std::vector<T> corners() {
  using B = BitsOf<T>;
  const int fraction = Format<T>::kFraction;
  const uint64_t unit = static_cast<uint64_t>(Format<T>::kBias) << fraction;
  const uint64_t inf = kInfinity<T>, least = uint64_t{1} << fraction;
  const uint64_t values[] = {0, 1, 2, least / 2, least - 1, least, least + 1, 2 * least, unit - least, unit - 1, unit,
                             unit + 1, unit + least / 2, unit + 2, unit + 3 * least + 5, inf - least, inf - 1, inf,
                             inf + 1, inf + least / 2, inf + least - 1, unit + (uint64_t(fraction) << fraction),
                             unit + (uint64_t(fraction) << fraction) + 1, unit - (uint64_t(fraction) << fraction)};
  std::vector<T> r;
  for (const uint64_t v : values) {
    r.push_back(from_bits<T>(static_cast<B>(v)));
    r.push_back(from_bits<T>(static_cast<B>(v | kSign<T>)));
  }
  return r;
}

// A fixed sequence of well mixed bits (splitmix64).
class Random {
public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    state_ += 0x9e3779b97f4a7c15U;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  // Any bits, or exponents close to one, so that operands interact.
  template <class T> T any() { return from_bits<T>(static_cast<BitsOf<T>>(next())); }
  template <class T> T near_one(int spread) {
    using F = Format<T>;
    const uint64_t r = next();
    const int e = static_cast<int>((r >> 8) % static_cast<uint64_t>(2 * spread + 1)) - spread;
    const uint64_t field = static_cast<uint64_t>(F::kBias + e) << F::kFraction;
    const uint64_t sign = (r & 1U) != 0 ? uint64_t{kSign<T>} : 0;
    return from_bits<T>(static_cast<BitsOf<T>>(sign | field | (next() & kFractionMask<T>)));
  }

private:
  uint64_t state_;
};

} // namespace ptxshim::vgpu::meaning
