// SPDX-License-Identifier: MIT
// Fills the cache before programs run. Files are searched for link units (runtime/loader/files.h), and each
// is translated for each target through translate_cached, the very path that a running program takes: same
// request, same key, same workers.
//
// What can be known without running a program is what it loads by itself: its fatbins and PTX, with the
// standard options. A program that passes options of its own (a register limit, a level of optimisation) or
// links at run time asks for other keys.
//
// A unit that fails costs itself only. One that holds no PTX is a warning: no command can make it loadable.
// Killed and started again, the command goes on where it was: what is in the cache is not translated again.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <dlfcn.h>
#include <filesystem>
#include <link.h>
#include <mutex>
#include <set>
#include <thread>
#include <unistd.h>

#include "files.h"
#include "options.h"
#include "ptxshim/cache.h"
#include "ptxshim/config.h"
#include "ptxshim/image.h"

namespace ptxshim::tool {

namespace {

namespace fs = std::filesystem;
using SteadyClock = std::chrono::steady_clock;

struct Task {
  std::string file;
  TranslateRequest request;
};

struct Failure {
  std::string file, target, message;
  uint64_t times = 1;
};

struct Summary {
  uint64_t files = 0, files_without_code = 0, units = 0;
  uint64_t translated = 0, present = 0, would_translate = 0, failed = 0;
  uint64_t without_ptx = 0; // units; nothing can be done about them here
  std::vector<Failure> failures, warnings;
};

// The soname of libamdhip64 as the runtime would load it ends in HIP's major version. 0: none here.
uint32_t installed_hip_major() {
  std::vector<std::string> names{"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"};
  if (!config().hip_library.empty()) names = {config().hip_library};
  for (const std::string& name : names) {
    void* const handle = dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL);
    link_map* map = nullptr;
    if (!handle || dlinfo(handle, RTLD_DI_LINKMAP, &map)) continue;
    const char* strings = nullptr;
    size_t soname = 0;
    for (const ElfW(Dyn)* entry = map->l_ld; entry && entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag == DT_STRTAB) strings = reinterpret_cast<const char*>(entry->d_un.d_ptr);
      if (entry->d_tag == DT_SONAME) soname = entry->d_un.d_val;
    }
    const std::string text = strings && soname ? strings + soname : name;
    const size_t at = text.rfind(".so.");
    if (at != std::string::npos)
      return static_cast<uint32_t>(std::strtoul(text.c_str() + at + 4, nullptr, 10));
  }
  return 0;
}

class Warming {
public:
  Warming(const Options& options, Cache& cache, uint32_t code_object_version, size_t jobs)
      : options_(options), cache_(cache), code_object_version_(code_object_version), jobs_(jobs) {}

  Summary run(const std::vector<std::string>& files);

private:
  void read(const std::string& file);
  void add(Task task);
  void work();
  void translate(const Task& task);
  void report(const Task& task, const char* outcome, double milliseconds, const std::string& message);
  void fail(const std::string& file, const std::string& target, const Error& error);
  void progress();

  const Options& options_;
  Cache& cache_;
  const uint32_t code_object_version_;
  const size_t jobs_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> queue_; // short: a library may hold gigabytes of PTX
  bool complete_ = false;
  uint64_t done_ = 0, found_ = 0;
  Summary summary_;
};

Summary Warming::run(const std::vector<std::string>& files) {
  std::vector<std::thread> threads;
  for (size_t i = 0; i < jobs_; ++i)
    threads.emplace_back([this] { work(); });
  for (const std::string& file : files)
    read(file);
  {
    const std::lock_guard lock(mutex_);
    complete_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads)
    thread.join();
  if (!options_.json && isatty(2)) std::fprintf(stderr, "\r\033[K");
  return std::move(summary_);
}

void Warming::read(const std::string& file) {
  uint64_t units = 0;
  auto result = loader::for_each_unit(file, kComputeCapability, [&](Result<std::vector<PtxImage>> unit) {
    ++units;
    if (!unit.ok()) return fail(file, "", unit.error());
    for (const std::string& target : options_.targets)
      add({file, make_request(*unit, target, code_object_version_)});
  });
  if (!result.ok()) fail(file, "", result.error());
  const std::lock_guard lock(mutex_);
  ++summary_.files;
  summary_.units += units;
  summary_.files_without_code += units == 0 && result.ok();
}

