// SPDX-License-Identifier: MIT
// Kernels that do what they must not: the program sees the error that NVIDIA's driver gives, the error stays with the context,
// and the process lives on. Each case runs in a process of its own (the program executes itself with the case's name).
#include "app.h"
EMBED(image, KERNELS "/faults.ptx")

#include <string>
#include <sys/wait.h>
#include <unistd.h>

static CUresult start(const app::Session& session, const char* kernel, CUdeviceptr address, CUdeviceptr out) {
  void* parameters[] = {&address, &out};
  CHECK(cuLaunchKernel(session.function(kernel), 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
  return cuCtxSynchronize();
}

// What the faulting kernel gives, and that the context is lost with it.
static int run_case(const std::string& which) {
  app::Session session(image);
  app::Buffer<int> out(1);
  CUresult want = CUDA_ERROR_ILLEGAL_ADDRESS, got = CUDA_SUCCESS;
  if (which == "null") got = start(session, "write_to", 0, 0);
  if (which == "wild") got = start(session, "write_to", 0x123456789000ull, 0);
  if (which == "read") got = start(session, "read_from", 0x7fffffff0000ull, out.address);
  if (which == "trap") {
    want = CUDA_ERROR_LAUNCH_FAILED;
    got = start(session, "stop", 0, 0);
  }
  app::expect(got == want, ("error of " + which).c_str());
  if (got != want) std::printf("got %d, want %d\n", static_cast<int>(got), static_cast<int>(want));
  int value = 0;
  app::expect(cuMemcpyDtoH_v2(&value, out.address, sizeof value) == want, "a copy afterwards gives it too");
  app::expect(cuCtxSynchronize() == want, "and so does a synchronisation");
  CUdeviceptr more = 0;
  app::expect(cuMemAlloc_v2(&more, 16) == want, "and an allocation");
  std::fflush(stdout);
  _exit(app::failures ? 1 : 0); // the context is lost: nothing to tear down
}

int main(int argc, char** argv) {
  if (argc > 1) return run_case(argv[1]);
  for (const char* which : {"null", "wild", "read", "trap"}) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      execl("/proc/self/exe", argv[0], which, nullptr);
      _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    app::expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, which);
  }
  // A process that did nothing wrong is not concerned.
  app::Session session(image);
  const app::Buffer<int> out(1);
  app::launch(session.function("fine"), {1}, {1}, 0, out.address);
  app::expect(out.read()[0] == 42, "a good kernel");
  return app::finish();
}
