// SPDX-License-Identifier: MIT
// The rules are C's, made complete for 64 bits: literals are .s64 unless they do not fit or say U; a mixed operation is unsigned;
// `%` and `~` are unsigned always; comparisons and logic give signed 0 or 1; a shift keeps the type of its left side, and its count
// is taken modulo 64 (the manual leaves it open, ptxas does so). Integers and floats never mix.
#include "syntax/expression.h"

#include <cmath>

namespace ptxshim::ptx {
namespace {

std::string integer_only(Tok op) { return "operator " + std::string(spelling(op)) + " takes integers only"; }

Constant truth(bool value) { return Constant::integer(value ? 1 : 0, false); }

bool less(const Constant& left, const Constant& right, bool is_unsigned) {
  return is_unsigned ? left.bits < right.bits : static_cast<int64_t>(left.bits) < static_cast<int64_t>(right.bits);
}

uint64_t shift_right(const Constant& left, uint64_t count) {
  if (left.is_unsigned) return left.bits >> (count & 63);
  return static_cast<uint64_t>(static_cast<int64_t>(left.bits) >> (count & 63));
}

std::string divide(Constant& left, const Constant& right, bool is_unsigned) {
  if (right.bits == 0) return "division by zero in a constant expression";
  if (is_unsigned) {
    left.bits /= right.bits;
  } else if (right.bits == ~0ull) {
    left.bits = 0 - left.bits; // also the smallest number, which has no positive counterpart
  } else {
    left.bits = static_cast<uint64_t>(static_cast<int64_t>(left.bits) / static_cast<int64_t>(right.bits));
  }
  left.is_unsigned = is_unsigned;
  return {};
}

std::string integer_binary(Tok op, Constant& left, const Constant& right) {
  const bool is_unsigned = left.is_unsigned || right.is_unsigned;
  const auto arithmetic = [&](uint64_t bits) { left = Constant::integer(bits, is_unsigned); };
  if (op == Tok::Plus) arithmetic(left.bits + right.bits);
  else if (op == Tok::Minus) arithmetic(left.bits - right.bits);
  else if (op == Tok::Star) arithmetic(left.bits * right.bits);
  else if (op == Tok::Ampersand) arithmetic(left.bits & right.bits);
  else if (op == Tok::Pipe) arithmetic(left.bits | right.bits);
  else if (op == Tok::Caret) arithmetic(left.bits ^ right.bits);
  else if (op == Tok::Slash) return divide(left, right, is_unsigned);
  else if (op == Tok::Percent) {
    if (right.bits == 0) return "remainder by zero in a constant expression";
    left = Constant::integer(left.bits % right.bits, true);
  } else if (op == Tok::ShiftLeft) left.bits <<= right.bits & 63;
  else if (op == Tok::ShiftRight) left.bits = shift_right(left, right.bits);
  else if (op == Tok::AndAnd) left = truth(left.bits != 0 && right.bits != 0);
  else if (op == Tok::OrOr) left = truth(left.bits != 0 || right.bits != 0);
  else if (op == Tok::EqualEqual) left = truth(left.bits == right.bits);
  else if (op == Tok::NotEqual) left = truth(left.bits != right.bits);
  else if (op == Tok::Less) left = truth(less(left, right, is_unsigned));
  else if (op == Tok::Greater) left = truth(less(right, left, is_unsigned));
  else if (op == Tok::LessEqual) left = truth(!less(right, left, is_unsigned));
  else if (op == Tok::GreaterEqual) left = truth(!less(left, right, is_unsigned));
  else return "unexpected operator";
  return {};
}

std::string float_binary(Tok op, Constant& left, const Constant& right) {
  const double a = left.as_double();
  const double b = right.as_double();
  if (op == Tok::Plus) left = Constant::float64(a + b);
  else if (op == Tok::Minus) left = Constant::float64(a - b);
  else if (op == Tok::Star) left = Constant::float64(a * b);
  else if (op == Tok::Slash) left = Constant::float64(a / b);
  else if (op == Tok::EqualEqual) left = truth(a == b);
  else if (op == Tok::NotEqual) left = truth(a != b);
  else if (op == Tok::Less) left = truth(a < b);
  else if (op == Tok::Greater) left = truth(a > b);
  else if (op == Tok::LessEqual) left = truth(a <= b);
  else if (op == Tok::GreaterEqual) left = truth(a >= b);
  else return integer_only(op);
  return {};
}

// Rounds a finite positive double to a format with `mantissa` stored bits and exponents from `lowest` on.
uint32_t round_to(double value, int mantissa, int lowest, uint32_t infinity) {
  int exponent = 0;
  std::frexp(value, &exponent);
  exponent -= 1; // value = 1.x * 2^exponent
  const int quantum = std::max(exponent, lowest) - mantissa;
  const double scaled = std::ldexp(value, -quantum); // exact
  double whole = std::floor(scaled);
  const double rest = scaled - whole;
  if (rest > 0.5 || (rest == 0.5 && std::fmod(whole, 2.0) != 0)) whole += 1;
  const int field = std::max(exponent, lowest) - lowest;
  const double bits = whole + (std::ldexp(1.0, mantissa) * field);
  return bits >= infinity ? infinity : static_cast<uint32_t>(bits);
}

uint16_t narrow_bits(double value, int mantissa, int lowest, uint16_t infinity, uint16_t nan) {
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return nan;
  const double magnitude = std::fabs(value);
  if (magnitude == 0) return sign;
  if (std::isinf(magnitude)) return static_cast<uint16_t>(sign | infinity);
  return static_cast<uint16_t>(sign | round_to(magnitude, mantissa, lowest, infinity));
}

} // namespace

unsigned precedence(Tok op) {
  if (op == Tok::Star || op == Tok::Slash || op == Tok::Percent) return 10;
  if (op == Tok::Plus || op == Tok::Minus) return 9;
  if (op == Tok::ShiftLeft || op == Tok::ShiftRight) return 8;
  if (op == Tok::Less || op == Tok::LessEqual || op == Tok::Greater || op == Tok::GreaterEqual) return 7;
  if (op == Tok::EqualEqual || op == Tok::NotEqual) return 6;
  if (op == Tok::Ampersand) return 5;
  if (op == Tok::Caret) return 4;
  if (op == Tok::Pipe) return 3;
  if (op == Tok::AndAnd) return 2;
  if (op == Tok::OrOr) return 1;
  return 0;
}

std::string apply_unary(Tok op, Constant& value) {
  if (value.kind == Constant::Kind::Float32) return "a 0f literal cannot take part in an expression";
  if (op == Tok::Plus) return {};
  if (op == Tok::Minus) {
    value = value.is_integer() ? Constant::integer(0 - value.bits, value.is_unsigned) : Constant::float64(-value.as_double());
    return {};
  }
  if (!value.is_integer()) return integer_only(op);
  value = op == Tok::Tilde ? Constant::integer(~value.bits, true) : truth(value.bits == 0);
  return {};
}

std::string apply_binary(Tok op, Constant& left, const Constant& right) {
  if (left.kind == Constant::Kind::Float32 || right.kind == Constant::Kind::Float32) {
    return "a 0f literal cannot take part in an expression";
  }
  if (left.kind != right.kind) return "integers and floating-point numbers cannot be mixed in an expression";
  return left.is_integer() ? integer_binary(op, left, right) : float_binary(op, left, right);
}

std::string apply_choice(const Constant& condition, Constant& left, const Constant& right) {
  if (!condition.is_integer()) return "the condition of ?: must be an integer";
  if (left.kind != right.kind) return "both values of ?: must be integers, or both floating-point numbers";
  const bool is_unsigned = left.is_unsigned || right.is_unsigned;
  if (condition.bits == 0) left = right;
  left.is_unsigned = is_unsigned;
  return {};
}

uint16_t half_bits(double value) { return narrow_bits(value, 10, -14, 0x7c00, 0x7fff); }
uint16_t bfloat_bits(double value) { return narrow_bits(value, 7, -126, 0x7f80, 0x7fff); }

bool convert(const Constant& constant, ScalarType type, uint64_t& bits) {
  const TypeKind kind = kind_of(type);
  const bool is_float = kind == TypeKind::Float || kind == TypeKind::BFloat;
  if (constant.is_integer()) {
    bits = bits_of(type) >= 64 ? constant.bits : constant.bits & ((1ull << bits_of(type)) - 1);
    if (type == ScalarType::Pred) bits = constant.bits != 0 ? 1 : 0;
    return !is_float;
  }
  const double value = constant.kind == Constant::Kind::Float32
                           ? static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(constant.bits)))
                           : constant.as_double();
  if (type == ScalarType::F64) {
    bits = constant.kind == Constant::Kind::Float64 ? constant.bits : std::bit_cast<uint64_t>(value);
  } else if (type == ScalarType::F32) {
    bits = constant.kind == Constant::Kind::Float32 ? constant.bits : std::bit_cast<uint32_t>(static_cast<float>(value));
  } else if (type == ScalarType::F16) {
    bits = half_bits(value);
  } else if (type == ScalarType::BF16) {
    bits = bfloat_bits(value);
  } else if (kind == TypeKind::Untyped && bits_of(type) == 32) {
    bits = constant.kind == Constant::Kind::Float32 ? constant.bits : std::bit_cast<uint32_t>(static_cast<float>(value));
  } else if (kind == TypeKind::Untyped && bits_of(type) == 64) {
    bits = constant.kind == Constant::Kind::Float64 ? constant.bits : std::bit_cast<uint64_t>(value);
  } else {
    return false;
  }
  return true;
}

} // namespace ptxshim::ptx
