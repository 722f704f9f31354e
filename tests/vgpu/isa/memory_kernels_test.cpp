// SPDX-License-Identifier: MIT
// The copies of whole waves, of every host ISA that this machine has, against loops that take lane after lane.
#include <cstring>
#include <random>
#include <sys/mman.h>
#include <vector>

#include <gtest/gtest.h>

#include "memory_kernels.h"

namespace {

using namespace ptxshim::vgpu;

struct Width {
  unsigned bytes;
  bool sign;
};
constexpr Width kWidths[] = {{1, false}, {1, true}, {2, false}, {2, true}, {4, false}, {8, false}, {12, false}, {16, false}};
constexpr uint64_t kExecs[] = {~0ULL, 0xffffffffULL, 0xfffffULL, 1, 0x8000000080000000ULL, 0x5555555555555555ULL, 0xf0ULL, 0x123456789abcdef0ULL};

bool is_here(HostIsa isa) {
  switch (isa) {
  case HostIsa::V2: return __builtin_cpu_supports("x86-64-v2");
  case HostIsa::V3: return __builtin_cpu_supports("x86-64-v3");
  case HostIsa::V4: return __builtin_cpu_supports("x86-64-v4");
  }
  return false;
}

class MemoryKernelsTest : public ::testing::TestWithParam<HostIsa> {
protected:
  static constexpr size_t kBytes = 8192;
  void SetUp() override {
    if (!is_here(GetParam())) GTEST_SKIP() << "this machine has not got the instructions";
  }
  // Byte offsets of lanes from `begin`: one after the other, one place, apart (up and down), anywhere.
  void place(unsigned pattern, unsigned bytes) {
    for (unsigned lane = 0; lane < 64; ++lane) {
      where_[lane] = 4000;
      if (pattern == 0) where_[lane] = 1024 + lane * bytes;
      if (pattern == 2) where_[lane] = 7000 - lane * (bytes + 61);
      if (pattern == 3) where_[lane] = static_cast<uint32_t>(random_() % (kBytes - 16));
    }
  }
  static unsigned first_of(uint64_t exec) { return static_cast<unsigned>(__builtin_ctzll(exec)); }
  LaneSpan measure(const MemoryKernels& kernels, uint64_t exec, unsigned bytes) const {
    LaneSpan span;
    kernels.span[static_cast<unsigned>(AddressForm::Wrapping32)]({where_, nullptr, exec, bytes, false}, span);
    return span;
  }
  template <class Check> void each_case(Check check) {
    for (unsigned wide = 0; wide < 2; ++wide)
      for (const Width width : kWidths)
        for (unsigned pattern = 0; pattern < 4; ++pattern)
          for (uint64_t exec : kExecs) {
            if (!wide) exec &= 0xffffffffU;
            if (!exec) continue;
            place(pattern, width.bytes);
            SCOPED_TRACE(testing::Message() << "lanes " << (wide ? 64 : 32) << ", bytes " << width.bytes << ", pattern " << pattern << ", exec " << std::hex << exec);
            check(memory_kernels(GetParam())[wide], wide ? 64U : 32U, width, exec);
          }
  }
  std::vector<uint32_t> random_words(size_t count) {
    std::vector<uint32_t> words(count);
    for (uint32_t& word : words) word = static_cast<uint32_t>(random_());
    return words;
  }