void Warming::add(Task task) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return queue_.size() < 2 * jobs_; });
  queue_.push_back(std::move(task));
  ++found_;
  changed_.notify_all();
}

void Warming::work() {
  for (;;) {
    Task task;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return complete_ || !queue_.empty(); });
      if (queue_.empty()) return;
      task = std::move(queue_.front());
      queue_.pop_front();
    }
    changed_.notify_all();
    translate(task);
  }
}

void Warming::translate(const Task& task) {
  const auto start = SteadyClock::now();
  const auto milliseconds = [&] {
    return std::chrono::duration<double, std::milli>(SteadyClock::now() - start).count();
  };
  if (options_.dry_run) {
    const bool present = cache_.find(cache_key(task.request)).has_value();
    return report(task, present ? "present" : "would translate", milliseconds(), "");
  }
  auto result = translate_cached(cache_, task.request);
  if (!result.ok()) return report(task, "failed", milliseconds(), result.error().message);
  std::string message;
  for (const KernelInfo& kernel : result->code_object.kernels)
    if (!kernel.error.empty()) message += (message.empty() ? "" : "\n") + kernel.name + ": " + kernel.error;
  report(task, result->from_cache ? "present" : "translated", milliseconds(), message);
}

// A message with a translation concerns single kernels: the module is there, they are not.
void Warming::report(const Task& task, const char* outcome, double milliseconds, const std::string& message) {
  const std::string what = outcome;
  if (!message.empty()) fail(task.file, task.request.target, {CUDA_ERROR_INVALID_PTX, message});
  const std::lock_guard lock(mutex_);
  ++done_;
  summary_.translated += what == "translated";
  summary_.present += what == "present";
  summary_.would_translate += what == "would translate";
  if (options_.json)
    std::printf("{\"file\":%s,\"target\":%s,\"key\":%s,\"outcome\":%s,\"ms\":%.3f,\"message\":%s}\n",
                json_string(task.file).c_str(), json_string(task.request.target).c_str(),
                json_string(cache_key(task.request).hex()).c_str(), json_string(what).c_str(), milliseconds,
                json_string(message).c_str());
  else if (options_.verbose || options_.dry_run)
    std::printf("%s: %s, %.1f ms, %s (%s)\n", task.request.target.c_str(), outcome, milliseconds,
                task.file.c_str(), task.request.name.c_str());
  else
    progress();
}

// Equal messages of one file are kept once: a library may hold thousands of modules of one kind.
void Warming::fail(const std::string& file, const std::string& target, const Error& error) {
  const std::lock_guard lock(mutex_);
  const bool without_ptx = error.code == CUDA_ERROR_NO_BINARY_FOR_GPU;
  summary_.failed += !without_ptx;
  summary_.without_ptx += without_ptx;
  std::vector<Failure>& list = without_ptx ? summary_.warnings : summary_.failures;
  const auto same = std::find_if(list.begin(), list.end(), [&](const Failure& failure) {
    return failure.file == file && failure.target == target && failure.message == error.message;
  });
  if (same != list.end())
    ++same->times;
  else
    list.push_back({file, target, error.message});
  if (options_.json && target.empty())
    std::printf("{\"file\":%s,\"outcome\":\"%s\",\"message\":%s}\n", json_string(file).c_str(),
                without_ptx ? "without PTX" : "failed", json_string(error.message).c_str());
}

void Warming::progress() {
  if (!isatty(2)) return;
  std::fprintf(stderr, "\r\033[K%llu of %llu%s, %llu failed", static_cast<unsigned long long>(done_),
               static_cast<unsigned long long>(found_), complete_ ? "" : "+",
               static_cast<unsigned long long>(summary_.failed));
}

// Files as named, and those in directories that look like device code; each file once, in a fixed order.
std::vector<std::string> collect(const std::vector<std::string>& paths, std::vector<Failure>& failures) {
  std::vector<std::string> files;
  std::set<std::string> seen;
  const auto add = [&](const fs::path& path) {
    std::error_code failed;
    const fs::path real = fs::canonical(path, failed);
    if (seen.insert((failed ? path : real).string()).second) files.push_back(path.string());
  };
  for (const std::string& path : paths) {
    std::error_code failed;
    if (!fs::is_directory(path, failed)) {
      add(path);
      continue;
    }
    std::vector<std::string> inside;
    fs::recursive_directory_iterator entry(path, fs::directory_options::skip_permission_denied, failed), end;
    for (; !failed && entry != end; entry.increment(failed)) {
      std::error_code ignored;
      if (entry->is_regular_file(ignored) && loader::may_hold_device_code(entry->path().string()))
        inside.push_back(entry->path().string());
    }
    if (failed) failures.push_back({path, "", failed.message()});
    std::sort(inside.begin(), inside.end());
    for (const std::string& file : inside)
      add(file);
  }
  return files;
}

