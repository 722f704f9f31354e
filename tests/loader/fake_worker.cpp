// SPDX-License-Identifier: MIT
// Stands in for ptxshimc in tests of the client side. What it does with a request is written in the request's
// first module:
//   echo TEXT      a code object whose log is TEXT and whose translation_ns is this process's id
//   fail TEXT      an error with that text
//   crash, abort, exit, hang, garbage, silence (closes the socket)
//   crash-once F   crashes unless file F exists, which it creates first; then as echo
//   count F        appends a line to F, then as echo (after 100 ms, so that others can run into it)
//   memory         allocates until that fails
//   environment    the log is the environment, a line each
//   descriptors    the log is the list of open descriptors
//   say TEXT       writes TEXT to stderr and crashes
// PTXSHIM_FAKE=mismatch|mute|die in the environment change the start instead.
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <new>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include "ptxshim/worker.h"

extern char** environ;

namespace {

using ptxshim::CodeObject;
using ptxshim::Error;
using ptxshim::Result;

CodeObject answer(const std::string& log) {
  CodeObject code;
  code.target = "gfx1030";
  code.elf.resize(1000, std::byte{7});
  code.info_log = log;
  code.translation_ns = static_cast<uint64_t>(getpid());
  return code;
}

std::string descriptors() {
  std::string text;
  DIR* const directory = opendir("/proc/self/fd");
  while (const dirent* entry = readdir(directory))
    if (entry->d_name[0] != '.' && std::atoi(entry->d_name) != dirfd(directory))
      text += std::string(entry->d_name) + " ";
  closedir(directory);
  return text;
}

[[noreturn]] void crash() {
  signal(SIGSEGV, SIG_DFL); // a sanitizer's handler would make an exit of it
  raise(SIGSEGV);
  _exit(99);
}

void append_line(const std::string& path) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (write(fd, "x\n", 2) != 2) _exit(98);
  close(fd);
}

Result<CodeObject> misbehave(const std::string& verb) {
  if (verb == "crash") crash();
  if (verb == "abort") std::abort();
  if (verb == "exit") _exit(3);
  if (verb == "hang")
    for (;;)
      pause();
  if (verb == "silence") {
    shutdown(0, SHUT_RDWR);
    for (;;)
      pause();
  }
  if (verb == "garbage") {
    const std::string noise(4096, 'z');
    (void)!write(0, noise.data(), noise.size());
    for (;;)
      pause();
  }
  if (verb == "memory") {
    std::vector<void*> blocks;
    for (;;)
      blocks.push_back(std::memset(::operator new(64u << 20), 1, 1));
  }
  return Error{CUDA_ERROR_INVALID_PTX, "no such verb: " + verb};
}

Result<CodeObject> serve(const ptxshim::TranslateRequest& request) {
  const std::string& text = request.modules.at(0);
  const size_t space = text.find(' ');
  const std::string verb = text.substr(0, space);
  const std::string rest = space == std::string::npos ? "" : text.substr(space + 1);
  if (verb == "echo") return answer(rest);
  if (verb == "fail") return Error{CUDA_ERROR_INVALID_PTX, rest};
  if (verb == "descriptors") return answer(descriptors());
  if (verb == "environment") {
    std::string all;
    for (char** variable = environ; *variable; ++variable)
      all += std::string(*variable) + "\n";
    return answer(all);
  }
  if (verb == "say") {
    (void)!write(2, rest.data(), rest.size());
    crash();
  }
  if (verb == "crash-once") {
    if (open(rest.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0600) >= 0) crash();
    return answer("second");
  }
  if (verb == "count") {
    append_line(rest.substr(0, rest.find(' ')));
    usleep(100'000);
    return answer(rest);
  }
  return misbehave(verb);
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 2 || std::strcmp(argv[1], "--worker") != 0) return 2;
  const char* const start = std::getenv("PTXSHIM_FAKE");
  const std::string mode = start ? start : "";
  if (mode == "die") {
    static const char kText[] = "cannot load libfoo.so\n";
    (void)!write(2, kText, sizeof kText - 1);
    return 127;
  }
  if (mode == "mismatch") {
    const char hello[] = "PXFR\1\0\0\0\5\0\0\0\0\0\0\0other";
    (void)!write(0, hello, sizeof hello - 1);
    pause();
  }
  return ptxshim::worker_main(0, serve);
}
