// SPDX-License-Identifier: MIT
// A library that starts processes inside someone else's program must leave no trace there:
//   - clone() with exit signal 0: no SIGCHLD is sent, and wait(), waitpid(-1) and SIGCHLD handlers of the application never
//     see the child (only __WALL and __WCLONE do, which we use). This is why neither fork() nor posix_spawn() will do.
//   - CLONE_VM and CLONE_VFORK, as posix_spawn has it: no page table is copied (applications map a lot), no atfork handlers.
//     The child then runs on a stack of its own in our memory until execve: it calls nothing but system calls, and our
//     thread's signals are blocked meanwhile, so that no handler of the application runs in the child.
//   - All descriptors but 0, 1, 2 are closed, all signal handlers reset, no LD_* variable passed on (LD_PRELOAD would load
//     us into the compiler, LD_LIBRARY_PATH the application's C++ runtime).
// stderr goes to a memory file: text of a dying compiler belongs into the error message, not on the user's screen.
#include "process.h"

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <linux/close_range.h>
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

#include "ptxshim/config.h"

extern char** environ;

namespace ptxshim::loader {

namespace {

constexpr size_t kStackSize = 64 * 1024;
constexpr rlim_t kStackLimit = 256u << 20; // LLVM recurses deeply on large functions
constexpr int kFirstFree = 3;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kLimitMemory = false; // their shadow memory takes terabytes of address space
#else
constexpr bool kLimitMemory = true;
#endif

struct ChildArguments {
  const char* path;
  char* const* arguments;
  char* const* environment;
  int socket, messages, null;
  rlim_t memory; // bytes
  sigset_t signals;
  int error; // errno of what failed, written by the child
};

void lower_limit(int resource_number, rlim_t wanted) {
  const auto resource = static_cast<__rlimit_resource>(resource_number);
  rlimit limit;
  if (getrlimit(resource, &limit)) return;
  limit.rlim_cur = limit.rlim_max == RLIM_INFINITY || wanted < limit.rlim_max ? wanted : limit.rlim_max;
  setrlimit(resource, &limit);
}

// Descriptors 3 and up. Old kernels have no close_range: then one by one, up to the limit.
void close_rest() {
  if (syscall(SYS_close_range, kFirstFree, ~0u, 0) == 0) return;
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit)) return;
  const rlim_t end = limit.rlim_cur < 65536 ? limit.rlim_cur : 65536;
  for (rlim_t fd = kFirstFree; fd < end; ++fd) close(static_cast<int>(fd));
}

// In the child, in our memory. Only system calls from here on.
int run_child(void* argument) {
  auto& child = *static_cast<ChildArguments*>(argument);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  struct sigaction standard = {};
  standard.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number)
    if (number != SIGKILL && number != SIGSTOP) sigaction(number, &standard, nullptr);
  if (dup2(child.socket, 0) < 0 || dup2(child.null, 1) < 0 || dup2(child.messages, 2) < 0) {
    child.error = errno;
    _exit(127);
  }
  close_rest();
  lower_limit(RLIMIT_CORE, 0);
  lower_limit(RLIMIT_STACK, kStackLimit);
  if (kLimitMemory && child.memory) lower_limit(RLIMIT_AS, child.memory);
  sigprocmask(SIG_SETMASK, &child.signals, nullptr);
  execve(child.path, child.arguments, child.environment);
  child.error = errno;
  _exit(127);
}

// 0 and a pid, or an errno.
int clone_child(ChildArguments& child, pid_t& pid) {
  void* stack = mmap(nullptr, kStackSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) return errno;
  sigset_t all, before;
  sigfillset(&all);
  sigemptyset(&child.signals);
  int cancel = 0;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid = clone(run_child, static_cast<char*>(stack) + kStackSize, CLONE_VM | CLONE_VFORK, &child);
  const int failed = pid < 0 ? errno : 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_setcancelstate(cancel, nullptr);
  munmap(stack, kStackSize);
  return failed;
}

std::vector<char*> environment_for_child() {
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

Error system_error(const std::string& what, int number) {
  return Error{CUDA_ERROR_OPERATING_SYSTEM, what + ": " + strerrordesc_np(number)};
}

void close_all(std::initializer_list<int> descriptors) {
  for (const int fd : descriptors)
    if (fd >= 0) close(fd);
}

} // namespace

Result<Process> start_process(const std::string& path) {
  int pair[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) return system_error("socketpair", errno);
  Process process;
  process.socket = above_standard(pair[0]);
  const int theirs = above_standard(pair[1]);
  process.messages = above_standard(memfd_create("ptxshimc-messages", MFD_CLOEXEC));
  const int null = above_standard(open("/dev/null", O_RDWR | O_CLOEXEC));
  if (process.socket < 0 || theirs < 0 || process.messages < 0 || null < 0) {
    const int number = errno;
    close_all({process.socket, theirs, process.messages, null});
    return system_error("starting a translation worker", number);
  }
  fcntl(process.messages, F_SETFL, O_APPEND); // so that take_messages may empty it at any time
  process.inode = inode_of(process.socket);
  process.messages_inode = inode_of(process.messages);

  std::string worker = "--worker";
  std::string program = path;
  char* const arguments[] = {program.data(), worker.data(), nullptr};
  const std::vector<char*> environment = environment_for_child();
  ChildArguments child{path.c_str(), arguments, environment.data(), theirs, process.messages,
                       null,         config().worker_memory << 20,   {},     0};
  int failed = clone_child(child, process.pid);
  close_all({theirs, null});
  if (!failed && child.error) {
    failed = child.error;
    waitpid(process.pid, nullptr, __WALL);
  }
  if (!failed) return process;
  close_all({process.socket, process.messages});
  if (failed == ENOENT || failed == EACCES || failed == ENOTDIR || failed == ENOEXEC)
    return Error{CUDA_ERROR_JIT_COMPILER_NOT_FOUND,
                 "the translator " + path + " cannot be run: " + strerrordesc_np(failed) +
                     " (PTXSHIM_COMPILER names another place)"};
  return system_error("starting the translator " + path, failed);
}

bool still_ours(int fd, uint64_t inode) { return fd >= 0 && inode && inode_of(fd) == inode; }

std::string stop_process(Process& process) {
  if (still_ours(process.socket, process.inode)) close(process.socket);
  process.socket = -1;
  std::string ended;
  int status = 0;
  if (process.pid > 0) {
    // The kernel has closed a dying process's socket before it can be waited for: leave it a moment to get there.
    pid_t got = 0;
    for (int i = 0; i < 20 && got == 0; ++i) {
      got = waitpid(process.pid, &status, __WALL | WNOHANG);
      if (got == 0) usleep(1000);
    }
    if (got == process.pid && WIFSIGNALED(status))
      ended = "killed by signal " + std::to_string(WTERMSIG(status)) + " (" + sigdescr_np(WTERMSIG(status)) + ")";
    else if (got == process.pid && WIFEXITED(status))
      ended = "exited with status " + std::to_string(WEXITSTATUS(status));
    if (got == 0) {
      kill(process.pid, SIGKILL);
      while (waitpid(process.pid, &status, __WALL) < 0 && errno == EINTR) {}
    }
  }
  process.pid = -1;
  return ended;
}

void release_process(Process& process) {
  (void)stop_process(process);
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
  while (!text.empty() && (text.back() == '\n' || text.back() == '\0')) text.pop_back();
  return text;
}

} // namespace ptxshim::loader
