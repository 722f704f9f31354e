// SPDX-License-Identifier: MIT
// A cache's directory: which one, is it safe to use, and files in it.
//
//   <directory>/CACHEDIR.TAG       backup programs leave it out
//   <directory>/v1/ab/<62 digits>  an entry; ab and the rest are the key
//   <directory>/v1/tmp/...         being written
//   <directory>/v1/lock/<key>      held while a key is being translated
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "ptxshim/cache.h"

namespace ptxshim::cache {

class Fd {
public:
  explicit Fd(int fd = -1) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Fd() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

private:
  int fd_;
};

// A file as it was when it was looked at; what is unlinked later must still be the same.
struct FileIdentity {
  ino_t inode = 0;
  off_t size = 0;
  timespec modified{};
};

struct StoredFile {
  std::vector<std::byte> bytes;
  FileIdentity identity;
};

struct ListedEntry {
  std::string name; // relative to the root: "v1/ab/..."
  std::string key;  // 64 hexadecimal digits
  FileIdentity identity;
};

enum class Layer { Own, System }; // System: read only, may belong to root

class Storage {
public:
  Storage(std::string path, Layer layer) : path_(std::move(path)), layer_(layer) {}

  const std::string& path() const { return path_; }
  // Creates the directory with its parents. What is wrong with it, in words, if anything.
  std::optional<std::string> prepare() const;

  // Opened anew for each operation: a descriptor kept open could be closed, and its number taken, by the
  // application. Checked each time: owner, and that nobody else may write.
  Fd open_root(std::string* problem = nullptr) const;

  // errno of what failed, ENOENT for an entry that is not there, EBADMSG for one that must not be trusted.
  int read(const CacheKey& key, StoredFile& file) const;
  int read(int root, const std::string& name, StoredFile& file) const;
  // Marks an entry as used, at most once an hour.
  void touch(const CacheKey& key, const FileIdentity& identity) const;
  // 0 or errno. EEXIST: there is one already.
  int publish(const CacheKey& key, const std::vector<std::byte>& bytes, bool replace) const;
  bool remove(int root, const std::string& name, const FileIdentity& identity) const;

  // Every entry; names that are none are passed over.
  void list(int root, const std::function<void(ListedEntry)>& visit) const;
  // Temporary files and locks that nobody can still be using.
  size_t reap_orphans(int root, time_t older_than) const;

private:
  bool trusted(const struct stat& status) const;

  std::string path_;
  Layer layer_;
};

std::string entry_name(const CacheKey& key);

// PTXSHIM_CACHE_DIR, CUDA_CACHE_PATH, XDG_CACHE_HOME, HOME; empty when none is set.
std::string default_directory();

} // namespace ptxshim::cache
