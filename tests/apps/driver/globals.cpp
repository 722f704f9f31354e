// SPDX-License-Identifier: MIT
#include "app.h"
#ifdef DEBUG_IMAGE
EMBED(image, KERNELS "/globals_debug.ptx")
#else
EMBED(image, KERNELS "/globals.ptx")
#endif

int main() {
  app::Session session(image);
  CUdeviceptr coefficients = 0, counter = 0, table = 0;
  size_t bytes = 0;
  CHECK(cuModuleGetGlobal_v2(&coefficients, &bytes, session.module, "coefficients"));
  app::expect(bytes == 16, "size of a __constant__ variable");
  float initial[4] = {};
  CHECK(cuMemcpyDtoH_v2(initial, coefficients, sizeof initial));
  app::expect(initial[0] == 1 && initial[1] == 2 && initial[2] == 3 && initial[3] == 4, "its initial value");
  CHECK(cuModuleGetGlobal_v2(&counter, &bytes, session.module, "counter"));
  app::expect(bytes == 4, "size of a __device__ variable");
  CHECK(cuModuleGetGlobal_v2(&table, &bytes, session.module, "table"));
  app::expect(bytes == 32, "size of an array");
  CUdeviceptr missing = 0;
  app::expect(cuModuleGetGlobal_v2(&missing, &bytes, session.module, "no_such_variable") == CUDA_ERROR_NOT_FOUND, "a name that is not there");

  const float c[4] = {0.5f, -1.0f, 0.25f, 2.0f};
  float t[8];
  for (int i = 0; i < 8; ++i) t[i] = static_cast<float>(i) * 0.125f;
  CHECK(cuMemcpyHtoD_v2(coefficients, c, sizeof c));
  CHECK(cuMemcpyHtoD_v2(table, t, sizeof t));
  const int n = 1000;
  std::vector<float> x(n), want(n);
  for (int i = 0; i < n; ++i) {
    x[i] = static_cast<float>(i % 16) * 0.25f; // every product and sum below is exact, fused or not
    want[i] = ((c[3] * x[i] + c[2]) * x[i] + c[1]) * x[i] + c[0] + t[i & 7];
  }
  const app::Buffer<float> dx(x), dy(n);
  app::launch(session.function("evaluate"), {8}, {128}, 0, dx.address, dy.address, n);
  app::expect(dy.read() == want, "a polynomial of them");
  int count = 0;
  CHECK(cuMemcpyDtoH_v2(&count, counter, 4));
  app::expect(count == 5 + (n + 2) / 3, "a counter reached through an initialised pointer");
  return app::finish();
}
