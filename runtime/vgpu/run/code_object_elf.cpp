// SPDX-License-Identifier: MIT
// An AMD code object is a shared ELF object: load segments, a dynamic section with symbols and relocations, and a note with
// the kernels' metadata in MessagePack. Kernel descriptors are objects named `kernel.kd`.

#include <cstring>
#include <elf.h>
#include <optional>

#include "loader.h"
#include "msgpack.h"

namespace ptxshim::vgpu {
namespace {

constexpr uint16_t kMachineAmdgpu = 224;
constexpr uint64_t kMostImageBytes = 1ULL << 31;

struct Machine {
  uint32_t flag;
  const char* name;
};
// EF_AMDGPU_MACH (LLVM AMDGPUUsage, ELF header flags)
constexpr Machine kMachines[] = {
    {0x2c, "gfx900"},  {0x2d, "gfx902"},  {0x2e, "gfx904"},  {0x2f, "gfx906"},  {0x30, "gfx908"},  {0x31, "gfx909"},
    {0x32, "gfx90c"},  {0x33, "gfx1010"}, {0x34, "gfx1011"}, {0x35, "gfx1012"}, {0x36, "gfx1030"}, {0x37, "gfx1031"},
    {0x38, "gfx1032"}, {0x39, "gfx1033"}, {0x3d, "gfx1035"}, {0x3e, "gfx1034"}, {0x3f, "gfx90a"},  {0x40, "gfx940"},
    {0x41, "gfx1100"}, {0x42, "gfx1013"}, {0x43, "gfx1150"}, {0x44, "gfx1103"}, {0x45, "gfx1036"}, {0x46, "gfx1101"},
    {0x47, "gfx1102"}, {0x48, "gfx1200"}, {0x4a, "gfx1151"}, {0x4b, "gfx941"},  {0x4c, "gfx942"},  {0x4e, "gfx1201"},
    {0x4f, "gfx950"},  {0x55, "gfx1152"},
};

enum : uint32_t { // relocation types
  kAbs32Low = 1, kAbs32High = 2, kAbs64 = 3, kRel32 = 4, kRel64 = 5, kAbs32 = 6, kRel32Low = 10, kRel32High = 11, kRelative64 = 13,
};

Error bad(const char* what) { return Error{CUDA_ERROR_INVALID_IMAGE, std::string("code object: ") + what}; }

class Elf {
public:
  explicit Elf(std::span<const std::byte> bytes) : bytes_(bytes) {}
  template <class T> bool read(uint64_t offset, T& out) const {
    if (offset > bytes_.size() || sizeof(T) > bytes_.size() - offset) return false;
    std::memcpy(&out, bytes_.data() + offset, sizeof(T));
    return true;
  }
  std::optional<std::span<const std::byte>> part(uint64_t offset, uint64_t size) const {
    if (offset > bytes_.size() || size > bytes_.size() - offset) return std::nullopt;
    return bytes_.subspan(offset, size);
  }
  size_t size() const { return bytes_.size(); }

private:
  std::span<const std::byte> bytes_;
};

Result<Elf64_Ehdr> read_header(const Elf& elf) {
  Elf64_Ehdr header;
  if (!elf.read(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return bad("not an ELF file");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_machine != kMachineAmdgpu)
    return bad("not a 64-bit AMDGPU ELF");
  if (header.e_type != ET_DYN) return bad("not linked (no shared object)");
  if (header.e_phentsize != sizeof(Elf64_Phdr)) return bad("program headers of a strange size");
  return header;
}

const char* machine_name(uint32_t flags) {
  for (const Machine& machine : kMachines)
    if (machine.flag == (flags & 0xffU)) return machine.name;
  return nullptr;
}

struct Image { // the loaded segments
  DirectMemory& memory;
  uint64_t base = 0, size = 0;
  std::byte* at(uint64_t address, uint64_t bytes) const {
    return address <= size && bytes <= size - address ? memory.host(base + address) : nullptr;
  }
  template <class T> bool read(uint64_t address, T& out) const {
    const std::byte* const from = at(address, sizeof(T));
    if (from) std::memcpy(&out, from, sizeof(T));
    return from != nullptr;
  }
};

struct Dynamic {
  uint64_t symbols = 0, strings = 0, string_bytes = 0, rela = 0, rela_bytes = 0, hash = 0;
  uint64_t plt_rela = 0, plt_bytes = 0;
};

Dynamic read_dynamic(const Image& image, uint64_t address, uint64_t bytes) {
  Dynamic dynamic;
  for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= bytes; at += sizeof(Elf64_Dyn)) {
    Elf64_Dyn entry;
    if (!image.read(address + at, entry) || entry.d_tag == DT_NULL) break;
    switch (entry.d_tag) {
    case DT_SYMTAB: dynamic.symbols = entry.d_un.d_ptr; break;
    case DT_STRTAB: dynamic.strings = entry.d_un.d_ptr; break;
    case DT_STRSZ: dynamic.string_bytes = entry.d_un.d_val; break;
    case DT_RELA: dynamic.rela = entry.d_un.d_ptr; break;
    case DT_RELASZ: dynamic.rela_bytes = entry.d_un.d_val; break;
    case DT_JMPREL: dynamic.plt_rela = entry.d_un.d_ptr; break;
    case DT_PLTRELSZ: dynamic.plt_bytes = entry.d_un.d_val; break;
    case DT_HASH: dynamic.hash = entry.d_un.d_ptr; break;
    default: break;
    }
  }
  return dynamic;
}

std::string symbol_name(const Image& image, const Dynamic& dynamic, uint32_t offset) {
  if (offset >= dynamic.string_bytes) return {};
  const std::byte* const begin = image.at(dynamic.strings + offset, dynamic.string_bytes - offset);
  if (!begin) return {};
  const char* const text = reinterpret_cast<const char*>(begin);
  return std::string(text, strnlen(text, dynamic.string_bytes - offset));
}

Result<void> relocate(const Image& image, const Dynamic& dynamic, uint64_t table, uint64_t bytes) {
  for (uint64_t at = 0; at + sizeof(Elf64_Rela) <= bytes; at += sizeof(Elf64_Rela)) {
    Elf64_Rela rela;
    if (!image.read(table + at, rela)) return bad("relocations outside of the image");
    const uint32_t type = static_cast<uint32_t>(rela.r_info), index = static_cast<uint32_t>(rela.r_info >> 32);
    uint64_t value = static_cast<uint64_t>(rela.r_addend);
    if (type == kRelative64) {
      value += image.base;
    } else {
      Elf64_Sym symbol;
      if (!image.read(dynamic.symbols + index * sizeof symbol, symbol)) return bad("relocation against no symbol");
      if (symbol.st_shndx == SHN_UNDEF && ELF64_ST_BIND(symbol.st_info) != STB_WEAK)
        return Error{CUDA_ERROR_INVALID_IMAGE, "code object: undefined symbol " + symbol_name(image, dynamic, symbol.st_name)};
      if (symbol.st_shndx != SHN_UNDEF) value += image.base + symbol.st_value;
    }
    const uint64_t place = image.base + rela.r_offset;
    if (type == kRel32 || type == kRel64 || type == kRel32Low || type == kRel32High) value -= place;
    if (type == kAbs32High || type == kRel32High) value >>= 32;
    const bool wide = type == kAbs64 || type == kRel64 || type == kRelative64;
    if (!wide && type != kAbs32Low && type != kAbs32High && type != kRel32 && type != kAbs32 && type != kRel32Low && type != kRel32High)
      return Error{CUDA_ERROR_INVALID_IMAGE, "code object: relocation type " + std::to_string(type) + " is not known"};
    std::byte* const target = image.at(rela.r_offset, wide ? 8 : 4);
    if (!target) return bad("relocation outside of the image");
    std::memcpy(target, &value, wide ? 8 : 4);
  }
  return {};
}

void read_arguments(const PackedValue& kernel, LoadedKernel& out) {
  const PackedValue* const arguments = kernel.find(".args");
  if (!arguments || arguments->kind != PackedValue::Kind::Array) return;
  for (const PackedValue& argument : arguments->items)
    out.arguments.push_back({static_cast<uint32_t>(argument.integer_at(".offset")),
                             static_cast<uint32_t>(argument.integer_at(".size")), std::string(argument.text_at(".value_kind")),
                             std::string(argument.text_at(".name"))});
}

void read_metadata(std::span<const std::byte> note, LoadedObject& object) {
  const std::optional<PackedValue> root = read_msgpack(note);
  if (!root) return;
  const PackedValue* const kernels = root->find("amdhsa.kernels");
  if (!kernels || kernels->kind != PackedValue::Kind::Array) return;
  for (const PackedValue& kernel : kernels->items)
    for (LoadedKernel& loaded : object.kernels)
      if (kernel.text_at(".symbol") == loaded.name + ".kd") {
        loaded.kernarg_bytes = static_cast<uint32_t>(kernel.integer_at(".kernarg_segment_size", loaded.kernarg_bytes));
        read_arguments(kernel, loaded);
      }
}

void read_notes(std::span<const std::byte> notes, LoadedObject& object) {
  size_t at = 0;
  while (notes.size() - at >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr header;
    std::memcpy(&header, notes.data() + at, sizeof header);
    at += sizeof header;
    const uint64_t name_bytes = (uint64_t{header.n_namesz} + 3) & ~3ULL, body_bytes = (uint64_t{header.n_descsz} + 3) & ~3ULL;
    if (name_bytes > notes.size() - at || header.n_descsz > notes.size() - at - name_bytes) return;
    if (header.n_type == 32) read_metadata(notes.subspan(at + name_bytes, header.n_descsz), object);
    if (body_bytes > notes.size() - at - name_bytes) return;
    at += name_bytes + body_bytes;
  }
}

void read_symbols(const Image& image, const Dynamic& dynamic, LoadedObject& object) {
  uint32_t counts[2] = {};
  if (!dynamic.hash || !image.read(dynamic.hash, counts)) return; // buckets, chains = symbols
  for (uint32_t i = 1; i < counts[1]; ++i) {
    Elf64_Sym symbol;
    if (!image.read(dynamic.symbols + uint64_t{i} * sizeof symbol, symbol)) return;
    if (symbol.st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT) continue;
    std::string name = symbol_name(image, dynamic, symbol.st_name);
    if (name.size() > 3 && name.compare(name.size() - 3, 3, ".kd") == 0) {
      LoadedKernel kernel;
      kernel.name = name.substr(0, name.size() - 3);
      kernel.descriptor = image.base + symbol.st_value;
      image.read(symbol.st_value, kernel.group_bytes);
      image.read(symbol.st_value + 4, kernel.private_bytes);
      image.read(symbol.st_value + 8, kernel.kernarg_bytes);
      object.kernels.push_back(std::move(kernel));
    } else if (!name.empty()) {
      object.variables[name] = {image.base + symbol.st_value, symbol.st_size};
    }
  }
}

} // namespace

Result<std::string> code_object_target(std::span<const std::byte> bytes) {
  const Elf elf(bytes);
  const Result<Elf64_Ehdr> header = read_header(elf);
  if (!header) return header.error();
  const char* const name = machine_name(header->e_flags);
  if (!name) return bad("a machine that is not known");
  return std::string(name);
}

Result<LoadedObject> load_code_object(DirectMemory& memory, std::span<const std::byte> bytes) {
  const Elf elf(bytes);
  const Result<Elf64_Ehdr> header = read_header(elf);
  if (!header) return header.error();
  LoadedObject object;
  if (const char* const name = machine_name(header->e_flags)) object.target = name;
  std::vector<Elf64_Phdr> segments(header->e_phnum);
  uint64_t end = 0;
  for (size_t i = 0; i < segments.size(); ++i) {
    if (!elf.read(header->e_phoff + i * sizeof(Elf64_Phdr), segments[i])) return bad("program headers beyond the file");
    const Elf64_Phdr& segment = segments[i];
    if (segment.p_type != PT_LOAD) continue;
    if (segment.p_filesz > segment.p_memsz || segment.p_vaddr > kMostImageBytes || segment.p_memsz > kMostImageBytes ||
        !elf.part(segment.p_offset, segment.p_filesz))
      return bad("a segment beyond the file or too large");
    if (segment.p_vaddr + segment.p_memsz > end) end = segment.p_vaddr + segment.p_memsz;
  }
  if (end == 0) return bad("no load segments");
  Image image{memory, memory.allocate(end), end};
  if (!image.base) return bad("no memory for it");
  object.base = image.base;
  Dynamic dynamic;
  for (const Elf64_Phdr& segment : segments)
    if (segment.p_type == PT_LOAD)
      std::memcpy(image.at(segment.p_vaddr, segment.p_filesz), elf.part(segment.p_offset, segment.p_filesz)->data(), segment.p_filesz);
  for (const Elf64_Phdr& segment : segments)
    if (segment.p_type == PT_DYNAMIC) dynamic = read_dynamic(image, segment.p_vaddr, segment.p_memsz);
  for (const auto& [table, size] : {std::pair(dynamic.rela, dynamic.rela_bytes), std::pair(dynamic.plt_rela, dynamic.plt_bytes)})
    if (Result<void> done = relocate(image, dynamic, table, size); !done) {
      memory.release(image.base);
      return std::move(done).error();
    }
  read_symbols(image, dynamic, object);
  for (const Elf64_Phdr& segment : segments)
    if (segment.p_type == PT_LOAD && !(segment.p_flags & PF_W)) memory.make_read_only(image.base + segment.p_vaddr, segment.p_memsz);
  for (const Elf64_Phdr& segment : segments)
    if (segment.p_type == PT_NOTE)
      if (const auto notes = elf.part(segment.p_offset, segment.p_filesz)) read_notes(*notes, object);
  memory.keep_file(image.base, bytes);
  return object;
}

} // namespace ptxshim::vgpu
