// SPDX-License-Identifier: MIT
// Nanoseconds per wave32 VALU operation of the virtual GPU on one host thread: a loop of 64 independent operations in one wave,
// full (32 lanes) and partial (20 lanes) EXEC. The loop's own three scalar operations are counted as free.
#include <chrono>
#include <cstdio>
#include <cstring>

#include "loader.h"
#include "ptxshim/translate.h"

namespace {

constexpr int kOperations = 64, kIterations = 20000;

std::string kernel_of(const char* type, const char* suffix, const char* operation, bool three) {
  std::string ptx = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry test(.param .u64 out, .param .u32 n) {\n"
                    ".reg .pred %p; .reg .b32 %i, %n, %t; .reg .b64 %a, %o; .reg ." + std::string(type) + " %v<65>;\n"
                    "ld.param.u64 %a, [out]; ld.param.u32 %n, [n]; cvta.to.global.u64 %a, %a; mov.u32 %t, %tid.x;\n"
                    "mul.wide.u32 %o, %t, " + (std::strstr(type, "64") ? "8" : "4") + "; add.u64 %a, %a, %o;\n";
  for (int i = 0; i <= kOperations; ++i) ptx += std::string("ld.global.") + suffix + " %v" + std::to_string(i) + ", [%a];\n";
  ptx += "mov.u32 %i, 0;\nagain:\n";
  for (int i = 0; i < kOperations; ++i) {
    const std::string v = "%v" + std::to_string(i);
    const std::string next = "%v" + std::to_string((i + 1) % kOperations); // no closed form for the optimiser to find
    ptx += std::string(operation) + " " + v + ", " + v + ", " + next + (three ? ", " + v : "") + ";\n";
  }
  ptx += "add.u32 %i, %i, 1; setp.lt.u32 %p, %i, %n; @%p bra again;\n";
  for (int i = 0; i < kOperations; ++i) ptx += std::string("st.volatile.global.") + suffix + " [%a], %v" + std::to_string(i) + ";\n";
  return ptx + "ret; }\n";
}

double nanoseconds_per_operation(const std::string& ptx, uint32_t threads) {
  ptxshim::TranslateRequest request;
  request.modules = {ptx};
  request.target = "gfx1030";
  const auto code = ptxshim::translate(request);
  if (!code) {
    std::fprintf(stderr, "%s\n", code.error().message.c_str());
    return -1;
  }
  ptxshim::vgpu::DirectDevice device("gfx1030", 1);
  const auto loaded = device.load(code->elf);
  if (!loaded || !loaded->find_kernel("test")) return -1;
  const uint64_t out = device.memory().allocate(4096);
  double best = 1e30;
  for (const uint32_t iterations : {10u, 10u + kIterations, 10u + kIterations, 10u + kIterations}) {
    ptxshim::vgpu::Launch launch;
    launch.threads[0] = threads;
    launch.arguments.resize(12);
    std::memcpy(launch.arguments.data(), &out, 8);
    std::memcpy(launch.arguments.data() + 8, &iterations, 4);
    const auto begin = std::chrono::steady_clock::now();
    const auto outcome = device.launch(*loaded->find_kernel("test"), launch);
    const double time = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
    if (outcome.fault != ptxshim::vgpu::Fault::None) return -1;
    if (iterations > 10) best = std::min(best, time / (double{kOperations} * iterations));
  }
  return best;
}

} // namespace

int main() {
  struct Row {
    const char *name, *type, *suffix, *operation;
    bool three;
  };
  const Row rows[] = {{"v_fma_f32", "f32", "f32", "fma.rn.f32", true},   {"v_add_f32", "f32", "f32", "add.rn.f32", false},
                      {"v_add_u32", "b32", "u32", "add.u32", false},     {"v_xor_b32", "b32", "u32", "xor.b32", false},
                      {"v_fma_f64", "f64", "f64", "fma.rn.f64", true},   {"v_mul_lo_u32", "b32", "u32", "mul.lo.u32", false}};
  bool good = true;
  for (const Row& row : rows) {
    const std::string ptx = kernel_of(row.type, row.suffix, row.operation, row.three);
    const double full = nanoseconds_per_operation(ptx, 32), partial = nanoseconds_per_operation(ptx, 20);
    std::printf("  %-14s %6.2f ns, 20 of 32 lanes %6.2f ns\n", row.name, full, partial);
    good = good && full > 0 && partial > 0;
  }
  return good ? 0 : 1;
}
