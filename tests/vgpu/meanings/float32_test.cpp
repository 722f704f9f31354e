// SPDX-License-Identifier: MIT
#include "support.h"

namespace ptxshim::vgpu::meaning {
namespace {

const FloatMode kUp = mode_with(Round::PlusInfinity), kDown = mode_with(Round::MinusInfinity),
                kZero = mode_with(Round::TowardZero), kNear = kKeepDenormals;

// All pairs of corners and many random pairs, in all rounding modes, against the host in that mode.
template <class Ours, class Host> void agree_with_host(Ours ours, Host host) {
  std::vector<std::pair<float, float>> cases;
  for (const float a : corners<float>())
    for (const float b : corners<float>()) cases.emplace_back(a, b);
  Random random(1);
  for (int i = 0; i < 20000; ++i) cases.emplace_back(random.near_one<float>(30), random.near_one<float>(30));
  for (int i = 0; i < 20000; ++i) cases.emplace_back(random.any<float>(), random.any<float>());
  for (const Round r : kRounds) {
    const FloatMode m = mode_with(r);
    for (const auto& [a, b] : cases) {
      volatile float x = a, y = b, z;
      {
        const HostRound in(r);
        z = host(x, y);
      }
      const float got = ours(a, b, m);
      if (is_nan(a) || is_nan(b)) {
        ASSERT_EQ(to_bits(got), to_bits(quiet(is_nan(a) ? a : b)));
      } else {
        ASSERT_EQ(to_bits(got), to_bits(float{z}))
            << std::hex << to_bits(a) << " " << to_bits(b) << " mode " << static_cast<int>(r);
      }
    }
  }
}

TEST(v_add_f32, agrees_with_the_host_in_every_rounding_mode) {
  agree_with_host(v_add_f32, [](volatile float& a, volatile float& b) { return a + b; });
}
TEST(v_sub_f32, agrees_with_the_host_in_every_rounding_mode) {
  agree_with_host(v_sub_f32, [](volatile float& a, volatile float& b) { return a - b; });
}
TEST(v_mul_f32, agrees_with_the_host_in_every_rounding_mode) {
  agree_with_host(v_mul_f32, [](volatile float& a, volatile float& b) { return a * b; });
}

TEST(v_add_f32, rounds_by_the_mode) {
  const float small = 0x1p-30f;
  EXPECT_F32(v_add_f32(1.0f, small, kNear), 0x3f800000U);
  EXPECT_F32(v_add_f32(1.0f, small, kUp), 0x3f800001U);
  EXPECT_F32(v_add_f32(1.0f, small, kDown), 0x3f800000U);
  EXPECT_F32(v_add_f32(-1.0f, -small, kUp), 0xbf800000U);
  EXPECT_F32(v_add_f32(-1.0f, -small, kDown), 0xbf800001U);
  EXPECT_F32(v_add_f32(-1.0f, -small, kZero), 0xbf800000U);
  EXPECT_F32(v_add_f32(1.0f, 0x1p-24f, kNear), 0x3f800000U);            // a tie, to even
  EXPECT_F32(v_add_f32(f32(0x3f800001), 0x1p-24f, kNear), 0x3f800002U); // a tie, to even
  EXPECT_F32(v_add_f32(f32(0x7f7fffff), f32(0x7f7fffff), kZero), 0x7f7fffffU);
  EXPECT_F32(v_add_f32(f32(0x7f7fffff), f32(0x7f7fffff), kDown), 0x7f7fffffU);
  EXPECT_F32(v_add_f32(f32(0x7f7fffff), f32(0x7f7fffff), kUp), 0x7f800000U);
  EXPECT_F32(v_add_f32(2.0f, -2.0f, kNear), 0U);
  EXPECT_F32(v_add_f32(2.0f, -2.0f, kDown), 0x80000000U);
}
TEST(v_add_f32, only_its_own_rounding_field_counts) {
  EXPECT_F32(v_add_f32(1.0f, 0x1p-30f, FloatMode::from_register(0x3f4)), 0x3f800000U);
  EXPECT_F32(v_add_f32(1.0f, 0x1p-30f, FloatMode::from_register(0x3f1)), 0x3f800001U);
}
TEST(v_add_f32, first_nan_wins_and_is_quiet) {
  EXPECT_F32(v_add_f32(f32(0x7f800001), f32(0x7fc00005), kNear), 0x7fc00001U);
  EXPECT_F32(v_add_f32(f32(0xffc00007), f32(0x7fc00005), kNear), 0xffc00007U);
  EXPECT_F32(v_add_f32(1.0f, f32(0xff800009), kNear), 0xffc00009U);
  EXPECT_F32(v_add_f32(f32(0x7f800000), f32(0xff800000), kNear), 0xffc00000U);
  EXPECT_F32(v_add_f32(f32(0x7f800000), f32(0xff800000), kUp), 0xffc00000U);
}
TEST(v_add_f32, flushes_as_the_mode_says) {
  const float d = f32(0x00000003), n = f32(0x00800000);
  EXPECT_F32(v_add_f32(d, d, kNear), 6U);
  EXPECT_F32(v_add_f32(d, n, kFlushDenormals32), 0x00800000U);
  EXPECT_F32(v_add_f32(f32(0x80000003), f32(0x80000003), kFlushDenormals32), 0x80000000U);
  EXPECT_F32(v_add_f32(f32(0x00c00000), f32(0x80800000), kFlushDenormals32), 0U);       // result 0x00400000
  EXPECT_F32(v_add_f32(f32(0x80c00000), f32(0x00800000), kFlushDenormals32), 0x80000000U);
  FloatMode results_only;
  results_only.f32_denorm_out = false;
  EXPECT_F32(v_add_f32(d, n, results_only), 0x00800003U);
  EXPECT_F32(v_add_f32(d, d, results_only), 0U);
  FloatMode operands_only;
  operands_only.f32_denorm_in = false;
  EXPECT_F32(v_add_f32(d, n, operands_only), 0x00800000U);
  EXPECT_F32(v_add_f32(f32(0x00c00000), f32(0x80800000), operands_only), 0x00400000U);
}

TEST(v_subrev_f32, takes_its_operands_in_reverse) {
  EXPECT_F32(v_sub_f32(3.0f, 1.0f, kNear), to_bits(2.0f));
  EXPECT_F32(v_subrev_f32(3.0f, 1.0f, kNear), to_bits(-2.0f));
}
TEST(v_mul_legacy_f32, zero_times_anything_is_zero) {
  EXPECT_F32(v_mul_legacy_f32(-0.0f, f32(0x7f800000), kNear), 0U);
  EXPECT_F32(v_mul_dx9_zero_f32(f32(0x7fc00000), 0.0f, kNear), 0U);
  EXPECT_F32(v_mul_legacy_f32(2.0f, 3.0f, kNear), to_bits(6.0f));
  EXPECT_F32(v_mul_f32(0.0f, f32(0x7f800000), kNear), 0xffc00000U);
}
TEST(v_fma_legacy_f32, zero_times_anything_is_zero) {
  EXPECT_F32(v_fma_legacy_f32(0.0f, f32(0x7f800000), 5.0f, kNear), to_bits(5.0f));
  EXPECT_F32(v_fma_dx9_zero_f32(f32(0x7fc00000), -0.0f, 5.0f, kNear), to_bits(5.0f));
  EXPECT_F32(v_fmac_legacy_f32(2.0f, 3.0f, 5.0f, kNear), to_bits(11.0f));
  EXPECT_F32(v_fmac_dx9_zero_f32(2.0f, 3.0f, 5.0f, kNear), to_bits(11.0f));
  // RDNA4 ISA, 7.2.4: FMA_DX9_ZERO flushes operands and results whatever the mode is.
  EXPECT_F32(v_fma_dx9_zero_f32(f32(1), 0x1p126f, 5.0f, kNear), to_bits(5.0f));
  EXPECT_F32(v_fma_dx9_zero_f32(0x1p-100f, -0x1p-40f, -0.0f, kNear), 0x80000000U);
  EXPECT_F32(v_fmac_dx9_zero_f32(1.0f, 0.0f, f32(1), kNear), 0U);
  EXPECT_F32(v_fma_legacy_f32(0x1p-100f, 0x1p-40f, 0.0f, kNear), to_bits(0x1p-140f));
}

TEST(v_fma_f32, rounds_once) {
  // (1 + 2^-12)^2 - (1 + 2^-11) = 2^-24, which a rounded product loses.
  const float a = 1.0f + 0x1p-12f;
  EXPECT_F32(v_fma_f32(a, a, -(1.0f + 0x1p-11f), kNear), to_bits(0x1p-24f));
  EXPECT_F32(v_mad_f32(a, a, -(1.0f + 0x1p-11f), kNear), 0U);
  EXPECT_F32(v_mac_f32(a, a, -(1.0f + 0x1p-11f), kNear), 0U);
  // A sum that lies just above a tie by 2^-100: nearest even of the tie would be down.
  EXPECT_F32(v_fma_f32(0x1p-50f, 0x1p-50f, 1.0f, kUp), 0x3f800001U);
  EXPECT_F32(v_fma_f32(f32(0x3f800001), f32(0x3f800001), -f32(0x3f800002), kNear), to_bits(0x1p-46f));
}
TEST(v_fma_f32, invalid_product_comes_before_a_nan_addend) {
  EXPECT_F32(v_fma_f32(f32(0x7f800000), 0.0f, f32(0x7fc00005), kNear), 0xffc00000U);
  EXPECT_F32(v_fma_f32(f32(0x7fc00001), f32(0x7fc00002), f32(0x7fc00003), kNear), 0x7fc00001U);
  EXPECT_F32(v_fma_f32(1.0f, f32(0x7f800002), f32(0x7fc00003), kNear), 0x7fc00002U);
  EXPECT_F32(v_fma_f32(1.0f, 1.0f, f32(0x7f800003), kNear), 0x7fc00003U);
  EXPECT_F32(v_fma_f32(f32(0x7f7fffff), 2.0f, f32(0xff800000), kNear), 0xff800000U); // the product is finite
  EXPECT_F32(v_fma_f32(f32(0x7f800000), 2.0f, f32(0xff800000), kNear), 0xffc00000U);
}
TEST(v_fma_f32, agrees_with_the_host_in_every_rounding_mode) {
  Random random(2);
  std::vector<float> c = corners<float>();
  for (const Round r : kRounds) {
    const FloatMode m = mode_with(r);
    const auto check = [&](float x, float y, float z) {
      if (is_nan(x) || is_nan(y) || is_nan(z)) return;
      volatile float vx = x, vy = y, vz = z, want;
      {
        const HostRound in(r);
        want = __builtin_fmaf(vx, vy, vz);
      }
      ASSERT_EQ(to_bits(v_fma_f32(x, y, z, m)), to_bits(float{want}))
          << std::hex << to_bits(x) << " " << to_bits(y) << " " << to_bits(z) << " mode " << static_cast<int>(r);
    };
    for (const float x : c)
      for (const float y : c)
        for (const float z : c) check(x, y, z);
    for (int i = 0; i < 100000; ++i) {
      check(random.near_one<float>(20), random.near_one<float>(20), random.near_one<float>(40));
      check(random.any<float>(), random.any<float>(), random.any<float>());
    }
  }
}
TEST(v_fma_f32, adds_to_the_third_operand_under_all_its_names) {
  EXPECT_F32(v_fmac_f32(2.0f, 3.0f, 4.0f, kNear), to_bits(10.0f));
  EXPECT_F32(v_fmamk_f32(2.0f, 3.0f, 4.0f, kNear), to_bits(10.0f));
  EXPECT_F32(v_fmaak_f32(2.0f, 3.0f, 4.0f, kNear), to_bits(10.0f));
  EXPECT_F32(v_madmk_f32(2.0f, 3.0f, 4.0f, kNear), to_bits(10.0f));
  EXPECT_F32(v_madak_f32(2.0f, 3.0f, 4.0f, kNear), to_bits(10.0f));
  EXPECT_F32(v_mad_legacy_f32(0.0f, f32(0x7f800000), 4.0f, kNear), to_bits(4.0f));
  EXPECT_F32(v_mac_legacy_f32(0.0f, f32(0x7f800000), 4.0f, kNear), to_bits(4.0f));
}
TEST(v_mad_f32, flushes_in_every_mode) {
  EXPECT_F32(v_mad_f32(f32(0x00000001), 1.0f, 0.0f, kNear), 0U);
  EXPECT_F32(v_fma_f32(f32(0x00000001), 1.0f, 0.0f, kNear), 1U);
}

// The manual's table for two operands, in IEEE mode and not.
TEST(v_min_f32, picks_by_the_manual) {
  EXPECT_F32(v_min_f32(-0.0f, 0.0f, kNear), 0x80000000U);
  EXPECT_F32(v_min_f32(0.0f, -0.0f, kNear), 0x80000000U);
  EXPECT_F32(v_min_f32(1.0f, 2.0f, kNear), to_bits(1.0f));
  EXPECT_F32(v_min_f32(f32(0x7fc00001), 2.0f, kNear), to_bits(2.0f));
  EXPECT_F32(v_min_f32(2.0f, f32(0x7fc00001), kNear), to_bits(2.0f));
  EXPECT_F32(v_min_f32(f32(0x7fc00001), f32(0x7fc00002), kNear), 0x7fc00001U);
  EXPECT_F32(v_min_f32(2.0f, f32(0x7f800001), kNear), 0x7fc00001U);
  EXPECT_F32(v_min_f32(2.0f, f32(0x7f800001), kNoIeee), to_bits(2.0f));
  EXPECT_F32(v_min_f32(f32(0x7f800003), f32(0x7f800001), kNear), 0x7fc00003U);
  EXPECT_F32(v_min_f32(f32(0x00000001), 1.0f, kFlushDenormals32), 0U);
  EXPECT_F32(v_min_f32(f32(0xff800000), -1.0f, kNear), 0xff800000U);
}
TEST(v_max_f32, picks_by_the_manual) {
  EXPECT_F32(v_max_f32(-0.0f, 0.0f, kNear), 0U);
  EXPECT_F32(v_max_f32(0.0f, -0.0f, kNear), 0U);
  EXPECT_F32(v_max_f32(1.0f, 2.0f, kNear), to_bits(2.0f));
  EXPECT_F32(v_max_f32(-1.0f, -2.0f, kNear), to_bits(-1.0f));
  EXPECT_F32(v_max_f32(f32(0x7fc00001), -2.0f, kNear), to_bits(-2.0f));
  EXPECT_F32(v_max_f32(f32(0x7f800001), 2.0f, kNear), 0x7fc00001U);
  EXPECT_F32(v_max_f32(f32(0x7f800001), 2.0f, kNoIeee), to_bits(2.0f));
}
TEST(v_min_num_f32, numbers_win_over_any_nan) {
  EXPECT_F32(v_min_num_f32(f32(0x7f800001), 2.0f, kNear), to_bits(2.0f));
  EXPECT_F32(v_max_num_f32(2.0f, f32(0x7f800001), kNear), to_bits(2.0f));
  EXPECT_F32(v_min_num_f32(f32(0x7f800001), f32(0x7f800002), kNear), 0x7fc00001U);
  EXPECT_F32(v_max_num_f32(-0.0f, 0.0f, kNear), 0U);
}
TEST(v_minimum_f32, nans_win) {
  EXPECT_F32(v_minimum_f32(f32(0x7fc00001), 2.0f, kNear), 0x7fc00001U);
  EXPECT_F32(v_minimum_f32(2.0f, f32(0x7fc00001), kNear), 0x7fc00001U);
  EXPECT_F32(v_maximum_f32(f32(0x7fc00001), f32(0x7f800002), kNear), 0x7fc00001U); // the first, as on gfx1201
  EXPECT_F32(v_maximum_f32(f32(0x7f800002), f32(0x7fc00001), kNear), 0x7fc00002U);
  EXPECT_F32(v_minimum_f32(0.0f, -0.0f, kNear), 0x80000000U);
  EXPECT_F32(v_maximum_f32(1.0f, 3.0f, kNear), to_bits(3.0f));
}
TEST(v_min3_f32, three_operands) {
  EXPECT_F32(v_min3_f32(3.0f, 1.0f, 2.0f, kNear), to_bits(1.0f));
  EXPECT_F32(v_max3_f32(3.0f, 1.0f, 2.0f, kNear), to_bits(3.0f));
  EXPECT_F32(v_min3_f32(f32(0x7fc00001), 1.0f, f32(0x7fc00001), kNear), to_bits(1.0f));
  EXPECT_F32(v_min3_num_f32(f32(0x7f800001), 1.0f, 2.0f, kNear), to_bits(1.0f));
  EXPECT_F32(v_max3_num_f32(f32(0x7f800001), 1.0f, 2.0f, kNear), to_bits(2.0f));
  EXPECT_F32(v_minimum3_f32(5.0f, 1.0f, f32(0x7fc00001), kNear), 0x7fc00001U);
  EXPECT_F32(v_maximum3_f32(5.0f, 1.0f, 7.0f, kNear), to_bits(7.0f));
  EXPECT_F32(v_minmax_f32(5.0f, 1.0f, 3.0f, kNear), to_bits(3.0f));
  EXPECT_F32(v_maxmin_f32(5.0f, 1.0f, 3.0f, kNear), to_bits(3.0f));
  EXPECT_F32(v_minmax_num_f32(5.0f, 4.0f, 3.0f, kNear), to_bits(4.0f));
  EXPECT_F32(v_maxmin_num_f32(5.0f, 4.0f, 7.0f, kNear), to_bits(5.0f));
  EXPECT_F32(v_minimummaximum_f32(5.0f, 4.0f, 3.0f, kNear), to_bits(4.0f));
  EXPECT_F32(v_maximumminimum_f32(5.0f, 4.0f, 3.0f, kNear), to_bits(3.0f));
}
TEST(v_med3_f32, is_the_middle_one) {
  const float v[] = {-0.0f, 1.0f, f32(0x7f800000)};
  const int order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (const auto& o : order) EXPECT_F32(v_med3_f32(v[o[0]], v[o[1]], v[o[2]], kNear), to_bits(1.0f));
  EXPECT_F32(v_med3_f32(5.0f, 5.0f, 1.0f, kNear), to_bits(5.0f));
  EXPECT_F32(v_med3_f32(f32(0x7fc00001), 5.0f, 1.0f, kNear), to_bits(1.0f)); // with a NaN: the minimum
  EXPECT_F32(v_med3_num_f32(f32(0x7f800001), 5.0f, 1.0f, kNear), to_bits(1.0f));
  // The manual finds the greatest of -0, +0, -0 by ==, at the first place; gfx1201 knows the zeros apart.
  EXPECT_F32(v_med3_f32(-0.0f, 0.0f, -0.0f, kNear), 0U);
  EXPECT_F32(v_med3_num_f32(-0.0f, 0.0f, -0.0f, kNear), 0x80000000U);
  EXPECT_F32(v_med3_num_f32(0.0f, -0.0f, 0.0f, kNear), 0U);
}

TEST(v_rndne_f32, ties_go_to_even) {
  EXPECT_F32(v_rndne_f32(2.5f, kNear), to_bits(2.0f));
  EXPECT_F32(v_rndne_f32(3.5f, kUp), to_bits(4.0f));
  EXPECT_F32(v_rndne_f32(-0.5f, kNear), 0x80000000U);
  EXPECT_F32(v_rndne_f32(f32(0x7f800001), kNear), 0x7fc00001U);
}
TEST(v_trunc_f32, toward_zero_up_and_down) {
  EXPECT_F32(v_trunc_f32(-1.75f, kNear), to_bits(-1.0f));
  EXPECT_F32(v_ceil_f32(-1.75f, kNear), to_bits(-1.0f));
  EXPECT_F32(v_ceil_f32(1.25f, kNear), to_bits(2.0f));
  EXPECT_F32(v_floor_f32(-1.75f, kNear), to_bits(-2.0f));
  EXPECT_F32(v_floor_f32(f32(0x80000001), kNear), to_bits(-1.0f));
  EXPECT_F32(v_floor_f32(f32(0x80000001), kFlushDenormals32), 0x80000000U);
  EXPECT_F32(v_trunc_f32(f32(0xff800000), kNear), 0xff800000U);
}
TEST(v_fract_f32, stays_below_one) {
  EXPECT_F32(v_fract_f32(-1.75f, kNear), to_bits(0.25f));
  EXPECT_F32(v_fract_f32(-0x1p-40f, kNear), 0x3f7fffffU);
  EXPECT_F32(v_fract_f32(5.0f, kNear), 0U);
  EXPECT_F32(v_fract_f32(f32(0x7f800000), kNear), 0xffc00000U);
}

TEST(apply_omod, scales_where_the_mode_allows_it) {
  const FloatMode m = FloatMode::from_register(0x100); // flushes, not IEEE
  EXPECT_F32(apply_omod(3.0f, 1, m), to_bits(6.0f));
  EXPECT_F32(apply_omod(3.0f, 2, m), to_bits(12.0f));
  EXPECT_F32(apply_omod(3.0f, 3, m), to_bits(1.5f));
  EXPECT_F32(apply_omod(3.0f, 0, m), to_bits(3.0f));
  EXPECT_F32(apply_omod(-0.0f, 1, m), 0U);
  EXPECT_F32(apply_omod(f32(0x00800000), 3, m), 0U);
  EXPECT_F32(apply_omod(f32(0x7f7fffff), 1, m), 0x7f800000U);
  // Halved out of the normal range: zero with the sign; a denormal is +0 before (RDNA4 ISA, 7.2.3.1: "-0 * OMOD = +0").
  EXPECT_F32(apply_omod(f32(0x80800000), 3, m), 0x80000000U);
  EXPECT_F32(apply_omod(f32(0x80ffffff), 3, m), 0x80000000U);
  EXPECT_F32(apply_omod(f32(0x81000000), 3, m), 0x80800000U);
  EXPECT_F32(apply_omod(f32(0x80400000), 1, kNear, true), 0U);
  EXPECT_F32(apply_omod(f32(0x7f7fffff), 2, mode_with(Round::TowardZero), true), 0x7f7fffffU);
  EXPECT_F32(apply_omod(3.0f, 1, kNear), to_bits(3.0f));
  EXPECT_F32(apply_omod(3.0f, 1, kNear, true), to_bits(6.0f));
}
TEST(apply_clamp, into_zero_to_one) {
  EXPECT_F32(apply_clamp(1.5f, kNear), to_bits(1.0f));
  EXPECT_F32(apply_clamp(0.5f, kNear), to_bits(0.5f));
  EXPECT_F32(apply_clamp(-0.0f, kNear), 0U);
  EXPECT_F32(apply_clamp(f32(0xff800000), kNear), 0U);
  EXPECT_F32(apply_clamp(f32(0x7fc00000), kNear), 0U);
  EXPECT_F32(apply_clamp(f32(0x7fc00000), FloatMode::from_register(0x2f0)), 0x7fc00000U);
  EXPECT_F64(apply_clamp(1.5, kNear), 0x3ff0000000000000U);
  EXPECT_F16(apply_clamp(f16(0x4000), kNear), 0x3c00U);
}
TEST(FloatMode, is_the_mode_register) {
  const FloatMode m = FloatMode::from_register(0x3f6);
  EXPECT_EQ(m.f32_round, Round::MinusInfinity);
  EXPECT_EQ(m.f64_f16_round, Round::PlusInfinity);
  for (uint32_t r = 0; r < 0x400; ++r) EXPECT_EQ(FloatMode::from_register(r).to_register(), r);
  EXPECT_TRUE(FloatMode::from_register(0x3f0) == kKeepDenormals);
  EXPECT_TRUE(FloatMode::from_register(0x3c0) == kFlushDenormals32);
}

} // namespace
} // namespace ptxshim::vgpu::meaning
