// SPDX-License-Identifier: MIT
// What a host thread remembers of the memory map must be what the map says.
#include <vector>

#include <gtest/gtest.h>

#include "loader.h"
#include "wave.h"

namespace {

using namespace ptxshim::vgpu;

TEST(MemoryView, finds_more_ranges_than_it_remembers) {
  DirectMemory memory;
  std::vector<uint64_t> blocks;
  for (int i = 0; i < 100; ++i) blocks.push_back(memory.allocate(4096));
  MemoryView view(memory);
  view.refresh();
  for (int round = 0; round < 3; ++round)
    for (const uint64_t block : blocks) {
      EXPECT_EQ(view.translate(block + 8, 4088, true), memory.host(block + 8));
      EXPECT_EQ(view.translate(block + 8, 4089, true), nullptr) << "beyond the end";
      EXPECT_EQ(view.available(block + 4000), 96U);
      EXPECT_EQ(view.translate(block + 4096, 1, false), nullptr);
    }
}

TEST(MemoryView, forgets_what_is_released) {
  DirectMemory memory;
  const uint64_t kept = memory.allocate(4096), gone = memory.allocate(4096);
  MemoryView view(memory);
  view.refresh();
  EXPECT_NE(view.translate(gone, 4, false), nullptr);
  memory.release(gone);
  view.refresh();
  EXPECT_EQ(view.translate(gone, 4, false), nullptr);
  EXPECT_EQ(view.available(gone), 0U);
  EXPECT_NE(view.translate(kept, 4, false), nullptr);
}

TEST(MemoryView, does_not_write_what_is_read_only) {
  DirectMemory memory;
  const uint64_t block = memory.allocate(3 * 4096);
  memory.make_read_only(block + 4096, 4096);
  MemoryView view(memory);
  view.refresh();
  EXPECT_NE(view.translate(block + 4096, 4096, false), nullptr);
  EXPECT_EQ(view.translate(block + 4096, 4, true), nullptr);
  EXPECT_EQ(view.translate(block + 8191, 1, true), nullptr);
  EXPECT_NE(view.translate(block + 4092, 4, true), nullptr);
  EXPECT_NE(view.translate(block + 8192, 4096, true), nullptr);
  EXPECT_EQ(view.translate(block + 4092, 8, true), nullptr) << "half of it";
}

TEST(MemoryView, knows_where_a_host_address_is_seen) {
  DirectMemory memory;
  const uint64_t block = memory.allocate(4096);
  MemoryView view(memory);
  view.refresh();
  EXPECT_EQ(view.gpu_address(memory.host(block + 5)), 0U) << "not seen yet";
  view.translate(block, 4, false);
  EXPECT_EQ(view.gpu_address(memory.host(block + 5)), block + 5);
  EXPECT_EQ(view.gpu_address(memory.host(block + 4096)), 0U);
}

} // namespace
