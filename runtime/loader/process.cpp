// SPDX-License-Identifier: MIT
// A library that starts processes inside someone else's program must leave no trace there: no SIGCHLD,
// nothing that wait() returns or waits for, no descriptor, no handler.
//
// A child made by clone() with exit signal 0 has these properties: it sends nothing when it ends, and only
// __WALL and
// __WCLONE see it. But execve() sets the exit signal back to SIGCHLD. So there are two processes: the warden,
// cloned with exit signal 0, which never executes another program, and the worker, its child. (An orphan, the
// classic double fork, would be handed to the application again where that is process 1 of a container or a
// subreaper; and its end would be nobody's to see.) The warden waits for the worker, writes down how it
// ended, and ends. Whoever kills the warden kills the worker (PR_SET_PDEATHSIG), and we may kill the warden
// safely, as its number stays taken until we reap it.
//
// The warden shares our memory (CLONE_VM): no page tables are copied, nothing is kept alive. It has a stack
// of its own, and the thread-local storage of the thread that made it, which may end before it does: once
// that thread goes on, the warden makes bare system calls and nothing else. It has a copy of the descriptor
// table, which it closes, and blocks all signals.
//
// Under thread and address sanitizers, whose bookkeeping a second process in the same memory would upset, the
// warden gets a copy of the memory instead; what it reports stands in memory that both share either way.
//
// The worker gets standard signal handlers, limits on memory, and an environment without LD_* (LD_PRELOAD
// would load us into the compiler, LD_LIBRARY_PATH the application's C++ runtime). Its stderr is a memory
// file: the text of a dying compiler belongs into the error message, not on the user's screen.
#include "process.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <initializer_list>
#include <linux/futex.h>
#include <new>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "ptxshim/config.h"

extern char** environ;

namespace ptxshim::loader {

enum Stage : int { Starting, Running, Ended };

struct WardenReport {
  int stage = Starting; // atomically; a futex
  int error = 0;        // errno when the worker could not be started
  int status = 0;       // at Ended, as wait() gives it
};

struct Warden {
  std::string path;
  std::vector<char*> environment;
  int socket = -1, messages = -1, null = -1;
  rlim_t memory = 0; // bytes
  // One mapping: the report's page, the warden's stack, and the worker's until execve.
  std::byte* mapping = nullptr;
  WardenReport* report = nullptr;
  int stage() const { return __atomic_load_n(&report->stage, __ATOMIC_ACQUIRE); }
};

namespace {

constexpr size_t kReportSize = 64 * 1024; // a page, of whatever size
constexpr size_t kStackSize = 64 * 1024;
constexpr size_t kMappingSize = kReportSize + 2 * kStackSize;
constexpr rlim_t kStackLimit = 256u << 20; // LLVM recurses deeply on large functions
constexpr int kFirstFree = 3;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kLimitMemory = false; // their shadow memory takes terabytes of address space
constexpr int kWardenFlags = 0;
#else
constexpr bool kLimitMemory = true;
constexpr int kWardenFlags = CLONE_VM;
#endif

#if defined(__x86_64__)
inline long bare_call(long number, long a, long b, long c, long d) {
  long result = number;
  register long r10 __asm__("r10") = d;
  __asm__ volatile("syscall" : "+a"(result) : "D"(a), "S"(b), "d"(c), "r"(r10) : "rcx", "r11", "memory");
  return result;
}
#elif defined(__aarch64__)
inline long bare_call(long number, long a, long b, long c, long d) {
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
  return x0;
}
#else
#error "a bare system call is needed for this architecture"
#endif

void lower_limit(__rlimit_resource_t resource, rlim_t wanted) {
  rlimit limit;
  if (getrlimit(resource, &limit)) return;
  limit.rlim_cur = limit.rlim_max == RLIM_INFINITY || wanted < limit.rlim_max ? wanted : limit.rlim_max;
  setrlimit(resource, &limit);
}

// Old kernels have no close_range: then one by one, up to the limit.
void close_from(int first) {
  if (syscall(SYS_close_range, first, ~0u, 0) == 0) return;
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit)) return;
  const rlim_t end = limit.rlim_cur < 65536 ? limit.rlim_cur : 65536;
  for (rlim_t fd = static_cast<rlim_t>(first); fd < end; ++fd)
    close(static_cast<int>(fd));
}

