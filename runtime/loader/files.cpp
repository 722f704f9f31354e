// SPDX-License-Identifier: MIT
#include "files.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf_file.h"
#include "fatbin.h"
#include "modules.h"

namespace ptxshim::loader {

namespace {

constexpr std::string_view kArchive = "!<arch>\n";
constexpr std::string_view kThinArchive = "!<thin>\n";
constexpr std::string_view kElf = "\177ELF";
constexpr size_t kMemberHeader = 60;

// A file in memory, privately: libelf may write to it.
class Mapping {
public:
  explicit Mapping(const std::string& path) {
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;
    if (fd < 0 || fstat(fd, &status)) {
      error_ = errno;
    } else if (!S_ISREG(status.st_mode)) {
      error_ = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
    } else if (status.st_size > 0) {
      size_ = static_cast<size_t>(status.st_size);
      address_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, fd, 0);
      if (address_ == MAP_FAILED) error_ = errno;
    }
    if (fd >= 0) close(fd);
  }
  ~Mapping() {
    if (address_ != MAP_FAILED) munmap(address_, size_);
  }
  Mapping(const Mapping&) = delete;

  int error() const { return error_; }
  std::span<std::byte> bytes() const {
    return address_ == MAP_FAILED ? std::span<std::byte>()
                                  : std::span(static_cast<std::byte*>(address_), size_);
  }

private:
  int error_ = 0;
  void* address_ = MAP_FAILED;
  size_t size_ = 0;
};

bool starts_with(std::span<const std::byte> bytes, std::string_view text) {
  return bytes.size() >= text.size() && std::memcmp(bytes.data(), text.data(), text.size()) == 0;
}

void visit_alone(const ElfFatbins& fatbins, uint32_t compute_capability, const UnitVisitor& visit) {
  for (std::span<const std::byte> fatbin : fatbins.alone)
    visit(link_unit({fatbin}, compute_capability));
}

Result<void> visit_elf(std::span<std::byte> bytes, uint32_t compute_capability, const UnitVisitor& visit) {
  auto fatbins = find_fatbins(bytes);
  if (!fatbins.ok()) return std::move(fatbins).error();
  visit_alone(*fatbins, compute_capability, visit);
  if (!fatbins->together.empty()) visit(link_unit(fatbins->together, compute_capability));
  return {};
}

// `!<arch>\n`, then members: a header of 60 characters (size in decimal at 48, "`\n" at the end), contents,
// padded to even.
Result<void> visit_archive(std::span<std::byte> bytes, uint32_t compute_capability,
                           const UnitVisitor& visit) {
  std::vector<std::span<const std::byte>> together;
  for (size_t at = kArchive.size(); at < bytes.size();) {
    const Error damaged{CUDA_ERROR_INVALID_IMAGE, "damaged archive at byte " + std::to_string(at)};
    if (bytes.size() - at < kMemberHeader) return damaged;
    const char* header = reinterpret_cast<const char*>(bytes.data() + at);
    uint64_t size = 0;
    const auto parsed = std::from_chars(header + 48, header + 58, size);
    if (parsed.ec != std::errc() || header[58] != '`' || header[59] != '\n') return damaged;
    at += kMemberHeader;
    if (size > bytes.size() - at) return damaged;
    const std::span<std::byte> member = bytes.subspan(at, static_cast<size_t>(size));
    if (starts_with(member, kElf)) {
      auto fatbins = find_fatbins(member);
      if (fatbins.ok()) {
        visit_alone(*fatbins, compute_capability, visit);
        together.insert(together.end(), fatbins->together.begin(), fatbins->together.end());
      } else {
        visit(std::move(fatbins).error());
      }
    }
    at += static_cast<size_t>(size + (size & 1));
  }
  if (!together.empty()) visit(link_unit(together, compute_capability));
  return {};
}

} // namespace

Result<void> for_each_unit(const std::string& path, uint32_t compute_capability, const UnitVisitor& visit) {
  const Mapping file(path);
  const auto bad = [&](Error error) { return std::move(error).in(path); };
  if (file.error() == ENOENT) return bad(Error{CUDA_ERROR_FILE_NOT_FOUND, "no such file"});
  if (file.error()) return bad(Error{CUDA_ERROR_OPERATING_SYSTEM, strerrordesc_np(file.error())});
  const auto named = [&](Result<std::vector<PtxImage>> unit) {
    if (unit.ok()) {
      for (PtxImage& image : *unit)
        if (image.identifier.empty()) image.identifier = path.substr(path.rfind('/') + 1);
      visit(std::move(unit));
    } else {
      visit(bad(std::move(unit).error()));
    }
  };
  Result<void> result;
  if (starts_with(file.bytes(), kElf)) {
    result = visit_elf(file.bytes(), compute_capability, named);
  } else if (starts_with(file.bytes(), kArchive)) {
    result = visit_archive(file.bytes(), compute_capability, named);
  } else if (starts_with(file.bytes(), kThinArchive)) {
    result = Error{CUDA_ERROR_INVALID_IMAGE, "a thin archive: give its members"};
  } else {
    named(read_image(file.bytes(), compute_capability));
  }
  if (!result.ok()) return bad(std::move(result).error());
  return result;
}

bool may_hold_device_code(const std::string& path) {
  if (path.ends_with(".ptx")) return true;
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return false;
  std::byte head[8] = {};
  struct stat status;
  const bool regular = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
  const ssize_t count = regular ? pread(fd, head, sizeof head, 0) : 0;
  close(fd);
  if (count < static_cast<ssize_t>(sizeof head)) return false;
  return starts_with(head, kElf) || starts_with(head, kArchive) || load32(head) == kFatbinMagic;
}

} // namespace ptxshim::loader

namespace ptxshim {

Result<std::vector<std::vector<PtxImage>>> read_file(const std::string& path, uint32_t compute_capability) {
  std::vector<std::vector<PtxImage>> units;
  Error first;
  auto result = loader::for_each_unit(path, compute_capability, [&](Result<std::vector<PtxImage>> unit) {
    if (unit.ok())
      units.push_back(std::move(*unit));
    else if (first.message.empty())
      first = std::move(unit).error();
  });
  if (!result.ok()) return std::move(result).error();
  if (units.empty() && !first.message.empty()) return first;
  return units;
}

} // namespace ptxshim
