// SPDX-License-Identifier: MIT
#include "support.h"

namespace ptxshim::vgpu::meaning {
namespace {

constexpr uint32_t kMax = 0xffffffffU;
constexpr int32_t kLow = INT32_MIN, kHigh = INT32_MAX;

TEST(v_add_u32, wraps) {
  EXPECT_EQ(v_add_u32(kMax, 2), 1U);
  EXPECT_EQ(v_add_nc_u32(kMax, 2), 1U);
  EXPECT_EQ(v_sub_u32(1, 2), kMax);
  EXPECT_EQ(v_sub_nc_u32(1, 2), kMax);
  EXPECT_EQ(v_subrev_u32(1, 3), 2U);
  EXPECT_EQ(v_subrev_nc_u32(1, 3), 2U);
  EXPECT_EQ(v_add_i32(kHigh, 1), kLow);
  EXPECT_EQ(v_sub_i32(kLow, 1), kHigh);
  EXPECT_EQ(v_add_nc_i32(kHigh, 1), kLow);
  EXPECT_EQ(v_sub_nc_i32(kLow, 1), kHigh);
}
TEST(v_add_u32_sat, stops_at_the_ends) {
  EXPECT_EQ(v_add_u32_sat(kMax, 2), kMax);
  EXPECT_EQ(v_add_nc_u32_sat(1, 2), 3U);
  EXPECT_EQ(v_sub_u32_sat(1, 2), 0U);
  EXPECT_EQ(v_sub_nc_u32_sat(3, 2), 1U);
  EXPECT_EQ(v_subrev_u32_sat(2, 1), 0U);
  EXPECT_EQ(v_subrev_nc_u32_sat(1, 2), 1U);
  EXPECT_EQ(v_add_i32_sat(kHigh, 1), kHigh);
  EXPECT_EQ(v_sub_i32_sat(kLow, 1), kLow);
  EXPECT_EQ(v_sub_i32_sat(0, kLow), kHigh);
  EXPECT_EQ(v_add_nc_i32_sat(kLow, -1), kLow);
  EXPECT_EQ(v_sub_nc_i32_sat(5, 7), -2);
}
TEST(v_add_co_u32, carries_out) {
  EXPECT_EQ(v_add_co_u32(kMax, 1).value, 0U);
  EXPECT_TRUE(v_add_co_u32(kMax, 1).carry);
  EXPECT_FALSE(v_add_co_u32(kMax, 0).carry);
  EXPECT_EQ(v_sub_co_u32(1, 2).value, kMax);
  EXPECT_TRUE(v_sub_co_u32(1, 2).carry);
  EXPECT_FALSE(v_sub_co_u32(2, 2).carry);
  EXPECT_EQ(v_subrev_co_u32(1, 3).value, 2U);
  EXPECT_TRUE(v_subrev_co_u32(3, 1).carry);
}
TEST(v_addc_co_u32, carries_in_and_out) {
  EXPECT_EQ(v_addc_co_u32(kMax, 0, true).value, 0U);
  EXPECT_TRUE(v_addc_co_u32(kMax, 0, true).carry);
  EXPECT_TRUE(v_addc_co_u32(kMax, kMax, true).carry);
  EXPECT_EQ(v_addc_co_u32(kMax, kMax, true).value, kMax);
  EXPECT_FALSE(v_addc_u32(1, 2, true).carry);
  EXPECT_EQ(v_add_co_ci_u32(1, 2, true).value, 4U);
  EXPECT_EQ(v_subb_co_u32(5, 5, true).value, kMax);
  EXPECT_TRUE(v_subb_co_u32(5, 5, true).carry);
  EXPECT_TRUE(v_subb_u32(0, kMax, true).carry);
  EXPECT_EQ(v_sub_co_ci_u32(5, 3, true).value, 1U);
  EXPECT_EQ(v_subbrev_co_u32(3, 5, true).value, 1U);
  EXPECT_EQ(v_subbrev_u32(3, 5, false).value, 2U);
  EXPECT_EQ(v_subrev_co_ci_u32(3, 5, false).value, 2U);
}
TEST(v_add3_u32, combined_with_shifts_and_logic) {
  EXPECT_EQ(v_add3_u32(kMax, 1, 5), 5U);
  EXPECT_EQ(v_lshl_add_u32(3, 34, 1), 13U); // shifts by 2
  EXPECT_EQ(v_add_lshl_u32(3, 4, 33), 14U);
  EXPECT_EQ(v_xad_u32(6, 3, 10), 15U);
  EXPECT_EQ(v_lshl_add_u64(uint64_t{1} << 62, 1, 5), (uint64_t{1} << 63) + 5);
  EXPECT_EQ(v_add_nc_u64(~uint64_t{0}, 2), 1U);
  EXPECT_EQ(v_sub_nc_u64(1, 2), ~uint64_t{0});
  EXPECT_EQ(v_mul_u64(uint64_t{1} << 33, 3), uint64_t{3} << 33);
}
TEST(v_mul_lo_u32, low_and_high_halves) {
  EXPECT_EQ(v_mul_lo_u32(kMax, kMax), 1U);
  EXPECT_EQ(v_mul_lo_i32(kMax, 3), kMax - 2);
  EXPECT_EQ(v_mul_hi_u32(kMax, kMax), kMax - 1);
  EXPECT_EQ(v_mul_hi_i32(kLow, kLow), 0x40000000);
  EXPECT_EQ(v_mul_hi_i32(-1, 1), -1);
}
TEST(v_mul_u32_u24, takes_24_bits) {
  EXPECT_EQ(v_mul_u32_u24(0xff000003U, 5), 15U);
  EXPECT_EQ(v_mul_u32_u24(0xffffffU, 0xffffffU), 0xfe000001U);    // (2^24 - 1)^2 = 0xfffffe000001
  EXPECT_EQ(v_mul_hi_u32_u24(0xffffffU, 0xffffffU), 0xffffU);
  EXPECT_EQ(v_mul_i32_i24(0xffffffU, 5), -5);
  EXPECT_EQ(v_mul_hi_i32_i24(0xffffffU, 5), -1);
  EXPECT_EQ(v_mul_i32_i24(0x800000U, 0x800000U), 0);              // 2^46
  EXPECT_EQ(v_mul_hi_i32_i24(0x800000U, 0x800000U), 0x4000);
  EXPECT_EQ(v_mad_u32_u24(0xff000003U, 5, kMax), 14U);
  EXPECT_EQ(v_mad_i32_i24(0xffffffU, 5, 7), 2);
  EXPECT_EQ(v_mad_u32_u24_sat(0xffffffU, 0xffffffU, 0), kMax);
  EXPECT_EQ(v_mad_i32_i24_sat(0x800000U, 0x7fffffU, 0), kLow);
}
TEST(v_mad_u64_u32, carries_out_of_64_bits) {
  EXPECT_EQ(v_mad_u64_u32(kMax, kMax, 0).value, 0xfffffffe00000001U);
  EXPECT_FALSE(v_mad_u64_u32(kMax, kMax, 0).carry);
  EXPECT_TRUE(v_mad_u64_u32(kMax, kMax, 0x1ffffffffU).carry);
  EXPECT_EQ(v_mad_u64_u32(kMax, kMax, 0x1ffffffffU).value, 0U);
  EXPECT_TRUE(v_mad_co_u64_u32(2, 1, ~uint64_t{0}).carry);
  EXPECT_EQ(v_mad_nc_u64_u32(2, 3, 4), 10U);
}
TEST(v_mad_i64_i32, carry_is_bit_64_of_the_signed_sum) {
  EXPECT_EQ(v_mad_i64_i32(-3, 5, 7).value, -8);
  EXPECT_TRUE(v_mad_i64_i32(-3, 5, 7).carry);
  EXPECT_FALSE(v_mad_i64_i32(3, 5, 7).carry);
  EXPECT_FALSE(v_mad_i64_i32(1, 1, INT64_MAX).carry); // the sum is positive
  EXPECT_EQ(v_mad_i64_i32(1, 1, INT64_MAX).value, INT64_MIN);
  EXPECT_TRUE(v_mad_co_i64_i32(-1, 1, INT64_MIN).carry);
  EXPECT_EQ(v_mad_nc_i64_i32(-2, 3, 4), static_cast<uint64_t>(-2));
}
TEST(v_mad_u32_u16, and_other_widths) {
  EXPECT_EQ(v_mad_u32(3, 4, 5), 17U);
  EXPECT_EQ(v_mad_u32_u16(0xffff, 0xffff, 1), 0xfffe0002U);
  EXPECT_EQ(v_mad_i32_i16(-0x8000, -0x8000, 1), 0x40000001);
  EXPECT_EQ(v_mad_u32_u16_sat(0xffff, 0xffff, 0x20000), kMax);
  EXPECT_EQ(v_mad_i32_i16_sat(-0x8000, -0x8000, kHigh), kHigh);
}
TEST(v_add_u16, sixteen_bits) {
  EXPECT_EQ(v_add_u16(0xffff, 2), 1);
  EXPECT_EQ(v_add_nc_u16(0xffff, 2), 1);
  EXPECT_EQ(v_sub_u16(1, 2), 0xffff);
  EXPECT_EQ(v_sub_nc_u16(1, 2), 0xffff);
  EXPECT_EQ(v_subrev_u16(1, 2), 1);
  EXPECT_EQ(v_add_i16(0x7fff, 1), -0x8000);
  EXPECT_EQ(v_sub_i16(-0x8000, 1), 0x7fff);
  EXPECT_EQ(v_add_nc_i16(0x7fff, 1), -0x8000);
  EXPECT_EQ(v_sub_nc_i16(-0x8000, 1), 0x7fff);
  EXPECT_EQ(v_add_u16_sat(0xffff, 2), 0xffff);
  EXPECT_EQ(v_add_nc_u16_sat(0xffff, 2), 0xffff);
  EXPECT_EQ(v_sub_u16_sat(1, 2), 0);
  EXPECT_EQ(v_sub_nc_u16_sat(1, 2), 0);
  EXPECT_EQ(v_subrev_u16_sat(2, 1), 0);
  EXPECT_EQ(v_add_i16_sat(0x7fff, 1), 0x7fff);
  EXPECT_EQ(v_sub_i16_sat(-0x8000, 1), -0x8000);
  EXPECT_EQ(v_add_nc_i16_sat(0x7fff, 1), 0x7fff);
  EXPECT_EQ(v_sub_nc_i16_sat(-0x8000, 1), -0x8000);
  EXPECT_EQ(v_mul_lo_u16(0xffff, 0xffff), 1);
  EXPECT_EQ(v_mad_u16(0xffff, 0xffff, 5), 6);
  EXPECT_EQ(v_mad_i16(-1, 3, 5), 2);
  EXPECT_EQ(v_mad_legacy_u16(0xffff, 0xffff, 5), 6);
  EXPECT_EQ(v_mad_legacy_i16(-1, 3, 5), 2);
  EXPECT_EQ(v_mad_u16_sat(0xffff, 2, 5), 0xffff);
  EXPECT_EQ(v_mad_i16_sat(0x7fff, -2, 5), -0x8000);
}
TEST(v_min_i32, orders_by_sign) {
  EXPECT_EQ(v_min_i32(-1, 1), -1);
  EXPECT_EQ(v_max_i32(-1, 1), 1);
  EXPECT_EQ(v_min_u32(kMax, 1), 1U);
  EXPECT_EQ(v_max_u32(kMax, 1), kMax);
  EXPECT_EQ(v_min_i16(-1, 1), -1);
  EXPECT_EQ(v_max_i16(-1, 1), 1);
  EXPECT_EQ(v_min_u16(0xffff, 1), 1);
  EXPECT_EQ(v_max_u16(0xffff, 1), 0xffff);
  EXPECT_EQ(v_min_i64(-1, 1), -1);
  EXPECT_EQ(v_max_i64(-1, 1), 1);
  EXPECT_EQ(v_min_u64(~uint64_t{0}, 1), 1U);
  EXPECT_EQ(v_max_u64(~uint64_t{0}, 1), ~uint64_t{0});
}
TEST(v_med3_i32, of_three_in_every_order) {
  const int order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  const int32_t v[] = {-5, 3, 70};
  const uint32_t u[] = {5, 300, kMax};
  const int16_t s[] = {-5, 3, 70};
  const uint16_t t[] = {5, 300, 0xffff};
  for (const auto& o : order) {
    EXPECT_EQ(v_min3_i32(v[o[0]], v[o[1]], v[o[2]]), -5);
    EXPECT_EQ(v_med3_i32(v[o[0]], v[o[1]], v[o[2]]), 3);
    EXPECT_EQ(v_max3_i32(v[o[0]], v[o[1]], v[o[2]]), 70);
    EXPECT_EQ(v_min3_u32(u[o[0]], u[o[1]], u[o[2]]), 5U);
    EXPECT_EQ(v_med3_u32(u[o[0]], u[o[1]], u[o[2]]), 300U);
    EXPECT_EQ(v_max3_u32(u[o[0]], u[o[1]], u[o[2]]), kMax);
    EXPECT_EQ(v_min3_i16(s[o[0]], s[o[1]], s[o[2]]), -5);
    EXPECT_EQ(v_med3_i16(s[o[0]], s[o[1]], s[o[2]]), 3);
    EXPECT_EQ(v_max3_i16(s[o[0]], s[o[1]], s[o[2]]), 70);
    EXPECT_EQ(v_min3_u16(t[o[0]], t[o[1]], t[o[2]]), 5);
    EXPECT_EQ(v_med3_u16(t[o[0]], t[o[1]], t[o[2]]), 300);
    EXPECT_EQ(v_max3_u16(t[o[0]], t[o[1]], t[o[2]]), 0xffff);
  }
  EXPECT_EQ(v_minmax_i32(-5, 3, -1), -1);
  EXPECT_EQ(v_maxmin_i32(-5, 3, -1), -1);
  EXPECT_EQ(v_minmax_u32(kMax, 3, 9), 9U);
  EXPECT_EQ(v_maxmin_u32(kMax, 3, 9), 9U);
}
TEST(v_sad_u8, sums_absolute_differences) {
  EXPECT_EQ(v_sad_u8(0x01ff0005U, 0xff010005U, 1), 1 + 254U + 254U);
  EXPECT_EQ(v_sad_hi_u8(0x00000005U, 0x00000002U, 7), 0x30007U);
  EXPECT_EQ(v_sad_u16(0x0001fff0U, 0x0003ffffU, 1), 18U);
  EXPECT_EQ(v_sad_u32(3, kMax, 0), kMax - 3);
  EXPECT_EQ(v_msad_u8(0x05050505U, 0x00030006U, 0), 3U); // bytes 1 and 3 of the reference are zero
  // From offset 1 on the window holds the 7 (against 0) and a 0 (against the reference's 1).
  EXPECT_EQ(v_qsad_pk_u16_u8(0x0000000700000001U, 1, 0x0001000000000000U), 0x0009'0008'0008'0000U);
}
TEST(v_mqsad_u32_u8, four_offsets) {
  const U32x4 r = v_mqsad_u32_u8(0x0706050403020100U, 0x00000008U, {{0, 10, 20, 30}});
  EXPECT_EQ(r.v[0], 8U);
  EXPECT_EQ(r.v[1], 17U);
  EXPECT_EQ(r.v[2], 26U);
  EXPECT_EQ(r.v[3], 35U);
  EXPECT_EQ(v_mqsad_pk_u16_u8(0x0706050403020100U, 0x00000008U, 0), 0x0005'0006'0007'0008U);
}
TEST(v_lerp_u8, rounds_as_the_third_operand_says) {
  EXPECT_EQ(v_lerp_u8(0x01010102U, 0x02020204U, 0x00000100U), 0x01010203U);
}

TEST(v_and_b32, logic) {
  EXPECT_EQ(v_and_b32(12, 10), 8U);
  EXPECT_EQ(v_or_b32(12, 10), 14U);
  EXPECT_EQ(v_xor_b32(12, 10), 6U);
  EXPECT_EQ(v_xnor_b32(12, 10), ~6U);
  EXPECT_EQ(v_not_b32(12), ~12U);
  EXPECT_EQ(v_and_b16(12, 10), 8);
  EXPECT_EQ(v_or_b16(12, 10), 14);
  EXPECT_EQ(v_xor_b16(12, 10), 6);
  EXPECT_EQ(v_not_b16(12), 0xfff3);
  EXPECT_EQ(v_or3_b32(1, 2, 4), 7U);
  EXPECT_EQ(v_xor3_b32(7, 2, 4), 1U);
  EXPECT_EQ(v_and_or_b32(12, 10, 1), 9U);
  EXPECT_EQ(v_lshl_or_b32(1, 36, 1), 17U);
}
TEST(v_mov_b32, moves_and_selects) {
  EXPECT_EQ(v_mov_b32(kMax), kMax);
  EXPECT_EQ(v_mov_b64(~uint64_t{0}), ~uint64_t{0});
  EXPECT_EQ(v_mov_b16(0xabcd), 0xabcd);
  EXPECT_EQ(v_cndmask_b32(1, 2, false), 1U);
  EXPECT_EQ(v_cndmask_b32(1, 2, true), 2U);
  EXPECT_EQ(v_cndmask_b16(1, 2, true), 2);
  EXPECT_EQ(v_swap_b32(1, 2), (U32x2{2, 1}));
}
TEST(v_lshlrev_b32, amounts_count_modulo_the_width) {
  EXPECT_EQ(v_lshlrev_b32(33, 3), 6U);
  EXPECT_EQ(v_lshrrev_b32(33, 0x80000000U), 0x40000000U);
  EXPECT_EQ(v_ashrrev_i32(33, -4), -2);
  EXPECT_EQ(v_lshlrev_b64(65, 3), 6U);
  EXPECT_EQ(v_lshrrev_b64(65, uint64_t{1} << 63), uint64_t{1} << 62);
  EXPECT_EQ(v_ashrrev_i64(65, -4), -2);
  EXPECT_EQ(v_lshlrev_b16(17, 0x8001), 2);
  EXPECT_EQ(v_lshrrev_b16(17, 0x8000), 0x4000);
  EXPECT_EQ(v_ashrrev_i16(17, -4), -2);
  EXPECT_EQ(v_lshl_b32(3, 33), 6U);
  EXPECT_EQ(v_lshr_b32(4, 33), 2U);
  EXPECT_EQ(v_ashr_i32(-4, 33), -2);
  EXPECT_EQ(v_lshl_b64(3, 65), 6U);
  EXPECT_EQ(v_lshr_b64(4, 65), 2U);
  EXPECT_EQ(v_ashr_i64(-4, 65), -2);
}
TEST(v_bfe_u32, extracts_fields) {
  EXPECT_EQ(v_bfe_u32(0x12345678U, 8, 12), 0x456U);
  EXPECT_EQ(v_bfe_u32(0x12345678U, 28, 12), 1U);
  EXPECT_EQ(v_bfe_u32(0x12345678U, 8, 0), 0U);
  EXPECT_EQ(v_bfe_u32(0x12345678U, 8, 32), 0U); // the width has five bits
  EXPECT_EQ(v_bfe_i32(0x000000f0, 4, 4), -1);
  EXPECT_EQ(v_bfe_i32(0x00000070, 4, 4), 7);
  EXPECT_EQ(v_bfe_i32(kLow, 28, 12), -8);
  EXPECT_EQ(v_bfe_i32(-1, 4, 0), 0);
  EXPECT_EQ(v_bfi_b32(0xff00U, 0xabcdU, 0x1234U), 0xab34U);
  EXPECT_EQ(v_bfm_b32(4, 8), 0xf00U);
  EXPECT_EQ(v_bfm_b32(8, 28), 0xf0000000U);
  EXPECT_EQ(v_bfrev_b32(0x00000001U), 0x80000000U);
  EXPECT_EQ(v_bfrev_b32(0x12345678U), 0x1e6a2c48U);
}
TEST(v_ffbh_u32, searches_and_counts) {
  EXPECT_EQ(v_ffbh_u32(1), 31U);
  EXPECT_EQ(v_ffbh_u32(0), kMax);
  EXPECT_EQ(v_ffbl_b32(0x80000000U), 31U);
  EXPECT_EQ(v_ffbl_b32(0), kMax);
  EXPECT_EQ(v_ffbh_i32(0x40000000), 1U);
  EXPECT_EQ(v_ffbh_i32(-2), 31U);
  EXPECT_EQ(v_ffbh_i32(-1), kMax);
  EXPECT_EQ(v_ffbh_i32(0), kMax);
  EXPECT_EQ(v_clz_i32_u32(1), 31U);
  EXPECT_EQ(v_ctz_i32_b32(8), 3U);
  EXPECT_EQ(v_cls_i32(-2), 31U);
  EXPECT_EQ(v_bcnt_u32_b32(0xf0f0U, 5), 13U);
}
TEST(v_alignbit_b32, takes_32_bits_out_of_64) {
  EXPECT_EQ(v_alignbit_b32(0x12345678U, 0x9abcdef0U, 8), 0x789abcdeU);
  EXPECT_EQ(v_alignbit_b32(0x12345678U, 0x9abcdef0U, 32), 0x9abcdef0U);
  EXPECT_EQ(v_alignbyte_b32(0x12345678U, 0x9abcdef0U, 3), 0x3456789aU);
}
TEST(v_perm_b32, bytes_signs_and_constants) {
  EXPECT_EQ(v_perm_b32(0x07060504U, 0x03020100U, 0x07020500U), 0x07020500U);
  EXPECT_EQ(v_perm_b32(0x80000000U, 0x00008000U, 0x0b0a0908U), 0xff0000ffU);
  EXPECT_EQ(v_perm_b32(0x07060504U, 0x03020100U, 0x0cff0d0cU), 0x00ffff00U);
}

} // namespace
} // namespace ptxshim::vgpu::meaning
