// SPDX-License-Identifier: MIT
// The loader on good and on damaged code objects.
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>

#include <gtest/gtest.h>

#include "loader.h"
#include "msgpack.h"

namespace {

using namespace ptxshim::vgpu;

std::vector<std::byte> code_object() {
  std::ifstream file(std::string(PTXSHIM_KERNELS_DIR) + "/kernels_gfx1030.co", std::ios::binary);
  const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::span<const std::byte> view = std::as_bytes(std::span<const char>(bytes));
  return {view.begin(), view.end()};
}

TEST(Loader, finds_kernels_and_their_arguments) {
  DirectMemory memory;
  const auto object = load_code_object(memory, code_object());
  ASSERT_TRUE(object.ok());
  EXPECT_EQ(object->target, "gfx1030");
  const LoadedKernel* const kernel = object->find_kernel("add_floats");
  ASSERT_NE(kernel, nullptr);
  ASSERT_GE(kernel->arguments.size(), 4U);
  EXPECT_EQ(kernel->arguments[3].offset, 24U);
  EXPECT_EQ(kernel->arguments[3].size, 4U);
  EXPECT_EQ(object->find_kernel("nothing"), nullptr);
}

TEST(Loader, survives_every_truncation) {
  const std::vector<std::byte> whole = code_object();
  for (size_t size = 0; size < whole.size(); size += 37) {
    DirectMemory memory;
    const auto object = load_code_object(memory, std::span<const std::byte>(whole).first(size));
    EXPECT_TRUE(size >= 64 || !object.ok());
  }
}

TEST(Loader, survives_flipped_bytes) {
  const std::vector<std::byte> whole = code_object();
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::byte> damaged = whole;
    for (int i = 0; i < 4; ++i) damaged[random() % (round % 2 ? 4096 : damaged.size())] = static_cast<std::byte>(random());
    DirectMemory memory;
    (void)load_code_object(memory, damaged);
  }
}

TEST(Loader, refuses_what_is_no_code_object) {
  std::vector<std::byte> bytes = code_object();
  EXPECT_FALSE(code_object_target(std::span<const std::byte>(bytes).first(10)).ok());
  bytes[18] = std::byte{62}; // x86-64
  DirectMemory memory;
  EXPECT_FALSE(load_code_object(memory, bytes).ok());
}

TEST(Msgpack, reads_and_refuses) {
  auto read = [](std::initializer_list<unsigned> bytes) {
    std::vector<std::byte> data;
    for (unsigned byte : bytes) data.push_back(static_cast<std::byte>(byte));
    return read_msgpack(data);
  };
  const auto map = std::vector<std::byte>{std::byte{0x82}, std::byte{0xa1}, std::byte{'a'}, std::byte{0xcd}, std::byte{1},
                                          std::byte{2},    std::byte{0xa1}, std::byte{'b'}, std::byte{0x91}, std::byte{0xff}};
  const auto value = read_msgpack(map);
  ASSERT_TRUE(value.has_value());
  EXPECT_EQ(value->integer_at("a"), 0x102U);
  ASSERT_NE(value->find("b"), nullptr);
  EXPECT_EQ(value->find("b")->items.at(0).integer, ~0ULL);
  EXPECT_FALSE(read({0x92, 1}).has_value());                         // an element is missing
  EXPECT_FALSE(read({0xdd, 0xff, 0xff, 0xff, 0xff}).has_value());    // four thousand million elements
  EXPECT_FALSE(read({0xd9, 5, 'a'}).has_value());                    // a text beyond the end
  std::vector<std::byte> deep(100, std::byte{0x91});
  EXPECT_FALSE(read_msgpack(deep).has_value());
}

TEST(DirectMemory, knows_what_is_mapped) {
  DirectMemory memory;
  const uint64_t address = memory.allocate(100);
  EXPECT_EQ(memory.find(address + 99).size, 100U);
  EXPECT_EQ(memory.find(address + 100).host, nullptr);
  const uint64_t before = memory.generation();
  memory.release(address);
  EXPECT_NE(memory.generation(), before);
  EXPECT_EQ(memory.find(address).host, nullptr);
}

} // namespace
