// SPDX-License-Identifier: MIT
// nvcc leaves in each object a wrapper (section .nvFatBinSegment, 24 bytes) that points to a fatbin in
// .nv_fatbin, or, with -rdc=true, in __nv_relfatbin. A linked program has all wrappers of its objects, and
// one of version 2 from the device link, whose list of modules is only made at start-up. What the program
// will load is therefore:
//   - one module per version 1 wrapper that points into .nv_fatbin,
//   - one module out of everything that version 1 wrappers point to in __nv_relfatbin.
// The version 2 wrapper itself adds nothing: its fatbin holds the device linker's machine code, in programs
// without -rdc=true a stub. Archives and objects are read alike, as the programs they would become.
//
// Pointers are taken from relocations (objects; position independent programs), else from the section as it
// is. A file without wrappers, but with the sections, is searched for headers.
#include "elf_file.h"

#include <gelf.h>
#include <libelf.h>
#include <map>
#include <memory>
#include <optional>
#include <string_view>

#include "fatbin.h"

namespace ptxshim::loader {

namespace {

struct Section {
  std::string_view name;
  GElf_Shdr header{};
  std::span<const std::byte> bytes; // empty for NOBITS and for what lies outside the file
};

struct Place { // of a fatbin
  size_t section;
  uint64_t offset;
};

class Reader {
public:
  Reader(Elf* elf, std::span<const std::byte> file) : elf_(elf), file_(file) {}

  Result<ElfFatbins> read();

private:
  Result<void> read_sections();
  void read_relocations(size_t wrappers);
  std::optional<Place> pointer_at(size_t section, uint64_t offset) const;
  void add(const Place& place, ElfFatbins& result) const;
  void scan(size_t section, ElfFatbins& result) const;

