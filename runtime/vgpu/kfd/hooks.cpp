// SPDX-License-Identifier: MIT
// Files of the kernel driver are answered here, everything else goes on to libc. glibc's fopen does not go
// through the open that can be redirected, and a DIR is opaque, so fopen and the opendir family are
// redirected themselves. The descriptors given out are real ones of the device's memory file: mmap and close
// need no hook for them to work, but memory that the thunk wants invisible to the host (PROT_NONE, private)
// is mapped visibly, as a large BAR would have it.
//
// hsa_signal_store_* and the copy functions are redirected in the HIP runtime alone: after the real one has
// run, the queue whose doorbell was rung is woken at once. Without them everything works, a little later.
#include "hooks.h"

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "got.h"
#include "hsa_layout.h"
#include "kernel_interface.h"
#include "loaded_files.h"
#include "machine.h"
#include "topology.h"

namespace ptxshim::vgpu {

namespace {

// Leaked on purpose: the runtime's static destructors come through here after ours would have run.
struct Context {
  Machine* machine = nullptr;
  KernelInterface* kernel = nullptr;
  const Topology* topology = nullptr;
};
Context context;

constexpr std::string_view kRenderNodes = "/dev/dri/renderD";

// --- files

struct Directory {
  std::set<std::string>::const_iterator next, end;
  dirent64 entry;
};
std::mutex& directories_mutex() {
  static std::mutex* const kMutex = new std::mutex;
  return *kMutex;
}
std::set<void*>& directories() {
  static std::set<void*>* const kOpen = new std::set<void*>;
  return *kOpen;
}
bool is_ours(void* directory) {
  std::lock_guard lock(directories_mutex());
  return directories().contains(directory);
}

int open_text(const std::string& text, int flags) {
  const int fd = memfd_create("ptxshim-sysfs", flags & O_CLOEXEC ? MFD_CLOEXEC : 0);
  if (fd < 0) return -1;
  if (write(fd, text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
      lseek(fd, 0, SEEK_SET) != 0) {
    close(fd);
    errno = EIO;
    return -1;
  }
  return fd;
}

// Which device a descriptor was opened for: they are all of one file.
std::mutex& render_nodes_mutex() {
  static std::mutex* const kMutex = new std::mutex;
  return *kMutex;
}
std::map<int, uint32_t>& render_nodes() {
  static std::map<int, uint32_t>* const kNodes = new std::map<int, uint32_t>;
  return *kNodes;
}
int open_render_node(uint32_t minor, int flags) {
  const uint32_t device = minor - kFirstRenderMinor;
  if (device >= context.machine->devices().size()) {
    errno = ENOENT;
    return -1;
  }
  const int fd = context.kernel->open(flags);
  std::lock_guard lock(render_nodes_mutex());
  if (fd >= 0) render_nodes()[fd] = device;
  return fd;
}
uint32_t device_of_render_node(int fd) {
  std::lock_guard lock(render_nodes_mutex());
  const auto at = render_nodes().find(fd);
  return at == render_nodes().end() ? 0 : at->second;
}
const GfxRow& row_of(uint32_t device) { return context.machine->devices()[device]->properties_row(); }

// True when the path is one of ours; *fd is then what open() returns.
bool open_device(const char* path, int flags, int* fd) {
  const std::string_view name = path ? path : "";
  if (name == "/dev/kfd") {
    *fd = context.kernel->open(flags);
    return true;
  }
  if (name.starts_with(kRenderNodes)) {
    uint32_t minor = 0;
    const std::string_view digits = name.substr(kRenderNodes.size());
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), minor);
    const bool number = error == std::errc{} && end == digits.data() + digits.size();
    *fd = open_render_node(number ? minor : 0, flags);
    return true;
  }
  if (!Topology::covers(name)) return false;
  const std::string* text = context.topology->file(name);
  errno = ENOENT;
  *fd = text ? open_text(*text, flags) : -1;
  return true;
}

int hook_open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  int fd = -1;
  return open_device(path, flags, &fd) ? fd : open(path, flags, mode);
}

int hook_openat(int at, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  int fd = -1;
  return open_device(path, flags, &fd) ? fd : openat(at, path, flags, mode);
}

FILE* hook_fopen(const char* path, const char* mode) {
  if (!path || !Topology::covers(path)) return fopen(path, mode);
  const std::string* text = context.topology->file(path);
  errno = ENOENT;
  return text ? fmemopen(const_cast<char*>(text->data()), text->size(), "r") : nullptr;
}

