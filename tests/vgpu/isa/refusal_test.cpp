// SPDX-License-Identifier: MIT
// Nothing is skipped in silence: whatever word is an instruction of the machine and is not executed stops the kernel with a
// report that names the instruction, and whatever is no instruction stops it too. Each is run, as a kernel of its own.
#include <cstring>
#include <map>

#include <gtest/gtest.h>

#include "code_cache.h"
#include "control.h"
#include "loader.h"
#include "rows.h"
#include "vop_words.h"

namespace ptxshim::vgpu::check {
namespace {

class Refusal : public ::testing::TestWithParam<Machine> {
protected:
  // A kernel of the words alone; it does not end.
  DispatchOutcome launch(const uint32_t (&words)[5]) {
    const uint64_t code = device_.memory().allocate(8192);
    std::byte* const bytes = device_.memory().host(code);
    const uint64_t entry = 4096;
    const uint32_t resources = 0x00af0081U;                         // COMPUTE_PGM_RSRC1
    const uint16_t properties = GetParam().lanes == 32 ? 1U << 10 : 0; // wave32
    std::memcpy(bytes + 16, &entry, 8);
    std::memcpy(bytes + 48, &resources, 4);
    std::memcpy(bytes + 56, &properties, 2);
    std::memcpy(bytes + entry, words, sizeof words);
    LoadedKernel kernel;
    kernel.name = "words";
    kernel.descriptor = code;
    Launch shape;
    shape.threads[0] = GetParam().lanes;
    const DispatchOutcome outcome = device_.launch(kernel, shape);
    device_.memory().release(code);
    return outcome;
  }

  DirectDevice device_{GetParam().gfx, 1};
};

TEST_P(Refusal, names_the_instruction_that_is_not_executed) {
  const std::unique_ptr<Decoder> decoder = Decoder::create(GetParam().gfx, GetParam().lanes);
  const Target target = Target::from(GetParam().gfx);
  std::deque<VopExtra> extras;
  ConstantRows constants;
  const BindContext context{target, GetParam().lanes, extras, constants};
  std::map<std::string, unsigned> refused; // by LLVM's name, which tells the forms apart
  unsigned unknown = 0;
  uint64_t state = 88172645463325252ULL;
  const auto random = [&state] {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return static_cast<uint32_t>(state >> 16);
  };
  for (unsigned i = 0; i < 150000; ++i) {
    uint32_t words[5];
    for (uint32_t& word : words) word = random();
    if (i % 2) words[0] |= 0xc0000000U; // where the long encodings are
    Instruction in;
    if (!decoder->decode(std::as_bytes(std::span<const uint32_t>(words)), 0x1000, in)) {
      if (unknown++ % 2000) continue;
      const DispatchOutcome outcome = launch(words);
      EXPECT_EQ(outcome.fault, Fault::IllegalInstruction) << std::hex << words[0] << " " << words[1];
      continue;
    }
    std::vector<Op> ops;
    bind_instruction(context, in, ops);
    const Row* const row = find_row(in.mnemonic);
    if (ops.empty()) { // vanishes: only what a row says
      EXPECT_TRUE(row && row->run == run_nothing) << in.text;
      continue;
    }
    const bool without_row = (!row || !row->bind) && in.mnemonic.substr(0, 7) != "v_dual_";
    EXPECT_TRUE(!without_row || ops.back().run == run_unsupported) << in.text;
    if (ops.back().run != run_unsupported || refused[std::string(in.name)]++) continue;
    const DispatchOutcome outcome = launch(words);
    EXPECT_EQ(outcome.fault, Fault::IllegalInstruction) << in.text;
    EXPECT_NE(outcome.report.find(in.mnemonic), std::string::npos) << in.text << "\n" << outcome.report;
  }
  EXPECT_GT(refused.size(), 20U);
  EXPECT_GT(unknown, 5000U);
}

std::string refusal_name(const ::testing::TestParamInfo<Machine>& machine) { return machine_name(machine.param); }
INSTANTIATE_TEST_SUITE_P(Machines, Refusal, ::testing::ValuesIn(kMachines), refusal_name);

} // namespace
} // namespace ptxshim::vgpu::check
