// SPDX-License-Identifier: MIT
// Constant expressions (PTX ISA, "Constant Expressions"): the value of one, and the arithmetic on them.
#pragma once

#include <bit>
#include <cstdint>
#include <string>

#include "syntax/lexer.h"

namespace ptxshim::ptx {

// An integer (64 bits, signed or unsigned), a double, or the bits of a float (0f…), which takes part in no expression.
struct Constant {
  enum class Kind : uint8_t { Integer, Float64, Float32 } kind = Kind::Integer;
  bool is_unsigned = false;
  uint64_t bits = 0;

  static Constant integer(uint64_t value, bool is_unsigned) { return {Kind::Integer, is_unsigned, value}; }
  static Constant float64(double value) { return {Kind::Float64, false, std::bit_cast<uint64_t>(value)}; }
  bool is_integer() const { return kind == Kind::Integer; }
  double as_double() const { return std::bit_cast<double>(bits); }
};

// Binding strength of a binary operator, 0 for other tokens; `?` binds less than all.
unsigned precedence(Tok op);
// Both return an error message, empty on success.
std::string apply_unary(Tok op, Constant& value);
std::string apply_binary(Tok op, Constant& left, const Constant& right);
// Brings the two branches of ?: to one type; `left` is chosen when `condition` holds.
std::string apply_choice(const Constant& condition, Constant& left, const Constant& right);

// IEEE 754 conversions, rounding to nearest even.
uint16_t half_bits(double value);
uint16_t bfloat_bits(double value);

// The bits of a constant in data of this type. False when the constant is of the wrong kind (a float for integer data,
// an integer for float data).
bool convert(const Constant& constant, ScalarType type, uint64_t& bits);

} // namespace ptxshim::ptx
