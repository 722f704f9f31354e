// SPDX-License-Identifier: MIT
// One TEST an entry of opcodes.s. Expected values follow from AMD's RDNA 2 ISA document; comments name what decides.
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>

#include <gtest/gtest.h>

#include "loader.h"

namespace {

using namespace ptxshim::vgpu;

class Opcode : public ::testing::Test {
protected:
  static constexpr uint32_t kUntouched = 0xdeadbeefU;

  static std::vector<char> code() {
    std::ifstream file(std::string(PTXSHIM_KERNELS_DIR) + "/opcodes.co", std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  void SetUp() override {
    const std::vector<char> elf = code();
    auto loaded = device_.load(std::as_bytes(std::span<const char>(elf)));
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
    object_ = std::move(loaded).value();
  }
  DispatchOutcome launch(const char* name) {
    out_ = device_.memory().allocate(128);
    uint32_t* const words = reinterpret_cast<uint32_t*>(device_.memory().host(out_));
    for (int i = 0; i < 32; ++i) words[i] = kUntouched;
    Launch shape;
    shape.threads[0] = 32;
    shape.arguments.resize(16);
    std::memcpy(shape.arguments.data(), &out_, 8);
    const LoadedKernel* const kernel = object_.find_kernel(name);
    EXPECT_NE(kernel, nullptr) << name;
    return kernel ? device_.launch(*kernel, shape) : DispatchOutcome{};
  }
  void expect(const std::function<uint32_t(uint32_t)>& expected) {
    const char* const name = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    const DispatchOutcome outcome = launch(name);
    ASSERT_EQ(outcome.fault, Fault::None) << outcome.report;
    const uint32_t* const words = reinterpret_cast<const uint32_t*>(device_.memory().host(out_));
    for (uint32_t lane = 0; lane < 32; ++lane) EXPECT_EQ(words[lane], expected(lane)) << name << ", lane " << lane;
  }
  void expect_all(uint32_t value) {
    expect([value](uint32_t) { return value; });
  }

  DirectDevice device_{"gfx1030", 1};
  LoadedObject object_;
  uint64_t out_ = 0;
};

// DPP: rows of 16, banks of 4. A lane whose source lies outside of its row keeps the old value, or gets 0 with bound_ctrl:0.
TEST_F(Opcode, dpp_row_shr) { expect([](uint32_t i) { return i % 16 < 3 ? 7U : i - 3; }); }
TEST_F(Opcode, dpp_row_shr_bound) { expect([](uint32_t i) { return i % 16 < 3 ? 0U : i - 3; }); }
TEST_F(Opcode, dpp_masks) {
  expect([](uint32_t i) { return i / 16 == 1 && (i / 4 % 4 == 0 || i / 4 % 4 == 2) ? (i ^ 3U) : 7U; });
}
TEST_F(Opcode, dpp8_reverse) { expect([](uint32_t i) { return i ^ 7U; }); }
// Only lanes 1-15 are on: lane 1 would read lane 0, which is off: it keeps 7 without fi, and reads with it.
TEST_F(Opcode, dpp_inactive) {
  expect([](uint32_t i) {
    const uint32_t plain = i >= 2 && i < 16 ? i - 1 : 7, fetched = i >= 1 && i < 16 ? i - 1 : 7;
    return fetched << 8 | plain;
  });
}
TEST_F(Opcode, dpp_row_ror_mirror) {
  expect([](uint32_t i) { return (i ^ 7U) << 8 | ((i & 16U) + ((i - 5) & 15U)); });
}
TEST_F(Opcode, dpp_add) { expect([](uint32_t i) { return (i & 16U) + 2 + 100; }); }
// Selector nibble n of lane n: 0, 1, 2 ... for permlanex16 here; the other row is read.
TEST_F(Opcode, permlanex16) { expect([](uint32_t i) { return i ^ 16U; }); }
TEST_F(Opcode, permlane16) {
  expect([](uint32_t i) {
    const uint64_t selectors = 0x89abcdef01234567ULL;
    return (i & 16U) + static_cast<uint32_t>(selectors >> (4 * (i & 15U)) & 15U);
  });
}
TEST_F(Opcode, readlane_exec_zero) { expect_all(109 * 1000 + 100); } // v_readfirstlane reads lane 0 when EXEC is 0
TEST_F(Opcode, writelane) { expect([](uint32_t i) { return i == 37 % 32 ? 1234U : i; }); }
TEST_F(Opcode, branch_execz) { expect_all(2); }
// Byte 3 of v2 is 0x80, sign-extended -128; plus 1 is -127: word 1 of the result, the other word stays.
TEST_F(Opcode, sdwa_select) { expect_all(0xff812222U); }
// 0x80 in byte 1 with zeros around; the word 0x8001 sign-extended beyond its place.
TEST_F(Opcode, sdwa_pad_sext) { expect_all(0x00008000U ^ 0xffff8001U); }
TEST_F(Opcode, op_sel_high) { expect_all(0x0016bbbbU); } // 3 * 7 + 1 into the high half
TEST_F(Opcode, half_keeps_the_other) { expect_all(0xaaaa4000U); }
TEST_F(Opcode, packed_op_sel) { expect_all(0xc0004400U); } // low 1 + 3, high 2 - 4
TEST_F(Opcode, packed_low_half_twice) { expect_all(0x46004500U); } // low 2 + 3, high 2 + 4
TEST_F(Opcode, mix) { expect_all(0x3f800000U); }           // 2 * 1.5 - 2
TEST_F(Opcode, clamp) { expect_all(0x3f800000U); }
TEST_F(Opcode, clamp_integer) { expect([](uint32_t i) { return i < 5 ? i - 5 : 0xffffffffU; }); }
TEST_F(Opcode, output_multiplier) { expect_all(0x40c00000U); } // 0.5 * 3 * 4 = 6
TEST_F(Opcode, output_multiplier_in_ieee_mode) { expect_all(0x3fc00000U); } // ignored: 0.5 * 3
TEST_F(Opcode, neg_abs) { expect_all(0xc1100000U); }           // -2 * 4 - 1 = -9
TEST_F(Opcode, flush_denormals) { expect_all(3U << 8 | 0U); }
// 1 + 1.5 * 2^-24 lies between 1 and 1 + 2^-23, nearer to the latter. Bits: toward zero, up, down, nearest.
TEST_F(Opcode, round_modes) { expect_all(0b1010U); }
TEST_F(Opcode, mode_register) { expect_all(0xf4U); } // f16/f64 rounding field set to 1, denormals all kept
// lane + (2^64 - 1) carries out unless the lane is 0; its low word is lane - 1, its high word then 0, else all ones.
TEST_F(Opcode, mad_carry) {
  expect([](uint32_t i) {
    const uint64_t sum = static_cast<uint64_t>(i) + ~0ULL;
    return (0xfffffffeU ^ static_cast<uint32_t>(sum)) + static_cast<uint32_t>(sum >> 32);
  });
}
TEST_F(Opcode, carry_chain) { expect([](uint32_t i) { return 5 + i + (i ? 1U : 0U); }); }
TEST_F(Opcode, compare_exec) { expect([](uint32_t i) { return i > 5 ? 2U : 1U; }); }
TEST_F(Opcode, compare_partial_exec) { expect_all(0xf7U); } // lanes that are off give 0
TEST_F(Opcode, saveexec) { expect_all(0xff000fU + 1); }
TEST_F(Opcode, call) { expect_all(111); }
TEST_F(Opcode, move_relative) { expect_all(44U << 8 | 44U); }
// s_mov_b64 zero-extends its literal, s_ashr_i64 sign-extends it, and an f64 literal is the high word: 1 + 100 = 101.
TEST_F(Opcode, literals) { expect_all(0U + 0xffffffffU + 0x40594000U); }
TEST_F(Opcode, swap) { expect([](uint32_t i) { return i; }); }
TEST_F(Opcode, scalar_odds) { expect_all(77 + 9); } // bit 33 is bit 1; 0xf0 | 2 without bit 4 is 0xe2
TEST_F(Opcode, mbcnt) {
  expect([](uint32_t i) { return 3U + static_cast<uint32_t>(__builtin_popcount(0x0f0f0f0fU & ((1U << i) - 1))); });
}

TEST_F(Opcode, lds_two_addresses) { expect([](uint32_t i) { return 2000 + i; }); }
TEST_F(Opcode, lds_partial_stores) { expect_all(0xbb22dd44U); } // bits 23:16 of the data for the d16_hi store
TEST_F(Opcode, lds_atomics) { // add returns i; compare-and-store replaces i + 5 by 99 only where it is 5
  expect([](uint32_t i) { return (i == 0 ? 99U : i + 5) << 8 | i | (i + 5) << 16; });
}
TEST_F(Opcode, lds_append) { expect_all(18U << 8 | 10U); } // eight lanes are on
// "0p1pi", from bit 4: 0, keep, 1, keep, invert.
TEST_F(Opcode, swizzle_bitmask) { expect([](uint32_t i) { return (i & 0b01010U) | 0b00100U | (~i & 1U); }); }
TEST_F(Opcode, swizzle_quad) { expect([](uint32_t i) { return i ^ 1U; }); }
TEST_F(Opcode, bpermute) { // lane 31 is off: reading it gives 0
  expect([](uint32_t i) { return i == 31 ? 0U : (i + 4) % 32 == 31 ? 0U : 100 + (i + 4) % 32; });
}
TEST_F(Opcode, permute) { expect([](uint32_t i) { return (i + 32 - 3) % 32; }); }

TEST_F(Opcode, buffer_range) { expect([](uint32_t i) { return i < 16 ? 7U : 0U; }); } // 64 bytes of buffer
// Four records of 8 bytes: indices from 4 on are dropped.
TEST_F(Opcode, buffer_index) { expect([](uint32_t i) { return i < 8 && i % 2 == 1 ? 9U : kUntouched; }); }
TEST_F(Opcode, scalar_buffer) { expect_all(110); } // two words of buffer, zero beyond
TEST_F(Opcode, d16_loads) { expect_all(0xfedcfffeU); }
// 5 >= 5 wraps to 0 and returns 5; dec of 0 gives the limit 5 and returns 0.
TEST_F(Opcode, atomic_wrap) { expect_all(5U << 16 | 0U << 8 | 5U); }
TEST_F(Opcode, float_atomic_min) { expect_all(0x80000000U); } // max(-0, +0) is +0; the old value returns
// fma(1, 1, 0); in the lanes of VCC times 2^-64, since the addend's exponent field is not above 127.
TEST_F(Opcode, div_fmas_mask) { expect([](uint32_t i) { return i < 16 ? 0x1f800000U : 0x3f800000U; }); }

TEST_F(Opcode, missing_opcode) {
  const DispatchOutcome outcome = launch("missing_opcode");
  EXPECT_EQ(outcome.fault, Fault::IllegalInstruction);
  EXPECT_NE(outcome.report.find("image_load"), std::string::npos) << outcome.report;
  EXPECT_NE(outcome.report.find("kernel missing_opcode"), std::string::npos) << outcome.report;
}

} // namespace
