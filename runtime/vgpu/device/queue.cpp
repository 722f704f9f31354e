// SPDX-License-Identifier: MIT
#include "queue.h"

#include <chrono>
#include <csignal>
#include <immintrin.h>
#include <pthread.h>
#include <sched.h>
#include <system_error>

#include "device.h"

namespace ptxshim::vgpu {

namespace {

constexpr uint32_t kSpins = 400; // about 10 us of pauses
constexpr uint32_t kYields = 40; // then a few scheduler rounds
constexpr auto kNap = std::chrono::microseconds(50);

} // namespace

void Queue::back_off(uint32_t round) {
  if (round < kSpins)
    _mm_pause();
  else if (round < kSpins + kYields)
    sched_yield();
  else
    std::this_thread::sleep_for(kNap);
}

bool Queue::start() {
  // The application's signal handlers must not run on our threads.
  sigset_t all, before;
  sigfillset(&all);
  for (const int signal : {SIGSEGV, SIGBUS}) sigdelset(&all, signal); // a kernel's own (memory_guard.h)
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool started = true;
  try {
    thread_ = std::thread([this] { run(); });
    pthread_setname_np(thread_.native_handle(), "vgpu-queue");
  } catch (const std::system_error&) {
    started = false;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

void Queue::run() {
  while (!stopping()) {
    if (!runnable()) {
      idle();
      continue;
    }
    if (!step()) halted_.store(true, std::memory_order_relaxed);
  }
}

void Queue::idle() {
  for (uint32_t round = 0; round < kSpins + kYields; ++round) {
    if (stopping() || runnable()) return;
    back_off(round);
  }
  state_.store(kBlocked, std::memory_order_seq_cst);
  if (stopping() || runnable()) {
    state_.store(kRunning, std::memory_order_relaxed);
    return;
  }
  state_.wait(kBlocked, std::memory_order_acquire);
}

void Queue::kick() {
  if (state_.exchange(kRunning, std::memory_order_seq_cst) == kBlocked) state_.notify_one();
}

void Queue::set_paused(bool paused) {
  paused_.store(paused, std::memory_order_relaxed);
  kick();
}

void Queue::stop() {
  stopping_.store(true, std::memory_order_seq_cst);
  kick();
  if (thread_.joinable()) thread_.join();
}

bool Queue::uses(const Device& device, uint64_t gpu, uint64_t size) const {
  if (&device != &device_) return false;
  const auto inside = [&](uint64_t address) { return address - gpu < size; };
  return inside(parameters_.ring_address) || inside(parameters_.read_pointer_address) ||
         inside(parameters_.write_pointer_address);
}

void Queue::abandon() {
  stopping_.store(true);
  if (thread_.joinable()) thread_.detach();
}

} // namespace ptxshim::vgpu
