// SPDX-License-Identifier: MIT
// Loads and stores of LDS and global memory by the handlers of every host ISA that this machine has, against bytes taken one by
// one: lanes one after the other, apart, at one address; addresses that wrap; registers loaded over the address. Lanes that are
// off have any address, and the bytes around those of the others stay.
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

constexpr uint32_t kBytes = 16384, kSecond = 1024; // LDS; how far the second place of a two-address operation is
constexpr uint16_t kAddress = 4, kData = 8;
enum class Form : uint8_t { Lds, Lds2, Global };
enum class Layout : uint8_t { Row, ByteBehind, Apart, Down, Same };

struct Case {
  Form form;
  MemoryKind kind;
  unsigned bytes;
  bool sign;
  Half half;
  uint16_t dst;
};

class MemoryRowsTest : public ::testing::TestWithParam<HostIsa> {
protected:
  void SetUp() override {
    if (GetParam() > best_host_isa()) GTEST_SKIP() << "this machine has not got the instructions";
    choose_host_isa(GetParam());
    global_ = memory_.allocate(kBytes);
  }
  void TearDown() override { choose_host_isa(best_host_isa()); }

  void begin(unsigned lanes, uint64_t exec) {
    registers_ = std::span<uint32_t>(wave_.v, size_t{24} * lanes);
    lds_.resize(kBytes);
    for (uint32_t& word : registers_) word = static_cast<uint32_t>(random_());
    for (std::byte* memory : {lds_.data(), memory_.host(global_)})
      for (uint32_t i = 0; i < kBytes; i += 8) {
        const uint64_t word = random_();
        std::memcpy(memory + i, &word, 8);
      }
    dispatch_.properties = &properties_;
    group_.dispatch = &dispatch_;
    group_.lds = lds_.data();
    group_.lds_bytes = kBytes;
    new (&wave_) Wave; // (all but the vector registers)
    wave_.lanes = lanes;
    wave_.group = &group_;
    wave_.memory = &view_;
    wave_.write64(kExec, exec);
  }
  void place(const Case& c, Layout layout, uint32_t offset, uint64_t exec) {
    for (unsigned lane = 0; lane < wave_.lanes; ++lane) {
      where_[lane] = 16 + lane * c.bytes; // (there are smaller ones than the offset: their addresses wrap in LDS)
      if (layout == Layout::ByteBehind) where_[lane] += 1;
      if (layout == Layout::Apart) where_[lane] = 16 + lane * 48 + (lane == 3 ? 16 : 0);
      if (layout == Layout::Down) where_[lane] = 8192 - lane * (c.bytes + 32);
      if (layout == Layout::Same) where_[lane] = 48;
      uint64_t address = (c.form == Form::Global ? global_ : 0) + where_[lane] - offset;
      if (!(exec >> lane & 1U)) address = random_();
      wave_.reg(kAddress)[lane] = static_cast<uint32_t>(address);
      if (c.form == Form::Global) wave_.reg(kAddress + 1)[lane] = static_cast<uint32_t>(address >> 32);
    }
  }
  Op make(const Case& c, uint32_t offset) {
    traits_ = {c.kind, static_cast<uint8_t>(c.bytes), c.sign, c.half, AtomicOp::Add};
    Op op;
    op.table = &traits_;
    op.dst = c.dst;
    for (Source& source : op.src) source.kind = SourceKind::Vector;
    op.src[0].index = kAddress;
    op.src[c.form == Form::Global ? 2 : 1].index = kData;
    if (c.form == Form::Global) op.src[1].kind = SourceKind::None;
    if (c.form == Form::Lds2) op.src[2].index = static_cast<uint16_t>(kData + c.bytes / 4);
    op.offset = offset;
    op.immediate = c.form == Form::Lds2 ? offset + kSecond : c.form == Form::Global ? pack_memory(Segment::Global, 0) : 0;
    const RowHandlers& handlers = row_handlers(wave_.lanes == 64, c.kind == MemoryKind::Store);
    const unsigned shape = static_cast<unsigned>(shape_of(c.bytes, c.sign));
    op.run = (c.form == Form::Lds ? handlers.lds : c.form == Form::Lds2 ? handlers.lds2 : handlers.flat)[shape];
    return op;
  }
  // One access of one lane, from or to the registers that begin at `reg`.
  void expect(const Case& c, unsigned lane, std::byte* at, unsigned reg, std::vector<uint32_t>& registers) {
    uint32_t words[4] = {};
    uint32_t* const row = &registers[size_t{reg} * wave_.lanes + lane];
    if (c.kind == MemoryKind::Store) {
      for (unsigned i = 0; i < (c.bytes + 3) / 4; ++i) words[i] = row[i * wave_.lanes];
      if (c.half == Half::High) words[0] >>= 16;
      std::memcpy(at, words, c.bytes);
      return;
    }
    std::memcpy(words, at, c.bytes);
    if (c.sign && c.bytes == 1) words[0] = static_cast<uint32_t>(static_cast<int8_t>(words[0]));
    if (c.sign && c.bytes == 2) words[0] = static_cast<uint32_t>(static_cast<int16_t>(words[0]));
    if (c.half == Half::Low) words[0] = (row[0] & 0xffff0000U) | (words[0] & 0xffffU);
    if (c.half == Half::High) words[0] = (row[0] & 0xffffU) | words[0] << 16;
    for (unsigned i = 0; i < (c.bytes + 3) / 4; ++i) row[i * wave_.lanes] = words[i];
  }
  void check(const Case& c, Layout layout, uint32_t offset, uint64_t exec) {
    place(c, layout, offset, exec);
    const Op op = make(c, offset);
    if (!op.run) return;
    std::byte* const memory = c.form == Form::Global ? memory_.host(global_) : lds_.data();
    std::vector<uint32_t> registers(registers_.begin(), registers_.end());
    std::vector<std::byte> bytes(memory, memory + kBytes);
    const unsigned reg = c.kind == MemoryKind::Load ? c.dst : kData;
    for (unsigned lane = 0; lane < wave_.lanes; ++lane) {
      if (!(exec >> lane & 1U)) continue;
      expect(c, lane, bytes.data() + where_[lane], reg, registers);
      if (c.form == Form::Lds2) expect(c, lane, bytes.data() + where_[lane] + kSecond, reg + c.bytes / 4, registers);
    }
    EXPECT_TRUE(run_alone(wave_, op)) << dispatch_.outcome.report;
    EXPECT_TRUE(std::equal(registers.begin(), registers.end(), registers_.begin()));
    EXPECT_EQ(std::memcmp(memory, bytes.data(), kBytes), 0);
  }
  void each_exec(const Case& c) {
    for (const unsigned lanes : {32U, 64U})
      for (const uint64_t exec : {~0ULL, 0xfffffULL, 0xfffffffff8ULL, 0x8000000080000001ULL, 0x5555aaaa5b3d96e7ULL, 0x0100000000000000ULL})
        for (const Layout layout : {Layout::Row, Layout::ByteBehind, Layout::Apart, Layout::Down, Layout::Same})
          for (const uint32_t offset : {0U, 24U}) {
            if (layout == Layout::ByteBehind && c.form == Form::Lds2) continue; // (places must be aligned)
            SCOPED_TRACE(testing::Message() << lanes << " lanes, exec " << std::hex << exec << std::dec << ", form "
                                            << static_cast<int>(c.form) << ", kind " << static_cast<int>(c.kind) << ", bytes " << c.bytes
                                            << ", layout " << static_cast<int>(layout) << ", offset " << offset << ", v" << c.dst);
            begin(lanes, exec);
            check(c, layout, offset, exec);
          }
  }

