// SPDX-License-Identifier: MIT
// A worker's life: say hello with the build id, then request, reply, request, reply. It ends when the socket closes, when
// nothing has come for kIdle (the application keeps it warm for less; this is for one that forgot it), and at once when the
// application is gone: a thread waits on the parent's pidfd, since a descriptor inherited by some other process could
// keep the socket open. Until that thread runs, PR_SET_PDEATHSIG (set before exec) does the same; it must not stay, as it
// fires when the thread that started the worker ends, which is no reason to stop.
//
// What the translator throws becomes an error reply. What it crashes with is the parent's to report.
#include "ptxshim/worker.h"

#include <cerrno>
#include <csignal>
#include <exception>
#include <new>
#include <poll.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "frame.h"

namespace ptxshim {

namespace {

using namespace loader;

constexpr auto kIdle = std::chrono::seconds(120);
constexpr auto kReplyTime = std::chrono::seconds(60); // a parent that does not read for so long is stuck

struct Parent {
  pid_t pid;
  int pidfd; // -1: the kernel has none
};

void* watch_parent(void* argument) {
  const Parent parent = *static_cast<const Parent*>(argument);
  delete static_cast<const Parent*>(argument);
  for (;;) {
    pollfd entry{parent.pidfd, POLLIN, 0};
    const int count = poll(&entry, parent.pidfd >= 0 ? 1 : 0, parent.pidfd >= 0 ? -1 : 500);
    if (count < 0 && errno != EINTR) sleep(1);
    if (count > 0 || getppid() != parent.pid) _exit(0);
  }
}

void start_watching() {
  auto* parent = new Parent{getppid(), -1};
#ifdef SYS_pidfd_open
  parent->pidfd = static_cast<int>(syscall(SYS_pidfd_open, parent->pid, 0));
#endif
  pthread_t thread;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 128 * 1024); // by default as large as the main thread's limit
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  if (pthread_create(&thread, &attributes, watch_parent, parent) == 0) {
    prctl(PR_SET_PDEATHSIG, 0);
  } else {
    delete parent;
  }
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Result<CodeObject> translate_guarded(const TranslateFunction& translate_one, const TranslateRequest& request) {
  try {
    return translate_one(request);
  } catch (const std::bad_alloc&) {
    return Error{CUDA_ERROR_OUT_OF_MEMORY, "the translation needs more memory than PTXSHIM_WORKER_MEMORY allows"};
  } catch (const std::exception& exception) {
    return Error{CUDA_ERROR_UNKNOWN, std::string("internal error of the translator: ") + exception.what()};
  }
}

Deadline in(Clock::duration time) { return Clock::now() + time; }

} // namespace

int worker_main(int fd, const TranslateFunction& translate_one) {
  start_watching();
  const std::string_view id = translator_build_id();
  if (send_frame(fd, FrameKind::Hello, std::as_bytes(std::span(id)), in(kReplyTime)) != Io::Done) return 1;
  for (;;) {
    std::vector<std::byte> payload;
    const Io io = receive_frame(fd, FrameKind::Request, payload, in(kIdle));
    if (io == Io::Closed || io == Io::TimedOut) return 0;
    if (io != Io::Done) return 1;
    auto request = decode_translate_request(payload);
    payload = {};
    const Result<CodeObject> reply =
        request.ok() ? translate_guarded(translate_one, *request) : Result<CodeObject>(std::move(request).error());
    if (send_frame(fd, FrameKind::Reply, encode_reply(reply), in(kReplyTime)) != Io::Done) return 1;
  }
}

} // namespace ptxshim
