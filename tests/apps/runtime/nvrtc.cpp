// SPDX-License-Identifier: MIT
// Compiles a kernel to PTX at run time with NVRTC, loads it through the driver API, launches it.
#include "../driver/app.h"
#include <nvrtc.h>
#include <string>

#define CHECK_NVRTC(call)                                                                                             \
  do {                                                                                                                \
    const nvrtcResult nvrtc_result = (call);                                                                          \
    if (nvrtc_result != NVRTC_SUCCESS) {                                                                              \
      std::fprintf(stderr, "%s: %s\n", #call, nvrtcGetErrorString(nvrtc_result));                                     \
      std::exit(1);                                                                                                   \
    }                                                                                                                 \
  } while (0)

int main() {
  const char* source = "template <class T> __device__ T square(T x) { return x * x; }\n"
                       "extern \"C\" __global__ void squares(const int* in, int* out, int n) {\n"
                       "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                       "  if (i < n) out[i] = square(in[i]) + 1;\n"
                       "}\n";
  nvrtcProgram program;
  CHECK_NVRTC(nvrtcCreateProgram(&program, source, "squares.cu", 0, nullptr, nullptr));
  const char* options[] = {"--gpu-architecture=compute_75"};
  CHECK_NVRTC(nvrtcCompileProgram(program, 1, options));
  size_t size = 0;
  CHECK_NVRTC(nvrtcGetPTXSize(program, &size));
  std::string ptx(size, '\0');
  CHECK_NVRTC(nvrtcGetPTX(program, ptx.data()));
  CHECK_NVRTC(nvrtcDestroyProgram(&program));

  app::Session session(ptx.c_str());
  const int n = 500;
  std::vector<int> in(n), want(n);
  for (int i = 0; i < n; ++i) in[i] = i - 250, want[i] = in[i] * in[i] + 1;
  const app::Buffer<int> din(in), dout(n);
  app::launch(session.function("squares"), {4}, {128}, 0, din.address, dout.address, n);
  app::expect(dout.read() == want, "kernel compiled at run time");
  return app::finish();
}
