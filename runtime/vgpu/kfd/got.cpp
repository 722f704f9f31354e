// SPDX-License-Identifier: MIT
// Slots are found through the relocations that the dynamic linker itself used: R_X86_64_JUMP_SLOT and
// R_X86_64_GLOB_DAT entries of DT_JMPREL and DT_RELA. Libraries linked with -z now keep them in a read-only
// segment (PT_GNU_RELRO), which is made writable for the moment of the write.
#include "got.h"

#include <atomic>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

namespace ptxshim::vgpu {

namespace {

struct Search {
  std::span<const std::string_view> prefixes;
  std::span<const Redirection> redirections;
  unsigned libraries = 0;
};

struct Dynamic {
  const Elf64_Sym* symbols = nullptr;
  const char* strings = nullptr;
  const Elf64_Rela* tables[2] = {nullptr, nullptr};
  size_t bytes[2] = {0, 0};
};

template <class T> const T* pointer_in(Elf64_Addr base, Elf64_Addr value) {
  return reinterpret_cast<const T*>(value < base ? base + value : value); // glibc has relocated it already
}

Dynamic read_dynamic(const dl_phdr_info& library) {
  Dynamic dynamic;
  for (unsigned i = 0; i < library.dlpi_phnum; ++i) {
    if (library.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const Elf64_Addr base = library.dlpi_addr;
    for (const Elf64_Dyn* entry = reinterpret_cast<const Elf64_Dyn*>(base + library.dlpi_phdr[i].p_vaddr);
         entry->d_tag != DT_NULL; ++entry)
      switch (entry->d_tag) {
      case DT_SYMTAB:
        dynamic.symbols = pointer_in<Elf64_Sym>(base, entry->d_un.d_ptr);
        break;
      case DT_STRTAB:
        dynamic.strings = pointer_in<char>(base, entry->d_un.d_ptr);
        break;
      case DT_RELA:
        dynamic.tables[0] = pointer_in<Elf64_Rela>(base, entry->d_un.d_ptr);
        break;
      case DT_RELASZ:
        dynamic.bytes[0] = entry->d_un.d_val;
        break;
      case DT_JMPREL:
        dynamic.tables[1] = pointer_in<Elf64_Rela>(base, entry->d_un.d_ptr);
        break;
      case DT_PLTRELSZ:
        dynamic.bytes[1] = entry->d_un.d_val;
        break;
      }
  }
  return dynamic;
}

bool in_relro(const dl_phdr_info& library, uintptr_t address) {
  for (unsigned i = 0; i < library.dlpi_phnum; ++i) {
    const Elf64_Phdr& segment = library.dlpi_phdr[i];
    if (segment.p_type != PT_GNU_RELRO) continue;
    if (address - (library.dlpi_addr + segment.p_vaddr) < segment.p_memsz) return true;
  }
  return false;
}

void write_slot(const dl_phdr_info& library, uintptr_t address, void* value) {
  const uintptr_t page_size = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  void* page = reinterpret_cast<void*>(address & ~(page_size - 1));
  const bool protect = in_relro(library, address);
  if (protect && mprotect(page, page_size, PROT_READ | PROT_WRITE) != 0) return;
  std::atomic_ref(*reinterpret_cast<void**>(address)).store(value, std::memory_order_release);
  if (protect) mprotect(page, page_size, PROT_READ);
}

void redirect_library(const dl_phdr_info& library, std::span<const Redirection> redirections) {
  const Dynamic dynamic = read_dynamic(library);
  if (!dynamic.symbols || !dynamic.strings) return;
  for (size_t table = 0; table < 2; ++table) {
    if (!dynamic.tables[table]) continue;
    for (size_t i = 0; i < dynamic.bytes[table] / sizeof(Elf64_Rela); ++i) {
      const Elf64_Rela& relocation = dynamic.tables[table][i];
      const auto type = ELF64_R_TYPE(relocation.r_info);
      if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) continue;
      const char* name = dynamic.strings + dynamic.symbols[ELF64_R_SYM(relocation.r_info)].st_name;
      for (const Redirection& redirection : redirections)
        if (!std::strcmp(name, redirection.symbol))
          write_slot(library, library.dlpi_addr + relocation.r_offset, redirection.replacement);
    }
  }
}

int visit(dl_phdr_info* library, size_t, void* argument) {
  Search& search = *static_cast<Search*>(argument);
  std::string_view name = library->dlpi_name ? library->dlpi_name : "";
  name = name.substr(name.rfind('/') + 1);
  for (const std::string_view prefix : search.prefixes) {
    if (!name.starts_with(prefix)) continue;
    ++search.libraries;
    redirect_library(*library, search.redirections);
    break;
  }
  return 0;
}

} // namespace

unsigned redirect_imports(std::span<const std::string_view> library_prefixes,
                          std::span<const Redirection> redirections) {
  Search search{library_prefixes, redirections, 0};
  dl_iterate_phdr(visit, &search);
  return search.libraries;
}

} // namespace ptxshim::vgpu
