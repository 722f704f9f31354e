// SPDX-License-Identifier: MIT
// The ioctls. A GPU is named by its id; events and queues are numbered over all of them. What a real GPU
// needs and a virtual one has not (cache policies, scratch backing, trap handlers, CU masks, queues for global
// wave sync) is accepted; what is not known is EINVAL, as in an older kernel, which the thunk is used to.
// Arguments are copied in and out by the size in the request, as the kernel does, so older and newer thunks
// both fit.
#include "kernel_interface.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/kfd_ioctl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <iterator>
#include <unistd.h>

#include "clock.h"
#include "ptxshim/log.h"
#include "topology.h"

namespace ptxshim::vgpu {

namespace {

struct Handler {
  uint32_t number;
  const char* name;
  int (KernelInterface::*run)(void*);
};

// clang-format off
constexpr Handler kHandlers[] = {
    {0x01, "GET_VERSION",                &KernelInterface::get_version},
    {0x02, "CREATE_QUEUE",               &KernelInterface::create_queue},
    {0x03, "DESTROY_QUEUE",              &KernelInterface::destroy_queue},
    {0x04, "SET_MEMORY_POLICY",          &KernelInterface::accept},
    {0x05, "GET_CLOCK_COUNTERS",         &KernelInterface::get_clock_counters},
    {0x07, "UPDATE_QUEUE",               &KernelInterface::update_queue},
    {0x08, "CREATE_EVENT",               &KernelInterface::create_event},
    {0x09, "DESTROY_EVENT",              &KernelInterface::destroy_event},
    {0x0A, "SET_EVENT",                  &KernelInterface::set_event},
    {0x0B, "RESET_EVENT",                &KernelInterface::reset_event},
    {0x0C, "WAIT_EVENTS",                &KernelInterface::wait_events},
    {0x11, "SET_SCRATCH_BACKING_VA",     &KernelInterface::accept},
    {0x12, "GET_TILE_CONFIG",            &KernelInterface::get_tile_config},
    {0x13, "SET_TRAP_HANDLER",           &KernelInterface::accept},
    {0x14, "GET_PROCESS_APERTURES_NEW",  &KernelInterface::get_apertures},
    {0x15, "ACQUIRE_VM",                 &KernelInterface::accept},
    {0x16, "ALLOC_MEMORY_OF_GPU",        &KernelInterface::alloc_memory},
    {0x17, "FREE_MEMORY_OF_GPU",         &KernelInterface::free_memory},
    {0x18, "MAP_MEMORY_TO_GPU",          &KernelInterface::map_memory},
    {0x19, "UNMAP_MEMORY_FROM_GPU",      &KernelInterface::unmap_memory},
    {0x1A, "SET_CU_MASK",                &KernelInterface::accept},
    {0x1E, "ALLOC_QUEUE_GWS",            &KernelInterface::alloc_queue_gws},
    {0x21, "SET_XNACK_MODE",             &KernelInterface::set_xnack_mode},
    {0x23, "AVAILABLE_MEMORY",           &KernelInterface::available_memory},
};
// clang-format on

template <class T> T* as(void* argument) { return static_cast<T*>(argument); }

constexpr size_t kLargestArgument = 256; // of the structures above; what a newer thunk adds is ignored

} // namespace

int KernelInterface::open(int flags) {
  return fcntl(machine_.backing().fd(), flags & O_CLOEXEC ? F_DUPFD_CLOEXEC : F_DUPFD, 3);
}

// By identity of the file, not by number: descriptors are closed and dup'ed behind our back.
bool KernelInterface::owns(int fd) const {
  struct stat ours {
  }, theirs{};
  if (fstat(machine_.backing().fd(), &ours) != 0 || fstat(fd, &theirs) != 0) return false;
  return ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
}

int KernelInterface::ioctl(unsigned long request, void* argument) {
  machine_.note_activity();
  const uint32_t number = _IOC_NR(request);
  const size_t size = _IOC_SIZE(request);
  for (const Handler& handler : kHandlers) {
    if (handler.number != number) continue;
    alignas(16) std::byte buffer[kLargestArgument] = {};
    const size_t used = size < sizeof buffer ? size : sizeof buffer;
    if (argument) std::memcpy(buffer, argument, used);
    const int error = (this->*handler.run)(buffer);
    PTXSHIM_LOG_LINE(vgpu, trace, "ioctl %s: %d", handler.name, error);
    if (argument && (_IOC_DIR(request) & _IOC_READ)) std::memcpy(argument, buffer, used);
    if (!error) return 0;
    errno = error;
    return -1;
  }
  PTXSHIM_LOG_LINE(vgpu, debug, "ioctl 0x%x is not there", number);
  errno = EINVAL;
  return -1;
}

int KernelInterface::accept(void*) { return 0; }

int KernelInterface::get_version(void* argument) {
  kfd_ioctl_get_version_args* out = as<kfd_ioctl_get_version_args>(argument);
  out->major_version = 1;
  out->minor_version = 8;
  return 0;
}

int KernelInterface::get_clock_counters(void* argument) {
  kfd_ioctl_get_clock_counters_args* out = as<kfd_ioctl_get_clock_counters_args>(argument);
  out->gpu_clock_counter = device_clock();
  out->cpu_clock_counter = clock_ns(CLOCK_MONOTONIC_RAW);
  out->system_clock_counter = clock_ns(CLOCK_BOOTTIME);
  out->system_clock_freq = 1000000000;
  return 0;
}

Device* KernelInterface::device_of(uint32_t gpu_id) const {
  const uint32_t index = gpu_id - kFirstGpuId;
  return index < machine_.devices().size() ? machine_.devices()[index].get() : nullptr;
}

int KernelInterface::get_apertures(void* argument) {
  kfd_ioctl_get_process_apertures_new_args* io = as<kfd_ioctl_get_process_apertures_new_args>(argument);
  const uint32_t count = static_cast<uint32_t>(machine_.devices().size());
  if (io->num_of_nodes == 0) {
    io->num_of_nodes = count;
    return 0;
  }
  kfd_process_device_apertures* out =
      reinterpret_cast<kfd_process_device_apertures*>(io->kfd_process_device_apertures_ptr);
  if (!out) return EFAULT;
  const DeviceProperties windows;
  constexpr uint64_t kLast = (uint64_t{1} << 32) - 1;
  io->num_of_nodes = std::min(io->num_of_nodes, count);
  for (uint32_t i = 0; i < io->num_of_nodes; ++i, ++out) {
    std::memset(out, 0, sizeof *out);
    out->lds_base = windows.lds_aperture;
    out->lds_limit = windows.lds_aperture + kLast;
    out->scratch_base = windows.scratch_aperture;
    out->scratch_limit = windows.scratch_aperture + kLast;
    out->gpuvm_base = 0x10000;
    out->gpuvm_limit =
        (uint64_t{1} << 47) - 1; // all of the user's address space: GPU addresses are host addresses
    out->gpu_id = kFirstGpuId + i;
  }
  return 0;
}

int KernelInterface::get_tile_config(void* argument) {
  kfd_ioctl_get_tile_config_args* io = as<kfd_ioctl_get_tile_config_args>(argument);
  const auto clear = [](uint64_t address, uint32_t count) {
    if (address && count <= 64) std::memset(reinterpret_cast<void*>(address), 0, size_t{count} * 4);
  };
  clear(io->tile_config_ptr, io->num_tile_configs);
  clear(io->macro_tile_config_ptr, io->num_macro_tile_configs);
  io->gb_addr_config = 0x444;
  io->num_banks = 4;
  io->num_ranks = 1;
  return 0;
}

// In: 0 or 1 asks for a mode, -1 for the one in use. Retrying page faults is not there.
int KernelInterface::set_xnack_mode(void* argument) {
  kfd_ioctl_set_xnack_mode_args* io = as<kfd_ioctl_set_xnack_mode_args>(argument);
  if (io->xnack_enabled > 0) return EPERM;
  io->xnack_enabled = 0;
  return 0;
}

int KernelInterface::available_memory(void* argument) {
  kfd_ioctl_get_available_memory_args* io = as<kfd_ioctl_get_available_memory_args>(argument);
  const Device* device = device_of(io->gpu_id);
  if (!device) return EINVAL;
  io->available = machine_.backing().available(Backing::vram_of(device->index()));
  return 0;
}

// --- queues

int KernelInterface::create_queue(void* argument) {
  kfd_ioctl_create_queue_args* io = as<kfd_ioctl_create_queue_args>(argument);
  Device* device = device_of(io->gpu_id);
  if (!device) return EINVAL;
  Machine::QueueKind kind = Machine::QueueKind::Compute;
  switch (io->queue_type) {
  case KFD_IOC_QUEUE_TYPE_COMPUTE_AQL:
    break;
  case KFD_IOC_QUEUE_TYPE_SDMA:
  case KFD_IOC_QUEUE_TYPE_SDMA_XGMI:
    kind = Machine::QueueKind::Copy;
    break;
  default:
    return EINVAL;
  }
  std::lock_guard lock(mutex_);
  if (doorbells_.empty()) doorbells_.resize(machine_.devices().size());
  Doorbells& doorbells = doorbells_[device->index()];
  uint32_t slot = 0;
  while (slot < kDoorbells && doorbells.queues[slot])
    ++slot;
  if (slot == kDoorbells) return ENOMEM;
  const uint64_t page = machine_.backing().reserved_offset(device->index());
  std::memset(machine_.backing().host(page + slot * 8), 0, 8);
  QueueParameters parameters;
  parameters.ring_address = io->ring_base_address;
  parameters.ring_bytes = io->ring_size;
  parameters.write_pointer_address = io->write_pointer_address;
  parameters.read_pointer_address = io->read_pointer_address;
  const std::optional<uint32_t> id = machine_.create_queue(*device, kind, parameters);
  if (!id) return EINVAL;
  doorbells.queues[slot] = *id;
  io->queue_id = *id;
  io->doorbell_offset = page + slot * 8;
  PTXSHIM_LOG_LINE(vgpu, debug, "queue %u of device %u: %s, ring of %u bytes", *id, device->index(),
                   kind == Machine::QueueKind::Compute ? "compute" : "copy", io->ring_size);
  return 0;
}

int KernelInterface::destroy_queue(void* argument) {
  const uint32_t id = as<kfd_ioctl_destroy_queue_args>(argument)->queue_id;
  {
    std::lock_guard lock(mutex_);
    for (Doorbells& doorbells : doorbells_)
      std::replace(std::begin(doorbells.queues), std::end(doorbells.queues), id, 0u);
  }
  return machine_.destroy_queue(id) ? 0 : EINVAL;
}

int KernelInterface::update_queue(void* argument) {
  const kfd_ioctl_update_queue_args* in = as<kfd_ioctl_update_queue_args>(argument);
  return machine_.pause_queue(in->queue_id, in->queue_percentage == 0) ? 0 : EINVAL;
}

int KernelInterface::alloc_queue_gws(void* argument) {
  as<kfd_ioctl_alloc_queue_gws_args>(argument)->first_gws = 0;
  return 0;
}

void KernelInterface::doorbell_rung(uint64_t address) {
  uint32_t id = 0;
  {
    std::lock_guard lock(mutex_);
    for (const Doorbells& doorbells : doorbells_)
      if (doorbells.page && address - doorbells.page < kDoorbells * 8) id = doorbells.queues[(address - doorbells.page) / 8];
  }
  if (!id) return;
  machine_.note_activity();
  machine_.kick_queue(id);
}

// --- events

int KernelInterface::create_event(void* argument) {
  kfd_ioctl_create_event_args* io = as<kfd_ioctl_create_event_args>(argument);
  const std::optional<Events::Created> event = machine_.events().create(io->event_type, io->auto_reset != 0);
  if (!event) return ENOMEM;
  io->event_id = event->id;
  io->event_trigger_data = event->id;
  io->event_slot_index = event->slot;
  io->event_page_offset = Backing::kPage; // nonzero says: there is a page. The thunk has allocated it itself.
  return 0;
}

int KernelInterface::destroy_event(void* argument) {
  return machine_.events().destroy(as<kfd_ioctl_destroy_event_args>(argument)->event_id) ? 0 : EINVAL;
}

int KernelInterface::set_event(void* argument) {
  return machine_.events().set(as<kfd_ioctl_set_event_args>(argument)->event_id) ? 0 : EINVAL;
}

int KernelInterface::reset_event(void* argument) {
  return machine_.events().reset(as<kfd_ioctl_reset_event_args>(argument)->event_id) ? 0 : EINVAL;
}

int KernelInterface::wait_events(void* argument) {
  kfd_ioctl_wait_events_args* io = as<kfd_ioctl_wait_events_args>(argument);
  kfd_event_data* data = reinterpret_cast<kfd_event_data*>(io->events_ptr);
  if (!data || io->num_events > Events::kLimit) return EINVAL;
  std::vector<Events::Wanted> wanted(io->num_events);
  for (uint32_t i = 0; i < io->num_events; ++i)
    wanted[i].id = data[i].event_id;
  switch (machine_.events().wait(wanted, io->wait_for_all != 0, io->timeout)) {
  case WaitResult::Fail:
    io->wait_result = KFD_IOC_WAIT_RESULT_FAIL;
    return EINVAL;
  case WaitResult::Timeout:
    io->wait_result = KFD_IOC_WAIT_RESULT_TIMEOUT;
    return 0;
  case WaitResult::Complete:
    io->wait_result = KFD_IOC_WAIT_RESULT_COMPLETE;
    break;
  }
  for (uint32_t i = 0; i < io->num_events; ++i) {
    if (!wanted[i].fault) continue;
    kfd_hsa_memory_exception_data& out = data[i].memory_exception_data;
    std::memset(&out, 0, sizeof out);
    out.failure.NotPresent = wanted[i].fault->not_present;
    out.failure.ReadOnly = wanted[i].fault->read_only;
    out.va = wanted[i].fault->address;
    out.gpu_id = kFirstGpuId + wanted[i].fault->device;
  }
  return 0;
}

} // namespace ptxshim::vgpu
