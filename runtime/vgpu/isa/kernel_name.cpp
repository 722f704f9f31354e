// SPDX-License-Identifier: MIT
// Runtimes copy a code object's load segments as they are, and the first of them begins with the ELF header. So the header is
// searched backwards from the descriptor, page by page, in the same piece of memory; its dynamic symbols have the name.
// This is only for messages, in memory that the program may have overwritten: every step is checked and may give up.

#include "kernel_name.h"

#include <cstring>
#include <elf.h>

namespace ptxshim::vgpu {
namespace {

constexpr uint64_t kPage = 4096, kFarthest = 1ULL << 28;
constexpr uint16_t kMachineAmdgpu = 224;

class Bytes {
public:
  explicit Bytes(const MemoryMap& memory) : memory_(memory) {}
  template <class T> bool read(uint64_t address, T& out) const {
    const MemoryRange range = memory_.find(address);
    if (!range.host || sizeof(T) > range.size - (address - range.gpu)) return false;
    std::memcpy(&out, range.host + (address - range.gpu), sizeof(T));
    return true;
  }
  std::string text(uint64_t address, uint64_t most) const {
    const MemoryRange range = memory_.find(address);
    if (!range.host) return {};
    const uint64_t offset = address - range.gpu;
    if (most > range.size - offset) most = range.size - offset;
    const char* const begin = reinterpret_cast<const char*>(range.host + offset);
    return std::string(begin, strnlen(begin, most));
  }

private:
  const MemoryMap& memory_;
};

struct Tables {
  uint64_t symbols = 0, strings = 0, string_bytes = 0, hash = 0;
};

bool find_tables(const Bytes& bytes, uint64_t base, const Elf64_Ehdr& header, Tables& out) {
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (!bytes.read(base + header.e_phoff + i * sizeof segment, segment)) return false;
    if (segment.p_type != PT_DYNAMIC) continue;
    for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= segment.p_memsz; at += sizeof(Elf64_Dyn)) {
      Elf64_Dyn entry;
      if (!bytes.read(base + segment.p_vaddr + at, entry) || entry.d_tag == DT_NULL) break;
      if (entry.d_tag == DT_SYMTAB) out.symbols = entry.d_un.d_ptr;
      if (entry.d_tag == DT_STRTAB) out.strings = entry.d_un.d_ptr;
      if (entry.d_tag == DT_STRSZ) out.string_bytes = entry.d_un.d_val;
      if (entry.d_tag == DT_HASH) out.hash = entry.d_un.d_ptr;
    }
  }
  return out.symbols && out.strings && out.hash;
}

std::string name_in(const Bytes& bytes, uint64_t base, const Elf64_Ehdr& header, uint64_t descriptor) {
  Tables tables;
  uint32_t counts[2];
  if (!find_tables(bytes, base, header, tables) || !bytes.read(base + tables.hash, counts)) return {};
  for (uint32_t i = 1; i < counts[1]; ++i) {
    Elf64_Sym symbol;
    if (!bytes.read(base + tables.symbols + uint64_t{i} * sizeof symbol, symbol)) return {};
    if (symbol.st_value != descriptor - base || symbol.st_name >= tables.string_bytes) continue;
    const std::string name = bytes.text(base + tables.strings + symbol.st_name, tables.string_bytes - symbol.st_name);
    if (name.size() > 3 && name.compare(name.size() - 3, 3, ".kd") == 0) return name.substr(0, name.size() - 3);
  }
  return {};
}

} // namespace

std::string kernel_name(const MemoryMap& memory, uint64_t descriptor) {
  const MemoryRange range = memory.find(descriptor);
  if (!range.host) return {};
  const Bytes bytes(memory);
  const uint64_t first = descriptor - range.gpu > kFarthest ? descriptor - kFarthest : range.gpu;
  for (uint64_t base = descriptor / kPage * kPage; base >= first && base <= descriptor; base -= kPage) {
    Elf64_Ehdr header;
    if (!bytes.read(base, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) continue;
    if (header.e_machine != kMachineAmdgpu || header.e_phentsize != sizeof(Elf64_Phdr)) continue;
    return name_in(bytes, base, header, descriptor);
  }
  return {};
}

} // namespace ptxshim::vgpu
