// SPDX-License-Identifier: MIT
// Atomics of global memory by the handlers of every host ISA that this machine has, from two host threads at once: each old value
// is seen by one lane alone, and nothing is lost, whether the lanes lie one after the other, apart, or at one address.
#include <algorithm>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "control.h"
#include "dispatch_state.h"
#include "loader.h"
#include "memory_bind.h"
#include "memory_kernels.h"

namespace {

using namespace ptxshim::vgpu;

constexpr unsigned kThreads = 2, kRounds = 20000, kLanes = 32;
constexpr uint16_t kAddress = 0, kOperand = 2, kOld = 3;
constexpr MemoryTraits kAdd{MemoryKind::Atomic, 4, false, Half::None, AtomicOp::Add};

class AtomicRowsTest : public ::testing::TestWithParam<HostIsa> {
protected:
  void SetUp() override {
    if (GetParam() > best_host_isa()) GTEST_SKIP() << "this machine has not got the instructions";
    choose_host_isa(GetParam());
    begin_ = memory_.allocate(65536);
  }
  void TearDown() override { choose_host_isa(best_host_isa()); }

  // Adds one in every lane of EXEC, again and again, and keeps the old values that the last lane has seen.
  void add(uint32_t stride, uint64_t exec, std::vector<uint32_t>& seen) {
    MemoryView view(memory_);
    WorkGroup group;
    Dispatch dispatch;
    DeviceProperties properties;
    dispatch.properties = &properties;
    group.dispatch = &dispatch;
    Wave wave;
    wave.group = &group;
    wave.memory = &view;
    std::fill_n(wave.v, 8 * kLanes, 1U);
    wave.write64(kExec, exec);
    Op op;
    op.table = &kAdd;
    op.immediate = pack_memory(Segment::Global, 0);
    op.src[0].kind = op.src[2].kind = SourceKind::Vector;
    op.src[0].index = kAddress, op.src[2].index = kOperand;
    op.dst = kOld;
    op.returns = true;
    op.run = atomic_handlers(false, AtomicOp::Add).flat[0];
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      wave.reg(kAddress)[lane] = static_cast<uint32_t>(begin_ + 4 + lane * stride);
      wave.reg(kAddress + 1)[lane] = static_cast<uint32_t>(begin_ >> 32);
    }
    for (unsigned round = 0; round < kRounds; ++round) {
      if (!run_alone(wave, op)) return;
      seen.push_back(wave.reg(kOld)[31 - __builtin_clz(static_cast<uint32_t>(exec))]);
    }
  }
  void run(uint32_t stride, uint64_t exec) {
    std::fill_n(memory_.host(begin_), 65536, std::byte{0});
    std::vector<uint32_t> seen[kThreads];
    std::vector<std::thread> threads;
    for (std::vector<uint32_t>& own : seen) threads.emplace_back([&] { add(stride, exec, own); });
    for (std::thread& thread : threads) thread.join();
    const uint32_t at_one = stride ? 1 : static_cast<uint32_t>(__builtin_popcountll(exec & 0xffffffffU));
    const uint32_t* const words = reinterpret_cast<const uint32_t*>(memory_.host(begin_));
    for (uint64_t left = exec & 0xffffffffU; left; left &= left - 1) {
      const unsigned lane = static_cast<unsigned>(__builtin_ctzll(left));
      EXPECT_EQ(words[1 + lane * stride / 4], kThreads * kRounds * at_one) << "lane " << lane;
    }
    std::vector<uint32_t> all(seen[0]);
    all.insert(all.end(), seen[1].begin(), seen[1].end());
    std::sort(all.begin(), all.end());
    std::vector<uint32_t> expected(size_t{kThreads} * kRounds);
    for (uint32_t i = 0; i < expected.size(); ++i) expected[i] = i * at_one + at_one - 1; // the last lane comes after the others
    EXPECT_EQ(all, expected);
  }

  DirectMemory memory_;
  uint64_t begin_ = 0;
};

TEST_P(AtomicRowsTest, lose_nothing_between_host_threads) {
  for (const uint32_t stride : {4U, 12U, 0U})
    for (const uint64_t exec : {~0ULL, 0xffff9ULL, 0x80000000ULL}) {
      SCOPED_TRACE(testing::Message() << "stride " << stride << ", exec " << std::hex << exec);
      run(stride, exec);
    }
}

INSTANTIATE_TEST_SUITE_P(Hosts, AtomicRowsTest, ::testing::Values(HostIsa::V2, HostIsa::V3, HostIsa::V4));

} // namespace
