// SPDX-License-Identifier: MIT
// Every meaning of the vector rows as a function of one lane, by name, compiled for the plain host.
#pragma once

#include <cstdint>

#include "meanings/float_mode.h"

namespace ptxshim::vgpu::check {

enum class Value : uint8_t { None, U16, I16, F16, BF16, U32, I32, F32, U64, I64, F64, U16x2, F16x2, U32x2, F32x2 };

constexpr bool is_wide(Value v) { // two registers
  return v == Value::U64 || v == Value::I64 || v == Value::F64 || v == Value::U32x2 || v == Value::F32x2;
}
constexpr bool is_short(Value v) { return v == Value::U16 || v == Value::I16 || v == Value::F16 || v == Value::BF16; }
constexpr bool is_pair16(Value v) { return v == Value::U16x2 || v == Value::F16x2; }
constexpr bool is_pair32(Value v) { return v == Value::U32x2 || v == Value::F32x2; }
constexpr bool is_number(Value v) { // one floating point number: takes neg, abs, omod
  return v == Value::F16 || v == Value::BF16 || v == Value::F32 || v == Value::F64;
}

struct LaneInput {
  uint64_t src[4] = {};
  bool carry = false;
  const meaning::FloatMode* mode = nullptr;
};
struct LaneOutput {
  uint64_t value = 0;
  bool carry = false;
};
struct LaneMeaning {
  const char* name;
  Value result; // None: the lane's bit alone
  unsigned sources;
  Value source[4];
  bool takes_carry, gives_carry;
  LaneOutput (*call)(const LaneInput& input);
};

const LaneMeaning* find_meaning(const char* name);
void for_each_meaning(void (*visit)(void* context, const LaneMeaning& meaning), void* context);

} // namespace ptxshim::vgpu::check
