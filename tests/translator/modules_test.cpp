// SPDX-License-Identifier: MIT
// Whole modules as nvcc writes them (-O3 and -G): the programs of tests/apps.
#include "parsing.h"

namespace ptxshim::ptx {
namespace {

TEST(Modules, of_the_programs_parse_without_a_gap_and_print_the_same) {
  size_t count = 0;
  for (const std::filesystem::directory_entry& entry : std::filesystem::directory_iterator(PTXSHIM_TEST_KERNELS)) {
    if (entry.path().extension() != ".ptx") continue;
    SCOPED_TRACE(entry.path().filename().string());
    const Parsed parsed(read_file(entry.path()));
    ASSERT_TRUE(parsed.ok()) << parsed.message();
    for (const Function& function : parsed.module().functions) EXPECT_EQ(function.error, "");
    const std::string once = print(parsed.module());
    const Parsed again(once);
    ASSERT_TRUE(again.ok()) << again.message();
    EXPECT_EQ(print(again.module()), once);
    ++count;
  }
  EXPECT_GT(count, 0u);
}

} // namespace
} // namespace ptxshim::ptx
