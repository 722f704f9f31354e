// SPDX-License-Identifier: MIT
// The CUDA runtime looks its per-context state up here in nearly every call. Each thread therefore remembers the last few answers; a
// counter, raised by every change anywhere, tells when they are stale. A hit takes neither lock nor call.
#include "context_local.h"

#include "../api/context.h"

namespace ptxshim::api {

namespace {

constinit std::atomic<uint64_t> generation{1};

struct Remembered {
  const Context* context = nullptr;
  void* key = nullptr;
  void* value = nullptr;
  uint64_t generation = 0;
};

constexpr size_t kRemembered = 4; // as many libraries with a runtime of their own are served without a lock
thread_local Remembered remembered[kRemembered] __attribute__((tls_model("initial-exec")));

Remembered& slot_for(const void* key) noexcept { return remembered[(reinterpret_cast<uintptr_t>(key) >> 4) % kRemembered]; }

Context* find_context(CUcontext handle) noexcept { return handle ? contexts.find(handle) : thread.current; }

} // namespace

CUresult local_put(CUcontext handle, void* key, void* value, LocalDestructor destructor) noexcept {
  Context* const context = find_context(handle);
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  try {
    const std::lock_guard lock(context->locals_mutex);
    context->locals[key] = {value, destructor};
  } catch (...) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  generation.fetch_add(1, std::memory_order_release);
  return CUDA_SUCCESS;
}

CUresult local_delete(CUcontext handle, void* key) noexcept {
  Context* const context = find_context(handle);
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  const std::lock_guard lock(context->locals_mutex);
  if (context->locals.erase(key) == 0) return CUDA_ERROR_INVALID_HANDLE;
  generation.fetch_add(1, std::memory_order_release);
  return CUDA_SUCCESS;
}

CUresult local_get(void** value, CUcontext handle, void* key) noexcept {
  if (!value) return CUDA_ERROR_INVALID_VALUE;
  Context* const context = find_context(handle);
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  const uint64_t now = generation.load(std::memory_order_acquire);
  Remembered& slot = slot_for(key);
  if (slot.generation == now && slot.context == context && slot.key == key) {
    *value = slot.value;
    return CUDA_SUCCESS;
  }
  const std::lock_guard lock(context->locals_mutex);
  const auto found = context->locals.find(key);
  if (found == context->locals.end()) return CUDA_ERROR_INVALID_HANDLE;
  slot = {context, key, found->second.value, now};
  *value = found->second.value;
  return CUDA_SUCCESS;
}

void run_local_destructors(Context& context) {
  std::map<void*, LocalValue> locals;
  {
    const std::lock_guard lock(context.locals_mutex);
    locals.swap(context.locals);
  }
  generation.fetch_add(1, std::memory_order_release);
  for (const auto& [key, local] : locals)
    if (local.destructor) local.destructor(contexts.handle(&context), key, local.value);
}

} // namespace ptxshim::api
