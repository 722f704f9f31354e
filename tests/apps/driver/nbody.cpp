// SPDX-License-Identifier: MIT
#include "app.h"
EMBED(image, KERNELS "/nbody.ptx")

int main() {
  app::Session session(image);
  const int n = 300;
  const float dt = 0.01f;
  std::vector<float> body(n * 4), velocity(n * 3), want_body(n * 4), want_velocity(n * 3);
  app::Random random;
  for (float& v : body) v = random.uniform() * 2 - 1;
  for (float& v : velocity) v = random.uniform() * 0.1f;
  for (int i = 0; i < n; ++i) {
    double a[3] = {0, 0, 0};
    for (int j = 0; j < n; ++j) {
      double d[3], square = 0.01;
      for (int k = 0; k < 3; ++k) {
        d[k] = double(body[j * 4 + k]) - body[i * 4 + k];
        square += d[k] * d[k];
      }
      const double scale = body[j * 4 + 3] / (square * std::sqrt(square));
      for (int k = 0; k < 3; ++k) a[k] += d[k] * scale;
    }
    for (int k = 0; k < 3; ++k) {
      want_velocity[i * 3 + k] = static_cast<float>(velocity[i * 3 + k] + a[k] * dt);
      want_body[i * 4 + k] = static_cast<float>(body[i * 4 + k] + (velocity[i * 3 + k] + a[k] * dt) * dt);
    }
    want_body[i * 4 + 3] = body[i * 4 + 3];
  }
  const app::Buffer<float> din(body), dout(n * 4), dv(velocity);
  app::launch(session.function("nbody_step"), {(n + 127) / 128}, {128}, 0, din.address, dout.address, dv.address, n, dt);
  app::expect(app::largest_relative_error(dout.read(), want_body, 1.0) < 1e-5, "positions");
  app::expect(app::largest_relative_error(dv.read(), want_velocity, 1.0) < 1e-4, "velocities");
  return app::finish();
}