// The worker up to execve, in our memory, while our thread and the warden wait.
int run_worker(void* argument) {
  Warden& warden = *static_cast<Warden*>(argument);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  struct sigaction standard = {};
  standard.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number)
    if (number != SIGKILL && number != SIGSTOP) sigaction(number, &standard, nullptr);
  if (dup2(warden.socket, 0) < 0 || dup2(warden.null, 1) < 0 || dup2(warden.messages, 2) < 0) {
    warden.report->error = errno;
    _exit(127);
  }
  close_from(kFirstFree);
  lower_limit(RLIMIT_CORE, 0);
  lower_limit(RLIMIT_STACK, kStackLimit);
  if (kLimitMemory && warden.memory) lower_limit(RLIMIT_AS, warden.memory);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  static char option[] = "--worker";
  char* const arguments[] = {warden.path.data(), option, nullptr};
  execve(warden.path.c_str(), arguments, warden.environment.data());
  warden.report->error = errno;
  _exit(127);
}

// From here on our thread runs again: bare system calls alone, and no return.
[[noreturn, gnu::noinline]] __attribute__((no_sanitize("address", "thread", "undefined"))) void
keep_watch(WardenReport* report, long worker) {
  __atomic_store_n(&report->stage, Running, __ATOMIC_RELEASE);
  bare_call(SYS_futex, reinterpret_cast<long>(&report->stage), FUTEX_WAKE, 1, 0);
  int status = 0;
  while (bare_call(SYS_wait4, worker, reinterpret_cast<long>(&status), __WALL, 0) == -EINTR) {
  }
  report->status = status;
  __atomic_store_n(&report->stage, Ended, __ATOMIC_RELEASE);
  for (;;)
    bare_call(SYS_exit_group, 0, 0, 0, 0);
}

// The warden. Our thread waits for stage Running, so that the C library may still be used, with its errno.
int run_warden(void* argument) {
  Warden& warden = *static_cast<Warden*>(argument);
  prctl(PR_SET_NAME, "ptxshim-warden");
  struct sigaction standard = {};
  standard.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &standard, nullptr); // ignored, it would lose the worker's status
  const int worker =
      clone(run_worker, warden.mapping + kMappingSize, CLONE_VM | CLONE_VFORK | SIGCHLD, argument);
  if (worker < 0) warden.report->error = errno;
  close_from(0);
  keep_watch(warden.report, worker);
}

// Until the warden is on its own, or has ended without getting there.
void wait_until_running(Warden& warden, pid_t pid) {
  while (warden.stage() == Starting) {
    const timespec second{1, 0};
    syscall(SYS_futex, &warden.report->stage, FUTEX_WAIT, Starting, &second);
    siginfo_t info = {};
    if (waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0 &&
        info.si_pid == pid)
      return;
  }
}

// 0 or an errno.
int start_warden(Warden& warden, pid_t& pid) {
  void* const mapping =
      mmap(nullptr, kMappingSize, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) return errno;
  warden.mapping = static_cast<std::byte*>(mapping);
  warden.report = new (mapping) WardenReport;
  sigset_t all, before;
  sigfillset(&all);
  int cancel = 0;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid = clone(run_warden, warden.mapping + kReportSize + kStackSize, kWardenFlags, &warden);
  if (pid < 0)
    warden.report->error = errno;
  else
    wait_until_running(warden, pid);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_setcancelstate(cancel, nullptr);
  return warden.report->error;
}

std::vector<char*> environment_for_worker() {
  std::vector<char*> result;
  for (char** variable = environ; variable && *variable; ++variable)
    if (std::strncmp(*variable, "LD_", 3) && std::strncmp(*variable, "MALLOC_", 7) &&
        std::strncmp(*variable, "GLIBC_TUNABLES", 14))
      result.push_back(*variable);
  result.push_back(nullptr);
  return result;
}

// A descriptor that dup2 onto 0..2 cannot hit (the application may have closed those).
int above_standard(int fd) {
  if (fd < 0 || fd >= kFirstFree) return fd;
  const int moved = fcntl(fd, F_DUPFD_CLOEXEC, kFirstFree);
  close(fd);
  return moved;
}

uint64_t inode_of(int fd) {
  struct stat status;
  return fstat(fd, &status) ? 0 : status.st_ino;
}

void close_all(std::initializer_list<int> descriptors) {
  for (const int fd : descriptors)
    if (fd >= 0) close(fd);
}

