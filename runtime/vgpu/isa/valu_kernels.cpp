// SPDX-License-Identifier: MIT
// The handlers of one group of rows for one host ISA. Compiled once per pair; the build defines
//   PTXSHIM_ISA     V2, V3 or V4
//   PTXSHIM_GROUP   Float, Integer, Compare or Packed
//   PTXSHIM_ROWS    the .def file
//   meaning         meaning_<ISA>: a namespace of its own for every function that is compiled more than once
#include <cstddef>
#include <utility>

#include "meanings/meanings.h"

#include "lane_kernel.h"
#include "lane_variants.h"

#define PTXSHIM_JOIN2(a, b, c) a##b##_##c
#define PTXSHIM_JOIN(a, b, c) PTXSHIM_JOIN2(a, b, c)

namespace ptxshim::vgpu {
namespace {
// clang-format off
constexpr ValuInfo kInfos[] = {
#define VALU(name, fidelity, note) meaning::info_of<&meaning::name>(#name),
#define SIGNED_DOT(name) VALU(name##_uu, , ) VALU(name##_su, , ) VALU(name##_us, , ) VALU(name##_ss, , ) \
  SATURATE(name##_uu_sat) SATURATE(name##_su_sat) SATURATE(name##_us_sat) SATURATE(name##_ss_sat)
#define SATURATE(name) meaning::info_of<&meaning::name>(#name),
#include PTXSHIM_ROWS
};
// clang-format on
} // namespace

extern const ValuTable PTXSHIM_JOIN(kValu, PTXSHIM_GROUP, PTXSHIM_ISA);
const ValuTable PTXSHIM_JOIN(kValu, PTXSHIM_GROUP, PTXSHIM_ISA) = {kInfos, sizeof kInfos / sizeof kInfos[0]};

} // namespace ptxshim::vgpu
