// SPDX-License-Identifier: MIT
// The format of an entry, numbers little endian:
//
// | offset | bytes | field                                                        |
// |--------|-------|--------------------------------------------------------------|
// | 0      | 8     | magic "ptxshimC"                                             |
// | 8      | 4     | format version, 1                                            |
// | 12     | 4     | kind of payload, 1: a code object in wire form               |
// | 16     | 32    | the full key                                                 |
// | 48     | 8     | bytes of payload as stored (a zstd frame)                    |
// | 56     | 8     | bytes of payload unpacked                                    |
// | 64     | 8     | time of creation, seconds since 1970                         |
// | 72     | 64    | producer: translator_build_id(), padded with NULs            |
// | 136    | 32    | BLAKE3 over bytes 0 to 135 and the payload                   |
// | 168    |       | payload, to the end of the file                              |
//
// The checksum is there against damage (torn writes, bad disks, other programs), not against forgery: whoever
// can write the file could compute it. That nobody else can is the directory's business (storage.cpp).
#include "entry.h"

#include <cstring>
#include <ctime>
#include <llvm-c/blake3.h>
#include <zstd.h>

namespace ptxshim::cache {

namespace {

constexpr char kMagic[] = "ptxshimC";
constexpr uint32_t kFormat = 1;
constexpr uint32_t kKindCodeObject = 1;
constexpr size_t kProducerSize = 64;
constexpr size_t kChecksumAt = 136;
constexpr size_t kChecksumSize = 32;
constexpr int kLevel = 3; // measured: higher levels win little on code objects

void checksum(std::span<const std::byte> bytes, uint8_t out[kChecksumSize]) {
  llvm_blake3_hasher hasher;
  llvm_blake3_hasher_init(&hasher);
  llvm_blake3_hasher_update(&hasher, bytes.data(), kChecksumAt);
  llvm_blake3_hasher_update(&hasher, bytes.data() + kEntryHeader, bytes.size() - kEntryHeader);
  llvm_blake3_hasher_finalize(&hasher, out, kChecksumSize);
}

template <class T> void put(std::byte* at, T value) { std::memcpy(at, &value, sizeof value); }
template <class T> T get(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

Error damaged(const std::string& what) {
  return Error{CUDA_ERROR_INVALID_IMAGE, "damaged cache entry: " + what};
}

} // namespace

std::vector<std::byte> pack_entry(const CacheKey& key, const CodeObject& code_object) {
  const std::vector<std::byte> plain = encode(code_object);
  if (plain.size() > kMaxEntry) return {};
  std::vector<std::byte> bytes(kEntryHeader + ZSTD_compressBound(plain.size()));
  const size_t packed = ZSTD_compress(bytes.data() + kEntryHeader, bytes.size() - kEntryHeader, plain.data(),
                                      plain.size(), kLevel);
  if (ZSTD_isError(packed)) return {};
  bytes.resize(kEntryHeader + packed);
  std::memcpy(bytes.data(), kMagic, 8);
  put(bytes.data() + 8, kFormat);
  put(bytes.data() + 12, kKindCodeObject);
  std::memcpy(bytes.data() + 16, key.bytes.data(), key.bytes.size());
  put<uint64_t>(bytes.data() + 48, packed);
  put<uint64_t>(bytes.data() + 56, plain.size());
  put(bytes.data() + 64, static_cast<uint64_t>(std::time(nullptr)));
  const std::string_view producer = translator_build_id();
  std::memcpy(bytes.data() + 72, producer.data(), std::min(producer.size(), kProducerSize));
  uint8_t sum[kChecksumSize];
  checksum(bytes, sum);
  std::memcpy(bytes.data() + kChecksumAt, sum, sizeof sum);
  return bytes;
}

Result<EntryInfo> check_entry(std::span<const std::byte> bytes) {
  if (bytes.size() < kEntryHeader) return damaged("it is cut off");
  if (std::memcmp(bytes.data(), kMagic, 8) != 0) return damaged("its magic number is wrong");
  if (get<uint32_t>(bytes.data() + 8) != kFormat) return damaged("its format version is not known");
  if (get<uint32_t>(bytes.data() + 12) != kKindCodeObject) return damaged("its kind is not known");
  EntryInfo info;
  std::memcpy(info.key.bytes.data(), bytes.data() + 16, info.key.bytes.size());
  info.packed_size = get<uint64_t>(bytes.data() + 48);
  info.unpacked_size = get<uint64_t>(bytes.data() + 56);
  info.created = get<uint64_t>(bytes.data() + 64);
  const auto* producer = reinterpret_cast<const char*>(bytes.data() + 72);
  info.producer.assign(producer, strnlen(producer, kProducerSize));
  if (info.packed_size != bytes.size() - kEntryHeader) return damaged("its size is not what it states");
  if (info.unpacked_size > kMaxEntry) return damaged("it states too large a size");
  uint8_t sum[kChecksumSize];
  checksum(bytes, sum);
  if (std::memcmp(sum, bytes.data() + kChecksumAt, sizeof sum) != 0) return damaged("its checksum is wrong");
  return info;
}

Result<CodeObject> unpack_entry(std::span<const std::byte> bytes, const CacheKey& key) {
  auto info = check_entry(bytes);
  if (!info.ok()) return std::move(info).error();
  if (info->key != key) return damaged("it belongs to another key");
  std::vector<std::byte> plain(static_cast<size_t>(info->unpacked_size));
  const size_t got =
      ZSTD_decompress(plain.data(), plain.size(), bytes.data() + kEntryHeader, bytes.size() - kEntryHeader);
  if (ZSTD_isError(got) || got != plain.size()) return damaged("it does not decompress");
  return decode_code_object(plain);
}

} // namespace ptxshim::cache
