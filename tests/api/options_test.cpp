// SPDX-License-Identifier: MIT
// The environment: a user who mistypes an option or its value is told once, when CUDA is first used, and the program runs.
#include "api_test.h"

#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

namespace {

struct Setting {
  const char* name;
  const char* value;
};

// What a program with these settings prints on stderr.
template <class Body> std::string said_by(const std::vector<Setting>& settings, Body body) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    for (const Setting& setting : settings) setenv(setting.name, setting.value, 1);
    dup2(ends[1], 2);
    close(ends[0]);
    close(ends[1]);
    body();
    _exit(0);
  }
  close(ends[1]);
  std::string said;
  char buffer[4096];
  for (ssize_t count; (count = read(ends[0], buffer, sizeof buffer)) > 0;) said.append(buffer, static_cast<size_t>(count));
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return said;
}

// From two calls of cuInit; ends with "cuInit: 0" for success.
std::string said_with(const std::vector<Setting>& settings) {
  return said_by(settings, [] {
    const CUresult first = cuInit(0), second = cuInit(0);
    dprintf(2, "cuInit: %d\n", first == second ? static_cast<int>(first) : -1);
  });
}

size_t count_of(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(options, an_unknown_name_is_told_once) {
  const std::string said = said_with({{"PTXSHIM_LOGG", "debug"}});
  EXPECT_EQ(count_of(said, "PTXSHIM_LOGG"), 1u) << said;
  EXPECT_EQ(count_of(said, "cuInit: 0"), 1u) << said;
}

TEST(options, a_value_of_the_wrong_kind_leaves_the_default) {
  for (const char* value : {"many", "-1", "12x", "99999999999999999999", " 4"}) {
    const std::string said = said_with({{"PTXSHIM_WORKERS", value}});
    EXPECT_EQ(count_of(said, "PTXSHIM_WORKERS="), 1u) << said;
    EXPECT_EQ(count_of(said, "cuInit: 0"), 1u) << said;
  }
  EXPECT_EQ(count_of(said_with({{"CUDA_CACHE_DISABLE", "perhaps"}}), "CUDA_CACHE_DISABLE="), 1u);
}

TEST(options, a_wrong_part_of_the_log_option_is_told) {
  const std::string said = said_with({{"PTXSHIM_LOG", "api=warn,car=debug,cache=loud"}});
  EXPECT_NE(said.find("car=debug,cache=loud"), std::string::npos) << said;
  EXPECT_EQ(said.find("api=warn"), std::string::npos) << said;
}

TEST(options, right_ones_are_not_mentioned) {
  const std::string said = said_with({{"PTXSHIM_LOG", "warn"}, {"PTXSHIM_WORKERS", "0x10"}, {"CUDA_CACHE_DISABLE", "1"}});
  EXPECT_EQ(said.find("PTXSHIM_"), std::string::npos) << said;
  EXPECT_EQ(said.find("CUDA_"), std::string::npos) << said;
}

TEST(options, of_the_virtual_gpu_name_the_one_that_is_wrong) {
  const std::string units = said_with({{"PTXSHIM_VIRTUAL_GPU", "gfx1030"}, {"PTXSHIM_VIRTUAL_GPU_CUS", "1"}});
  EXPECT_EQ(count_of(units, "PTXSHIM_VIRTUAL_GPU_CUS is not within"), 1u) << units;
  EXPECT_EQ(count_of(units, "cuInit: 100"), 1u) << units;
  // 2^44 + 4096 MiB wrap around to 4096 MiB.
  const std::string memory = said_with({{"PTXSHIM_VIRTUAL_GPU", "gfx1030"}, {"PTXSHIM_VIRTUAL_GPU_MEMORY", "17592186048512"}});
  EXPECT_EQ(count_of(memory, "PTXSHIM_VIRTUAL_GPU_MEMORY is not within"), 1u) << memory;
  const std::string name = said_with({{"PTXSHIM_VIRTUAL_GPU", "gfx1"}});
  EXPECT_EQ(count_of(name, "'gfx1' in PTXSHIM_VIRTUAL_GPU is no architecture"), 1u) << name;
  const std::string empty = said_with({{"PTXSHIM_VIRTUAL_GPU", "gfx1030,"}});
  EXPECT_EQ(count_of(empty, "an empty name in PTXSHIM_VIRTUAL_GPU='gfx1030,'"), 1u) << empty;
  EXPECT_EQ(count_of(empty, "cuInit: 100"), 1u) << empty;
}

// A program that asks for no error log leaves its user PTXSHIM_LOG.
TEST(options, the_log_lists_the_mistakes_of_a_module) {
  const auto load = [] {
    CUcontext context = nullptr;
    CUmodule module = nullptr;
    const char* const text = ".version 7.5\n.target sm_80\n.address_size 64\n.func helper()\n{\n  frob;\n  mov.b32 x, 1;\n}\n";
    if (cuInit(0) || cuCtxCreate_v2(&context, 0, 0)) return;
    dprintf(2, "cuModuleLoadData: %d\n", static_cast<int>(cuModuleLoadData(&module, text)));
  };
  const std::string said = said_by({{"PTXSHIM_LOG", "load=info"}}, load);
  EXPECT_EQ(count_of(said, "module:6:3: error: unknown instruction 'frob'"), 1u) << said;
  EXPECT_EQ(count_of(said, "module:7:11: error: 'x' is not declared\n  mov.b32 x, 1;\n          ^\n"), 1u) << said;
  EXPECT_EQ(count_of(said, "cuModuleLoadData: 218"), 1u) << said;
  EXPECT_EQ(count_of(said_by({{"PTXSHIM_LOG", "error"}}, load), "frob"), 0u);
}

TEST(options, debug_lists_what_is_in_effect) {
  const std::string said = said_with({{"PTXSHIM_LOG", "api=debug"}, {"PTXSHIM_WORKERS", "3"}});
  EXPECT_NE(said.find("PTXSHIM_WORKERS=3\n"), std::string::npos) << said;
  EXPECT_NE(said.find("PTXSHIM_WORKER_TIMEOUT=120\n"), std::string::npos) << said;
}

TEST(options, of_the_virtual_gpu_that_hip_does_not_know_are_told) {
  const std::string none = said_with({{"PTXSHIM_VIRTUAL_GPU", "gfx1030"}, {"HIP_VISIBLE_DEVICES", "-1"}, {"PTXSHIM_LOG", "error"}});
  EXPECT_EQ(count_of(none, "knows no GPU of those in PTXSHIM_VIRTUAL_GPU=gfx1030"), 1u) << none;
  EXPECT_EQ(count_of(none, "cuInit: 100"), 1u) << none;
  const std::string one = said_with({{"PTXSHIM_VIRTUAL_GPU", "gfx1030,gfx90a"}, {"HIP_VISIBLE_DEVICES", "1"}, {"PTXSHIM_LOG", "warn"}});
  EXPECT_EQ(count_of(one, "shows 1 of the 2 GPUs in PTXSHIM_VIRTUAL_GPU=gfx1030,gfx90a"), 1u) << one;
  EXPECT_EQ(count_of(one, "cuInit: 0"), 1u) << one;
}

// Size and compute units, of all devices alike.
TEST(options, of_the_virtual_gpu_give_it_its_size) {
  const pid_t child = fork();
  if (child == 0) {
    setenv("PTXSHIM_VIRTUAL_GPU", "gfx90a,gfx1030", 1);
    setenv("PTXSHIM_VIRTUAL_GPU_MEMORY", "512", 1);
    setenv("PTXSHIM_VIRTUAL_GPU_CUS", "20", 1);
    if (cuInit(0)) _exit(1);
    for (int i = 0; i < 2; ++i) {
      size_t total = 0, free_bytes = 0, same = 0;
      int processors = 0;
      CUcontext context = nullptr;
      CUdeviceptr memory = 0;
      if (cuDeviceTotalMem_v2(&total, i) || total != size_t{512} << 20) _exit(2);
      if (cuDeviceGetAttribute(&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, i)) _exit(3);
      if (processors != (i == 0 ? 20 : 10)) _exit(4); // HIP counts pairs of units on gfx10
      if (cuCtxCreate_v2(&context, 0, i) || cuMemGetInfo_v2(&free_bytes, &same) || same != total || free_bytes > total) _exit(5);
      if (cuMemAlloc_v2(&memory, size_t{600} << 20) != CUDA_ERROR_OUT_OF_MEMORY) _exit(6);
      if (cuMemAlloc_v2(&memory, size_t{256} << 20) || cuMemFree_v2(memory)) _exit(7);
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

} // namespace
