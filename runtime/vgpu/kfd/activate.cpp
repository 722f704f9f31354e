// SPDX-License-Identifier: MIT
// The library's C entrance: makes the devices of the process and puts them under the ROCm libraries.
#include <cerrno>
#include <cstring>
#include <mutex>
#include <new>
#include <pthread.h>
#include <sys/sysinfo.h>

#include "hooks.h"
#include "kernel_interface.h"
#include "machine.h"
#include "ptxshim/log.h"
#include "ptxshim/vgpu.h"
#include "topology.h"

namespace ptxshim::vgpu {

namespace {

constexpr uint64_t kGranule = uint64_t{2} << 20;
constexpr uint64_t kSmallestMemory = uint64_t{64} << 20, kLargestMemory = uint64_t{1} << 40;
constexpr uint32_t kMostUnits = 1024;

struct Instance {
  Machine machine;
  KernelInterface kernel{machine};
  std::unique_ptr<Topology> topology;
  std::vector<Device::Settings> settings;
};

std::mutex& activation_mutex() {
  static std::mutex* const kMutex = new std::mutex;
  return *kMutex;
}
std::atomic<Instance*> instance{nullptr}; // never destroyed

void before_fork() {
  Instance& all = *instance.load();
  all.kernel.mutex().lock();
  all.machine.lock_for_fork();
}
void after_fork_in_parent() {
  Instance& all = *instance.load();
  all.machine.unlock_after_fork();
  all.kernel.mutex().unlock();
}
void after_fork_in_child() {
  Instance& all = *instance.load();
  all.machine.reset_in_child();
  all.kernel.reset_in_child();
  std::construct_at(&all.kernel.mutex());
}

// An errno value and what it is about.
struct Refusal {
  int error = 0;
  std::string why;
};

Refusal read_names(std::string_view names, const Device::Settings& common, std::vector<Device::Settings>& settings) {
  for (size_t begin = 0; begin <= names.size();) {
    const size_t end = std::min(names.find(',', begin), names.size());
    const std::string_view name = names.substr(begin, end - begin);
    begin = end + 1;
    if (name.empty()) return {EINVAL, "an empty name in PTXSHIM_VIRTUAL_GPU='" + std::string(names) + "'"};
    settings.push_back(common);
    settings.back().gfx = find_gfx(name);
    if (!settings.back().gfx) {
      std::string known;
      for (const GfxRow& row : kGfxRows)
        known.append(" ").append(row.name);
      return {ENODEV, "'" + std::string(name) + "' in PTXSHIM_VIRTUAL_GPU is no architecture that it knows; it knows" + known};
    }
    if (settings.size() > Machine::kMostDevices)
      return {EINVAL, "more than " + std::to_string(Machine::kMostDevices) + " devices in PTXSHIM_VIRTUAL_GPU='" + std::string(names) + "'"};
  }
  return {};
}

Refusal read_options(const ptxshim_vgpu_options& options, std::vector<Device::Settings>& settings) {
  Device::Settings common;
  common.compute_units = options.compute_units ? options.compute_units : 8;
  if (common.compute_units < 2 || common.compute_units > kMostUnits)
    return {EINVAL, "PTXSHIM_VIRTUAL_GPU_CUS is not within 2 to " + std::to_string(kMostUnits)};
  common.host_threads = options.threads;
  common.vram_bytes = options.memory_bytes ? options.memory_bytes : uint64_t{4} << 30;
  if (common.vram_bytes < kSmallestMemory || common.vram_bytes > kLargestMemory)
    return {EINVAL, "PTXSHIM_VIRTUAL_GPU_MEMORY is not within 64 to 1048576 MiB"};
  common.vram_bytes = (common.vram_bytes + kGranule - 1) & ~(kGranule - 1);
  common.raw_exceptions = options.flags & PTXSHIM_VGPU_RAW_EXCEPTIONS;
  return read_names(options.gfx ? options.gfx : "gfx1030", common, settings);
}

uint64_t system_memory() {
  struct sysinfo info {};
  const uint64_t memory = sysinfo(&info) == 0 ? uint64_t{info.totalram} * info.mem_unit : uint64_t{4} << 30;
  return (memory + kGranule - 1) & ~(kGranule - 1);
}

void announce(std::span<const Device::Settings> settings, uint32_t flags) {
  if (flags & PTXSHIM_VGPU_QUIET) return;
  std::string names;
  for (const Device::Settings& one : settings)
    names.append(names.empty() ? "" : ", ").append(one.gfx->name);
  log_detail::write_line(LogArea::vgpu, "%srunning on a virtual %s (%u compute units%s, CPU)",
                         flags & PTXSHIM_VGPU_FORCED ? "" : "no AMD GPU found; ", names.c_str(),
                         settings[0].compute_units, settings.size() > 1 ? " each" : "");
}

Refusal activate(const ptxshim_vgpu_options& options) {
  std::vector<Device::Settings> settings;
  if (Refusal refused = read_options(options, settings); refused.error) return refused;
  std::lock_guard lock(activation_mutex());
  if (const Instance* existing = instance.load()) {
    if (existing->settings == settings) return {};
    return {EBUSY, "it runs already, with other options"};
  }
  std::unique_ptr<Instance> made = std::make_unique<Instance>();
  made->settings = settings;
  if (const int error = made->machine.open(settings, system_memory(), make_executor)) return {error, std::strerror(error)};
  made->topology = std::make_unique<Topology>(settings);
  if (!install_hooks(made->machine, made->kernel, *made->topology)) return {ENOENT, "no ROCm runtime is loaded"};
  instance.store(made.release());
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
  announce(settings, options.flags);
  return {};
}

int activate_and_explain(const ptxshim_vgpu_options* given) {
  ptxshim_vgpu_options options{};
  if (given) std::memcpy(&options, given, given->size < sizeof options ? given->size : sizeof options);
  const Refusal refused = activate(options);
  if (options.why && options.why_bytes) std::snprintf(options.why, options.why_bytes, "%s", refused.why.c_str());
  return refused.error;
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

Device* find_device(uint32_t number) {
  const Instance* all = instance.load(std::memory_order_acquire);
  return all && number < all->machine.devices().size() ? all->machine.devices()[number].get() : nullptr;
}

int last_fault(uint32_t number, ptxshim_vgpu_fault* out) {
  ptxshim_vgpu_fault fault{};
  fault.size = sizeof fault;
  const Device* device = find_device(number);
  if (device && device->faulted()) {
    const Device::FaultRecord record = device->fault();
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
    return ptxshim::vgpu::activate_and_explain(options);
  } catch (const std::bad_alloc&) {
    return ENOMEM;
  } catch (...) {
    return EIO;
  }
}

extern "C" [[gnu::visibility("default")]] int ptxshim_vgpu_last_fault(uint32_t device, ptxshim_vgpu_fault* fault) {
  try {
    return ptxshim::vgpu::last_fault(device, fault);
  } catch (...) {
    return 719;
  }
}

extern "C" [[gnu::visibility("default")]] void ptxshim_vgpu_clear_fault(uint32_t device) {
  if (ptxshim::vgpu::Device* faulted = ptxshim::vgpu::find_device(device)) faulted->clear_fault();
}
