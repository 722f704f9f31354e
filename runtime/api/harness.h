// SPDX-License-Identifier: MIT
// What every function of the driver API has in common, written once: trace lines, the state of initialisation, the current context, faults
// that stick to it, exceptions, and the default stream of the _ptsz and _ptds forms. A body sees only what is particular to it.
//
// The path of a launch costs two relaxed loads and two thread-local ones here; nothing is locked or allocated.
#pragma once

#include <exception>
#include <new>

#include "objects.h"
#include "ptxshim/log.h"

namespace ptxshim::api {

enum class Need : uint8_t { Nothing, Init, Context };

enum class Row : uint16_t {
#define API(name, since, variant, needs, parameters) name,
#define SAME(name, since, variant, target) name,
#define STUB(name, since, variant) name,
#include "driver_api.def"
  kCount
};

struct Thread {
  Context* current = nullptr;            // top of the context stack
  std::vector<Context*>* below = nullptr; // the rest; allocated when first needed
  int hip_device = 0;                    // what hipSetDevice was given last
  bool per_thread_default = false;       // inside a _ptsz or _ptds form
};

// Initial-exec: one instruction instead of a call. The structure is small, so that there is room for it however the library is loaded.
extern thread_local Thread thread __attribute__((tls_model("initial-exec")));

enum class State : int { kNotInitialised, kReady, kForked, kShutDown };
extern constinit std::atomic<State> state;

extern constinit std::atomic<int> trace_level; // 0 not known yet, 1 off, 2 on
int learn_trace_level() noexcept;
void trace_call(const char* name, const std::string& arguments, CUresult result) noexcept;

CUresult state_error() noexcept;                     // for a state other than ready
CUresult context_error(const Context* context) noexcept; // why the current context cannot be used
CUresult unsupported(Row row, const char* name) noexcept; // a STUB row: one warning per symbol
CUresult caught(const char* name) noexcept;          // inside a catch (...)

void append_argument(std::string& out, const char* value);
void append_argument(std::string& out, const void* value);
void append_argument(std::string& out, long long value);
void append_argument(std::string& out, unsigned long long value);

template <class T> void append_any(std::string& out, const T& value) {
  if (!out.empty()) out += ", ";
  if constexpr (std::is_same_v<T, const char*>)
    append_argument(out, value);
  else if constexpr (std::is_pointer_v<T> && std::is_function_v<std::remove_pointer_t<T>>)
    append_argument(out, reinterpret_cast<const void*>(value));
  else if constexpr (std::is_pointer_v<T>)
    append_argument(out, static_cast<const void*>(value));
  else if constexpr (std::is_enum_v<T> || std::is_signed_v<T>)
    append_argument(out, static_cast<long long>(value));
  else if constexpr (std::is_unsigned_v<T>)
    append_argument(out, static_cast<unsigned long long>(value));
  else
    out += "{...}";
}

template <Need kNeed> inline CUresult check_needs() noexcept {
  if constexpr (kNeed != Need::Nothing) {
    if (state.load(std::memory_order_acquire) != State::kReady) [[unlikely]]
      return state_error();
  }
  if constexpr (kNeed == Need::Context) {
    const Context* const context = thread.current;
    if (!context || !context->active.load(std::memory_order_relaxed) || context->sticky.load(std::memory_order_relaxed) != 0)
        [[unlikely]]
      return context_error(context);
  }
  return CUDA_SUCCESS;
}

struct PerThreadDefault {
  PerThreadDefault() noexcept { thread.per_thread_default = true; }
  ~PerThreadDefault() { thread.per_thread_default = false; }
};

template <auto kBody, Need kNeed, bool kPerThread, class... Arguments>
inline CUresult enter(const char* name, Arguments... arguments) noexcept {
  CUresult result = check_needs<kNeed>();
  if (result == CUDA_SUCCESS) [[likely]] {
    try {
      if constexpr (kPerThread) {
        const PerThreadDefault scope;
        result = kBody(arguments...);
      } else {
        result = kBody(arguments...);
      }
    } catch (...) {
      result = caught(name);
    }
  }
  int level = trace_level.load(std::memory_order_relaxed);
  if (level == 1) [[likely]]
    return result;
  if (level == 0) level = learn_trace_level();
  if (level == 2) {
    std::string text;
    (append_any(text, arguments), ...);
    trace_call(name, text, result);
  }
  return result;
}

} // namespace ptxshim::api
