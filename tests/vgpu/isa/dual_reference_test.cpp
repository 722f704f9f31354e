// SPDX-License-Identifier: MIT
// VOPD: random pairs of operations against the slow reference. Both halves read the registers as they were before the
// instruction, whichever of them is executed first.
#include <cstring>
#include <deque>

#include <gtest/gtest.h>

#include "code_cache.h"
#include "control.h"
#include "reference.h"
#include "rows.h"

namespace ptxshim::vgpu::check {
namespace {

constexpr unsigned kRegisters = 8; // few, so that the halves disturb each other often

class Pairs {
public:
  explicit Pairs(const Machine& machine)
      : machine_(machine), decoder_(Decoder::create(machine.gfx, 32)), target_(Target::from(machine.gfx)) {}
  void run_case();
  unsigned executed() const { return executed_; }
  unsigned crossed() const { return crossed_; }

private:
  uint32_t random() {
    state_ ^= state_ << 13, state_ ^= state_ >> 7, state_ ^= state_ << 17;
    return static_cast<uint32_t>(state_ >> 16);
  }
  unsigned pick_source() {
    const unsigned choice = random() % 6;
    if (choice == 0) return random() % 24;
    if (choice == 1) return kCodeZero + random() % 81;
    if (choice == 2) return kCodeLiteral;
    return kCodeVector + random() % kRegisters;
  }
  // The half as an instruction of its own, for the reference.
  bool half(std::string_view dual, unsigned vdst, unsigned src0, unsigned vsrc1, uint32_t literal, Vop& vop, Opcode& opcode);

  const Machine& machine_;
  std::unique_ptr<Decoder> decoder_;
  Target target_;
  uint64_t state_ = 0x9e3779b97f4a7c15ULL;
  unsigned executed_ = 0, crossed_ = 0;
};

bool Pairs::half(std::string_view dual, unsigned vdst, unsigned src0, unsigned vsrc1, uint32_t literal, Vop& vop, Opcode& opcode) {
  opcode.mnemonic = "v_" + std::string(dual.substr(7));
  opcode.meaning = find_meaning(opcode.mnemonic.c_str());
  if (!opcode.meaning) return false;
  const std::string& name = opcode.mnemonic;
  vop.family = Family::Vop2;
  vop.vdst = vdst;
  vop.literal = literal;
  const unsigned second = kCodeVector + vsrc1, own = kCodeVector + vdst;
  const bool multiplies_literal = name.find("v_fmamk") == 0, adds_literal = name.find("v_fmaak") == 0;
  vop.src[0] = src0;
  vop.src[1] = multiplies_literal ? kCodeLiteral : second;
  vop.src[2] = multiplies_literal ? second : adds_literal ? kCodeLiteral : own;
  return true;
}

void Pairs::run_case() {
  const unsigned op_x = random() % 14, op_y = random() % 19, src0_x = pick_source(), src0_y = pick_source();
  const unsigned vsrc1_x = random() % kRegisters, vsrc1_y = random() % kRegisters, vdst_x = random() % kRegisters;
  const unsigned vdst_y = (random() % kRegisters & ~1U) | (~vdst_x & 1U); // one even, one odd
  const uint32_t literal = random();
  uint32_t words[5] = {0xc8000000U | op_x << 22 | op_y << 17 | vsrc1_x << 9 | src0_x,
                       vdst_x << 24 | vdst_y >> 1 << 17 | vsrc1_y << 9 | src0_y, literal, 0, 0};
  Instruction in;
  if (!decoder_->decode(std::as_bytes(std::span<const uint32_t>(words)), 0x1000, in)) return;
  const size_t middle = in.text.find(" :: ");
  ASSERT_NE(middle, std::string::npos) << in.text;
  std::string_view second = std::string_view(in.text).substr(middle + 4);
  second = second.substr(0, second.find(' '));
  Vop x, y;
  Opcode opcode_x, opcode_y;
  ASSERT_TRUE(half(in.mnemonic, vdst_x, src0_x, vsrc1_x, literal, x, opcode_x)) << in.text;
  ASSERT_TRUE(half(second, vdst_y, src0_y, vsrc1_y, literal, y, opcode_y)) << in.text;
  const auto bfloat_or_pair = [](const Opcode& opcode, unsigned code) { // inline numbers of pairs, see dual.cpp
    return opcode.mnemonic.find("dot2") != std::string::npos && code < kCodeVector && code > 192;
  };
  if (bfloat_or_pair(opcode_x, src0_x) || bfloat_or_pair(opcode_y, src0_y)) return;
  std::deque<VopExtra> extras;
  std::vector<Op> ops;
  ConstantRows constants;
  bind_instruction(BindContext{target_, 32, extras, constants}, in, ops);
  ASSERT_NE(ops.back().run, run_unsupported) << in.text;

  Wave wave;
  wave.generation = machine_.generation;
  for (size_t i = 0; i < size_t{kRegisters} * 32; ++i) wave.v[i] = random() & (i % 3 ? ~0U : 0x43ffffffU);
  for (unsigned slot = 0; slot < 128; ++slot) wave.s[slot] = random();
  wave.s[kExec] = random() % 4 ? 0xffffffffU : random();
  wave.set_mode(random() % 2 ? 0x3f0 : 0x3c0);
  State before;
  std::memcpy(before.s.data(), wave.s, sizeof wave.s);
  before.v.assign(wave.v, wave.v + kRegisters * 32);
  State after_x = before, after_y = before;
  Reference(machine_, wave.mode, after_x).execute(x, opcode_x);
  Reference(machine_, wave.mode, after_y).execute(y, opcode_y);
  State expected = before;
  std::memcpy(&expected.v[vdst_x * 32], &after_x.v[vdst_x * 32], 128);
  std::memcpy(&expected.v[vdst_y * 32], &after_y.v[vdst_y * 32], 128);

  for (const Op& op : ops) ASSERT_TRUE(run_alone(wave, op)) << in.text;
  ++executed_;
  crossed_ += ops.size() == 3 ? 1 : 0;
  EXPECT_EQ(std::memcmp(wave.s, expected.s.data(), kSink * 4), 0) << in.text;
  EXPECT_EQ(std::memcmp(wave.v, expected.v.data(), expected.v.size() * 4), 0) << in.text;
}

class DualReference : public ::testing::TestWithParam<Machine> {};

TEST_P(DualReference, agrees_with_the_virtual_gpu) {
  Pairs pairs(GetParam());
  for (unsigned i = 0; i < 60000 && !HasFailure(); ++i) pairs.run_case();
  EXPECT_GT(pairs.executed(), 10000U);
  EXPECT_GT(pairs.crossed(), 100U); // each half reads what the other writes
}

std::string dual_name(const ::testing::TestParamInfo<Machine>& machine) { return machine_name(machine.param); }
INSTANTIATE_TEST_SUITE_P(Machines, DualReference, ::testing::Values(Machine{"gfx1100", 11, 32}, Machine{"gfx1150", 11, 32}, Machine{"gfx1200", 12, 32}),
                         dual_name);

} // namespace
} // namespace ptxshim::vgpu::check
