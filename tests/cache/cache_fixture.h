// SPDX-License-Identifier: MIT
// What the cache's tests share: requests and code objects made of a word, a directory of their own, children
// with an environment of their own.
#pragma once

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

namespace fs = std::filesystem;

inline TranslateRequest request_for(const std::string& text) {
  TranslateRequest request;
  request.modules = {text};
  request.target = "gfx1030";
  return request;
}

inline CacheKey key_for(const std::string& text) { return cache_key(request_for(text)); }

inline CodeObject code_for(const std::string& log, size_t bytes = 3000) {
  CodeObject code;
  code.target = "gfx1030";
  std::mt19937 random(static_cast<unsigned>(std::hash<std::string>()(log))); // not to be compressed
  for (size_t i = 0; i < bytes; ++i)
    code.elf.push_back(static_cast<std::byte>(random()));
  code.kernels.resize(2);
  code.kernels[0].name = "k";
  code.info_log = log;
  return code;
}

inline std::string log_of(const std::optional<CodeObject>& code) { return code ? code->info_log : "miss"; }

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
  // The environment is read once per process, so a scenario with its own runs in a child. Its stderr is
  // returned.
  std::string in_child(std::vector<std::pair<const char*, std::string>> variables,
                       const std::function<void()>& body) {
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

} // namespace ptxshim
