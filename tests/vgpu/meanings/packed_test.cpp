// SPDX-License-Identifier: MIT
#include "support.h"

namespace ptxshim::vgpu::meaning {
namespace {

const FloatMode kNear = kKeepDenormals;
F16x2 halves(uint32_t bits) { return unpack_f16(bits); }
U16x2 words(uint32_t bits) { return unpack_u16(bits); }
I16x2 signed_words(uint32_t bits) { return unpack_i16(bits); }

TEST(v_pk_add_f16, both_halves) { // {1, 2} and {0.5, -2}
  const F16x2 a = halves(0x40003c00U), b = halves(0xc0003800U), c = halves(0x3c004000U);
  EXPECT_EQ(pack(v_pk_add_f16(a, b, kNear)), 0x00003e00U);
  EXPECT_EQ(pack(v_pk_mul_f16(a, b, kNear)), 0xc4003800U);
  EXPECT_EQ(pack(v_pk_fma_f16(a, b, c, kNear)), 0xc2004100U);
  EXPECT_EQ(pack(v_pk_fmac_f16(a, b, c, kNear)), 0xc2004100U);
  EXPECT_EQ(pack(v_pk_min_f16(a, b, kNear)), 0xc0003800U);
  EXPECT_EQ(pack(v_pk_max_f16(a, b, kNear)), 0x40003c00U);
  EXPECT_EQ(pack(v_pk_min_num_f16(a, b, kNear)), 0xc0003800U);
  EXPECT_EQ(pack(v_pk_max_num_f16(a, b, kNear)), 0x40003c00U);
  EXPECT_EQ(pack(v_pk_minimum_f16(a, b, kNear)), 0xc0003800U);
  EXPECT_EQ(pack(v_pk_maximum_f16(a, b, kNear)), 0x40003c00U);
  EXPECT_EQ(pack(v_pk_minimum3_f16(a, b, c, kNear)), 0xc0003800U);
  EXPECT_EQ(pack(v_pk_maximum3_f16(a, b, c, kNear)), 0x40004000U);
}
TEST(v_pk_add_u16, both_halves_without_carry_between) {
  const U16x2 a = words(0x0001ffffU), b = words(0x00030002U);
  EXPECT_EQ(pack(v_pk_add_u16(a, b)), 0x00040001U);
  EXPECT_EQ(pack(v_pk_sub_u16(a, b)), 0xfffefffdU);
  EXPECT_EQ(pack(v_pk_add_u16_sat(a, b)), 0x0004ffffU);
  EXPECT_EQ(pack(v_pk_sub_u16_sat(a, b)), 0x0000fffdU);
  EXPECT_EQ(pack(v_pk_min_u16(a, b)), 0x00010002U);
  EXPECT_EQ(pack(v_pk_max_u16(a, b)), 0x0003ffffU);
  EXPECT_EQ(pack(v_pk_mul_lo_u16(a, b)), 0x0003fffeU);
  EXPECT_EQ(pack(v_pk_mad_u16(a, b, words(0x00010001U))), 0x0004ffffU);
  EXPECT_EQ(pack(v_pk_mad_u16_sat(a, b, words(0x00010001U))), 0x0004ffffU);
}
TEST(v_pk_add_i16, both_halves) {
  const I16x2 a = signed_words(0x80007fffU), b = signed_words(0xffff0001U);
  EXPECT_EQ(pack(v_pk_add_i16(a, b)), 0x7fff8000U);
  EXPECT_EQ(pack(v_pk_sub_i16(a, b)), 0x80017ffeU);
  EXPECT_EQ(pack(v_pk_add_i16_sat(a, b)), 0x80007fffU);
  EXPECT_EQ(pack(v_pk_sub_i16_sat(a, signed_words(0x0001ffffU))), 0x80007fffU);
  EXPECT_EQ(pack(v_pk_min_i16(a, b)), 0x80000001U);
  EXPECT_EQ(pack(v_pk_max_i16(a, b)), 0xffff7fffU);
  EXPECT_EQ(pack(v_pk_mad_i16(signed_words(0xfffe0003U), signed_words(0x00030003U), signed_words(0x0000ffffU))),
            0xfffa0008U);
  EXPECT_EQ(pack(v_pk_mad_i16_sat(a, signed_words(0x00020002U), signed_words(0))), 0x80007fffU);
}
TEST(v_pk_lshlrev_b16, shifts_each_half_by_its_own_amount) {
  EXPECT_EQ(pack(v_pk_lshlrev_b16(words(0x00110001U), words(0x00018001U))), 0x00020002U);
  EXPECT_EQ(pack(v_pk_lshrrev_b16(words(0x00110001U), words(0x80008001U))), 0x40004000U);
  EXPECT_EQ(pack(v_pk_ashrrev_i16(words(0x00110001U), signed_words(0x80004000U))), 0xc0002000U);
}
TEST(v_pk_fma_f32, both_floats) {
  const F32x2 a{1.0f, 2.0f}, b{3.0f, 4.0f}, c{5.0f, 6.0f};
  EXPECT_F32(v_pk_fma_f32(a, b, c, kNear).lo, to_bits(8.0f));
  EXPECT_F32(v_pk_fma_f32(a, b, c, kNear).hi, to_bits(14.0f));
  EXPECT_F32(v_pk_mul_f32(a, b, kNear).hi, to_bits(8.0f));
  EXPECT_F32(v_pk_add_f32(a, b, kNear).lo, to_bits(4.0f));
  EXPECT_EQ(v_pk_mov_b32({1, 2}, {3, 4}), (U32x2{1, 3}));
}
TEST(v_fma_mixlo_f16, rounds_once) {
  // 1 + 2^-11 + 2^-30: rounded to f32 first it would be a tie and go down to 1.
  EXPECT_F16(v_fma_mixlo_f16(0x1p-15f, 0x1p-15f, 1.0f + 0x1p-11f, kNear), 0x3c01U);
  EXPECT_F16(v_fma_mixhi_f16(0x1p-15f, 0x1p-15f, 1.0f + 0x1p-11f, kNear), 0x3c01U);
  EXPECT_F16(v_mad_mixlo_f16(0x1p-15f, 0x1p-15f, 1.0f + 0x1p-11f, kNear), 0x3c00U);
  EXPECT_F16(v_mad_mixhi_f16(2.0f, 3.0f, 4.0f, kNear), 0x4900U);
  EXPECT_F32(v_fma_mix_f32(2.0f, 3.0f, 4.0f, kNear), to_bits(10.0f));
  EXPECT_F32(v_mad_mix_f32(2.0f, 3.0f, 4.0f, kNear), to_bits(10.0f));
  EXPECT_F16(v_fma_mixlo_f16(f32(0x7f800000), 0.0f, 1.0f, kNear), 0xfe00U);
  EXPECT_F16(v_fma_mixlo_f16(1e6f, 1.0f, 0.0f, mode_with(Round::TowardZero)), 0x7bffU);
}
TEST(v_dot2_f32_f16, adds_two_products) { // {1, 2} . {3, 4} + 5
  const F16x2 a = halves(0x40003c00U), b = halves(0x44004200U);
  EXPECT_F32(v_dot2_f32_f16(a, b, 5.0f, kNear), to_bits(16.0f));
  EXPECT_F32(v_dot2c_f32_f16(a, b, 5.0f, kNear), to_bits(16.0f));
  EXPECT_F32(v_dot2acc_f32_f16(a, b, 5.0f, kNear), to_bits(16.0f));
  EXPECT_F16(v_dot2_f16_f16(a, b, f16(0x4500), kNear), 0x4c00U);
  const U16x2 c = words(0x40003f80U), d = words(0x40804040U);
  EXPECT_F32(v_dot2_f32_bf16(c, d, 5.0f, kNear), to_bits(16.0f));
  EXPECT_F32(v_dot2c_f32_bf16(c, d, 5.0f, kNear), to_bits(16.0f));
  EXPECT_EQ(v_dot2_bf16_bf16(c, d, BF16{0x40a0}, kNear).bits, 0x4180U);
}
// RDNA3 ISA, 7.2.4: "DOT2_F16_F16 and DOT2_BF16_BF16 support round-to-nearest-even rounding. DOT2_F16_F16 supports denorms,
// and DOT2_BF16_BF16 disables all denorms." Those to f32 flush f32 in every mode (LLVM, performFMACombine).
TEST(v_dot2_f32_f16, rounds_to_nearest_without_denormals) {
  const FloatMode up = mode_with(Round::PlusInfinity);
  const F16x2 one = halves(0x3c00U), none = halves(0);
  EXPECT_F32(v_dot2_f32_f16(one, one, 0x1p-30f, up), to_bits(1.0f));
  EXPECT_F32(v_dot2_f32_f16(none, none, f32(1), kNear), 0U);
  EXPECT_F32(v_dot2_f32_bf16(words(0x0001U), words(0x7f00U), 0.0f, kNear), 0U);
  EXPECT_F16(v_dot2_f16_f16(one, one, f16(0x0010), up), 0x3c00U);
  EXPECT_F16(v_dot2_f16_f16(none, none, f16(0x0001), kNear), 0x0001U);
  EXPECT_EQ(v_dot2_bf16_bf16(words(0x3f80U), words(0x3f80U), BF16{0x3080}, up).bits, 0x3f80U);
  EXPECT_EQ(v_dot2_bf16_bf16(words(0), words(0), BF16{0x8001}, kNear).bits, 0U);
}
TEST(v_dot4_i32_i8, signed_and_unsigned_fields) {
  EXPECT_EQ(v_dot4_i32_i8(0xff020304U, 0x05060708U, 10), 10 - 5 + 12 + 21 + 32);
  EXPECT_EQ(v_dot4c_i32_i8(0xff020304U, 0x05060708U, 10), 70);
  EXPECT_EQ(v_dot4_u32_u8(0xff020304U, 0x05060708U, 10), 10U + 1275 + 12 + 21 + 32);
  EXPECT_EQ(v_dot4_i32_i8_sat(0x7f7f7f7fU, 0x7f7f7f7fU, INT32_MAX), INT32_MAX);
  EXPECT_EQ(v_dot4c_i32_i8_sat(0x80808080U, 0x7f7f7f7fU, INT32_MIN), INT32_MIN);
  EXPECT_EQ(v_dot4_i32_i8(0x01010101U, 0x01010101U, INT32_MAX), INT32_MIN + 3);
  EXPECT_EQ(v_dot4_u32_u8_sat(0x01010101U, 0x01010101U, 0xffffffffU), 0xffffffffU);
  EXPECT_EQ(v_dot2_i32_i16(0xffff0002U, 0x00030004U, 1), 6);
  EXPECT_EQ(v_dot2c_i32_i16(0xffff0002U, 0x00030004U, 1), 6);
  EXPECT_EQ(v_dot2_i32_i16_sat(0x7fff7fffU, 0x7fff7fffU, INT32_MAX), INT32_MAX);
  EXPECT_EQ(v_dot2c_i32_i16_sat(0x00010001U, 0x00010001U, 1), 3);
  EXPECT_EQ(v_dot2_u32_u16(0xffff0002U, 0x00030004U, 1), 0x2fffdU + 9);
  EXPECT_EQ(v_dot2_u32_u16_sat(0xffffffffU, 0xffffffffU, 0), 0xffffffffU);
  EXPECT_EQ(v_dot8_i32_i4(0xf1111111U, 0x22222222U, 0), 12);
  EXPECT_EQ(v_dot8c_i32_i4(0xf1111111U, 0x22222222U, 0), 12);
  EXPECT_EQ(v_dot8_i32_i4_sat(0x11111111U, 0x11111111U, INT32_MAX), INT32_MAX);
  EXPECT_EQ(v_dot8c_i32_i4_sat(0x11111111U, 0x11111111U, 1), 9);
  EXPECT_EQ(v_dot8_u32_u4(0xf1111111U, 0x22222222U, 0), 44U);
  EXPECT_EQ(v_dot8_u32_u4_sat(0xf1111111U, 0x22222222U, 0xffffffffU), 0xffffffffU);
}
TEST(v_dot4_i32_iu8, each_operand_signed_or_not) {
  EXPECT_EQ(v_dot4_i32_iu8(0x000000ffU, 0x000000ffU, 0, true, true), 1);
  EXPECT_EQ(v_dot4_i32_iu8(0x000000ffU, 0x000000ffU, 0, true, false), -255);
  EXPECT_EQ(v_dot4_i32_iu8(0x000000ffU, 0x000000ffU, 0, false, true), -255);
  EXPECT_EQ(v_dot4_i32_iu8(0x000000ffU, 0x000000ffU, 0, false, false), 65025);
  EXPECT_EQ(v_dot4_i32_iu8_sat(0x000000ffU, 0x000000ffU, INT32_MAX, false, false), INT32_MAX);
  EXPECT_EQ(v_dot8_i32_iu4(0x0000000fU, 0x0000000fU, 5, true, false), -10);
  EXPECT_EQ(v_dot8_i32_iu4_sat(0x0000000fU, 0x0000000fU, INT32_MIN, true, false), INT32_MIN);
}

} // namespace
} // namespace ptxshim::vgpu::meaning
