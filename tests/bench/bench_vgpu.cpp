// SPDX-License-Identifier: MIT
// Nanoseconds per vector operation of the virtual GPU on one host thread, in one wave of 32 lanes, with full EXEC and with 20
// of 32 lanes: the loops of valu.s. Their own three scalar operations a round count as free.
// Usage: bench_vgpu valu.co [v2 | v3 | v4 | operation] ...     default: the host's best ISA, all operations
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "loader.h"
#include "valu.h"

namespace {

using namespace ptxshim::vgpu;

constexpr uint32_t kOperations = 64, kRounds = 1500;
constexpr int kRuns = 30; // short ones: the best of them was not interrupted

double nanoseconds_per_operation(DirectDevice& device, const LoadedKernel& kernel, uint32_t threads) {
  double best = 1e30;
  for (int run = 0; run < kRuns; ++run) {
    Launch launch;
    launch.threads[0] = threads;
    launch.arguments.resize(8);
    std::memcpy(launch.arguments.data(), &kRounds, 4);
    const auto begin = std::chrono::steady_clock::now();
    const auto outcome = device.launch(kernel, launch);
    const double time = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
    if (outcome.fault != Fault::None) {
      std::fprintf(stderr, "%s\n", outcome.report.c_str());
      return -1;
    }
    best = std::min(best, time / (double{kOperations} * kRounds));
  }
  return best;
}

} // namespace

int main(int count, char** arguments) {
  std::vector<std::string> wanted;
  for (int i = 2; i < count; ++i) {
    const std::string argument = arguments[i];
    if (argument == "v2" || argument == "v3" || argument == "v4")
      choose_host_isa(std::min(static_cast<HostIsa>(argument[1] - '2'), best_host_isa()));
    else
      wanted.push_back(argument);
  }
  std::ifstream file(count > 1 ? arguments[1] : "", std::ios::binary);
  const std::vector<char> elf{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  DirectDevice device("gfx1030", 1);
  const auto object = device.load(std::as_bytes(std::span<const char>(elf)));
  if (!object) {
    std::fprintf(stderr, "%s\n", object.error().message.c_str());
    return 1;
  }
  std::printf("  handlers for x86-64-v%u            32 lanes   20 lanes\n", static_cast<unsigned>(host_isa()) + 2);
  std::vector<LoadedKernel> kernels = object->kernels;
  std::sort(kernels.begin(), kernels.end(), [](const auto& a, const auto& b) { return a.descriptor < b.descriptor; }); // as written
  for (const LoadedKernel& kernel : kernels) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), kernel.name) == wanted.end()) continue;
    const double full = nanoseconds_per_operation(device, kernel, 32), partial = nanoseconds_per_operation(device, kernel, 20);
    if (full < 0 || partial < 0) return 1;
    std::printf("  %-28s %9.2f  %9.2f\n", kernel.name.c_str(), full, partial);
    std::fflush(stdout);
  }
  return 0;
}
