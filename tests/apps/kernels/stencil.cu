// SPDX-License-Identifier: MIT
// One Jacobi step on an nx x ny grid of doubles; the border stays.
extern "C" __global__ void stencil(const double* in, double* out, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny) return;
  const int i = y * nx + x;
  if (x == 0 || y == 0 || x == nx - 1 || y == ny - 1)
    out[i] = in[i];
  else
    out[i] = in[i] + 0.125 * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] - 4.0 * in[i]);
}

extern "C" __global__ void double_math(const double* in, double* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double x = in[i];
  out[i * 4 + 0] = sqrt(x) / (x + 1.0);
  out[i * 4 + 1] = exp(-x);
  out[i * 4 + 2] = sin(x);
  out[i * 4 + 3] = log(x + 0.5);
}
