// SPDX-License-Identifier: MIT
// Files are published whole or not at all: written under a name of their own in v1/tmp, then linked to the
// final name (rename where links are not to be had). A reader therefore sees no entry, or a complete one;
// what a power failure leaves is found by the checksum. Without fsync by default, for the same reason: a lost
// entry costs one translation.
//
// Code from the cache runs in the application, so nobody else may write it: the directory and each file must
// belong to the effective user (system layers: or to root) and be writable by no one else. Files are opened
// with O_NOFOLLOW, and with O_NONBLOCK, as a FIFO would block for ever.
#include "storage.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>

#include "entry.h"
#include "ptxshim/config.h"

namespace ptxshim::cache {

namespace {

constexpr const char* kVersion = "v1";
constexpr const char* kTemporary = "v1/tmp";
constexpr const char* kLocks = "v1/lock";
constexpr const char kTag[] =
    "Signature: 8a477f597d28d172789f06886806bc55\n# The cache of ptxshim; may be deleted.\n";
constexpr time_t kTouchInterval = 3600;

FileIdentity identity_of(const struct stat& status) {
  return {status.st_ino, status.st_size, status.st_mtim};
}

bool same(const FileIdentity& a, const FileIdentity& b) {
  return a.inode == b.inode && a.size == b.size && a.modified.tv_sec == b.modified.tv_sec &&
         a.modified.tv_nsec == b.modified.tv_nsec;
}

// A write beyond RLIMIT_FSIZE sends SIGXFSZ, which would end the application: blocked here, and taken off
// again.
class NoFileSizeSignal {
public:
  NoFileSizeSignal() {
    sigemptyset(&set_);
    sigaddset(&set_, SIGXFSZ);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGXFSZ) == 1;
    pthread_sigmask(SIG_BLOCK, &set_, &before_);
  }
  ~NoFileSizeSignal() {
    const timespec now{};
    while (!was_pending_ && sigtimedwait(&set_, nullptr, &now) < 0 && errno == EINTR) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoFileSizeSignal(const NoFileSizeSignal&) = delete;

private:
  sigset_t set_, before_;
  bool was_pending_;
};

int write_all(int fd, const void* data, size_t size) {
  const NoFileSizeSignal guard;
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t count = ::write(fd, at, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return count < 0 ? errno : EIO;
    at += count;
    size -= static_cast<size_t>(count);
  }
  return 0;
}

int write_temporary(int root, const std::string& name, const std::vector<std::byte>& bytes) {
  const Fd fd(openat(root, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd) return errno;
  if (const int error = write_all(fd.get(), bytes.data(), bytes.size())) return error;
  return config().cache_sync && fsync(fd.get()) ? errno : 0;
}

// A link fails where an entry is already; a rename replaces it, and serves file systems without links.
int move_into_place(int root, const std::string& temporary, const std::string& name, bool replace) {
  if (!replace) {
    if (linkat(root, temporary.c_str(), root, name.c_str(), 0) == 0) return 0;
    if (errno == EEXIST) return EEXIST;
  }
  return renameat(root, temporary.c_str(), root, name.c_str()) == 0 ? 0 : errno;
}

std::string temporary_name() {
  static std::atomic<unsigned> counter{0};
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  char name[96];
  std::snprintf(name, sizeof name, "%s/%d.%u.%lx%lx", kTemporary, static_cast<int>(getpid()), counter++,
                static_cast<unsigned long>(now.tv_sec), static_cast<unsigned long>(now.tv_nsec));
  return name;
}

std::string make_parents(const std::string& path) {
  for (size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    const std::string part = path.substr(0, slash);
    if (mkdir(part.c_str(), 0700) != 0 && errno != EEXIST) return part + ": " + strerrordesc_np(errno);
    if (slash == std::string::npos) return {};
  }
}

bool hexadecimal(const char* text, size_t digits) {
  return std::strlen(text) == digits && std::strspn(text, "0123456789abcdef") == digits;
}

// Names in a folder below the root, without . and ..; none when it cannot be read.
std::vector<std::string> names_in(int root, const char* folder) {
  std::vector<std::string> names;
  const int fd = openat(root, folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return names;
  DIR* const directory = fdopendir(fd);
  if (!directory) {
    ::close(fd);
    return names;
  }
  while (const dirent* entry = readdir(directory))
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  closedir(directory);
  return names;
}

} // namespace

std::string entry_name(const CacheKey& key) {
  std::string hex = key.hex();
  return std::string(kVersion) + "/" + hex.substr(0, 2) + "/" + hex.substr(2);
}

std::string default_directory() {
  const Config& c = config();
  std::string path;
  if (!c.cache_dir.empty())
    path = c.cache_dir;
  else if (!c.cuda_cache_path.empty())
    path = c.cuda_cache_path + "/ptxshim";
  else if (!c.xdg_cache_home.empty() && c.xdg_cache_home[0] == '/')
    path = c.xdg_cache_home + "/ptxshim";
  else if (!c.home.empty() && c.home[0] == '/')
    path = c.home + "/.cache/ptxshim";
  return path;
}

bool Storage::trusted(const struct stat& status) const {
  const bool owner = status.st_uid == geteuid() || (layer_ == Layer::System && status.st_uid == 0);
  return owner && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

std::optional<std::string> Storage::prepare() const {
  std::string problem;
  Fd root = open_root(&problem);
  if (!root && layer_ == Layer::Own) {
    struct stat status;
    if (lstat(path_.c_str(), &status) == 0) return problem; // there, and not to be used
    if (problem = make_parents(path_); !problem.empty()) return problem;
    root = open_root(&problem);
  }
  if (!root) return problem;
  if (layer_ == Layer::System) return std::nullopt;
  for (const char* folder : {kVersion, kTemporary, kLocks})
    mkdirat(root.get(), folder, 0700); // or it is read only
  const Fd tag(
      openat(root.get(), "CACHEDIR.TAG", O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (tag) write_all(tag.get(), kTag, sizeof kTag - 1);
  return std::nullopt;
}

Fd Storage::open_root(std::string* problem) const {
  const auto fail = [&](const std::string& what, int error = EPERM) {
    if (problem) *problem = path_ + ": " + what;
    errno = error;
    return Fd();
  };
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
  Fd root(open(path_.c_str(), kFlags | O_NOFOLLOW));
  struct stat status;
  // A symbolic link that the user made is a wish; anybody else's is refused.
  if (!root && lstat(path_.c_str(), &status) == 0 && S_ISLNK(status.st_mode)) {
    if (status.st_uid != geteuid()) return fail("a symbolic link of another user");
    root = Fd(open(path_.c_str(), kFlags));
  }
  if (!root || fstat(root.get(), &status)) return fail(strerrordesc_np(errno), errno);
  if (status.st_mode & (S_IWGRP | S_IWOTH))
    return fail("others may write to it (chmod go-w would mend that)");
  if (!trusted(status)) return fail("it belongs to another user");
  return root;
}

int Storage::read(const CacheKey& key, StoredFile& file) const {
  for (int attempt = 0;; ++attempt) {
    const Fd root = open_root();
    if (!root) return errno;
    const int error = read(root.get(), entry_name(key), file);
    if (error != ESTALE || attempt == 1) return error; // NFS: the file was replaced on the server; look again
  }
}

int Storage::read(int root, const std::string& name, StoredFile& file) const {
  const Fd fd(openat(root, name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (!fd) return errno;
  struct stat status;
  if (fstat(fd.get(), &status)) return errno;
  file.identity = identity_of(status);
  if (!S_ISREG(status.st_mode) || !trusted(status)) return EBADMSG;
  const auto size = static_cast<uint64_t>(status.st_size);
  if (size < kEntryHeader || size > kMaxEntry) return EBADMSG;
  file.bytes.resize(static_cast<size_t>(size));
  for (size_t done = 0; done < file.bytes.size();) {
    const ssize_t count = ::read(fd.get(), file.bytes.data() + done, file.bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    if (count == 0) return EBADMSG; // shorter than it was a moment ago
    done += static_cast<size_t>(count);
  }
  return 0;
}

void Storage::touch(const CacheKey& key, const FileIdentity& identity) const {
  if (layer_ == Layer::System || std::time(nullptr) - identity.modified.tv_sec < kTouchInterval) return;
  const Fd root = open_root();
  const timespec times[2] = {{0, UTIME_OMIT}, {0, UTIME_NOW}};
  if (root) utimensat(root.get(), entry_name(key).c_str(), times, AT_SYMLINK_NOFOLLOW);
}

int Storage::publish(const CacheKey& key, const std::vector<std::byte>& bytes, bool replace) const {
  const Fd root = open_root();
  if (!root) return errno;
  const std::string name = entry_name(key);
  for (const std::string& folder : {std::string(kVersion), std::string(kTemporary), name.substr(0, 5)})
    if (mkdirat(root.get(), folder.c_str(), 0700) && errno != EEXIST) return errno;
  const std::string temporary = temporary_name();
  int error = write_temporary(root.get(), temporary, bytes);
  if (!error) error = move_into_place(root.get(), temporary, name, replace);
  unlinkat(root.get(), temporary.c_str(), 0); // gone already after a rename
  return error;
}

bool Storage::remove(int root, const std::string& name, const FileIdentity& identity) const {
  struct stat status;
  if (layer_ == Layer::System || fstatat(root, name.c_str(), &status, AT_SYMLINK_NOFOLLOW)) return false;
  return same(identity_of(status), identity) && unlinkat(root, name.c_str(), 0) == 0;
}

void Storage::list(int root, const std::function<void(ListedEntry)>& visit) const {
  for (const std::string& shard : names_in(root, kVersion)) {
    if (!hexadecimal(shard.c_str(), 2)) continue;
    const std::string folder = std::string(kVersion) + "/" + shard;
    for (const std::string& file : names_in(root, folder.c_str())) {
      struct stat status;
      const std::string name = folder + "/" + file;
      if (!hexadecimal(file.c_str(), 62) || fstatat(root, name.c_str(), &status, AT_SYMLINK_NOFOLLOW))
        continue;
      visit({name, shard + file, identity_of(status)});
    }
  }
}

size_t Storage::reap_orphans(int root, time_t older_than) const {
  size_t count = 0;
  for (const char* folder : {kTemporary, kLocks})
    for (const std::string& file : names_in(root, folder)) {
      struct stat status;
      const std::string name = std::string(folder) + "/" + file;
      if (fstatat(root, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) || status.st_mtim.tv_sec >= older_than)
        continue;
      count += unlinkat(root, name.c_str(), 0) == 0;
    }
  return count;
}

} // namespace ptxshim::cache
