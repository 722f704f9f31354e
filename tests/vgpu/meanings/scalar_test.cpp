// SPDX-License-Identifier: MIT
#include "support.h"

namespace ptxshim::vgpu::meaning {
namespace {

constexpr uint32_t kMax = 0xffffffffU;
const FloatMode kNear = kKeepDenormals;

#define EXPECT_SCC(expression, expected, expected_scc)                                                                 \
  do {                                                                                                                 \
    const auto result = expression;                                                                                    \
    EXPECT_EQ(result.value, expected);                                                                                 \
    EXPECT_EQ(result.scc, expected_scc);                                                                               \
  } while (false)

TEST(s_add_u32, carry_and_overflow) {
  EXPECT_SCC(s_add_u32(kMax, 1), 0U, true);
  EXPECT_SCC(s_add_u32(kMax, 0), kMax, false);
  EXPECT_SCC(s_sub_u32(1, 2), kMax, true);
  EXPECT_SCC(s_add_i32(INT32_MAX, 1), INT32_MIN, true);
  EXPECT_SCC(s_add_i32(-1, 1), 0, false);
  EXPECT_SCC(s_sub_i32(INT32_MIN, 1), INT32_MAX, true);
  EXPECT_SCC(s_sub_i32(0, 1), -1, false);
  EXPECT_SCC(s_addc_u32(kMax, 0, true), 0U, true);
  EXPECT_SCC(s_subb_u32(0, 0, true), kMax, true);
  EXPECT_SCC(s_add_co_u32(kMax, 1), 0U, true);
  EXPECT_SCC(s_sub_co_u32(1, 2), kMax, true);
  EXPECT_SCC(s_add_co_i32(INT32_MAX, 1), INT32_MIN, true);
  EXPECT_SCC(s_sub_co_i32(INT32_MIN, 1), INT32_MAX, true);
  EXPECT_SCC(s_add_co_ci_u32(kMax, 0, true), 0U, true);
  EXPECT_SCC(s_sub_co_ci_u32(5, 2, true), 2U, false);
  EXPECT_EQ(s_add_nc_u64(~uint64_t{0}, 2), 1U);
  EXPECT_EQ(s_sub_nc_u64(1, 2), ~uint64_t{0});
  EXPECT_EQ(s_add_u64(~uint64_t{0}, 2), 1U);
  EXPECT_EQ(s_sub_u64(1, 2), ~uint64_t{0});
  EXPECT_EQ(s_mul_u64(uint64_t{1} << 40, 3), uint64_t{3} << 40);
  EXPECT_EQ(s_mul_i32(kMax, 3), kMax - 2);
  EXPECT_EQ(s_mul_hi_u32(kMax, kMax), kMax - 1);
  EXPECT_EQ(s_mul_hi_i32(-1, 3), -1);
}
TEST(s_lshl1_add_u32, carries_out_of_32_bits) {
  EXPECT_SCC(s_lshl1_add_u32(0x80000000U, 5), 5U, true);
  EXPECT_SCC(s_lshl2_add_u32(3, 5), 17U, false);
  EXPECT_SCC(s_lshl3_add_u32(3, 5), 29U, false);
  EXPECT_SCC(s_lshl4_add_u32(0x0fffffffU, 0x10U), 0U, true);
}
TEST(s_min_i32, scc_says_the_first_was_taken) {
  EXPECT_SCC(s_min_i32(-1, 1), -1, true);
  EXPECT_SCC(s_min_i32(1, 1), 1, false);
  EXPECT_SCC(s_max_i32(-1, 1), 1, false);
  EXPECT_SCC(s_max_i32(1, 1), 1, true);
  EXPECT_SCC(s_min_u32(kMax, 1), 1U, false);
  EXPECT_SCC(s_max_u32(kMax, 1), kMax, true);
  EXPECT_SCC(s_abs_i32(INT32_MIN), 0x80000000U, true);
  EXPECT_SCC(s_abs_i32(0), 0U, false);
  EXPECT_SCC(s_absdiff_i32(2, 5), 3U, true);
  EXPECT_SCC(s_absdiff_i32(5, 5), 0U, false);
}
TEST(s_movk_i32, sixteen_bit_immediates) {
  EXPECT_EQ(s_movk_i32(-5), -5);
  EXPECT_EQ(s_cmovk_i32(-5, true, 7), -5);
  EXPECT_EQ(s_cmovk_i32(-5, false, 7), 7);
  EXPECT_SCC(s_addk_i32(INT32_MAX, 1), INT32_MIN, true);
  EXPECT_SCC(s_addk_co_i32(5, -7), -2, false);
  EXPECT_EQ(s_mulk_i32(0x40000000, -2), INT32_MIN);
}
TEST(s_and_b32, scc_says_not_zero) {
  EXPECT_SCC(s_and_b32(12, 3), 0U, false);
  EXPECT_SCC(s_or_b32(12, 10), 14U, true);
  EXPECT_SCC(s_xor_b32(12, 12), 0U, false);
  EXPECT_SCC(s_andn2_b32(12, 4), 8U, true);
  EXPECT_SCC(s_and_not1_b32(12, 12), 0U, false);
  EXPECT_SCC(s_orn2_b32(0, kMax), 0U, false);
  EXPECT_SCC(s_or_not1_b32(1, ~2U), 3U, true);
  EXPECT_SCC(s_nand_b32(kMax, kMax), 0U, false);
  EXPECT_SCC(s_nor_b32(0, 0), kMax, true);
  EXPECT_SCC(s_xnor_b32(5, 5), kMax, true);
  EXPECT_SCC(s_not_b32(kMax), 0U, false);
  EXPECT_SCC(s_and_b64(uint64_t{1} << 40, uint64_t{3} << 40), uint64_t{1} << 40, true);
  EXPECT_SCC(s_or_b64(0, 0), uint64_t{0}, false);
  EXPECT_SCC(s_xor_b64(5, 4), uint64_t{1}, true);
  EXPECT_SCC(s_andn2_b64(5, 5), uint64_t{0}, false);
  EXPECT_SCC(s_and_not1_b64(5, 4), uint64_t{1}, true);
  EXPECT_SCC(s_orn2_b64(0, ~uint64_t{0}), uint64_t{0}, false);
  EXPECT_SCC(s_or_not1_b64(1, ~uint64_t{2}), uint64_t{3}, true);
  EXPECT_SCC(s_nand_b64(~uint64_t{0}, ~uint64_t{0}), uint64_t{0}, false);
  EXPECT_SCC(s_nor_b64(0, 0), ~uint64_t{0}, true);
  EXPECT_SCC(s_xnor_b64(5, 5), ~uint64_t{0}, true);
  EXPECT_SCC(s_not_b64(~uint64_t{0}), uint64_t{0}, false);
}
TEST(s_mov_b32, moves_and_selects) {
  EXPECT_EQ(s_mov_b32(5), 5U);
  EXPECT_EQ(s_mov_b64(5), 5U);
  EXPECT_EQ(s_cmov_b32(5, true, 7), 5U);
  EXPECT_EQ(s_cmov_b64(5, false, 7), 7U);
  EXPECT_EQ(s_cselect_b32(5, 7, true), 5U);
  EXPECT_EQ(s_cselect_b64(5, 7, false), 7U);
}
TEST(s_lshl_b32, amounts_count_modulo_the_width) {
  EXPECT_SCC(s_lshl_b32(0x80000000U, 33), 0U, false);
  EXPECT_SCC(s_lshr_b32(4, 33), 2U, true);
  EXPECT_SCC(s_ashr_i32(-4, 33), -2, true);
  EXPECT_SCC(s_lshl_b64(3, 65), uint64_t{6}, true);
  EXPECT_SCC(s_lshr_b64(1, 65), uint64_t{0}, false);
  EXPECT_SCC(s_ashr_i64(-4, 65), int64_t{-2}, true);
}
TEST(s_bfe_u32, offset_low_and_width_from_bit_16) {
  EXPECT_SCC(s_bfe_u32(0x12345678U, 8U | 12U << 16), 0x456U, true);
  EXPECT_SCC(s_bfe_u32(0x12345678U, 8), 0U, false);
  EXPECT_SCC(s_bfe_u32(0x12345678U, 4U | 64U << 16), 0x1234567U, true);
  EXPECT_SCC(s_bfe_i32(0x000000f0, 4U | 4U << 16), -1, true);
  EXPECT_SCC(s_bfe_i32(INT32_MIN, 28U | 12U << 16), -8, true);
  EXPECT_SCC(s_bfe_i32(-1, 4U), 0, false);
  EXPECT_SCC(s_bfe_u64(0x123456789abcdef0U, 36U | 8U << 16), uint64_t{0x67}, true);
  EXPECT_SCC(s_bfe_i64(INT64_MIN, 60U | 4U << 16), int64_t{-8}, true);
  EXPECT_EQ(s_bfm_b32(4, 8), 0xf00U);
  EXPECT_EQ(s_bfm_b64(4, 40), uint64_t{0xf} << 40);
  EXPECT_EQ(s_bitset0_b32(33, 7), 5U);
  EXPECT_EQ(s_bitset1_b32(3, 0), 8U);
  EXPECT_EQ(s_bitset0_b64(65, 7), 5U);
  EXPECT_EQ(s_bitset1_b64(40, 0), uint64_t{1} << 40);
  EXPECT_EQ(s_sext_i32_i8(0x1ff), -1);
  EXPECT_EQ(s_sext_i32_i16(0x18000), -32768);
  EXPECT_EQ(s_pack_ll_b32_b16(0x11112222U, 0x33334444U), 0x44442222U);
  EXPECT_EQ(s_pack_lh_b32_b16(0x11112222U, 0x33334444U), 0x33332222U);
  EXPECT_EQ(s_pack_hh_b32_b16(0x11112222U, 0x33334444U), 0x33331111U);
  EXPECT_EQ(s_pack_hl_b32_b16(0x11112222U, 0x33334444U), 0x44441111U);
}
TEST(s_bcnt1_i32_b32, counts_and_searches) {
  EXPECT_SCC(s_bcnt1_i32_b32(0xf0f0U), 8U, true);
  EXPECT_SCC(s_bcnt1_i32_b64(0), 0U, false);
  EXPECT_SCC(s_bcnt0_i32_b32(kMax), 0U, false);
  EXPECT_SCC(s_bcnt0_i32_b64(1), 63U, true);
  EXPECT_EQ(s_ff1_i32_b32(8), 3U);
  EXPECT_EQ(s_ff1_i32_b64(0), kMax);
  EXPECT_EQ(s_ff0_i32_b32(7), 3U);
  EXPECT_EQ(s_ff0_i32_b64(~uint64_t{0}), kMax);
  EXPECT_EQ(s_flbit_i32_b32(1), 31U);
  EXPECT_EQ(s_flbit_i32_b64(1), 63U);
  EXPECT_EQ(s_flbit_i32(-2), 31U);
  EXPECT_EQ(s_flbit_i32_i64(-1), kMax);
  EXPECT_EQ(s_ctz_i32_b32(8), 3U);
  EXPECT_EQ(s_ctz_i32_b64(uint64_t{1} << 40), 40U);
  EXPECT_EQ(s_clz_i32_u32(0), kMax);
  EXPECT_EQ(s_clz_i32_u64(1), 63U);
  EXPECT_EQ(s_cls_i32(0x40000000), 1U);
  EXPECT_EQ(s_cls_i32_i64(-2), 63U);
}
TEST(s_quadmask_b32, patterns_of_bits) {
  EXPECT_SCC(s_quadmask_b32(0x80000102U), 0x85U, true);
  EXPECT_SCC(s_quadmask_b64(uint64_t{1} << 60), uint64_t{0x8000}, true);
  EXPECT_SCC(s_wqm_b32(0x80000102U), 0xf0000f0fU, true);
  EXPECT_SCC(s_wqm_b64(0), uint64_t{0}, false);
  EXPECT_SCC(s_wqm_b64(uint64_t{1} << 33), uint64_t{0xf} << 32, true);
  EXPECT_EQ(s_brev_b32(1), 0x80000000U);
  EXPECT_EQ(s_brev_b64(0x12), uint64_t{0x48} << 56);
  EXPECT_EQ(s_bitreplicate_b64_b32(0x80000005U), 0xc000000000000033U);
}
TEST(s_cmp_eq_i32, comparisons) {
  EXPECT_TRUE(s_cmp_eq_i32(-1, -1) && s_cmp_lg_i32(-1, 1) && s_cmp_lt_i32(-1, 1) && s_cmp_le_i32(1, 1));
  EXPECT_TRUE(s_cmp_gt_i32(1, -1) && s_cmp_ge_i32(1, 1));
  EXPECT_FALSE(s_cmp_eq_i32(-1, 1) || s_cmp_lg_i32(1, 1) || s_cmp_lt_i32(1, -1) || s_cmp_le_i32(1, -1));
  EXPECT_FALSE(s_cmp_gt_i32(-1, 1) || s_cmp_ge_i32(-1, 1));
  EXPECT_TRUE(s_cmp_eq_u32(kMax, kMax) && s_cmp_lg_u32(kMax, 1) && s_cmp_lt_u32(1, kMax) && s_cmp_le_u32(1, 1));
  EXPECT_TRUE(s_cmp_gt_u32(kMax, 1) && s_cmp_ge_u32(kMax, kMax));
  EXPECT_TRUE(s_cmpk_eq_i32(-1, -1) && s_cmpk_lg_i32(-1, 1) && s_cmpk_lt_i32(-2, -1) && s_cmpk_le_i32(-1, -1));
  EXPECT_TRUE(s_cmpk_gt_i32(1, -1) && s_cmpk_ge_i32(-1, -1));
  EXPECT_TRUE(s_cmpk_eq_u32(0xffff, 0xffff) && s_cmpk_lg_u32(kMax, 0xffff) && s_cmpk_lt_u32(1, 0xffff));
  EXPECT_TRUE(s_cmpk_le_u32(1, 1) && s_cmpk_gt_u32(kMax, 0xffff) && s_cmpk_ge_u32(1, 1));
  EXPECT_TRUE(s_cmp_eq_u64(5, 5) && s_cmp_lg_u64(uint64_t{1} << 40, 0));
  EXPECT_TRUE(s_bitcmp1_b32(2, 33) && s_bitcmp0_b32(2, 32) && s_bitcmp1_b64(2, 65) && s_bitcmp0_b64(2, 64));
}
TEST(s_add_f32, scalar_float_is_the_vector_operation) {
  EXPECT_F32(s_add_f32(1.0f, 2.0f, kNear), to_bits(3.0f));
  EXPECT_F32(s_sub_f32(1.0f, 2.0f, kNear), to_bits(-1.0f));
  EXPECT_F32(s_mul_f32(3.0f, 2.0f, kNear), to_bits(6.0f));
  EXPECT_F32(s_min_f32(3.0f, 2.0f, kNear), to_bits(2.0f));
  EXPECT_F32(s_max_f32(3.0f, 2.0f, kNear), to_bits(3.0f));
  EXPECT_F32(s_min_num_f32(3.0f, 2.0f, kNear), to_bits(2.0f));
  EXPECT_F32(s_max_num_f32(3.0f, 2.0f, kNear), to_bits(3.0f));
  EXPECT_F32(s_minimum_f32(3.0f, f32(0x7fc00000), kNear), 0x7fc00000U);
  EXPECT_F32(s_maximum_f32(3.0f, 2.0f, kNear), to_bits(3.0f));
  EXPECT_F32(s_fmac_f32(3.0f, 2.0f, 1.0f, kNear), to_bits(7.0f));
  EXPECT_F32(s_fmamk_f32(3.0f, 2.0f, 1.0f, kNear), to_bits(7.0f));
  EXPECT_F32(s_fmaak_f32(3.0f, 2.0f, 1.0f, kNear), to_bits(7.0f));
  EXPECT_F32(s_ceil_f32(1.5f, kNear), to_bits(2.0f));
  EXPECT_F32(s_floor_f32(1.5f, kNear), to_bits(1.0f));
  EXPECT_F32(s_trunc_f32(-1.5f, kNear), to_bits(-1.0f));
  EXPECT_F32(s_rndne_f32(1.5f, kNear), to_bits(2.0f));
  EXPECT_F16(s_add_f16(f16(0x3c00), f16(0x4000), kNear), 0x4200U);
  EXPECT_F16(s_sub_f16(f16(0x3c00), f16(0x4000), kNear), 0xbc00U);
  EXPECT_F16(s_mul_f16(f16(0x4200), f16(0x4000), kNear), 0x4600U);
  EXPECT_F16(s_fmac_f16(f16(0x4200), f16(0x4000), f16(0x3c00), kNear), 0x4700U);
  EXPECT_F16(s_ceil_f16(f16(0x3e00), kNear), 0x4000U);
  EXPECT_F16(s_floor_f16(f16(0x3e00), kNear), 0x3c00U);
  EXPECT_F16(s_trunc_f16(f16(0x3e00), kNear), 0x3c00U);
  EXPECT_F16(s_rndne_f16(f16(0x3e00), kNear), 0x4000U);
  EXPECT_F32(s_cvt_f32_i32(-2, kNear), to_bits(-2.0f));
  EXPECT_F32(s_cvt_f32_u32(2, kNear), to_bits(2.0f));
  EXPECT_EQ(s_cvt_i32_f32(-2.5f, kNear), -2);
  EXPECT_EQ(s_cvt_u32_f32(2.5f, kNear), 2U);
  EXPECT_F16(s_cvt_f16_f32(1.0f, kNear), 0x3c00U);
  EXPECT_F32(s_cvt_f32_f16(f16(0x3c00), kNear), to_bits(1.0f));
  EXPECT_F32(s_cvt_hi_f32_f16(0x40003c00U, kNear), to_bits(2.0f));
  EXPECT_EQ(pack(s_cvt_pk_rtz_f16_f32(1.0f, 2.0f, kNear)), 0x40003c00U);
  EXPECT_TRUE(s_cmp_lt_f16(f16(0x3c00), f16(0x4000), kNear));
}

} // namespace
} // namespace ptxshim::vgpu::meaning
