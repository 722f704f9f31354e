// SPDX-License-Identifier: MIT
#include "app.h"
EMBED(image, KERNELS "/hash.ptx")

using u32 = unsigned;
using u64 = unsigned long long;

static u32 reverse(u32 v) {
  u32 r = 0;
  for (int i = 0; i < 32; ++i) r |= (v >> i & 1) << (31 - i);
  return r;
}

static u64 hash_on_cpu(const std::vector<u32>& in, size_t i, int rounds) {
  u32 h = 0x9747b28cu;
  u64 wide = 0xcbf29ce484222325ull;
  for (int r = 0; r < rounds; ++r) {
    const u32 k = in[(i + static_cast<size_t>(r)) % in.size()];
    u32 m = k * 0xcc9e2d51u;
    m = (m << 15) | (m >> 17);
    h ^= m * 0x1b873593u;
    h = ((h << 13) | (h >> 19)) * 5 + 0xe6546b64u;
    wide = (wide ^ h) * 0x100000001b3ull;
    wide ^= wide >> (k & 63);
    // Selector 0x5140: bytes 0 and 4 (k's byte 0), 1 and 5 (k's byte 1), lowest first.
    const u32 permuted = (h & 0xff) | (k & 0xff) << 8 | (h >> 8 & 0xff) << 16 | (k >> 8 & 0xff) << 24;
    wide += static_cast<u32>(__builtin_popcount(h)) + static_cast<u32>(__builtin_clz(h | 1)) + reverse(k) + permuted; // in 32 bits
    wide += static_cast<u32>(static_cast<u64>(h) * k >> 32) + static_cast<u64>(static_cast<unsigned __int128>(wide) * 0x9e3779b97f4a7c15ull >> 64);
    wide ^= static_cast<u64>(static_cast<long long>(static_cast<int>(h) / static_cast<int>((k & 0xff) + 1))) + wide % (k | 1u);
  }
  return wide;
}

int main() {
  app::Session session(image);
  const int n = 2000, rounds = 9;
  std::vector<u32> in(n);
  app::Random random;
  for (u32& x : in) x = random.next() << 8 ^ random.next();
  std::vector<u64> want(n);
  for (size_t i = 0; i < want.size(); ++i) want[i] = hash_on_cpu(in, i, rounds);
  const app::Buffer<u32> din(in);
  const app::Buffer<u64> dout(n);
  app::launch(session.function("hash"), {(n + 95) / 96}, {96}, 0, din.address, dout.address, n, rounds);
  app::expect(dout.read() == want, "integer hash");
  return app::finish();
}