  Elf* elf_;
  std::span<const std::byte> file_;
  GElf_Ehdr header_{};
  std::vector<Section> sections_;
  std::map<uint64_t, Place> relocated_;  // objects: offset in the wrapper section
  std::map<uint64_t, uint64_t> address_; // programs: address of the pointer -> what it will hold
};

Error elf_error(const char* what) {
  return Error{CUDA_ERROR_INVALID_IMAGE, std::string("damaged ELF file: ") + what};
}

bool is_absolute(uint16_t machine, uint32_t type) {
  return (machine == EM_X86_64 && type == R_X86_64_64) || (machine == EM_AARCH64 && type == R_AARCH64_ABS64);
}

bool is_relative(uint16_t machine, uint32_t type) {
  return (machine == EM_X86_64 && type == R_X86_64_RELATIVE) ||
         (machine == EM_AARCH64 && type == R_AARCH64_RELATIVE);
}

Result<void> Reader::read_sections() {
  if (!gelf_getehdr(elf_, &header_)) return elf_error(elf_errmsg(-1));
  if (gelf_getclass(elf_) != ELFCLASS64) return Error{CUDA_ERROR_INVALID_IMAGE, "a 32-bit program"};
  size_t count = 0, names = 0;
  if (elf_getshdrnum(elf_, &count) || elf_getshdrstrndx(elf_, &names)) return elf_error(elf_errmsg(-1));
  for (size_t i = 0; i < count; ++i) {
    Section section;
    Elf_Scn* const scn = elf_getscn(elf_, i);
    if (!scn || !gelf_getshdr(scn, &section.header)) return elf_error(elf_errmsg(-1));
    if (const char* name = elf_strptr(elf_, names, section.header.sh_name)) section.name = name;
    const uint64_t offset = section.header.sh_offset, size = section.header.sh_size;
    if (section.header.sh_type != SHT_NOBITS && offset <= file_.size() && size <= file_.size() - offset)
      section.bytes = file_.subspan(static_cast<size_t>(offset), static_cast<size_t>(size));
    sections_.push_back(section);
  }
  return {};
}

// Only those that fill the wrapper section.
void Reader::read_relocations(size_t wrappers) {
  const bool object = header_.e_type == ET_REL;
  const GElf_Shdr& target = sections_[wrappers].header;
  for (size_t i = 0; i < sections_.size(); ++i) {
    const GElf_Shdr& shdr = sections_[i].header;
    if (shdr.sh_type != SHT_RELA || (object && shdr.sh_info != wrappers)) continue;
    Elf_Data* const data = elf_getdata(elf_getscn(elf_, i), nullptr);
    Elf_Scn* const symbols_section =
        shdr.sh_link < sections_.size() ? elf_getscn(elf_, shdr.sh_link) : nullptr;
    Elf_Data* const symbols = symbols_section ? elf_getdata(symbols_section, nullptr) : nullptr;
    if (!data || !shdr.sh_entsize) continue;
    for (size_t j = 0; j < data->d_size / sizeof(Elf64_Rela); ++j) {
      GElf_Rela rela;
      if (!gelf_getrela(data, static_cast<int>(j), &rela)) break;
      const auto type = static_cast<uint32_t>(GELF_R_TYPE(rela.r_info));
      if (!object && (rela.r_offset < target.sh_addr || rela.r_offset - target.sh_addr >= target.sh_size))
        continue;
      GElf_Sym symbol{};
      if (is_absolute(header_.e_machine, type)) {
        if (!symbols || !gelf_getsym(symbols, static_cast<int>(GELF_R_SYM(rela.r_info)), &symbol)) continue;
      } else if (!is_relative(header_.e_machine, type)) {
        continue;
      }
      const uint64_t value = symbol.st_value + static_cast<uint64_t>(rela.r_addend);
      if (object)
        relocated_[rela.r_offset] = {symbol.st_shndx, value};
      else
        address_[rela.r_offset] = value;
    }
  }
}

std::optional<Place> Reader::pointer_at(size_t section, uint64_t offset) const {
  if (header_.e_type == ET_REL) {
    const auto found = relocated_.find(offset);
    if (found == relocated_.end() || found->second.section >= sections_.size()) return std::nullopt;
    return found->second;
  }
  const auto found = address_.find(sections_[section].header.sh_addr + offset);
  const uint64_t address =
      found != address_.end() ? found->second : load64(sections_[section].bytes.data() + offset);
  for (size_t i = 0; i < sections_.size(); ++i) {
    const GElf_Shdr& shdr = sections_[i].header;
    if ((shdr.sh_flags & SHF_ALLOC) && !sections_[i].bytes.empty() && address >= shdr.sh_addr &&
        address - shdr.sh_addr < shdr.sh_size)
      return Place{i, address - shdr.sh_addr};
  }
  return std::nullopt;
}

void Reader::add(const Place& place, ElfFatbins& result) const {
  const Section& section = sections_[place.section];
  const auto bytes =
      section.bytes.subspan(static_cast<size_t>(std::min<uint64_t>(place.offset, section.bytes.size())));
  (section.name == "__nv_relfatbin" ? result.together : result.alone).push_back(bytes);
}

// Fatbins stand one after the other, with padding between, at multiples of 8.
void Reader::scan(size_t section, ElfFatbins& result) const {
  const std::span<const std::byte> bytes = sections_[section].bytes;
  for (size_t at = 0; at + kFatbinHeaderSize <= bytes.size();) {
    auto size = load32(bytes.data() + at) == kFatbinMagic ? fatbin_size(bytes.data() + at)
                                                          : Result<uint64_t>(uint64_t{8});
    if (load32(bytes.data() + at) == kFatbinMagic) add({section, at}, result);
    at += size.ok() ? static_cast<size_t>((*size + 7) & ~uint64_t{7}) : 8;
  }
}

Result<ElfFatbins> Reader::read() {
  if (auto result = read_sections(); !result.ok()) return std::move(result).error();
  ElfFatbins result;
  if (header_.e_machine == 190) // EM_CUDA
    return Error{CUDA_ERROR_NO_BINARY_FOR_GPU, "a cubin: machine code for an NVIDIA GPU, without PTX"};
  bool wrapped = false;
  for (size_t i = 0; i < sections_.size(); ++i) {
    if (sections_[i].name != ".nvFatBinSegment") continue;
    read_relocations(i);
    wrapped = true;
    const std::span<const std::byte> bytes = sections_[i].bytes;
    for (size_t at = 0; at + kWrapperSize <= bytes.size(); at += kWrapperSize) {
      if (load32(bytes.data() + at) != kWrapperMagic || load32(bytes.data() + at + 4) != 1) continue;
      if (const auto place = pointer_at(i, at + 8)) add(*place, result);
    }
    relocated_.clear();
    address_.clear();
  }
  if (wrapped) return result;
  for (size_t i = 0; i < sections_.size(); ++i)
    if (sections_[i].name == ".nv_fatbin" || sections_[i].name == "__nv_relfatbin") scan(i, result);
  return result;
}

} // namespace

Result<ElfFatbins> find_fatbins(std::span<std::byte> bytes) {
  elf_version(EV_CURRENT);
  const std::unique_ptr<Elf, int (*)(Elf*)> elf(
      elf_memory(reinterpret_cast<char*>(bytes.data()), bytes.size()), elf_end);
  if (!elf || elf_kind(elf.get()) != ELF_K_ELF) return elf_error(elf_errmsg(-1));
  return Reader(elf.get(), bytes).read();
}

} // namespace ptxshim::loader
