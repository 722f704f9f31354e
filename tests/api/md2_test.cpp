// SPDX-License-Identifier: MIT
#include "cudart/md2.h"

#include <string>

#include <gtest/gtest.h>

namespace {

std::span<const uint8_t> bytes(const std::string& text) { return {reinterpret_cast<const uint8_t*>(text.data()), text.size()}; }

std::string hex(const ptxshim::Md2Digest& digest) {
  std::string text;
  for (const uint8_t byte : digest) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", byte);
    text += two;
  }
  return text;
}

// RFC 1319, appendix A.5
TEST(md2, test_suite_of_rfc_1319) {
  const std::pair<const char*, const char*> kCases[] = {
      {"", "8350e5a3e24c153df2275c9f80692773"},
      {"a", "32ec01ec4a6dac72c0ab96fb34c0b5d1"},
      {"abc", "da853b0d3f88d99b30283a69e6ded6bb"},
      {"message digest", "ab4f496bfb2a530b219ff33031fe06b0"},
      {"abcdefghijklmnopqrstuvwxyz", "4e8ddff3650292ab5a4108c3aa47940b"},
      {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "da33def2a42df13975352846c30338cd"},
      {"12345678901234567890123456789012345678901234567890123456789012345678901234567890", "d5976f79d83d3a0dc9806c3c66f3efd8"},
  };
  for (const auto& [message, digest] : kCases) EXPECT_EQ(hex(ptxshim::md2(bytes(message))), digest) << message;
}

// RFC 2104: H(K ^ opad, H(K ^ ipad, text)), written out with md2 alone.
TEST(hmac_md2, follows_rfc_2104) {
  const std::string key = "0123456789abcdef", text = "what do ya want for nothing?";
  std::string inner, outer;
  for (const char c : key) {
    inner += static_cast<char>(c ^ 0x36);
    outer += static_cast<char>(c ^ 0x5c);
  }
  const ptxshim::Md2Digest first = ptxshim::md2(bytes(inner + text));
  outer.append(reinterpret_cast<const char*>(first.data()), first.size());
  EXPECT_EQ(hex(ptxshim::hmac_md2(bytes(key), bytes(text))), hex(ptxshim::md2(bytes(outer))));
}

TEST(hmac_md2, pads_short_keys_and_digests_long_ones) {
  const std::string shorter = "key", padded("key\0\0\0\0\0\0\0\0\0\0\0\0\0", 16), longer = "a key of more than sixteen bytes";
  const ptxshim::Md2Digest digested = ptxshim::md2(bytes(longer));
  EXPECT_EQ(ptxshim::hmac_md2(bytes(shorter), bytes("m")), ptxshim::hmac_md2(bytes(padded), bytes("m")));
  EXPECT_EQ(ptxshim::hmac_md2(bytes(longer), bytes("m")), ptxshim::hmac_md2(digested, bytes("m")));
  EXPECT_NE(ptxshim::hmac_md2(bytes(shorter), bytes("m")), ptxshim::hmac_md2(bytes(longer), bytes("m")));
}

} // namespace
