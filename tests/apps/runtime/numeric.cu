// SPDX-License-Identifier: MIT
// Matrix multiply, reduction, histogram, n-body, stencil and hash through <<<>>>, each checked on the CPU.
#include "check.h"
#include "../kernels/vector_add.cu"
#include "../kernels/matmul.cu"
#include "../kernels/reduction.cu"
#include "../kernels/histogram.cu"
#include "../kernels/nbody.cu"
#include "../kernels/stencil.cu"
#include "../kernels/hash.cu"

static void check_vector_add() {
  const int n = 12345;
  std::vector<float> a(n), b(n), want(n);
  for (int i = 0; i < n; ++i) a[i] = i * 0.5f, b[i] = i * 0.25f, want[i] = a[i] + b[i];
  Buffer<float> da(a), db(b), dc(n);
  vector_add<<<(n + 255) / 256, 256>>>(da.data, db.data, dc.data, n);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  expect(dc.read() == want, "vector add");
}

static void check_matmul() {
  const int n = 50;
  std::vector<float> a(n * n), b(n * n), want(n * n);
  for (int i = 0; i < n * n; ++i) a[i] = (i * 7 % 13) - 6.0f, b[i] = (i * 5 % 11) - 5.0f; // integers: exact sums
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
      want[i * n + j] = sum;
    }
  Buffer<float> da(a), db(b), dc(n * n), dd(n * n);
  matmul_static<<<dim3(4, 4), dim3(16, 16)>>>(da.data, db.data, dc.data, n);
  CHECK(cudaGetLastError());
  expect(dc.read() == want, "matrix multiply, static shared memory");
  matmul_dynamic<<<dim3(7, 7), dim3(8, 8), 2 * 8 * 8 * sizeof(float)>>>(da.data, db.data, dd.data, n);
  CHECK(cudaGetLastError());
  expect(dd.read() == want, "matrix multiply, dynamic shared memory");
}

static void check_reduction() {
  const int n = 10000, blocks = 4, threads = 256;
  std::vector<int> in(n), want(blocks, 0);
  for (int i = 0; i < n; ++i) in[i] = i % 97 - 40, want[i / threads % blocks] += in[i];
  Buffer<int> din(in), dout(blocks);
  block_sum<<<blocks, threads>>>(din.data, dout.data, n);
  CHECK(cudaGetLastError());
  expect(dout.read() == want, "block reduction");
}

static void check_histogram() {
  const int n = 40000;
  std::vector<unsigned char> in(n);
  std::vector<unsigned> want(256, 0);
  for (int i = 0; i < n; ++i) ++want[in[i] = static_cast<unsigned char>(i * i % 253)];
  Buffer<unsigned char> din(in);
  Buffer<unsigned> bins(256);
  CHECK(cudaMemset(bins.data, 0, 1024));
  histogram<<<6, 128>>>(din.data, bins.data, n);
  CHECK(cudaGetLastError());
  expect(bins.read() == want, "histogram");
}

static void check_nbody() {
  // Two equal bodies, at rest, one unit apart on x: they fall towards each other symmetrically.
  std::vector<float4> bodies = {make_float4(-0.5f, 0, 0, 1), make_float4(0.5f, 0, 0, 1)};
  std::vector<float3> still(2, make_float3(0, 0, 0));
  Buffer<float4> din(bodies), dout(2);
  Buffer<float3> velocity(still);
  nbody_step<<<1, 128>>>(din.data, dout.data, velocity.data, 2, 0.1f);
  CHECK(cudaGetLastError());
  const std::vector<float3> v = velocity.read();
  const double want = 0.1 / std::pow(1.01, 1.5);
  expect(std::abs(v[0].x - want) < 1e-6 && std::abs(v[1].x + want) < 1e-6 && v[0].y == 0 && v[1].z == 0, "n-body");
}

static void check_stencil() {
  const int nx = 33, ny = 20;
  std::vector<double> grid(nx * ny), want(nx * ny);
  for (int i = 0; i < nx * ny; ++i) want[i] = grid[i] = i % 17; // small integers over 8: exact
  for (int y = 1; y < ny - 1; ++y)
    for (int x = 1; x < nx - 1; ++x) {
      const int i = y * nx + x;
      want[i] = grid[i] + 0.125 * (grid[i - 1] + grid[i + 1] + grid[i - nx] + grid[i + nx] - 4.0 * grid[i]);
    }
  Buffer<double> din(grid), dout(nx * ny);
  stencil<<<dim3(3, 3), dim3(16, 8)>>>(din.data, dout.data, nx, ny);
  CHECK(cudaGetLastError());
  expect(dout.read() == want, "double-precision stencil");
}

static void check_hash() {
  // The same kernel on the same input twice must agree, and differ when one input bit changes.
  const int n = 256;
  std::vector<unsigned> in(n, 1u);
  Buffer<unsigned> first(in);
  in[17] ^= 0x80000000u;
  Buffer<unsigned> second(in);
  Buffer<unsigned long long> a(n), b(n), c(n);
  hash<<<2, 128>>>(first.data, a.data, n, 1);
  hash<<<8, 32>>>(first.data, b.data, n, 1);
  hash<<<2, 128>>>(second.data, c.data, n, 1);
  CHECK(cudaGetLastError());
  const std::vector<unsigned long long> ra = a.read(), rb = b.read(), rc = c.read();
  int different = 0;
  for (int i = 0; i < n; ++i) different += ra[i] != rc[i];
  expect(ra == rb && different == 1 && ra[17] != rc[17], "integer hash");
}

int main() {
  check_vector_add();
  check_matmul();
  check_reduction();
  check_histogram();
  check_nbody();
  check_stencil();
  check_hash();
  return finish();
}
