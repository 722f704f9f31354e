// SPDX-License-Identifier: MIT
// What cuModuleLoadData is given: a pointer without a length, at one of
//   - a wrapper (the compiler's static object; version 1 points to a fatbin, version 2 to several that want
//   linking),
//   - a fatbin, which states its size,
//   - a cubin (ELF): machine code of an NVIDIA GPU, refused with advice,
//   - PTX text, up to its NUL.
// Reading memory of unknown size can trust nothing but these headers; sums are checked for overflow, sizes
// against bounds.
//
// A version 2 wrapper's modules stand in the NULL-terminated array that its second pointer names: the runtime
// library fills it while the program starts. Its first pointer holds what nvlink made of them, machine code
// as a rule.
#include "ptxshim/image.h"

#include <cstring>

#include "fatbin.h"
#include "linkage.h"
#include "modules.h"

namespace ptxshim {

namespace loader {
namespace {

constexpr size_t kMaxModules = 65536;
constexpr uint16_t kMachineCuda = 190; // EM_CUDA

Error unknown_image() {
  return Error{CUDA_ERROR_INVALID_IMAGE, "neither PTX text nor a fat binary nor an ELF file"};
}

Error elf_image(const std::byte* elf) {
  if (load16(elf + 18) == kMachineCuda)
    return Error{
        CUDA_ERROR_NO_BINARY_FOR_GPU,
        "a cubin (machine code for an NVIDIA GPU) without PTX cannot be translated; build with nvcc -ptx, or "
        "-fatbin -gencode arch=compute_80,code=compute_80"};
  return Error{CUDA_ERROR_INVALID_IMAGE, "an ELF file that holds no device code by itself"};
}

constexpr uint32_t kElfMagic = 0x464c457f;

// Byte by byte: the image may be a shorter text that ends where the memory does. No byte of our magic numbers
// is 0.
bool has_magic(const std::byte* at, uint32_t magic) {
  for (int i = 0; i < 4; ++i)
    if (at[i] != static_cast<std::byte>(magic >> (8 * i))) return false;
  return true;
}

bool all_text(const char* text, size_t size) {
  bool good = true; // no early exit: this way the loop is vectorised
  for (size_t i = 0; i < size; ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    good &= (c >= 0x20 && c != 0x7f) | (c >= '\t' && c <= '\r');
  }
  return good;
}

PtxImage text_image(std::string text) {
  PtxImage image;
  image.text = std::move(text);
  return image;
}

// In the application's memory; `size` comes from the fatbin's own header.
Result<std::span<const std::byte>> fatbin_at(const std::byte* header) {
  auto size = fatbin_size(header);
  if (!size.ok()) return std::move(size).error();
  if (*size > UINTPTR_MAX - reinterpret_cast<uintptr_t>(header))
    return Error{CUDA_ERROR_INVALID_IMAGE, "damaged fat binary: it would go beyond the end of memory"};
  return std::span<const std::byte>(header, static_cast<size_t>(*size));
}

Result<std::vector<PtxImage>> read_wrapper(const std::byte* wrapper, uint32_t compute_capability) {
  const uint32_t version = load32(wrapper + 4);
  const auto* data = reinterpret_cast<const std::byte*>(load64(wrapper + 8));
  const auto* modules = reinterpret_cast<const std::byte*>(load64(wrapper + 16));
  if (version != 1 && version != 2)
    return Error{CUDA_ERROR_INVALID_IMAGE,
                 "a fat binary wrapper of unknown version " + std::to_string(version)};
  std::vector<std::span<const std::byte>> fatbins;
  if (version == 2 && modules)
    for (size_t i = 0; i <= kMaxModules; ++i) {
      const auto* header = reinterpret_cast<const std::byte*>(load64(modules + 8 * i));
      if (!header) break;
      if (i == kMaxModules)
        return Error{CUDA_ERROR_INVALID_IMAGE, "a fat binary wrapper lists too many modules"};
      auto fatbin = fatbin_at(header);
      if (!fatbin.ok()) return std::move(fatbin).error();
      fatbins.push_back(*fatbin);
    }
  if (fatbins.empty()) {
    if (!data) return Error{CUDA_ERROR_INVALID_IMAGE, "a fat binary wrapper that points to nothing"};
    auto fatbin = fatbin_at(data);
    if (!fatbin.ok()) return std::move(fatbin).error();
    fatbins.push_back(*fatbin);
  }
  return link_unit(fatbins, compute_capability);
}

} // namespace

Result<std::vector<PtxImage>> link_unit(const std::vector<std::span<const std::byte>>& fatbins,
                                        uint32_t compute_capability) {
  std::vector<PtxImage> modules;
  for (std::span<const std::byte> fatbin : fatbins) {
    auto image = select_ptx(fatbin, compute_capability);
    if (!image.ok()) return std::move(image).error();
    modules.push_back(std::move(image).value());
  }
  drop_unused_device_runtime(modules);
  return modules;
}

} // namespace loader

Result<std::vector<PtxImage>> read_image(const void* image, uint32_t compute_capability) {
  using namespace loader;
  const auto* at = static_cast<const std::byte*>(image);
  if (!at) return Error{CUDA_ERROR_INVALID_VALUE, "the image is a null pointer"};
  if (has_magic(at, kWrapperMagic)) return read_wrapper(at, compute_capability);
  if (has_magic(at, kElfMagic)) return elf_image(at);
  if (has_magic(at, kFatbinMagic) || has_magic(at, kOldFatbinMagic)) {
    auto fatbin = fatbin_at(at);
    if (!fatbin.ok()) return std::move(fatbin).error();
    return link_unit({*fatbin}, compute_capability);
  }
  // In pieces, so that what is not text ends the search for a NUL soon.
  constexpr size_t kPiece = 4096;
  const char* text = static_cast<const char*>(image);
  for (size_t length = 0; length < kMaxPtx; length += kPiece) {
    const size_t piece = strnlen(text + length, kPiece);
    if (!all_text(text + length, piece)) break;
    if (piece == kPiece) continue;
    if (length + piece == 0) break;
    return std::vector<PtxImage>{text_image(std::string(text, length + piece))};
  }
  return unknown_image();
}

Result<std::vector<PtxImage>> read_image(std::span<const std::byte> bytes, uint32_t compute_capability) {
  using namespace loader;
  if (bytes.size() >= 4) {
    if (has_magic(bytes.data(), kFatbinMagic) || has_magic(bytes.data(), kOldFatbinMagic))
      return link_unit({bytes}, compute_capability);
    if (has_magic(bytes.data(), kElfMagic) && bytes.size() >= 64) return elf_image(bytes.data());
  }
  std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  text.resize(std::strlen(text.c_str()));
  if (text.empty() || !all_text(text.data(), text.size())) return unknown_image();
  return std::vector<PtxImage>{text_image(std::move(text))};
}

// The sections and members need not be known: a fat binary says itself where it begins and ends.
Result<std::vector<PtxImage>> read_objects(std::span<const std::byte> bytes, uint32_t compute_capability) {
  using namespace loader;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const bool elf = bytes.size() >= 64 && has_magic(bytes.data(), kElfMagic);
  if (!elf && !text.starts_with("!<arch>\n")) return read_image(bytes, compute_capability);
  constexpr uint32_t kMagic = kFatbinMagic;
  const std::string_view magic(reinterpret_cast<const char*>(&kMagic), sizeof kMagic);
  std::vector<PtxImage> modules;
  for (size_t at = text.find(magic); at != std::string_view::npos; at = text.find(magic, at + sizeof kMagic)) {
    if (bytes.size() - at < kFatbinHeaderSize) break;
    const Result<uint64_t> size = fatbin_size(bytes.data() + at);
    if (!size || *size > bytes.size() - at) continue; // the same bytes by chance
    Result<PtxImage> image = select_ptx(bytes.subspan(at, *size), compute_capability);
    if (!image) return std::move(image).error();
    modules.push_back(std::move(image).value());
    at += *size - sizeof kMagic;
  }
  if (!modules.empty()) return modules;
  return elf ? elf_image(bytes.data()) : unknown_image();
}

} // namespace ptxshim