DIR* hook_opendir(const char* path) {
  if (!path || !Topology::covers(path)) return opendir(path);
  const std::set<std::string>* names = context.topology->directory(path);
  errno = ENOENT;
  if (!names) return nullptr;
  Directory* directory = new Directory{names->begin(), names->end(), {}};
  std::lock_guard lock(directories_mutex());
  directories().insert(directory);
  return reinterpret_cast<DIR*>(directory);
}

// dirent and dirent64 are one on this machine.
dirent* hook_readdir(DIR* handle) {
  if (!is_ours(handle)) return readdir(handle);
  Directory* directory = reinterpret_cast<Directory*>(handle);
  if (directory->next == directory->end) return nullptr;
  const std::string& name = *directory->next++;
  directory->entry = {};
  directory->entry.d_ino = 1;
  directory->entry.d_type = DT_UNKNOWN;
  directory->entry.d_reclen = sizeof directory->entry;
  std::snprintf(directory->entry.d_name, sizeof directory->entry.d_name, "%s", name.c_str());
  return reinterpret_cast<dirent*>(&directory->entry);
}

int hook_closedir(DIR* handle) {
  {
    std::lock_guard lock(directories_mutex());
    if (!directories().erase(handle)) return closedir(handle);
  }
  delete reinterpret_cast<Directory*>(handle);
  return 0;
}

// --- the device

int hook_ioctl(int fd, unsigned long request, ...) {
  va_list arguments;
  va_start(arguments, request);
  void* argument = va_arg(arguments, void*);
  va_end(arguments);
  if (_IOC_TYPE(request) == 'K' && context.kernel->owns(fd)) return context.kernel->ioctl(request, argument);
  return ioctl(fd, request, argument);
}

void* hook_mmap(void* address, size_t size, int protection, int flags, int fd, off_t offset) {
  if (fd >= 0 && context.kernel->owns(fd)) {
    protection |= PROT_READ | PROT_WRITE;
    flags = (flags & ~MAP_PRIVATE) | MAP_SHARED;
  }
  return mmap(address, size, protection, flags, fd, offset);
}

// --- libdrm

struct DrmHandle {
  int fd;
  uint32_t device;
  std::string name;
};

int hook_drm_open_render(int minor) { return open_render_node(static_cast<uint32_t>(minor), O_CLOEXEC); }
int hook_drm_close(int fd) { return close(fd); }
int hook_device_initialize(int fd, uint32_t* major, uint32_t* minor, void** handle) {
  const uint32_t device = device_of_render_node(fd);
  const int own = fcntl(fd, F_DUPFD_CLOEXEC, 3);
  if (own < 0) return -errno;
  *major = 3;
  *minor = 49;
  *handle = new DrmHandle{own, device, std::string("Virtual AMD GPU (") + row_of(device).name + ")"};
  return 0;
}
int hook_device_deinitialize(void* handle) {
  DrmHandle* drm = static_cast<DrmHandle*>(handle);
  if (!drm) return -EINVAL;
  close(drm->fd);
  delete drm;
  return 0;
}
const char* hook_get_marketing_name(void* handle) {
  return handle ? static_cast<DrmHandle*>(handle)->name.c_str() : nullptr;
}
int hook_device_get_fd(void* handle) { return handle ? static_cast<DrmHandle*>(handle)->fd : -EINVAL; }

// Of amdgpu_gpu_info's 64 words only the first two are asked for by ROCr.
int hook_query_gpu_info(void* handle, uint32_t* info) {
  if (!handle) return -EINVAL;
  info[0] = row_of(static_cast<DrmHandle*>(handle)->device).device_id;
  info[1] = 0;
  return 0;
}

// --- the HIP runtime's calls into HSA

void ring(uint64_t handle) {
  const AmdSignal* signal = reinterpret_cast<const AmdSignal*>(handle);
  if (signal && signal->kind == -1) context.kernel->doorbell_rung(static_cast<uint64_t>(signal->value));
}

using SignalStore = void(uint64_t, int64_t);
SignalStore* real_store_screlease = nullptr;
SignalStore* real_store_relaxed = nullptr;
void hook_store_screlease(uint64_t signal, int64_t value) {
  real_store_screlease(signal, value);
  ring(signal);
}
void hook_store_relaxed(uint64_t signal, int64_t value) {
  real_store_relaxed(signal, value);
  ring(signal);
}

