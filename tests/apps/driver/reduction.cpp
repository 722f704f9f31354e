// SPDX-License-Identifier: MIT
#include "app.h"
#ifdef DEBUG_IMAGE
EMBED(image, KERNELS "/reduction_debug.ptx")
#else
EMBED(image, KERNELS "/reduction.ptx")
#endif

static void check_warp_operations(const app::Session& session) {
  const unsigned n = 128;
  std::vector<int> in(n);
  app::Random random;
  for (int& x : in) x = static_cast<int>(random.next() % 100);
  const app::Buffer<int> din(in);
  const app::Buffer<unsigned> dout(n * 6);
  app::launch(session.function("warp_ops"), {2}, {64}, 0, din.address, dout.address);
  const std::vector<unsigned> out = dout.read();
  std::vector<unsigned> want(n * 6);
  for (unsigned i = 0; i < n; ++i) {
    const unsigned base = i & ~31u, lane = i & 31u;
    unsigned odd = 0;
    bool any = false;
    for (unsigned k = 0; k < 32; ++k) {
      odd |= static_cast<unsigned>(in[base + k] & 1) << k;
      any |= in[base + k] > 90;
    }
    want[i * 6 + 0] = odd;
    want[i * 6 + 1] = static_cast<unsigned>(in[lane >= 3 ? i - 3 : i]);
    want[i * 6 + 2] = static_cast<unsigned>(in[base + (lane ^ 5)]);
    want[i * 6 + 3] = static_cast<unsigned>(in[base + (lane & 24) + 2]);
    want[i * 6 + 4] = (any ? 2u : 0u) + 1u;
    want[i * 6 + 5] = in[i] & 1 ? odd : 0;
  }
  app::expect(out == want, "ballot, shuffles, votes, activemask");
}

int main() {
  app::Session session(image);
  const int n = 50001;
  const unsigned blocks = 7, threads = 160; // five warps
  std::vector<int> in(n);
  app::Random random;
  long long total = 0;
  for (int& x : in) {
    x = static_cast<int>(random.next() % 2001) - 1000;
    total += x;
  }
  const app::Buffer<int> din(in), dout(blocks);
  app::launch(session.function("block_sum"), {blocks}, {threads}, 0, din.address, dout.address, n);
  std::vector<int> want(blocks, 0);
  for (int i = 0; i < n; ++i) want[(static_cast<unsigned>(i) / threads) % blocks] += in[i];
  app::expect(dout.read() == want, "sums of blocks");
  check_warp_operations(session);
  return app::finish();
}
