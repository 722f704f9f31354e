// SPDX-License-Identifier: MIT
// Line tables: read back by LLVM's DWARF reader, as debuggers do it.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/Object/ELFObjectFile.h>

#include "lowering.h"

namespace {

using namespace lowering;

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string kernels(const std::string& name) { return text_of(std::filesystem::path(PTXSHIM_TEST_KERNELS) / name); }

// A code object's .text, and where each of its addresses comes from.
class Lines {
public:
  explicit Lines(const CodeObject& code_object)
      : object_(llvm::cantFail(llvm::object::ObjectFile::createELFObjectFile(
            {{reinterpret_cast<const char*>(code_object.elf.data()), code_object.elf.size()}, "code object"}))),
        dwarf_(llvm::DWARFContext::create(*object_)) {
    for (const llvm::object::SectionRef& section : object_->sections())
      if (llvm::cantFail(section.getName()) == ".text") {
        text = llvm::cantFail(section.getContents()).str();
        begin_ = section.getAddress();
      }
  }

  // "file:line function <- file:line function …" from the innermost function outwards, for each address in order, without repetitions.
  std::vector<std::string> chains() const {
    std::vector<std::string> all;
    for (uint64_t at = 0; at < text.size(); at += 4) {
      const llvm::DIInliningInfo info = dwarf_->getInliningInfoForAddress(
          {begin_ + at, llvm::object::SectionedAddress::UndefSection},
          {llvm::DILineInfoSpecifier::FileLineInfoKind::RawValue, llvm::DILineInfoSpecifier::FunctionNameKind::ShortName});
      std::string chain;
      for (uint32_t n = 0; n < info.getNumberOfFrames(); ++n) {
        const llvm::DILineInfo& frame = info.getFrame(n);
        chain += (n ? " <- " : "") + frame.FileName + ":" + std::to_string(frame.Line);
        if (frame.FunctionName != llvm::DILineInfo::BadString) chain += " " + frame.FunctionName; // stands there where something was inlined
      }
      if (std::find(all.begin(), all.end(), chain) == all.end()) all.push_back(chain);
    }
    return all;
  }
  bool has_debug_sections() const {
    return std::any_of(object_->section_begin(), object_->section_end(), [](const llvm::object::SectionRef& section) {
      return llvm::cantFail(section.getName()).starts_with(".debug");
    });
  }

  std::string text;

private:
  std::unique_ptr<llvm::object::ObjectFile> object_;
  std::unique_ptr<llvm::DWARFContext> dwarf_;
  uint64_t begin_ = 0;
};

using testing::Contains;

TEST(DebugInfo, lines_of_the_cu_with_the_functions_that_were_inlined) {
  for (const char* target : {"gfx1030", "gfx90a"}) {
    const Lines lines(translated(request(kernels("lines.ptx"), target)));
    const std::vector<std::string> chains = lines.chains();
    EXPECT_THAT(chains, Contains("lines.cu:4 _Z7doubledPKfi <- lines.cu:8 _Z7shiftedPKfi <- lines.cu:13 lines"));
    EXPECT_THAT(chains, Contains("lines.cu:8 _Z7shiftedPKfi <- lines.cu:13 lines"));
    EXPECT_THAT(chains, Contains("lines.cu:13 lines"));
  }
}

TEST(DebugInfo, the_text_of_the_ptx_where_it_has_no_positions_and_debug_information_is_asked_for) {
  TranslateRequest r = request(module_of(kernel("ld.global.u32 %r1, [%rd0];\nst.global.u32 [%rd1], %r1;"))); // the kernel begins in line 4
  EXPECT_FALSE(Lines(translated(r)).has_debug_sections());
  r.debug_info = true;
  const std::vector<std::string> chains = Lines(translated(r)).chains();
  EXPECT_THAT(chains, Contains("test.ptx:14"));
  EXPECT_THAT(chains, Contains("test.ptx:15"));
}

TEST(DebugInfo, a_position_in_another_file_than_the_function) {
  const std::string module = ".file 1 \"a.cu\"\n.file 9 \"b.h\"\n" +
                             kernel(".loc 1 5 1\nld.global.u32 %r1, [%rd0];\n.loc 9 77 2\nst.volatile.global.u32 [%rd1], %r1;\n.loc 4 3 2\nst.volatile.global.u32 [%rd1+4], %r1;");
  const std::vector<std::string> chains = Lines(translated(request(module_of(module)))).chains();
  EXPECT_THAT(chains, Contains("a.cu:5"));
  EXPECT_THAT(chains, Contains("b.h:77"));
  EXPECT_THAT(chains, Contains("file 4:3")); // no such .file
}

// The position of a call that is inlined at itself, and numbers at the ends of their ranges.
TEST(DebugInfo, senseless_positions_do_no_harm) {
  std::string body;
  for (unsigned n = 0; n < 500; ++n)
    body += ".loc 1 1 1, function_name s, inlined_at 1 2 2\n.loc 1 2 2, function_name s+1000, inlined_at 1 1 1\n"
            ".loc 1 3 3, function_name t, inlined_at 1 3 3\nst.global.u32 [%rd1], %r1;\n";
  body += ".loc 4294967295 4294967295 4294967295\n.loc 4294967294 0 0\nst.global.u32 [%rd1], %r2;\n";
  const CodeObject made = translated(request(module_of(".file 1 \"\"\n.file 4294967295 \"x\"\n" + kernel(body) + ".section .debug_str { s: .b8 65 }\n")));
  EXPECT_TRUE(Lines(made).has_debug_sections());
}

// What only readers of the tables see must not change what runs.
TEST(DebugInfo, the_code_is_the_same_with_and_without) {
  unsigned compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(PTXSHIM_TEST_KERNELS)) {
    if (entry.path().extension() != ".ptx") continue;
    SCOPED_TRACE(entry.path().filename().string());
    const std::string with = text_of(entry.path());
    const std::string without = std::regex_replace(with, std::regex("\\n[ \\t]*\\.loc[ \\t][^\\n]*"), "\n");
    for (const char* target : {"gfx1030", "gfx90a"}) {
      const std::string code = Lines(translated(request(without, target))).text;
      EXPECT_FALSE(code.empty());
      EXPECT_EQ(Lines(translated(request(with, target))).text, code);
      TranslateRequest lines_of_text = request(without, target);
      lines_of_text.debug_info = true;
      EXPECT_EQ(Lines(translated(lines_of_text)).text, code);
      ++compared;
    }
  }
  EXPECT_GT(compared, 10u);
}

} // namespace
