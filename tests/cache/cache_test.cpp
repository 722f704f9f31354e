// SPDX-License-Identifier: MIT
// Keys, hits, and every kind of damage; who may write to a cache.
#include "cache_fixture.h"

namespace ptxshim {
namespace {

using testing::HasSubstr;

// ---- keys ----

TEST(CacheKeyTest, CoversEveryFieldButTheName) {
  const TranslateRequest base = request_for("a");
  std::vector<TranslateRequest> others(10, base);
  others[0].modules = {"b"};
  others[1].modules = {"a", ""};
  others[2].target = "gfx1100";
  others[3].code_object_version = 4;
  others[4].optimisation = 1;
  others[5].debug_info = true;
  others[6].max_registers = 32;
  others[7].kernels = {"k"};
  others[8].modules = {"a", "b"};
  others[9].wave_size = 64;
  std::vector<std::string> keys{cache_key(base).hex()};
  for (const TranslateRequest& request : others)
    keys.push_back(cache_key(request).hex());
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(std::unique(keys.begin(), keys.end()), keys.end());
  TranslateRequest named = base;
  named.name = "other.ptx";
  EXPECT_EQ(cache_key(named), cache_key(base));
  named.debug_info = true; // line tables may have the name
  EXPECT_NE(cache_key(named), cache_key(others[5]));
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
  for (size_t i = 0; i < 32; ++i)
    key.bytes[i] = static_cast<uint8_t>(i * 8 + 7);
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

} // namespace
} // namespace ptxshim
