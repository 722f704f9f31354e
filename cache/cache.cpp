// SPDX-License-Identifier: MIT
// The cache as the runtime sees it: one directory of its own, read-only system caches below it.
//
// A hit costs one file read, a hash, a decompression; it writes nothing but, once an hour, the time of use.
// Everything that goes wrong is a miss and a line in the log; what a user should know (no directory, disk
// full) is a warning, once.
//
// Threads share an object freely: it has no state but counters. A fork changes nothing, as no descriptor is
// kept open.
#include "ptxshim/cache.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fcntl.h>

#include "entry.h"
#include "eviction.h"
#include "ptxshim/config.h"
#include "ptxshim/log.h"
#include "storage.h"

namespace ptxshim {

namespace cache {
namespace {

// A lock file per key under a POSIX record lock: released by the kernel when its process ends in whatever
// way, not inherited by fork, and served by NFS. (Threads of one process are kept apart before they get
// here.) The file goes when the lock is released; who was waiting for it then finds that the name no longer
// leads to the file it opened, and starts again.
class FileLock final : public Cache::Lock {
public:
  FileLock(const Storage& storage, std::string name, Fd fd)
      : storage_(storage), name_(std::move(name)), fd_(std::move(fd)) {}
  ~FileLock() override {
    if (const Fd root = storage_.open_root(); root && is_current(root.get(), name_, fd_.get()))
      unlinkat(root.get(), name_.c_str(), 0);
  }
  static bool is_current(int root, const std::string& name, int fd) {
    struct stat by_name, by_descriptor;
    return fstatat(root, name.c_str(), &by_name, AT_SYMLINK_NOFOLLOW) == 0 &&
           fstat(fd, &by_descriptor) == 0 && by_name.st_ino == by_descriptor.st_ino &&
           by_name.st_dev == by_descriptor.st_dev;
  }

private:
  const Storage storage_;
  const std::string name_;
  const Fd fd_;
};

class DirectoryCache final : public Cache {
public:
  // An empty `own`: nothing is kept, the system caches serve all the same.
  DirectoryCache(const std::string& own, const std::string& system) : own_(own, Layer::Own) {
    for (size_t begin = 0; begin < system.size();) {
      const size_t end = std::min(system.find(':', begin), system.size());
      if (end > begin) system_.emplace_back(system.substr(begin, end - begin), Layer::System);
      begin = end + 1;
    }
  }

  std::optional<CodeObject> find(const CacheKey& key) override {
    if (!own_.path().empty())
      if (auto found = find_in(own_, key)) return found;
    for (const Storage& layer : system_)
      if (auto found = find_in(layer, key)) return found;
    return std::nullopt;
  }

  bool has_system_cache() const {
    return std::any_of(system_.begin(), system_.end(),
                       [](const Storage& layer) { return bool(layer.open_root()); });
  }
  void store(const CacheKey& key, const CodeObject& code_object) override;
  std::unique_ptr<Lock> lock(const CacheKey& key) override;
  std::string directory() const override { return own_.path(); }

private:
  std::optional<CodeObject> find_in(const Storage& storage, const CacheKey& key);

