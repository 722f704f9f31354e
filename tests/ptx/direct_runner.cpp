// SPDX-License-Identifier: MIT
// Runs cases on the executor without HIP, for several targets in turn: every generation in every wave size that it has.
// Usage: ptx_direct_runner [--target gfx1030,gfx1030_wave64,gfx90a] FILE|FOLDER …
#include <cstdio>
#include <cstring>
#include <memory>

#include "case.h"
#include "loader.h"
#include "ptxshim/translate.h"

namespace {

using ptxshim::CodeObject;
using ptxshim::Result;
using ptxshim::vgpu::DirectDevice;
using ptxshim::vgpu::DirectMemory;

constexpr std::string_view kWave64 = "_wave64";
const char* const kTargets[] = {"gfx90a",         "gfx942",  "gfx1030",        "gfx1030_wave64", "gfx1100",
                                "gfx1100_wave64", "gfx1150", "gfx1150_wave64", "gfx1200",        "gfx1200_wave64"};

struct Allocation { // given back with its scope
  DirectMemory& memory;
  uint64_t address;
  Allocation(DirectMemory& m, size_t bytes) : memory(m), address(m.allocate(bytes)) {}
  Allocation(const Allocation&) = delete;
  Allocation& operator=(const Allocation&) = delete;
  ~Allocation() { memory.release(address); }
};

std::string run_kernel(DirectDevice& device, const ptxcase::Case& c, const CodeObject& code) {
  for (const ptxshim::KernelInfo& kernel : code.kernels)
    if (kernel.name == "test" && !kernel.error.empty()) return "  " + kernel.error + "\n";
  const auto loaded = device.load(code.elf);
  if (!loaded) return "  " + loaded.error().message + "\n";
  const ptxshim::vgpu::LoadedKernel* const kernel = loaded->find_kernel("test");
  if (!kernel) return "  the code object has no kernel `test`\n";
  std::vector<std::byte> output = ptxcase::blank_output(c);
  const Allocation in(device.memory(), c.input.size() + 1), out(device.memory(), output.size());
  if (!c.input.empty()) std::memcpy(device.memory().host(in.address), c.input.data(), c.input.size());
  std::memcpy(device.memory().host(out.address), output.data(), output.size());
  ptxshim::vgpu::Launch launch;
  for (size_t i = 0; i < 3; ++i) {
    launch.blocks[i] = c.grid[i];
    launch.threads[i] = c.block[i];
  }
  launch.dynamic_shared = c.shared;
  const uint64_t arguments[] = {in.address, out.address};
  launch.arguments.resize(sizeof arguments);
  std::memcpy(launch.arguments.data(), arguments, sizeof arguments);
  const ptxshim::vgpu::DispatchOutcome outcome = device.launch(*kernel, launch);
  if (outcome.fault != ptxshim::vgpu::Fault::None) return "  " + outcome.report + "\n";
  std::memcpy(output.data(), device.memory().host(out.address), output.size());
  return ptxcase::compare(c, output);
}

std::string run_case(DirectDevice& device, const ptxcase::Case& c, ptxshim::TranslateRequest request) {
  request.modules = {c.text};
  request.name = c.path;
  const Result<CodeObject> code = ptxshim::translate(request);
  if (c.error) {
    if (!code && code.error().code == c.error && code.error().message.find(c.error_text) != std::string::npos) return {};
    return "  expected the module to be refused: " + (code ? std::string("it was not") : code.error().message) + "\n";
  }
  if (!code) return code.error().message + "\n";
  return run_kernel(device, c, *code);
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

} // namespace

int main(int argc, char** argv) {
  std::vector<std::string> targets(std::begin(kTargets), std::end(kTargets));
  std::vector<std::string> paths(argv + 1, argv + argc);
  if (paths.size() > 2 && paths[0] == "--target") {
    targets = split(paths[1]);
    paths.erase(paths.begin(), paths.begin() + 2);
  }
  std::vector<ptxcase::Case> cases;
  int passed = 0, failed = 0;
  for (const std::string& path : ptxcase::find_cases(paths)) {
    std::string problem;
    cases.push_back(ptxcase::read_case(path, problem));
    if (problem.empty()) continue;
    std::printf("FAIL %s\n  %s\n", path.c_str(), problem.c_str());
    cases.pop_back();
    ++failed;
  }
  for (const std::string& target : targets) {
    ptxshim::TranslateRequest request;
    request.target = target;
    if (target.ends_with(kWave64)) {
      request.target.resize(target.size() - kWave64.size());
      request.wave_size = 64;
    }
    DirectDevice device(request.target);
    for (const ptxcase::Case& c : cases) {
      const std::string problem = run_case(device, c, request);
      (problem.empty() ? passed : failed)++;
      if (!problem.empty()) std::printf("FAIL %s on %s\n%s\n", c.path.c_str(), target.c_str(), problem.c_str());
    }
  }
  std::printf("%d cases passed, %d failed\n", passed, failed);
  return failed || !passed ? 1 : 0;
}
