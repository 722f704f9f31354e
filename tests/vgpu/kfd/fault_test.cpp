// SPDX-License-Identifier: MIT
// What must not end the process: faulting kernels, fork, exit in the middle of work.
#include <chrono>
#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "hip.h"

using namespace hip;
using namespace std::chrono_literals;

#define OK(call) ASSERT_EQ(call, 0) << #call

namespace {

int exit_status_of(pid_t child) {
  for (int i = 0; i < 2000; ++i) {
    int status = 0;
    if (waitpid(child, &status, WNOHANG) == child) return status;
    std::this_thread::sleep_for(10ms);
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return -1;
}

class HipFault : public testing::Test {
protected:
  void SetUp() override {
    const std::string& problem = load();
    if (problem.starts_with("absent")) GTEST_SKIP() << "no HIP runtime: " << problem;
    ASSERT_EQ(problem, "");
    clear_fault();
    OK(hipModuleLoadData(&module_, code_object().data()));
  }
  void TearDown() override {
    clear_fault();
    if (module_) hipModuleUnload(module_);
  }
  template <class... Arguments>
  int launch(const char* name, unsigned groups, unsigned size, Arguments... arguments) {
    Function kernel = nullptr;
    if (const int error = hipModuleGetFunction(&kernel, module_, name)) return error;
    void* parameters[] = {&arguments..., nullptr};
    return hipModuleLaunchKernel(kernel, groups, 1, 1, size, 1, 1, 0, nullptr, parameters, nullptr);
  }
  static ptxshim_vgpu_fault fault() {
    ptxshim_vgpu_fault record{};
    record.size = sizeof record;
    last_fault(&record);
    return record;
  }
  Module module_ = nullptr;
};

TEST_F(HipFault, a_store_to_nowhere_is_a_page_fault_that_names_kernel_and_address) {
  OK(launch("store_to", 1, 1, uint64_t{0xdead0000}, 1u));
  OK(hipDeviceSynchronize());
  const ptxshim_vgpu_fault record = fault();
  EXPECT_EQ(record.cuda_error, 700u);
  EXPECT_EQ(record.kind, static_cast<uint32_t>(PTXSHIM_VGPU_FAULT_PAGE));
  EXPECT_EQ(record.address, 0xdead0000u);
  EXPECT_NE(std::strstr(record.report, "store_to"), nullptr) << record.report;
  EXPECT_NE(std::strstr(record.report, "global_store"), nullptr) << record.report;
}

TEST_F(HipFault, beyond_the_end_of_an_allocation) {
  void* memory = nullptr;
  OK(hipMalloc(&memory, 4096));
  OK(launch("store_to", 1, 1, reinterpret_cast<uint64_t>(memory) + (uint64_t{1} << 32), 1u));
  OK(hipDeviceSynchronize());
  EXPECT_EQ(fault().cuda_error, 700u);
  hipFree(memory);
}

TEST_F(HipFault, a_trap_is_a_launch_failure) {
  OK(launch("trap", 1, 64));
  OK(hipDeviceSynchronize());
  EXPECT_EQ(fault().cuda_error, 719u);
  EXPECT_EQ(fault().kind, static_cast<uint32_t>(PTXSHIM_VGPU_FAULT_TRAP));
}

TEST_F(HipFault, a_misaligned_atomic_is_a_misaligned_address) {
  void* memory = nullptr;
  OK(hipMalloc(&memory, 4096));
  const uint64_t address = reinterpret_cast<uint64_t>(memory) + 6;
  OK(launch("atomic_at", 1, 1, address));
  OK(hipDeviceSynchronize());
  EXPECT_EQ(fault().cuda_error, 716u);
  EXPECT_EQ(fault().kind, static_cast<uint32_t>(PTXSHIM_VGPU_FAULT_MISALIGNED));
  EXPECT_EQ(fault().address, address);
  EXPECT_NE(std::strstr(fault().report, "kernel atomic_at: misaligned atomic"), nullptr) << fault().report;
  hipFree(memory);
}

TEST_F(HipFault, lds_out_of_range_is_a_launch_failure) {
  void* out = nullptr;
  OK(hipMalloc(&out, 4096));
  OK(launch("store_to_lds", 1, 1, out, 64u));
  OK(hipDeviceSynchronize());
  EXPECT_EQ(fault().cuda_error, 719u);
  EXPECT_EQ(fault().kind, static_cast<uint32_t>(PTXSHIM_VGPU_FAULT_APERTURE));
  EXPECT_NE(std::strstr(fault().report, "kernel store_to_lds: LDS access out of range"), nullptr) << fault().report;
  EXPECT_NE(std::strstr(fault().report, "lane 0, address 0x100"), nullptr) << fault().report;
  hipFree(out);
}

TEST_F(HipFault, bytes_that_are_no_instruction) {
  OK(launch("no_instruction", 1, 64));
  OK(hipDeviceSynchronize());
  EXPECT_EQ(fault().cuda_error, 715u);
  EXPECT_EQ(fault().kind, static_cast<uint32_t>(PTXSHIM_VGPU_FAULT_ILLEGAL_INSTRUCTION));
  EXPECT_NE(std::strstr(fault().report, ".long 0xffffffff"), nullptr) << fault().report;
}

TEST_F(HipFault, endless_recursion_leaves_its_scratch) {
  void* out = nullptr;
  OK(hipMalloc(&out, 4096));
  OK(launch("endless_recursion", 1, 1, out));
  OK(hipDeviceSynchronize());
  EXPECT_EQ(fault().cuda_error, 719u);
  EXPECT_NE(std::strstr(fault().report, "kernel endless_recursion: scratch access out of range"), nullptr) << fault().report;
  hipFree(out);
}

TEST_F(HipFault, registered_memory_that_the_program_unmaps) {
  constexpr size_t kBytes = 1 << 16;
  void* const memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  OK(hipHostRegister(memory, kBytes, 0));
  void* seen = nullptr;
  OK(hipHostGetDevicePointer(&seen, memory, 0));
  OK(launch("store_to", 1, 1, reinterpret_cast<uint64_t>(seen), 5u));
  OK(hipDeviceSynchronize());
  EXPECT_EQ(fault().cuda_error, 0u);
  EXPECT_EQ(*static_cast<uint32_t*>(memory), 5u);
  ASSERT_EQ(mprotect(memory, kBytes, PROT_NONE), 0); // as after munmap, but nobody can be given the place
  OK(launch("store_to", 1, 1, reinterpret_cast<uint64_t>(seen) + 8192, 5u));
  OK(hipDeviceSynchronize());
  EXPECT_EQ(fault().cuda_error, 700u);
  EXPECT_EQ(fault().address, reinterpret_cast<uint64_t>(seen) + 8192);
  EXPECT_NE(std::strstr(fault().report, "memory that was registered and is no longer mapped"), nullptr) << fault().report;
  EXPECT_NE(std::strstr(fault().report, "kernel store_to"), nullptr) << fault().report;
  clear_fault();
  void* device = nullptr;
  OK(hipMalloc(&device, kBytes));
  OK(hipMemcpyAsync(device, memory, kBytes, kHostToDevice, nullptr));
  OK(hipDeviceSynchronize());
  EXPECT_EQ(fault().cuda_error, 700u);
  EXPECT_NE(std::strstr(fault().report, "copy queue"), nullptr) << fault().report;
  hipFree(device);
  ASSERT_EQ(mprotect(memory, kBytes, PROT_READ | PROT_WRITE), 0);
  OK(hipHostUnregister(memory));
  munmap(memory, kBytes);
}

sigjmp_buf own_jump;

// The signals are the program's own wherever no wave runs.
TEST_F(HipFault, a_program_still_gets_its_own_signals) {
  struct sigaction action {}, before {};
  action.sa_handler = [](int) { siglongjmp(own_jump, 1); };
  ASSERT_EQ(sigaction(SIGSEGV, &action, &before), 0);
  void* const memory = mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  OK(hipHostRegister(memory, 8192, 0));
  struct sigaction now {};
  ASSERT_EQ(sigaction(SIGSEGV, nullptr, &now), 0);
  EXPECT_NE(now.sa_sigaction, action.sa_sigaction) << "the guard is in front of it";
  OK(hipHostUnregister(memory));
  ASSERT_EQ(mprotect(memory, 8192, PROT_NONE), 0);
  if (sigsetjmp(own_jump, 1) == 0) {
    *static_cast<volatile char*>(memory) = 1;
    ADD_FAILURE() << "the store went through";
  }
  munmap(memory, 8192);
}

TEST_F(HipFault, sticky_until_cleared_and_then_all_is_well) {
  void* counter = nullptr;
  OK(hipMalloc(&counter, 4));
  OK(hipMemset(counter, 0, 4));
  OK(launch("store_to", 1, 1, uint64_t{0xdead0000}, 1u));
  OK(hipDeviceSynchronize());
  OK(launch("count", 1, 64, counter));
  OK(hipDeviceSynchronize());
  uint32_t value = 1;
  OK(hipMemcpy(&value, counter, 4, kDeviceToHost));
  EXPECT_EQ(value, 0u) << "a launch after a fault must not run";
  EXPECT_EQ(fault().cuda_error, 700u);
  clear_fault();
  EXPECT_EQ(fault().cuda_error, 0u);
  OK(launch("count", 1, 64, counter));
  OK(hipDeviceSynchronize());
  OK(hipMemcpy(&value, counter, 4, kDeviceToHost));
  EXPECT_EQ(value, 64u);
  hipFree(counter);
}

TEST_F(HipFault, a_kernel_that_waits_for_a_faulted_one_ends_too) {
  void* flag = nullptr;
  OK(hipMalloc(&flag, 4096));
  OK(hipMemset(flag, 0, 4));
  OK(hipDeviceSynchronize());
  Stream streams[2] = {};
  for (Stream& stream : streams)
    OK(hipStreamCreateWithFlags(&stream, 1));
  Function waiter = nullptr, culprit = nullptr;
  OK(hipModuleGetFunction(&waiter, module_, "wait_for_flag"));
  OK(hipModuleGetFunction(&culprit, module_, "store_to"));
  void* out = static_cast<char*>(flag) + 1024;
  void* first[] = {&flag, &out};
  uint64_t nowhere = 0xdead0000;
  uint32_t value = 0;
  void* second[] = {&nowhere, &value};
  OK(hipModuleLaunchKernel(waiter, 1, 1, 1, 64, 1, 1, 0, streams[0], first, nullptr));
  OK(hipModuleLaunchKernel(culprit, 1, 1, 1, 1, 1, 1, 0, streams[1], second, nullptr));
  OK(hipStreamSynchronize(streams[1]));
  OK(hipStreamSynchronize(streams[0]));
  EXPECT_EQ(fault().cuda_error, 700u);
  for (const Stream stream : streams)
    hipStreamDestroy(stream);
  hipFree(flag);
}

TEST_F(HipFault, a_forked_child_can_work_and_leave) {
  const pid_t child = fork();
  if (child == 0) {
    std::string text;
    for (int i = 0; i < 1000; ++i)
      text += std::to_string(i); // allocates: no lock was left taken
    _exit(text.size() == 2890 ? 0 : 1);
  }
  EXPECT_EQ(exit_status_of(child), 0);
  void* memory = nullptr;
  OK(hipMalloc(&memory, 4096));
  OK(hipMemset(memory, 0, 4096));
  OK(hipDeviceSynchronize());
  hipFree(memory);
}

TEST_F(HipFault, a_forked_child_can_exec) {
  const pid_t child = fork();
  if (child == 0) {
    execl("/bin/true", "true", nullptr);
    _exit(1);
  }
  EXPECT_EQ(exit_status_of(child), 0);
}

TEST_F(HipFault, forks_while_kernels_run) {
  void* counter = nullptr;
  OK(hipMalloc(&counter, 4));
  OK(hipMemset(counter, 0, 4));
  for (int i = 0; i < 20; ++i) {
    OK(launch("count", 50, 256, counter));
    const pid_t child = fork();
    if (child == 0) _exit(0);
    ASSERT_EQ(exit_status_of(child), 0);
  }
  uint32_t value = 0;
  OK(hipMemcpy(&value, counter, 4, kDeviceToHost));
  EXPECT_EQ(value, 20u * 50u * 256u);
  hipFree(counter);
}

// The other mode, in processes of their own: the ROCm runtime is told as hardware would tell it, and ends the
// process.
class RawExceptions : public testing::Test {
protected:
  static int run_child(const char* test) {
    const pid_t child = fork();
    if (child == 0) {
      const std::string filter = std::string("--gtest_filter=") + test;
      execl("/proc/self/exe", "child", "--gtest_also_run_disabled_tests", filter.c_str(), nullptr);
      _exit(1);
    }
    return exit_status_of(child);
  }
  template <class... Arguments> static void fault(const char* name, Arguments... arguments) {
    const std::string& problem = load(PTXSHIM_VGPU_QUIET | PTXSHIM_VGPU_RAW_EXCEPTIONS);
    if (!problem.empty()) _exit(problem.starts_with("absent") ? 77 : 1);
    Module module = nullptr;
    Function kernel = nullptr;
    OK(hipModuleLoadData(&module, code_object().data()));
    OK(hipModuleGetFunction(&kernel, module, name));
    void* parameters[] = {&arguments..., nullptr};
    OK(hipModuleLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
    hipDeviceSynchronize();
  }
};

TEST_F(RawExceptions, DISABLED_trap) { fault("trap"); }
TEST_F(RawExceptions, DISABLED_page_fault) { fault("store_to", uint64_t{0xdead0000}, 1u); }

TEST_F(RawExceptions, reach_the_runtime) {
  for (const char* test : {"RawExceptions.DISABLED_trap", "RawExceptions.DISABLED_page_fault"}) {
    const int status = run_child(test);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) GTEST_SKIP() << "no HIP runtime";
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) << test << ": status " << status;
  }
}

} // namespace
