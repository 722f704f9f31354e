// SPDX-License-Identifier: MIT
// A fatbin is a 16-byte header and entries, each with a header of its own whose size varies (always taken
// from its field) and a payload that may be compressed. Everything here comes from a file or from an
// application's memory: each size is compared with what is left before it is used, and decompression never
// exceeds the size that the entry states, which in turn is bounded.
//
// | entry  | field                                              |
// |--------|----------------------------------------------------|
// | +0 u16 | kind: 1 PTX, 2 cubin                               |
// | +4 u32 | size of this header                                |
// | +8 u64 | size of the payload, padded                        |
// | +16 u32| exact size of a compressed payload                 |
// | +24 u32| PTX version, major << 16 or minor                  |
// | +28 u32| SM number                                          |
// | +32, +36 u32 | offset and length of a source identifier     |
// | +40 u64| flags: 0x2000 LZ4 block, 0x8000 zstd frame,         |
// |        | 0x100000 sm_90a and the like, 0x200000 sm_100f ...  |
// | +56 u64| size after decompression                           |
//
// Which PTX: the highest SM not above the reported capability; if there is none, the lowest above it: code
// for a newer virtual architecture is translated all the same, and may well use nothing new. PTX for one
// architecture alone (sm_90a) or one family (sm_100f) comes last: it exists because it uses what other GPUs
// do not have.
#include "fatbin.h"

#include <cstring>
#include <lz4.h>
#include <zstd.h>

namespace ptxshim::loader {

namespace {

constexpr uint16_t kKindPtx = 1;
constexpr uint16_t kKindCubin = 2;
constexpr uint64_t kFlagLz4 = 0x2000;
constexpr uint64_t kFlagZstd = 0x8000;
constexpr uint64_t kFlagsSpecific = 0x300000;
constexpr size_t kEntryHeaderMinimum = 64;

Error damaged(const std::string& what) {
  return Error{CUDA_ERROR_INVALID_IMAGE, "damaged fat binary: " + what};
}

template <class T> T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value; // x86-64, the only host, is little endian
}

std::string read_identifier(std::span<const std::byte> header) {
  const uint32_t offset = load32(header.data() + 32);
  const uint32_t length = load32(header.data() + 36);
  if (!offset || offset > header.size() || length > header.size() - offset) return {};
  std::string text(reinterpret_cast<const char*>(header.data() + offset), length);
  text.resize(std::strlen(text.c_str())); // up to a NUL inside, if any
  return text;
}

// One entry at the front of `left`, and how much of it the entry takes.
Result<FatbinEntry> read_entry(std::span<const std::byte> left, size_t& taken) {
  if (left.size() < kEntryHeaderMinimum) return damaged("an entry's header is cut off");
  const uint32_t header_size = load32(left.data() + 4);
  if (header_size < kEntryHeaderMinimum || header_size > left.size())
    return damaged("an entry states a header of " + std::to_string(header_size) + " bytes");
  const uint64_t payload_size = load64(left.data() + 8);
  if (payload_size > left.size() - header_size)
    return damaged("an entry states " + std::to_string(payload_size) + " bytes, " +
                   std::to_string(left.size() - header_size) + " are there");
  FatbinEntry entry;
  entry.kind = load16(left.data());
  entry.sm = load32(left.data() + 28);
  const uint32_t version = load32(left.data() + 24);
  entry.ptx_version = (version >> 16) * 10 + (version & 0xffff);
  entry.flags = load64(left.data() + 40);
  entry.identifier = read_identifier(left.first(header_size));
  size_t stored = static_cast<size_t>(payload_size);
  if (entry.flags & (kFlagLz4 | kFlagZstd)) {
    const uint32_t exact = load32(left.data() + 16);
    if (exact > payload_size) return damaged("a compressed entry is larger than its place");
    stored = exact;
    entry.unpacked_size = load64(left.data() + 56);
  }
  entry.payload = left.subspan(header_size, stored);
  taken = static_cast<size_t>(header_size + payload_size);
  return entry;
}

Result<std::string> unpack(const FatbinEntry& entry) {
  std::string text;
  if (!(entry.flags & (kFlagLz4 | kFlagZstd))) {
    if (entry.payload.size() > kMaxPtx) return damaged("a PTX text of more than 512 MiB");
    text.assign(reinterpret_cast<const char*>(entry.payload.data()), entry.payload.size());
    return text;
  }
  const uint64_t size = entry.unpacked_size;
  if (size == 0 || size > kMaxPtx)
    return damaged("a PTX text states " + std::to_string(size) + " bytes after decompression");
  size_t got = 0;
  if (entry.flags & kFlagZstd) {
    const unsigned long long framed = ZSTD_getFrameContentSize(entry.payload.data(), entry.payload.size());
    if (framed == ZSTD_CONTENTSIZE_ERROR || (framed != ZSTD_CONTENTSIZE_UNKNOWN && framed != size))
      return damaged("a zstd frame does not fit its entry");
    text.resize(size);
    got = ZSTD_decompress(text.data(), text.size(), entry.payload.data(), entry.payload.size());
    if (ZSTD_isError(got)) return damaged(std::string("zstd: ") + ZSTD_getErrorName(got));
  } else {
    if (size / 255 > entry.payload.size()) return damaged("an LZ4 block cannot hold what its entry states");
    text.resize(size);
    const int count = LZ4_decompress_safe(reinterpret_cast<const char*>(entry.payload.data()), text.data(),
                                          static_cast<int>(entry.payload.size()), static_cast<int>(size));
    if (count < 0) return damaged("the LZ4 block is not one");
    got = static_cast<size_t>(count);
  }
  if (got != size) return damaged("a PTX text is shorter than stated");
  return text;
}

Error no_ptx(const std::vector<FatbinEntry>& entries) {
  std::string have;
  for (const FatbinEntry& entry : entries)
    if (entry.kind == kKindCubin) have += (have.empty() ? "sm_" : ", sm_") + std::to_string(entry.sm);
  return Error{CUDA_ERROR_NO_BINARY_FOR_GPU,
               have.empty() ? "the fat binary holds no device code"
                            : "the program was built without PTX (it holds machine code for " + have +
                                  " alone); build it with nvcc -gencode arch=compute_80,code=compute_80"};
}

const FatbinEntry* choose(const std::vector<FatbinEntry>& entries, uint32_t compute_capability,
                          bool specific) {
  const FatbinEntry* below = nullptr;
  const FatbinEntry* above = nullptr;
  for (const FatbinEntry& entry : entries) {
    if (entry.kind != kKindPtx || ((entry.flags & kFlagsSpecific) != 0) != specific) continue;
    if (entry.sm <= compute_capability) {
      if (!below || entry.sm > below->sm) below = &entry;
    } else if (!above || entry.sm < above->sm) {
      above = &entry;
    }
  }
  return below ? below : above;
}

} // namespace

