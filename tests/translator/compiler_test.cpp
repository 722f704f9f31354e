// SPDX-License-Identifier: MIT
// bin/ptxshimc as a program: output files, exit status, messages.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using testing::HasSubstr;

class compiler : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "ptxshimc-test-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    write("good.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry one(.param .u64 out, .param .u32 n)\n{\n.reg .b64 %rd;\n"
                      "ld.param.u64 %rd, [out];\nst.global.u32 [%rd], 1;\nret;\n}\n.visible .entry two()\n{\nret;\n}\n");
    write("bad.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry one()\n{\n.reg .b32 %r;\nadd.u32 %r, %r, %nothing;\nret;\n}\n");
    write("later.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry fine()\n{\nret;\n}\n.visible .entry odd()\n{\n.reg .b32 %r0;\nstacksave.u32 %r0;\nret;\n}\n");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
  bool exists(const std::string& name) { return std::filesystem::exists(folder_ / name); }

  // Runs in the folder; both output streams end in `output`.
  int run(const std::string& arguments) {
    const std::string command = "cd '" + folder_.string() + "' && '" PTXSHIM_TEST_COMPILER "' " + arguments + " 2>&1";
    output.clear();
    std::FILE* pipe = popen(command.c_str(), "r");
    std::array<char, 4096> chunk;
    for (size_t n; (n = fread(chunk.data(), 1, chunk.size(), pipe)) > 0;) output.append(chunk.data(), n);
    const int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  std::filesystem::path folder_;
  std::string output;
};

TEST_F(compiler, WritesACodeObjectBesideTheInput) {
  EXPECT_EQ(run("good.ptx"), 0) << output;
  EXPECT_EQ(output, "");
  EXPECT_TRUE(exists("good.co"));
}

TEST_F(compiler, SeveralTargetsGiveSeveralFiles) {
  EXPECT_EQ(run("good.ptx -o out.co --target gfx1030,gfx90a"), 0) << output;
  EXPECT_TRUE(exists("out-gfx1030.co"));
  EXPECT_TRUE(exists("out-gfx90a.co"));
  EXPECT_EQ(run("good.ptx -o %t/x.co --target=gfx1100"), 1);
  EXPECT_THAT(output, HasSubstr("gfx1100/x.co: No such file or directory"));
}

TEST_F(compiler, EmitsEachStage) {
  EXPECT_EQ(run("good.ptx --emit=ast"), 0);
  EXPECT_THAT(output, HasSubstr("st.global.u32"));
  EXPECT_EQ(run("good.ptx --emit=ir"), 0);
  EXPECT_THAT(output, HasSubstr("define protected amdgpu_kernel void @one"));
  EXPECT_EQ(run("good.ptx --emit=ir -O0"), 0);
  EXPECT_THAT(output, HasSubstr("alloca"));
  EXPECT_EQ(run("good.ptx --emit=asm"), 0);
  EXPECT_THAT(output, HasSubstr("global_store_dword"));
  EXPECT_EQ(run("good.ptx -o -"), 0);
  EXPECT_EQ(output.substr(1, 3), "ELF");
  EXPECT_EQ(run("- --emit=asm < good.ptx"), 0);
  EXPECT_THAT(output, HasSubstr("s_endpgm"));
}

TEST_F(compiler, ListsKernels) {
  EXPECT_EQ(run("--list-kernels good.ptx"), 0);
  EXPECT_EQ(output, "one(8 bytes at 0, 4 bytes at 8)\ntwo()\n");
}

TEST_F(compiler, OneKernelAlone) {
  EXPECT_EQ(run("good.ptx --kernel two --emit=asm"), 0);
  EXPECT_THAT(output, testing::Not(HasSubstr("global_store_dword")));
  EXPECT_EQ(run("good.ptx --kernel three"), 1);
  EXPECT_THAT(output, HasSubstr("'three'"));
}

TEST_F(compiler, VerboseTellsWhatKernelsUse) {
  EXPECT_EQ(run("good.ptx -v"), 0);
  EXPECT_THAT(output, testing::ContainsRegex("one for gfx1030: [0-9]+ VGPRs, [0-9]+ SGPRs, 0 bytes LDS, 0 bytes scratch, 0 VGPR spills, 0 SGPR spills"));
}

TEST_F(compiler, ErrorsSayWhereAndWhat) {
  EXPECT_EQ(run("bad.ptx"), 1);
  EXPECT_THAT(output, HasSubstr("bad.ptx:7:17: error: "));
  EXPECT_THAT(output, HasSubstr("%nothing"));
  EXPECT_FALSE(exists("bad.co"));
}

TEST_F(compiler, AllErrorsOfAllFilesAreListed) {
  write("worse.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n.gloabl .u32 x;\n.visible .entry one()\n{\nfrob;\nret;\n}\n");
  EXPECT_EQ(run("bad.ptx worse.ptx -o out.co"), 1);
  EXPECT_THAT(output, HasSubstr("bad.ptx:7:17: error: '%nothing' is not declared\nadd.u32 %r, %r, %nothing;\n                ^\n"));
  EXPECT_THAT(output, HasSubstr("worse.ptx:4:1: error: unknown directive '.gloabl' (did you mean '.global'?)\n.gloabl .u32 x;\n^\n"));
  EXPECT_THAT(output, HasSubstr("worse.ptx:7:1: error: unknown instruction 'frob'"));
}

TEST_F(compiler, WhatCanBeTranslatedIs) {
  EXPECT_EQ(run("later.ptx"), 1);
  EXPECT_THAT(output, HasSubstr("later.ptx:11:"));
  EXPECT_THAT(output, HasSubstr("note: kernel 'odd' was not translated for gfx1030"));
  EXPECT_TRUE(exists("later.co"));
}

TEST_F(compiler, WrongUseIsStatus2) {
  for (const char* arguments : {"", "--unknown good.ptx", "good.ptx -o", "good.ptx --target gfx7", "good.ptx --emit=exe", "good.ptx --code-object-version 7",
                                "good.ptx --max-registers many"}) {
    EXPECT_EQ(run(arguments), 2) << arguments;
    EXPECT_THAT(output, HasSubstr("ptxshimc: error: ")) << arguments;
  }
  EXPECT_EQ(run("nowhere.ptx"), 1);
  EXPECT_THAT(output, HasSubstr("nowhere.ptx: No such file or directory"));
}

TEST_F(compiler, HelpAndVersion) {
  EXPECT_EQ(run("--help"), 0);
  EXPECT_THAT(output, HasSubstr("--target"));
  EXPECT_EQ(run("--version"), 0);
  EXPECT_THAT(output, HasSubstr("gfx1030"));
}

} // namespace
