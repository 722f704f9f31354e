// SPDX-License-Identifier: MIT
// bin/ptxshim-cache, run as users run it. The translator behind it is the stand-in of tests/loader (a PTX
// text is a verb).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

#include "ptxshim/cache.h"
#include "ptxshim/image.h"

namespace ptxshim {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

struct Ran {
  int status;
  std::string output; // stdout and stderr
};

class Tool : public testing::Test {
protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "ptxshim_tool_" + std::to_string(getpid());
    fs::remove_all(folder_);
    fs::create_directories(folder_ + "/programs/deep");
    setenv("PTXSHIM_COMPILER", FAKE_WORKER, 1);
    setenv("PTXSHIM_CACHE_DIR", (folder_ + "/cache").c_str(), 1);
  }
  void TearDown() override { fs::remove_all(folder_); }

  Ran run(const std::string& arguments, const std::string& before = "") const {
    FILE* const pipe = popen((before + " " TOOL " " + arguments + " 2>&1").c_str(), "r");
    std::string output;
    char buffer[4096];
    while (const size_t count = fread(buffer, 1, sizeof buffer, pipe))
      output.append(buffer, count);
    const int status = pclose(pipe);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, output};
  }
  std::string write(const std::string& name, const std::string& text) const {
    const std::string path = folder_ + "/programs/" + name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  // The only entry's file.
  std::string entry_file() const {
    for (const auto& entry : fs::recursive_directory_iterator(folder_ + "/cache/v1"))
      if (entry.is_regular_file() && entry.path().filename().string().size() == 62) return entry.path();
    return {};
  }

  std::string folder_;
};

TEST_F(Tool, WarmsForEveryTarget) {
  const std::string file = write("a.ptx", "echo a");
  const Ran dry = run("warm --dry-run --code-object-version 5 --target gfx1030,gfx1100 " + file);
  EXPECT_EQ(dry.status, 0) << dry.output;
  EXPECT_THAT(dry.output, HasSubstr("2 would be translated, 0 in the cache already, 0 failed"));
  EXPECT_EQ(entry_file(), "");
  const Ran first = run("warm --code-object-version 5 --target gfx1030,gfx1100 " + file);
  EXPECT_EQ(first.status, 0) << first.output;
  EXPECT_THAT(
      first.output,
      HasSubstr("1 files (0 without device code), 1 modules (0 without PTX), 2 targets: 2 translated"));
  const Ran second = run("warm --code-object-version 5 --target gfx1030,gfx1100 " + file);
  EXPECT_THAT(second.output, HasSubstr("0 translated, 2 in the cache already, 0 failed"));
  const Ran other = run("warm --code-object-version=4 --target=gfx1030 " + file);
  EXPECT_THAT(other.output, HasSubstr("1 translated"));
}

// The same bytes, loaded as a program loads them, are found.
TEST_F(Tool, WarmedKeysAreThoseOfRunningPrograms) {
  const std::string text = "echo for a program";
  ASSERT_EQ(run("warm --code-object-version 5 --target gfx1030 " + write("a.ptx", text)).status, 0);
  auto cache = Cache::open();
  auto images = read_image(text.c_str(), kComputeCapability);
  ASSERT_TRUE(images.ok());
  auto result = translate_cached(*cache, make_request(*images, "gfx1030", 5));
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_TRUE(result->from_cache);
  auto other = translate_cached(*cache, make_request(*images, "gfx1030", 4));
  ASSERT_TRUE(other.ok()) << other.error().message;
  EXPECT_FALSE(other->from_cache);
}

TEST_F(Tool, SearchesDirectories) {
  write("a.ptx", "echo a");
  write("deep/b.ptx", "echo b");
  write("notes.txt", "echo no");
  fs::create_symlink(folder_ + "/programs/a.ptx", folder_ + "/programs/same.ptx");
  fs::copy_file("/proc/self/exe", folder_ + "/programs/program");
  const Ran ran = run("warm --code-object-version 5 --target gfx1030 " + folder_ + "/programs");
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(
      ran.output,
      HasSubstr("3 files (1 without device code), 2 modules (0 without PTX), 1 targets: 2 translated"))
      << ran.output;
}

TEST_F(Tool, FailuresAreListedAndTheRestIsDone) {
  write("bad.ptx", "fail bad.ptx:7:3: error: no such instruction");
  write("crash.ptx", "crash");
  write("good.ptx", "echo good");
  write("deep/cut.fatbin", std::string("\x50\xed\x55\xba\1\0\x10\0\xff\0\0\0\0\0\0\0", 16));
  const Ran ran =
      run("warm --jobs 3 --code-object-version 5 --target gfx1030 " + folder_ + "/programs /nonexistent");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.output, HasSubstr("bad.ptx:7:3: error: no such instruction"));
  EXPECT_THAT(ran.output, HasSubstr("signal 11"));
  EXPECT_THAT(ran.output, HasSubstr("cut.fatbin: damaged fat binary"));
  EXPECT_THAT(ran.output, HasSubstr("/nonexistent: no such file"));
  EXPECT_THAT(ran.output, HasSubstr("1 translated, 0 in the cache already, 4 failed"));
}

