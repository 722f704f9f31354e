// SPDX-License-Identifier: MIT
// A worker serves one request at a time. After it, it stays for kKeepWarm, since modules come in groups and
// starting a process with LLVM in it costs more than many a translation; then a thread of ours, which lives
// only as long as there are idle workers, ends it: an application that translates nothing more has neither
// process nor thread of ours left.
//
// A worker that dies, closes the socket or answers nonsense costs one more attempt with a new worker: it may
// have been killed from outside. A second death is the PTX's fault and becomes an error. A worker that
// exceeds its time is killed, and not tried again.
#include "pool.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <dlfcn.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ptxshim/config.h"
#include "ptxshim/log.h"
#include "wire.h"

namespace ptxshim::loader {

namespace {

constexpr auto kKeepWarm = std::chrono::seconds(10);
constexpr auto kHelloTime = std::chrono::seconds(30);

// The file that holds this code: libptxshim.so, or the program that we are linked into.
std::string own_file() {
  Dl_info own, program;
  if (!dladdr(reinterpret_cast<const void*>(&own_file), &own)) return {};
  const bool in_program = dladdr(reinterpret_cast<const void*>(getauxval(AT_PHDR)), &program) &&
                          program.dli_fbase == own.dli_fbase;
  char buffer[PATH_MAX];
  return realpath(in_program ? "/proc/self/exe" : own.dli_fname, buffer) ? buffer : "";
}

Error worker_error(const std::string& name, const std::string& what, const std::string& messages) {
  std::string text = name.empty() ? what : name + ": " + what;
  if (!messages.empty()) text += "; its last words: " + messages;
  return Error{CUDA_ERROR_INVALID_PTX, std::move(text)};
}

Deadline request_deadline() {
  const uint64_t seconds = config().worker_timeout;
  if (seconds == 0 || seconds > 1'000'000) return Deadline::max();
  return Clock::now() + std::chrono::seconds(seconds);
}

// Idle, alive, and its descriptor not closed behind our back.
bool usable(const Process& process) {
  if (!still_ours(process.socket, process.inode)) return false;
  char byte;
  const ssize_t count = recv(process.socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

Error start_error(Process& process, const std::string& path, Io io) {
  std::string what = "the translator " + path + " does not start: ";
  if (io == Io::TimedOut) {
    what += "no sign of life for 30 s";
  } else {
    const std::string ended = stop_process(process);
    what += ended.empty() ? "it speaks another protocol" : ended;
    if (constexpr uint64_t kEnough = 256; !ended.empty() && config().worker_memory && config().worker_memory < kEnough)
      what += "; PTXSHIM_WORKER_MEMORY leaves it " + std::to_string(config().worker_memory) + " MiB";
  }
  stop_process(process);
  if (const std::string messages = take_messages(process); !messages.empty()) what += ": " + messages;
  release_process(process);
  return Error{CUDA_ERROR_JIT_COMPILER_NOT_FOUND, std::move(what)};
}

Result<Process> start_worker() {
  auto path = find_compiler();
  if (!path.ok()) return std::move(path).error();
  auto started = start_process(*path);
  if (!started.ok()) return std::move(started).error();
  Process process = *started;
  std::vector<std::byte> hello;
  const Io io = receive_frame(process.socket, FrameKind::Hello, hello, Clock::now() + kHelloTime);
  if (io != Io::Done) return start_error(process, *path, io);
  const std::string id(reinterpret_cast<const char*>(hello.data()), hello.size());
  if (id != translator_build_id()) {
    release_process(process);
    return Error{CUDA_ERROR_JIT_COMPILER_NOT_FOUND, "the translator " + *path + " (" + id.substr(0, 80) +
                                                        ") and this library (" + translator_build_id() +
                                                        ") were not built from the same sources"};
  }
  PTXSHIM_LOG_LINE(worker, debug, "started %s", path->c_str());
  return process;
}

} // namespace

Result<std::string> find_compiler() {
  if (!config().compiler.empty()) return config().compiler;
  const std::string own = own_file();
  const std::string folder = own.substr(0, own.rfind('/') + 1);
  for (const char* place : {"ptxshimc", "../bin/ptxshimc", "../libexec/ptxshim/ptxshimc",
                            "../../bin/ptxshimc", "../../libexec/ptxshim/ptxshimc"})
    if (!folder.empty() && access((folder + place).c_str(), X_OK) == 0) return folder + place;
  return Error{CUDA_ERROR_JIT_COMPILER_NOT_FOUND,
               "the translator ptxshimc is not found: neither " + folder + "../bin/ptxshimc nor " + folder +
                   "../libexec/ptxshim/ptxshimc; PTXSHIM_COMPILER can name it"};
}

WorkerPool::Slot::Slot(WorkerPool& pool) : pool_(pool) {
  std::unique_lock lock(pool_.mutex_);
  pool_.changed_.wait(lock, [&] { return pool_.busy_ < pool_.limit_; });
  ++pool_.busy_;
}

WorkerPool::Slot::~Slot() {
  {
    const std::lock_guard lock(pool_.mutex_);
    --pool_.busy_;
  }
  pool_.changed_.notify_all();
}

Result<CodeObject> WorkerPool::translate(const TranslateRequest& request) {
  const std::vector<std::byte> message = encode(request);
  if (message.size() > kMaxFrame) return Error{CUDA_ERROR_INVALID_PTX, "a module of more than 2 GiB"};
  const Slot slot(*this);
  Result<CodeObject> result = Error{};
  if (attempt(message, request.name, result) == Outcome::Died) {
    PTXSHIM_LOG_LINE(worker, info, "%s; trying once more", result.error().message.c_str());
    (void)attempt(message, request.name, result);
  }
  return result;
}

WorkerPool::Outcome WorkerPool::attempt(const std::vector<std::byte>& message, const std::string& name,
                                        Result<CodeObject>& result) {
  auto worker = take_worker();
  if (!worker.ok()) {
    result = std::move(worker).error();
    return Outcome::Final;
  }
  Process process = *worker;
  const Deadline deadline = request_deadline();
  Io io = send_frame(process.socket, FrameKind::Request, message, deadline);
  std::vector<std::byte> reply;
  if (io == Io::Done) io = receive_frame(process.socket, FrameKind::Reply, reply, deadline);
  if (io == Io::Done) {
    if (auto decoded = wire::read_reply(reply); decoded.ok()) {
      result = std::move(*decoded);
      if (const std::string messages = take_messages(process); !messages.empty())
        PTXSHIM_LOG_LINE(worker, info, "%s", messages.c_str());
      keep_warm(process);
      return Outcome::Done;
    }
    io = Io::Garbage;
  }
  const bool late = io == Io::TimedOut;
  const std::string ended = stop_process(process);
  const std::string messages = take_messages(process);
  release_process(process);
  if (late)
    result = worker_error(name,
                          "the translation took more than " + std::to_string(config().worker_timeout) +
                              " s and was stopped (PTXSHIM_WORKER_TIMEOUT)",
                          messages);
  else if (io == Io::Garbage)
    result = worker_error(name, "the translator answered nonsense", messages);
  else
    result = worker_error(
        name, "the translator was lost: " + (ended.empty() ? "it closed the connection" : ended), messages);
  return late ? Outcome::Final : Outcome::Died;
}

Result<Process> WorkerPool::take_worker() {
  for (;;) {
    Process process;
    {
      const std::lock_guard lock(mutex_);
      if (idle_.empty()) break;
      process = idle_.back().process; // the one used last is the warmest
      idle_.pop_back();
    }
    if (usable(process)) return process;
    release_process(process);
  }
  return start_worker();
}

void WorkerPool::keep_warm(Process process) {
  std::unique_lock lock(mutex_);
  idle_.push_back({process, Clock::now()});
  if (reaping_) return;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, 128 * 1024);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before); // the application's handlers are not for a thread of ours
  pthread_t thread;
  reaping_ = pthread_create(&thread, &attributes, reap_thread, this) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  if (reaping_) return;
  idle_.pop_back();
  lock.unlock();
  release_process(process);
}

void* WorkerPool::reap_thread(void* pool) {
  static_cast<WorkerPool*>(pool)->reap();
  return nullptr;
}

void WorkerPool::reap() {
  std::unique_lock lock(mutex_);
  while (!idle_.empty() || busy_ > 0) {
    const auto oldest = idle_.empty() ? Clock::now() : idle_.front().since;
    changed_.wait_until(lock, oldest + kKeepWarm);
    while (!idle_.empty() && Clock::now() - idle_.front().since >= kKeepWarm) {
      Process process = idle_.front().process;
      idle_.erase(idle_.begin());
      lock.unlock();
      release_process(process);
      lock.lock();
    }
  }
  reaping_ = false;
}

} // namespace ptxshim::loader