Error start_error(const std::string& path, int number) {
  const char* const why = strerrordesc_np(number);
  if (number == ENOENT || number == EACCES || number == ENOTDIR || number == ENOEXEC || number == EISDIR)
    return Error{CUDA_ERROR_JIT_COMPILER_NOT_FOUND, "the translator " + path + " cannot be run: " + why +
                                                        " (PTXSHIM_COMPILER names another place)"};
  return Error{CUDA_ERROR_OPERATING_SYSTEM, "starting the translator " + path + ": " + why};
}

// Ends the warden, and with it the worker.
void end_warden(Process& process) {
  if (process.warden_pid > 0) {
    kill(process.warden_pid, SIGKILL);
    while (waitpid(process.warden_pid, nullptr, __WALL) < 0 && errno == EINTR) {
    }
  }
  if (process.warden && process.warden->mapping) munmap(process.warden->mapping, kMappingSize);
  delete process.warden;
  process.warden = nullptr;
  process.warden_pid = -1;
}

} // namespace

Result<Process> start_process(const std::string& path) {
  int pair[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) return start_error(path, errno);
  Process process;
  process.socket = above_standard(pair[0]);
  const int theirs = above_standard(pair[1]);
  process.messages = above_standard(memfd_create("ptxshimc-messages", MFD_CLOEXEC));
  const int null = above_standard(open("/dev/null", O_RDWR | O_CLOEXEC));
  if (process.socket < 0 || theirs < 0 || process.messages < 0 || null < 0) {
    const int failed = errno;
    close_all({process.socket, theirs, process.messages, null});
    return start_error(path, failed == ENOENT ? EIO : failed);
  }
  fcntl(process.messages, F_SETFL, O_APPEND); // so that take_messages may empty it at any time
  process.inode = inode_of(process.socket);
  process.messages_inode = inode_of(process.messages);
  process.warden = new Warden;
  process.warden->path = path;
  process.warden->environment = environment_for_worker();
  process.warden->socket = theirs;
  process.warden->messages = process.messages;
  process.warden->null = null;
  process.warden->memory = bytes_of_mebibytes(config().worker_memory);
  const int number = start_warden(*process.warden, process.warden_pid);
  close_all({theirs, null});
  if (!number) return process;
  end_warden(process);
  close_all({process.socket, process.messages});
  return start_error(path, number);
}

bool still_ours(int fd, uint64_t inode) { return fd >= 0 && inode && inode_of(fd) == inode; }

std::string stop_process(Process& process) {
  if (still_ours(process.socket, process.inode)) close(process.socket);
  process.socket = -1;
  if (!process.warden) return {};
  // The kernel closes a dying process's socket before its parent can see the end: leave it a moment to get
  // there.
  for (int i = 0; i < 20 && process.warden->stage() == Running; ++i)
    usleep(1000);
  std::string ended;
  if (process.warden->stage() == Ended) {
    const int status = process.warden->report->status;
    if (WIFSIGNALED(status))
      ended =
          "killed by signal " + std::to_string(WTERMSIG(status)) + " (" + sigdescr_np(WTERMSIG(status)) + ")";
    else
      ended = "exited with status " + std::to_string(WEXITSTATUS(status));
  }
  end_warden(process);
  return ended;
}

void release_process(Process& process) {
  if (process.warden) {
    if (still_ours(process.socket, process.inode)) close(process.socket);
    process.socket = -1;
    end_warden(process);
  }
  if (still_ours(process.messages, process.messages_inode)) close(process.messages);
  process.messages = -1;
}

std::string take_messages(const Process& process) {
  if (!still_ours(process.messages, process.messages_inode)) return {};
  const off_t size = lseek(process.messages, 0, SEEK_END);
  if (size <= 0) return {};
  char buffer[4096];
  const off_t from = size > static_cast<off_t>(sizeof buffer) ? size - static_cast<off_t>(sizeof buffer) : 0;
  const ssize_t count = pread(process.messages, buffer, sizeof buffer, from);
  if (ftruncate(process.messages, 0)) return {};
  std::string text(buffer, count > 0 ? static_cast<size_t>(count) : 0);
  while (!text.empty() && (text.back() == '\n' || text.back() == '\0'))
    text.pop_back();
  return text;
}

} // namespace ptxshim::loader
