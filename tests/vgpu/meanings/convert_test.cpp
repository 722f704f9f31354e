// SPDX-License-Identifier: MIT
#include <cmath>

#include "support.h"

namespace ptxshim::vgpu::meaning {
namespace {

const FloatMode kNear = kKeepDenormals, kUp = mode_with(Round::PlusInfinity), kZero = mode_with(Round::TowardZero);
const float kInf = f32(0x7f800000), kNan = f32(0x7fc00000);

TEST(v_cvt_i32_f32, truncates_and_saturates) {
  EXPECT_EQ(v_cvt_i32_f32(-1.9f, kNear), -1);
  EXPECT_EQ(v_cvt_i32_f32(-1.9f, kUp), -1);
  EXPECT_EQ(v_cvt_i32_f32(0x1p31f, kNear), INT32_MAX);
  EXPECT_EQ(v_cvt_i32_f32(-0x1p31f, kNear), INT32_MIN);
  EXPECT_EQ(v_cvt_i32_f32(-kInf, kNear), INT32_MIN);
  EXPECT_EQ(v_cvt_i32_f32(f32(0x4effffff), kNear), 0x7fffff80);
  EXPECT_EQ(v_cvt_i32_f32(kNan, kNear), 0);
}
TEST(v_cvt_u32_f32, truncates_and_saturates) {
  EXPECT_EQ(v_cvt_u32_f32(1.9f, kNear), 1U);
  EXPECT_EQ(v_cvt_u32_f32(-0.9f, kNear), 0U);
  EXPECT_EQ(v_cvt_u32_f32(-5.0f, kNear), 0U);
  EXPECT_EQ(v_cvt_u32_f32(f32(0x4f7fffff), kNear), 0xffffff00U);
  EXPECT_EQ(v_cvt_u32_f32(0x1p31f, kNear), 0x80000000U);
  EXPECT_EQ(v_cvt_u32_f32(0x1p32f, kNear), 0xffffffffU);
  EXPECT_EQ(v_cvt_u32_f32(kInf, kNear), 0xffffffffU);
  EXPECT_EQ(v_cvt_u32_f32(kNan, kNear), 0U);
}
TEST(v_cvt_i32_f64, truncates_and_saturates) {
  EXPECT_EQ(v_cvt_i32_f64(2147483647.9, kNear), INT32_MAX);
  EXPECT_EQ(v_cvt_i32_f64(-2147483648.9, kNear), INT32_MIN);
  EXPECT_EQ(v_cvt_i32_f64(-2147483647.9, kNear), -2147483647);
  EXPECT_EQ(v_cvt_i32_f64(f64(0x7ff8000000000000), kNear), 0);
  EXPECT_EQ(v_cvt_u32_f64(4294967295.9, kNear), 0xffffffffU);
  EXPECT_EQ(v_cvt_u32_f64(4294967294.9, kNear), 0xfffffffeU);
  EXPECT_EQ(v_cvt_u32_f64(-0.5, kNear), 0U);
}
TEST(v_cvt_i16_f16, truncates_and_saturates) {
  EXPECT_EQ(v_cvt_i16_f16(f16(0xbf00), kNear), -1); // -1.75
  EXPECT_EQ(v_cvt_i16_f16(f16(0x7c00), kNear), 0x7fff);
  EXPECT_EQ(v_cvt_i16_f16(f16(0xfbff), kNear), -0x8000);
  EXPECT_EQ(v_cvt_u16_f16(f16(0x7bff), kNear), 65504);
  EXPECT_EQ(v_cvt_u16_f16(f16(0x7c00), kNear), 0xffff);
  EXPECT_EQ(v_cvt_u16_f16(f16(0xbc00), kNear), 0);
  EXPECT_EQ(v_cvt_u16_f16(f16(0x7e00), kNear), 0);
}
TEST(v_cvt_rpi_i32_f32, rounds_halves_upward) {
  EXPECT_EQ(v_cvt_rpi_i32_f32(1.5f, kNear), 2);
  EXPECT_EQ(v_cvt_rpi_i32_f32(-1.5f, kNear), -1);
  EXPECT_EQ(v_cvt_rpi_i32_f32(f32(0x3effffff), kNear), 0); // just below a half
  EXPECT_EQ(v_cvt_nearest_i32_f32(2.5f, kNear), 3);
  EXPECT_EQ(v_cvt_flr_i32_f32(-1.25f, kNear), -2);
  EXPECT_EQ(v_cvt_floor_i32_f32(1.75f, kNear), 1);
  // The manuals make every NaN 0; gfx1201 has the end of the range on its side for the two newer names.
  EXPECT_EQ(v_cvt_flr_i32_f32(f32(0x7fc00000), kNear), 0);
  EXPECT_EQ(v_cvt_rpi_i32_f32(f32(0xffc00000), kNear), 0);
  EXPECT_EQ(v_cvt_floor_i32_f32(f32(0x7fc00000), kNear), INT32_MAX);
  EXPECT_EQ(v_cvt_nearest_i32_f32(f32(0xff800001), kNear), INT32_MIN);
}
TEST(v_cvt_f32_i32, rounds_by_the_mode) {
  EXPECT_F32(v_cvt_f32_i32(0x01000001, kNear), 0x4b800000U);
  EXPECT_F32(v_cvt_f32_i32(0x01000001, kUp), 0x4b800001U);
  EXPECT_F32(v_cvt_f32_i32(-0x01000001, kUp), 0xcb800000U);
  EXPECT_F32(v_cvt_f32_i32(INT32_MIN, kZero), 0xcf000000U);
  EXPECT_F32(v_cvt_f32_i32(0, kUp), 0U);
  EXPECT_F32(v_cvt_f32_u32(0xffffffffU, kNear), 0x4f800000U);
  EXPECT_F32(v_cvt_f32_u32(0xffffffffU, kZero), 0x4f7fffffU);
}
TEST(v_cvt_f64_i32, is_exact) {
  EXPECT_F64(v_cvt_f64_i32(INT32_MIN), to_bits(-2147483648.0));
  EXPECT_F64(v_cvt_f64_u32(0xffffffffU), to_bits(4294967295.0));
}
TEST(v_cvt_f16_u16, rounds_by_the_f16_field) {
  EXPECT_F16(v_cvt_f16_u16(2049, kNear), 0x6800U); // 2048: a tie, to even
  EXPECT_F16(v_cvt_f16_u16(2049, kUp), 0x6801U);
  EXPECT_F16(v_cvt_f16_u16(65535, kNear), 0x7c00U);
  EXPECT_F16(v_cvt_f16_u16(65535, kZero), 0x7bffU);
  EXPECT_F16(v_cvt_f16_i16(-2049, kUp), 0xe800U);
  EXPECT_F16(v_cvt_f16_i16(-1, kNear), 0xbc00U);
}
TEST(v_cvt_f32_ubyte0, takes_each_byte) {
  EXPECT_F32(v_cvt_f32_ubyte0(0x04030201U), to_bits(1.0f));
  EXPECT_F32(v_cvt_f32_ubyte1(0x04030201U), to_bits(2.0f));
  EXPECT_F32(v_cvt_f32_ubyte2(0x04030201U), to_bits(3.0f));
  EXPECT_F32(v_cvt_f32_ubyte3(0xff030201U), to_bits(255.0f));
}
TEST(v_cvt_off_f32_i4, is_the_manuals_table) {
  for (uint32_t i = 0; i < 16; ++i) {
    EXPECT_EQ(v_cvt_off_f32_i4(i), (i < 8 ? static_cast<float>(i) : static_cast<float>(i) - 16.0f) / 16.0f);
  }
  EXPECT_F32(v_cvt_off_f32_i4(8), to_bits(-0.5f));
}
TEST(v_cvt_f32_f64, rounds_once_in_every_mode) {
  Random random(7);
  for (const Round r : kRounds) {
    const auto check = [&](double x) {
      if (is_nan(x)) return;
      volatile double v = x;
      volatile float want;
      {
        const HostRound in(r);
        want = static_cast<float>(v);
      }
      ASSERT_EQ(to_bits(v_cvt_f32_f64(x, mode_with(r))), to_bits(float{want})) << std::hex << to_bits(x);
    };
    for (const double x : corners<double>()) check(x);
    for (int i = 0; i < 100000; ++i) check(random.near_one<double>(160));
  }
  EXPECT_F32(v_cvt_f32_f64(f64(0x7ff0000040000000), kNear), 0x7fc00002U);
  EXPECT_F32(v_cvt_f32_f64(0x1p-130, kFlushDenormals32), 0U);
}
TEST(v_cvt_f64_f32, is_exact) {
  EXPECT_F64(v_cvt_f64_f32(f32(0x00000001), kNear), to_bits(0x1p-149));
  EXPECT_F64(v_cvt_f64_f32(f32(0x80000001), kFlushDenormals32), 0x8000000000000000U);
  EXPECT_F64(v_cvt_f64_f32(f32(0x7f800001), kNear), 0x7ff8000020000000U);
}
TEST(v_cvt_f16_f32, rounds_by_the_f16_field) {
  EXPECT_F16(v_cvt_f16_f32(65519.9f, kNear), 0x7bffU);
  EXPECT_F16(v_cvt_f16_f32(65520.0f, kNear), 0x7c00U);
  EXPECT_F16(v_cvt_f16_f32(1e9f, kZero), 0x7bffU);
  EXPECT_F16(v_cvt_f16_f32(0x1p-25f, kNear), 0U);
  EXPECT_F16(v_cvt_f16_f32(0x1.8p-25f, kNear), 1U);
  EXPECT_F16(v_cvt_f16_f32(0x1p-40f, kUp), 1U);
  EXPECT_F16(v_cvt_f16_f32(0x1p-40f, FloatMode::from_register(0x3f1)), 0U); // the f32 field is not asked
  EXPECT_F16(v_cvt_f16_f32(0x1p-24f, kFlushAll), 0U);
  EXPECT_F16(v_cvt_f16_f32(f32(0x7f802000), kNear), 0x7e01U);
  EXPECT_F32(v_cvt_f32_f16(f16(0x0001), kNear), to_bits(0x1p-24f));
  EXPECT_F32(v_cvt_f32_f16(f16(0x0001), kFlushAll), 0U);
  EXPECT_F32(v_cvt_f32_f16(f16(0x7c01), kNear), 0x7fc02000U);
}
TEST(v_cvt_bf16_f32, rounds_to_nearest_even) {
  EXPECT_EQ(v_cvt_bf16_f32(f32(0x3f808000), kNear).bits, 0x3f80U);
  EXPECT_EQ(v_cvt_bf16_f32(f32(0x3f818000), kNear).bits, 0x3f82U);
  EXPECT_EQ(v_cvt_bf16_f32(f32(0x3f800001), kUp).bits, 0x3f81U);
  EXPECT_EQ(v_cvt_bf16_f32(f32(0x7f800001), kNear).bits, 0x7fc0U);
  EXPECT_F32(v_cvt_f32_bf16(BF16{0x3f80}), 0x3f800000U);
  EXPECT_EQ(v_cvt_pk_bf16_f32(1.0f, -2.0f, kNear), (U16x2{0x3f80, 0xc000}));
}
TEST(v_cvt_pkrtz_f16_f32, rounds_toward_zero_in_every_mode) {
  EXPECT_EQ(pack(v_cvt_pkrtz_f16_f32(1.9999f, -1e9f, kUp)), 0xfbff3fffU);
  EXPECT_EQ(pack(v_cvt_pk_rtz_f16_f32(1.0f, kInf, kNear)), 0x7c003c00U);
  EXPECT_EQ(pack(v_cvt_pk_f16_f32(1.9999f, -2.0f, kNear)), 0xc0004000U);
}
TEST(v_cvt_pk_i16_i32, saturates_pairs) {
  EXPECT_EQ(pack(v_cvt_pk_i16_i32(-40000, 40000)), 0x7fff8000U);
  EXPECT_EQ(pack(v_cvt_pk_u16_u32(5, 0x12345)), 0xffff0005U);
  EXPECT_EQ(pack(v_cvt_pk_i16_f32(-1.5f, 1e9f, kNear)), 0x7fffffffU);
  EXPECT_EQ(pack(v_cvt_pk_u16_f32(-1.5f, 70000.0f, kNear)), 0xffff0000U);
  EXPECT_EQ(v_sat_pk_u8_i16(0xffff0100U), 0x00ffU);
  EXPECT_EQ(v_cvt_i32_i16(-5), -5);
  EXPECT_EQ(v_cvt_u32_u16(0xffff), 0xffffU);
}
TEST(v_cvt_pk_u8_f32, replaces_one_byte) {
  EXPECT_EQ(v_cvt_pk_u8_f32(200.0f, 2, 0x11223344U, kNear), 0x11c83344U);
  EXPECT_EQ(v_cvt_pk_u8_f32(300.0f, 4, 0x11223344U, kNear), 0x112233ffU);
  EXPECT_EQ(v_cvt_pk_u8_f32(-1.0f, 3, 0x11223344U, kNear), 0x00223344U);
  EXPECT_EQ(v_cvt_pk_u8_f32(1.5f, 0, 0, kNear), 2U);
  EXPECT_EQ(v_cvt_pk_u8_f32(1.5f, 0, 0, kZero), 1U);
  EXPECT_EQ(v_cvt_pk_u8_f32(1.25f, 0, 0, kUp), 2U);
  EXPECT_EQ(v_cvt_pkaccum_u8_f32(200.0f, 1, 0, kNear), 0xc800U);
}
TEST(v_cvt_pknorm_i16_f32, normalised_integers) {
  EXPECT_EQ(pack(v_cvt_pknorm_i16_f32(1.0f, -1.0f, kNear)), 0x80017fffU);
  EXPECT_EQ(pack(v_cvt_pk_norm_i16_f32(5.0f, kNan, kNear)), 0x00007fffU);
  EXPECT_EQ(pack(v_cvt_pknorm_u16_f32(1.0f, -1.0f, kNear)), 0x0000ffffU);
  EXPECT_EQ(pack(v_cvt_pk_norm_u16_f32(0.5f, 2.0f, kNear)), 0xffff8000U); // 32767.5, to even
  EXPECT_EQ(pack(v_cvt_pknorm_i16_f16(f16(0x3c00), f16(0xbc00), kNear)), 0x80017fffU);
  EXPECT_EQ(pack(v_cvt_pk_norm_i16_f16(f16(0x3c00), f16(0xbc00), kNear)), 0x80017fffU);
  EXPECT_EQ(pack(v_cvt_pknorm_u16_f16(f16(0x3c00), f16(0xbc00), kNear)), 0x0000ffffU);
  EXPECT_EQ(pack(v_cvt_pk_norm_u16_f16(f16(0x3c00), f16(0xbc00), kNear)), 0x0000ffffU);
  EXPECT_EQ(v_cvt_norm_i16_f16(f16(0x3c00), kNear), 0x7fff);
  EXPECT_EQ(v_cvt_norm_u16_f16(f16(0x3c00), kNear), 0xffff);
}

// Comparisons: a table of what each says for less, equal, greater, unordered.
struct Comparison {
  const char* name;
  bool (*f16)(F16, F16, const FloatMode&);
  bool (*f32)(float, float, const FloatMode&);
  bool (*f64)(double, double, const FloatMode&);
  bool (*cf)(float, float, const FloatMode&); // the scalar one
  const char* table;
};
#define COMPARISON(name, table)                                                                                        \
  { #name, v_cmp_##name##_f16, v_cmp_##name##_f32, v_cmp_##name##_f64, s_cmp_##name##_f32, table }
// v_cmp_lt_f32 v_cmp_eq_f32 v_cmp_le_f32 v_cmp_gt_f32 v_cmp_lg_f32 v_cmp_ge_f32 v_cmp_o_f32 v_cmp_u_f32
// v_cmp_nge_f32 v_cmp_nlg_f32 v_cmp_ngt_f32 v_cmp_nle_f32 v_cmp_neq_f32 v_cmp_nlt_f32, and f16, f64, s_cmp_
const Comparison kComparisons[] = {
    COMPARISON(lt, "1000"),  COMPARISON(eq, "0100"),  COMPARISON(le, "1100"),  COMPARISON(gt, "0010"),
    COMPARISON(lg, "1010"),  COMPARISON(ge, "0110"),  COMPARISON(o, "1110"),   COMPARISON(u, "0001"),
    COMPARISON(nge, "1001"), COMPARISON(nlg, "0101"), COMPARISON(ngt, "1101"), COMPARISON(nle, "0011"),
    COMPARISON(neq, "1011"), COMPARISON(nlt, "0111"),
};
TEST(v_cmp_f32, every_predicate_in_every_case) {
  for (const Comparison& c : kComparisons) {
    const float pairs[4][2] = {{-1.0f, 2.0f}, {-0.0f, 0.0f}, {2.0f, -kInf}, {kNan, 1.0f}};
    for (int i = 0; i < 4; ++i) {
      const float a = pairs[i][0], b = pairs[i][1];
      EXPECT_EQ(c.f32(a, b, kNear), c.table[i] == '1') << c.name << i;
      EXPECT_EQ(c.cf(a, b, kNear), c.table[i] == '1') << c.name << i;
      EXPECT_EQ(c.f64(a, b, kNear), c.table[i] == '1') << c.name << i;
      EXPECT_EQ(c.f16(narrow_nearest(a), narrow_nearest(b), kNear), c.table[i] == '1') << c.name << i;
    }
    EXPECT_EQ(c.f32(1.0f, kNan, kNear), c.table[3] == '1') << c.name;
    // Denormals are zeros for a mode that flushes operands.
    EXPECT_EQ(c.f32(f32(1), f32(2), kNear), c.table[0] == '1') << c.name;
    EXPECT_EQ(c.f32(f32(1), f32(2), kFlushDenormals32), c.table[1] == '1') << c.name;
    EXPECT_EQ(c.f64(f64(1), f64(2), kFlushAll), c.table[1] == '1') << c.name;
    EXPECT_EQ(c.f16(f16(1), f16(2), kFlushAll), c.table[1] == '1') << c.name;
  }
  EXPECT_FALSE(v_cmp_f_f32(1, 1, kNear) || v_cmp_f_f16(f16(0), f16(0), kNear) || v_cmp_f_f64(1, 1, kNear));
  EXPECT_TRUE(v_cmp_tru_f32(kNan, 1, kNear) && v_cmp_tru_f16(f16(0), f16(0), kNear) && v_cmp_tru_f64(1, 1, kNear));
  EXPECT_TRUE(v_cmp_t_f32(kNan, 1, kNear) && v_cmp_t_f16(f16(0), f16(0), kNear) && v_cmp_t_f64(1, 1, kNear));
}
template <class T> void expect_class(T value, unsigned bit) {
  for (unsigned i = 0; i < 10; ++i) {
    EXPECT_EQ(is_in_class(value, 1U << i), i == bit) << std::hex << to_bits(value) << " class " << i;
  }
}
TEST(v_cmp_class_f32, knows_ten_classes) {
  const uint32_t values[10] = {0xff800001, 0x7fc00000, 0xff800000, 0xbf800000, 0x80000001,
                               0x80000000, 0x00000000, 0x007fffff, 0x00800000, 0x7f800000};
  for (unsigned i = 0; i < 10; ++i) expect_class(f32(values[i]), i);
  EXPECT_TRUE(v_cmp_class_f32(f32(0x007fffff), 0x80));
  EXPECT_FALSE(v_cmp_class_f32(f32(0x007fffff), ~0x80U));
}
TEST(v_cmp_class_f64, knows_ten_classes) {
  const uint64_t values[10] = {0xfff0000000000001, 0x7ff8000000000000, 0xfff0000000000000, 0xbff0000000000000,
                               0x8000000000000001, 0x8000000000000000, 0x0000000000000000, 0x000fffffffffffff,
                               0x0010000000000000, 0x7ff0000000000000};
  for (unsigned i = 0; i < 10; ++i) expect_class(f64(values[i]), i);
  EXPECT_TRUE(v_cmp_class_f64(1.0, 0x100));
}
TEST(v_cmp_class_f16, knows_ten_classes) {
  const uint16_t values[10] = {0xfc01, 0x7e00, 0xfc00, 0xbc00, 0x8001, 0x8000, 0x0000, 0x03ff, 0x0400, 0x7c00};
  for (unsigned i = 0; i < 10; ++i) expect_class(f16(values[i]), i);
  EXPECT_TRUE(v_cmp_class_f16(f16(0x3c00), 0x100));
}
#define EXPECT_INTEGER_COMPARISONS(type, low, high)                                                                    \
  EXPECT_TRUE(v_cmp_lt_##type(low, high) && !v_cmp_lt_##type(low, low) && !v_cmp_lt_##type(high, low));                \
  EXPECT_TRUE(v_cmp_le_##type(low, high) && v_cmp_le_##type(low, low) && !v_cmp_le_##type(high, low));                 \
  EXPECT_TRUE(!v_cmp_gt_##type(low, high) && !v_cmp_gt_##type(low, low) && v_cmp_gt_##type(high, low));                \
  EXPECT_TRUE(!v_cmp_ge_##type(low, high) && v_cmp_ge_##type(low, low) && v_cmp_ge_##type(high, low));                 \
  EXPECT_TRUE(!v_cmp_eq_##type(low, high) && v_cmp_eq_##type(low, low));                                               \
  EXPECT_TRUE(v_cmp_ne_##type(low, high) && !v_cmp_ne_##type(low, low));                                               \
  EXPECT_TRUE(v_cmp_lg_##type(low, high) && !v_cmp_lg_##type(low, low));                                               \
  EXPECT_TRUE(v_cmp_t_##type(low, high) && !v_cmp_f_##type(low, low))
TEST(v_cmp_lt_i32, integers_of_all_widths_and_signs) {
  EXPECT_INTEGER_COMPARISONS(i16, -1, 1);
  EXPECT_INTEGER_COMPARISONS(u16, 1, 0xffff);
  EXPECT_INTEGER_COMPARISONS(i32, -1, 1);
  EXPECT_INTEGER_COMPARISONS(u32, 1U, 0xffffffffU);
  EXPECT_INTEGER_COMPARISONS(i64, -1, 1);
  EXPECT_INTEGER_COMPARISONS(u64, 1U, ~uint64_t{0});
}

} // namespace
} // namespace ptxshim::vgpu::meaning
