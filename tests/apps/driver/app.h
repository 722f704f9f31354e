// SPDX-License-Identifier: MIT
// What the driver API programs share: a module carried in the executable, checked calls, comparison with a CPU computation.
// A program prints one line per check and ends with 0 only when all agree.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "ptxshim/cuda_abi.h"

// The bytes of a file, with a NUL behind them, as symbol[].
#define EMBED(symbol, file)                                                                                           \
  asm(".pushsection .rodata\n.balign 16\n.global " #symbol "\n" #symbol ":\n.incbin \"" file "\"\n.byte 0\n.popsection\n"); \
  extern "C" const char symbol[];

#define CHECK(call)                                                                                                   \
  do {                                                                                                                \
    const CUresult check_result = (call);                                                                             \
    if (check_result != CUDA_SUCCESS) {                                                                               \
      const char* check_text = nullptr;                                                                               \
      cuGetErrorString(check_result, &check_text);                                                                    \
      std::fprintf(stderr, "%s:%d: %s: error %d (%s)\n", __FILE__, __LINE__, #call, static_cast<int>(check_result),   \
                   check_text ? check_text : "?");                                                                    \
      std::exit(1);                                                                                                   \
    }                                                                                                                 \
  } while (0)

namespace app {

inline int failures = 0;

inline void expect(bool good, const char* what) {
  std::printf("%s: %s\n", what, good ? "ok" : "WRONG");
  if (!good) ++failures;
}

// The device, its primary context, and one module.
struct Session {
  CUdevice device = 0;
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  explicit Session(const char* image) {
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    char name[256];
    CHECK(cuDeviceGetName(name, sizeof name, device));
    std::printf("device: %s\n", name);
    CHECK(cuCtxCreate_v2(&context, 0, device));
    char log[8192] = "", info[8192] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_INFO_LOG_BUFFER,
                              CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {log, reinterpret_cast<void*>(sizeof log), info, reinterpret_cast<void*>(sizeof info)};
    const CUresult loaded = cuModuleLoadDataEx(&module, image, 4, options, values);
    if (loaded != CUDA_SUCCESS) std::fprintf(stderr, "%s\n", log);
    CHECK(loaded);
  }
  ~Session() {
    cuModuleUnload(module);
    cuCtxDestroy_v2(context);
  }
  CUfunction function(const char* name) const {
    CUfunction f = nullptr;
    CHECK(cuModuleGetFunction(&f, module, name));
    return f;
  }
};

// Device memory of n elements.
template <class T> struct Buffer {
  CUdeviceptr address = 0;
  size_t count = 0;
  explicit Buffer(size_t n) : count(n) { CHECK(cuMemAlloc_v2(&address, n * sizeof(T))); }
  explicit Buffer(const std::vector<T>& host) : Buffer(host.size()) { write(host); }
  Buffer(const Buffer&) = delete;
  ~Buffer() { cuMemFree_v2(address); }
  void write(const std::vector<T>& host) { CHECK(cuMemcpyHtoD_v2(address, host.data(), host.size() * sizeof(T))); }
  std::vector<T> read() const {
    std::vector<T> host(count);
    CHECK(cuMemcpyDtoH_v2(host.data(), address, count * sizeof(T)));
    return host;
  }
};

struct Shape {
  unsigned x = 1, y = 1, z = 1;
};

// By kernelParams.
template <class... A> void launch(CUfunction f, Shape grid, Shape block, unsigned shared, A... arguments) {
  void* parameters[] = {&arguments...};
  CHECK(cuLaunchKernel(f, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared, nullptr, parameters, nullptr));
  CHECK(cuCtxSynchronize());
}

// By `extra`: one buffer, every argument at its natural alignment.
template <class... A> void launch_extra(CUfunction f, Shape grid, Shape block, unsigned shared, A... arguments) {
  char buffer[256];
  size_t size = 0;
  const auto place = [&](const auto& value) {
    size = (size + sizeof value - 1) / sizeof value * sizeof value;
    std::memcpy(buffer + size, &value, sizeof value);
    size += sizeof value;
  };
  (place(arguments), ...);
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  CHECK(cuLaunchKernel(f, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared, nullptr, nullptr, extra));
  CHECK(cuCtxSynchronize());
}

// A small generator, the same everywhere.
struct Random {
  unsigned state = 12345;
  unsigned next() {
    state = state * 1664525u + 1013904223u;
    return state >> 8;
  }
  float uniform() { return static_cast<float>(next() % 65536) / 65536.0f; }
};

template <class T> double largest_relative_error(const std::vector<T>& got, const std::vector<T>& want, double floor = 1e-6) {
  double worst = 0;
  for (size_t i = 0; i < want.size(); ++i) {
    const double difference = std::abs(static_cast<double>(got[i]) - static_cast<double>(want[i]));
    const double scale = std::max(std::abs(static_cast<double>(want[i])), floor);
    if (!(difference / scale <= worst)) worst = difference / scale; // also takes NaN
  }
  return worst;
}

inline int finish() {
  std::printf("%s\n", failures ? "FAILED" : "PASSED");
  return failures ? 1 : 0;
}

} // namespace app
