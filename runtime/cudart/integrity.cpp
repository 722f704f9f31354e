// SPDX-License-Identifier: MIT
// The compatibility check between the CUDA runtime and its driver library: the runtime asks three times, with version numbers that end in 0, 1 and 2,
// and verifies the last answer, a keyed digest over facts that both sides know. Without the right answer no program built with nvcc
// starts on an independent driver library; it protects nothing and is reproduced for interoperability alone.
#include "export_tables.h"
#include "md2.h"

#include <cstring>

namespace ptxshim::api {

namespace {

constexpr uint64_t kAnswerZero[2] = {0x3341181C03CB675C, 0x8ED383AA1F4CD1E8};
constexpr uint64_t kAnswerOne[2] = {0x1841181C03CB675C, 0x8ED383AA1F4CD1E8};
constexpr uint8_t kKey[16] = {0x14, 0x6A, 0xDD, 0xAE, 0x53, 0xA9, 0xA7, 0x52, 0xAA, 0x08, 0x41, 0x36, 0x0B, 0xF5, 0x5A, 0x9F};

static_assert(sizeof(HandshakeInput) == 48 && sizeof(HandshakeDevice) == 28, "both are digested as they lie in memory");

template <class Value> void append(std::vector<uint8_t>& to, const Value& value) {
  const auto* const bytes = reinterpret_cast<const uint8_t*>(&value);
  to.insert(to.end(), bytes, bytes + sizeof value);
}

} // namespace

void handshake_answer(uint64_t (&answer)[2], const HandshakeInput& input, const HandshakeDevice* devices, size_t count) {
  if (input.version % 10 < 2) {
    std::memcpy(answer, input.version % 10 == 0 ? kAnswerZero : kAnswerOne, sizeof answer);
    return;
  }
  std::vector<uint8_t> message;
  append(message, input);
  for (size_t i = 0; i < count; ++i) append(message, devices[i]);
  const Md2Digest digest = hmac_md2(kKey, message);
  static_assert(sizeof digest == sizeof answer);
  std::memcpy(answer, digest.data(), sizeof answer);
}

} // namespace ptxshim::api
