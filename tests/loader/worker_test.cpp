// SPDX-License-Identifier: MIT
// The client side of workers and translate_cached, against a worker that misbehaves on request
// (fake_worker.cpp). The environment is read once per process, so each scenario that needs its own runs in a
// child process of the test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "ptxshim/image.h"

namespace ptxshim {
namespace {

using testing::HasSubstr;
using testing::Not;

class Worker : public testing::Test {
protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "ptxshim_worker_" + std::to_string(getpid()) + "_" +
              testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // The body runs in a child with these variables; a failing expectation there fails the test here.
  void in_child(std::vector<std::pair<const char*, std::string>> variables,
                const std::function<void()>& body) {
    const pid_t child = fork();
    if (child == 0) {
      setenv("PTXSHIM_COMPILER", FAKE_WORKER, 1);
      setenv("PTXSHIM_CACHE_DIR", (folder_ + "/cache").c_str(), 1);
      for (const auto& [name, value] : variables)
        setenv(name, value.c_str(), 1);
      body();
      _exit(HasFailure() ? 1 : 0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
  }

  std::string folder_;
};

TranslateRequest ask(const std::string& text) {
  TranslateRequest request;
  request.modules = {text};
  request.target = "gfx1030";
  request.name = "test.ptx";
  return request;
}

std::string log_of(const Result<Translation>& result) {
  return result.ok() ? result.value().code_object.info_log : "error: " + result.error().message;
}

std::string error_of(const Result<Translation>& result) {
  return result.ok() ? "no error" : result.error().message;
}

TEST_F(Worker, TranslatesThenHitsTheCache) {
  in_child({}, [] {
    auto cache = Cache::open();
    auto first = translate_cached(*cache, ask("echo hello"));
    ASSERT_TRUE(first.ok()) << first.error().message;
    EXPECT_FALSE(first->from_cache);
    EXPECT_EQ(first->code_object.info_log, "hello");
    EXPECT_EQ(first->code_object.elf.size(), 1000u);
    auto second = translate_cached(*cache, ask("echo hello"));
    ASSERT_TRUE(second.ok());
    EXPECT_TRUE(second->from_cache);
    EXPECT_EQ(second->code_object.info_log, "hello"); // a hit gives the same log as a miss
    EXPECT_GT(second->elapsed_ns, 0u);
  });
}

TEST_F(Worker, IsKeptWarm) {
  in_child({}, [] {
    auto cache = Cache::open();
    auto first = translate_cached(*cache, ask("echo 1"));
    auto second = translate_cached(*cache, ask("echo 2"));
    ASSERT_TRUE(first.ok() && second.ok());
    EXPECT_EQ(first->code_object.translation_ns,
              second->code_object.translation_ns); // the worker's process id
  });
}

TEST_F(Worker, PassesErrorsOn) {
  in_child({}, [] {
    auto cache = Cache::open();
    for (int i = 0; i < 2; ++i) { // and does not keep them
      auto result = translate_cached(*cache, ask("fail test.ptx:3:1: no such thing"));
      ASSERT_FALSE(result.ok());
      EXPECT_EQ(result.error().code, CUDA_ERROR_INVALID_PTX);
      EXPECT_EQ(result.error().message, "test.ptx:3:1: no such thing");
    }
  });
}

TEST_F(Worker, ForceJitTranslatesAnew) {
  in_child({{"CUDA_FORCE_PTX_JIT", "1"}}, [] {
    auto cache = Cache::open();
    for (int i = 0; i < 2; ++i) {
      auto result = translate_cached(*cache, ask("echo x"));
      ASSERT_TRUE(result.ok());
      EXPECT_FALSE(result->from_cache);
    }
  });
}

TEST_F(Worker, CrashIsAnErrorAndTheNextRequestWorks) {
  in_child({}, [] {
    auto cache = Cache::open();
    auto result = translate_cached(*cache, ask("crash"));
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, CUDA_ERROR_INVALID_PTX);
    EXPECT_THAT(result.error().message, HasSubstr("test.ptx"));
    EXPECT_THAT(result.error().message, HasSubstr("signal 11 (Segmentation fault)"));
    EXPECT_THAT(error_of(translate_cached(*cache, ask("abort"))), HasSubstr("signal 6"));
    EXPECT_THAT(error_of(translate_cached(*cache, ask("exit"))), HasSubstr("exited with status 3"));
    EXPECT_THAT(error_of(translate_cached(*cache, ask("garbage"))), HasSubstr("nonsense"));
    EXPECT_THAT(error_of(translate_cached(*cache, ask("silence"))), HasSubstr("the translator was lost"));
    EXPECT_EQ(log_of(translate_cached(*cache, ask("echo still here"))), "still here");
  });
}

TEST_F(Worker, LastWordsReachTheError) {
  in_child({}, [] {
    auto cache = Cache::open();
    EXPECT_THAT(error_of(translate_cached(*cache, ask("say LLVM ERROR: out of registers"))),
                HasSubstr("LLVM ERROR: out of registers"));
  });
}

TEST_F(Worker, KilledInTheMiddleIsTriedOnceMore) {
  in_child({}, [this] {
    auto cache = Cache::open();
    EXPECT_EQ(log_of(translate_cached(*cache, ask("crash-once " + folder_ + "/flag"))), "second");
  });
}

TEST_F(Worker, HangIsStopped) {
  in_child({{"PTXSHIM_WORKER_TIMEOUT", "1"}}, [] {
    auto cache = Cache::open();
    const auto start = std::chrono::steady_clock::now();
    auto result = translate_cached(*cache, ask("hang"));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    ASSERT_FALSE(result.ok());
    EXPECT_THAT(result.error().message, HasSubstr("PTXSHIM_WORKER_TIMEOUT"));
    EXPECT_GT(took.count(), 0.9);
    EXPECT_LT(took.count(), 10);
    EXPECT_EQ(waitpid(-1, nullptr, __WALL | WNOHANG), -1); // killed and reaped
    EXPECT_EQ(log_of(translate_cached(*cache, ask("echo next"))), "next");
  });
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_F(Worker, MemoryIsLimited) {
  in_child({{"PTXSHIM_WORKER_MEMORY", "700"}}, [] {
    auto cache = Cache::open();
    auto result = translate_cached(*cache, ask("memory"));
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_THAT(result.error().message, HasSubstr("PTXSHIM_WORKER_MEMORY"));
  });
}
#endif

// 2^44 MiB are 2^64 bytes: a limit beyond what can be counted is none, not a small one.
TEST_F(Worker, HugeMemoryLimitDoesNotWrapAround) {
  in_child({{"PTXSHIM_WORKER_MEMORY", "17592186044417"}}, [] {
    auto cache = Cache::open();
    EXPECT_EQ(log_of(translate_cached(*cache, ask("echo hello"))), "hello");
  });
}

TEST_F(Worker, MissingCompilerIsNamed) {
  in_child({{"PTXSHIM_COMPILER", "/nonexistent/ptxshimc"}}, [] {
    auto cache = Cache::open();
    auto result = translate_cached(*cache, ask("echo x"));
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, CUDA_ERROR_JIT_COMPILER_NOT_FOUND);
    EXPECT_THAT(result.error().message, HasSubstr("/nonexistent/ptxshimc"));
    EXPECT_EQ(waitpid(-1, nullptr, __WALL | WNOHANG), -1); // no child is left
  });
}

TEST_F(Worker, CompilerOfAnotherBuildIsRefused) {
  in_child({{"PTXSHIM_FAKE", "mismatch"}}, [] {
    auto cache = Cache::open();
    auto result = translate_cached(*cache, ask("echo x"));
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, CUDA_ERROR_JIT_COMPILER_NOT_FOUND);
    EXPECT_THAT(result.error().message, HasSubstr("other"));
    EXPECT_THAT(result.error().message, HasSubstr(translator_build_id()));
  });
}

TEST_F(Worker, CompilerThatDoesNotStartSaysWhy) {
  in_child({{"PTXSHIM_FAKE", "die"}}, [] {
    auto cache = Cache::open();
    auto result = translate_cached(*cache, ask("echo x"));
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, CUDA_ERROR_JIT_COMPILER_NOT_FOUND);
    EXPECT_THAT(result.error().message, HasSubstr("status 127"));
    EXPECT_THAT(result.error().message, HasSubstr("cannot load libfoo.so"));
  });
}

volatile sig_atomic_t signals_seen = 0;

TEST_F(Worker, IsInvisibleToTheApplication) {
  in_child({}, [] {
    struct sigaction action = {};
    action.sa_handler = [](int) { signals_seen = signals_seen + 1; };
    sigaction(SIGCHLD, &action, nullptr);
    auto cache = Cache::open();
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(log_of(translate_cached(*cache, ask("echo " + std::to_string(i)))), std::to_string(i));
      errno = 0;
      EXPECT_EQ(wait(nullptr), -1); // returns at once, with a worker alive: there is no child to wait for
      EXPECT_EQ(errno, ECHILD);
      EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
      EXPECT_FALSE(translate_cached(*cache, ask("crash")).ok());
    }
    EXPECT_EQ(signals_seen, 0);
  });
}

