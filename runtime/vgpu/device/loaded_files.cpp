// SPDX-License-Identifier: MIT
// Code objects as files, for their line tables: what lies in device memory are the load segments alone.
//
// ROCr keeps a list of them for debuggers (_amdgpu_r_debug, in the form of the list that the dynamic linker keeps of
// libraries; LLVM's AMDGPU usage guide, "Loaded Code Object Path Uniform Resource Identifier"): what was added to the
// addresses, and a URI, for a module that was given in memory "memory://PID#offset=ADDRESS&size=BYTES". Another thread may
// unload a module at this moment, so nothing is read directly: the kernel copies, and says when memory is not there.
#include "loaded_files.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <link.h>
#include <string>
#include <string_view>
#include <sys/uio.h>
#include <unistd.h>

namespace ptxshim::vgpu {
namespace {

constexpr unsigned kMostFiles = 1U << 16;
constexpr uint64_t kMostBytes = 1ULL << 30;
constexpr size_t kLongestUri = 4096;

std::atomic<const r_debug*> loaded{nullptr};

bool copy(uint64_t address, void* to, size_t size) {
  const iovec local{to, size}, remote{reinterpret_cast<void*>(address), size};
  return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == static_cast<ssize_t>(size);
}

template <class T> bool copy(const T* address, T& to) { return copy(reinterpret_cast<uint64_t>(address), &to, sizeof to); }

// Up to its NUL; empty when there is none in reach.
std::string copy_text(const char* address) {
  std::string text;
  for (char piece[16]; text.size() < kLongestUri;) {
    const uint64_t at = reinterpret_cast<uint64_t>(address) + text.size();
    const size_t size = sizeof piece - at % sizeof piece; // never reaches into another page than it must
    if (!copy(at, piece, size)) return {};
    const size_t length = strnlen(piece, size);
    text.append(piece, length);
    if (length < size) return text;
  }
  return {};
}

bool number_behind(const std::string& uri, std::string_view key, uint64_t& value) {
  const size_t at = uri.find(key);
  if (at == std::string::npos) return false;
  value = std::strtoull(uri.c_str() + at + key.size(), nullptr, 0);
  return true;
}

std::vector<std::byte> read_uri(const std::string& uri) {
  uint64_t address = 0, size = 0;
  if (!uri.starts_with("memory://") || !number_behind(uri, "#offset=", address) || !number_behind(uri, "&size=", size)) return {};
  if (size > kMostBytes) return {};
  std::vector<std::byte> bytes(size);
  if (!copy(address, bytes.data(), size)) bytes.clear();
  return bytes;
}

bool lies_at(const LoadedFile& file, uint64_t address) {
  Elf64_Ehdr header;
  if (file.bytes.size() < sizeof header) return false;
  std::memcpy(&header, file.bytes.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phentsize != sizeof(Elf64_Phdr)) return false;
  const uint64_t table = uint64_t{header.e_phnum} * sizeof(Elf64_Phdr);
  if (header.e_phoff > file.bytes.size() || table > file.bytes.size() - header.e_phoff) return false;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, file.bytes.data() + header.e_phoff + i * sizeof segment, sizeof segment);
    if (segment.p_type == PT_LOAD && address - file.bias - segment.p_vaddr < segment.p_memsz) return true;
  }
  return false;
}

} // namespace

void use_loaded_files(const void* list) { loaded.store(static_cast<const r_debug*>(list)); }

LoadedFile find_loaded_file(uint64_t gpu_address) {
  r_debug list;
  const r_debug* const address = loaded.load();
  if (!address || !copy(address, list)) return {};
  const link_map* next = list.r_map;
  for (unsigned count = 0; next && count < kMostFiles; ++count) {
    link_map entry;
    if (!copy(next, entry)) return {};
    LoadedFile file{read_uri(copy_text(entry.l_name)), entry.l_addr};
    if (lies_at(file, gpu_address)) return file;
    next = entry.l_next;
  }
  return {};
}

} // namespace ptxshim::vgpu
