// SPDX-License-Identifier: MIT
// From an image to translated code. Containers and PTX are read by runtime/loader; translation happens there too, from the cache or in a worker
// process. The one container of our own is what cuLinkComplete returns.
//
// | offset | a linked image                                  |
// | 0      | "PTXSHIM linked\n" and a NUL                     |
// | 16     | u64 bytes of the encoded code object that follows |
#include "context.h"
#include "module.h"

#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ptxshim/cache.h"

namespace ptxshim::api {

namespace {

constexpr char kLinkedMagic[16] = "PTXSHIM linked\n";
constexpr size_t kLinkedHeader = sizeof kLinkedMagic + sizeof(uint64_t);

Cache& cache() {
  static Cache* const kCache = Cache::open().release(); // lives as long as the process
  return *kCache;
}

void log_translation(const Translation& translation, const char* name) {
  const char* const from = translation.from_cache ? "from the cache" : "translated";
  PTXSHIM_LOG_LINE(load, info, "%s: %s in %.3f ms, %zu kernels for %s", name, from, static_cast<double>(translation.elapsed_ns) / 1e6,
                   translation.code_object.kernels.size(), translation.code_object.target.c_str());
}

} // namespace

CUresult report(const char* what, const Error& error) noexcept {
  PTXSHIM_LOG_LINE(load, warn, "%s: %s", what, error.message.c_str());
  return error.code == CUDA_SUCCESS ? CUDA_ERROR_UNKNOWN : error.code;
}

Result<Code> translate_modules(const std::vector<PtxImage>& images, const Jit& jit, const Device& device, const char* name) {
  TranslateRequest request = jit.request;
  for (const PtxImage& image : images) {
    request.modules.push_back(image.text);
    request.names.push_back(image.identifier);
  }
  request.target = device.gfx;
  request.code_object_version = hip::code_object_version();
  request.name = name;
  Result<Translation> translated = translate_cached(cache(), request);
  if (!translated) {
    write_error(jit, translated.error().message);
    return std::move(translated).error();
  }
  log_translation(*translated, name);
  write_info(jit, translated->code_object, translated->elapsed_ns);
  return Code(std::make_shared<CodeObject>(std::move(translated->code_object)));
}

Result<Code> translate_images(const std::vector<PtxImage>& images, const Jit& jit, const Device& device) {
  const std::string name = images.empty() || images[0].identifier.empty() ? "module" : images[0].identifier;
  return translate_modules(images, jit, device, name.c_str());
}

Result<Code> code_from_image(const void* image, const Jit& jit, const Device& device) {
  if (is_linked_image(image)) return code_from_linked_image(image, device);
  Result<std::vector<PtxImage>> images = read_image(image, kComputeCapability);
  if (!images) {
    write_error(jit, images.error().message);
    return std::move(images).error();
  }
  return translate_images(*images, jit, device);
}

Result<std::vector<std::byte>> read_whole_file(const char* path) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return Error{CUDA_ERROR_FILE_NOT_FOUND, std::string(path) + ": " + std::strerror(errno)};
  std::vector<std::byte> bytes;
  struct stat about {};
  bool ok = fstat(file, &about) == 0 && S_ISREG(about.st_mode);
  if (ok) bytes.resize(static_cast<size_t>(about.st_size));
  size_t done = 0;
  while (ok && done < bytes.size()) {
    const ssize_t got = read(file, bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR) continue;
    ok = got > 0;
    if (ok) done += static_cast<size_t>(got);
  }
  close(file);
  if (!ok) return Error{CUDA_ERROR_FILE_NOT_FOUND, std::string(path) + ": cannot be read"};
  return bytes;
}

Result<Code> code_from_file(const char* path, const Jit& jit, const Device& device) {
  Result<std::vector<std::byte>> bytes = read_whole_file(path);
  if (!bytes) return std::move(bytes).error();
  if (is_linked_file(*bytes)) {
    Result<Code> code = code_from_linked_file(*bytes, device);
    return code ? std::move(code) : std::move(code).error().in(path);
  }
  Result<std::vector<PtxImage>> images = read_image(std::span<const std::byte>(*bytes), kComputeCapability);
  if (!images) {
    write_error(jit, images.error().message);
    return std::move(images).error().in(path);
  }
  return translate_images(*images, jit, device);
}

std::vector<std::byte> linked_image(const CodeObject& code) {
  const std::vector<std::byte> body = encode(code);
  const uint64_t length = body.size();
  std::vector<std::byte> image(kLinkedHeader + body.size());
  std::memcpy(image.data(), kLinkedMagic, sizeof kLinkedMagic);
  std::memcpy(image.data() + sizeof kLinkedMagic, &length, sizeof length);
  std::memcpy(image.data() + kLinkedHeader, body.data(), body.size());
  return image;
}

// Compares byte by byte up to the first difference: a PTX text may be shorter than the header.
bool is_linked_image(const void* image) { return std::strncmp(static_cast<const char*>(image), kLinkedMagic, sizeof kLinkedMagic) == 0; }

bool is_linked_file(std::span<const std::byte> bytes) { return bytes.size() >= kLinkedHeader && is_linked_image(bytes.data()); }

Result<Code> code_from_linked_file(std::span<const std::byte> bytes, const Device& device) {
  uint64_t length = 0;
  std::memcpy(&length, bytes.data() + sizeof kLinkedMagic, sizeof length);
  if (length > bytes.size() - kLinkedHeader) return Error{CUDA_ERROR_INVALID_IMAGE, "a linked image is cut off"};
  return code_from_linked_image(bytes.data(), device);
}

Result<Code> code_from_linked_image(const void* image, const Device& device) {
  const std::byte* const bytes = static_cast<const std::byte*>(image);
  uint64_t length = 0;
  std::memcpy(&length, bytes + sizeof kLinkedMagic, sizeof length);
  if (length > SIZE_MAX / 2) return Error{CUDA_ERROR_INVALID_IMAGE, "a linked image states an impossible size"};
  Result<CodeObject> code = decode_code_object({bytes + kLinkedHeader, static_cast<size_t>(length)});
  if (!code) return Error{CUDA_ERROR_INVALID_IMAGE, "a linked image is damaged: " + code.error().message};
  if (code->target != device.gfx)
    return Error{CUDA_ERROR_NO_BINARY_FOR_GPU, "an image linked for " + code->target + " is loaded on a " + device.gfx};
  return Code(std::make_shared<CodeObject>(std::move(*code)));
}

} // namespace ptxshim::api