// A program that ignores SIGCHLD has its children reaped by the kernel; ours must still be told apart.
TEST_F(Worker, WorksWhereChildrenAreIgnored) {
  in_child({}, [] {
    signal(SIGCHLD, SIG_IGN);
    auto cache = Cache::open();
    EXPECT_THAT(error_of(translate_cached(*cache, ask("crash"))), HasSubstr("signal 11"));
    EXPECT_EQ(log_of(translate_cached(*cache, ask("echo x"))), "x");
  });
}

TEST_F(Worker, InheritsNeitherPreloadNorDescriptors) {
  in_child({{"LD_LIBRARY_PATH", "/nonexistent"}, {"LD_PRELOAD", ""}, {"SOME_VARIABLE", "kept"}}, [] {
    const int open_one = open("/dev/null", O_RDONLY); // inheritable
    ASSERT_GE(open_one, 3);
    auto cache = Cache::open();
    const std::string environment = log_of(translate_cached(*cache, ask("environment")));
    EXPECT_THAT(environment, Not(HasSubstr("LD_")));
    EXPECT_THAT(environment, HasSubstr("SOME_VARIABLE=kept"));
    std::istringstream numbers(log_of(translate_cached(*cache, ask("descriptors"))));
    // 0, 1, 2, and the one that watches this process.
    EXPECT_THAT((std::vector<int>{std::istream_iterator<int>(numbers), {}}), testing::SizeIs(4));
  });
}

