// SPDX-License-Identifier: MIT
// RFC 1319 describes its substitution table S as "a random permutation of 0..255 constructed from the digits of pi", and its appendix gives the
// values. The construction is short and exact, so that it stands here instead of 256 numbers: a shuffle that draws from the decimal digits of pi,
// computed by the compiler.
#include "md2.h"

#include <algorithm>
#include <cstring>

namespace ptxshim {

namespace {

constexpr size_t kBlock = 16;

// Decimal digits of pi after each other: 3 1 4 1 5 9 ... The spigot of Rabinowitz and Wagon, eight digits at a time, 27 terms of the series
// for each eight (2^27 > 10^8): within the steps that clang grants a constant expression.
class PiDigits {
public:
  constexpr PiDigits() {
    constexpr uint64_t kBase = 100'000'000;
    constexpr size_t kTermsPerChunk = 27;
    uint64_t remainders[kDigits / 8 * kTermsPerChunk + 1] = {};
    for (uint64_t& remainder : remainders) remainder = kBase / 5;
    uint64_t held = 0;
    size_t written = 0;
    for (size_t terms = kDigits / 8 * kTermsPerChunk; terms > 0; terms -= kTermsPerChunk) {
      uint64_t sum = 0;
      for (size_t i = terms; i > 0; --i) {
        sum += remainders[i] * kBase;
        remainders[i] = sum % (2 * i - 1);
        sum /= 2 * i - 1;
        if (i > 1) sum *= i - 1;
      }
      const uint64_t chunk = held + sum / kBase;
      held = sum % kBase;
      for (uint64_t unit = kBase / 10; unit > 0; unit /= 10) digits_[written++] = static_cast<uint8_t>(chunk / unit % 10);
    }
  }

  constexpr unsigned next() { return digits_[at_++]; }

  // A uniform number below n, from as many digits as n - 1 has, drawn again while it would be biased.
  constexpr unsigned below(unsigned n) {
    for (;;) {
      unsigned x = next(), range = 10;
      if (n > 10) {
        x = x * 10 + next();
        range = 100;
      }
      if (n > 100) {
        x = x * 10 + next();
        range = 1000;
      }
      if (x < n * (range / n)) return x % n;
    }
  }

private:
  static constexpr size_t kDigits = 800; // 722 are used
  uint8_t digits_[kDigits] = {};
  size_t at_ = 0;
};

constexpr std::array<uint8_t, 256> make_table() {
  std::array<uint8_t, 256> table{};
  for (size_t i = 0; i < table.size(); ++i) table[i] = static_cast<uint8_t>(i);
  PiDigits pi;
  for (unsigned i = 2; i <= 256; ++i) {
    const unsigned j = pi.below(i);
    std::swap(table[j], table[i - 1]);
  }
  return table;
}

constexpr std::array<uint8_t, 256> kTable = make_table();

void append(std::vector<uint8_t>& to, std::span<const uint8_t> bytes) { to.insert(to.end(), bytes.begin(), bytes.end()); }

} // namespace

Md2Digest md2(std::span<const uint8_t> message) {
  const std::array<uint8_t, 256>& s = kTable;
  std::vector<uint8_t> padded(message.begin(), message.end());
  const size_t padding = kBlock - message.size() % kBlock;
  padded.insert(padded.end(), padding, static_cast<uint8_t>(padding)); // 3.1
  std::array<uint8_t, kBlock> checksum{};                              // 3.2
  uint8_t last = 0;
  for (size_t block = 0; block < padded.size(); block += kBlock)
    for (size_t j = 0; j < kBlock; ++j) last = checksum[j] = static_cast<uint8_t>(checksum[j] ^ s[padded[block + j] ^ last]);
  append(padded, checksum);
  std::array<uint8_t, 3 * kBlock> x{}; // 3.3, 3.4
  for (size_t block = 0; block < padded.size(); block += kBlock) {
    for (size_t j = 0; j < kBlock; ++j) {
      x[kBlock + j] = padded[block + j];
      x[2 * kBlock + j] = static_cast<uint8_t>(x[kBlock + j] ^ x[j]);
    }
    unsigned t = 0;
    for (unsigned round = 0; round < 18; ++round) {
      for (uint8_t& byte : x) t = byte = static_cast<uint8_t>(byte ^ s[t]);
      t = (t + round) % 256;
    }
  }
  Md2Digest digest;
  std::copy_n(x.begin(), digest.size(), digest.begin());
  return digest;
}

Md2Digest hmac_md2(std::span<const uint8_t> key, std::span<const uint8_t> message) {
  std::array<uint8_t, kBlock> block{};
  if (key.size() > kBlock)
    block = md2(key);
  else
    std::copy(key.begin(), key.end(), block.begin());
  std::vector<uint8_t> inner, outer;
  for (const uint8_t byte : block) {
    inner.push_back(byte ^ 0x36);
    outer.push_back(byte ^ 0x5c);
  }
  append(inner, message);
  append(outer, md2(inner));
  return md2(outer);
}

} // namespace ptxshim
