// SPDX-License-Identifier: MIT
// LLD, in this process, without touching the file system. It knows files only: its input is a memory file,
// its output a pipe that a thread empties, both named through /proc. (For regular files LLD makes a new file
// beside the old one and renames it; what is no regular file it writes in one piece at the end.)
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <system_error>
#include <thread>
#include <unistd.h>

#include <lld/Common/CommonLinkerContext.h>
#include <lld/Common/Driver.h>
#include <llvm/Support/raw_ostream.h>

#include "amdgpu/backend.h"

LLD_HAS_DRIVER(elf)

namespace ptxshim::amdgpu {

namespace {

class MemoryFile {
public:
  explicit MemoryFile(const char* name) : fd_(memfd_create(name, MFD_CLOEXEC)) {}
  ~MemoryFile() {
    if (fd_ >= 0) close(fd_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  bool ok() const { return fd_ >= 0; }
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }
  bool write_all(const std::vector<std::byte>& bytes) {
    size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t n = ::write(fd_, bytes.data() + done, bytes.size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      done += static_cast<size_t>(n);
    }
    return true;
  }

private:
  int fd_;
};

class Pipe {
public:
  Pipe() {
    if (pipe2(ends_, O_CLOEXEC) != 0) return;
    try {
      reader_ = std::thread([this] { read_all(); });
    } catch (const std::system_error&) { // the user may have no more threads
      for (int& end : ends_) {
        close(end);
        end = -1;
      }
    }
  }
  ~Pipe() {
    finish();
    if (ends_[0] >= 0) close(ends_[0]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  bool ok() const { return ends_[0] >= 0; }
  std::string path() const { return "/proc/self/fd/" + std::to_string(ends_[1]); }
  std::vector<std::byte> take() {
    finish();
    return std::move(bytes_);
  }

private:
  void read_all() {
    std::byte chunk[1 << 16];
    for (;;) {
      const ssize_t n = ::read(ends_[0], chunk, sizeof chunk);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return;
      bytes_.insert(bytes_.end(), chunk, chunk + n);
    }
  }
  void finish() {
    if (ends_[1] >= 0) close(ends_[1]);
    ends_[1] = -1;
    if (reader_.joinable()) reader_.join();
  }
  int ends_[2] = {-1, -1};
  std::thread reader_;
  std::vector<std::byte> bytes_;
};

} // namespace

Result<std::vector<std::byte>> link_code_object(const std::vector<std::byte>& object) {
  MemoryFile input("object");
  Pipe output;
  if (!input.ok() || !output.ok() || !input.write_all(object))
    return Error{CUDA_ERROR_OPERATING_SYSTEM,
                 std::string("cannot make a memory file or a pipe: ") + std::strerror(errno)};
  const std::string in = input.path(), out = output.path();
  const char* arguments[] = {"ld.lld", "-shared",   "--no-undefined", "--threads=1",
                             "-o",     out.c_str(), in.c_str()};
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  const bool linked = lld::elf::link(arguments, llvm::nulls(), stream, false, false);
  lld::CommonLinkerContext::destroy();
  if (!linked) return Error{CUDA_ERROR_INVALID_PTX, "linking failed: " + messages};
  std::vector<std::byte> bytes = output.take();
  if (bytes.empty()) return Error{CUDA_ERROR_OPERATING_SYSTEM, "linking left no output"};
  return bytes;
}

} // namespace ptxshim::amdgpu
