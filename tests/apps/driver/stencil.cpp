// SPDX-License-Identifier: MIT
#include "app.h"
#ifdef DEBUG_IMAGE
EMBED(image, KERNELS "/stencil_debug.ptx")
#else
EMBED(image, KERNELS "/stencil.ptx")
#endif

int main() {
  app::Session session(image);
  const unsigned nx = 70, ny = 45, n = nx * ny;
  std::vector<double> grid(n), want(n);
  app::Random random;
  for (double& v : grid) v = random.uniform();
  for (unsigned y = 0; y < ny; ++y)
    for (unsigned x = 0; x < nx; ++x) {
      const unsigned i = y * nx + x;
      const bool border = x == 0 || y == 0 || x == nx - 1 || y == ny - 1;
      want[i] = border ? grid[i] : grid[i] + 0.125 * (grid[i - 1] + grid[i + 1] + grid[i - nx] + grid[i + nx] - 4.0 * grid[i]);
    }
  const app::Buffer<double> din(grid), dout(n);
  app::launch(session.function("stencil"), {(nx + 15) / 16, (ny + 7) / 8}, {16, 8}, 0, din.address, dout.address, int(nx), int(ny));
  app::expect(app::largest_relative_error(dout.read(), want) < 1e-14, "Jacobi step in double precision");

  std::vector<double> functions(n * 4);
  for (unsigned i = 0; i < n; ++i) {
    functions[i * 4 + 0] = std::sqrt(grid[i]) / (grid[i] + 1.0);
    functions[i * 4 + 1] = std::exp(-grid[i]);
    functions[i * 4 + 2] = std::sin(grid[i]);
    functions[i * 4 + 3] = std::log(grid[i] + 0.5);
  }
  const app::Buffer<double> dmath(n * 4);
  app::launch(session.function("double_math"), {(n + 63) / 64}, {64}, 0, din.address, dmath.address, int(n));
  app::expect(app::largest_relative_error(dmath.read(), functions, 1e-3) < 1e-13, "sqrt, exp, sin, log in double precision");
  return app::finish();
}
