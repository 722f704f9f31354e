// SPDX-License-Identifier: MIT
// LLD, in this process. It knows files only: both are memory files, named through /proc. Output without mmap is the mode in which LLD
// writes into an existing file instead of renaming a new one over it.
#include <cerrno>
#include <cstring>
#include <string>
#include <sys/mman.h>
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
  std::vector<std::byte> read_all() {
    std::vector<std::byte> bytes;
    const off_t size = lseek(fd_, 0, SEEK_END);
    if (size <= 0) return bytes;
    bytes.resize(static_cast<size_t>(size));
    size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t n = pread(fd_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return {};
      done += static_cast<size_t>(n);
    }
    return bytes;
  }

private:
  int fd_;
};

} // namespace

Result<std::vector<std::byte>> link_code_object(const std::vector<std::byte>& object) {
  MemoryFile input("object"), output("code-object");
  if (!input.ok() || !output.ok() || !input.write_all(object))
    return Error{CUDA_ERROR_OPERATING_SYSTEM, std::string("cannot make a memory file: ") + std::strerror(errno)};
  const std::string in = input.path(), out = output.path();
  const char* arguments[] = {"ld.lld", "-shared", "--no-undefined", "--threads=1", "--no-mmap-output-file", "-o", out.c_str(), in.c_str()};
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  const bool linked = lld::elf::link(arguments, llvm::nulls(), stream, false, false);
  lld::CommonLinkerContext::destroy();
  if (!linked) return Error{CUDA_ERROR_INVALID_PTX, "linking failed: " + messages};
  std::vector<std::byte> bytes = output.read_all();
  if (bytes.empty()) return Error{CUDA_ERROR_OPERATING_SYSTEM, "linking left no output"};
  return bytes;
}

} // namespace ptxshim::amdgpu
