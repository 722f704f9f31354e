// SPDX-License-Identifier: MIT
// What the runtime API programs share.
#pragma once
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                                   \
  do {                                                                                                                \
    const cudaError_t check_result = (call);                                                                          \
    if (check_result != cudaSuccess) {                                                                                \
      std::fprintf(stderr, "%s:%d: %s: error %d (%s)\n", __FILE__, __LINE__, #call, int(check_result), cudaGetErrorString(check_result)); \
      std::exit(1);                                                                                                   \
    }                                                                                                                 \
  } while (0)

inline int failures = 0;
inline void expect(bool good, const char* what) {
  std::printf("%s: %s\n", what, good ? "ok" : "WRONG");
  if (!good) ++failures;
}
inline int finish() {
  std::printf("%s\n", failures ? "FAILED" : "PASSED");
  return failures ? 1 : 0;
}

template <class T> struct Buffer {
  T* data = nullptr;
  size_t count;
  explicit Buffer(size_t n) : count(n) { CHECK(cudaMalloc(&data, n * sizeof(T))); }
  explicit Buffer(const std::vector<T>& host) : Buffer(host.size()) {
    CHECK(cudaMemcpy(data, host.data(), count * sizeof(T), cudaMemcpyHostToDevice));
  }
  Buffer(const Buffer&) = delete;
  ~Buffer() { cudaFree(data); }
  std::vector<T> read() const {
    std::vector<T> host(count);
    CHECK(cudaMemcpy(host.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
  }
};
