// SPDX-License-Identifier: MIT
#include "app.h"
EMBED(image, KERNELS "/histogram.ptx")

static void check_atomics(const app::Session& session) {
  const unsigned n = 512;
  std::vector<unsigned> u = {0, 0, 77, 0, 0xffffffffu, 0, 0, 0}, wu = u;
  std::vector<int> s = {0, -1000, 0}, ws = s;
  std::vector<unsigned long long> l = {0, 5}, wl = l;
  std::vector<float> f = {0.5f}, wf = f;
  for (unsigned i = 0; i < n; ++i) {
    wu[0] += i;
    wu[1] = std::max(wu[1], i);
    wu[2] = std::min(wu[2], i);
    wu[3] |= 1u << (i & 31);
    wu[4] &= ~(1u << (i & 15));
    wu[5] ^= i;
    wu[6] = wu[6] >= 6 ? 0 : wu[6] + 1;
    wu[7] = wu[7] == 0 || wu[7] > 9 ? 9 : wu[7] - 1;
    ws[0] = std::min(ws[0], -static_cast<int>(i));
    ws[1] = std::max(ws[1], static_cast<int>(i) - 100);
    ws[2] -= 2;
    wl[0] += 0x100000001ull;
    wl[1] += 3;
    wf[0] += 1.0f; // exact: below 2^24
  }
  const app::Buffer<unsigned> du(u);
  const app::Buffer<int> ds(s);
  const app::Buffer<unsigned long long> dl(l);
  const app::Buffer<float> df(f);
  app::launch(session.function("atomics"), {4}, {128}, 0, du.address, ds.address, dl.address, df.address);
  app::expect(du.read() == wu && ds.read() == ws && dl.read() == wl && df.read() == wf, "each kind of atomic");
}

int main() {
  app::Session session(image);
  const int n = 200000;
  std::vector<unsigned char> in(n);
  std::vector<unsigned> want(256, 0);
  app::Random random;
  for (unsigned char& x : in) {
    x = static_cast<unsigned char>(random.next() % 251);
    ++want[x];
  }
  const app::Buffer<unsigned char> din(in);
  const app::Buffer<unsigned> bins(256);
  CHECK(cuMemsetD32_v2(bins.address, 0, 256));
  app::launch(session.function("histogram"), {8}, {192}, 0, din.address, bins.address, n);
  app::expect(bins.read() == want, "histogram in shared memory");
  check_atomics(session);
  return app::finish();
}