uint16_t load16(const std::byte* at) { return load<uint16_t>(at); }
uint32_t load32(const std::byte* at) { return load<uint32_t>(at); }
uint64_t load64(const std::byte* at) { return load<uint64_t>(at); }

Result<uint64_t> fatbin_size(const std::byte* header) {
  const uint32_t magic = load32(header);
  if (magic == kOldFatbinMagic)
    return Error{CUDA_ERROR_INVALID_IMAGE, "a fat binary in the format of CUDA before 5.0 is not supported"};
  if (magic != kFatbinMagic) return damaged("its magic number is wrong");
  if (load16(header + 4) != 1) return damaged("its version is " + std::to_string(load16(header + 4)));
  const uint16_t header_size = load16(header + 6);
  if (header_size < kFatbinHeaderSize) return damaged("its header is too small");
  const uint64_t entries = load64(header + 8);
  if (entries > kMaxFatbin) return damaged("it states " + std::to_string(entries) + " bytes");
  return header_size + entries;
}

Result<std::vector<FatbinEntry>> read_entries(std::span<const std::byte> bytes) {
  if (bytes.size() < kFatbinHeaderSize) return damaged("its header is cut off");
  auto size = fatbin_size(bytes.data());
  if (!size.ok()) return std::move(size).error();
  if (*size > bytes.size())
    return damaged("it states " + std::to_string(*size) + " bytes, " + std::to_string(bytes.size()) +
                   " are there");
  const uint16_t header_size = load16(bytes.data() + 6);
  std::span<const std::byte> left = bytes.first(static_cast<size_t>(*size)).subspan(header_size);
  std::vector<FatbinEntry> entries;
  while (!left.empty()) {
    size_t taken = 0;
    auto entry = read_entry(left, taken);
    if (!entry.ok()) return std::move(entry).error();
    entries.push_back(std::move(entry).value());
    left = left.subspan(taken);
  }
  return entries;
}

Result<PtxImage> select_ptx(std::span<const std::byte> fatbin, uint32_t compute_capability) {
  auto entries = read_entries(fatbin);
  if (!entries.ok()) return std::move(entries).error();
  const FatbinEntry* entry = choose(*entries, compute_capability, false);
  if (!entry) entry = choose(*entries, compute_capability, true);
  if (!entry) return no_ptx(*entries);
  auto text = unpack(*entry);
  if (!text.ok()) return std::move(text).error();
  PtxImage image;
  image.text = std::move(text).value();
  while (!image.text.empty() && image.text.back() == '\0')
    image.text.pop_back();
  image.sm = entry->sm;
  image.ptx_version = entry->ptx_version;
  image.identifier = entry->identifier;
  return image;
}

} // namespace ptxshim::loader
