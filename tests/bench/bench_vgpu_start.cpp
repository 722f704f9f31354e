// SPDX-License-Identifier: MIT
// What the virtual GPU adds to a program's start, apart from ROCm's own work: loading its library, putting it under the
// runtime (where there is one), and what comes before the first instruction: LLVM's tables, ours, decoding.
// Usage: bench_vgpu_start libptxshim_vgpu.so memory.co; prints milliseconds. Every process counts once: run it several times.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <iterator>

#include "loader.h"
#include "ptxshim/vgpu.h"

namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point begin) { return std::chrono::duration<double, std::milli>(Clock::now() - begin).count(); }

// Negative: there is no ROCm runtime.
double activation(void* library) {
  bool have = false;
  for (const char* name : {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"}) have = have || dlopen(name, RTLD_NOW | RTLD_LOCAL);
  const auto activate = reinterpret_cast<ptxshim_vgpu_activate_t>(dlsym(library, "ptxshim_vgpu_activate"));
  if (!have || !activate) return -1;
  ptxshim_vgpu_options options{};
  options.size = sizeof options;
  options.flags = PTXSHIM_VGPU_QUIET;
  const Clock::time_point begin = Clock::now();
  return activate(&options) == 0 ? since(begin) : -1;
}

double first_kernel(const std::vector<char>& elf) {
  using namespace ptxshim::vgpu;
  const Clock::time_point begin = Clock::now();
  DirectDevice device("gfx1030", 0);
  const auto object = device.load(std::as_bytes(std::span<const char>(elf)));
  const LoadedKernel* const kernel = object ? object->find_kernel("nothing") : nullptr;
  if (!kernel) return -1;
  Launch launch;
  const uint64_t buffer = device.memory().allocate(4096), rounds_and_stride = 1;
  launch.arguments.resize(16);
  std::memcpy(launch.arguments.data(), &buffer, 8);
  std::memcpy(launch.arguments.data() + 8, &rounds_and_stride, 8);
  return device.launch(*kernel, launch).fault == Fault::None ? since(begin) : -1;
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::ifstream file(argv[2], std::ios::binary);
  const std::vector<char> elf{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const Clock::time_point begin = Clock::now();
  void* const library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  const double loading = since(begin);
  if (!library) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  const double activating = activation(library), running = first_kernel(elf);
  std::printf("%.2f %.2f %.2f\n", loading, activating, running);
  return running > 0 ? 0 : 1;
}
