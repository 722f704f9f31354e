// SPDX-License-Identifier: MIT
//
// Logic, shifts, bit fields and permutations of the vector unit. Shift amounts count modulo the width. Opcodes named
// ..rev take the amount first; those without are older or scalar forms.
#pragma once

#include "meanings/builtins.h"
#include "meanings/float_mode.h"

namespace ptxshim::vgpu::meaning {

// Moves. The bits of a float operand move as they are.
constexpr uint32_t v_mov_b32(uint32_t a) { return a; }
constexpr uint64_t v_mov_b64(uint64_t a) { return a; }
constexpr uint16_t v_mov_b16(uint16_t a) { return a; }
constexpr uint32_t v_cndmask_b32(uint32_t a, uint32_t b, bool condition) { return condition ? b : a; }
constexpr uint16_t v_cndmask_b16(uint16_t a, uint16_t b, bool condition) { return condition ? b : a; }

constexpr uint32_t v_not_b32(uint32_t a) { return ~a; }
constexpr uint32_t v_and_b32(uint32_t a, uint32_t b) { return a & b; }
constexpr uint32_t v_or_b32(uint32_t a, uint32_t b) { return a | b; }
constexpr uint32_t v_xor_b32(uint32_t a, uint32_t b) { return a ^ b; }
constexpr uint32_t v_xnor_b32(uint32_t a, uint32_t b) { return ~(a ^ b); }
constexpr uint16_t v_not_b16(uint16_t a) { return static_cast<uint16_t>(~a); }
constexpr uint16_t v_and_b16(uint16_t a, uint16_t b) { return a & b; }
constexpr uint16_t v_or_b16(uint16_t a, uint16_t b) { return a | b; }
constexpr uint16_t v_xor_b16(uint16_t a, uint16_t b) { return a ^ b; }
constexpr uint32_t v_or3_b32(uint32_t a, uint32_t b, uint32_t c) { return a | b | c; }
constexpr uint32_t v_xor3_b32(uint32_t a, uint32_t b, uint32_t c) { return a ^ b ^ c; }
constexpr uint32_t v_and_or_b32(uint32_t a, uint32_t b, uint32_t c) { return (a & b) | c; }
constexpr uint32_t v_lshl_or_b32(uint32_t a, uint32_t b, uint32_t c) { return (a << (b & 31)) | c; }

// Shifts.
constexpr uint32_t v_lshlrev_b32(uint32_t a, uint32_t b) { return b << (a & 31); }
constexpr uint32_t v_lshrrev_b32(uint32_t a, uint32_t b) { return b >> (a & 31); }
constexpr int32_t v_ashrrev_i32(uint32_t a, int32_t b) { return b >> (a & 31); }
constexpr uint64_t v_lshlrev_b64(uint32_t a, uint64_t b) { return b << (a & 63); }
constexpr uint64_t v_lshrrev_b64(uint32_t a, uint64_t b) { return b >> (a & 63); }
constexpr int64_t v_ashrrev_i64(uint32_t a, int64_t b) { return b >> (a & 63); }
constexpr uint16_t v_lshlrev_b16(uint16_t a, uint16_t b) { return static_cast<uint16_t>(uint32_t{b} << (a & 15)); }
constexpr uint16_t v_lshrrev_b16(uint16_t a, uint16_t b) { return static_cast<uint16_t>(b >> (a & 15)); }
constexpr int16_t v_ashrrev_i16(uint16_t a, int16_t b) { return static_cast<int16_t>(b >> (a & 15)); }
constexpr uint32_t v_lshl_b32(uint32_t a, uint32_t b) { return a << (b & 31); }
constexpr uint32_t v_lshr_b32(uint32_t a, uint32_t b) { return a >> (b & 31); }
constexpr int32_t v_ashr_i32(int32_t a, uint32_t b) { return a >> (b & 31); }
constexpr uint64_t v_lshl_b64(uint64_t a, uint32_t b) { return a << (b & 63); }
constexpr uint64_t v_lshr_b64(uint64_t a, uint32_t b) { return a >> (b & 63); }
constexpr int64_t v_ashr_i64(int64_t a, uint32_t b) { return a >> (b & 63); }

// Bit fields.
constexpr uint32_t v_bfe_u32(uint32_t a, uint32_t b, uint32_t c) { return (a >> (b & 31)) & ((1U << (c & 31)) - 1); }
// The field's own highest bit is its sign. What lies past bit 31 is bit 31.
constexpr int32_t v_bfe_i32(int32_t a, uint32_t b, uint32_t c) {
  const uint32_t width = c & 31;
  const uint32_t field = static_cast<uint32_t>(a >> (b & 31)) & ((1U << width) - 1);
  const uint32_t sign = width == 0 ? 0 : 1U << (width - 1);
  return static_cast<int32_t>((field ^ sign) - sign);
}
constexpr uint32_t v_bfi_b32(uint32_t mask, uint32_t a, uint32_t b) { return (mask & a) | (~mask & b); }
constexpr uint32_t v_bfm_b32(uint32_t width, uint32_t offset) { return ((1U << (width & 31)) - 1) << (offset & 31); }
constexpr uint32_t v_bfrev_b32(uint32_t a) {
  a = ((a >> 1) & 0x55555555U) | ((a & 0x55555555U) << 1);
  a = ((a >> 2) & 0x33333333U) | ((a & 0x33333333U) << 2);
  a = ((a >> 4) & 0x0f0f0f0fU) | ((a & 0x0f0f0f0fU) << 4);
  a = ((a >> 8) & 0x00ff00ffU) | ((a & 0x00ff00ffU) << 8);
  return a >> 16 | a << 16;
}

// Counting.
constexpr uint32_t v_bcnt_u32_b32(uint32_t a, uint32_t b) { return static_cast<uint32_t>(count_ones(a)) + b; }
// First set bit from the top, from the bottom; -1 if there is none. v_cls: bits from the top that equal the sign.
constexpr uint32_t v_ffbh_u32(uint32_t a) { return a == 0 ? ~0U : static_cast<uint32_t>(count_leading_zeros(a)); }
constexpr uint32_t v_ffbl_b32(uint32_t a) { return a == 0 ? ~0U : static_cast<uint32_t>(count_trailing_zeros(a)); }
constexpr uint32_t v_ffbh_i32(int32_t a) { return v_ffbh_u32(static_cast<uint32_t>(a < 0 ? ~a : a)); }
constexpr uint32_t v_clz_i32_u32(uint32_t a) { return v_ffbh_u32(a); }
constexpr uint32_t v_ctz_i32_b32(uint32_t a) { return v_ffbl_b32(a); }
constexpr uint32_t v_cls_i32(int32_t a) { return v_ffbh_i32(a); }

// Permutations.
constexpr uint32_t v_alignbit_b32(uint32_t high, uint32_t low, uint32_t shift) {
  return static_cast<uint32_t>((uint64_t{high} << 32 | low) >> (shift & 31));
}
constexpr uint32_t v_alignbyte_b32(uint32_t high, uint32_t low, uint32_t shift) {
  return static_cast<uint32_t>((uint64_t{high} << 32 | low) >> (8 * (shift & 3)));
}
// A selector byte: 0 to 7 a byte of {a, b} (b has 0 to 3), 8 to 11 the sign of a 16-bit half from b's low to a's
// high one, 12 zero, above 0xff.
constexpr uint32_t permuted_byte(uint32_t a, uint32_t b, uint32_t selector) {
  const uint32_t byte = ((selector & 4U) != 0 ? a : b) >> (8 * (selector & 3U)) & 0xffU;
  const uint32_t half = ((selector & 2U) != 0 ? a : b) >> ((selector & 1U) != 0 ? 16 : 0);
  const uint32_t sign = (half >> 15 & 1U) * 0xffU;
  const uint32_t constant = selector == 12 ? 0 : 0xffU;
  return selector < 8 ? byte : selector < 12 ? sign : constant;
}
constexpr uint32_t v_perm_b32(uint32_t a, uint32_t b, uint32_t selectors) {
  return permuted_byte(a, b, selectors & 0xffU) | permuted_byte(a, b, selectors >> 8 & 0xffU) << 8 |
         permuted_byte(a, b, selectors >> 16 & 0xffU) << 16 | permuted_byte(a, b, selectors >> 24) << 24;
}
// Both results of the exchange: the first operand's new value and the second's.
constexpr U32x2 v_swap_b32(uint32_t a, uint32_t b) { return {b, a}; }

} // namespace ptxshim::vgpu::meaning
