// SPDX-License-Identifier: MIT
// Loads and stores of scratch by the handlers of every host ISA that this machine has, against bytes taken one by one: byte o of
// a lane is byte o % 4 of dword [o / 4][lane], for scratch instructions and for buffer ones with the descriptor that a kernel gets.
#include <algorithm>
#include <cstring>
#include <new>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "control.h"
#include "dispatch_state.h"
#include "loader.h"
#include "memory_bind.h"
#include "memory_kernels.h"

namespace {

using namespace ptxshim::vgpu;

constexpr uint32_t kScratchBytes = 64;
constexpr uint16_t kAddress = 0, kData = 2, kScalar = 8, kDescriptor = 12;
enum class Address : uint8_t { None, Same, Own };

class ScratchRowsTest : public ::testing::TestWithParam<HostIsa> {
protected:
  void SetUp() override {
    if (GetParam() > best_host_isa()) GTEST_SKIP() << "this machine has not got the instructions";
    choose_host_isa(GetParam());
  }
  void TearDown() override { choose_host_isa(best_host_isa()); }

  void begin(unsigned lanes, uint64_t exec) {
    registers_ = std::span<uint32_t>(wave_.v, size_t{8} * lanes);
    scratch_.resize(kScratchBytes / 4 * lanes);
    for (uint32_t& word : registers_) word = static_cast<uint32_t>(random_());
    for (uint32_t& word : scratch_) word = static_cast<uint32_t>(random_());
    dispatch_.properties = &properties_;
    group_.dispatch = &dispatch_;
    new (&wave_) Wave; // (all but the vector registers)
    wave_.lanes = lanes;
    wave_.group = &group_;
    wave_.memory = &view_;
    wave_.scratch = scratch_.data();
    wave_.scratch_bytes = kScratchBytes;
    wave_.write64(kExec, exec);
  }
  static void set(Source& source, SourceKind kind, uint16_t index) { source.kind = kind, source.index = index; }
  Op make(MemoryKind kind, unsigned bytes, bool by_buffer, Address address, uint32_t offset) {
    const uint32_t part = offset / 2; // the rest of it is in a scalar or in the vector address
    traits_ = {kind, static_cast<uint8_t>(bytes), false, Half::None, AtomicOp::Add};
    Op op;
    op.table = &traits_;
    op.dst = kData;
    set(op.src[2], SourceKind::Vector, kData);
    set(op.src[1], SourceKind::Scalar, kScalar);
    op.offset = part;
    op.immediate = pack_memory(by_buffer ? Segment::Buffer : Segment::Scratch, address == Address::None ? 0 : kOffset);
    wave_.s[kScalar] = address == Address::None ? (by_buffer ? (offset - part) * wave_.lanes : offset - part) : 0;
    if (address != Address::None) set(op.src[0], SourceKind::Vector, kAddress);
    for (unsigned lane = 0; lane < wave_.lanes; ++lane) {
      where_[lane] = offset + (address == Address::Own && offset + bytes + 4 <= kScratchBytes ? lane % 2 * 4 : 0);
      wave_.reg(kAddress)[lane] = where_[lane] - part;
    }
    if (by_buffer) {
      set(op.src[3], SourceKind::Scalar, kDescriptor);
      wave_.write64(kDescriptor, kScratchBufferBase | uint64_t{1} << 63);
      wave_.write64(kDescriptor + 2, 0xffffffffU | uint64_t{2U << 21 | 1U << 23} << 32);
    }
    const RowHandlers& handlers = row_handlers(wave_.lanes == 64, kind == MemoryKind::Store);
    op.run = (by_buffer ? handlers.buffer : handlers.scratch)[static_cast<unsigned>(shape_of(bytes, false))];
    return op;
  }
  void check(MemoryKind kind, unsigned bytes, uint64_t exec, const Op& op) {
    std::vector<uint32_t> registers(registers_.begin(), registers_.end()), scratch = scratch_;
    for (unsigned lane = 0; lane < wave_.lanes; ++lane)
      for (unsigned i = 0; i < bytes && (exec >> lane & 1U); ++i) {
        const uint32_t at = where_[lane] + i;
        std::byte* const cell = reinterpret_cast<std::byte*>(&scratch[at / 4 * wave_.lanes + lane]) + at % 4;
        std::byte* const value = reinterpret_cast<std::byte*>(&registers[(kData + i / 4) * wave_.lanes + lane]) + i % 4;
        if (kind == MemoryKind::Load) *value = *cell;
        if (kind == MemoryKind::Store) *cell = *value;
      }
    EXPECT_TRUE(run_alone(wave_, op)) << dispatch_.outcome.report;
    EXPECT_TRUE(std::equal(registers.begin(), registers.end(), registers_.begin()));
    EXPECT_EQ(scratch_, scratch);
  }

  std::mt19937_64 random_{11};
  std::vector<uint32_t> scratch_;
  DeviceProperties properties_;
  Dispatch dispatch_;
  WorkGroup group_;
  DirectMemory memory_;
  MemoryView view_{memory_};
  Wave wave_;
  std::span<uint32_t> registers_;
  MemoryTraits traits_;
  uint32_t where_[64] = {};
};

TEST_P(ScratchRowsTest, agree_with_bytes_taken_one_by_one) {
  for (const unsigned lanes : {32U, 64U})
    for (const uint64_t exec : {~0ULL, 0xfffffULL, 0x8000000080000001ULL, 0x5555555555555555ULL, 0ULL})
      for (const MemoryKind kind : {MemoryKind::Load, MemoryKind::Store})
        for (const unsigned bytes : {4U, 8U, 12U, 16U})
          for (const uint32_t offset : {0U, 8U, 10U, 36U, kScratchBytes - bytes})
            for (const Address address : {Address::None, Address::Same, Address::Own})
              for (const bool by_buffer : {false, true}) {
                SCOPED_TRACE(testing::Message() << lanes << " lanes, exec " << std::hex << exec << std::dec << ", kind "
                                                << static_cast<int>(kind) << ", bytes " << bytes << ", offset " << offset << ", address "
                                                << static_cast<int>(address) << ", by buffer " << by_buffer);
                begin(lanes, exec);
                const Op op = make(kind, bytes, by_buffer, address, offset);
                check(kind, bytes, exec, op);
              }
}

INSTANTIATE_TEST_SUITE_P(Hosts, ScratchRowsTest, ::testing::Values(HostIsa::V2, HostIsa::V3, HostIsa::V4));

} // namespace
