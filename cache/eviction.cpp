// SPDX-License-Identifier: MIT
// Nobody keeps count of the directory's size: a shared counter would have to be right across crashes and
// processes. It is measured instead, once a process has added a share of the limit, and otherwise at most
// once in kInterval over all processes (the age of v1/lock/evict tells). Measuring 10,000 entries takes about
// 20 ms, less than one translation.
//
// Use is the file's time of modification, which hits renew at most once an hour. An entry removed while
// somebody reads it does no harm: the reader has the file open.
#include "eviction.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <ctime>
#include <fcntl.h>

#include "ptxshim/config.h"
#include "ptxshim/log.h"

namespace ptxshim::cache {

namespace {

constexpr const char* kStamp = "v1/lock/evict";
constexpr time_t kInterval = 300;       // seconds
constexpr time_t kOrphanAge = 6 * 3600; // seconds; no translation and no write takes so long
constexpr uint64_t kShare = 64;         // of the limit

bool stamp_is_fresh(int root) {
  struct stat status;
  return fstatat(root, kStamp, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
         std::time(nullptr) - status.st_mtim.tv_sec < kInterval;
}

bool older(const ListedEntry& a, const ListedEntry& b) {
  const timespec &x = a.identity.modified, &y = b.identity.modified;
  return x.tv_sec != y.tv_sec ? x.tv_sec < y.tv_sec : x.tv_nsec < y.tv_nsec;
}

} // namespace

Pruned prune(const Storage& storage, uint64_t limit, bool slack) {
  Pruned result;
  const Fd root = storage.open_root();
  if (!root) return result;
  mkdirat(root.get(), "v1", 0700);
  mkdirat(root.get(), "v1/lock", 0700);
  const Fd stamp(openat(root.get(), kStamp, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!stamp) return result;
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (fcntl(stamp.get(), F_SETLK, &lock) && (errno == EAGAIN || errno == EACCES)) {
    result.busy = true;
    return result;
  }
  futimens(stamp.get(), nullptr);
  std::vector<ListedEntry> entries;
  storage.list(root.get(), [&](ListedEntry entry) {
    result.bytes += static_cast<uint64_t>(entry.identity.size);
    entries.push_back(std::move(entry));
  });
  result.entries = entries.size();
  result.orphans = storage.reap_orphans(root.get(), std::time(nullptr) - kOrphanAge);
  if (result.bytes <= limit) return result;
  std::sort(entries.begin(), entries.end(), older);
  const uint64_t aim = slack ? limit - limit / 10 : limit;
  for (const ListedEntry& entry : entries) {
    if (result.bytes - result.removed_bytes <= aim) break;
    if (!storage.remove(root.get(), entry.name, entry.identity)) continue;
    ++result.removed;
    result.removed_bytes += static_cast<uint64_t>(entry.identity.size);
  }
  return result;
}

void evict_if_due(const Storage& storage, uint64_t new_bytes) {
  static std::atomic<uint64_t> added{0};
  const uint64_t limit = config().cache_max_size;
  const bool much = (added += new_bytes) > limit / kShare;
  {
    const Fd root = storage.open_root();
    if (!root || (!much && stamp_is_fresh(root.get()))) return;
  }
  added = 0;
  const Pruned result = prune(storage, limit, true);
  if (result.removed)
    PTXSHIM_LOG_LINE(cache, info, "removed %llu of %llu entries, the cache was at its limit of %llu bytes",
                     static_cast<unsigned long long>(result.removed),
                     static_cast<unsigned long long>(result.entries), static_cast<unsigned long long>(limit));
}

} // namespace ptxshim::cache