// HIP waits by spinning, on a core that the kernel could use; and ROCr's own wait prints a warning when HIP
// waits for a signal that it had created for the GPU alone.
using SignalWait = int64_t(uint64_t, int, int64_t, uint64_t, int);
SignalWait* real_signal_wait = nullptr;
int64_t hook_signal_wait(uint64_t handle, int condition, int64_t expected, uint64_t timeout, int state) {
  AmdSignal* signal = reinterpret_cast<AmdSignal*>(handle);
  if (!signal || signal->kind != 1 || timeout != UINT64_MAX)
    return real_signal_wait(handle, condition, expected, timeout, state);
  int64_t value = 0;
  context.machine->note_activity();
  context.machine->wait_for_completion([&] {
    value = std::atomic_ref(signal->value).load(std::memory_order_acquire);
    switch (condition) { // hsa_signal_condition_t
    case 0:
      return value == expected;
    case 1:
      return value != expected;
    case 2:
      return value < expected;
    default:
      return value >= expected;
    }
  });
  return value;
}

using AsyncCopy = int(void*, uint64_t, const void*, uint64_t, size_t, uint32_t, const uint64_t*, uint64_t);
AsyncCopy* real_async_copy = nullptr;
int hook_async_copy(void* to, uint64_t to_agent, const void* from, uint64_t from_agent, size_t size,
                    uint32_t count, const uint64_t* dependencies, uint64_t completion) {
  const int status = real_async_copy(to, to_agent, from, from_agent, size, count, dependencies, completion);
  context.machine->kick_queues();
  return status;
}

using MemoryCopy = int(void*, const void*, size_t);
MemoryCopy* real_memory_copy = nullptr;
int hook_memory_copy(void* to, const void* from, size_t size) {
  context.machine->note_activity();
  return real_memory_copy(to, from, size);
}

template <class T> void* address_of(T* function) { return reinterpret_cast<void*>(function); }

void redirect_system_calls(unsigned* libraries) {
  const Redirection redirections[] = {
      {"open", address_of(hook_open)},
      {"open64", address_of(hook_open)},
      {"openat", address_of(hook_openat)},
      {"openat64", address_of(hook_openat)},
      {"fopen", address_of(hook_fopen)},
      {"fopen64", address_of(hook_fopen)},
      {"opendir", address_of(hook_opendir)},
      {"readdir", address_of(hook_readdir)},
      {"readdir64", address_of(hook_readdir)},
      {"closedir", address_of(hook_closedir)},
      {"ioctl", address_of(hook_ioctl)},
      {"mmap", address_of(hook_mmap)},
      {"mmap64", address_of(hook_mmap)},
      {"drmOpenRender", address_of(hook_drm_open_render)},
      {"drmClose", address_of(hook_drm_close)},
      {"amdgpu_device_initialize", address_of(hook_device_initialize)},
      {"amdgpu_device_deinitialize", address_of(hook_device_deinitialize)},
      {"amdgpu_get_marketing_name", address_of(hook_get_marketing_name)},
      {"amdgpu_device_get_fd", address_of(hook_device_get_fd)},
      {"amdgpu_query_gpu_info", address_of(hook_query_gpu_info)},
  };
  constexpr std::string_view kLibraries[] = {"libhsakmt", "libhsa-runtime64"};
  *libraries = redirect_imports(kLibraries, redirections);
}

template <class Function>
size_t add(void* library, Redirection* to, const char* name, Function** real, Function* hook) {
  *real = reinterpret_cast<Function*>(dlsym(library, name));
  if (!*real) return 0;
  *to = {name, address_of(hook)};
  return 1;
}

// Looked up in libhsa-runtime64 itself: libraries that were dlopened are not in the default scope.
void redirect_submissions() {
  void* hsa = dlopen("libhsa-runtime64.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (!hsa) return;
  use_loaded_files(dlsym(hsa, "_amdgpu_r_debug"));
  Redirection redirections[5];
  size_t count = 0;
  count += add(hsa, redirections + count, "hsa_signal_store_screlease", &real_store_screlease,
               &hook_store_screlease);
  count +=
      add(hsa, redirections + count, "hsa_signal_store_relaxed", &real_store_relaxed, &hook_store_relaxed);
  count += add(hsa, redirections + count, "hsa_signal_wait_scacquire", &real_signal_wait, &hook_signal_wait);
  count += add(hsa, redirections + count, "hsa_amd_memory_async_copy", &real_async_copy, &hook_async_copy);
  count += add(hsa, redirections + count, "hsa_memory_copy", &real_memory_copy, &hook_memory_copy);
  constexpr std::string_view kLibraries[] = {"libamdhip64"};
  redirect_imports(kLibraries, {redirections, count});
}

} // namespace

bool install_hooks(Machine& machine, KernelInterface& kernel, const Topology& topology) {
  context = {&machine, &kernel, &topology};
  unsigned libraries = 0;
  redirect_system_calls(&libraries);
  if (libraries == 0) return false;
  redirect_submissions();
  return true;
}

} // namespace ptxshim::vgpu
