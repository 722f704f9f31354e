// SPDX-License-Identifier: MIT
// The translation workers of this process.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <sys/types.h>
#include <vector>

#include "frame.h"
#include "process.h"
#include "ptxshim/translate.h"

namespace ptxshim::loader {

// The path of ptxshimc: PTXSHIM_COMPILER, else beside or near the file that this code was loaded from.
Result<std::string> find_compiler();

class WorkerPool {
public:
  explicit WorkerPool(size_t limit) : limit_(limit) {}
  WorkerPool(const WorkerPool&) = delete;

  // Runs a request on a worker, waiting for one to be free. A worker that dies is replaced once.
  Result<CodeObject> translate(const TranslateRequest& request);

private:
  struct Idle {
    Process process;
    Clock::time_point since;
  };
  // One of the places for running translations.
  class Slot {
  public:
    explicit Slot(WorkerPool& pool);
    ~Slot();
    Slot(const Slot&) = delete;

  private:
    WorkerPool& pool_;
  };
  enum class Outcome { Done, Died, Final };

  // One attempt. Died: worth another try with a new worker.
  Outcome attempt(const std::vector<std::byte>& message, const std::string& name, Result<CodeObject>& result);
  Result<Process> take_worker();
  void keep_warm(Process process);
  static void* reap_thread(void* pool);
  void reap();

  const size_t limit_;
  std::mutex mutex_;
  std::condition_variable changed_;
  size_t busy_ = 0;
  bool reaping_ = false;
  std::vector<Idle> idle_;
};

} // namespace ptxshim::loader