void print_failure(const char* kind, const Failure& failure) {
  const std::string times = failure.times > 1 ? " (" + std::to_string(failure.times) + " modules)" : "";
  if (failure.target.empty())
    std::fprintf(stderr, "ptxshim-cache: %s%s: %s\n", kind, times.c_str(), failure.message.c_str());
  else
    std::fprintf(stderr, "ptxshim-cache: %s%s for %s: %s: %s\n", kind, times.c_str(), failure.target.c_str(),
                 failure.file.c_str(), failure.message.c_str());
}

void print_summary(const Options& options, const Summary& summary, const std::string& directory,
                   double seconds) {
  const auto number = [](uint64_t value) { return static_cast<unsigned long long>(value); };
  if (options.json) {
    std::printf(
        "{\"files\":%llu,\"files_without_code\":%llu,\"units\":%llu,\"without_ptx\":%llu,\"translated\":%llu,"
        "\"present\":%llu,\"would_translate\":%llu,\"failed\":%llu,\"seconds\":%.3f,\"path\":%s}\n",
        number(summary.files), number(summary.files_without_code), number(summary.units),
        number(summary.without_ptx), number(summary.translated), number(summary.present),
        number(summary.would_translate), number(summary.failed), seconds, json_string(directory).c_str());
    return;
  }
  for (const Failure& failure : summary.warnings)
    print_failure("warning", failure);
  for (const Failure& failure : summary.failures)
    print_failure("failed", failure);
  std::printf("%llu files (%llu without device code), %llu modules (%llu without PTX), %zu targets: ",
              number(summary.files), number(summary.files_without_code), number(summary.units),
              number(summary.without_ptx), options.targets.size());
  if (options.dry_run)
    std::printf("%llu would be translated, ", number(summary.would_translate));
  else
    std::printf("%llu translated, ", number(summary.translated));
  std::printf("%llu in the cache already, %llu failed; %.1f s, %s\n", number(summary.present),
              number(summary.failed), seconds, directory.c_str());
}

} // namespace

int run_warm(const Options& options) {
  if (options.targets.empty() || options.paths.empty()) {
    std::fprintf(stderr, "ptxshim-cache: error: warm wants --target and at least one path (--help)\n");
    return 2;
  }
  // Read once per process, and not yet: as many workers as jobs.
  if (options.jobs) setenv("PTXSHIM_WORKERS", std::to_string(options.jobs).c_str(), 1);
  const auto start = SteadyClock::now();
  const std::unique_ptr<Cache> cache = Cache::open(options.directory);
  if (cache->directory().empty()) {
    std::fprintf(stderr, "ptxshim-cache: error: there is no cache to warm%s\n",
                 config().cache_disable ? " (CUDA_CACHE_DISABLE is set)" : "");
    return 2;
  }
  const uint32_t hip = options.code_object_version ? 0 : installed_hip_major();
  if (!options.code_object_version && !hip)
    std::fprintf(stderr, "ptxshim-cache: no HIP runtime on this machine: translating for HIP 6 and newer "
                         "(--code-object-version 4 is for HIP 5)\n");
  const uint32_t version = options.code_object_version.value_or(code_object_version_for_hip(hip ? hip : 6));
  const size_t jobs =
      options.jobs ? std::min<size_t>(options.jobs, 1024) : std::max(1u, std::thread::hardware_concurrency());
  std::vector<Failure> failures;
  const std::vector<std::string> files = collect(options.paths, failures);
  Summary summary = Warming(options, *cache, version, jobs).run(files);
  summary.failures.insert(summary.failures.begin(), failures.begin(), failures.end());
  summary.failed += failures.size();
  print_summary(options, summary, cache->directory(),
                std::chrono::duration<double>(SteadyClock::now() - start).count());
  return summary.failed ? 1 : 0;
}

} // namespace ptxshim::tool