  std::mt19937_64 random_{7};
  uint32_t where_[64] = {};
};

TEST_P(MemoryKernelsTest, loads_fill_the_registers_of_active_lanes_alone) {
  each_case([&](const MemoryKernels& kernels, unsigned lanes, Width width, uint64_t exec) {
    std::vector<uint32_t> memory = random_words(kBytes / 4), registers = random_words(lanes * 5), expected = registers;
    const std::byte* const bytes = reinterpret_cast<const std::byte*>(memory.data());
    for (unsigned lane = 0; lane < lanes; ++lane) {
      if (!(exec >> lane & 1U)) continue;
      uint32_t words[4] = {};
      std::memcpy(words, bytes + where_[lane], width.bytes);
      if (width.sign) words[0] = width.bytes == 1 ? static_cast<uint32_t>(static_cast<int8_t>(words[0])) : static_cast<uint32_t>(static_cast<int16_t>(words[0]));
      for (unsigned i = 0; i < (width.bytes + 3) / 4; ++i) expected[i * lanes + lane] = words[i];
    }
    const LaneSpan span = measure(kernels, exec, width.bytes);
    const LaneCopy copy{reinterpret_cast<std::byte*>(memory.data()) + where_[first_of(exec)], &span, registers.data(), exec};
    kernels.load[static_cast<unsigned>(shape_of(width.bytes, width.sign))](copy);
    EXPECT_EQ(registers, expected);
  });
}

TEST_P(MemoryKernelsTest, a_half_of_a_register_leaves_the_other_half) {
  each_case([&](const MemoryKernels& kernels, unsigned lanes, Width width, uint64_t exec) {
    if (width.bytes > 2) return;
    std::vector<uint32_t> memory = random_words(kBytes / 4), registers = random_words(lanes), expected = registers;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      if (!(exec >> lane & 1U)) continue;
      uint32_t word = 0;
      std::memcpy(&word, reinterpret_cast<std::byte*>(memory.data()) + where_[lane], width.bytes);
      if (width.sign && width.bytes == 1) word = static_cast<uint32_t>(static_cast<int8_t>(word));
      expected[lane] = (expected[lane] & 0xffffU) | word << 16;
    }
    const LaneSpan span = measure(kernels, exec, width.bytes);
    const LaneCopy copy{reinterpret_cast<std::byte*>(memory.data()) + where_[first_of(exec)], &span, registers.data(), exec, 16, 0xffff};
    kernels.load[static_cast<unsigned>(shape_of(width.bytes, width.sign))](copy);
    EXPECT_EQ(registers, expected);
  });
}

TEST_P(MemoryKernelsTest, stores_change_the_bytes_of_active_lanes_alone_the_highest_lane_last) {
  each_case([&](const MemoryKernels& kernels, unsigned lanes, Width width, uint64_t exec) {
    std::vector<uint32_t> memory = random_words(kBytes / 4), registers = random_words(lanes * 4), expected = memory;
    for (const unsigned shift : {0U, 16U}) {
      if (shift && width.bytes > 2) continue;
      for (unsigned lane = 0; lane < lanes; ++lane) {
        if (!(exec >> lane & 1U)) continue;
        uint32_t words[4];
        for (unsigned i = 0; i < 4; ++i) words[i] = registers[i * lanes + lane];
        words[0] >>= shift;
        std::memcpy(reinterpret_cast<std::byte*>(expected.data()) + where_[lane], words, width.bytes);
      }
      const LaneSpan span = measure(kernels, exec, width.bytes);
      const LaneCopy copy{reinterpret_cast<std::byte*>(memory.data()) + where_[first_of(exec)], &span, registers.data(), exec, shift};
      kernels.store[static_cast<unsigned>(shape_of(width.bytes, false))](copy);
      EXPECT_EQ(memory, expected);
    }
  });
}

