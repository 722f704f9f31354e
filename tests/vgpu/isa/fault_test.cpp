// SPDX-License-Identifier: MIT
// What a kernel must not do, and the one report that each says: kernel, what it was, place in the grid, lane, address, place
// in the code, instruction. The kernels are those of faults.s and fault_kernels.c.
#include <cstring>
#include <fstream>
#include <iterator>
#include <sys/mman.h>

#include <gtest/gtest.h>

#include "loader.h"
#include "device/memory_guard.h"

namespace {

using namespace ptxshim::vgpu;

constexpr uint64_t kNowhere = 0xdead0000;

std::string hex(uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

class Faults : public ::testing::TestWithParam<const char*> {
protected:
  static std::vector<char> read(const std::string& name) {
    std::ifstream file(std::string(PTXSHIM_KERNELS_DIR) + "/" + name + ".co", std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  void SetUp() override {
    const std::string name = GetParam();
    wave_size_ = name.find("gfx90a") != std::string::npos || name.find("wave64") != std::string::npos ? 64 : 32;
    const std::vector<char> assembly = read("faults_" + name), compiled = read("fault_kernels_" + name);
    const auto target = code_object_target(std::as_bytes(std::span<const char>(assembly)));
    ASSERT_TRUE(target.ok()) << target.error().message;
    device_ = std::make_unique<DirectDevice>(*target, 2);
    for (const std::vector<char>& elf : {assembly, compiled}) {
      auto object = device_->load(std::as_bytes(std::span<const char>(elf)));
      ASSERT_TRUE(object.ok()) << object.error().message;
      objects_.push_back(std::move(object).value());
    }
    good_ = device_->memory().allocate(4096);
  }

  const LoadedKernel* kernel(const std::string& name) const {
    for (const LoadedObject& object : objects_)
      if (const LoadedKernel* const found = object.find_kernel(name)) return found;
    return nullptr;
  }
  template <class... A> DispatchOutcome launch(const std::string& name, Launch shape, A... arguments) {
    auto append = [&](auto value) {
      const size_t offset = (shape.arguments.size() + sizeof value - 1) / sizeof value * sizeof value;
      shape.arguments.resize(offset + sizeof value);
      std::memcpy(shape.arguments.data() + offset, &value, sizeof value);
    };
    (append(arguments), ...);
    const LoadedKernel* const found = kernel(name);
    EXPECT_NE(found, nullptr) << name;
    return found ? device_->launch(*found, shape) : DispatchOutcome{};
  }
  // Launches a kernel of faults.s and checks the report. `lane`: -1 for what is not of one lane.
  void expect(const std::string& name, uint64_t bad, Fault fault, const std::string& what, const std::string& instruction, int lane,
              uint64_t address) {
    SCOPED_TRACE(name);
    Launch shape;
    shape.blocks[0] = 3;
    shape.threads[0] = 128;
    const DispatchOutcome outcome = launch(name, shape, good_, bad);
    EXPECT_EQ(outcome.fault, fault);
    std::vector<std::string> parts = {"kernel " + name + ": " + what, "\n  work group (1, 0, 0), wave " + std::to_string(69 / wave_size_),
                                      "\n  pc 0x", "(entry + 0x", instruction};
    if (lane >= 0) {
      parts.push_back(", lane " + std::to_string(lane) + ", address " + hex(address));
      EXPECT_EQ(outcome.address, address);
    }
    for (const std::string& part : parts) EXPECT_NE(outcome.report.find(part), std::string::npos) << "`" << part << "` is not in\n" << outcome.report;
    // The device goes on.
    shape.blocks[0] = 1;
    EXPECT_EQ(launch("trap", shape, good_, bad).fault, Fault::None);
  }

  int lane() const { return 69 % static_cast<int>(wave_size_); }
  unsigned wave_size_ = 32;
  std::unique_ptr<DirectDevice> device_;
  std::vector<LoadedObject> objects_;
  uint64_t good_ = 0;
};

TEST_P(Faults, outside_of_every_allocation) {
  const char* const read = "read of an address that is not mapped";
  const char* const write = "write to an address that is not mapped or read-only";
  const char* const atomic = "atomic on an address that is not mapped or read-only";
  for (const uint64_t bad : {kNowhere, good_ + 4096, good_ - 4, uint64_t{0}, ~uint64_t{3}}) {
    expect("global_load", bad, Fault::PageFault, read, "global_load_dword v4, v[2:3], off", lane(), bad);
    expect("global_store", bad, Fault::PageFault, write, "global_store_dword v[2:3], v0, off", lane(), bad);
    expect("global_atomic", bad, Fault::PageFault, atomic, "global_atomic_add v[2:3], v0, off", lane(), bad);
    expect("flat_load", bad, Fault::PageFault, read, "flat_load_dword v4, v[2:3]", lane(), bad);
    expect("flat_store", bad, Fault::PageFault, write, "flat_store_byte v[2:3], v0", lane(), bad);
    expect("flat_atomic", bad, Fault::PageFault, atomic, "flat_atomic_or v[2:3], v0", lane(), bad);
  }
  // The last bytes of the page are there, but not all of the access.
  expect("global_load_wide", good_ + 4096 - 12, Fault::PageFault, read, "global_load_dwordx4 v[20:23], v[2:3], off", lane(), good_ + 4096 - 12);
}

TEST_P(Faults, through_buffers_and_scalar_loads) {
  expect("buffer_load", kNowhere, Fault::PageFault, "read of an address that is not mapped", "buffer_load_dword v4, v15, s[8:11], 0 offen", 0,
         kNowhere + 64 * 4);
  expect("buffer_store", kNowhere, Fault::PageFault, "write to an address that is not mapped or read-only", "buffer_store_dword v4, off, s[8:11], 0", 0, kNowhere);
  expect("buffer_atomic", kNowhere, Fault::PageFault, "atomic on an address that is not mapped or read-only", "buffer_atomic_add v4, off, s[8:11], 0", 0, kNowhere);
  expect("scalar_load", kNowhere, Fault::PageFault, "scalar read of an address that is not mapped", "address 0xdead0000", -1, 0);
  expect("scalar_load", kNowhere, Fault::PageFault, "scalar read of an address that is not mapped", "s_load_dwordx4 s[8:11], s[6:7], ", -1, 0);
  expect("scalar_buffer_load", kNowhere, Fault::PageFault, "scalar read of an address that is not mapped", "s_buffer_load_dword s12, s[8:11], ", -1, 0);
}

TEST_P(Faults, writes_to_code_and_constant_data) {
  expect("code_store", 0, Fault::PageFault, "write to an address that is not mapped or read-only", "global_store_dword v[2:3], v0, off", -1, 0);
  expect("code_atomic", 0, Fault::PageFault, "atomic on an address that is not mapped or read-only", "global_atomic_inc v[2:3], v0, off", -1, 0);
  const DispatchOutcome outcome = launch("store_to_constant", Launch{}, 2U);
  EXPECT_EQ(outcome.fault, Fault::PageFault);
  EXPECT_EQ(outcome.address, objects_[1].variables.at("table").address + 8);
  EXPECT_NE(outcome.report.find("kernel store_to_constant: write to an address that is not mapped or read-only"), std::string::npos) << outcome.report;
}

TEST_P(Faults, misaligned_atomics) {
  expect("global_atomic", good_ + 1022, Fault::Misaligned, "misaligned atomic", "global_atomic_add", lane(), good_ + 1022);
  expect("flat_atomic", good_ + 1023, Fault::Misaligned, "misaligned atomic", "flat_atomic_or", lane(), good_ + 1023);
  expect("lds_atomic", 1, Fault::Misaligned, "misaligned LDS atomic", "ds_add_u32 v10, v0", lane(), 1);
}

TEST_P(Faults, lds_out_of_range) {
  const char* const what = "LDS access out of range";
  for (const uint64_t bad : {1024ULL, 1025ULL, 0x7ffffffcULL, 0x80000000ULL, 0xfffffffcULL}) {
    expect("lds_load", bad, Fault::Aperture, what, "ds_read_b32 v4, v10", lane(), bad);
    expect("lds_store", bad, Fault::Aperture, what, "ds_write_b64 v10, v[4:5]", lane(), bad);
    expect("lds_load2", bad, Fault::Aperture, what, "ds_read2_b32 v[4:5], v10 offset1:1", lane(), bad);
    expect("lds_store2", bad, Fault::Aperture, what, "ds_write2st64_b32 v10, v4, v5 offset1:1", lane(), bad);
    expect("lds_exchange2", bad, Fault::Aperture, what, "ds_wrxchg2_rtn_b32 v[4:5], v10, v4, v5 offset1:1", lane(), bad);
    expect("lds_atomic", bad, Fault::Aperture, what, "ds_add_u32 v10, v0", lane(), bad);
  }
  // Half of the access, or the second of two, is outside.
  expect("lds_store", 1020, Fault::Aperture, what, "ds_write_b64", lane(), 1020);
  expect("lds_load2", 1020, Fault::Aperture, what, "ds_read2_b32", lane(), 1024);
  expect("lds_store2", 1000, Fault::Aperture, what, "ds_write2st64_b32", lane(), 1256);
  expect("lds_exchange2", 1020, Fault::Aperture, what, "ds_wrxchg2_rtn_b32", lane(), 1024);
  expect("lds_addtid", 0, Fault::Aperture, what, "ds_read_addtid_b32 v4", 0, 1024);
  expect("lds_append", 0, Fault::Aperture, what, "ds_append v4", 0, 1021);
  constexpr uint64_t kLdsAperture = 0x1000000000000;
  expect("flat_load", kLdsAperture + 1024, Fault::Aperture, what, "flat_load_dword v4, v[2:3]", lane(), 1024);
  expect("flat_store", kLdsAperture + 0x80000000, Fault::Aperture, what, "flat_store_byte v[2:3], v0", lane(), 0x80000000);
  expect("flat_atomic", kLdsAperture + 1024, Fault::Aperture, what, "flat_atomic_or v[2:3], v0", lane(), 1024);
}

TEST_P(Faults, scratch_out_of_range) {
  expect("scratch_store", 510, Fault::Aperture, "scratch access out of range", "buffer_store_dword v0, v10, s[8:11], 0 offen", lane(), 510);
  expect("scratch_store", 0xfffffff0, Fault::Aperture, "scratch access out of range", "buffer_store_dword v0, v10, s[8:11], 0 offen", lane(), 0xfffffff0);
  Launch one;
  const DispatchOutcome deep = launch("endless_recursion", one, good_);
  EXPECT_EQ(deep.fault, Fault::Aperture);
  EXPECT_NE(deep.report.find("kernel endless_recursion: scratch access out of range"), std::string::npos) << deep.report;
  const DispatchOutcome far = launch("store_far_below", one, good_, 1 << 24);
  EXPECT_EQ(far.fault, Fault::Aperture);
  EXPECT_NE(far.report.find("kernel store_far_below: scratch access out of range"), std::string::npos) << far.report;
  const DispatchOutcome much = launch("much_scratch", one, good_, good_);
  EXPECT_EQ(much.fault, Fault::BadCodeObject);
  EXPECT_NE(much.report.find("16 MiB of scratch"), std::string::npos) << much.report;
}

TEST_P(Faults, instructions_that_are_none) {
  expect("no_instruction", 0, Fault::IllegalInstruction, "bytes that are no instruction of this target", ".long 0xffffffff", -1, 0);
  expect("trap", 0, Fault::Trap, "s_trap executed", "s_trap 2", -1, 0);
}

TEST_P(Faults, code_that_is_not_there) {
  expect("jump", kNowhere, Fault::PageFault, "no code is mapped at 0xdead0000", "s_setpc_b64 s[6:7]", -1, 0);
  expect("call", kNowhere, Fault::PageFault, "no code is mapped at 0xdead0000", "s_swappc_b64 s[30:31], s[6:7]", -1, 0);
  expect("jump", 0, Fault::PageFault, "no code is mapped at 0x0", "s_setpc_b64 s[6:7]", -1, 0);
  // The page's zeros follow: an instruction that does no harm before gfx10, no instruction from then on.
  if (std::string(GetParam()) == "gfx90a")
    expect("no_end", 0, Fault::PageFault, "no code is mapped at 0x", "pc 0x", -1, 0);
  else
    expect("no_end", 0, Fault::IllegalInstruction, "illegal instruction", "v_illegal", -1, 0);
}

// What hipHostRegister leads to when the program frees the memory all the same.
TEST_P(Faults, memory_that_was_given_back_behind_our_back) {
  install_memory_guard();
  const uint64_t gone = device_->memory().allocate(8192);
  ASSERT_EQ(mprotect(reinterpret_cast<void*>(gone), 8192, PROT_NONE), 0);
  const char* const what = "memory that was registered and is no longer mapped";
  expect("global_load", gone + 4096, Fault::PageFault, what, "global_load_dword v4, v[2:3], off", lane(), gone + 4096);
  expect("global_store", gone + 4, Fault::PageFault, what, "global_store_dword v[2:3], v0, off", lane(), gone + 4);
  expect("flat_atomic", gone, Fault::PageFault, what, "flat_atomic_or v[2:3], v0", lane(), gone);
  expect("scalar_load", gone, Fault::PageFault, what, "s_load_dwordx4 s[8:11], s[6:7], ", -1, 0);
}

INSTANTIATE_TEST_SUITE_P(Targets, Faults, ::testing::Values("gfx90a", "gfx1030", "gfx1030_wave64"),
                         [](const auto& test) { return std::string(test.param); });

} // namespace
