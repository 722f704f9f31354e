// SPDX-License-Identifier: MIT
// Every PTX file of the tests, and what nvcc wrote (-O3 and -G) for the programs of tests/apps: printed, it is the same module.
#include "parsing.h"

namespace ptxshim::ptx {
namespace {

void expect_same_printed(const std::filesystem::path& path) {
  SCOPED_TRACE(path.string());
  const Parsed parsed(read_file(path));
  ASSERT_TRUE(parsed.ok()) << parsed.message();
  const std::string once = print(parsed.module());
  const Parsed again(once);
  ASSERT_TRUE(again.ok()) << again.message();
  EXPECT_EQ(print(again.module()), once);
}

TEST(Modules, of_the_programs_parse_without_a_gap) {
  size_t count = 0;
  for (const std::filesystem::directory_entry& entry : std::filesystem::directory_iterator(PTXSHIM_TEST_KERNELS)) {
    if (entry.path().extension() != ".ptx") continue;
    expect_same_printed(entry.path());
    const Parsed parsed(read_file(entry.path()));
    ASSERT_TRUE(parsed.ok());
    for (const Function& function : parsed.module().functions) EXPECT_EQ(function.error, "") << entry.path();
    ++count;
  }
  EXPECT_GT(count, 0u);
}

TEST(Modules, of_the_cases_print_the_same) {
  size_t count = 0;
  for (const std::filesystem::directory_entry& entry : std::filesystem::recursive_directory_iterator(PTXSHIM_TEST_CASES)) {
    // Some cases are wrong on purpose, and say so.
    if (entry.path().extension() != ".ptx" || read_file(entry.path()).find("// RUN-ERROR:") != std::string::npos) continue;
    expect_same_printed(entry.path());
    ++count;
  }
  EXPECT_GT(count, 500u);
}

} // namespace
} // namespace ptxshim::ptx
