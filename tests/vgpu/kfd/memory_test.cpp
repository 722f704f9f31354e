// SPDX-License-Identifier: MIT
// The device's memory map, backing store and events.
#include <chrono>
#include <cstring>
#include <gtest/gtest.h>
#include <thread>

#include "backing.h"
#include "events.h"
#include "memory_map.h"

namespace ptxshim::vgpu {
namespace {

using namespace std::chrono_literals;

std::byte* fake(uint64_t n) { return reinterpret_cast<std::byte*>(n); }

TEST(RangeMap, finds_the_range_that_holds_an_address) {
  RangeMap map;
  ASSERT_TRUE(map.insert({0x10000, 0x2000, fake(0x500000), true}));
  EXPECT_EQ(map.find(0x10000).host, fake(0x500000));
  EXPECT_EQ(map.find(0x11fff).gpu, 0x10000u);
  EXPECT_EQ(map.find(0x12000).host, nullptr);
  EXPECT_EQ(map.find(0xffff).host, nullptr);
}

TEST(RangeMap, a_hole_says_how_far_it_reaches) {
  RangeMap map;
  map.insert({0x10000, 0x1000, fake(0x1000), true});
  map.insert({0x20000, 0x1000, fake(0x1000), true});
  const MemoryRange hole = map.find(0x15000);
  EXPECT_EQ(hole.gpu, 0x11000u);
  EXPECT_EQ(hole.size, 0xf000u);
  EXPECT_EQ(map.find(0x21000).gpu, 0x21000u);
}

TEST(RangeMap, refuses_overlap_wrap_and_nothing) {
  RangeMap map;
  ASSERT_TRUE(map.insert({0x10000, 0x2000, fake(0x1000), true}));
  EXPECT_FALSE(map.insert({0x11000, 0x1000, fake(0x1000), true}));
  EXPECT_FALSE(map.insert({0xf000, 0x1001, fake(0x1000), true}));
  EXPECT_FALSE(map.insert({0xf000, 0x10000, fake(0x1000), true}));
  EXPECT_FALSE(map.insert({UINT64_MAX - 10, 100, fake(0x1000), true}));
  EXPECT_FALSE(map.insert({0x40000, 0, fake(0x1000), true}));
  EXPECT_TRUE(map.insert({0xf000, 0x1000, fake(0x1000), true}));
}

TEST(RangeMap, removal_cuts_ranges_and_makes_caches_stale) {
  RangeMap map;
  map.insert({0x10000, 0x4000, fake(0x100000), true});
  const uint64_t before = map.generation();
  map.remove(0x11000, 0x1000);
  EXPECT_NE(map.generation(), before);
  EXPECT_EQ(map.find(0x10fff).size, 0x1000u);
  EXPECT_EQ(map.find(0x11800).host, nullptr);
  EXPECT_EQ(map.find(0x12000).host, fake(0x102000));
  EXPECT_EQ(map.find(0x13fff).size, 0x2000u);
}

TEST(RangeMap, insertion_leaves_caches_valid) {
  RangeMap map;
  const uint64_t before = map.generation();
  map.insert({0x10000, 0x4000, fake(0x100000), true});
  EXPECT_EQ(map.generation(), before);
}

TEST(RangeMap, host_checks_the_end_and_the_right_to_write) {
  RangeMap map;
  map.insert({0x10000, 0x100, fake(0x100000), false});
  EXPECT_EQ(map.host(0x10010, 0xf0, false), fake(0x100010));
  EXPECT_EQ(map.host(0x10010, 0xf1, false), nullptr);
  EXPECT_EQ(map.host(0x10010, 0x10, true), nullptr);
  EXPECT_EQ(map.host(0x10010, UINT64_MAX, false), nullptr);
}

TEST(OffsetAllocator, gives_back_in_any_order_and_coalesces) {
  OffsetAllocator allocator;
  allocator.reset(0x1000, 0x5000);
  const uint64_t a = *allocator.allocate(0x1000), b = *allocator.allocate(0x1000),
                 c = *allocator.allocate(0x2000);
  EXPECT_FALSE(allocator.allocate(0x1000));
  allocator.free(b, 0x1000);
  allocator.free(a, 0x1000);
  allocator.free(c, 0x2000);
  EXPECT_EQ(allocator.available(), 0x4000u);
  EXPECT_TRUE(allocator.allocate(0x4000));
}

constexpr uint64_t kTwoDevices[] = {1 << 21, 1 << 21};

TEST(Backing, freed_memory_comes_back_as_zeros) {
  Backing backing;
  ASSERT_EQ(backing.open(kTwoDevices, 1 << 21), 0);
  const uint64_t offset = *backing.allocate(Backing::vram_of(1), 100);
  std::memset(backing.host(offset), 0xab, 4096);
  backing.free(Backing::vram_of(1), offset, 100);
  EXPECT_EQ(*backing.allocate(Backing::vram_of(1), 4096), offset);
  for (size_t i = 0; i < 4096; ++i)
    ASSERT_EQ(backing.host(offset)[i], std::byte{0});
}

TEST(Backing, refuses_what_is_not_there) {
  Backing backing;
  ASSERT_EQ(backing.open(kTwoDevices, 1 << 21), 0);
  EXPECT_FALSE(backing.allocate(Backing::vram_of(1), (1 << 21) + 1));
  EXPECT_FALSE(backing.allocate(Backing::vram_of(1), 0));
  EXPECT_FALSE(backing.allocate(Backing::kSystem, UINT64_MAX));
}

TEST(Events, auto_reset_wakes_once) {
  Events events;
  const uint32_t id = events.create(Events::kSignalType, true)->id;
  events.set(id);
  Events::Wanted wanted[] = {{id, 0, {}}};
  EXPECT_EQ(events.wait(wanted, true, 1000), WaitResult::Complete);
  EXPECT_EQ(events.wait(wanted, true, 1), WaitResult::Timeout);
}

TEST(Events, manual_reset_stays_set) {
  Events events;
  const uint32_t id = events.create(Events::kSignalType, false)->id;
  events.set(id);
  Events::Wanted wanted[] = {{id, 0, {}}};
  EXPECT_EQ(events.wait(wanted, true, 0), WaitResult::Complete);
  EXPECT_EQ(events.wait(wanted, true, 0), WaitResult::Complete);
  events.reset(id);
  EXPECT_EQ(events.wait(wanted, true, 0), WaitResult::Timeout);
}

TEST(Events, any_and_all) {
  Events events;
  const uint32_t a = events.create(0, false)->id, b = events.create(0, false)->id;
  events.set(a);
  Events::Wanted wanted[] = {{a, 0, {}}, {b, 0, {}}};
  EXPECT_EQ(events.wait(wanted, false, 0), WaitResult::Complete);
  EXPECT_EQ(events.wait(wanted, true, 1), WaitResult::Timeout);
  std::thread later([&] {
    std::this_thread::sleep_for(20ms);
    events.set(b);
  });
  EXPECT_EQ(events.wait(wanted, true, Events::kForever), WaitResult::Complete);
  later.join();
}

TEST(Events, an_age_that_is_old_returns_at_once) {
  Events events;
  const uint32_t id = events.create(0, true)->id;
  events.set(id);
  Events::Wanted first[] = {{id, 1, {}}};
  EXPECT_EQ(events.wait(first, true, 0), WaitResult::Complete);
  EXPECT_EQ(first[0].age, 2u);
  Events::Wanted stale[] = {{id, 1, {}}};
  EXPECT_EQ(events.wait(stale, true, 0), WaitResult::Complete);
  Events::Wanted current[] = {{id, 2, {}}};
  EXPECT_EQ(events.wait(current, true, 1), WaitResult::Timeout);
}

TEST(Events, unknown_ids_fail_and_destruction_wakes) {
  Events events;
  Events::Wanted unknown[] = {{77, 0, {}}};
  EXPECT_EQ(events.wait(unknown, true, 0), WaitResult::Fail);
  EXPECT_FALSE(events.set(77));
  const uint32_t id = events.create(0, true)->id;
  std::thread later([&] {
    std::this_thread::sleep_for(20ms);
    events.destroy(id);
  });
  Events::Wanted wanted[] = {{id, 0, {}}};
  EXPECT_EQ(events.wait(wanted, true, Events::kForever), WaitResult::Complete);
  later.join();
}

TEST(Events, no_more_than_the_page_has_slots) {
  Events events;
  for (uint32_t i = 0; i < Events::kLimit; ++i) {
    const auto event = events.create(0, true);
    ASSERT_TRUE(event);
    ASSERT_LT(event->slot, Events::kLimit);
  }
  EXPECT_FALSE(events.create(0, true));
  events.destroy(5);
  EXPECT_TRUE(events.create(0, true));
}

TEST(Events, page_faults_reach_memory_events_alone) {
  Events events;
  const uint32_t memory = events.create(Events::kMemoryType, true)->id, signal = events.create(0, true)->id;
  events.raise_page_fault({1, 0xdead000, true, false});
  Events::Wanted wanted[] = {{memory, 0, {}}, {signal, 0, {}}};
  ASSERT_EQ(events.wait(wanted, false, 0), WaitResult::Complete);
  ASSERT_TRUE(wanted[0].fault);
  EXPECT_EQ(wanted[0].fault->address, 0xdead000u);
  EXPECT_EQ(wanted[0].fault->device, 1u);
  EXPECT_FALSE(wanted[1].fault);
}

} // namespace
} // namespace ptxshim::vgpu
