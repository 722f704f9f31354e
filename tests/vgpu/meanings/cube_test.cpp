// SPDX-License-Identifier: MIT
// Cube maps and lighting. The face of (x, y, z) is the axis of the largest magnitude: +x 0, -x 1, +y 2, -y 3, +z 4, -z 5.
#include "support.h"

namespace ptxshim::vgpu::meaning {
namespace {

const FloatMode kNear = kKeepDenormals;

TEST(v_cubeid_f32, faces_coordinates_and_axis) {
  struct Case {
    float x, y, z, face, s, t, axis;
  };
  const Case cases[] = {
      {3, 1, 2, 0, -2, -1, 6}, {-3, 1, 2, 1, 2, -1, -6}, {1, 3, 2, 2, 1, 2, 6},
      {1, -3, 2, 3, 1, -2, -6}, {1, 2, 3, 4, 1, -2, 6}, {1, 2, -3, 5, -1, -2, -6},
      {2, 2, 2, 4, 2, -2, 4},  // z wins
      {2, -2, 1, 3, 2, -1, -4}, // then y
  };
  for (const Case& c : cases) {
    EXPECT_EQ(v_cubeid_f32(c.x, c.y, c.z, kNear), c.face);
    EXPECT_EQ(v_cubesc_f32(c.x, c.y, c.z, kNear), c.s);
    EXPECT_EQ(v_cubetc_f32(c.x, c.y, c.z, kNear), c.t);
    EXPECT_EQ(v_cubema_f32(c.x, c.y, c.z, kNear), c.axis);
  }
}
// RDNA4 ISA, 7.2.4: CUBExx_F32 flush denormals whatever the mode is. As captured from gfx1201, a coordinate that is one is
// passed on, and a zero axis is +0 but toward minus infinity.
TEST(v_cubeid_f32, denormals_are_zeros) {
  const float x = f32(0x00000002), y = 0.0f, z = f32(0x80000001);
  EXPECT_EQ(v_cubeid_f32(x, y, z, kNear), 4.0f); // all are equal, and z is not below zero
  EXPECT_F32(v_cubesc_f32(x, y, z, kNear), 0x00000002U);
  EXPECT_F32(v_cubetc_f32(x, y, z, kNear), 0x80000000U);
  EXPECT_F32(v_cubema_f32(x, y, z, kNear), 0U);
  EXPECT_F32(v_cubema_f32(-0.0f, -0.0f, -0.0f, kNear), 0U);
  EXPECT_F32(v_cubema_f32(-0.0f, -0.0f, -0.0f, mode_with(Round::MinusInfinity)), 0x80000000U);
  EXPECT_F32(v_cubesc_f32(1.0f, 0.0f, f32(0x7f800001), kNear), 0xffc00001U); // -z
  EXPECT_F32(v_cubesc_f32(1.0f, 0.0f, f32(0x7f800001), kNoIeee), 0xff800001U);
}
TEST(v_mullit_f32, only_where_the_exponent_can_be_used) {
  const uint32_t lowest = 0xff7fffffU;
  EXPECT_F32(v_mullit_f32(2.0f, 3.0f, 1.0f, kNear), to_bits(6.0f));
  EXPECT_F32(v_mullit_f32(0.0f, f32(0x7f800000), 1.0f, kNear), 0U);      // zero times anything is zero
  EXPECT_F32(v_mullit_f32(2.0f, 3.0f, 0.0f, kNear), lowest);
  EXPECT_F32(v_mullit_f32(2.0f, 3.0f, f32(0x7fc00000), kNear), lowest);
  EXPECT_F32(v_mullit_f32(2.0f, f32(0x7fc00000), 1.0f, kNear), lowest);
  EXPECT_F32(v_mullit_f32(2.0f, f32(0xff800000), 1.0f, kNear), lowest);
  EXPECT_F32(v_mullit_f32(2.0f, f32(lowest), 1.0f, kNear), lowest);
}
TEST(v_sad_u8_sat, sums_stop_at_the_largest_number) {
  EXPECT_EQ(v_sad_u8_sat(0xff000000U, 0, 0xffffff01U), 0xffffffffU);
  EXPECT_EQ(v_sad_u8_sat(0x01020304U, 0, 1), 11U);
  EXPECT_EQ(v_sad_hi_u8_sat(0x00000002U, 0, 0xffff0000U), 0xffffffffU);
  EXPECT_EQ(v_sad_u16_sat(0xffff0000U, 0, 0xffff0001U), 0xffffffffU);
  EXPECT_EQ(v_sad_u32_sat(5, 0xffffffffU, 6), 0xffffffffU);
  EXPECT_EQ(v_msad_u8_sat(0xffffffffU, 0x00000001U, 0xffffffffU), 0xffffffffU); // one byte counts: 254
  EXPECT_EQ(v_qsad_pk_u16_u8_sat(0xffU, 0, 0x000000000000fff0ULL), 0x000000000000ffffULL);
  EXPECT_EQ(v_mqsad_pk_u16_u8_sat(0x00000000000000ffULL, 0x01U, 0xffffULL), 0x000100010001ffffULL);
  const U32x4 sums = v_mqsad_u32_u8_sat(0xff, 1, {{0xffffffffU, 0, 0, 7}});
  EXPECT_EQ(sums.v[0], 0xffffffffU);
  EXPECT_EQ(sums.v[1], 1U);
  EXPECT_EQ(sums.v[3], 8U);
}

} // namespace
} // namespace ptxshim::vgpu::meaning
