// SPDX-License-Identifier: MIT
// Every function of the driver API, from its row, with arguments that an application should not pass: null, zero, -1, the largest
// number, handles that are none, handles of another kind, handles of destroyed objects. No call may crash or hang, whatever it answers; and a
// call that needs cuInit or a context says so before it looks at its arguments. A new row is tested without an edit here.
//
// Where a parameter is a pointer to plain data, null or a large zeroed buffer is passed: a wild address there is the application's fault, and
// ends it under NVIDIA's driver too.
#include "api_test.h"

#include <csignal>
#include <functional>
#include <sys/wait.h>
#include <thread>
#include <type_traits>
#include <unistd.h>

namespace {

enum class Style { Null, Zero, MinusOne, Huge, NoHandle, WrongKind, Destroyed, kCount };

const char* name_of(Style style) {
  switch (style) {
  case Style::Null: return "null pointers";
  case Style::Zero: return "zeros";
  case Style::MinusOne: return "-1";
  case Style::Huge: return "the largest numbers";
  case Style::NoHandle: return "handles that are none";
  case Style::WrongKind: return "handles of another kind";
  case Style::Destroyed: return "handles of destroyed objects";
  case Style::kCount: break;
  }
  return "?";
}

CUstream live_stream = nullptr;  // of another kind than most parameters
CUevent live_event = nullptr;    // for parameters that are streams
CUstream dead_stream = nullptr;
CUdeviceptr live_memory = 0;
alignas(64) thread_local unsigned char scratch[1 << 16];

template <class> constexpr bool kIsHandle = false;
#define HANDLE(type) template <> constexpr bool kIsHandle<type> = true;
HANDLE(CUcontext) HANDLE(CUmodule) HANDLE(CUfunction) HANDLE(CUlibrary) HANDLE(CUkernel) HANDLE(CUstream) HANDLE(CUevent) HANDLE(CUgraph)
HANDLE(CUgraphNode) HANDLE(CUgraphExec) HANDLE(CUmemoryPool) HANDLE(CUlinkState)
#undef HANDLE

template <class T> T handle_argument(Style style) {
  switch (style) {
  case Style::Null:
  case Style::Zero:
  case Style::kCount: return nullptr;
  case Style::MinusOne:
  case Style::Huge: return reinterpret_cast<T>(~uintptr_t{0});
  case Style::NoHandle: return reinterpret_cast<T>(scratch + 64);
  case Style::WrongKind:
    if constexpr (std::is_same_v<T, CUstream>) return reinterpret_cast<T>(live_event);
    return reinterpret_cast<T>(live_stream);
  case Style::Destroyed: return reinterpret_cast<T>(dead_stream);
  }
  return nullptr;
}

template <class T> T number_argument(Style style) {
  switch (style) {
  case Style::MinusOne: return static_cast<T>(-1);
  case Style::Huge: return static_cast<T>(std::is_signed_v<T> ? static_cast<T>(~(T{1} << (sizeof(T) * 8 - 1))) : static_cast<T>(-1) / 2);
  case Style::NoHandle:
  case Style::WrongKind: return 1;
  case Style::Null:
  case Style::Zero:
  case Style::Destroyed:
  case Style::kCount: break;
  }
  return 0;
}

template <class T> T argument(const Style style) {
  if constexpr (kIsHandle<T>) {
    return handle_argument<T>(style);
  } else if constexpr (std::is_same_v<T, const char*>) {
    return style == Style::Null ? nullptr : style == Style::Zero ? "" : "no such name";
  } else if constexpr (std::is_pointer_v<T> && std::is_function_v<std::remove_pointer_t<T>>) {
    return nullptr; // a callback that is none is the application's fault
  } else if constexpr (std::is_pointer_v<T>) {
    return style == Style::Null ? nullptr : reinterpret_cast<T>(scratch);
  } else if constexpr (std::is_same_v<T, CUdeviceptr>) {
    return style == Style::WrongKind ? live_memory : number_argument<T>(style);
  } else if constexpr (std::is_enum_v<T>) {
    return no_such<T>(number_argument<int>(style));
  } else if constexpr (std::is_integral_v<T>) {
    return number_argument<T>(style);
  } else {
    T value;
    std::memset(&value, style == Style::Zero || style == Style::Null ? 0 : 0xff, sizeof value);
    return value;
  }
}

enum class Needs { Nothing, Init, Context };

struct Call {
  const char* name;
  Needs needs;
  std::function<CUresult(Style)> run;
};

template <class... Parameters> std::function<CUresult(Style)> caller(CUresult (*function)(Parameters...)) {
  return [function]([[maybe_unused]] Style style) { return function(argument<Parameters>(style)...); };
}

// The rows of the table, in its order.
std::vector<Call> all_calls() {
  return {
#define API(name, since, variant, needs, parameters) {#name, Needs::needs, caller<PTXSHIM_LIST parameters>(&name)},
#define PTXSHIM_LIST(...) __VA_ARGS__
#define STUB(name, since, variant)
#define SAME(name, since, variant, target)
#include "../../runtime/api/driver_api.def"
#undef PTXSHIM_LIST
  };
}

// Runs in a child, so that one crash is one failure that has a name. 0 when all went well.
int in_child(const std::function<void()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    body();
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

void say(const std::string& text) {
  const std::string line = text + "\n";
  [[maybe_unused]] const ssize_t written = write(2, line.data(), line.size());
}

thread_local const char* calling = "";
thread_local Style calling_style = Style::Null;
void on_crash(int number) {
  say(std::string("signal ") + std::to_string(number) + " in " + calling + " with " + name_of(calling_style));
  _exit(100);
}

void catch_crashes() {
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL, SIGALRM}) signal(number, &on_crash);
}

