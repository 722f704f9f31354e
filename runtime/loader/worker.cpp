// SPDX-License-Identifier: MIT
// A worker's life: say hello with the build id, then request, reply, request, reply. It ends when the socket
// closes, when nothing has come for kIdle (the application keeps it warm for less; this is for one that
// forgot it), and at once, also in the middle of a translation, when the application is gone or has closed
// its end: a thread waits for both. The process to watch is the one that made the socket; it is not this
// one's parent (see process.cpp).
//
// What the translator throws becomes an error reply. What it crashes with is the parent's to report.
#include "ptxshim/worker.h"

#include <cerrno>
#include <csignal>
#include <exception>
#include <new>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "frame.h"

namespace ptxshim {

namespace {

using namespace loader;

constexpr auto kIdle = std::chrono::seconds(120);
constexpr auto kReplyTime = std::chrono::seconds(60); // a parent that does not read for so long is stuck

struct Watched {
  int socket;
  int application; // pidfd, or -1: the kernel has none, or it is in another process namespace
};

void* watch(void* argument) {
  const Watched watched = *static_cast<const Watched*>(argument);
  delete static_cast<const Watched*>(argument);
  for (;;) {
    pollfd entries[] = {{watched.socket, POLLRDHUP, 0}, {watched.application, POLLIN, 0}};
    const int count = poll(entries, 2, -1);
    if (count < 0 && errno != EINTR) sleep(1);
    if (count > 0) _exit(0);
  }
}

void start_watching(int socket) {
  auto* watched = new Watched{socket, -1};
  ucred peer = {};
  socklen_t size = sizeof peer;
#ifdef SYS_pidfd_open
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid > 0)
    watched->application = static_cast<int>(syscall(SYS_pidfd_open, peer.pid, 0));
#endif
  pthread_t thread;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 128 * 1024); // by default as large as the main thread's limit
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  if (pthread_create(&thread, &attributes, watch, watched) != 0) delete watched;
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Result<CodeObject> translate_guarded(const TranslateFunction& translate_one,
                                     const TranslateRequest& request) {
  try {
    return translate_one(request);
  } catch (const std::bad_alloc&) {
    return Error{CUDA_ERROR_OUT_OF_MEMORY,
                 "the translation needs more memory than PTXSHIM_WORKER_MEMORY allows"};
  } catch (const std::exception& exception) {
    return Error{CUDA_ERROR_UNKNOWN, std::string("internal error of the translator: ") + exception.what()};
  }
}

Deadline in(Clock::duration time) { return Clock::now() + time; }

} // namespace

int worker_main(int fd, const TranslateFunction& translate_one) {
  start_watching(fd);
  const std::string_view id = translator_build_id();
  if (send_frame(fd, FrameKind::Hello, std::as_bytes(std::span(id)), in(kReplyTime)) != Io::Done) return 1;
  for (;;) {
    std::vector<std::byte> payload;
    const Io io = receive_frame(fd, FrameKind::Request, payload, in(kIdle));
    if (io == Io::Closed || io == Io::TimedOut) return 0;
    if (io != Io::Done) return 1;
    auto request = decode_translate_request(payload);
    payload = {};
    const Result<CodeObject> reply = request.ok() ? translate_guarded(translate_one, *request)
                                                  : Result<CodeObject>(std::move(request).error());
    if (send_frame(fd, FrameKind::Reply, encode_reply(reply), in(kReplyTime)) != Io::Done) return 1;
  }
}

} // namespace ptxshim
