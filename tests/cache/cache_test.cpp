// SPDX-License-Identifier: MIT
// The cache under every kind of damage, race and refusal that facts and failures of other caches name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <random>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "entry.h"
#include "eviction.h"
#include "ptxshim/cache.h"
#include "storage.h"

namespace ptxshim {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

TranslateRequest request_for(const std::string& text) {
  TranslateRequest request;
  request.modules = {text};
  request.target = "gfx1030";
  return request;
}

CacheKey key_for(const std::string& text) { return cache_key(request_for(text)); }

CodeObject code_for(const std::string& log, size_t bytes = 3000) {
  CodeObject code;
  code.target = "gfx1030";
  std::mt19937 random(static_cast<unsigned>(std::hash<std::string>()(log))); // not to be compressed
  for (size_t i = 0; i < bytes; ++i) code.elf.push_back(static_cast<std::byte>(random()));
  code.kernels.resize(2);
  code.kernels[0].name = "k";
  code.info_log = log;
  return code;
}

std::string log_of(const std::optional<CodeObject>& code) { return code ? code->info_log : "miss"; }

class CacheTest : public testing::Test {
protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "ptxshim_cache_" + std::to_string(getpid()) + "_" +
              testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    directory_ = folder_ + "/cache";
  }
  void TearDown() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  std::string path_of(const CacheKey& key) const { return directory_ + "/" + cache::entry_name(key); }
  std::string read(const std::string& path) const {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write(const std::string& path, const std::string& bytes) const {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  }
  size_t files_in(const std::string& path) const {
    std::error_code none;
    const fs::directory_iterator entries(path, none);
    return none ? 0 : static_cast<size_t>(std::distance(begin(entries), end(entries)));
  }
  // The environment is read once per process, so a scenario with its own runs in a child. Its stderr is returned.
  std::string in_child(std::vector<std::pair<const char*, std::string>> variables, const std::function<void()>& body) {
    const std::string messages = folder_ + "/stderr";
    const pid_t child = fork();
    if (child == 0) {
      const int fd = open(messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
      dup2(fd, 2);
      for (const auto& [name, value] : variables)
        value.empty() ? unsetenv(name) : setenv(name, value.c_str(), 1);
      body();
      _exit(HasFailure() ? 1 : 0);
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
    return read(messages);
  }

  std::string folder_, directory_;
};

// ---- keys ----

TEST(CacheKeyTest, CoversEveryFieldButTheName) {
  const TranslateRequest base = request_for("a");
  std::vector<TranslateRequest> others(9, base);
  others[0].modules = {"b"};
  others[1].modules = {"a", ""};
  others[2].target = "gfx1100";
  others[3].code_object_version = 4;
  others[4].optimisation = 1;
  others[5].debug_info = true;
  others[6].max_registers = 32;
  others[7].kernels = {"k"};
  others[8].modules = {"a", "b"};
  std::vector<std::string> keys{cache_key(base).hex()};
  for (const TranslateRequest& request : others) keys.push_back(cache_key(request).hex());
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(std::unique(keys.begin(), keys.end()), keys.end());
  TranslateRequest named = base;
  named.name = "other.ptx";
  EXPECT_EQ(cache_key(named), cache_key(base));
}

TEST(CacheKeyTest, LengthsKeepFieldsApart) {
  TranslateRequest a = request_for(""), b = request_for("");
  a.modules = {"ab", "c"};
  b.modules = {"a", "bc"};
  EXPECT_NE(cache_key(a), cache_key(b));
  a = b = request_for("x");
  a.modules = {"x", "y"};
  b.kernels = {"y"};
  EXPECT_NE(cache_key(a), cache_key(b));
}

TEST(CacheKeyTest, HexIsLowerCaseAndComplete) {
  CacheKey key;
  for (size_t i = 0; i < 32; ++i) key.bytes[i] = static_cast<uint8_t>(i * 8 + 7);
  EXPECT_EQ(key.hex(), "070f171f272f373f474f575f676f777f878f979fa7afb7bfc7cfd7dfe7eff7ff");
}

// ---- hits and misses ----

TEST_F(CacheTest, StoresAndFinds) {
  auto cache = Cache::open(directory_);
  EXPECT_EQ(cache->directory(), directory_);
  EXPECT_EQ(log_of(cache->find(key_for("a"))), "miss");
  cache->store(key_for("a"), code_for("first"));
  auto found = cache->find(key_for("a"));
  ASSERT_TRUE(found);
  EXPECT_EQ(encode(*found), encode(code_for("first")));
  EXPECT_EQ(log_of(cache->find(key_for("b"))), "miss");
  EXPECT_EQ(log_of(Cache::open(directory_)->find(key_for("a"))), "first");
  EXPECT_EQ(files_in(directory_ + "/v1/tmp"), 0u);
}

TEST_F(CacheTest, NobodyElseCanRead) {
  const mode_t before = umask(0);
  auto cache = Cache::open(directory_);
  cache->store(key_for("a"), code_for("x"));
  umask(before);
  struct stat status;
  ASSERT_EQ(stat(directory_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  ASSERT_EQ(stat(path_of(key_for("a")).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(CacheTest, TheFirstEntryStays) {
  auto cache = Cache::open(directory_);
  cache->store(key_for("a"), code_for("first"));
  cache->store(key_for("a"), code_for("second"));
  EXPECT_EQ(log_of(cache->find(key_for("a"))), "first");
  EXPECT_EQ(files_in(directory_ + "/v1/tmp"), 0u);
}

TEST_F(CacheTest, DamagedEntryIsReplacedByStore) {
  auto cache = Cache::open(directory_);
  cache->store(key_for("a"), code_for("first"));
  std::string bytes = read(path_of(key_for("a")));
  bytes[200] ^= 1;
  write(path_of(key_for("a")), bytes);
  cache->store(key_for("a"), code_for("second"));
  EXPECT_EQ(log_of(cache->find(key_for("a"))), "second");
}

// ---- damage ----

TEST_F(CacheTest, TornAtEveryByteIsAMiss) {
  auto cache = Cache::open(directory_);
  const CacheKey key = key_for("a");
  cache->store(key, code_for("x", 300));
  const std::string whole = read(path_of(key));
  for (size_t size = 0; size < whole.size(); ++size) {
    write(path_of(key), whole.substr(0, size));
    ASSERT_EQ(log_of(cache->find(key)), "miss") << size;
    ASSERT_FALSE(fs::exists(path_of(key))) << size; // and gone, so that it is made anew
  }
  write(path_of(key), whole + "x");
  EXPECT_EQ(log_of(cache->find(key)), "miss");
  write(path_of(key), whole);
  chmod(path_of(key).c_str(), 0600);
  EXPECT_EQ(log_of(cache->find(key)), "x");
}

TEST_F(CacheTest, EveryFlippedBitIsAMiss) {
  auto cache = Cache::open(directory_);
  const CacheKey key = key_for("a");
  cache->store(key, code_for("x", 100));
  const std::string whole = read(path_of(key));
  for (size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string bytes = whole;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
    const auto span = std::as_bytes(std::span(bytes));
    ASSERT_FALSE(cache::unpack_entry(span, key).ok()) << bit;
  }
  EXPECT_TRUE(cache::unpack_entry(std::as_bytes(std::span(whole)), key).ok());
}

TEST_F(CacheTest, EntryOfAnotherKeyIsAMiss) {
  auto cache = Cache::open(directory_);
  cache->store(key_for("a"), code_for("a"));
  cache->store(key_for("b"), code_for("b"));
  write(path_of(key_for("b")), read(path_of(key_for("a"))));
  EXPECT_EQ(log_of(cache->find(key_for("b"))), "miss");
  EXPECT_EQ(log_of(cache->find(key_for("a"))), "a");
}

TEST_F(CacheTest, OtherFormatVersionIsAMiss) {
  std::vector<std::byte> bytes = cache::pack_entry(key_for("a"), code_for("x"));
  EXPECT_TRUE(cache::check_entry(bytes).ok());
  bytes[8] = std::byte{2};
  EXPECT_THAT(cache::check_entry(bytes).error().message, HasSubstr("version"));
}

TEST_F(CacheTest, HeaderSaysWhoMadeIt) {
  const auto bytes = cache::pack_entry(key_for("a"), code_for("x"));
  auto info = cache::check_entry(bytes);
  ASSERT_TRUE(info.ok());
  EXPECT_EQ(info->producer, translator_build_id());
  EXPECT_EQ(info->key, key_for("a"));
  EXPECT_EQ(info->packed_size + cache::kEntryHeader, bytes.size());
  EXPECT_NEAR(static_cast<double>(info->created), static_cast<double>(time(nullptr)), 5);
}

// ---- who may write ----

TEST_F(CacheTest, SymbolicLinksAreNotFollowed) {
  auto cache = Cache::open(directory_);
  const CacheKey key = key_for("a");
  cache->store(key, code_for("x"));
  fs::rename(path_of(key), folder_ + "/elsewhere");
  fs::create_symlink(folder_ + "/elsewhere", path_of(key));
  EXPECT_EQ(log_of(cache->find(key)), "miss");
  EXPECT_TRUE(fs::exists(folder_ + "/elsewhere"));
}

TEST_F(CacheTest, FifosAndDirectoriesAreMisses) {
  auto cache = Cache::open(directory_);
  const CacheKey key = key_for("a");
  cache->store(key, code_for("x"));
  fs::remove(path_of(key));
  ASSERT_EQ(mkfifo(path_of(key).c_str(), 0600), 0);
  EXPECT_EQ(log_of(cache->find(key)), "miss"); // and does not wait for a writer
  fs::remove(path_of(key));
  fs::create_directory(path_of(key));
  EXPECT_EQ(log_of(cache->find(key)), "miss");
  cache->store(key, code_for("y"));
}

TEST_F(CacheTest, FilesThatOthersMayWriteAreMisses) {
  auto cache = Cache::open(directory_);
  const CacheKey key = key_for("a");
  cache->store(key, code_for("x"));
  chmod(path_of(key).c_str(), 0620);
  EXPECT_EQ(log_of(cache->find(key)), "miss");
}

TEST_F(CacheTest, DirectoryThatOthersMayWriteIsRefused) {
  for (const mode_t mode : {0777u, 0770u, 01777u, 0702u}) {
    fs::create_directories(directory_);
    chmod(directory_.c_str(), mode);
    const std::string messages = in_child({}, [&] {
      auto cache = Cache::open(directory_);
      EXPECT_EQ(cache->directory(), "");
      cache->store(key_for("a"), code_for("x"));
      EXPECT_EQ(log_of(cache->find(key_for("a"))), "miss");
    });
    EXPECT_THAT(messages, HasSubstr("others may write")) << std::oct << mode;
  }
}

TEST_F(CacheTest, BecomesUnsafeWhileInUse) {
  auto cache = Cache::open(directory_);
  cache->store(key_for("a"), code_for("x"));
  chmod(directory_.c_str(), 0777);
  EXPECT_EQ(log_of(cache->find(key_for("a"))), "miss");
}

TEST_F(CacheTest, ForeignOwnerIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to give files away";
  auto cache = Cache::open(directory_);
  cache->store(key_for("a"), code_for("x"));
  cache->store(key_for("b"), code_for("y"));
  ASSERT_EQ(chown(path_of(key_for("a")).c_str(), 12345, 12345), 0);
  EXPECT_EQ(log_of(cache->find(key_for("a"))), "miss");
  EXPECT_EQ(log_of(cache->find(key_for("b"))), "y");
  ASSERT_EQ(chown(directory_.c_str(), 12345, 12345), 0);
  EXPECT_EQ(log_of(cache->find(key_for("b"))), "miss");
  const std::string messages = in_child({}, [&] { EXPECT_EQ(Cache::open(directory_)->directory(), ""); });
  EXPECT_THAT(messages, HasSubstr("another user"));
  fs::create_directory_symlink(folder_, folder_ + "/link");
  ASSERT_EQ(lchown((folder_ + "/link").c_str(), 12345, 12345), 0);
  EXPECT_THAT(in_child({}, [&] { EXPECT_EQ(Cache::open(folder_ + "/link")->directory(), ""); }),
              HasSubstr("symbolic link of another user"));
}

TEST_F(CacheTest, OwnSymbolicLinkToADirectoryIsFine) {
  fs::create_directories(folder_ + "/disk");
  chmod((folder_ + "/disk").c_str(), 0700);
  fs::create_directory_symlink(folder_ + "/disk", directory_);
  auto cache = Cache::open(directory_);
  cache->store(key_for("a"), code_for("x"));
  EXPECT_EQ(log_of(cache->find(key_for("a"))), "x");
}

// ---- without a usable directory ----

TEST_F(CacheTest, DirectoryComesFromTheEnvironment) {
  const std::vector<std::pair<const char*, std::string>> none{
      {"PTXSHIM_CACHE_DIR", ""}, {"CUDA_CACHE_PATH", ""}, {"XDG_CACHE_HOME", ""}, {"HOME", ""}};
  auto with = none;
  const auto expect = [&](const std::string& expected) {
    in_child(with, [&] { EXPECT_EQ(Cache::open()->directory(), expected); });
  };
  with.emplace_back("HOME", folder_);
  expect(folder_ + "/.cache/ptxshim");
  with.emplace_back("XDG_CACHE_HOME", folder_ + "/xdg");
  expect(folder_ + "/xdg/ptxshim");
  with.emplace_back("CUDA_CACHE_PATH", folder_ + "/cuda");
  expect(folder_ + "/cuda/ptxshim");
  with.emplace_back("PTXSHIM_CACHE_DIR", folder_ + "/own/deep");
  expect(folder_ + "/own/deep");
  with.emplace_back("CUDA_CACHE_DISABLE", "1");
  expect("");
}

TEST_F(CacheTest, NoHomeWarnsOnce) {
  const std::string messages = in_child(
      {{"PTXSHIM_CACHE_DIR", ""}, {"CUDA_CACHE_PATH", ""}, {"XDG_CACHE_HOME", ""}, {"HOME", ""}}, [] {
        for (int i = 0; i < 3; ++i) {
          auto cache = Cache::open();
          EXPECT_EQ(cache->directory(), "");
          cache->store(key_for("a"), code_for("x"));
          EXPECT_EQ(log_of(cache->find(key_for("a"))), "miss");
          EXPECT_EQ(cache->lock(key_for("a")), nullptr);
        }
      });
  EXPECT_THAT(messages, HasSubstr("ptxshim:cache: running without a cache"));
  EXPECT_EQ(std::count(messages.begin(), messages.end(), '\n'), 1);
}

TEST_F(CacheTest, PathThroughAFileIsRefused) {
  write(folder_ + "/file", "x");
  EXPECT_THAT(in_child({}, [&] { EXPECT_EQ(Cache::open(folder_ + "/file/cache")->directory(), ""); }),
              HasSubstr("Not a directory"));
  EXPECT_THAT(in_child({}, [&] { EXPECT_EQ(Cache::open(folder_ + "/file")->directory(), ""); }),
              HasSubstr("Not a directory"));
}

TEST_F(CacheTest, ReadOnlyDirectoryStillServes) {
  Cache::open(directory_)->store(key_for("a"), code_for("x"));
  const std::string messages = in_child({}, [&] {
    // Root may write anywhere; without the capability, not.
    chmod((directory_ + "/v1/tmp").c_str(), 0500);
    chmod((directory_ + "/v1").c_str(), 0500);
    if (geteuid() == 0) {
      ASSERT_EQ(system(("chown -R 12345 " + directory_).c_str()), 0);
      ASSERT_EQ(seteuid(12345), 0);
    }
    auto cache = Cache::open(directory_);
    EXPECT_EQ(log_of(cache->find(key_for("a"))), "x");
    cache->store(key_for("b"), code_for("y"));
    cache->store(key_for("c"), code_for("z"));
    EXPECT_EQ(log_of(cache->find(key_for("b"))), "miss");
    EXPECT_EQ(seteuid(getuid()), 0);
    chmod((directory_ + "/v1").c_str(), 0700);
  });
  EXPECT_THAT(messages, HasSubstr("Permission denied"));
  EXPECT_EQ(std::count(messages.begin(), messages.end(), '\n'), 1) << messages;
}

TEST_F(CacheTest, FullDiskIsAWarningAndNoSignal) {
  const std::string messages = in_child({}, [&] {
    auto cache = Cache::open(directory_);
    cache->store(key_for("a"), code_for("fits", 100));
    rlimit limit{2000, 2000};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0); // beyond it, write() sends SIGXFSZ and fails
    cache->store(key_for("b"), code_for("too large", 100'000));
    cache->store(key_for("c"), code_for("too large too", 100'000));
    EXPECT_EQ(log_of(cache->find(key_for("a"))), "fits");
    EXPECT_EQ(log_of(cache->find(key_for("b"))), "miss");
    EXPECT_EQ(files_in(directory_ + "/v1/tmp"), 0u);
    sigset_t pending;
    sigpending(&pending);
    EXPECT_EQ(sigismember(&pending, SIGXFSZ), 0);
  });
  EXPECT_THAT(messages, HasSubstr("File too large"));
  EXPECT_EQ(std::count(messages.begin(), messages.end(), '\n'), 1) << messages;
}

TEST_F(CacheTest, DirectoryRemovedWhileInUseIsMadeAgain) {
  auto cache = Cache::open(directory_);
  cache->store(key_for("a"), code_for("x"));
  fs::remove_all(directory_ + "/v1");
  EXPECT_EQ(log_of(cache->find(key_for("a"))), "miss");
  cache->store(key_for("a"), code_for("y"));
  EXPECT_EQ(log_of(cache->find(key_for("a"))), "y");
  EXPECT_NE(cache->lock(key_for("a")), nullptr);
}

// ---- system layers ----

TEST_F(CacheTest, SystemCachesServeAndStayUntouched) {
  const std::string system = folder_ + "/system";
  const std::string bad = system + "/" + cache::entry_name(key_for("bad"));
  in_child({}, [&] {
    auto cache = Cache::open(system);
    cache->store(key_for("a"), code_for("from the system"));
    cache->store(key_for("bad"), code_for("x"));
  });
  std::string bytes = read(bad);
  bytes[300] = static_cast<char>(bytes[300] ^ 4);
  write(bad, bytes);
  in_child({{"PTXSHIM_CACHE_SYSTEM", "/nonexistent:" + system}}, [&] {
    auto cache = Cache::open(directory_);
    EXPECT_EQ(log_of(cache->find(key_for("a"))), "from the system");
    EXPECT_EQ(log_of(cache->find(key_for("bad"))), "miss");
    EXPECT_EQ(cache->directory(), directory_);
    cache->store(key_for("bad"), code_for("mine"));
    EXPECT_EQ(log_of(cache->find(key_for("bad"))), "mine");
  });
  EXPECT_EQ(read(bad), bytes);
}

// A service without HOME, in an image that was warmed when it was built.
TEST_F(CacheTest, SystemCachesServeWithoutADirectoryOfOnesOwn) {
  const std::string system = folder_ + "/system";
  in_child({}, [&] { Cache::open(system)->store(key_for("a"), code_for("from the system")); });
  in_child({{"PTXSHIM_CACHE_DIR", ""}, {"CUDA_CACHE_PATH", ""}, {"XDG_CACHE_HOME", ""}, {"HOME", ""},
            {"PTXSHIM_CACHE_SYSTEM", system}}, [&] {
    auto cache = Cache::open();
    EXPECT_EQ(cache->directory(), "");
    EXPECT_EQ(log_of(cache->find(key_for("a"))), "from the system");
    cache->store(key_for("b"), code_for("x"));
    EXPECT_EQ(log_of(cache->find(key_for("b"))), "miss");
    EXPECT_EQ(cache->lock(key_for("b")), nullptr);
  });
}

// ---- several at once ----

TEST_F(CacheTest, ProcessesStoreAndFindAtOnce) {
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      auto cache = Cache::open(directory_);
      bool good = true;
      for (int round = 0; round < 60; ++round) {
        const std::string name = std::to_string(round % 10);
        cache->store(key_for(name), code_for(name, 20'000));
        const auto found = cache->find(key_for(name));
        good = good && found && encode(*found) == encode(code_for(name, 20'000));
        if (round % 7 == i) fs::remove(path_of(key_for(std::to_string((round + 5) % 10))));
        good = good || !found; // removed by a neighbour: a miss, never a wrong answer
      }
      _exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(files_in(directory_ + "/v1/tmp"), 0u);
}

TEST_F(CacheTest, WritersKilledInTheMiddleLeaveNothingWrong) {
  for (int round = 0; round < 30; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      auto cache = Cache::open(directory_);
      for (int i = 0;; ++i) {
        fs::remove(path_of(key_for("a")));
        cache->store(key_for("a"), code_for("a", 50'000));
      }
    }
    usleep(static_cast<useconds_t>(1000 + 700 * round));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    const auto found = Cache::open(directory_)->find(key_for("a"));
    EXPECT_TRUE(!found || encode(*found) == encode(code_for("a", 50'000)));
  }
}

TEST_F(CacheTest, LockKeepsOtherProcessesWaiting) {
  auto cache = Cache::open(directory_);
  auto lock = cache->lock(key_for("a"));
  ASSERT_NE(lock, nullptr);
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    auto mine = Cache::open(directory_)->lock(key_for("a"));
    (void)!::write(pipe_ends[1], mine ? "y" : "n", 1);
    mine.reset();
    _exit(0);
  }
  fcntl(pipe_ends[0], F_SETFL, O_NONBLOCK);
  usleep(150'000);
  char answer = '?';
  EXPECT_EQ(::read(pipe_ends[0], &answer, 1), -1); // still waiting
  EXPECT_NE(cache->lock(key_for("b")), nullptr);   // other keys are free
  lock.reset();
  waitpid(child, nullptr, 0);
  EXPECT_EQ(::read(pipe_ends[0], &answer, 1), 1);
  EXPECT_EQ(answer, 'y');
  EXPECT_EQ(files_in(directory_ + "/v1/lock"), 0u);
}

TEST_F(CacheTest, KilledLockHolderBlocksNobody) {
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    auto lock = Cache::open(directory_)->lock(key_for("a"));
    (void)!::write(pipe_ends[1], "y", 1);
    if (fork() == 0) { // a process that inherits everything and stays
      sleep(3);
      _exit(0);
    }
    pause();
  }
  char answer;
  ASSERT_EQ(::read(pipe_ends[0], &answer, 1), 1);
  usleep(20'000);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_NE(Cache::open(directory_)->lock(key_for("a")), nullptr);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
}

TEST_F(CacheTest, LockGivesUp) {
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  const pid_t holder = fork();
  if (holder == 0) {
    auto lock = Cache::open(directory_)->lock(key_for("a"));
    (void)!::write(pipe_ends[1], "y", 1);
    pause();
  }
  char answer;
  ASSERT_EQ(::read(pipe_ends[0], &answer, 1), 1);
  in_child({{"PTXSHIM_WORKER_TIMEOUT", "1"}}, [&] { // the limit is 5 s more
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(Cache::open(directory_)->lock(key_for("a")), nullptr);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  });
  kill(holder, SIGKILL);
  waitpid(holder, nullptr, 0);
}

// ---- size ----

void age(const std::string& path, long seconds) {
  const timespec then{time(nullptr) - seconds, 0};
  const timespec times[2] = {then, then};
  utimensat(AT_FDCWD, path.c_str(), times, 0);
}

TEST_F(CacheTest, EvictionTakesTheLeastRecentlyUsed) {
  auto cache = Cache::open(directory_);
  for (int i = 0; i < 10; ++i) {
    const std::string name = std::to_string(i);
    cache->store(key_for(name), code_for(name, 10'000));
    age(path_of(key_for(name)), 100'000 - 1000 * i);
  }
  EXPECT_EQ(log_of(cache->find(key_for("0"))), "0"); // the oldest is used, and thereby the newest
  const cache::Storage storage(directory_, cache::Layer::Own);
  const cache::Pruned kept = cache::prune(storage, 1'000'000, false);
  EXPECT_EQ(kept.entries, 10u);
  EXPECT_EQ(kept.removed, 0u);
  const cache::Pruned result = cache::prune(storage, 50'000, false);
  EXPECT_EQ(result.removed, 6u); // a little over 10,000 each: four fit
  std::string left;
  for (int i = 0; i < 10; ++i)
    if (fs::exists(path_of(key_for(std::to_string(i))))) left += std::to_string(i);
  EXPECT_EQ(left, "0789");
}

TEST_F(CacheTest, SizeStaysUnderTheLimitByItself) {
  in_child({{"CUDA_CACHE_MAXSIZE", "200000"}}, [&] {
    auto cache = Cache::open(directory_);
    for (int i = 0; i < 60; ++i) {
      const std::string name = std::to_string(i);
      cache->store(key_for(name), code_for(name, 10'000));
      EXPECT_EQ(log_of(cache->find(key_for(name))), name); // never the newest one
    }
    cache->store(key_for("huge"), code_for("huge", 300'000));
    EXPECT_EQ(log_of(cache->find(key_for("huge"))), "miss");
    uint64_t total = 0;
    for (const auto& entry : fs::recursive_directory_iterator(directory_))
      if (entry.is_regular_file()) total += entry.file_size();
    EXPECT_LT(total, 210'000u);
    EXPECT_GT(total, 100'000u);
  });
}

TEST_F(CacheTest, OrphansGoByAge) {
  auto cache = Cache::open(directory_);
  write(directory_ + "/v1/tmp/1.2.3", "left by a crash");
  write(directory_ + "/v1/tmp/4.5.6", "being written");
  age(directory_ + "/v1/tmp/1.2.3", 100'000);
  EXPECT_EQ(cache::prune(cache::Storage(directory_, cache::Layer::Own), 1'000'000, false).orphans, 1u);
  EXPECT_TRUE(fs::exists(directory_ + "/v1/tmp/4.5.6"));
}

TEST_F(CacheTest, HitsRenewTheTimeOfUseOnceAnHour) {
  auto cache = Cache::open(directory_);
  const CacheKey key = key_for("a");
  cache->store(key, code_for("x"));
  const auto modified = [&] {
    struct stat status {};
    stat(path_of(key).c_str(), &status);
    return status.st_mtim.tv_sec;
  };
  age(path_of(key), 600);
  const time_t recent = modified();
  EXPECT_TRUE(cache->find(key));
  EXPECT_EQ(modified(), recent);
  age(path_of(key), 7200);
  EXPECT_TRUE(cache->find(key));
  EXPECT_GT(modified(), time(nullptr) - 60);
}

// ---- speed ----

TEST_F(CacheTest, WarmHitTakesMicroseconds) {
  auto cache = Cache::open(directory_);
  std::string text;
  while (text.size() < 20'000) text += "add.s32 %r" + std::to_string(text.size()) + ", %r1, %r2;\n";
  const TranslateRequest request = request_for(text);
  cache->store(cache_key(request), code_for("x", 10'000));
  double best = 1e9;
  for (int i = 0; i < 200; ++i) {
    const auto start = std::chrono::steady_clock::now();
    ASSERT_TRUE(cache->find(cache_key(request)));
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count());
  }
  RecordProperty("best_us", std::to_string(best));
  std::printf("a warm hit takes %.1f us\n", best);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_LT(best, 1000); // 20 us on an idle machine; the bound only catches a change of kind
#endif
}

} // namespace
} // namespace ptxshim
