// SPDX-License-Identifier: MIT
// One TEST an entry of opcodes.S and its parts, for every machine. Expected values follow from AMD's ISA documents; comments
// name what decides. An opcode that a machine does not have must not be in its code object.
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>

#include <gtest/gtest.h>

#include "loader.h"

namespace {

using namespace ptxshim::vgpu;

// Which code object: opcodes_<name>.co.
struct Machine {
  const char* name;
  const char* gfx;
  unsigned generation, cdna, lanes;
};

class Opcode : public ::testing::TestWithParam<Machine> {
protected:
  static constexpr uint32_t kUntouched = 0xdeadbeefU;

  void SetUp() override {
    std::ifstream file(std::string(PTXSHIM_KERNELS_DIR) + "/opcodes_" + GetParam().name + ".co", std::ios::binary);
    const std::vector<char> elf{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    auto loaded = device_.load(std::as_bytes(std::span<const char>(elf)));
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
    object_ = std::move(loaded).value();
  }
  // The test's own name, without the machine's.
  static std::string kernel_name() {
    const std::string name = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    return name.substr(0, name.find('/'));
  }
  DispatchOutcome launch() {
    out_ = device_.memory().allocate(256);
    uint32_t* const words = reinterpret_cast<uint32_t*>(device_.memory().host(out_));
    for (int i = 0; i < 64; ++i) words[i] = kUntouched;
    Launch shape;
    shape.threads[0] = lanes();
    shape.arguments.resize(16);
    std::memcpy(shape.arguments.data(), &out_, 8);
    const LoadedKernel* const kernel = object_.find_kernel(kernel_name());
    EXPECT_NE(kernel, nullptr);
    return kernel ? device_.launch(*kernel, shape) : DispatchOutcome{};
  }
  void expect(const std::function<uint32_t(uint32_t)>& expected, bool exists = true) {
    if (!exists) {
      EXPECT_EQ(object_.find_kernel(kernel_name()), nullptr);
      return;
    }
    const DispatchOutcome outcome = launch();
    ASSERT_EQ(outcome.fault, Fault::None) << outcome.report;
    const uint32_t* const words = reinterpret_cast<const uint32_t*>(device_.memory().host(out_));
    for (uint32_t lane = 0; lane < lanes(); ++lane) EXPECT_EQ(words[lane], expected(lane)) << "lane " << lane;
  }
  void expect_all(uint32_t value, bool exists = true) {
    expect([value](uint32_t) { return value; }, exists);
  }
  static unsigned generation() { return GetParam().generation; }
  static bool cdna() { return GetParam().cdna != 0; }
  static unsigned lanes() { return GetParam().lanes; }

  DirectDevice device_{GetParam().gfx, 1};
  LoadedObject object_;
  uint64_t out_ = 0;
};

constexpr Machine kMachines[] = {
    {"gfx900", "gfx900", 9, 0, 64},        {"gfx90a", "gfx90a", 9, 2, 64},          {"gfx942", "gfx942", 9, 3, 64},
    {"gfx1030", "gfx1030", 10, 0, 32},     {"gfx1030_wave64", "gfx1030", 10, 0, 64}, {"gfx1100", "gfx1100", 11, 0, 32},
    {"gfx1100_wave64", "gfx1100", 11, 0, 64}, {"gfx1150", "gfx1150", 11, 0, 32},     {"gfx1200", "gfx1200", 12, 0, 32},
    {"gfx1200_wave64", "gfx1200", 12, 0, 64}};
std::string machine_name(const ::testing::TestParamInfo<Machine>& machine) { return machine.param.name; }
INSTANTIATE_TEST_SUITE_P(Machines, Opcode, ::testing::ValuesIn(kMachines), machine_name);

// DPP: rows of 16, banks of 4. A lane whose source lies outside of its row keeps the old value, or gets 0 with bound_ctrl.
TEST_P(Opcode, dpp_row_shr) { expect([](uint32_t i) { return i % 16 < 3 ? 7U : i - 3; }); }
TEST_P(Opcode, dpp_row_shr_bound) { expect([](uint32_t i) { return i % 16 < 3 ? 0U : i - 3; }); }
TEST_P(Opcode, dpp_masks) {
  expect([](uint32_t i) { return i / 16 == 1 && (i / 4 % 4 == 0 || i / 4 % 4 == 2) ? (i ^ 3U) : 7U; });
}
TEST_P(Opcode, dpp8_reverse) {
  expect([](uint32_t i) { return i ^ 7U; }, generation() >= 10);
}
// Only lanes 1-15 (of each 32) are on: lane 1 would read lane 0, which is off: it keeps 7 without fi, and reads with it.
TEST_P(Opcode, dpp_inactive) {
  expect([](uint32_t i) { return i % 32 >= 2 && i % 32 < 16 ? i - 1 : 7U; });
}
TEST_P(Opcode, dpp_fetch_inactive) {
  expect([](uint32_t i) { return i % 32 >= 1 && i % 32 < 16 ? i - 1 : 7U; }, generation() >= 10);
}
TEST_P(Opcode, dpp_row_ror_mirror) {
  expect([](uint32_t i) { return (i ^ 7U) << 8 | ((i & ~15U) + ((i - 5) & 15U)); });
}
TEST_P(Opcode, dpp_add) { // row_share, which CDNA calls row_newbcast
  expect([](uint32_t i) { return (i & ~15U) + 2 + 100; }, generation() >= 10 || cdna());
}
// Selector nibble n of lane n: 0, 1, 2 ... for permlanex16 here; the other row of the pair is read.
TEST_P(Opcode, permlanex16) {
  expect([](uint32_t i) { return i ^ 16U; }, generation() >= 10);
}
TEST_P(Opcode, permlane16) {
  expect(
      [](uint32_t i) {
        const uint64_t selectors = 0x89abcdef01234567ULL;
        return (i & ~15U) + static_cast<uint32_t>(selectors >> (4 * (i & 15U)) & 15U);
      },
      generation() >= 10);
}
TEST_P(Opcode, readlane_exec_zero) { expect_all(109 * 1000 + 100); } // v_readfirstlane reads lane 0 when EXEC is 0
TEST_P(Opcode, read_first_lane_of_mask) { expect_all(4); }
TEST_P(Opcode, writelane) {
  expect([](uint32_t i) { return i == 37 % lanes() ? 1234U : i; });
}
TEST_P(Opcode, branch_execz) { expect_all(2); }
// Byte 3 of v2 is 0x80, sign-extended -128; plus 1 is -127: word 1 of the result, the other word stays.
TEST_P(Opcode, sdwa_select) { expect_all(0xff812222U, generation() <= 10); }
// 0x80 in byte 1 with zeros around; the word 0x8001 sign-extended beyond its place.
TEST_P(Opcode, sdwa_pad_sext) { expect_all(0x00008000U ^ 0xffff8001U, generation() <= 10); }
TEST_P(Opcode, op_sel_high) { expect_all(0x0016bbbbU); } // 3 * 7 + 1 into the high half
// gfx9 clears the other half, later machines keep it.
TEST_P(Opcode, half_keeps_the_other) { expect_all(generation() == 9 ? 0x00004000U : 0xaaaa4000U); }
TEST_P(Opcode, packed_op_sel) { expect_all(0xc0004400U); } // low 1 + 3, high 2 - 4
TEST_P(Opcode, packed_low_half_twice) { expect_all(0x46004500U); } // low 2 + 3, high 2 + 4
TEST_P(Opcode, packed_singles) { expect_all(0x41280000U, cdna()); } // (2 * 4 - 1) - (1 * 0.5 + 2), and 2 + 4
TEST_P(Opcode, mix) { expect_all(0x3f800000U, generation() >= 10 || cdna()); } // 2 * 1.5 - 2
TEST_P(Opcode, clamp) { expect_all(0x3f800000U); }
TEST_P(Opcode, clamp_nan) { // with DX10_CLAMP a NaN becomes 0, without it stays; gfx12 always clamps
  expect_all(generation() >= 12 ? 0U : 0x7fc00000U);
}
TEST_P(Opcode, clamp_integer) { expect([](uint32_t i) { return i < 5 ? i - 5 : 0xffffffffU; }); }
TEST_P(Opcode, output_multiplier) { expect_all(0x40c00000U); } // 0.5 * 3 * 4 = 6
TEST_P(Opcode, output_multiplier_in_ieee_mode) { expect_all(0x3fc00000U, generation() < 12); } // ignored: 0.5 * 3
// Kept denormals and IEEE mode stop it (RDNA3 ISA, 7.2.3.1), but not on gfx12 (RDNA4 ISA, 7.2.3.1).
TEST_P(Opcode, output_multiplier_in_default_mode) { expect_all(generation() >= 12 ? 0x40c00000U : 0x3fc00000U); }
// Halved out of the normal range, a number is the zero of its sign: the second one comes shifted by 4.
TEST_P(Opcode, output_divider_of_smallest_numbers) { expect_all(0x88000000U); }
// 2^127 * 2 rounded toward zero is the largest number, and -0 becomes +0.
TEST_P(Opcode, output_multiplier_out_of_range) { expect_all(0x7f7fffffU); }
TEST_P(Opcode, neg_abs) { expect_all(0xc1100000U); } // -2 * 4 - 1 = -9
TEST_P(Opcode, min_of_signaling_nan) { // with IEEE the NaN made quiet, without it the number; gfx12 knows only the number
  expect_all(generation() >= 12 ? 0U : 0x7fc00001U - 0x3f800000U);
}

// Modes -----------------------------------------------------------------------------------------------------------------
TEST_P(Opcode, flush_denormals) { expect_all(3U << 8 | 0U); }
TEST_P(Opcode, flush_denormals_f16_f64) { expect_all(3U << 8 | 3U << 4); } // one field for both, not that of singles
// Operands flushed: 0 + 0, and half of the smallest normal is 0x00400000. Results flushed: the sum keeps the 3, the half is 0.
TEST_P(Opcode, flush_inputs_or_results) { expect_all(0U << 12 | 3U << 8 | 4U << 4 | 0U); }
TEST_P(Opcode, denormals_of_descriptor) { expect_all(3U << 4 | 0U); }
// 1 + 1.5 * 2^-24 lies between 1 and 1 + 2^-23, nearer to the latter. Bits: toward zero, up, down, nearest.
TEST_P(Opcode, round_modes) { expect_all(0b1010U); }
TEST_P(Opcode, round_modes_f64) { expect_all(0b1010U); } // 1 + 1.5 * 2^-53 likewise; the last: the field of singles is another
TEST_P(Opcode, round_modes_f16) { expect_all(0b1010U); }
TEST_P(Opcode, round_of_descriptor) { expect_all(0b01U); } // singles up, halves down
TEST_P(Opcode, mode_register) { expect_all(0xf4U); } // f16/f64 rounding field set to 1, denormals all kept

// Masks, carries, scalars -------------------------------------------------------------------------------------------------
// lane + (2^64 - 1) carries out unless the lane is 0; its low word is lane - 1, its high word then 0, else all ones.
TEST_P(Opcode, mad_carry) {
  expect([](uint32_t i) {
    const uint64_t sum = static_cast<uint64_t>(i) + ~0ULL;
    return (0xfffffffeU ^ static_cast<uint32_t>(sum)) + static_cast<uint32_t>(sum >> 32);
  });
}
TEST_P(Opcode, carry_chain) { expect([](uint32_t i) { return 5 + i + (i ? 1U : 0U); }); }
TEST_P(Opcode, compare_exec) { expect([](uint32_t i) { return i > 5 ? 2U : 1U; }); }
TEST_P(Opcode, compare_partial_exec) { expect_all(0xf7U); } // lanes that are off give 0
TEST_P(Opcode, compare_halves) { expect_all(lanes() == 32 ? 0xffffffffU : 0xffU); } // lanes below 40, from 32 on in VCC_HI
// The new EXEC, SCC (it is not zero), and nothing where the saved one is the old EXEC.
TEST_P(Opcode, saveexec) { expect_all(0xff000fU + 1); }
TEST_P(Opcode, call) { expect_all(111); }
TEST_P(Opcode, move_relative) { expect_all(44U << 8 | 44U, generation() >= 10); }
TEST_P(Opcode, register_index_mode) { expect_all(60 + 40, generation() == 9); } // v4 + 2 is read, v5 + 2 written
TEST_P(Opcode, register_index_mode_leaves_scalars) { expect_all(7, generation() == 9); } // only vector registers are indexed
// s_mov_b64 zero-extends its literal, s_ashr_i64 sign-extends it, and an f64 literal is the high word: 1 + 100 = 101.
TEST_P(Opcode, literals) { expect_all(0U + 0xffffffffU + 0x40594000U, generation() >= 10); }
TEST_P(Opcode, swap) { expect([](uint32_t i) { return i; }); }
TEST_P(Opcode, accumulators) {
  expect([](uint32_t i) { return i; }, cdna());
}
TEST_P(Opcode, dual_issue) {
  expect([](uint32_t i) { return 5U << 16 | (100 + i); }, generation() >= 11 && lanes() == 32);
}
TEST_P(Opcode, scalar_odds) { expect_all(77 + 9); } // bit 33 is bit 1; 0xf0 | 2 without bit 4 is 0xe2
TEST_P(Opcode, condition_registers) { expect_all(1); } // SCC after an equality, then after an inequality
TEST_P(Opcode, highest_scalars) { expect_all(0x765, generation() >= 10); } // gfx9 has FLAT_SCRATCH and XNACK_MASK there
TEST_P(Opcode, mbcnt) {
  expect([](uint32_t i) {
    const uint64_t mask = 0x0f0f0f0f0f0f0f0fULL, below = (uint64_t{1} << i) - 1;
    return 3U + static_cast<uint32_t>(__builtin_popcountll(mask & below));
  });
}

// Memory ------------------------------------------------------------------------------------------------------------------
TEST_P(Opcode, lds_two_addresses) { expect([](uint32_t i) { return 2000 + i; }); }
TEST_P(Opcode, lds_partial_stores) { expect_all(0xbb22dd44U); } // bits 23:16 of the data for the d16_hi store
TEST_P(Opcode, lds_atomics) { // add returns i; compare-and-store replaces i + 5 by 99 only where it is 5
  expect([](uint32_t i) { return (i == 0 ? 99U : i + 5) << 8 | i | (i + 5) << 16; });
}
TEST_P(Opcode, lds_append) { expect_all(18U << 8 | 10U); } // eight lanes are on
// "0p1pi", from bit 4: 0, keep, 1, keep, invert; in each 32 lanes.
TEST_P(Opcode, swizzle_bitmask) {
  expect([](uint32_t i) { return (i & 32U) | (i & 0b01010U) | 0b00100U | (~i & 1U); });
}
TEST_P(Opcode, swizzle_quad) { expect([](uint32_t i) { return i ^ 1U; }); }
// A lane that is off gives 0: here the last one, of each 32.
TEST_P(Opcode, bpermute) {
  const bool halves = lanes() == 32 || generation() == 10 || generation() == 11; // there each half is permuted on its own
  expect([halves](uint32_t i) {
    if (i % 32 == 31) return 0U;
    const uint32_t from = halves ? (i & 32U) | (i + 4) % 32 : (i + 4) % 64;
    return from % 32 == 31 ? 0U : 100 + from;
  });
}
TEST_P(Opcode, bpermute_other_half) { // the wave of 64 as a whole on gfx9 and gfx12, its halves on gfx10 and gfx11
  const bool whole = lanes() == 64 && (generation() == 9 || generation() == 12);
  expect([whole](uint32_t i) { return whole ? i ^ 32U : i; });
}
TEST_P(Opcode, permute) {
  const bool whole = lanes() == 64 && (generation() == 9 || generation() == 12);
  expect([whole](uint32_t i) { return whole ? (i + 64 - 3) % 64 : (i & 32U) | (i + 32 - 3) % 32; });
}

TEST_P(Opcode, buffer_range) { expect([](uint32_t i) { return i < 16 ? 7U : 0U; }); } // 64 bytes of buffer
// Four records of 8 bytes: indices from 4 on are dropped.
TEST_P(Opcode, buffer_index) { expect([](uint32_t i) { return i < 8 && i % 2 == 1 ? 9U : kUntouched; }); }
TEST_P(Opcode, scalar_buffer) { expect_all(110); } // two words of buffer, zero beyond
TEST_P(Opcode, d16_loads) { expect_all(0xfedcfffeU); }
TEST_P(Opcode, scratch_negative_offset) {
  expect([](uint32_t i) { return 100 + i; }, generation() >= 11 || GetParam().cdna == 3);
}
// 5 >= 5 wraps to 0 and returns 5; dec of 0 gives the limit 5 and returns 0.
TEST_P(Opcode, atomic_wrap) { expect_all(5U << 16 | 0U << 8 | 5U); }
// max(-0, +0) is +0; the old value returns
TEST_P(Opcode, float_atomic_min) { expect_all(0x80000000U, generation() >= 10); }
// fma(1, 1, 0); in the lanes of VCC times 2^-64, since the addend's exponent field is not above 127.
TEST_P(Opcode, div_fmas_mask) { expect([](uint32_t i) { return i < 16 ? 0x1f800000U : 0x3f800000U; }); }
// 2^-100 / 2^40 would be a denormal: VCC, and the numerator times 2^64.
TEST_P(Opcode, div_scale) { expect_all(0x2d800001U); }

TEST_P(Opcode, missing_opcode) {
  if (generation() != 10) return;
  const DispatchOutcome outcome = launch();
  EXPECT_EQ(outcome.fault, Fault::IllegalInstruction);
  EXPECT_NE(outcome.report.find("image_load"), std::string::npos) << outcome.report;
  EXPECT_NE(outcome.report.find("kernel missing_opcode"), std::string::npos) << outcome.report;
}

// Every kernel is somebody's: none is left out.
TEST(Opcodes, are_all_tested) {
  std::set<std::string> tested;
  const ::testing::UnitTest& all = *::testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i)
    for (int j = 0; j < all.GetTestSuite(i)->total_test_count(); ++j) {
      const std::string name = all.GetTestSuite(i)->GetTestInfo(j)->name();
      tested.insert(name.substr(0, name.find('/')));
    }
  for (const Machine& machine : kMachines) {
    std::ifstream file(std::string(PTXSHIM_KERNELS_DIR) + "/opcodes_" + machine.name + ".co", std::ios::binary);
    const std::vector<char> elf{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    DirectDevice device(machine.gfx, 1);
    const auto object = device.load(std::as_bytes(std::span<const char>(elf)));
    ASSERT_TRUE(object.ok());
    EXPECT_GT(object->kernels.size(), 50U) << machine.name;
    for (const LoadedKernel& kernel : object->kernels) EXPECT_TRUE(tested.count(kernel.name)) << kernel.name;
  }
}

} // namespace