  const Storage own_;
  std::vector<Storage> system_;
  std::atomic<bool> warned_{false};
};

std::optional<CodeObject> DirectoryCache::find_in(const Storage& storage, const CacheKey& key) {
  StoredFile file;
  const int error = storage.read(key, file);
  if (error && error != EBADMSG) {
    PTXSHIM_LOG_LINE(cache, debug, "miss %.16s in %s: %s", key.hex().c_str(), storage.path().c_str(),
                     error == ENOENT ? "no such entry" : strerrordesc_np(error));
    return std::nullopt;
  }
  auto code_object =
      error ? Result<CodeObject>(Error{CUDA_ERROR_INVALID_IMAGE, "not a file of ours, or cut off"})
            : unpack_entry(file.bytes, key);
  if (code_object.ok()) {
    storage.touch(key, file.identity);
    PTXSHIM_LOG_LINE(cache, debug, "hit %.16s in %s", key.hex().c_str(), storage.path().c_str());
    return std::move(*code_object);
  }
  const Fd root = storage.open_root();
  const bool removed = root && storage.remove(root.get(), entry_name(key), file.identity);
  PTXSHIM_LOG_LINE(cache, info, "miss %.16s in %s: %s%s", key.hex().c_str(), storage.path().c_str(),
                   code_object.error().message.c_str(), removed ? " (removed)" : "");
  return std::nullopt;
}

void DirectoryCache::store(const CacheKey& key, const CodeObject& code_object) {
  if (own_.path().empty()) return;
  const std::vector<std::byte> bytes = pack_entry(key, code_object);
  if (bytes.empty() || bytes.size() > config().cache_max_size) {
    PTXSHIM_LOG_LINE(cache, info, "%.16s is too large for the cache", key.hex().c_str());
    return;
  }
  int error = own_.publish(key, bytes, false);
  if (error == EEXIST) { // another process was faster: its entry is as good, if it is one
    StoredFile file;
    if (own_.read(key, file) == 0 && unpack_entry(file.bytes, key).ok()) return;
    error = own_.publish(key, bytes, true);
  }
  if (!error) {
    evict_if_due(own_, bytes.size());
  } else if (!warned_.exchange(true)) {
    PTXSHIM_LOG_LINE(cache, warn, "%s: %s; translations are not kept", own_.path().c_str(),
                     strerrordesc_np(error));
  }
}

std::unique_ptr<Cache::Lock> DirectoryCache::lock(const CacheKey& key) {
  if (own_.path().empty()) return nullptr;
  const std::string name = "v1/lock/" + key.hex();
  const uint64_t limit_ms = 1000 * (std::min<uint64_t>(config().worker_timeout, 3600) + 5);
  uint64_t waited_ms = 0;
  for (useconds_t pause_ms = 1; waited_ms < limit_ms;
       waited_ms += pause_ms, pause_ms = std::min(2 * pause_ms, 50u)) {
    const Fd root = own_.open_root();
    if (!root) return nullptr;
    mkdirat(root.get(), "v1", 0700);
    mkdirat(root.get(), "v1/lock", 0700);
    Fd fd(openat(root.get(), name.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!fd) return nullptr; // read only, full
    struct flock range = {};
    range.l_type = F_WRLCK;
    range.l_whence = SEEK_SET;
    if (fcntl(fd.get(), F_SETLK, &range) == 0) {
      if (FileLock::is_current(root.get(), name, fd.get()))
        return std::make_unique<FileLock>(own_, name, std::move(fd));
    } else if (errno != EAGAIN && errno != EACCES) {
      return nullptr; // a file system without locks
    }
    usleep(pause_ms * 1000);
  }
  PTXSHIM_LOG_LINE(cache, info, "%.16s is locked by another process for too long", key.hex().c_str());
  return nullptr;
}

class NoCache final : public Cache {
public:
  std::optional<CodeObject> find(const CacheKey&) override { return std::nullopt; }
  void store(const CacheKey&, const CodeObject&) override {}
  std::unique_ptr<Lock> lock(const CacheKey&) override { return nullptr; }
  std::string directory() const override { return {}; }
};

std::string absolute(const std::string& path) {
  if (path.empty() || path[0] == '/') return path;
  char here[PATH_MAX];
  return getcwd(here, sizeof here) ? std::string(here) + "/" + path : std::string();
}

} // namespace
} // namespace cache

std::unique_ptr<Cache> Cache::open(const std::string& directory) {
  using namespace cache;
  if (config().cache_disable || config().cache_max_size == 0) return std::make_unique<NoCache>();
  std::string path = absolute(directory.empty() ? default_directory() : directory);
  while (path.size() > 1 && path.back() == '/')
    path.pop_back();
  std::optional<std::string> problem;
  if (path.empty())
    problem = "no directory for it (neither PTXSHIM_CACHE_DIR nor HOME is set)";
  else
    problem = Storage(path, Layer::Own).prepare();
  if (!problem) return std::make_unique<DirectoryCache>(path, config().cache_system);
  static std::atomic<bool> warned{false};
  if (!warned.exchange(true)) PTXSHIM_LOG_LINE(cache, warn, "running without a cache: %s", problem->c_str());
  auto layers = std::make_unique<DirectoryCache>("", config().cache_system);
  if (layers->has_system_cache()) return layers;
  return std::make_unique<NoCache>();
}

} // namespace ptxshim
