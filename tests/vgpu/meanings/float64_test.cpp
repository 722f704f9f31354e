// SPDX-License-Identifier: MIT
#include "support.h"

namespace ptxshim::vgpu::meaning {
namespace {

const FloatMode kNear = kKeepDenormals;

void check_fma(double x, double y, double z, Round r) {
  volatile double vx = x, vy = y, vz = z, want;
  {
    const HostRound in(r);
    want = __builtin_fma(vx, vy, vz);
  }
  ASSERT_EQ(to_bits(v_fma_f64(x, y, z, mode_with(r))), to_bits(double{want}))
      << std::hex << to_bits(x) << " " << to_bits(y) << " " << to_bits(z) << " mode " << static_cast<int>(r);
  if (is_finite(x) && is_finite(y) && is_finite(z)) {
    ASSERT_EQ(to_bits(exact_fma(x, y, z, r)), to_bits(double{want}));
  }
}
TEST(v_fma_f64, agrees_with_the_host_in_every_rounding_mode) {
  const std::vector<double> c = corners<double>();
  Random random(3);
  for (const Round r : kRounds) {
    for (const double x : c)
      for (const double y : c)
        for (const double z : c)
          if (!is_nan(x) && !is_nan(y) && !is_nan(z)) check_fma(x, y, z, r);
    for (int i = 0; i < 100000; ++i) {
      check_fma(random.near_one<double>(60), random.near_one<double>(60), random.near_one<double>(120), r);
      check_fma(random.near_one<double>(1000), random.near_one<double>(1000), random.near_one<double>(1000), r);
    }
  }
}
template <class Ours, class Host> void agree_with_host(Ours ours, Host host) {
  Random random(4);
  for (const Round r : kRounds) {
    const auto check = [&](double a, double b) {
      if (is_nan(a) || is_nan(b)) return;
      volatile double x = a, y = b, z;
      {
        const HostRound in(r);
        z = host(x, y);
      }
      ASSERT_EQ(to_bits(ours(a, b, mode_with(r))), to_bits(double{z})) << std::hex << to_bits(a) << " " << to_bits(b);
    };
    for (const double a : corners<double>())
      for (const double b : corners<double>()) check(a, b);
    for (int i = 0; i < 50000; ++i) {
      check(random.near_one<double>(60), random.near_one<double>(60));
      check(random.near_one<double>(1000), random.near_one<double>(1000));
    }
  }
}
TEST(v_add_f64, agrees_with_the_host_in_every_rounding_mode) {
  agree_with_host(v_add_f64, [](volatile double& a, volatile double& b) { return a + b; });
}
TEST(v_mul_f64, agrees_with_the_host_in_every_rounding_mode) {
  agree_with_host(v_mul_f64, [](volatile double& a, volatile double& b) { return a * b; });
}
TEST(v_add_f64, nans_and_denormals) {
  EXPECT_F64(v_add_f64(f64(0x7ff0000000000001), f64(0x7ff8000000000002), kNear), 0x7ff8000000000001U);
  EXPECT_F64(v_add_f64(f64(0x7ff0000000000000), f64(0xfff0000000000000), kNear), 0xfff8000000000000U);
  EXPECT_F64(v_add_f64(f64(1), f64(1), kNear), 2U);
  EXPECT_F64(v_add_f64(f64(1), f64(1), kFlushDenormals32), 2U); // f32's flags are not f64's
  EXPECT_F64(v_add_f64(f64(1), f64(1), kFlushAll), 0U);
}
TEST(v_fma_f64, names_and_nans) {
  EXPECT_F64(v_fmac_f64(2.0, 3.0, 4.0, kNear), to_bits(10.0));
  EXPECT_F64(v_fma_f64(f64(0x7ff0000000000000), 0.0, f64(0x7ff8000000000005), kNear), 0xfff8000000000000U);
}
TEST(v_min_f64, picks_by_the_manual) {
  EXPECT_F64(v_min_f64(0.0, -0.0, kNear), 0x8000000000000000U);
  EXPECT_F64(v_max_f64(-0.0, 0.0, kNear), 0U);
  EXPECT_F64(v_min_f64(1.0, f64(0x7ff8000000000001), kNear), to_bits(1.0));
  EXPECT_F64(v_max_f64(1.0, f64(0x7ff0000000000001), kNear), 0x7ff8000000000001U);
  EXPECT_F64(v_min_num_f64(1.0, f64(0x7ff0000000000001), kNear), to_bits(1.0));
  EXPECT_F64(v_max_num_f64(1.0, 2.0, kNear), to_bits(2.0));
  EXPECT_F64(v_minimum_f64(1.0, f64(0x7ff8000000000001), kNear), 0x7ff8000000000001U);
  EXPECT_F64(v_maximum_f64(1.0, 2.0, kNear), to_bits(2.0));
}
TEST(v_floor_f64, to_integers) {
  EXPECT_F64(v_floor_f64(-1.5, kNear), to_bits(-2.0));
  EXPECT_F64(v_ceil_f64(-1.5, kNear), to_bits(-1.0));
  EXPECT_F64(v_trunc_f64(-1.5, kNear), to_bits(-1.0));
  EXPECT_F64(v_rndne_f64(2.5, kNear), to_bits(2.0));
  EXPECT_F64(v_fract_f64(-1.75, kNear), to_bits(0.25));
  EXPECT_F64(v_fract_f64(-0x1p-70, kNear), 0x3fefffffffffffffU);
}

} // namespace
} // namespace ptxshim::vgpu::meaning
