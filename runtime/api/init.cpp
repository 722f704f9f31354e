// SPDX-License-Identifier: MIT
// cuInit and the end. Everything starts here: before, the library only answers look-ups.
//
// At exit, HIP's own destructors run after the handler below, which was registered later. From then on every call answers
// CUDA_ERROR_DEINITIALIZED, as a driver that is shutting down does: the CUDA runtime expects that from its own exit handlers.
// After fork() the child has none of the runtime's threads: like NVIDIA's driver, it is told that nothing is initialised.
#include "bodies.h"
#include "context.h"

#include <pthread.h>

#include "ptxshim/config_report.h"

namespace ptxshim::api {

namespace {

std::mutex& init_mutex() {
  static std::mutex* const kMutex = new std::mutex;
  return *kMutex;
}

void in_child() { state.store(State::kForked, std::memory_order_release); }
void at_exit() { state.store(State::kShutDown, std::memory_order_release); }

Result<void> start() {
  if (Result<void> loaded = hip::load(); !loaded) return loaded;
  return find_devices();
}

} // namespace

CUresult cuInit(unsigned flags) {
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  if (state.load(std::memory_order_acquire) == State::kReady) return CUDA_SUCCESS;
  const std::lock_guard lock(init_mutex());
  if (state.load(std::memory_order_acquire) != State::kNotInitialised) return state_error();
  static constinit CUresult failed = CUDA_SUCCESS; // a second try in one process would not go better
  if (failed != CUDA_SUCCESS) return failed;
  report_config();
  if (Result<void> started = start(); !started) {
    PTXSHIM_LOG_LINE(api, error, "%s", started.error().message.c_str());
    return failed = started.error().code;
  }
  pthread_atfork(nullptr, nullptr, &in_child);
  std::atexit(&at_exit);
  state.store(State::kReady, std::memory_order_release);
  return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int* version) {
  if (!version) return CUDA_ERROR_INVALID_VALUE;
  *version = PTXSHIM_CUDA_VERSION;
  return CUDA_SUCCESS;
}

// There is no profiler that listens: starting and stopping none is complete.
CUresult cuProfilerStart() { return CUDA_SUCCESS; }
CUresult cuProfilerStop() { return CUDA_SUCCESS; }

} // namespace ptxshim::api