TEST_F(Worker, ThreadsShareOneTranslation) {
  in_child({}, [this] {
    auto cache = Cache::open();
    const std::string file = folder_ + "/count";
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
      threads.emplace_back([&] { EXPECT_EQ(log_of(translate_cached(*cache, ask("count " + file))), file); });
    for (std::thread& thread : threads)
      thread.join();
    EXPECT_EQ(std::filesystem::file_size(file), 2u); // one line
  });
}

TEST_F(Worker, ProcessesShareOneTranslation) {
  const std::string file = folder_ + "/count";
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    setenv("PTXSHIM_COMPILER", FAKE_WORKER, 1);
    auto cache = Cache::open(folder_ + "/cache");
    _exit(log_of(translate_cached(*cache, ask("count " + file))) == file ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(std::filesystem::file_size(file), 2u);
}

TEST_F(Worker, SeveralAtOnceButNotTooMany) {
  in_child({{"PTXSHIM_WORKERS", "2"}}, [this] {
    auto cache = Cache::open();
    std::vector<std::thread> threads;
    std::array<uint64_t, 6> process_ids{};
    for (size_t i = 0; i < process_ids.size(); ++i)
      threads.emplace_back([&, i] {
        auto result = translate_cached(*cache, ask("count " + folder_ + "/count " + std::to_string(i)));
        ASSERT_TRUE(result.ok());
        process_ids[i] = result->code_object.translation_ns;
      });
    for (std::thread& thread : threads)
      thread.join();
    std::sort(process_ids.begin(), process_ids.end());
    EXPECT_EQ(std::unique(process_ids.begin(), process_ids.end()) - process_ids.begin(), 2);
  });
}

#ifndef __SANITIZE_THREAD__ // which refuses threads in the child of a program with threads
TEST_F(Worker, ForkedChildHasWorkersOfItsOwn) {
  in_child({}, [] {
    auto cache = Cache::open();
    auto first = translate_cached(*cache, ask("echo parent"));
    ASSERT_TRUE(first.ok());
    const pid_t child = fork();
    if (child == 0) {
      auto result = translate_cached(*cache, ask("echo child"));
      const bool good = result.ok() && result->code_object.info_log == "child" &&
                        result->code_object.translation_ns != first->code_object.translation_ns;
      _exit(good ? 0 : 1);
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    auto again = translate_cached(*cache, ask("echo parent again"));
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(again->code_object.translation_ns, first->code_object.translation_ns);
  });
}

#endif

TEST_F(Worker, SurvivesAnApplicationThatClosesAllDescriptors) {
  in_child({}, [this] {
    auto cache = Cache::open();
    EXPECT_EQ(log_of(translate_cached(*cache, ask("echo 1"))), "1");
    close_range(3, ~0u, 0);
    std::vector<int> taken; // the application's files now have our numbers
    for (int i = 0; i < 20; ++i)
      taken.push_back(open((folder_ + "/file" + std::to_string(i)).c_str(), O_RDWR | O_CREAT, 0600));
    EXPECT_EQ(log_of(translate_cached(*cache, ask("echo 2"))), "2");
    for (int i = 0; i < 20; ++i) {
      EXPECT_EQ(std::filesystem::file_size(folder_ + "/file" + std::to_string(i)), 0u);
      EXPECT_NE(fcntl(taken[static_cast<size_t>(i)], F_GETFD), -1);
    }
  });
}

// A worker in the middle of a translation goes with the application, even if a forked process keeps the
// socket open.
TEST_F(Worker, DiesWithTheApplication) {
  int report[2];
  ASSERT_EQ(pipe(report), 0);
  const pid_t child = fork();
  if (child == 0) {
    setenv("PTXSHIM_COMPILER", FAKE_WORKER, 1);
    setenv("PTXSHIM_CACHE_DIR", (folder_ + "/cache").c_str(), 1);
    auto cache = Cache::open();
    auto result = translate_cached(*cache, ask("echo x"));
    const uint64_t worker = result.ok() ? result->code_object.translation_ns : 0;
    (void)!write(report[1], &worker, sizeof worker);
    if (fork() == 0) {
      sleep(5);
      _exit(0);
    }
    (void)translate_cached(*cache, ask("hang"));
    _exit(1);
  }
  uint64_t worker = 0;
  ASSERT_EQ(read(report[0], &worker, sizeof worker), static_cast<ssize_t>(sizeof worker));
  ASSERT_NE(worker, 0u);
  usleep(200'000);
  EXPECT_EQ(kill(static_cast<pid_t>(worker), 0), 0);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  const std::string state = "/proc/" + std::to_string(worker) + "/stat";
  bool gone = false;
  for (int i = 0; i < 200 && !gone; ++i) {
    // Not by a stream: a process that is reaped between open and read gives ESRCH, which a stream throws.
    char text[512] = {};
    const int fd = open(state.c_str(), O_RDONLY | O_CLOEXEC);
    const ssize_t count = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0) close(fd);
    gone = count <= 0 || std::strstr(text, ") Z") || std::strstr(text, ") X");
    usleep(10'000);
  }
  EXPECT_TRUE(gone);
  close(report[0]);
  close(report[1]);
}

// The thread that started a worker may end; the worker stays.
TEST_F(Worker, OutlivesTheThreadThatStartedIt) {
  in_child({}, [] {
    auto cache = Cache::open();
    uint64_t first = 0;
    std::thread([&] {
      first = translate_cached(*cache, ask("echo 1")).value().code_object.translation_ns;
    }).join();
    usleep(100'000);
    EXPECT_EQ(translate_cached(*cache, ask("echo 2")).value().code_object.translation_ns, first);
  });
}

TEST_F(Worker, WorksWithoutAnyCache) {
  in_child({{"CUDA_CACHE_DISABLE", "1"}}, [] {
    auto cache = Cache::open();
    EXPECT_EQ(cache->directory(), "");
    for (int i = 0; i < 2; ++i) {
      auto result = translate_cached(*cache, ask("echo x"));
      ASSERT_TRUE(result.ok());
      EXPECT_FALSE(result->from_cache);
    }
  });
}

TEST_F(Worker, WorksWithStandardDescriptorsClosed) {
  in_child({}, [] {
    close(0);
    close(1);
    auto cache = Cache::open();
    EXPECT_EQ(log_of(translate_cached(*cache, ask("echo x"))), "x");
  });
}

} // namespace
} // namespace ptxshim
