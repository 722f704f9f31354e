// SPDX-License-Identifier: MIT
// Kernels compiled by clang for every generation, and for both wave sizes where there are two, run on the direct loader.
// Expected values are worked out here by plain C++ on exact numbers.
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <thread>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "loader.h"

namespace {

using namespace ptxshim::vgpu;

std::vector<char> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class Machine : public ::testing::TestWithParam<const char*> {
protected:
  void SetUp() override {
    const std::vector<char> elf = read_file(std::string(PTXSHIM_KERNELS_DIR) + "/kernels_" + GetParam() + ".co");
    const auto target = code_object_target(std::as_bytes(std::span<const char>(elf)));
    ASSERT_TRUE(target.ok()) << target.error().message;
    device_ = std::make_unique<DirectDevice>(*target, 2);
    auto object = device_->load(std::as_bytes(std::span<const char>(elf)));
    ASSERT_TRUE(object.ok()) << object.error().message;
    object_ = std::move(object).value();
  }

  template <class T> T* buffer(size_t count) {
    return reinterpret_cast<T*>(device_->memory().host(device_->memory().allocate(count * sizeof(T))));
  }
  // Arguments at their natural alignment.
  template <class... A> DispatchOutcome launch(const char* name, Launch shape, A... arguments) {
    auto append = [&](auto value) {
      const size_t offset = (shape.arguments.size() + sizeof value - 1) / sizeof value * sizeof value;
      shape.arguments.resize(offset + sizeof value);
      std::memcpy(shape.arguments.data() + offset, &value, sizeof value);
    };
    (append(arguments), ...);
    const LoadedKernel* const kernel = object_.find_kernel(name);
    EXPECT_NE(kernel, nullptr) << name;
    return kernel ? device_->launch(*kernel, shape) : DispatchOutcome{};
  }
  template <class... A> void run(const char* name, Launch shape, A... arguments) {
    const DispatchOutcome outcome = launch(name, shape, arguments...);
    EXPECT_EQ(outcome.fault, Fault::None) << outcome.report;
  }
  static Launch grid(uint32_t blocks, uint32_t threads) {
    Launch shape;
    shape.blocks[0] = blocks;
    shape.threads[0] = threads;
    return shape;
  }

  std::unique_ptr<DirectDevice> device_;
  LoadedObject object_;
};

TEST_P(Machine, adds_floats_of_a_grid_larger_than_the_data) {
  float* const a = buffer<float>(100);
  float* const b = buffer<float>(100);
  float* const c = buffer<float>(101);
  for (int i = 0; i < 100; ++i) a[i] = static_cast<float>(i) * 0.5F, b[i] = static_cast<float>(1000 - i);
  c[100] = -1.0F;
  run("add_floats", grid(2, 64), a, b, c, 100U);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(c[i], static_cast<float>(i) * 0.5F + static_cast<float>(1000 - i));
  EXPECT_EQ(c[100], -1.0F);
}

TEST_P(Machine, reduces_through_lds_and_barriers) {
  uint32_t* const in = buffer<uint32_t>(1024);
  uint32_t* const out = buffer<uint32_t>(4);
  for (uint32_t i = 0; i < 1024; ++i) in[i] = i;
  run("reduce", grid(4, 256), in, out);
  for (uint32_t g = 0; g < 4; ++g) EXPECT_EQ(out[g], (g * 256 + g * 256 + 255) * 256 / 2);
}

TEST_P(Machine, numbers_work_items_in_three_dimensions) {
  uint32_t* const out = buffer<uint32_t>(10 * 6 * 4);
  Launch shape;
  const uint32_t blocks[3] = {2, 2, 2}, threads[3] = {5, 3, 2};
  std::memcpy(shape.blocks, blocks, sizeof blocks);
  std::memcpy(shape.threads, threads, sizeof threads);
  run("ids", shape, out);
  for (uint32_t z = 0; z < 4; ++z)
    for (uint32_t y = 0; y < 6; ++y)
      for (uint32_t x = 0; x < 10; ++x) EXPECT_EQ(out[(z * 6 + y) * 10 + x], x | y << 8 | z << 16 | 1U << 31);
}

TEST_P(Machine, counts_with_atomics) {
  uint32_t* const c = buffer<uint32_t>(4);
  uint64_t* const wide = buffer<uint64_t>(1);
  run("count", grid(3, 100), c, wide);
  EXPECT_EQ(c[0], 300U);
  EXPECT_EQ(c[1], 99U);
  EXPECT_EQ(c[2], 0xfffffff0U); // twelve threads flip each of bits 0 to 3, nine each of the others
  EXPECT_EQ(c[3], 600U);
  EXPECT_EQ(*wide, (3ULL * 99 * 100 / 2) << 32 | 300);
}

TEST_P(Machine, computes_doubles) {
  double* const o = buffer<double>(9);
  run("doubles", grid(1, 1), o, 6.25, -2.5);
  const double expected[] = {-2.5, 2.5, -14.625, 6.0, 6.0, 6.0, 6.25, -2.5, -6.25};
  for (int i = 0; i < 9; ++i) EXPECT_EQ(o[i], expected[i]) << i;
}

TEST_P(Machine, computes_floats) {
  float* const o = buffer<float>(8);
  run("floats", grid(1, 1), o, 7.5F, -2.5F);
  const float expected[] = {-3.0F, -17.75F, 7.0F, 7.0F, 7.0F, -2.5F, -7.5F, 60.0F};
  for (int i = 0; i < 8; ++i) EXPECT_EQ(o[i], expected[i]) << i;
}

TEST_P(Machine, calls_functions_that_call_themselves) {
  uint32_t* const o = buffer<uint32_t>(64);
  run("calls", grid(1, 64), o);
  const uint32_t fibonacci[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(o[i], fibonacci[i % 12]);
}

TEST_P(Machine, indexes_private_memory) {
  uint32_t* const o = buffer<uint32_t>(64);
  run("private_memory", grid(1, 64), o, 20U);
  for (uint32_t t = 0; t < 64; ++t) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 20; ++i) sum += ((i * 7 + t) & 31) * t;
    EXPECT_EQ(o[t], sum);
  }
}