  std::mt19937_64 random_{13};
  std::span<uint32_t> registers_;
  std::vector<std::byte> lds_;
  DeviceProperties properties_;
  Dispatch dispatch_;
  WorkGroup group_;
  DirectMemory memory_;
  MemoryView view_{memory_};
  uint64_t global_ = 0;
  Wave wave_;
  MemoryTraits traits_;
  uint32_t where_[64] = {};
};

TEST_P(MemoryRowsTest, words_agree_with_bytes_taken_one_by_one) {
  for (const Form form : {Form::Lds, Form::Lds2, Form::Global})
    for (const unsigned bytes : {4U, 8U, 12U, 16U}) {
      each_exec({form, MemoryKind::Store, bytes, false, Half::None, kData});
      // Beside the address, over it, and over it with the last register of the first or the second place.
      for (const unsigned words_before : {0U, 1U, bytes / 4 - 1, bytes / 2 - 1})
        for (const uint16_t dst : {kData, static_cast<uint16_t>(kAddress - (words_before & 3U))})
          each_exec({form, MemoryKind::Load, bytes, false, Half::None, dst});
    }
}

TEST_P(MemoryRowsTest, bytes_and_half_words_agree_with_bytes_taken_one_by_one) {
  for (const Form form : {Form::Lds, Form::Global})
    for (const unsigned bytes : {1U, 2U})
      for (const Half half : {Half::None, Half::Low, Half::High})
        for (const bool sign : {false, true})
          for (const uint16_t dst : {kData, kAddress}) {
            each_exec({form, MemoryKind::Store, bytes, false, half, kData});
            each_exec({form, MemoryKind::Load, bytes, sign, half, dst});
          }
}

INSTANTIATE_TEST_SUITE_P(Hosts, MemoryRowsTest, ::testing::Values(HostIsa::V2, HostIsa::V3, HostIsa::V4));

} // namespace
