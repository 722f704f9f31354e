// SPDX-License-Identifier: MIT
// Runs each test in a process of its own, as ctest does: the environment is read once per process.
#include <gtest/gtest.h>

#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace {

bool run_alone(const testing::TestSuite& suite, const testing::TestInfo& test) {
  const pid_t child = fork();
  if (child == 0) {
    testing::GTEST_FLAG(filter) = std::string(suite.name()) + "." + test.name();
    _exit(RUN_ALL_TESTS());
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && status == 0;
}

} // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (testing::GTEST_FLAG(list_tests) || testing::GTEST_FLAG(filter) != "*") return RUN_ALL_TESTS();
  std::string failed;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *all.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j)
      if (const testing::TestInfo& test = *suite.GetTestInfo(j); !run_alone(suite, test))
        failed += std::string("  ") + suite.name() + "." + test.name() + "\n";
  }
  if (!failed.empty()) std::printf("FAILED:\n%s", failed.c_str());
  return failed.empty() ? 0 : 1;
}
