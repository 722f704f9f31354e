// SPDX-License-Identifier: MIT
// ds_bpermute_b32 by the handlers of every host ISA that this machine has: a lane gets the data of the lane that its address, in
// bytes, and the offset name, modulo the number of lanes (32 on gfx10 and gfx11, in each half of the wave); zero if that is off.
#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "control.h"
#include "memory_kernels.h"
#include "wave.h"

namespace {

using namespace ptxshim::vgpu;

class LaneExchangeTest : public ::testing::TestWithParam<HostIsa> {
protected:
  void SetUp() override {
    if (GetParam() > best_host_isa()) GTEST_SKIP() << "this machine has not got the instructions";
    choose_host_isa(GetParam());
  }
  void TearDown() override { choose_host_isa(best_host_isa()); }
  void check(unsigned lanes, uint32_t generation, uint64_t exec, uint16_t dst) {
    std::vector<uint32_t> registers(size_t{4} * lanes);
    for (uint32_t& word : registers) word = static_cast<uint32_t>(random_());
    std::vector<uint32_t> expected = registers;
    Op op;
    op.run = permute_handler(lanes == 64);
    op.src[0].index = 0, op.src[1].index = 1;
    op.dst = dst;
    op.offset = 4 * static_cast<int64_t>(random_() % 70);
    const unsigned group = generation == 10 || generation == 11 ? 32 : lanes;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      const unsigned from = lane / group * group + (registers[lane] + static_cast<uint32_t>(op.offset)) / 4 % group;
      if (exec >> lane & 1U) expected[dst * lanes + lane] = exec >> from & 1U ? registers[lanes + from] : 0;
    }
    Wave wave;
    wave.lanes = lanes;
    wave.generation = generation;
    std::copy(registers.begin(), registers.end(), wave.v);
    wave.write64(kExec, exec);
    EXPECT_TRUE(run_alone(wave, op));
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), wave.v));
  }
  std::mt19937_64 random_{5};
};

TEST_P(LaneExchangeTest, ds_bpermute_b32) {
  for (const unsigned lanes : {32U, 64U})
    for (const uint32_t generation : {9U, 10U, 11U, 12U})
      for (const uint64_t exec : {~0ULL, 0xfffffULL, 0xf0f0f0f080000001ULL, 0x8000000000000000ULL, 0ULL})
        for (const uint16_t dst : {uint16_t{0}, uint16_t{1}, uint16_t{2}}) { // over the addresses, over the data, elsewhere
          SCOPED_TRACE(testing::Message() << lanes << " lanes, gfx" << generation << ", exec " << std::hex << exec << ", v" << dst);
          check(lanes, generation, exec, dst);
        }
}

INSTANTIATE_TEST_SUITE_P(Hosts, LaneExchangeTest, ::testing::Values(HostIsa::V2, HostIsa::V3, HostIsa::V4));

} // namespace
