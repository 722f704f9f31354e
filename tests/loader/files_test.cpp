// SPDX-License-Identifier: MIT
// Link units of files: made by hand, and by nvcc where there is one.
#include "files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <elf.h>
#include <filesystem>
#include <fstream>
#include <random>

#include "elf_file.h"
#include "fatbin_builder.h"

namespace ptxshim {
namespace {

using namespace testing_support;
using testing::HasSubstr;

const std::string kKernel = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n";
const std::string kOther =
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry other() { ret; }\n";

class Files : public testing::Test {
protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "ptxshim_files_" + std::to_string(getpid());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, std::span<const std::byte> bytes) {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return path;
  }
  std::string write(const std::string& name, const std::string& text) {
    return write(name, std::as_bytes(std::span(text)));
  }

  std::string folder_;
};

struct SectionSpec {
  std::string name;
  uint32_t type = SHT_PROGBITS;
  Bytes bytes;
  uint64_t address = 0;
  uint32_t link = 0, info = 0;
  uint64_t entry_size = 0;
};

// An ELF file with these sections as 1, 2, ...; the table of names comes last.
Bytes make_elf(uint16_t type, std::vector<SectionSpec> sections) {
  Bytes bytes(sizeof(Elf64_Ehdr));
  std::string names(1, '\0');
  std::vector<Elf64_Shdr> headers(1);
  sections.push_back({".shstrtab", SHT_STRTAB, {}, 0, 0, 0, 0});
  for (SectionSpec& section : sections) {
    Elf64_Shdr header{};
    header.sh_name = static_cast<uint32_t>(names.size());
    names += section.name + '\0';
    if (section.name == ".shstrtab") {
      section.bytes.resize(names.size());
      std::memcpy(section.bytes.data(), names.data(), names.size());
    }
    bytes.resize((bytes.size() + 15) & ~size_t{15});
    header.sh_type = section.type;
    header.sh_flags = SHF_ALLOC;
    header.sh_addr = section.address;
    header.sh_offset = bytes.size();
    header.sh_size = section.bytes.size();
    header.sh_link = section.link;
    header.sh_info = section.info;
    header.sh_addralign = 8;
    header.sh_entsize = section.entry_size;
    headers.push_back(header);
    bytes.insert(bytes.end(), section.bytes.begin(), section.bytes.end());
  }
  bytes.resize((bytes.size() + 15) & ~size_t{15});
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, "\177ELF\2\1\1", 7);
  header.e_type = type;
  header.e_machine = EM_X86_64;
  header.e_version = 1;
  header.e_shoff = bytes.size();
  header.e_ehsize = sizeof header;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<uint16_t>(headers.size());
  header.e_shstrndx = static_cast<uint16_t>(headers.size() - 1);
  put(bytes, 0, header);
  for (const Elf64_Shdr& section : headers)
    put(bytes, bytes.size(), section);
  return bytes;
}

