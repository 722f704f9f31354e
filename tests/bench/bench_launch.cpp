// SPDX-License-Identifier: MIT
// What cuLaunchKernel costs over hipModuleLaunchKernel, in turns within one process, enqueueing only.
// Usage: bench_launch FILE.ptx FILE.co KERNEL (a kernel of one pointer parameter); prints nanoseconds per launch: ours, HIP's.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <dlfcn.h>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "ptxshim/cuda_abi.h"

namespace {

constexpr int kBatch = 100, kRounds = 60;

std::string read_file(const char* path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

template <class F> double time_batch(F launch) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kBatch; ++i) launch();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() / kBatch;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::string ptx = read_file(argv[1]), co = read_file(argv[2]);
  CUdevice device = 0;
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  CUdeviceptr out = 0;
  if (cuInit(0) || cuDeviceGet(&device, 0) || cuCtxCreate_v2(&context, 0, device) || cuModuleLoadData(&module, ptx.c_str()) ||
      cuModuleGetFunction(&function, module, argv[3]) || cuMemAlloc_v2(&out, 64))
    return 1;
  void* hip = nullptr;
  for (const char* name : {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"})
    if ((hip = dlopen(name, RTLD_NOW | RTLD_NOLOAD))) break;
  if (!hip) return 1;
  using Load = int (*)(void**, const void*);
  using Get = int (*)(void**, void*, const char*);
  using Launch = int (*)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**);
  const auto load = reinterpret_cast<Load>(dlsym(hip, "hipModuleLoadData"));
  const auto get = reinterpret_cast<Get>(dlsym(hip, "hipModuleGetFunction"));
  const auto launch = reinterpret_cast<Launch>(dlsym(hip, "hipModuleLaunchKernel"));
  void *hip_module = nullptr, *hip_function = nullptr;
  if (!load || !get || !launch || load(&hip_module, co.data()) || get(&hip_function, hip_module, argv[3])) return 1;
  void* parameters[] = {&out};
  std::vector<double> ours, plain;
  int failed = 0;
  for (int round = 0; round < kRounds; ++round) {
    ours.push_back(time_batch([&] { failed |= cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, parameters, nullptr); }));
    cuCtxSynchronize();
    plain.push_back(time_batch([&] { failed |= launch(hip_function, 1, 1, 1, 32, 1, 1, 0, nullptr, parameters, nullptr); }));
    cuCtxSynchronize();
  }
  if (failed) return 1;
  std::printf("%.0f %.0f\n", median(ours), median(plain));
  return 0;
}
