// SPDX-License-Identifier: MIT
// Memory of the virtual GPU: nanoseconds per wave32 instruction on one host thread, by how far lanes are apart and with all
// or 20 lanes of EXEC; and many small work groups on one and on two host threads.
// Usage: bench_vgpu_memory memory.co [v2 | v3 | v4] [instruction]     default: the host's best ISA, all instructions
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>

#include "loader.h"
#include "valu.h"

namespace {

using namespace ptxshim::vgpu;

constexpr uint32_t kInstructions = 32, kRounds = 2000;

struct Machine {
  explicit Machine(const std::vector<char>& elf, uint32_t threads) : device("gfx1030", threads) {
    auto loaded = device.load(std::as_bytes(std::span<const char>(elf)));
    if (loaded) object = std::move(loaded).value();
    std::sort(object.kernels.begin(), object.kernels.end(), [](const auto& a, const auto& b) { return a.descriptor < b.descriptor; }); // as written
    buffer = device.memory().allocate(1 << 16);
  }
  // Nanoseconds of this process's time; negative when the kernel faulted.
  double run(const LoadedKernel& kernel, uint32_t blocks, uint32_t threads, uint32_t rounds, uint32_t stride) {
    Launch launch;
    launch.blocks[0] = blocks;
    launch.threads[0] = threads;
    launch.arguments.resize(16);
    std::memcpy(launch.arguments.data(), &buffer, 8);
    std::memcpy(launch.arguments.data() + 8, &rounds, 4);
    std::memcpy(launch.arguments.data() + 12, &stride, 4);
    const std::clock_t begin = std::clock();
    const auto outcome = device.launch(kernel, launch);
    const double time = static_cast<double>(std::clock() - begin) * (1e9 / CLOCKS_PER_SEC);
    if (outcome.fault == Fault::None) return time;
    std::fprintf(stderr, "%s\n", outcome.report.c_str());
    return -1;
  }
  double per_instruction(const LoadedKernel& kernel, uint32_t threads, uint32_t stride) {
    double best = 1e30;
    for (int i = 0; i < 12; ++i) best = std::min(best, run(kernel, 1, threads, kRounds, stride));
    return best / (double{kInstructions} * kRounds);
  }

  DirectDevice device;
  LoadedObject object;
  uint64_t buffer = 0;
};

// How far apart the lanes of an instruction can be: the width of what it accesses.
uint32_t width_of(const std::string& name) {
  if (name.find("_u8") != std::string::npos || name.find("_b8") != std::string::npos || name.find("byte") != std::string::npos) return 1;
  if (name.find("short") != std::string::npos) return 2;
  if (name.find("b128") != std::string::npos || name.find("dwordx4") != std::string::npos) return 16;
  return name.find("b64") != std::string::npos || name.find("dwordx2") != std::string::npos ? 8 : 4;
}

bool instructions(const std::vector<char>& elf, const char* only) {
  Machine machine(elf, 1);
  std::printf("  %-24s %12s %12s %12s %12s %12s\n", "", "contiguous", "20 lanes", "strided", "20 lanes", "one address");
  bool good = !machine.object.kernels.empty();
  for (const LoadedKernel& kernel : machine.object.kernels) {
    if (only && kernel.name != only) continue;
    const uint32_t width = width_of(kernel.name);
    const uint32_t strides[] = {width, width, 3 * width + 256, 3 * width + 256, 0}, lanes[] = {32, 20, 32, 20, 32};
    std::printf("  %-24s", kernel.name.c_str());
    const bool lanes_alike = kernel.name[0] == 's' || kernel.name == "nothing";
    for (int i = 0; i < (lanes_alike ? 2 : 5); ++i) {
      const double time = machine.per_instruction(kernel, lanes[i], strides[i] / width * width);
      good = good && time > 0;
      std::printf(" %9.1f ns", time);
    }
    std::printf("\n");
  }
  return good;
}

// Work groups of 64 threads with little in them, where what is shared between host threads would show: processor time per
// group on two threads over that on one.
bool groups(const std::vector<char>& elf) {
  double times[2] = {};
  for (uint32_t threads : {1U, 2U}) {
    Machine machine(elf, threads);
    const LoadedKernel* const kernel = machine.object.find_kernel("nothing");
    if (!kernel) return false;
    double best = 1e30;
    for (int i = 0; i < 4; ++i) best = std::min(best, machine.run(*kernel, 20000, 64, 1, 4));
    times[threads - 1] = best / 20000;
  }
  std::printf("  a group of two waves of 40 instructions: %.0f ns on one host thread, on two %.0f ns of each, ratio %.2f\n", times[0],
              times[1], times[1] / times[0]);
  return times[0] > 0 && times[1] > 0;
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  std::ifstream file(argv[1], std::ios::binary);
  const std::vector<char> elf{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const char* only = nullptr;
  for (int i = 2; i < argc; ++i) {
    if (argv[i][0] == 'v' && argv[i][1] >= '2' && argv[i][1] <= '4' && !argv[i][2])
      choose_host_isa(std::min(static_cast<HostIsa>(argv[i][1] - '2'), best_host_isa()));
    else
      only = argv[i];
  }
  const bool good = instructions(elf, only);
  return groups(elf) && good ? 0 : 1;
}