Bytes join(const std::vector<Bytes>& parts) {
  Bytes all;
  for (const Bytes& part : parts) {
    all.resize((all.size() + 7) & ~size_t{7});
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

void add_wrapper(Bytes& wrappers, uint32_t version, uint64_t data) {
  const size_t at = wrappers.size();
  put<uint32_t>(wrappers, at, 0x466243b1);
  put<uint32_t>(wrappers, at + 4, version);
  put<uint64_t>(wrappers, at + 8, data);
  put<uint64_t>(wrappers, at + 16, 0);
}

// A linked program: a stub and two modules in .nv_fatbin, two modules of relocatable code; pointers in place,
// or given by relative relocations.
Bytes make_program(bool relocated) {
  const Bytes stub = make_fatbin({cubin(80)}),
              first = make_fatbin({cubin(80), ptx(80, kKernel, Packing::Zstd)}),
              second = make_fatbin({ptx(80, kOther)}), a = make_fatbin({ptx(80, "// a")}),
              b = make_fatbin({ptx(80, "// b", Packing::Lz4)});
  const uint64_t fatbin = 0x10000, relfatbin = 0x20000, segment = 0x30000;
  const uint64_t second_at = (stub.size() + first.size() + 7) & ~size_t{7};
  Bytes wrappers, relocations;
  for (const auto& [version, address] :
       std::vector<std::pair<uint32_t, uint64_t>>{{2, fatbin},
                                                  {1, fatbin + stub.size()},
                                                  {1, fatbin + second_at},
                                                  {1, relfatbin},
                                                  {1, relfatbin + a.size()}}) {
    Elf64_Rela rela{};
    rela.r_offset = segment + wrappers.size() + 8;
    rela.r_info = ELF64_R_INFO(0, R_X86_64_RELATIVE);
    rela.r_addend = static_cast<int64_t>(address);
    put(relocations, relocations.size(), rela);
    add_wrapper(wrappers, version, relocated ? 0 : address);
  }
  std::vector<SectionSpec> sections{
      {".nv_fatbin", SHT_PROGBITS, join({stub, first, second}), fatbin, 0, 0, 0},
      {"__nv_relfatbin", SHT_PROGBITS, join({a, b}), relfatbin, 0, 0, 0},
      {".nvFatBinSegment", SHT_PROGBITS, wrappers, segment, 0, 0, 0}};
  if (relocated) sections.push_back({".rela.dyn", SHT_RELA, relocations, 0x40000, 0, 0, sizeof(Elf64_Rela)});
  return make_elf(ET_DYN, sections);
}

// An object as nvcc -c leaves it: the wrapper's pointer is a relocation against the section's symbol.
Bytes make_object(const std::string& section, const std::string& text) {
  Bytes wrappers, relocations, symbols(sizeof(Elf64_Sym));
  add_wrapper(wrappers, 1, 0);
  Elf64_Sym symbol{};
  symbol.st_info = ELF64_ST_INFO(STB_LOCAL, STT_SECTION);
  symbol.st_shndx = 1;
  put(symbols, symbols.size(), symbol);
  Elf64_Rela rela{};
  rela.r_offset = 8;
  rela.r_info = ELF64_R_INFO(1, R_X86_64_64);
  put(relocations, 0, rela);
  return make_elf(ET_REL, {{section, SHT_PROGBITS, make_fatbin({ptx(80, text)}), 0, 0, 0, 0},
                           {".nvFatBinSegment", SHT_PROGBITS, wrappers, 0, 0, 0, 0},
                           {".rela.nvFatBinSegment", SHT_RELA, relocations, 0, 4, 2, sizeof(Elf64_Rela)},
                           {".symtab", SHT_SYMTAB, symbols, 0, 5, 2, sizeof(Elf64_Sym)}});
}

std::string make_archive(const std::vector<Bytes>& members) {
  std::string archive = "!<arch>\n";
  for (const Bytes& member : members) {
    char header[61];
    std::snprintf(header, sizeof header, "%-16s%-12d%-6d%-6d%-8o%-10zu`\n", "m.o/", 0, 0, 0, 0644,
                  member.size());
    archive += header;
    archive.append(reinterpret_cast<const char*>(member.data()), member.size());
    if (archive.size() & 1) archive += '\n';
  }
  return archive;
}

using Units = std::vector<std::vector<std::string>>;

Units texts(const Result<std::vector<std::vector<PtxImage>>>& units) {
  if (!units.ok()) return {{"error: " + units.error().message}};
  Units all;
  for (const auto& unit : units.value()) {
    all.emplace_back();
    for (const PtxImage& image : unit)
      all.back().push_back(image.text);
  }
  return all;
}

TEST_F(Files, PtxAndFatbin) {
  EXPECT_EQ(texts(read_file(write("a.ptx", kKernel), 80)), (Units{{kKernel}}));
  EXPECT_EQ(texts(read_file(write("a.fatbin", make_fatbin({ptx(80, kKernel, Packing::Zstd)})), 80)),
            (Units{{kKernel}}));
  EXPECT_EQ(read_file(write("name.ptx", kKernel), 80)->at(0).at(0).identifier, "name.ptx");
}

TEST_F(Files, ProgramsHaveOneUnitPerModuleAndOneForLinkedCode) {
  const Units expected{{kKernel}, {kOther}, {"// a", "// b"}};
  EXPECT_EQ(texts(read_file(write("plain", make_program(false)), 80)), expected);
  EXPECT_EQ(texts(read_file(write("relocated", make_program(true)), 80)), expected);
}

TEST_F(Files, ObjectsAndArchives) {
  EXPECT_EQ(texts(read_file(write("a.o", make_object(".nv_fatbin", kKernel)), 80)), (Units{{kKernel}}));
  const std::string archive =
      make_archive({make_object("__nv_relfatbin", "// a"), make_object(".nv_fatbin", kKernel), Bytes(3),
                    make_object("__nv_relfatbin", "// b")});
  EXPECT_EQ(texts(read_file(write("l.a", archive), 80)), (Units{{kKernel}, {"// a", "// b"}}));
  for (size_t size = 8; size < archive.size(); size += 7)
    (void)read_file(write("cut.a", archive.substr(0, size)), 80);
  EXPECT_THAT(texts(read_file(write("cut.a", archive.substr(0, 100)), 80))[0][0],
              HasSubstr("damaged archive"));
}

TEST_F(Files, SectionsWithoutWrappersAreSearched) {
  const Bytes fatbins = join({make_fatbin({ptx(80, kKernel)}), Bytes(24), make_fatbin({ptx(80, kOther)})});
  EXPECT_EQ(texts(read_file(
                write("x", make_elf(ET_EXEC, {{".nv_fatbin", SHT_PROGBITS, fatbins, 0x1000, 0, 0, 0}})), 80)),
            (Units{{kKernel}, {kOther}}));
}

TEST_F(Files, WithoutDeviceCodeThereIsNothing) {
  EXPECT_EQ(texts(read_file("/proc/self/exe", 80)), Units{});
  EXPECT_TRUE(loader::may_hold_device_code("/proc/self/exe"));
  EXPECT_FALSE(loader::may_hold_device_code(write("text.txt", "hello, world")));
  EXPECT_FALSE(loader::may_hold_device_code(folder_));
}

TEST_F(Files, ErrorsNameTheFile) {
  EXPECT_EQ(read_file("/nonexistent/x", 80).error().code, CUDA_ERROR_FILE_NOT_FOUND);
  EXPECT_THAT(read_file("/nonexistent/x", 80).error().message, HasSubstr("/nonexistent/x"));
  EXPECT_FALSE(read_file(folder_, 80).ok());
  EXPECT_FALSE(read_file(write("empty", ""), 80).ok());
  const std::string path = write("cubins", make_fatbin({cubin(90)}));
  EXPECT_EQ(read_file(path, 80).error().code, CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_THAT(read_file(path, 80).error().message, HasSubstr(path));
}

TEST_F(Files, CutOffAndDamagedProgramsNeverHurt) {
  const Bytes good = make_program(true);
  for (size_t size = 0; size < good.size(); size += 5)
    (void)read_file(write("cut", std::span(good).first(size)), 80);
  std::mt19937 random(3);
  for (int round = 0; round < 3000; ++round) {
    Bytes bad = good;
    for (int i = 0; i < 1 + round % 4; ++i) {
      // Half of the damage where structure is: the header and the section headers at the end.
      const size_t at = round & 1 ? random() % bad.size()
                                  : (random() & 1 ? random() % 64 : bad.size() - 1 - random() % 400);
      bad[at] = static_cast<std::byte>(random());
    }
    (void)loader::find_fatbins(bad);
  }
}

// ---- nvcc's own output ----

const std::string kNvcc = "/usr/local/cuda/bin/nvcc";

class Nvcc : public Files {
protected:
  void SetUp() override {
    if (!std::filesystem::exists(kNvcc)) GTEST_SKIP() << "no nvcc";
    Files::SetUp();
    write("a.cu", "extern __device__ int helper(int);\n"
                  "__global__ void first(int* p) { p[threadIdx.x] = helper(p[threadIdx.x]); }\n"
                  "int main() { first<<<1, 32>>>(nullptr); return 0; }\n");
    write("b.cu", "__device__ int helper(int x) { return 3 * x; }\n__global__ void second(int* p) { p[0] = "
                  "helper(1); }\n"
                  "void f(int* p) { second<<<1, 1>>>(p); }\n");
    write("c.cu",
          "__global__ void alone(int* p) { *p = 1; }\nint main() { alone<<<1, 1>>>(nullptr); return 0; }\n");
  }
  std::string build(const std::string& arguments) {
    const std::string command =
        "cd " + folder_ + " && " + kNvcc + " " + arguments + " -o out 2>&1 >/dev/null";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    return folder_ + "/out";
  }
};

TEST_F(Nvcc, Programs) {
  const char* const arch = "-gencode arch=compute_80,code=[compute_80,sm_80] ";
  for (const char* more :
       {"", "-no-compress", "--compress-mode=speed", "-cudart shared", "-shared -Xcompiler -fPIC"}) {
    const Units units = texts(read_file(build(arch + std::string(more) + " c.cu"), kComputeCapability));
    ASSERT_EQ(units.size(), 1u) << more;
    ASSERT_EQ(units[0].size(), 1u) << more;
    EXPECT_THAT(units[0][0], HasSubstr(".entry _Z5alonePi")) << more;
  }
}

TEST_F(Nvcc, ProgramsOfSeveralFiles) {
  for (const char* code : {"compute_80", "[compute_80,sm_80]"}) {
    const Units units =
        texts(read_file(build("-rdc=true -gencode arch=compute_80,code=" + std::string(code) + " a.cu b.cu"),
                        kComputeCapability));
    ASSERT_EQ(units.size(), 1u) << code;
    ASSERT_EQ(units[0].size(), 2u) << code; // not the device runtime
    const std::string both = units[0][0] + units[0][1];
    EXPECT_THAT(both, HasSubstr(".entry _Z5firstPi"));
    EXPECT_THAT(both, HasSubstr(".entry _Z6secondPi"));
  }
}

TEST_F(Nvcc, ObjectsAndFatbins) {
  EXPECT_THAT(texts(read_file(build("-arch=compute_80 -c c.cu"), 80)).at(0).at(0), HasSubstr("alone"));
  EXPECT_THAT(texts(read_file(build("-arch=compute_80 -rdc=true -c b.cu"), 80)).at(0).at(0),
              HasSubstr("second"));
  EXPECT_THAT(texts(read_file(build("-arch=compute_80 -fatbin c.cu"), 80)).at(0).at(0), HasSubstr("alone"));
  EXPECT_EQ(read_file(build("-arch=sm_80 -cubin c.cu"), 80).error().code, CUDA_ERROR_NO_BINARY_FOR_GPU);
}

} // namespace
} // namespace ptxshim