TEST_F(Tool, ModulesWithoutPtxAreWarnings) {
  std::string fatbin("\x50\xed\x55\xba\1\0\x10\0\x40\0\0\0\0\0\0\0", 16);
  fatbin += std::string("\2\0\1\1\x40\0\0\0", 8) + std::string(20, '\0') + std::string("\x4b\0\0\0", 4) +
            std::string(32, '\0');
  write("only_sm75.fatbin", fatbin);
  const Ran ran = run("warm --code-object-version 5 --target gfx1030 " + folder_ + "/programs");
  EXPECT_EQ(ran.status, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("warning"));
  EXPECT_THAT(ran.output, HasSubstr("machine code for sm_75 alone"));
  EXPECT_THAT(ran.output, HasSubstr("1 modules (1 without PTX)"));
}

TEST_F(Tool, SpeaksJson) {
  write("a.ptx", "echo a");
  write("b.ptx", "fail say \"no\"");
  const Ran ran = run("--json warm --code-object-version 5 --target gfx1030 " + folder_ + "/programs");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.output, HasSubstr("\"target\":\"gfx1030\",\"key\":\""));
  EXPECT_THAT(ran.output, HasSubstr("\"outcome\":\"translated\""));
  EXPECT_THAT(ran.output, HasSubstr("\"message\":\"say \\\"no\\\"\""));
  EXPECT_THAT(ran.output, HasSubstr("\"translated\":1,\"present\":0,\"would_translate\":0,\"failed\":1"));
  std::istringstream lines(ran.output);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_EQ(line.front(), '{');
    EXPECT_EQ(line.back(), '}');
  }
}

TEST_F(Tool, ShowsAndChecksEntries) {
  ASSERT_EQ(run("warm --code-object-version 5 --target gfx1030 " + write("a.ptx", "echo a")).status, 0);
  EXPECT_EQ(run("path").output, folder_ + "/cache\n");
  EXPECT_THAT(run("stat").output, HasSubstr("1 entries"));
  EXPECT_THAT(run("stat --json").output, HasSubstr("\"targets\":{\"gfx1030\":1}"));
  EXPECT_THAT(run("list").output, HasSubstr("gfx1030"));
  EXPECT_THAT(run("verify").output, HasSubstr("1 entries, 0 damaged"));
  std::fstream file(entry_file(), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(180);
  file.put('!');
  file.close();
  const Ran bad = run("verify");
  EXPECT_EQ(bad.status, 1);
  EXPECT_THAT(bad.output, HasSubstr("checksum"));
  EXPECT_EQ(run("verify --remove").status, 0);
  EXPECT_EQ(entry_file(), "");
}

TEST_F(Tool, Prunes) {
  for (const char* name : {"a", "b", "c"})
    run(std::string("warm --code-object-version 5 --target gfx1030 ") +
        write(std::string(name) + ".ptx", std::string("echo ") + name));
  EXPECT_THAT(run("prune").output, HasSubstr("removed: 0 entries"));
  EXPECT_THAT(run("prune --other-builds").output, HasSubstr("3 entries"));
  EXPECT_THAT(run("prune --max-bytes 500").output,
              HasSubstr("removed: 1 entries")); // entries have some 226 bytes
  EXPECT_THAT(run("prune --all").output, HasSubstr("0 entries, 0 bytes are left"));
}

TEST_F(Tool, UsageErrors) {
  for (const char* arguments :
       {"", "fly", "warm", "warm --target", "warm --target gfx1", "warm --target gfx1030",
        "--jobs x warm --target gfx1030 a", "list --nonsense", "warm --code-object-version 3 x"}) {
    const Ran ran = run(arguments);
    EXPECT_EQ(ran.status, 2) << arguments << "\n" << ran.output;
    EXPECT_FALSE(ran.output.empty());
  }
  EXPECT_EQ(run("--help").status, 0);
  EXPECT_THAT(run("--version").output, HasSubstr(translator_build_id()));
  EXPECT_EQ(run("stat --dir /nonexistent").status, 1);
  EXPECT_EQ(run("warm --target gfx1030 " + write("a.ptx", "echo a"), "CUDA_CACHE_DISABLE=1").status, 2);
}

} // namespace
} // namespace ptxshim
