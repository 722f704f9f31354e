// SPDX-License-Identifier: MIT
// A code object is loaded with its first segment, so its ELF header, dynamic section and dynamic symbols are in device
// memory, at a page before the descriptor. A kernel `k` has its descriptor at the symbol `k.kd`. What a kernel may have
// overwritten is not to be trusted: every access is checked.
#include "kernel_name.h"

#include <cstring>
#include <elf.h>
#include <optional>

namespace ptxshim::vgpu {

namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kLargestDistance = uint64_t{64} << 20; // between a code object's start and its descriptors
constexpr uint64_t kLongestName = 4096;

template <class T> std::optional<T> read(const RangeMap& map, uint64_t address) {
  const std::byte* host = map.host(address, sizeof(T), false);
  if (!host) return std::nullopt;
  T value;
  std::memcpy(&value, host, sizeof value);
  return value;
}

std::optional<uint64_t> find_image(const RangeMap& map, uint64_t kernel_object) {
  uint64_t page = kernel_object & ~(kPage - 1);
  for (uint64_t distance = 0; distance < kLargestDistance && page; distance += kPage, page -= kPage) {
    const std::optional<Elf64_Ehdr> header = read<Elf64_Ehdr>(map, page);
    if (!header) return std::nullopt;
    if (!std::memcmp(header->e_ident, ELFMAG, SELFMAG) && header->e_machine == EM_AMDGPU) return page;
  }
  return std::nullopt;
}

struct Symbols {
  uint64_t table = 0, strings = 0, count = 0;
};

Symbols find_symbols(const RangeMap& map, uint64_t image) {
  Symbols symbols;
  const std::optional<Elf64_Ehdr> header = read<Elf64_Ehdr>(map, image);
  for (uint64_t i = 0; header && i < header->e_phnum; ++i) {
    const auto segment = read<Elf64_Phdr>(map, image + header->e_phoff + i * sizeof(Elf64_Phdr));
    if (!segment) break;
    if (segment->p_type != PT_DYNAMIC) continue;
    for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= segment->p_memsz; at += sizeof(Elf64_Dyn)) {
      const auto entry = read<Elf64_Dyn>(map, image + segment->p_vaddr + at);
      if (!entry || entry->d_tag == DT_NULL) break;
      if (entry->d_tag == DT_SYMTAB) symbols.table = image + entry->d_un.d_ptr;
      if (entry->d_tag == DT_STRTAB) symbols.strings = image + entry->d_un.d_ptr;
      if (entry->d_tag == DT_HASH) symbols.count = read<uint32_t>(map, image + entry->d_un.d_ptr + 4).value_or(0);
    }
  }
  return symbols;
}

std::string text(const RangeMap& map, uint64_t address) {
  std::string result;
  while (result.size() < kLongestName) {
    const std::optional<char> c = read<char>(map, address + result.size());
    if (!c || *c == '\0') break;
    result += *c;
  }
  return result;
}

} // namespace

std::string kernel_name(const RangeMap& map, uint64_t kernel_object) {
  const std::optional<uint64_t> image = find_image(map, kernel_object);
  if (!image) return {};
  const Symbols symbols = find_symbols(map, *image);
  for (uint64_t i = 0; i < symbols.count; ++i) {
    const auto symbol = read<Elf64_Sym>(map, symbols.table + i * sizeof(Elf64_Sym));
    if (!symbol) break;
    if (*image + symbol->st_value != kernel_object) continue;
    std::string name = text(map, symbols.strings + symbol->st_name);
    if (name.size() > 3 && name.ends_with(".kd")) return name.substr(0, name.size() - 3);
  }
  return {};
}

} // namespace ptxshim::vgpu
