// SPDX-License-Identifier: MIT
// 8-bit floats. FP8 has a sign, four exponent and three fraction bits, BF8 five and two. Biases 7 and 15 (OCP, gfx12),
// 8 and 16 (FNUZ, gfx942).
#include "support.h"

namespace ptxshim::vgpu::meaning {
namespace {

const FloatMode kNear = kKeepDenormals;

TEST(v_cvt_f32_fp8, values_of_both_formats) {
  EXPECT_F32(v_cvt_f32_fp8(0x38), 0x3f800000U);            // exponent 7: 1
  EXPECT_F32(v_cvt_f32_fp8(0xb9), 0xbf900000U);            // -(1 + 1/8)
  EXPECT_F32(v_cvt_f32_fp8(0x7e), 0x43e00000U);            // 448
  EXPECT_F32(v_cvt_f32_fp8(0x01), 0x3b000000U);            // 2^-9
  EXPECT_F32(v_cvt_f32_fp8(0x07), to_bits(7 * 0x1p-9f));
  EXPECT_F32(v_cvt_f32_fp8(0x80), 0x80000000U);            // -0
  EXPECT_TRUE(is_nan(v_cvt_f32_fp8(0x7f)));
  EXPECT_TRUE(is_nan(v_cvt_f32_fp8(0xff)));
  EXPECT_F32(v_cvt_f32_fp8(0x12345638), 0x3f800000U);      // the low byte
  EXPECT_F32(v_cvt_f32_fp8_fnuz(0x40), 0x3f800000U);       // exponent 8: 1
  EXPECT_F32(v_cvt_f32_fp8_fnuz(0x7f), to_bits(240.0f));
  EXPECT_F32(v_cvt_f32_fp8_fnuz(0x81), to_bits(-0x1p-10f));
  EXPECT_TRUE(is_nan(v_cvt_f32_fp8_fnuz(0x80)));
}
TEST(v_cvt_f32_bf8, values_of_both_formats) {
  EXPECT_F32(v_cvt_f32_bf8(0x3c), 0x3f800000U);            // exponent 15: 1
  EXPECT_F32(v_cvt_f32_bf8(0x7b), to_bits(57344.0f));
  EXPECT_F32(v_cvt_f32_bf8(0x01), to_bits(0x1p-16f));
  EXPECT_F32(v_cvt_f32_bf8(0x7c), 0x7f800000U);
  EXPECT_F32(v_cvt_f32_bf8(0xfc), 0xff800000U);
  EXPECT_TRUE(is_nan(v_cvt_f32_bf8(0x7d)));
  EXPECT_F32(v_cvt_f32_bf8_fnuz(0x40), 0x3f800000U);       // exponent 16: 1
  EXPECT_F32(v_cvt_f32_bf8_fnuz(0x7f), to_bits(57344.0f));
  EXPECT_F32(v_cvt_f32_bf8_fnuz(0x01), to_bits(0x1p-17f));
  EXPECT_TRUE(is_nan(v_cvt_f32_bf8_fnuz(0x80)));
}
TEST(v_cvt_pk_f32_fp8, low_byte_first) {
  EXPECT_F32(v_cvt_pk_f32_fp8(0x4038).lo, to_bits(1.0f));
  EXPECT_F32(v_cvt_pk_f32_fp8(0x4038).hi, to_bits(2.0f));
  EXPECT_F32(v_cvt_pk_f32_bf8(0x403c).hi, to_bits(2.0f));
  EXPECT_F32(v_cvt_pk_f32_fp8_fnuz(0x4840).lo, to_bits(1.0f));
  EXPECT_F32(v_cvt_pk_f32_fp8_fnuz(0x4840).hi, to_bits(2.0f));
  EXPECT_F32(v_cvt_pk_f32_bf8_fnuz(0x4440).hi, to_bits(2.0f));
}
TEST(v_cvt_pk_fp8_f32, rounds_to_nearest_even_in_any_mode) {
  EXPECT_EQ(v_cvt_pk_fp8_f32(1.0f, -2.0f, kNear), 0xc038);
  EXPECT_EQ(v_cvt_pk_fp8_f32(1.0625f, 1.1875f, kNear), 0x3a38);  // ties: between 1 and 1.125, 1.125 and 1.25
  EXPECT_EQ(v_cvt_pk_fp8_f32(f32(0x3f880001), 0.0f, kNear), 0x0039); // above a tie
  EXPECT_EQ(v_cvt_pk_fp8_f32(1.0625f, 1.0625f, mode_with(Round::PlusInfinity)), 0x3838);
  EXPECT_EQ(v_cvt_pk_fp8_f32(464.0f, 465.0f, kNear), 0x7f7e);        // the tie goes to 448, beyond is NaN
  EXPECT_EQ(v_cvt_pk_fp8_f32(f32(0x7f800000), f32(0xff800000), kNear), 0xff7f);
  EXPECT_EQ(v_cvt_pk_fp8_f32(f32(0x7fc00000), f32(0xff800001), kNear), 0xffff); // a NaN is ff (gfx1201)
  EXPECT_EQ(v_cvt_pk_fp8_f32(0x1p-9f, 0x1p-10f, kNear), 0x0001);     // the least, and a tie with zero
  EXPECT_EQ(v_cvt_pk_fp8_f32(f32(0x3ac00000), -0.0f, kNear), 0x8001); // 1.5 * 2^-10 is nearer to 2^-9; -0
  EXPECT_EQ(v_cvt_pk_fp8_f32(7.5f * 0x1p-9f, 0x1p-6f, kNear), 0x0808);   // a denormal that rounds up to the least normal
  EXPECT_EQ(v_cvt_pk_fp8_f32_fnuz(1.0f, -0.0f, kNear), 0x0040);
  EXPECT_EQ(v_cvt_pk_fp8_f32_fnuz(240.0f, 248.0f, kNear), 0x807f);   // 248 is a tie with 256, which there is not
  EXPECT_EQ(v_cvt_pk_fp8_f32_fnuz(f32(0x7f800000), f32(0x7fc00000), kNear), 0x8080);
  EXPECT_EQ(v_cvt_pk_fp8_f32_fnuz(-0x1p-11f, -0x1p-10f, kNear), 0x8100); // rounds to zero, which has no sign
}
TEST(v_cvt_pk_bf8_f32, has_infinity_in_one_format) {
  EXPECT_EQ(v_cvt_pk_bf8_f32(1.0f, -2.0f, kNear), 0xc03c);
  EXPECT_EQ(v_cvt_pk_bf8_f32(57344.0f, 61440.0f, kNear), 0x7c7b);    // halfway to 65536: infinity
  EXPECT_EQ(v_cvt_pk_bf8_f32(f32(0xff800000), f32(0x7fc00001), kNear), 0xfefc); // a NaN is fe (gfx1201)
  EXPECT_EQ(v_cvt_pk_bf8_f32(1.125f, 1.375f, kNear), 0x3e3c);        // ties to even
  EXPECT_EQ(v_cvt_pk_bf8_f32_fnuz(1.0f, 61440.0f, kNear), 0x8040);
  EXPECT_EQ(v_cvt_pk_bf8_f32_fnuz(0x1p-17f, 57344.0f, kNear), 0x7f01);
}
TEST(v_cvt_sr_fp8_f32, adds_random_bits_below_the_last_place) {
  EXPECT_EQ(v_cvt_sr_fp8_f32(1.0f, 0xffffffffU, kNear), 0x38U);      // exact values stay
  EXPECT_EQ(v_cvt_sr_fp8_f32(1.0625f, 0x7fffffffU, kNear), 0x38U);   // half a place and a little less than half
  EXPECT_EQ(v_cvt_sr_fp8_f32(1.0625f, 0x80000000U, kNear), 0x39U);
  EXPECT_EQ(v_cvt_sr_fp8_f32(-1.9375f, 0x80000000U, kNear), 0xc0U);  // the carry goes into the exponent
  // Denormal: 1.5 places of 2^-9; and a little more than one, of which gfx1201 does not see the little.
  EXPECT_EQ(v_cvt_sr_fp8_f32(0x1.8p-9f, 0x7fffffffU, kNear), 0x01U);
  EXPECT_EQ(v_cvt_sr_fp8_f32(0x1.8p-9f, 0x80000000U, kNear), 0x02U);
  EXPECT_EQ(v_cvt_sr_fp8_f32(f32(0x3b000001), 0xffffffffU, kNear), 0x01U);
  EXPECT_EQ(v_cvt_sr_bf8_f32(0x1.8p-16f, 0x80000000U, kNear), 0x02U);
  EXPECT_EQ(v_cvt_sr_fp8_f32_fnuz(1.0625f, 0x80000000U, kNear), 0x41U);
  EXPECT_EQ(v_cvt_sr_bf8_f32(1.125f, 0x7fffffffU, kNear), 0x3cU);
  EXPECT_EQ(v_cvt_sr_bf8_f32(1.125f, 0x80000000U, kNear), 0x3dU);
  EXPECT_EQ(v_cvt_sr_bf8_f32_fnuz(1.125f, 0x80000000U, kNear), 0x41U);
}
TEST(v_dot4_f32_fp8_fp8, four_products_and_the_accumulator) {
  // {1, 2, -1, 0.5} . {1, 1, 2, 4} + 10 = 1 + 2 - 2 + 2 + 10
  const uint32_t a = 0x30b84038U, b = 0x48403838U;            // FP8
  const uint32_t a_wide = 0x38bc403cU, b_wide = 0x44403c3cU;  // BF8
  EXPECT_F32(v_dot4_f32_fp8_fp8(a, b, 10.0f, kNear), to_bits(13.0f));
  EXPECT_F32(v_dot4_f32_fp8_bf8(a, b_wide, 10.0f, kNear), to_bits(13.0f));
  EXPECT_F32(v_dot4_f32_bf8_fp8(a_wide, b, 10.0f, kNear), to_bits(13.0f));
  EXPECT_F32(v_dot4_f32_bf8_bf8(a_wide, b_wide, 10.0f, kNear), to_bits(13.0f));
}

} // namespace
} // namespace ptxshim::vgpu::meaning