TEST_P(Machine, loops_a_different_number_of_times_in_each_lane) {
  uint32_t* const o = buffer<uint32_t>(70);
  run("collatz", grid(1, 70), o);
  for (uint32_t t = 0; t < 70; ++t) {
    uint32_t x = t + 1, c = 0;
    for (; x != 1; ++c) x = x & 1 ? 3 * x + 1 : x >> 1;
    EXPECT_EQ(o[t], c);
  }
}

TEST_P(Machine, divides_integers) {
  uint64_t* const o = buffer<uint64_t>(128);
  int32_t* const p = buffer<int32_t>(64);
  const uint64_t a = 0x123456789abcdULL;
  run("divide", grid(1, 64), o, p, a, 7U);
  for (uint32_t t = 0; t < 64; ++t) {
    EXPECT_EQ(o[t], a / (t + 7));
    EXPECT_EQ(o[64 + t], a % (t + 7));
    EXPECT_EQ(p[t], -static_cast<int32_t>(a) / static_cast<int32_t>(t + 7));
  }
}

TEST_P(Machine, moves_wide_and_narrow_values) {
  uint64_t* const o = buffer<uint64_t>(8);
  uint64_t* const i = buffer<uint64_t>(8);
  for (uint64_t k = 0; k < 8; ++k) i[k] = (k + 1) << 31;
  run("wide", grid(1, 4), o, i);
  for (uint64_t k = 0; k < 8; k += 2) {
    EXPECT_EQ(o[k], i[k] + i[k + 1]);
    EXPECT_EQ(o[k + 1], i[k + 1] * (i[k] + i[k + 1]));
  }
  uint8_t* const bytes = buffer<uint8_t>(4);
  int16_t* const words = buffer<int16_t>(4);
  words[0] = 80, words[1] = -8, words[2] = 160, words[3] = 32767;
  run("narrow", grid(1, 4), bytes, words);
  const uint8_t expected[] = {10, 255, 20, 255};
  for (int k = 0; k < 4; ++k) EXPECT_EQ(bytes[k], expected[k]);
}

TEST_P(Machine, adds_atomically_in_lds) {
  uint32_t* const o = buffer<uint32_t>(256);
  run("lds_atomics", grid(1, 256), o);
  for (uint32_t t = 0; t < 8; ++t) EXPECT_EQ(o[t], 32 * t + 8 * (31 * 32 / 2));
  for (uint32_t t = 8; t < 256; ++t) EXPECT_EQ(o[t], 0U);
}

TEST_P(Machine, follows_flat_pointers_into_lds_and_scratch) {
  uint32_t* const o = buffer<uint32_t>(8);
  for (uint32_t use_lds : {0U, 1U}) {
    run("flat_pointers", grid(1, 8), o, use_lds);
    for (uint32_t t = 0; t < 8; ++t) EXPECT_EQ(o[t], 3 * t + 2);
  }
}

TEST_P(Machine, lets_groups_that_wait_for_each_other_meet) {
  uint32_t* const counter = buffer<uint32_t>(41);
  run("meet", grid(40, 64), counter, 40U);
  for (uint32_t g = 0; g < 40; ++g) EXPECT_EQ(counter[1 + g], 1U);
}

TEST_P(Machine, gives_every_wave_of_a_group_its_turn) {
  uint32_t* const flag = buffer<uint32_t>(1);
  uint32_t* const out = buffer<uint32_t>(1);
  run("hand_over", grid(1, 256), flag, out);
  EXPECT_EQ(*out, 42U);
}

