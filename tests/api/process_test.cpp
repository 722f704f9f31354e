// SPDX-License-Identifier: MIT
// How processes end: whatever a device is doing, exit(), a signal or a child's end must neither hang nor crash.
#include "api_test.h"

#include <csignal>
#include <cstdlib>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

// Runs until the word at p is 77: for ever, here.
constexpr char kEndlessPtx[] = R"(
.version 7.5
.target sm_80
.address_size 64
.visible .entry endless(.param .u64 p)
{
  .reg .b64 %rd1;
  .reg .b32 %r1;
  .reg .pred %p;
  ld.param.u64 %rd1, [p];
AGAIN:
  ld.volatile.global.u32 %r1, [%rd1];
  setp.ne.u32 %p, %r1, 77;
  @%p bra AGAIN;
  ret;
}
.visible .entry nothing()
{
  ret;
}
)";

struct Program {
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUdeviceptr word = 0;
  Program() {
    if (cuInit(0) || cuCtxCreate_v2(&context, 0, 0) || cuModuleLoadData(&module, kEndlessPtx) || cuMemAlloc_v2(&word, 4) ||
        cuMemsetD32_v2(word, 0, 1))
      _exit(99);
  }
  CUresult launch(const char* name) const {
    CUfunction function = nullptr;
    CUdeviceptr address = word;
    void* parameters[] = {&address};
    if (const CUresult failed = cuModuleGetFunction(&function, module, name)) return failed;
    return cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, parameters, nullptr);
  }
};

// The wait status of a process that runs `body`; SIGALRM when it has not ended in time.
template <class Body> int status_of(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);
    body();
    std::exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

bool exited(int status, int code) { return WIFEXITED(status) && WEXITSTATUS(status) == code; }

TEST(exit, does_not_wait_for_a_kernel_that_never_ends) {
  EXPECT_TRUE(exited(status_of([] {
                       const Program program;
                       if (program.launch("endless")) _exit(98);
                       std::exit(3);
                     }),
                     3));
}

TEST(exit, ends_a_process_whose_threads_are_in_calls) {
  EXPECT_TRUE(exited(status_of([] {
                       const Program program;
                       for (int i = 0; i < 4; ++i)
                         std::thread([&program] {
                           cuCtxSetCurrent(program.context);
                           CUdeviceptr memory = 0;
                           while (cuMemAlloc_v2(&memory, 4096) == CUDA_SUCCESS && program.launch("nothing") == CUDA_SUCCESS &&
                                  cuCtxSynchronize() == CUDA_SUCCESS && cuMemFree_v2(memory) == CUDA_SUCCESS) {
                           }
                           for (;;) pause();
                         }).detach();
                       usleep(200'000);
                       std::exit(4);
                     }),
                     4));
}

TEST(exit, of_a_child_leaves_the_parent_its_device) {
  EXPECT_TRUE(exited(status_of([] {
                       const Program program;
                       const int child = status_of([] { std::exit(7); });
                       const bool works = program.launch("nothing") == CUDA_SUCCESS && cuCtxSynchronize() == CUDA_SUCCESS;
                       _exit(exited(child, 7) && works ? 5 : 97);
                     }),
                     5));
}

// More threads than a process gets: it runs with those it has.
TEST(threads, of_the_virtual_gpu_may_be_too_many) {
  EXPECT_TRUE(exited(status_of([] {
                       setenv("PTXSHIM_VIRTUAL_GPU_THREADS", "100000", 1);
                       const Program program;
                       _exit(program.launch("nothing") == CUDA_SUCCESS && cuCtxSynchronize() == CUDA_SUCCESS ? 8 : 95);
                     }),
                     8));
}

TEST(signal, ends_a_process_that_waits_for_a_kernel) {
  const int status = status_of([] {
    const Program program;
    if (program.launch("endless")) _exit(98);
    const pid_t self = getpid();
    std::thread([self] {
      usleep(200'000);
      kill(self, SIGINT);
    }).detach();
    cuCtxSynchronize();
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) << status;
}

TEST(signal, may_have_a_handler_that_exits) {
  EXPECT_TRUE(exited(status_of([] {
                       const Program program;
                       if (program.launch("endless")) _exit(98);
                       std::signal(SIGINT, [](int) { std::exit(9); });
                       const pid_t self = getpid();
                       std::thread([self] {
                         usleep(200'000);
                         kill(self, SIGINT);
                       }).detach();
                       cuCtxSynchronize();
                     }),
                     9));
}

TEST(exec, replaces_a_process_whose_kernel_never_ends) {
  EXPECT_TRUE(exited(status_of([] {
                       const Program program;
                       if (program.launch("endless")) _exit(98);
                       usleep(100'000);
                       execl("/bin/sh", "sh", "-c", "exit 10", nullptr);
                       _exit(97);
                     }),
                     10));
}

// As posix_spawn and system() do it.
TEST(fork, and_exec_while_a_kernel_runs) {
  EXPECT_TRUE(exited(status_of([] {
                       const Program program;
                       if (program.launch("endless")) _exit(98);
                       usleep(50'000);
                       for (int i = 0; i < 10; ++i) {
                         const int child = status_of([] {
                           execl("/bin/sh", "sh", "-c", "exit 11", nullptr);
                           _exit(97);
                         });
                         if (!exited(child, 11)) _exit(96);
                       }
                       _exit(cuStreamQuery(nullptr) == CUDA_ERROR_NOT_READY ? 12 : 95);
                     }),
                     12));
}

// CUDA in a child of a process that uses it is an error, not a crash.
TEST(fork, leaves_the_child_without_a_device) {
  EXPECT_TRUE(exited(status_of([] {
                       const Program program;
                       if (program.launch("endless")) _exit(98);
                       const int child = status_of([&program] {
                         CUdeviceptr memory = 0;
                         const bool refused = cuMemAlloc_v2(&memory, 4) == CUDA_ERROR_NOT_INITIALIZED &&
                                              cuCtxSynchronize() == CUDA_ERROR_NOT_INITIALIZED &&
                                              program.launch("nothing") == CUDA_ERROR_NOT_INITIALIZED;
                         _exit(refused ? 13 : 94);
                       });
                       _exit(exited(child, 13) ? 14 : 93);
                     }),
                     14));
}

// SIGSEGV and SIGBUS pass by the virtual GPU, which keeps those of its kernels; the others are not touched.
TEST(handlers, of_the_application_stay) {
  for (const int number : {SIGSEGV, SIGBUS, SIGCHLD, SIGUSR1})
    EXPECT_TRUE(exited(status_of([number] {
                         const auto handler = [](int) { _exit(6); };
                         std::signal(number, handler);
                         const Program program;
                         struct sigaction now {};
                         sigaction(number, nullptr, &now);
                         const bool memory = number == SIGSEGV || number == SIGBUS;
                         if (!memory && now.sa_handler != +handler) _exit(96);
                         volatile uintptr_t nowhere = 64;
                         if (number == SIGSEGV) *reinterpret_cast<volatile int*>(nowhere) = 1;
                         raise(number);
                       }),
                       6));
}

} // namespace
