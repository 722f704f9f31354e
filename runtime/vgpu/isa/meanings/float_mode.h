// SPDX-License-Identifier: MIT
//
// The floating point mode of a wave, and the value types that the meanings of opcodes share.
//
// A meaning never looks at the host's MXCSR. It is written for a host thread in the default state (round to
// nearest even, no flush to zero, exceptions masked); whoever runs meanings puts the thread into that state
// once (HostFloatState). Directed rounding and flushed denormals are then done by exact arithmetic.
//
// A lane loop over a meaning is vectorised where the mode is a constant of the loop. kKeepDenormals and
// kFlushDenormals32 are the modes that kernels run in nearly always: a harness instantiates its loop for these
// two, as `meaning(a, b, kKeepDenormals)`, and once more for the mode as a value.
//
// NaNs: an arithmetic result is the first operand that is a NaN, made quiet, with its payload; an operation
// that makes a NaN from numbers gives 0xffc00000, the pattern that AMD's manuals print for such cases.
#pragma once

#include <cstdint>

#if defined(__FAST_MATH__)
#error "The meanings of opcodes are exact: compile without -ffast-math"
#endif

namespace ptxshim::vgpu {

// In the order of the MODE register's fields.
enum class Round : uint8_t { NearestEven = 0, PlusInfinity = 1, MinusInfinity = 2, TowardZero = 3 };

struct FloatMode {
  Round f32_round = Round::NearestEven;
  Round f64_f16_round = Round::NearestEven;
  bool f32_denorm_in = true;  // false: denormal operands of f32 operations count as zero
  bool f32_denorm_out = true; // false: denormal f32 results become zero
  bool f64_f16_denorm_in = true;
  bool f64_f16_denorm_out = true;
  bool ieee = true;       // signaling NaNs are made quiet and win in min and max
  bool dx10_clamp = true; // a clamped NaN is zero

  // The MODE register: bits 1:0 and 3:2 rounding, 5:4 and 7:6 denormals (bit 0 operands, bit 1 results),
  // 8 DX10_CLAMP, 9 IEEE. The low eight bits are the descriptor's FLOAT_MODE.
  static constexpr FloatMode from_register(uint32_t mode) {
    FloatMode m;
    m.f32_round = static_cast<Round>(mode & 3U);
    m.f64_f16_round = static_cast<Round>((mode >> 2) & 3U);
    m.f32_denorm_in = ((mode >> 4) & 1U) != 0;
    m.f32_denorm_out = ((mode >> 5) & 1U) != 0;
    m.f64_f16_denorm_in = ((mode >> 6) & 1U) != 0;
    m.f64_f16_denorm_out = ((mode >> 7) & 1U) != 0;
    m.dx10_clamp = ((mode >> 8) & 1U) != 0;
    m.ieee = ((mode >> 9) & 1U) != 0;
    return m;
  }
  constexpr uint32_t to_register() const {
    return static_cast<uint32_t>(f32_round) | static_cast<uint32_t>(f64_f16_round) << 2 |
           static_cast<uint32_t>(f32_denorm_in) << 4 | static_cast<uint32_t>(f32_denorm_out) << 5 |
           static_cast<uint32_t>(f64_f16_denorm_in) << 6 | static_cast<uint32_t>(f64_f16_denorm_out) << 7 |
           static_cast<uint32_t>(dx10_clamp) << 8 | static_cast<uint32_t>(ieee) << 9;
  }
  constexpr bool operator==(const FloatMode&) const = default;

  [[gnu::always_inline]] constexpr bool nearest32() const { return f32_round == Round::NearestEven; }
  [[gnu::always_inline]] constexpr bool nearest64() const { return f64_f16_round == Round::NearestEven; }
  [[gnu::always_inline]] constexpr bool keep32() const { return f32_denorm_in && f32_denorm_out; }
  [[gnu::always_inline]] constexpr bool keep64() const { return f64_f16_denorm_in && f64_f16_denorm_out; }
  // The host's own arithmetic is the operation.
  [[gnu::always_inline]] constexpr bool fast32() const { return nearest32() && keep32(); }
  [[gnu::always_inline]] constexpr bool fast64() const { return nearest64() && keep64(); }
};

} // namespace ptxshim::vgpu

namespace ptxshim::vgpu::meaning {

using vgpu::FloatMode; // one type for all host ISAs: a wave has one
using vgpu::Round;

inline constexpr FloatMode kKeepDenormals{};
inline constexpr FloatMode kFlushDenormals32{.f32_denorm_in = false, .f32_denorm_out = false};

// Half precision and bfloat16 operands as their bits; packed ones as low and high half of a register.
struct F16 {
  uint16_t bits;
  constexpr bool operator==(const F16&) const = default;
};
struct BF16 {
  uint16_t bits;
  constexpr bool operator==(const BF16&) const = default;
};
struct F16x2 {
  F16 lo, hi;
  constexpr bool operator==(const F16x2&) const = default;
};
struct U16x2 {
  uint16_t lo, hi;
  constexpr bool operator==(const U16x2&) const = default;
};
struct I16x2 {
  int16_t lo, hi;
  constexpr bool operator==(const I16x2&) const = default;
};
struct F32x2 {
  float lo, hi;
};
struct U32x2 {
  uint32_t lo, hi;
  constexpr bool operator==(const U32x2&) const = default;
};

// A result and the lane's bit of the scalar destination (carry, borrow, overflow, v_div_scale's flag).
template <class T> struct WithCarry {
  T value;
  uint32_t carry; // 0 or 1; a whole word, because a byte in a structure stops GCC's vectoriser
};
// A result and SCC.
template <class T> struct WithScc {
  T value;
  bool scc;
};

constexpr F16x2 unpack_f16(uint32_t r) {
  return {{static_cast<uint16_t>(r)}, {static_cast<uint16_t>(r >> 16)}};
}
constexpr U16x2 unpack_u16(uint32_t r) { return {static_cast<uint16_t>(r), static_cast<uint16_t>(r >> 16)}; }
constexpr I16x2 unpack_i16(uint32_t r) { return {static_cast<int16_t>(r), static_cast<int16_t>(r >> 16)}; }
constexpr uint32_t pack(F16x2 v) { return v.lo.bits | static_cast<uint32_t>(v.hi.bits) << 16; }
constexpr uint32_t pack(U16x2 v) { return v.lo | static_cast<uint32_t>(v.hi) << 16; }
constexpr uint32_t pack(I16x2 v) {
  return static_cast<uint16_t>(v.lo) | static_cast<uint32_t>(static_cast<uint16_t>(v.hi)) << 16;
}

} // namespace ptxshim::vgpu::meaning