void call_all(bool wanted_error, Needs at_least, CUresult error) {
  catch_crashes();
  for (const Call& call : all_calls()) {
    if (call.needs < at_least) continue;
    for (int style = 0; style < static_cast<int>(Style::kCount); ++style) {
      calling = call.name;
      calling_style = static_cast<Style>(style);
      std::memset(scratch, 0, sizeof scratch);
      const CUresult result = call.run(calling_style);
      if (wanted_error) {
        EXPECT_EQ(result, error) << call.name << " with " << name_of(calling_style);
      }
    }
  }
}

TEST(hostile, before_cuInit) {
  EXPECT_EQ(in_child([] { call_all(true, Needs::Init, CUDA_ERROR_NOT_INITIALIZED); }), 0);
}

TEST(hostile, without_a_context) {
  EXPECT_EQ(in_child([] {
              EXPECT_OK(cuInit(0));
              call_all(true, Needs::Context, CUDA_ERROR_INVALID_CONTEXT);
            }),
            0);
}

TEST(hostile, after_fork) {
  EXPECT_EQ(in_child([] {
              EXPECT_OK(cuInit(0));
              EXPECT_EQ(in_child([] { call_all(true, Needs::Init, CUDA_ERROR_NOT_INITIALIZED); }), 0);
            }),
            0);
}

void make_objects() {
  EXPECT_OK(cuStreamCreate(&live_stream, 0));
  EXPECT_OK(cuStreamCreate(&dead_stream, 0));
  EXPECT_OK(cuStreamDestroy_v2(dead_stream));
  EXPECT_OK(cuEventCreate(&live_event, 0));
  EXPECT_OK(cuMemAlloc_v2(&live_memory, 4096));
}

// All rows in one process: the context is set again where a call has changed it.
void call_with_context(bool several_threads) {
  TestContext context;
  make_objects();
  catch_crashes();
  const auto run_all = [&] {
    for (const Call& call : all_calls())
      for (int style = 0; style < static_cast<int>(Style::kCount); ++style) {
        calling = call.name;
        calling_style = static_cast<Style>(style);
        CUcontext now = nullptr;
        cuCtxGetCurrent(&now);
        if (now != context.handle()) cuCtxSetCurrent(context.handle());
        std::memset(scratch, 0, sizeof scratch);
        call.run(calling_style);
      }
  };
  if (!several_threads) return run_all();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(run_all);
  for (std::thread& one : threads) one.join();
}

TEST(hostile, with_a_context) { EXPECT_EQ(in_child([] { call_with_context(false); }), 0); }
TEST(hostile, from_several_threads_at_once) { EXPECT_EQ(in_child([] { call_with_context(true); }), 0); }

} // namespace
