// SPDX-License-Identifier: MIT
// Runs the kernels of checks/*.s, which put what opcodes did beside what they must do (checks/common.inc). What must come
// out stands in those files; here it is only compared. A failure names kernel and number of the check, counted from 0.
#include <cstring>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "loader.h"

namespace {

using namespace ptxshim::vgpu;

struct File {
  const char* name; // of the source
  const char* target;
};

class Checks : public ::testing::TestWithParam<File> {};

void run_kernel(DirectDevice& device, const LoadedKernel& kernel) {
  constexpr uint32_t kMark = 0xc0de0000U, kMost = 4096;
  const uint64_t out = device.memory().allocate(8 * kMost), memory = device.memory().allocate(4096);
  Launch shape;
  shape.arguments.resize(16);
  std::memcpy(shape.arguments.data(), &out, 8);
  std::memcpy(shape.arguments.data() + 8, &memory, 8);
  const DispatchOutcome outcome = device.launch(kernel, shape);
  if (kernel.name.starts_with("trap_") || kernel.name.starts_with("illegal_")) { // checks/errors.s
    EXPECT_EQ(outcome.fault, kernel.name[0] == 't' ? Fault::Trap : Fault::IllegalInstruction) << kernel.name;
    return;
  }
  ASSERT_EQ(outcome.fault, Fault::None) << outcome.report;
  const uint32_t* const words = reinterpret_cast<const uint32_t*>(device.memory().host(out));
  uint32_t count = 0;
  for (; words[2 * count + 1] != kMark; ++count) {
    ASSERT_LT(count + 1, kMost) << kernel.name << " never says that it has ended";
    EXPECT_EQ(words[2 * count], words[2 * count + 1]) << kernel.name << ", check " << count << std::hex << ": 0x"
                                                      << words[2 * count] << ", not 0x" << words[2 * count + 1];
  }
  EXPECT_GT(count, 0U) << kernel.name;
  EXPECT_EQ(words[2 * count], kMark + count) << kernel.name << " made another number of checks than it has";
}

TEST_P(Checks, hold) {
  const std::string path = std::string(PTXSHIM_KERNELS_DIR) + "/" + GetParam().name + "_" + GetParam().target + ".co";
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> elf{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  DirectDevice device(GetParam().target, 1);
  auto loaded = device.load(std::as_bytes(std::span<const char>(elf)));
  ASSERT_TRUE(loaded.ok()) << path << ": " << loaded.error().message;
  const LoadedObject object = std::move(loaded).value();
  ASSERT_FALSE(object.kernels.empty());
  for (const LoadedKernel& kernel : object.kernels) run_kernel(device, kernel);
}

const File kFiles[] = {
#define CHECKS(name, target) {#name, #target},
#include "checks.inc"
};
INSTANTIATE_TEST_SUITE_P(Files, Checks, ::testing::ValuesIn(kFiles), [](const ::testing::TestParamInfo<File>& file) {
  return std::string(file.param.name) + "_" + file.param.target;
});

class GridBarrier : public ::testing::TestWithParam<const char*> {};

TEST_P(GridBarrier, holds_every_wave_until_all_have_come) {
  const std::string path = std::string(PTXSHIM_KERNELS_DIR) + "/grid_barrier_" + GetParam() + ".co";
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> elf{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  DirectDevice device(GetParam(), 2);
  auto loaded = device.load(std::as_bytes(std::span<const char>(elf)));
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  const LoadedObject object = std::move(loaded).value();
  constexpr uint32_t kGroups = 24;
  const uint64_t out = device.memory().allocate(4096), memory = device.memory().allocate(4096);
  uint32_t* const words = reinterpret_cast<uint32_t*>(device.memory().host(memory));
  words[0] = kGroups - 1;
  Launch shape;
  shape.arguments.resize(16);
  std::memcpy(shape.arguments.data(), &out, 8);
  std::memcpy(shape.arguments.data() + 8, &memory, 8);
  ASSERT_EQ(device.launch(*object.find_kernel("init"), shape).fault, Fault::None);
  shape.blocks[0] = kGroups;
  const DispatchOutcome outcome = device.launch(*object.find_kernel("meet"), shape);
  ASSERT_EQ(outcome.fault, Fault::None) << outcome.report;
  EXPECT_EQ(words[1], 2 * kGroups);
  EXPECT_EQ(*reinterpret_cast<const uint32_t*>(device.memory().host(out)), 0U) << "waves came through too early";
}
INSTANTIATE_TEST_SUITE_P(Targets, GridBarrier, ::testing::Values("gfx90a", "gfx1030"));

// The ISA documents' first state of the scalar registers (CDNA3 table 8, RDNA3 table 11, RDNA4 table 12).
struct GroupInfo {
  const char* target;
  uint32_t wave_size, first_wave, number_shift;
};
class WorkGroupInfo : public ::testing::TestWithParam<GroupInfo> {};

TEST_P(WorkGroupInfo, tells_waves_apart) {
  const auto [target, wave_size, first_wave, number_shift] = GetParam();
  const std::string path = std::string(PTXSHIM_KERNELS_DIR) + "/work_group_info_" + target + ".co";
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> elf{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  DirectDevice device(target, 1);
  auto loaded = device.load(std::as_bytes(std::span<const char>(elf)));
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  const LoadedObject object = std::move(loaded).value();
  const uint64_t out = device.memory().allocate(4096);
  Launch shape;
  shape.arguments.resize(8);
  std::memcpy(shape.arguments.data(), &out, 8);
  shape.threads[0] = 130;
  const DispatchOutcome outcome = device.launch(*object.find_kernel("info"), shape);
  ASSERT_EQ(outcome.fault, Fault::None) << outcome.report;
  const uint32_t* const words = reinterpret_cast<const uint32_t*>(device.memory().host(out));
  constexpr uint32_t kAppendTerm = 0x3ffc0;
  const uint32_t waves = (130 + wave_size - 1) / wave_size;
  for (uint32_t item = 0; item < 130; ++item) {
    const uint32_t wave = item / wave_size, first = wave == 0 ? first_wave : 0;
    const uint32_t number = number_shift ? wave << number_shift : 0;
    EXPECT_EQ(words[item] & ~kAppendTerm, first | number | waves) << "item " << item;
  }
}
INSTANTIATE_TEST_SUITE_P(Targets, WorkGroupInfo,
                         ::testing::Values(GroupInfo{"gfx90a", 64, 1U << 31, 20}, GroupInfo{"gfx942", 64, 1U << 31, 20},
                                           GroupInfo{"gfx1030", 32, 1U << 31, 20}, GroupInfo{"gfx1100", 32, 1U << 31, 20},
                                           GroupInfo{"gfx1150", 32, 1U << 31, 20}, GroupInfo{"gfx1200", 32, 0, 0}));

} // namespace