TEST_P(Machine, does_not_wait_at_a_barrier_for_waves_that_have_ended) {
  uint32_t* const o = buffer<uint32_t>(256);
  run("early_exit", grid(1, 256), o);
  for (uint32_t t = 0; t < 256; ++t) EXPECT_EQ(o[t], t < 128 ? t : 0);
}

TEST_P(Machine, tells_the_first_wave_at_a_barrier) {
  const std::string name = GetParam();
  if (name.find("gfx12") != 0) return;
  uint32_t* const o = buffer<uint32_t>(4);
  run("first_at_barriers", grid(1, 256), o);
  for (uint32_t i = 0; i < 4; ++i) EXPECT_EQ(o[i], i == 3 ? 0U : name.find("wave64") == std::string::npos ? 32U : 64U) << i;
}

TEST_P(Machine, runs_a_kernel_beside_one_that_spins) {
  volatile uint32_t* const flag = buffer<uint32_t>(1);
  std::thread spinning([&] { run("wait_for", grid(1, 1), flag); });
  run("set_flag", grid(1, 1), flag);
  spinning.join();
}

TEST_P(Machine, can_be_interrupted) {
  volatile uint32_t* const flag = buffer<uint32_t>(1);
  std::atomic<bool> done{false};
  DispatchOutcome outcome;
  std::thread spinning([&] {
    outcome = launch("wait_for", grid(1, 1), flag);
    done = true;
  });
  while (!done) {
    device_->executor().interrupt();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  spinning.join();
  EXPECT_EQ(outcome.fault, Fault::Interrupted);
}

TEST_P(Machine, reports_a_page_fault_with_kernel_lane_and_address) {
  uint32_t* const o = buffer<uint32_t>(8);
  const DispatchOutcome outcome = launch("out_of_bounds", grid(1, 64), o);
  EXPECT_EQ(outcome.fault, Fault::PageFault);
  EXPECT_EQ(outcome.address, reinterpret_cast<uint64_t>(o) + 400000);
  for (const char* part : {"kernel out_of_bounds", "lane 1", "work group (0, 0, 0)", "global_store_"})
    EXPECT_NE(outcome.report.find(part), std::string::npos) << outcome.report;
}

TEST_P(Machine, does_not_write_read_only_memory) {
  uint32_t* const flag = buffer<uint32_t>(1);
  device_->memory().make_read_only(reinterpret_cast<uint64_t>(flag), sizeof *flag);
  EXPECT_EQ(launch("set_flag", grid(1, 1), flag).fault, Fault::PageFault);
  EXPECT_EQ(*flag, 0U);
}

TEST_P(Machine, stops_at_a_trap) {
  uint32_t* const o = buffer<uint32_t>(64);
  const DispatchOutcome outcome = launch("trap", grid(1, 64), o);
  EXPECT_EQ(outcome.fault, Fault::Trap) << outcome.report;
  EXPECT_NE(outcome.report.find("s_trap"), std::string::npos) << outcome.report;
}

TEST_P(Machine, refuses_misaligned_atomics_and_lds_out_of_range) {
  EXPECT_EQ(launch("misaligned", grid(1, 1), buffer<char>(16)).fault, Fault::Misaligned);
  uint32_t* const o = buffer<uint32_t>(1);
  run("beyond_lds", grid(1, 1), o, 255U);
  EXPECT_EQ(launch("beyond_lds", grid(1, 1), o, 1000000U).fault, Fault::Aperture);
}

TEST_P(Machine, works_in_a_forked_child) {
  uint32_t* const o = buffer<uint32_t>(70);
  run("collatz", grid(8, 70), o);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    device_->executor().after_fork_in_child();
    o[1] = 0;
    const bool good = launch("collatz", grid(8, 70), o).fault == Fault::None && o[1] == 1;
    _exit(good ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST_P(Machine, refuses_impossible_launches) {
  uint32_t* const o = buffer<uint32_t>(1);
  EXPECT_EQ(launch("set_flag", grid(1, 1025), o).fault, Fault::BadCodeObject);
  Launch shape = grid(1, 1);
  shape.dynamic_shared = 65537;
  EXPECT_EQ(launch("set_flag", shape, o).fault, Fault::BadCodeObject);
  LoadedKernel nowhere;
  nowhere.descriptor = 0x1234;
  EXPECT_EQ(device_->launch(nowhere, grid(1, 1)).fault, Fault::BadCodeObject);
}

std::string test_name(const ::testing::TestParamInfo<const char*>& info) { return info.param; }
INSTANTIATE_TEST_SUITE_P(Targets, Machine,
                         ::testing::Values("gfx900", "gfx90a", "gfx942", "gfx1030", "gfx1030_wave64", "gfx1100",
                                           "gfx1100_wave64", "gfx1150", "gfx1200", "gfx1200_wave64"),
                         test_name);

} // namespace
