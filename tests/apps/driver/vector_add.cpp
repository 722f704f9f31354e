// SPDX-License-Identifier: MIT
#include "app.h"
EMBED(image, KERNELS "/vector_add.ptx")

int main() {
  app::Session session(image);
  const CUfunction f = session.function("vector_add");
  const int n = 100003;
  std::vector<float> a(n), b(n), want(n);
  app::Random random;
  for (int i = 0; i < n; ++i) {
    a[i] = random.uniform();
    b[i] = random.uniform() * 100;
    want[i] = a[i] + b[i];
  }
  const app::Buffer<float> da(a), db(b), dc(n), de(n);
  app::launch(f, {(n + 255) / 256}, {256}, 0, da.address, db.address, dc.address, n);
  app::expect(dc.read() == want, "vector_add by kernelParams");
  app::launch_extra(f, {(n + 127) / 128}, {128}, 0, da.address, db.address, de.address, n);
  app::expect(de.read() == want, "vector_add by extra");
  return app::finish();
}
