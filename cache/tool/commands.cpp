// SPDX-License-Identifier: MIT
// The commands that look at a cache: path, stat, list, verify, prune.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <map>

#include "entry.h"
#include "eviction.h"
#include "options.h"
#include "ptxshim/config.h"
#include "storage.h"

namespace ptxshim::tool {

namespace {

using cache::FileIdentity;
using cache::ListedEntry;
using cache::Storage;
using cache::StoredFile;

// Opens the directory without creating it. Prints what is wrong.
std::optional<Storage> open_storage(const Options& options) {
  const std::string path = options.directory.empty() ? cache::default_directory() : options.directory;
  if (path.empty()) {
    std::fprintf(stderr, "ptxshim-cache: error: no directory: neither PTXSHIM_CACHE_DIR nor HOME is set\n");
    return std::nullopt;
  }
  Storage storage(path, cache::Layer::Own);
  std::string problem;
  if (storage.open_root(&problem)) return storage;
  std::fprintf(stderr, "ptxshim-cache: error: %s\n", problem.c_str());
  return std::nullopt;
}

struct Examined {
  std::string problem; // empty: a whole entry
  cache::EntryInfo info;
  CodeObject code_object;
};

Examined examine(const Storage& storage, int root, const ListedEntry& entry) {
  Examined result;
  StoredFile file;
  if (const int error = storage.read(root, entry.name, file)) {
    result.problem = error == EBADMSG ? "not a file of ours, or cut off" : strerrordesc_np(error);
    return result;
  }
  auto info = cache::check_entry(file.bytes);
  if (!info.ok()) {
    result.problem = info.error().message;
    return result;
  }
  result.info = *info;
  if (info->key.hex() != entry.key) {
    result.problem = "it lies under another key";
    return result;
  }
  auto code_object = cache::unpack_entry(file.bytes, info->key);
  if (code_object.ok())
    result.code_object = std::move(*code_object);
  else
    result.problem = code_object.error().message;
  return result;
}

std::string date(time_t seconds) {
  char buffer[32];
  tm parts;
  if (!localtime_r(&seconds, &parts) || !std::strftime(buffer, sizeof buffer, "%Y-%m-%d %H:%M", &parts))
    return "?";
  return buffer;
}

void print_entry(const Options& options, const ListedEntry& entry, const Examined& found) {
  std::string kernels;
  for (const KernelInfo& kernel : found.code_object.kernels) {
    if (!kernels.empty()) kernels += options.json ? "," : " ";
    kernels += options.json ? json_string(kernel.name) : kernel.name;
  }
  const bool current = found.info.producer == translator_build_id();
  if (options.json)
    std::printf("{\"key\":%s,\"bytes\":%lld,\"used\":%lld,\"created\":%llu,\"target\":%s,\"producer\":%s,"
                "\"current\":%s,\"problem\":%s,\"kernels\":[%s]}\n",
                json_string(entry.key).c_str(), static_cast<long long>(entry.identity.size),
                static_cast<long long>(entry.identity.modified.tv_sec),
                static_cast<unsigned long long>(found.info.created),
                json_string(found.code_object.target).c_str(), json_string(found.info.producer).c_str(),
                current ? "true" : "false", json_string(found.problem).c_str(), kernels.c_str());
  else
    std::printf("%.16s %-8s %9lld  %s  %s%s\n", entry.key.c_str(),
                found.problem.empty() ? found.code_object.target.c_str() : "damaged",
                static_cast<long long>(entry.identity.size), date(entry.identity.modified.tv_sec).c_str(),
                found.problem.empty() ? kernels.c_str() : found.problem.c_str(),
                current || !found.problem.empty() ? "" : "  (other build)");
}

} // namespace

int run_path(const Options& options) {
  const std::string path = options.directory.empty() ? cache::default_directory() : options.directory;
  if (options.json)
    std::printf("{\"path\":%s,\"disabled\":%s}\n", json_string(path).c_str(),
                config().cache_disable ? "true" : "false");
  else
    std::printf("%s\n", path.c_str());
  return path.empty() ? 1 : 0;
}

int run_stat(const Options& options) {
  const auto storage = open_storage(options);
  if (!storage) return 1;
  const cache::Fd root = storage->open_root();
  uint64_t entries = 0, bytes = 0, current = 0, damaged = 0;
  std::map<std::string, uint64_t> targets;
  storage->list(root.get(), [&](const ListedEntry& entry) {
    const Examined found = examine(*storage, root.get(), entry);
    ++entries;
    bytes += static_cast<uint64_t>(entry.identity.size);
    current += found.problem.empty() && found.info.producer == translator_build_id();
    damaged += !found.problem.empty();
    if (found.problem.empty()) ++targets[found.code_object.target];
  });
  const auto number = [](uint64_t value) { return static_cast<unsigned long long>(value); };
  if (options.json) {
    std::string list;
    for (const auto& [target, count] : targets) {
      if (!list.empty()) list += ',';
      list += json_string(target);
      list += ':' + std::to_string(count);
    }
    std::printf(
        "{\"path\":%s,\"entries\":%llu,\"bytes\":%llu,\"limit\":%llu,\"current\":%llu,\"damaged\":%llu,"
        "\"targets\":{%s}}\n",
        json_string(storage->path()).c_str(), number(entries), number(bytes), number(config().cache_max_size),
        number(current), number(damaged), list.c_str());
    return 0;
  }
  std::printf(
      "%s\n%llu entries, %llu bytes of at most %llu\n%llu of this build, %llu of others, %llu damaged\n",
      storage->path().c_str(), number(entries), number(bytes), number(config().cache_max_size),
      number(current), number(entries - current - damaged), number(damaged));
  for (const auto& [target, count] : targets)
    std::printf("%llu for %s\n", number(count), target.c_str());
  return 0;
}

int run_list(const Options& options) {
  const auto storage = open_storage(options);
  if (!storage) return 1;
  const cache::Fd root = storage->open_root();
  storage->list(root.get(), [&](const ListedEntry& entry) {
    print_entry(options, entry, examine(*storage, root.get(), entry));
  });
  return 0;
}

int run_verify(const Options& options) {
  const auto storage = open_storage(options);
  if (!storage) return 1;
  const cache::Fd root = storage->open_root();
  uint64_t entries = 0, damaged = 0, removed = 0;
  storage->list(root.get(), [&](const ListedEntry& entry) {
    const Examined found = examine(*storage, root.get(), entry);
    ++entries;
    if (found.problem.empty()) return;
    ++damaged;
    print_entry(options, entry, found);
    removed += options.remove && storage->remove(root.get(), entry.name, entry.identity);
  });
  std::printf(options.json ? "{\"entries\":%llu,\"damaged\":%llu,\"removed\":%llu}\n"
                           : "%llu entries, %llu damaged, %llu removed\n",
              static_cast<unsigned long long>(entries), static_cast<unsigned long long>(damaged),
              static_cast<unsigned long long>(removed));
  return damaged > removed ? 1 : 0;
}

int run_prune(const Options& options) {
  const auto storage = open_storage(options);
  if (!storage) return 1;
  uint64_t removed = 0, removed_bytes = 0;
  if (options.other_builds) {
    const cache::Fd root = storage->open_root();
    storage->list(root.get(), [&](const ListedEntry& entry) {
      const Examined found = examine(*storage, root.get(), entry);
      if (found.problem.empty() && found.info.producer == translator_build_id()) return;
      if (!storage->remove(root.get(), entry.name, entry.identity)) return;
      ++removed;
      removed_bytes += static_cast<uint64_t>(entry.identity.size);
    });
  }
  const uint64_t limit = options.all ? 0 : options.max_bytes.value_or(config().cache_max_size);
  const cache::Pruned result = cache::prune(*storage, limit, false);
  if (result.busy) {
    std::fprintf(stderr, "ptxshim-cache: error: another process is pruning this cache\n");
    return 1;
  }
  removed += result.removed;
  removed_bytes += result.removed_bytes;
  std::printf(options.json ? "{\"entries\":%llu,\"bytes\":%llu,\"removed\":%llu,\"removed_bytes\":%llu}\n"
                           : "%llu entries, %llu bytes are left; removed: %llu entries, %llu bytes\n",
              static_cast<unsigned long long>(result.entries - result.removed),
              static_cast<unsigned long long>(result.bytes - result.removed_bytes),
              static_cast<unsigned long long>(removed), static_cast<unsigned long long>(removed_bytes));
  return 0;
}

} // namespace ptxshim::tool
