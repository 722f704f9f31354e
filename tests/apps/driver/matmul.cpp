// SPDX-License-Identifier: MIT
#include "app.h"
EMBED(image, KERNELS "/matmul.ptx")

int main() {
  app::Session session(image);
  const unsigned n = 100; // not a multiple of the tile
  std::vector<float> a(n * n), b(n * n), want(n * n);
  app::Random random;
  for (float& x : a) x = random.uniform() - 0.5f;
  for (float& x : b) x = random.uniform() - 0.5f;
  for (unsigned i = 0; i < n; ++i)
    for (unsigned j = 0; j < n; ++j) {
      float sum = 0;
      for (unsigned k = 0; k < n; ++k) sum = std::fma(a[i * n + k], b[k * n + j], sum);
      want[i * n + j] = sum; // the kernels add in the same order with the same fused operation: equal to the bit
    }
  const app::Buffer<float> da(a), db(b), dc(n * n), dd(n * n);
  app::launch(session.function("matmul_static"), {(n + 15) / 16, (n + 15) / 16}, {16, 16}, 0, da.address, db.address, dc.address, int(n));
  app::expect(dc.read() == want, "static shared memory");
  app::launch(session.function("matmul_dynamic"), {(n + 7) / 8, (n + 7) / 8}, {8, 8}, 2 * 8 * 8 * 4, da.address, db.address, dd.address, int(n));
  app::expect(dd.read() == want, "dynamic shared memory");
  return app::finish();
}
