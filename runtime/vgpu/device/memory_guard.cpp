// SPDX-License-Identifier: MIT
#include "memory_guard.h"

#include <csignal>
#include <mutex>

namespace ptxshim::vgpu {
namespace {

// The handler may run in any thread, inside malloc too: the variable must not need to be allocated when it is first read.
[[gnu::tls_model("initial-exec")]] thread_local MemoryGuard* active = nullptr;

struct sigaction previous[2]; // of SIGSEGV and SIGBUS; written before the handler is there

void pass_on(int signal, siginfo_t* info, void* context) {
  const struct sigaction& before = previous[signal == SIGBUS];
  if (before.sa_flags & SA_SIGINFO) return before.sa_sigaction(signal, info, context);
  if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) return before.sa_handler(signal);
  sigaction(signal, &before, nullptr); // the instruction is tried again, and the system does what it would have done
  if (info->si_code <= 0) raise(signal); // sent by somebody: nothing is tried again
}

void handle(int signal, siginfo_t* info, void* context) {
  MemoryGuard* const guard = active;
  if (!guard || info->si_code <= 0) return pass_on(signal, info, context);
  active = nullptr;
  guard->address = reinterpret_cast<uintptr_t>(info->si_addr);
  siglongjmp(guard->jump, 1);
}

} // namespace

std::atomic<bool> MemoryGuard::installed_{false};

void install_memory_guard() {
  static std::once_flag* const kOnce = new std::once_flag;
  std::call_once(*kOnce, [] {
    struct sigaction action {};
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER; // the jump out of it does not restore the mask
    for (const int signal : {SIGSEGV, SIGBUS}) {
      sigaction(signal, nullptr, &previous[signal == SIGBUS]);
      sigaction(signal, &action, nullptr);
    }
    MemoryGuard::installed_.store(true);
  });
}

MemoryGuard::MemoryGuard() { active = this; }
MemoryGuard::~MemoryGuard() { active = nullptr; }
MemoryGuard::Pause::Pause() : active_(active) { active = nullptr; }
MemoryGuard::Pause::~Pause() { active = active_; }

} // namespace ptxshim::vgpu