// Lanes 5 to 20 fill the end, and then the beginning, of a page between two that cannot be touched.
TEST_P(MemoryKernelsTest, lanes_that_are_off_touch_nothing) {
  constexpr size_t kPage = 4096;
  std::byte* const pages = static_cast<std::byte*>(mmap(nullptr, 3 * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(pages, MAP_FAILED);
  ASSERT_EQ(mprotect(pages + kPage, kPage, PROT_READ | PROT_WRITE), 0);
  constexpr uint64_t kExec = 0x1fffe0;
  for (unsigned wide = 0; wide < 2; ++wide)
    for (const Width width : kWidths)
      for (const bool at_end : {false, true}) {
        const MemoryKernels& kernels = memory_kernels(GetParam())[wide];
        const unsigned lanes = wide ? 64 : 32;
        std::byte* const begin = pages + kPage + (at_end ? kPage - 16 * width.bytes : 0);
        for (unsigned lane = 0; lane < 64; ++lane) where_[lane] = 4096 + lane * width.bytes;
        const LaneSpan span = measure(kernels, kExec, width.bytes);
        EXPECT_TRUE(span.contiguous);
        const std::vector<uint32_t> stored = random_words(lanes * 4);
        std::vector<uint32_t> registers = stored;
        LaneCopy copy{begin, &span, registers.data(), kExec};
        kernels.store[static_cast<unsigned>(shape_of(width.bytes, false))](copy);
        for (uint32_t& word : registers) word = 0;
        kernels.load[static_cast<unsigned>(shape_of(width.bytes, false))](copy);
        for (unsigned lane = 5; lane <= 20; ++lane)
          EXPECT_EQ(registers[lane], width.bytes < 4 ? stored[lane] & ((1U << (8 * width.bytes)) - 1) : stored[lane]);
      }
  munmap(pages, 3 * kPage);
}

TEST_P(MemoryKernelsTest, spans_know_their_ends) {
  each_case([&](const MemoryKernels& kernels, unsigned lanes, Width width, uint64_t exec) {
    int64_t lowest = 0, highest = 0;
    bool contiguous = true;
    const unsigned first = first_of(exec);
    for (unsigned lane = 0; lane < lanes; ++lane) {
      if (!(exec >> lane & 1U)) continue;
      const int64_t distance = int64_t{where_[lane]} - where_[first];
      lowest = std::min(lowest, distance);
      highest = std::max(highest, distance);
      contiguous = contiguous && distance == int64_t{lane - first} * width.bytes;
    }
    const LaneSpan span = measure(kernels, exec, width.bytes);
    EXPECT_TRUE(span.near);
    EXPECT_EQ(span.lowest, lowest);
    EXPECT_EQ(span.highest, highest);
    EXPECT_EQ(span.contiguous, contiguous);
  });
}

TEST_P(MemoryKernelsTest, distances_over_31_bits_are_told) {
  struct Case {
    uint64_t first, other;
    bool near;
  };
  const Case cases[] = {{0x1'0000'0000, 0x1'7fff'ffff, true},  {0x1'0000'0000, 0x1'8000'0000, false}, {0x1'0000'0000, 0x0'8000'0000, true},
                        {0x1'0000'0000, 0x0'7fff'ffff, false}, {0x5'ffff'fff0, 0x6'0000'0010, true},  {0x6'0000'0010, 0x5'ffff'fff0, true},
                        {0x1'0000'0000, 0x2'0000'0000, false}, {0, ~0ULL, true},                      {0x7'0000'0000, 0x9'0000'0010, false}};
  for (unsigned wide = 0; wide < 2; ++wide)
    for (const Case& c : cases) {
      uint32_t low[64], high[64];
      for (unsigned lane = 0; lane < 64; ++lane) low[lane] = static_cast<uint32_t>(c.first), high[lane] = static_cast<uint32_t>(c.first >> 32);
      low[29] = static_cast<uint32_t>(c.other), high[29] = static_cast<uint32_t>(c.other >> 32);
      const MemoryKernels& kernels = memory_kernels(GetParam())[wide];
      LaneSpan span;
      kernels.span[static_cast<unsigned>(AddressForm::Full64)]({low, high, wide ? ~0ULL : 0xffffffffU, 4, false}, span);
      EXPECT_EQ(span.near, c.near) << std::hex << c.first << " " << c.other;
      kernels.span[static_cast<unsigned>(AddressForm::Full64)]({low, high, 0xffff, 4, false}, span); // the other lane is off
      EXPECT_TRUE(span.near);
      if (c.first >> 32 != c.other >> 32) continue;
      kernels.span[static_cast<unsigned>(AddressForm::Extended32)]({low, nullptr, 0xffffffffU, 4, false}, span);
      EXPECT_EQ(span.near, c.near);
    }
}

INSTANTIATE_TEST_SUITE_P(Hosts, MemoryKernelsTest, ::testing::Values(HostIsa::V2, HostIsa::V3, HostIsa::V4));

} // namespace
