// SPDX-License-Identifier: MIT
// Contexts. HIP has one context per device; a CUcontext is ours alone: a device, a set of objects and the state that CUDA attaches to it. Each
// thread has a stack of them. Destroying one destroys what belongs to it, also for contexts that share a device.
#include "bodies.h"
#include "context.h"
#include "graph.h"
#include "memory.h"
#include "module.h"
#include "../cudart/context_local.h"

#include <algorithm>
#include <cinttypes>

namespace ptxshim::api {

namespace {

std::vector<Context*>& rest() {
  // Freed by nothing: a few bytes per thread that pushed a context. A destructor could run after the library's own state is gone.
  if (!thread.below) thread.below = new std::vector<Context*>;
  return *thread.below;
}

// Defaults of CU_LIMIT_*, in bytes or counts, as NVIDIA's driver reports them.
constexpr size_t kDefaultLimits[kLimits] = {1024, 1 << 20, 8 << 20, 2, 2048, 64, 0, 0, 0, 0};

bool valid_flags(unsigned flags) {
  const unsigned scheduling = flags & CU_CTX_SCHED_MASK;
  return (flags & ~static_cast<unsigned>(CU_CTX_FLAGS_MASK)) == 0 && (scheduling & (scheduling - 1)) == 0;
}

} // namespace

uint64_t next_id() noexcept {
  static constinit std::atomic<uint64_t> counter{1};
  return counter.fetch_add(1, std::memory_order_relaxed);
}

CUresult make_current(Context* context) {
  if (context && context->device->ordinal != thread.hip_device) {
    if (const hip::Error failed = hip::api.hipSetDevice(context->device->ordinal)) return result_of(failed);
    thread.hip_device = context->device->ordinal;
  }
  thread.current = context;
  return CUDA_SUCCESS;
}

CUresult waited(hip::Error error) noexcept {
  CUresult result = hip::to_cuda(error);
  ptxshim_vgpu_fault fault;
  fault.size = sizeof fault;
  if (hip::virtual_gpu.last_fault && thread.current)
    if (const int code = hip::virtual_gpu.last_fault(thread.current->device->virtual_number, &fault)) result = static_cast<CUresult>(code);
  const bool sticks = result == CUDA_ERROR_ILLEGAL_ADDRESS || result == CUDA_ERROR_ASSERT ||
                      (result >= CUDA_ERROR_HARDWARE_STACK_ERROR && result <= CUDA_ERROR_LAUNCH_FAILED);
  if (sticks && thread.current) {
    int none = 0;
    if (thread.current->sticky.compare_exchange_strong(none, result))
      PTXSHIM_LOG_LINE(api, info, "a kernel faulted: error %d sticks to the context", static_cast<int>(result));
  }
  return result;
}

Context* create_context(Device& device, unsigned flags, bool primary) {
  Context* const context = contexts.create();
  if (!context) return nullptr;
  context->device = &device;
  context->primary = primary;
  context->flags = flags;
  context->id = next_id();
  std::copy(std::begin(kDefaultLimits), std::end(kDefaultLimits), context->limits);
  context->active.store(!primary, std::memory_order_release);
  return context;
}

void empty_context(Context& context) {
  run_local_destructors(context);
  // What was enqueued ends before its objects go. The result does not matter: the context is going either way.
  static_cast<void>(hip::api.hipDeviceSynchronize());
  events.for_each([&](Event& event) {
    if (event.context != &context) return;
    const hip::Event hip_event = event.hip;
    if (events.destroy(&event)) static_cast<void>(hip::api.hipEventDestroy(hip_event));
  });
  streams.for_each([&](Stream& stream) {
    if (stream.context != &context) return;
    const hip::Stream hip_stream = stream.hip;
    leave_capture(stream);
    if (streams.destroy(&stream)) static_cast<void>(hip::api.hipStreamDestroy(hip_stream));
  });
  forget_library_modules(context);
  modules.for_each([&](Module& module) {
    if (module.context == &context) unload_module(module);
  });
  free_memory_of(context);
  if (context.sticky.exchange(0) && hip::virtual_gpu.clear_fault) hip::virtual_gpu.clear_fault(context.device->virtual_number);
}

CUresult cuCtxCreate_v2(CUcontext* out, unsigned flags, CUdevice ordinal) {
  if (!out || !valid_flags(flags)) return CUDA_ERROR_INVALID_VALUE;
  Device* const device = find_device(ordinal);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  Context* const context = create_context(*device, flags, false);
  if (!context) return CUDA_ERROR_OUT_OF_MEMORY;
  const CUcontext handle = contexts.handle(context);
  const CUresult pushed = cuCtxPushCurrent_v2(handle);
  if (pushed == CUDA_SUCCESS)
    *out = handle;
  else
    contexts.destroy(context);
  return pushed;
}

// Execution affinity and compute-graphics interoperability, the additional parameters, are not supported.
CUresult cuCtxCreate_v4(CUcontext* out, CUctxCreateParams* parameters, unsigned flags, CUdevice ordinal) {
  if (parameters) return CUDA_ERROR_NOT_SUPPORTED;
  return cuCtxCreate_v2(out, flags, ordinal);
}

CUresult cuCtxDestroy_v2(CUcontext handle) {
  Context* const context = contexts.find(handle);
  if (!context || context->primary) return CUDA_ERROR_INVALID_CONTEXT;
  if (thread.current == context) {
    CUcontext popped;
    cuCtxPopCurrent_v2(&popped);
  }
  Context* const previous = thread.current;
  make_current(context);
  empty_context(*context);
  make_current(previous);
  context->active.store(false, std::memory_order_release); // threads that still have it current see a destroyed one
  contexts.destroy(context);
  return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent_v2(CUcontext handle) {
  Context* const context = contexts.find(handle);
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  if (thread.current) rest().push_back(thread.current);
  return make_current(context);
}

CUresult cuCtxPopCurrent_v2(CUcontext* out) {
  if (!thread.current) return CUDA_ERROR_INVALID_CONTEXT;
  if (out) *out = contexts.handle(thread.current);
  Context* next = nullptr;
  if (thread.below && !thread.below->empty()) {
    next = thread.below->back();
    thread.below->pop_back();
  }
  return make_current(next);
}

// Replaces the top of the stack. The primary context is accepted before it is retained: the CUDA runtime does it in this order.
CUresult cuCtxSetCurrent(CUcontext handle) {
  if (!handle) {
    CUcontext ignored;
    return thread.current ? cuCtxPopCurrent_v2(&ignored) : CUDA_SUCCESS;
  }
  Context* const context = contexts.find(handle);
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  return make_current(context);
}

CUresult cuCtxGetCurrent(CUcontext* out) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = contexts.handle(thread.current);
  return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice* ordinal) {
  if (!ordinal) return CUDA_ERROR_INVALID_VALUE;
  *ordinal = current_device().ordinal;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice_v2(CUdevice* ordinal, CUcontext handle) {
  if (!ordinal) return CUDA_ERROR_INVALID_VALUE;
  const Context* const context = handle ? contexts.find(handle) : thread.current;
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  *ordinal = context->device->ordinal;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetFlags(unsigned* flags) {
  if (!flags) return CUDA_ERROR_INVALID_VALUE;
  *flags = current()->flags.load();
  return CUDA_SUCCESS;
}

CUresult cuCtxSetFlags(unsigned flags) {
  if (!valid_flags(flags)) return CUDA_ERROR_INVALID_VALUE;
  current()->flags.store(flags);
  return CUDA_SUCCESS;
}

CUresult cuCtxGetId(CUcontext handle, unsigned long long* id) {
  if (!id) return CUDA_ERROR_INVALID_VALUE;
  const Context* const context = handle ? contexts.find(handle) : thread.current;
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  *id = context->id;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetApiVersion(CUcontext handle, unsigned* version) {
  if (!version) return CUDA_ERROR_INVALID_VALUE;
  const Context* const context = handle ? contexts.find(handle) : thread.current;
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  constexpr unsigned kContextVersion = 3020; // the version of the interface of contexts, not of the driver
  *version = kContextVersion;
  return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize() { return waited(hip::api.hipDeviceSynchronize()); }

CUresult cuCtxSynchronize_v2(CUcontext handle) {
  Context* const context = handle ? contexts.find(handle) : thread.current;
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  if (!context->active.load() || context->sticky.load()) return context_error(context);
  Context* const previous = thread.current;
  if (const CUresult failed = make_current(context); failed != CUDA_SUCCESS) return failed;
  const CUresult result = cuCtxSynchronize();
  make_current(previous);
  return result;
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  if (limit < 0 || limit >= CU_LIMIT_MAX) return CUDA_ERROR_INVALID_VALUE;
  if (limit >= CU_LIMIT_SHMEM_SIZE) return CUDA_ERROR_UNSUPPORTED_LIMIT;
  if (limit == CU_LIMIT_STACK_SIZE && hip::api.hipDeviceSetLimit) // older HIP sizes the stack by itself and refuses
    static_cast<void>(hip::api.hipDeviceSetLimit(hip::kLimitStackSize, value));
  current()->limits[limit] = value;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetLimit(size_t* value, CUlimit limit) {
  if (!value || limit < 0 || limit >= CU_LIMIT_MAX) return CUDA_ERROR_INVALID_VALUE;
  if (limit >= CU_LIMIT_SHMEM_SIZE) return CUDA_ERROR_UNSUPPORTED_LIMIT;
  *value = current()->limits[limit];
  return CUDA_SUCCESS;
}

// Cache and bank preferences are hints; AMD GPUs have nothing to configure.
CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
  if (config < CU_FUNC_CACHE_PREFER_NONE || config > CU_FUNC_CACHE_PREFER_EQUAL) return CUDA_ERROR_INVALID_VALUE;
  current()->cache_config = config;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCacheConfig(CUfunc_cache* config) {
  if (!config) return CUDA_ERROR_INVALID_VALUE;
  *config = current()->cache_config;
  return CUDA_SUCCESS;
}

CUresult cuCtxSetSharedMemConfig(CUsharedconfig config) {
  if (config < CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE || config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE)
    return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetSharedMemConfig(CUsharedconfig* config) {
  if (!config) return CUDA_ERROR_INVALID_VALUE;
  *config = current()->shared_config;
  return CUDA_SUCCESS;
}

CUresult cuCtxResetPersistingL2Cache() { return CUDA_SUCCESS; } // nothing persists

CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  int lowest = 0, highest = 0;
  const CUresult result = result_of(hip::api.hipDeviceGetStreamPriorityRange(&lowest, &highest));
  if (result != CUDA_SUCCESS) return result;
  if (least) *least = lowest;
  if (greatest) *greatest = highest;
  return CUDA_SUCCESS;
}

// The reference count of contexts, replaced by push and pop since CUDA 4.0: one user, the creator.
CUresult cuCtxAttach(CUcontext* out, unsigned flags) {
  if (!out || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  *out = contexts.handle(current());
  return CUDA_SUCCESS;
}

CUresult cuCtxDetach(CUcontext handle) {
  const Context* const context = contexts.find(handle);
  return context && context == current() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuCtxEnablePeerAccess(CUcontext handle, unsigned flags) {
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  Context* const peer = contexts.find(handle);
  if (!peer || peer == current()) return CUDA_ERROR_INVALID_CONTEXT;
  const std::lock_guard lock(current()->peers_mutex);
  std::vector<Context*>& peers = current()->peers;
  if (std::find(peers.begin(), peers.end(), peer) != peers.end()) return CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
  if (peer->device != current()->device) {
    const CUresult enabled = result_of(hip::api.hipDeviceEnablePeerAccess(peer->device->ordinal, 0));
    if (enabled != CUDA_SUCCESS && enabled != CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED) return enabled;
  }
  peers.push_back(peer);
  return CUDA_SUCCESS;
}

CUresult cuCtxDisablePeerAccess(CUcontext handle) {
  Context* const peer = contexts.find(handle);
  if (!peer) return CUDA_ERROR_INVALID_CONTEXT;
  const std::lock_guard lock(current()->peers_mutex);
  std::vector<Context*>& peers = current()->peers;
  const auto found = std::find(peers.begin(), peers.end(), peer);
  if (found == peers.end()) return CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
  peers.erase(found);
  return peer->device == current()->device ? CUDA_SUCCESS
                                           : result_of(hip::api.hipDeviceDisablePeerAccess(peer->device->ordinal));
}

} // namespace ptxshim::api
