// SPDX-License-Identifier: MIT
//
// The scalar unit's values: a result and the new SCC (WithScc), or a result alone where SCC stays, or a bool for
// comparisons, which is the new SCC. Opcodes that read SCC take it last; those that keep their destination in part
// take its old value last. What reads or writes EXEC, M0 or PC is the executor's.
#pragma once

#include "meanings/bits.h"
#include "meanings/compare.h"
#include "meanings/convert.h"
#include "meanings/float16.h"
#include "meanings/float32.h"

namespace ptxshim::vgpu::meaning {

using Scc32 = WithScc<uint32_t>;
using Scc64 = WithScc<uint64_t>;
using SccI32 = WithScc<int32_t>;
using SccI64 = WithScc<int64_t>;
// SCC says that the result is not zero.
template <class T> constexpr WithScc<T> nonzero(T value) { return {value, value != 0}; }

// Arithmetic. SCC is the carry, the borrow, or the signed overflow.
constexpr Scc32 s_add_u32(uint32_t a, uint32_t b) { return {a + b, a + b < a}; }
constexpr Scc32 s_sub_u32(uint32_t a, uint32_t b) { return {a - b, a < b}; }
constexpr SccI32 s_add_i32(int32_t a, int32_t b) {
  const int64_t wide = int64_t{a} + b;
  return {static_cast<int32_t>(wide), wide != static_cast<int32_t>(wide)};
}
constexpr SccI32 s_sub_i32(int32_t a, int32_t b) {
  const int64_t wide = int64_t{a} - b;
  return {static_cast<int32_t>(wide), wide != static_cast<int32_t>(wide)};
}
constexpr Scc32 s_addc_u32(uint32_t a, uint32_t b, bool scc) {
  const WithCarry<uint32_t> r = v_addc_co_u32(a, b, scc);
  return {r.value, r.carry != 0};
}
constexpr Scc32 s_subb_u32(uint32_t a, uint32_t b, bool scc) {
  const WithCarry<uint32_t> r = v_subb_co_u32(a, b, scc);
  return {r.value, r.carry != 0};
}
constexpr Scc32 s_add_co_u32(uint32_t a, uint32_t b) { return s_add_u32(a, b); }
constexpr Scc32 s_sub_co_u32(uint32_t a, uint32_t b) { return s_sub_u32(a, b); }
constexpr SccI32 s_add_co_i32(int32_t a, int32_t b) { return s_add_i32(a, b); }
constexpr SccI32 s_sub_co_i32(int32_t a, int32_t b) { return s_sub_i32(a, b); }
constexpr Scc32 s_add_co_ci_u32(uint32_t a, uint32_t b, bool scc) { return s_addc_u32(a, b, scc); }
constexpr Scc32 s_sub_co_ci_u32(uint32_t a, uint32_t b, bool scc) { return s_subb_u32(a, b, scc); }
constexpr uint64_t s_add_nc_u64(uint64_t a, uint64_t b) { return a + b; }
constexpr uint64_t s_sub_nc_u64(uint64_t a, uint64_t b) { return a - b; }
constexpr uint64_t s_add_u64(uint64_t a, uint64_t b) { return a + b; }
constexpr uint64_t s_sub_u64(uint64_t a, uint64_t b) { return a - b; }
constexpr uint64_t s_mul_u64(uint64_t a, uint64_t b) { return a * b; }
constexpr uint32_t s_mul_i32(uint32_t a, uint32_t b) { return a * b; }
constexpr uint32_t s_mul_hi_u32(uint32_t a, uint32_t b) { return v_mul_hi_u32(a, b); }
constexpr int32_t s_mul_hi_i32(int32_t a, int32_t b) { return v_mul_hi_i32(a, b); }
constexpr Scc32 s_lshl1_add_u32(uint32_t a, uint32_t b) {
  const uint64_t wide = (uint64_t{a} << 1) + b;
  return {static_cast<uint32_t>(wide), wide >> 32 != 0};
}
constexpr Scc32 s_lshl2_add_u32(uint32_t a, uint32_t b) {
  const uint64_t wide = (uint64_t{a} << 2) + b;
  return {static_cast<uint32_t>(wide), wide >> 32 != 0};
}
constexpr Scc32 s_lshl3_add_u32(uint32_t a, uint32_t b) {
  const uint64_t wide = (uint64_t{a} << 3) + b;
  return {static_cast<uint32_t>(wide), wide >> 32 != 0};
}
constexpr Scc32 s_lshl4_add_u32(uint32_t a, uint32_t b) {
  const uint64_t wide = (uint64_t{a} << 4) + b;
  return {static_cast<uint32_t>(wide), wide >> 32 != 0};
}
// SCC says that the first operand was taken.
constexpr SccI32 s_min_i32(int32_t a, int32_t b) { return {least(a, b), a < b}; }
constexpr Scc32 s_min_u32(uint32_t a, uint32_t b) { return {least(a, b), a < b}; }
constexpr SccI32 s_max_i32(int32_t a, int32_t b) { return {most(a, b), a >= b}; }
constexpr Scc32 s_max_u32(uint32_t a, uint32_t b) { return {most(a, b), a >= b}; }
constexpr Scc32 s_abs_i32(int32_t a) { return nonzero(a < 0 ? 0U - as_unsigned(a) : as_unsigned(a)); }
constexpr Scc32 s_absdiff_i32(int32_t a, int32_t b) {
  const uint32_t d = as_unsigned(a) - as_unsigned(b);
  return nonzero(as_signed(d) < 0 ? 0U - d : d);
}
// With a 16-bit immediate.
constexpr int32_t s_movk_i32(int16_t k) { return k; }
constexpr int32_t s_cmovk_i32(int16_t k, bool scc, int32_t old) { return scc ? k : old; }
constexpr SccI32 s_addk_i32(int32_t a, int16_t k) { return s_add_i32(a, k); }
constexpr SccI32 s_addk_co_i32(int32_t a, int16_t k) { return s_add_i32(a, k); }
constexpr int32_t s_mulk_i32(int32_t a, int16_t k) { return as_signed(as_unsigned(a) * as_unsigned(int32_t{k})); }

// Moves and logic.
constexpr uint32_t s_mov_b32(uint32_t a) { return a; }
constexpr uint32_t s_cmov_b32(uint32_t a, bool scc, uint32_t old) { return scc ? a : old; }
constexpr uint32_t s_cselect_b32(uint32_t a, uint32_t b, bool scc) { return scc ? a : b; }
constexpr Scc32 s_not_b32(uint32_t a) { return nonzero(~a); }
constexpr Scc32 s_and_b32(uint32_t a, uint32_t b) { return nonzero(a & b); }
constexpr Scc32 s_or_b32(uint32_t a, uint32_t b) { return nonzero(a | b); }
constexpr Scc32 s_xor_b32(uint32_t a, uint32_t b) { return nonzero(a ^ b); }
constexpr Scc32 s_andn2_b32(uint32_t a, uint32_t b) { return nonzero(a & ~b); }
constexpr Scc32 s_orn2_b32(uint32_t a, uint32_t b) { return nonzero(a | ~b); }
constexpr Scc32 s_nand_b32(uint32_t a, uint32_t b) { return nonzero(~(a & b)); }
constexpr Scc32 s_nor_b32(uint32_t a, uint32_t b) { return nonzero(~(a | b)); }
constexpr Scc32 s_xnor_b32(uint32_t a, uint32_t b) { return nonzero(~(a ^ b)); }
constexpr Scc32 s_and_not1_b32(uint32_t a, uint32_t b) { return nonzero(a & ~b); }
constexpr Scc32 s_or_not1_b32(uint32_t a, uint32_t b) { return nonzero(a | ~b); }
constexpr Scc32 s_lshl_b32(uint32_t a, uint32_t b) { return nonzero(a << (b & 31)); }
constexpr Scc32 s_lshr_b32(uint32_t a, uint32_t b) { return nonzero(a >> (b & 31)); }
constexpr SccI32 s_ashr_i32(int32_t a, uint32_t b) { return nonzero(static_cast<int32_t>(a >> (b & 31))); }

constexpr uint64_t s_mov_b64(uint64_t a) { return a; }
constexpr uint64_t s_cmov_b64(uint64_t a, bool scc, uint64_t old) { return scc ? a : old; }
constexpr uint64_t s_cselect_b64(uint64_t a, uint64_t b, bool scc) { return scc ? a : b; }
constexpr Scc64 s_not_b64(uint64_t a) { return nonzero(~a); }
constexpr Scc64 s_and_b64(uint64_t a, uint64_t b) { return nonzero(a & b); }
constexpr Scc64 s_or_b64(uint64_t a, uint64_t b) { return nonzero(a | b); }
constexpr Scc64 s_xor_b64(uint64_t a, uint64_t b) { return nonzero(a ^ b); }
constexpr Scc64 s_andn2_b64(uint64_t a, uint64_t b) { return nonzero(a & ~b); }
constexpr Scc64 s_orn2_b64(uint64_t a, uint64_t b) { return nonzero(a | ~b); }
constexpr Scc64 s_nand_b64(uint64_t a, uint64_t b) { return nonzero(~(a & b)); }
constexpr Scc64 s_nor_b64(uint64_t a, uint64_t b) { return nonzero(~(a | b)); }
constexpr Scc64 s_xnor_b64(uint64_t a, uint64_t b) { return nonzero(~(a ^ b)); }
constexpr Scc64 s_and_not1_b64(uint64_t a, uint64_t b) { return nonzero(a & ~b); }
constexpr Scc64 s_or_not1_b64(uint64_t a, uint64_t b) { return nonzero(a | ~b); }
constexpr Scc64 s_lshl_b64(uint64_t a, uint32_t b) { return nonzero(a << (b & 63)); }
constexpr Scc64 s_lshr_b64(uint64_t a, uint32_t b) { return nonzero(a >> (b & 63)); }
constexpr SccI64 s_ashr_i64(int64_t a, uint32_t b) { return nonzero(static_cast<int64_t>(a >> (b & 63))); }

// Bit fields: offset in the second operand's low bits, width from bit 16 on (0 to 127: what is over the width is all).
template <class U, class S> constexpr S extract_signed(S a, uint32_t offset, uint32_t width) {
  constexpr uint32_t kBits = sizeof(S) * 8;
  const S shifted = static_cast<S>(a >> offset);
  if (width == 0) return 0;
  if (width >= kBits) return shifted;
  return static_cast<S>(static_cast<S>(static_cast<U>(shifted) << (kBits - width)) >> (kBits - width));
}
template <class U> constexpr U low_bits(uint32_t width) {
  return width >= sizeof(U) * 8 ? ~U{0} : (U{1} << width) - 1;
}
constexpr uint32_t field_width(uint32_t b) { return (b >> 16) & 0x7fU; }
constexpr Scc32 s_bfe_u32(uint32_t a, uint32_t b) {
  return nonzero((a >> (b & 31)) & low_bits<uint32_t>(field_width(b)));
}
constexpr Scc64 s_bfe_u64(uint64_t a, uint32_t b) {
  return nonzero((a >> (b & 63)) & low_bits<uint64_t>(field_width(b)));
}
constexpr SccI32 s_bfe_i32(int32_t a, uint32_t b) {
  return nonzero(extract_signed<uint32_t>(a, b & 31, field_width(b)));
}
constexpr SccI64 s_bfe_i64(int64_t a, uint32_t b) {
  return nonzero(extract_signed<uint64_t>(a, b & 63, field_width(b)));
}
constexpr uint32_t s_bfm_b32(uint32_t width, uint32_t offset) { return v_bfm_b32(width, offset); }
constexpr uint64_t s_bfm_b64(uint32_t width, uint32_t offset) {
  return low_bits<uint64_t>(width & 63) << (offset & 63);
}
constexpr uint32_t s_bitset0_b32(uint32_t a, uint32_t old) { return old & ~(1U << (a & 31)); }
constexpr uint32_t s_bitset1_b32(uint32_t a, uint32_t old) { return old | 1U << (a & 31); }
constexpr uint64_t s_bitset0_b64(uint32_t a, uint64_t old) { return old & ~(uint64_t{1} << (a & 63)); }
constexpr uint64_t s_bitset1_b64(uint32_t a, uint64_t old) { return old | uint64_t{1} << (a & 63); }
constexpr int32_t s_sext_i32_i8(uint32_t a) { return static_cast<int8_t>(static_cast<uint8_t>(a)); }
constexpr int32_t s_sext_i32_i16(uint32_t a) { return static_cast<int16_t>(low16(a)); }
constexpr uint32_t s_pack_ll_b32_b16(uint32_t a, uint32_t b) { return (a & 0xffffU) | b << 16; }
constexpr uint32_t s_pack_lh_b32_b16(uint32_t a, uint32_t b) { return (a & 0xffffU) | (b & 0xffff0000U); }
constexpr uint32_t s_pack_hh_b32_b16(uint32_t a, uint32_t b) { return a >> 16 | (b & 0xffff0000U); }
constexpr uint32_t s_pack_hl_b32_b16(uint32_t a, uint32_t b) { return a >> 16 | b << 16; }

// Counting and searching; -1 where nothing is found.
constexpr Scc32 s_bcnt0_i32_b32(uint32_t a) { return nonzero(static_cast<uint32_t>(count_ones(~a))); }
constexpr Scc32 s_bcnt1_i32_b32(uint32_t a) { return nonzero(static_cast<uint32_t>(count_ones(a))); }
constexpr Scc32 s_bcnt0_i32_b64(uint64_t a) { return nonzero(static_cast<uint32_t>(count_ones(~a))); }
constexpr Scc32 s_bcnt1_i32_b64(uint64_t a) { return nonzero(static_cast<uint32_t>(count_ones(a))); }
constexpr uint32_t s_ff1_i32_b32(uint32_t a) { return v_ffbl_b32(a); }
constexpr uint32_t s_ff1_i32_b64(uint64_t a) { return a == 0 ? ~0U : static_cast<uint32_t>(count_trailing_zeros(a)); }
constexpr uint32_t s_ff0_i32_b32(uint32_t a) { return s_ff1_i32_b32(~a); }
constexpr uint32_t s_ff0_i32_b64(uint64_t a) { return s_ff1_i32_b64(~a); }
constexpr uint32_t s_flbit_i32_b32(uint32_t a) { return v_ffbh_u32(a); }
constexpr uint32_t s_flbit_i32_b64(uint64_t a) { return a == 0 ? ~0U : static_cast<uint32_t>(count_leading_zeros(a)); }
constexpr uint32_t s_flbit_i32(int32_t a) { return v_ffbh_i32(a); }
constexpr uint32_t s_flbit_i32_i64(int64_t a) { return s_flbit_i32_b64(static_cast<uint64_t>(a < 0 ? ~a : a)); }
constexpr uint32_t s_ctz_i32_b32(uint32_t a) { return s_ff1_i32_b32(a); }
constexpr uint32_t s_ctz_i32_b64(uint64_t a) { return s_ff1_i32_b64(a); }
constexpr uint32_t s_clz_i32_u32(uint32_t a) { return s_flbit_i32_b32(a); }
constexpr uint32_t s_clz_i32_u64(uint64_t a) { return s_flbit_i32_b64(a); }
constexpr uint32_t s_cls_i32(int32_t a) { return s_flbit_i32(a); }
constexpr uint32_t s_cls_i32_i64(int64_t a) { return s_flbit_i32_i64(a); }

// Patterns of bits.
constexpr uint32_t s_brev_b32(uint32_t a) { return v_bfrev_b32(a); }
constexpr uint64_t s_brev_b64(uint64_t a) {
  return uint64_t{v_bfrev_b32(static_cast<uint32_t>(a))} << 32 | v_bfrev_b32(static_cast<uint32_t>(a >> 32));
}
// One bit for each four, set if any of them is.
constexpr Scc64 s_quadmask_b64(uint64_t a) {
  uint64_t r = 0;
  for (int n = 0; n < 16; ++n) r |= uint64_t{((a >> (4 * n)) & 15U) != 0} << n;
  return nonzero(r);
}
constexpr Scc32 s_quadmask_b32(uint32_t a) { return nonzero(static_cast<uint32_t>(s_quadmask_b64(a).value)); }
// All four bits of a group, if any of them is set.
constexpr Scc64 s_wqm_b64(uint64_t a) {
  const uint64_t any = (a | a >> 1 | a >> 2 | a >> 3) & 0x1111111111111111U;
  return nonzero(any * 15);
}
constexpr Scc32 s_wqm_b32(uint32_t a) { return nonzero(static_cast<uint32_t>(s_wqm_b64(a).value)); }
constexpr uint64_t s_bitreplicate_b64_b32(uint32_t a) {
  uint64_t x = a;
  x = (x | x << 16) & 0x0000ffff0000ffffU;
  x = (x | x << 8) & 0x00ff00ff00ff00ffU;
  x = (x | x << 4) & 0x0f0f0f0f0f0f0f0fU;
  x = (x | x << 2) & 0x3333333333333333U;
  x = (x | x << 1) & 0x5555555555555555U;
  return x | x << 1;
}

// Comparisons. s_cmpk_ compare with an immediate, extended as the comparison is signed or not.
constexpr bool s_cmp_eq_i32(int32_t a, int32_t b) { return a == b; }
constexpr bool s_cmpk_eq_i32(int32_t a, int16_t k) { return a == k; }
constexpr bool s_cmp_lg_i32(int32_t a, int32_t b) { return a != b; }
constexpr bool s_cmpk_lg_i32(int32_t a, int16_t k) { return a != k; }
constexpr bool s_cmp_gt_i32(int32_t a, int32_t b) { return a > b; }
constexpr bool s_cmpk_gt_i32(int32_t a, int16_t k) { return a > k; }
constexpr bool s_cmp_ge_i32(int32_t a, int32_t b) { return a >= b; }
constexpr bool s_cmpk_ge_i32(int32_t a, int16_t k) { return a >= k; }
constexpr bool s_cmp_lt_i32(int32_t a, int32_t b) { return a < b; }
constexpr bool s_cmpk_lt_i32(int32_t a, int16_t k) { return a < k; }
constexpr bool s_cmp_le_i32(int32_t a, int32_t b) { return a <= b; }
constexpr bool s_cmpk_le_i32(int32_t a, int16_t k) { return a <= k; }
constexpr bool s_cmp_eq_u32(uint32_t a, uint32_t b) { return a == b; }
constexpr bool s_cmpk_eq_u32(uint32_t a, uint16_t k) { return a == k; }
constexpr bool s_cmp_lg_u32(uint32_t a, uint32_t b) { return a != b; }
constexpr bool s_cmpk_lg_u32(uint32_t a, uint16_t k) { return a != k; }
constexpr bool s_cmp_gt_u32(uint32_t a, uint32_t b) { return a > b; }
constexpr bool s_cmpk_gt_u32(uint32_t a, uint16_t k) { return a > k; }
constexpr bool s_cmp_ge_u32(uint32_t a, uint32_t b) { return a >= b; }
constexpr bool s_cmpk_ge_u32(uint32_t a, uint16_t k) { return a >= k; }
constexpr bool s_cmp_lt_u32(uint32_t a, uint32_t b) { return a < b; }
constexpr bool s_cmpk_lt_u32(uint32_t a, uint16_t k) { return a < k; }
constexpr bool s_cmp_le_u32(uint32_t a, uint32_t b) { return a <= b; }
constexpr bool s_cmpk_le_u32(uint32_t a, uint16_t k) { return a <= k; }
constexpr bool s_cmp_eq_u64(uint64_t a, uint64_t b) { return a == b; }
constexpr bool s_cmp_lg_u64(uint64_t a, uint64_t b) { return a != b; }
constexpr bool s_bitcmp0_b32(uint32_t a, uint32_t b) { return ((a >> (b & 31)) & 1U) == 0; }
constexpr bool s_bitcmp1_b32(uint32_t a, uint32_t b) { return ((a >> (b & 31)) & 1U) != 0; }
constexpr bool s_bitcmp0_b64(uint64_t a, uint32_t b) { return ((a >> (b & 63)) & 1U) == 0; }
constexpr bool s_bitcmp1_b64(uint64_t a, uint32_t b) { return ((a >> (b & 63)) & 1U) != 0; }

} // namespace ptxshim::vgpu::meaning
