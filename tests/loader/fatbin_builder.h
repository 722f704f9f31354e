// SPDX-License-Identifier: MIT
// Fat binaries put together byte by byte, as the format's description has them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <lz4.h>
#include <string>
#include <vector>
#include <zstd.h>

namespace ptxshim::testing_support {

using Bytes = std::vector<std::byte>;

template <class T> void put(Bytes& bytes, size_t at, T value) {
  if (bytes.size() < at + sizeof value) bytes.resize(at + sizeof value);
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

enum class Packing { None, Lz4, Zstd };

struct EntrySpec {
  uint16_t kind = 1; // 1 PTX, 2 cubin
  uint32_t sm = 80;
  std::string text;
  Packing packing = Packing::None;
  uint64_t extra_flags = 0;
  uint32_t header_size = 64; // more: an identifier fits behind offset 64
  std::string identifier;
};

inline Bytes pack(const std::string& text, Packing packing) {
  Bytes out;
  if (packing == Packing::None) {
    out.resize(text.size());
    std::memcpy(out.data(), text.data(), text.size());
  } else if (packing == Packing::Zstd) {
    out.resize(ZSTD_compressBound(text.size()));
    out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  } else {
    out.resize(static_cast<size_t>(LZ4_compressBound(static_cast<int>(text.size()))));
    out.resize(static_cast<size_t>(LZ4_compress_default(text.data(), reinterpret_cast<char*>(out.data()),
                                                        static_cast<int>(text.size()),
                                                        static_cast<int>(out.size()))));
  }
  return out;
}

inline Bytes make_entry(const EntrySpec& spec) {
  Bytes payload = pack(spec.text, spec.packing);
  const size_t stored = payload.size();
  payload.resize((stored + 7) & ~size_t{7});
  Bytes bytes(spec.header_size);
  put<uint16_t>(bytes, 0, spec.kind);
  put<uint16_t>(bytes, 2, 0x0101);
  put<uint32_t>(bytes, 4, spec.header_size);
  put<uint64_t>(bytes, 8, payload.size());
  put<uint32_t>(bytes, 24, 8u << 16 | 3);
  put<uint32_t>(bytes, 28, spec.sm);
  uint64_t flags = 0x11 | spec.extra_flags;
  if (spec.packing != Packing::None) {
    flags |= spec.packing == Packing::Lz4 ? 0x2000 : 0x8000;
    put<uint32_t>(bytes, 16, static_cast<uint32_t>(stored));
    put<uint64_t>(bytes, 56, spec.text.size());
  }
  put<uint64_t>(bytes, 40, flags);
  if (!spec.identifier.empty()) {
    put<uint32_t>(bytes, 32, 64);
    put<uint32_t>(bytes, 36, static_cast<uint32_t>(spec.identifier.size()));
    std::memcpy(bytes.data() + 64, spec.identifier.data(), spec.identifier.size());
  }
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  return bytes;
}

inline Bytes make_fatbin(const std::vector<EntrySpec>& specs) {
  Bytes bytes;
  put<uint32_t>(bytes, 0, 0xba55ed50);
  put<uint16_t>(bytes, 4, 1);
  put<uint16_t>(bytes, 6, 16);
  put<uint64_t>(bytes, 8, 0);
  for (const EntrySpec& spec : specs) {
    const Bytes entry = make_entry(spec);
    bytes.insert(bytes.end(), entry.begin(), entry.end());
  }
  put<uint64_t>(bytes, 8, bytes.size() - 16);
  return bytes;
}

inline EntrySpec ptx(uint32_t sm, const std::string& text, Packing packing = Packing::None) {
  EntrySpec spec;
  spec.sm = sm;
  spec.text = text;
  spec.packing = packing;
  return spec;
}

inline EntrySpec cubin(uint32_t sm) {
  EntrySpec spec;
  spec.kind = 2;
  spec.sm = sm;
  spec.text = "not really machine code";
  return spec;
}

} // namespace ptxshim::testing_support
