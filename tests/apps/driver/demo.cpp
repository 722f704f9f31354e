// SPDX-License-Identifier: MIT
// The program of scripts/demo: SAXPY on a million elements, checked against the CPU.
#include "app.h"
EMBED(image, KERNELS "/saxpy.ptx")

int main() {
  app::Session session(image);
  const int n = 1 << 20;
  const float a = 2.5f;
  std::vector<float> x(n), y(n), want(n);
  app::Random random;
  for (int i = 0; i < n; ++i) {
    x[i] = random.uniform();
    y[i] = random.uniform();
    want[i] = std::fma(a, x[i], y[i]);
  }
  const app::Buffer<float> dx(x), dy(y);
  app::launch(session.function("saxpy"), {(n + 255) / 256}, {256}, 0, n, a, dx.address, dy.address);
  const std::vector<float> got = dy.read();
  std::printf("saxpy of %d elements: y[0] = %g, y[%d] = %g\n", n, got[0], n - 1, got[n - 1]);
  app::expect(got == want, "every element equals the CPU's");
  return app::finish();
}
