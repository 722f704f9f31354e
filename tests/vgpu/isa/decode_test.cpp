// SPDX-License-Identifier: MIT
// Random words of every target through decoder and binder: whatever the bytes, the result is an operation or a refusal.
#include <algorithm>
#include <cstring>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "code_cache.h"
#include "control.h"
#include "kernel_start.h"
#include "opcodes.h"
#include "rows.h"

namespace {

using namespace ptxshim::vgpu;

struct Setup {
  const char* gfx;
  unsigned wave_size;
};

class Decode : public ::testing::TestWithParam<Setup> {};

void check_operand_ranges(const Op& op) {
  for (const Source& source : op.src) {
    if (source.kind == SourceKind::Vector) {
      EXPECT_LT(source.index, kVectorRows);
    }
    if (source.kind == SourceKind::Scalar) {
      EXPECT_LT(source.index, kScalarSlots);
    }
  }
  EXPECT_LT(op.dst, kVectorRows);
  EXPECT_LT(op.dst2, kScalarSlots);
  EXPECT_NE(op.run, nullptr);
}

TEST_P(Decode, any_bytes_become_an_operation_or_a_refusal) {
  const std::unique_ptr<Decoder> decoder = Decoder::create(GetParam().gfx, GetParam().wave_size);
  ASSERT_NE(decoder, nullptr);
  const Target target = Target::from(GetParam().gfx);
  std::deque<VopExtra> extras;
  ConstantRows constants;
  const BindContext context{target, GetParam().wave_size, extras, constants};
  std::mt19937 random(1234);
  unsigned decoded = 0, executable = 0;
  for (int i = 0; i < 60000; ++i) {
    uint32_t words[5];
    for (uint32_t& word : words) word = static_cast<uint32_t>(random());
    if (i & 1) words[0] = (words[0] & 0x03ffffffU) | 0xd4000000U; // VOP3 and its neighbours are rare otherwise
    Instruction instruction;
    if (!decoder->decode(std::as_bytes(std::span<const uint32_t>(words)), 0x1000, instruction)) continue;
    ++decoded;
    EXPECT_GE(instruction.size, 4U);
    EXPECT_LE(instruction.size, 20U);
    // The printer's own word for it begins with the mnemonic that rows are found by.
    EXPECT_NE(instruction.text.find(instruction.mnemonic), std::string::npos) << instruction.text;
    std::vector<Op> ops;
    bind_instruction(context, instruction, ops);
    for (const Op& op : ops) {
      check_operand_ranges(op);
      if (op.run != run_unsupported) ++executable;
    }
  }
  EXPECT_GT(decoded, 10000U);
  EXPECT_GT(executable, decoded / 4);
}

std::string setup_name(const ::testing::TestParamInfo<Setup>& setup) {
  return std::string(setup.param.gfx) + "_" + std::to_string(setup.param.wave_size);
}
INSTANTIATE_TEST_SUITE_P(Targets, Decode,
                         ::testing::Values(Setup{"gfx900", 64}, Setup{"gfx90a", 64}, Setup{"gfx942", 64}, Setup{"gfx1030", 32},
                                           Setup{"gfx1030", 64}, Setup{"gfx1100", 32}, Setup{"gfx1100", 64},
                                           Setup{"gfx1150", 32}, Setup{"gfx1200", 32}, Setup{"gfx1200", 64}),
                         setup_name);

class Opcodes : public ::testing::TestWithParam<const char*> {};

// The list of a target's opcodes is complete (nothing else comes out of random words), and all of it has rows.
TEST_P(Opcodes, have_rows) {
  const std::string gfx = GetParam();
  const std::unique_ptr<Decoder> decoder = Decoder::create(gfx, gfx.size() > 6 ? 32 : 64);
  ASSERT_NE(decoder, nullptr);
  const std::set<std::string> opcodes = opcodes_of(*decoder);
  EXPECT_GT(opcodes.size(), 1000U);
  for (const std::string& opcode : opcodes) EXPECT_NE(find_row(opcode), nullptr) << opcode;
  std::mt19937 random(4321);
  for (int i = 0; i < 200000; ++i) {
    uint32_t words[5];
    for (uint32_t& word : words) word = static_cast<uint32_t>(random());
    if (i & 1) words[0] |= 0xc0000000U; // the formats of two words and more
    Instruction in;
    if (!decoder->recognise(std::as_bytes(std::span<const uint32_t>(words)), in)) continue;
    EXPECT_TRUE(opcodes.count(std::string(in.mnemonic))) << in.mnemonic;
  }
}
INSTANTIATE_TEST_SUITE_P(Targets, Opcodes, ::testing::Values("gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1150", "gfx1200"));

TEST(Rows, name_only_opcodes_that_the_assembler_knows) {
  std::set<std::string> known;
  for_each_mnemonic(
      [](void* context, std::string_view mnemonic, std::string_view, uint64_t) {
        static_cast<std::set<std::string>*>(context)->emplace(mnemonic);
      },
      &known);
  struct Context {
    const std::set<std::string>* known;
    unsigned rows;
  } context{&known, 0};
  for_each_row(
      [](void* opaque, std::string_view name, const Row& row) {
        Context& c = *static_cast<Context*>(opaque);
        ++c.rows;
        EXPECT_NE(row.run, nullptr) << name;
        // One memory operation makes rows for four segments, not all of which exist.
        const bool memory = name.find("flat_") == 0 || name.find("global_") == 0 || name.find("scratch_") == 0 ||
                            name.find("buffer_") == 0 || name.find("s_store_") == 0;
        // The table names VOPD instructions by their first half.
        const bool dual = name.find("v_dual_") == 0 && c.known->count(single_of_dual(name));
        EXPECT_TRUE(memory || dual || c.known->count(std::string(name))) << name;
      },
      &context);
  EXPECT_GT(context.rows, 1000U);
}

TEST(Decoder, refuses_what_the_assembler_would_show_as_another_instruction) { // op_sel of v_alignbit_b32 v1, v2, v3, v4
  const std::unique_ptr<Decoder> decoder = Decoder::create("gfx1100", 32);
  ASSERT_NE(decoder, nullptr);
  Instruction instruction;
  for (const uint32_t op_sel : {0U, 4U}) {
    const uint32_t words[] = {0xd6160001U | op_sel << 11, 0x04120702U};
    EXPECT_EQ(decoder->decode(std::as_bytes(std::span<const uint32_t>(words)), 0, instruction), op_sel == 0) << instruction.text;
    EXPECT_EQ(instruction.mnemonic, "v_alignbit_b32");
  }
}

TEST(Decoder, refuses_unknown_targets) {
  EXPECT_EQ(Decoder::create("gfx9999", 64), nullptr);
  EXPECT_EQ(Decoder::create("sm_80", 32), nullptr);
}

TEST(KernelHeader, tells_descriptor_from_old_header) {
  std::vector<std::byte> bytes(256);
  auto put32 = [&](size_t at, uint32_t value) { std::memcpy(bytes.data() + at, &value, 4); };
  put32(0, 1);             // a descriptor of a kernel with one byte of LDS
  put32(16, 0x1000);
  put32(48, 0x00af0081);   // 16 VGPRs, denormals kept, DX10_CLAMP, IEEE
  put32(52, 0x00000084);   // two user SGPRs, work group id x
  put32(56, 1U << 10 | 8); // wave32, kernarg pointer
  KernelStart start;
  std::string why;
  const Target target = Target::from("gfx1030");
  ASSERT_TRUE(read_kernel_header(bytes, 0x10000, target, start, why)) << why;
  EXPECT_EQ(start.entry, 0x11000U);
  EXPECT_EQ(start.wave_size, 32U);
  EXPECT_EQ(start.group_bytes, 1U);
  EXPECT_EQ(start.user_scalars, 2U);
  EXPECT_TRUE(start.kernarg_pointer && start.group_id[0] && !start.group_id[1]);
  EXPECT_EQ(start.mode, 0x3f0U);

  std::fill(bytes.begin(), bytes.end(), std::byte{0});
  put32(0, 1); // amd_kernel_code_t 1.2 for machine kind 1, gfx9
  put32(4, 2);
  put32(8, 9U << 16 | 1);
  put32(16, 256);
  put32(48, 0x000c0000);
  put32(52, 0x0000008c);
  put32(56, 8 | 1U << 1);
  put32(60, 16);
  put32(64, 512);
  KernelStart old;
  ASSERT_TRUE(read_kernel_header(bytes, 0x10000, target, old, why)) << why;
  EXPECT_EQ(old.entry, 0x10100U);
  EXPECT_EQ(old.wave_size, 64U);
  EXPECT_EQ(old.group_bytes, 512U);
  EXPECT_EQ(old.private_bytes, 16U);

  std::fill(bytes.begin(), bytes.end(), std::byte{0xff});
  EXPECT_FALSE(read_kernel_header(bytes, 0x10000, target, old, why));
  EXPECT_FALSE(read_kernel_header(std::span<const std::byte>(bytes).first(32), 0x10000, target, old, why));
}

} // namespace
