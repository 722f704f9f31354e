// SPDX-License-Identifier: MIT
// From a request to its code object: the cache, else one translation per key.
//
// Three circles keep work from being done twice: the cache (all processes, all times), a lock file per key
// (processes that run now), a job per key (threads of this process). None of them can lose a translation: a
// lock not had in time means translating anyway.
//
// After fork() the child starts afresh: the parent's jobs run in threads that the child does not have, and
// its workers answer to the parent. The state is therefore tied to a process id and leaked; the check costs
// one system call.
#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <sched.h>
#include <unistd.h>

#include "pool.h"
#include "ptxshim/config.h"
#include "ptxshim/image.h"
#include "ptxshim/log.h"

namespace ptxshim {

namespace loader {
namespace {

size_t worker_limit() {
  if (const uint64_t wanted = config().workers) return static_cast<size_t>(std::min<uint64_t>(wanted, 1024));
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof cores, &cores)) return 1;
  return static_cast<size_t>(std::max(CPU_COUNT(&cores), 1));
}

struct Job {
  bool done = false;
  Result<Translation> result = Error{CUDA_ERROR_UNKNOWN, "the translation was abandoned"};
};

struct State {
  const pid_t owner = getpid();
  WorkerPool pool{worker_limit()};
  std::mutex mutex;
  std::condition_variable finished;
  std::map<std::array<uint8_t, 32>, std::shared_ptr<Job>> jobs;
};

State& state() {
  static std::atomic<State*> current{nullptr};
  State* seen = current.load(std::memory_order_acquire);
  while (!seen || seen->owner != getpid()) {
    auto fresh = std::make_unique<State>();
    if (current.compare_exchange_strong(seen, fresh.get())) return *fresh.release();
  }
  return *seen;
}

// The thread that made the job ends it whatever happens, or others would wait for ever.
class JobEnd {
public:
  JobEnd(State& owner, const CacheKey& key, std::shared_ptr<Job> job)
      : state_(owner), key_(key), job_(std::move(job)) {}
  ~JobEnd() {
    {
      const std::lock_guard lock(state_.mutex);
      job_->done = true;
      state_.jobs.erase(key_.bytes);
    }
    state_.finished.notify_all();
  }
  JobEnd(const JobEnd&) = delete;

private:
  State& state_;
  CacheKey key_;
  std::shared_ptr<Job> job_;
};

uint64_t nanoseconds_since(Clock::time_point start) {
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count());
}

std::optional<Translation> look_up(Cache& cache, const CacheKey& key, Clock::time_point start) {
  if (config().force_ptx_jit) return std::nullopt;
  auto found = cache.find(key);
  if (!found) return std::nullopt;
  return Translation{std::move(*found), true, nanoseconds_since(start)};
}

Result<Translation> translate_locked(State& owner, Cache& cache, const CacheKey& key,
                                     const TranslateRequest& request, Clock::time_point start) {
  const auto lock = cache.lock(key);
  if (auto found = look_up(cache, key, start)) return std::move(*found); // by another process meanwhile
  auto code_object = owner.pool.translate(request);
  if (!code_object.ok()) return std::move(code_object).error();
  cache.store(key, *code_object);
  PTXSHIM_LOG_LINE(load, debug, "translated %s in %.1f ms", request.name.c_str(),
                   static_cast<double>(nanoseconds_since(start)) * 1e-6);
  return Translation{std::move(code_object).value(), false, nanoseconds_since(start)};
}

Result<Translation> translate_once(Cache& cache, const TranslateRequest& request) {
  const auto start = Clock::now();
  const CacheKey key = cache_key(request);
  if (auto found = look_up(cache, key, start)) return std::move(*found);
  State& owner = state();
  std::shared_ptr<Job> job;
  {
    std::unique_lock lock(owner.mutex);
    auto& place = owner.jobs[key.bytes];
    if (place) { // another thread is at it
      const std::shared_ptr<Job> other = place;
      owner.finished.wait(lock, [&] { return other->done; });
      return other->result;
    }
    place = job = std::make_shared<Job>();
  }
  const JobEnd end(owner, key, job);
  job->result = translate_locked(owner, cache, key, request, start);
  return job->result;
}

} // namespace
} // namespace loader

Result<Translation> translate_cached(Cache& cache, const TranslateRequest& request) {
  try {
    if (request.modules.size() > 1 || request.target.find(':') != std::string::npos ||
        request.optimisation > 3) {
      TranslateRequest canonical = request;
      canonicalise(canonical);
      return loader::translate_once(cache, canonical);
    }
    return loader::translate_once(cache, request);
  } catch (const std::bad_alloc&) {
    return Error{CUDA_ERROR_OUT_OF_MEMORY, "no memory for a translation"};
  } catch (const std::exception& exception) {
    return Error{CUDA_ERROR_UNKNOWN, std::string("translation: ") + exception.what()};
  }
}

} // namespace ptxshim
