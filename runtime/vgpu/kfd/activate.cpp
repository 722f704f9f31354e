// SPDX-License-Identifier: MIT
// The library's C entrance: makes the one device of the process and puts it under the ROCm libraries.
#include <cerrno>
#include <cstring>
#include <mutex>
#include <new>
#include <pthread.h>
#include <sys/sysinfo.h>

#include "device.h"
#include "hooks.h"
#include "kernel_interface.h"
#include "ptxshim/log.h"
#include "ptxshim/vgpu.h"
#include "topology.h"

namespace ptxshim::vgpu {

namespace {

constexpr uint64_t kGranule = uint64_t{2} << 20;
constexpr uint64_t kSmallestMemory = uint64_t{64} << 20, kLargestMemory = uint64_t{1} << 40;
constexpr uint32_t kMostUnits = 1024;

struct Instance {
  Device device;
  KernelInterface kernel{device};
  std::unique_ptr<Topology> topology;
  Device::Settings settings;
};

std::mutex& activation_mutex() {
  static std::mutex* const kMutex = new std::mutex;
  return *kMutex;
}
std::atomic<Instance*> instance{nullptr}; // never destroyed

void before_fork() {
  Instance& all = *instance.load();
  all.kernel.mutex().lock();
  all.device.lock_for_fork();
}
void after_fork_in_parent() {
  Instance& all = *instance.load();
  all.device.unlock_after_fork();
  all.kernel.mutex().unlock();
}
void after_fork_in_child() {
  Instance& all = *instance.load();
  all.device.reset_in_child();
  all.kernel.reset_in_child();
  std::construct_at(&all.kernel.mutex());
}

int read_options(const ptxshim_vgpu_options* given, Device::Settings& settings) {
  ptxshim_vgpu_options options{};
  if (given) std::memcpy(&options, given, given->size < sizeof options ? given->size : sizeof options);
  settings.gfx = find_gfx(options.gfx ? options.gfx : "gfx1030");
  if (!settings.gfx) return ENODEV;
  settings.compute_units = options.compute_units ? options.compute_units : 8;
  if (settings.compute_units < 2 || settings.compute_units > kMostUnits) return EINVAL;
  settings.host_threads = options.threads;
  settings.vram_bytes = options.memory_bytes ? options.memory_bytes : uint64_t{4} << 30;
  if (settings.vram_bytes < kSmallestMemory || settings.vram_bytes > kLargestMemory) return EINVAL;
  settings.vram_bytes = (settings.vram_bytes + kGranule - 1) & ~(kGranule - 1);
  struct sysinfo info {};
  const uint64_t memory = sysinfo(&info) == 0 ? uint64_t{info.totalram} * info.mem_unit : uint64_t{4} << 30;
  settings.gtt_bytes = (memory + kGranule - 1) & ~(kGranule - 1);
  settings.raw_exceptions = options.flags & PTXSHIM_VGPU_RAW_EXCEPTIONS;
  return 0;
}

bool same(const Device::Settings& left, const Device::Settings& right) {
  return left.gfx == right.gfx && left.compute_units == right.compute_units &&
         left.host_threads == right.host_threads && left.vram_bytes == right.vram_bytes &&
         left.raw_exceptions == right.raw_exceptions;
}

void announce(const Device::Settings& settings, uint32_t flags) {
  if (flags & PTXSHIM_VGPU_QUIET) return;
  log_detail::write_line(LogArea::vgpu, "%srunning on a virtual %s (%u compute units, CPU)",
                         flags & PTXSHIM_VGPU_FORCED ? "" : "no AMD GPU found; ", settings.gfx->name,
                         settings.compute_units);
}

int activate(const ptxshim_vgpu_options* options) {
  Device::Settings settings;
  if (const int error = read_options(options, settings)) return error;
  std::lock_guard lock(activation_mutex());
  if (const Instance* existing = instance.load()) return same(existing->settings, settings) ? 0 : EBUSY;
  std::unique_ptr<Instance> made = std::make_unique<Instance>();
  made->settings = settings;
  if (const int error = made->device.open(settings, make_executor)) return error;
  made->topology = std::make_unique<Topology>(settings);
  Instance& all = *made.release();
  instance.store(&all);
  if (!install_hooks(all.device, all.kernel, *all.topology)) return ENOENT;
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
  announce(settings, options ? options->flags : 0);
  return 0;
}

struct Naming {
  ptxshim_vgpu_fault_kind kind;
  uint32_t cuda_error;
};
Naming name(Fault fault) {
  switch (fault) {
  case Fault::PageFault:
    return {PTXSHIM_VGPU_FAULT_PAGE, 700};
  case Fault::IllegalInstruction:
    return {PTXSHIM_VGPU_FAULT_ILLEGAL_INSTRUCTION, 715};
  case Fault::Aperture:
    return {PTXSHIM_VGPU_FAULT_APERTURE, 719};
  case Fault::Misaligned:
    return {PTXSHIM_VGPU_FAULT_MISALIGNED, 716};
  case Fault::Trap:
    return {PTXSHIM_VGPU_FAULT_TRAP, 719};
  case Fault::BadCodeObject:
    return {PTXSHIM_VGPU_FAULT_BAD_CODE_OBJECT, 719};
  case Fault::None:
  case Fault::Interrupted:
    break;
  }
  return {PTXSHIM_VGPU_FAULT_NONE, 0};
}

int last_fault(ptxshim_vgpu_fault* out) {
  ptxshim_vgpu_fault fault{};
  fault.size = sizeof fault;
  const Instance* all = instance.load(std::memory_order_acquire);
  if (all && all->device.faulted()) {
    const Device::FaultRecord record = all->device.fault();
    const Naming naming = name(record.outcome.fault);
    fault.kind = naming.kind;
    fault.cuda_error = naming.cuda_error;
    fault.count = record.count;
    fault.address = record.outcome.address;
    std::snprintf(fault.report, sizeof fault.report, "%s", record.outcome.report.c_str());
  }
  if (out) {
    const uint32_t size = out->size < sizeof fault ? out->size : static_cast<uint32_t>(sizeof fault);
    std::memcpy(out, &fault, size);
    if (size >= sizeof size) out->size = size;
  }
  return static_cast<int>(fault.cuda_error);
}

} // namespace

} // namespace ptxshim::vgpu

extern "C" [[gnu::visibility("default")]] int ptxshim_vgpu_activate(const ptxshim_vgpu_options* options) {
  try {
    return ptxshim::vgpu::activate(options);
  } catch (const std::bad_alloc&) {
    return ENOMEM;
  } catch (...) {
    return EIO;
  }
}

extern "C" [[gnu::visibility("default")]] int ptxshim_vgpu_last_fault(ptxshim_vgpu_fault* fault) {
  try {
    return ptxshim::vgpu::last_fault(fault);
  } catch (...) {
    return 719;
  }
}

extern "C" [[gnu::visibility("default")]] void ptxshim_vgpu_clear_fault() {
  if (ptxshim::vgpu::Instance* all = ptxshim::vgpu::instance.load()) all->device.clear_fault();
}
