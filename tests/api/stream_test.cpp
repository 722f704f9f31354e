// SPDX-License-Identifier: MIT
#include "api_test.h"

#include <atomic>
#include <chrono>
#include <thread>

namespace {

TEST(cuStreamCreate, keeps_flags_and_priority) {
  const TestContext context;
  int least = 0, greatest = 0;
  ASSERT_OK(cuCtxGetStreamPriorityRange(&least, &greatest));
  CUstream stream = nullptr;
  ASSERT_OK(cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, greatest));
  unsigned flags = 0;
  int priority = 99;
  CUcontext owner = nullptr;
  CUdevice device = -1;
  unsigned long long id = 0;
  EXPECT_OK(cuStreamGetFlags(stream, &flags));
  EXPECT_EQ(flags, unsigned{CU_STREAM_NON_BLOCKING});
  EXPECT_OK(cuStreamGetPriority(stream, &priority));
  EXPECT_EQ(priority, greatest);
  EXPECT_OK(cuStreamGetCtx(stream, &owner));
  EXPECT_EQ(owner, context.handle());
  EXPECT_OK(cuStreamGetDevice(stream, &device));
  EXPECT_EQ(device, 0);
  EXPECT_OK(cuStreamGetId(stream, &id));
  EXPECT_NE(id, 0u);
  EXPECT_OK(cuStreamDestroy_v2(stream));
}

TEST(cuStreamCreate, refuses_bad_arguments) {
  const TestContext context;
  CUstream stream = nullptr;
  EXPECT_EQ(cuStreamCreate(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamCreate(&stream, 8), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuStreamDestroy_v2, a_destroyed_stream_is_no_handle_any_more) {
  const TestContext context;
  CUstream stream = nullptr;
  ASSERT_OK(cuStreamCreate(&stream, 0));
  ASSERT_OK(cuStreamDestroy_v2(stream));
  EXPECT_EQ(cuStreamDestroy_v2(stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuStreamDestroy_v2(nullptr), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuStreamDestroy_v2(bad_handle<CUstream>()), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuStreamDestroy_v2(CU_STREAM_LEGACY), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuStreamSynchronize, takes_the_default_streams) {
  const TestContext context;
  EXPECT_OK(cuStreamSynchronize(nullptr));
  EXPECT_OK(cuStreamSynchronize(CU_STREAM_LEGACY));
  EXPECT_OK(cuStreamSynchronize(CU_STREAM_PER_THREAD));
  EXPECT_EQ(cuStreamSynchronize(bad_handle<CUstream>()), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuStreamQuery, not_ready_while_work_is_left) {
  const TestContext context;
  CUstream stream = nullptr;
  ASSERT_OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  EXPECT_OK(cuStreamQuery(stream));
  static std::atomic<bool> release;
  release = false;
  ASSERT_OK(cuLaunchHostFunc(
      stream,
      [](void*) {
        while (!release) std::this_thread::yield();
      },
      nullptr));
  EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
  release = true;
  EXPECT_OK(cuStreamSynchronize(stream));
  EXPECT_OK(cuStreamQuery(stream));
  EXPECT_OK(cuStreamDestroy_v2(stream));
}

TEST(cuLaunchHostFunc, runs_in_stream_order) {
  const TestContext context;
  CUstream stream = nullptr;
  ASSERT_OK(cuStreamCreate(&stream, 0));
  std::vector<int> order;
  struct Call {
    std::vector<int>* order;
    int number;
  } calls[] = {{&order, 1}, {&order, 2}, {&order, 3}};
  for (Call& call : calls)
    ASSERT_OK(cuLaunchHostFunc(
        stream,
        [](void* data) {
          const Call& c = *static_cast<Call*>(data);
          c.order->push_back(c.number);
        },
        &call));
  EXPECT_OK(cuStreamSynchronize(stream));
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(cuLaunchHostFunc(stream, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLaunchHostFunc(
                bad_handle<CUstream>(), [](void*) {}, nullptr),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_OK(cuStreamDestroy_v2(stream));
}

TEST(cuStreamAddCallback, gets_the_stream_and_the_status) {
  const TestContext context;
  CUstream stream = nullptr;
  ASSERT_OK(cuStreamCreate(&stream, 0));
  struct Seen {
    CUstream stream = nullptr;
    CUresult status = CUDA_ERROR_UNKNOWN;
  } seen;
  ASSERT_OK(cuStreamAddCallback(
      stream,
      [](CUstream s, CUresult status, void* data) {
        static_cast<Seen*>(data)->stream = s;
        static_cast<Seen*>(data)->status = status;
      },
      &seen, 0));
  EXPECT_OK(cuStreamSynchronize(stream));
  EXPECT_EQ(seen.stream, stream);
  EXPECT_EQ(seen.status, CUDA_SUCCESS);
  EXPECT_EQ(cuStreamAddCallback(stream, nullptr, nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuStreamDestroy_v2(stream));
}

TEST(cuStreamWaitEvent, orders_two_streams) {
  const TestContext context;
  CUstream first = nullptr, second = nullptr;
  CUevent event = nullptr;
  ASSERT_OK(cuStreamCreate(&first, CU_STREAM_NON_BLOCKING));
  ASSERT_OK(cuStreamCreate(&second, CU_STREAM_NON_BLOCKING));
  ASSERT_OK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  static std::atomic<int> step;
  step = 0;
  ASSERT_OK(cuLaunchHostFunc(
      first,
      [](void*) {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        step = 1;
      },
      nullptr));
  ASSERT_OK(cuEventRecord(event, first));
  ASSERT_OK(cuStreamWaitEvent(second, event, 0));
  static std::atomic<int> seen;
  seen = -1;
  ASSERT_OK(cuLaunchHostFunc(
      second, [](void*) { seen = step.load(); }, nullptr));
  EXPECT_OK(cuStreamSynchronize(second));
  EXPECT_EQ(seen, 1);
  EXPECT_EQ(cuStreamWaitEvent(second, bad_handle<CUevent>(), 0), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuStreamWaitEvent(second, event, 2), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuStreamDestroy_v2(first));
  EXPECT_OK(cuStreamDestroy_v2(second));
  EXPECT_OK(cuEventDestroy_v2(event));
}

TEST(cuStreamIsCapturing, is_not) {
  const TestContext context;
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
  EXPECT_OK(cuStreamIsCapturing(nullptr, &status));
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_NONE);
  EXPECT_EQ(cuStreamIsCapturing(nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuThreadExchangeStreamCaptureMode, gives_the_old_mode_back) {
  const TestContext context;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  EXPECT_OK(cuThreadExchangeStreamCaptureMode(&mode));
  EXPECT_EQ(mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
  EXPECT_OK(cuThreadExchangeStreamCaptureMode(&mode));
  EXPECT_EQ(mode, CU_STREAM_CAPTURE_MODE_RELAXED);
}

// A stream with flags and the greatest priority.
class UrgentStream {
public:
  UrgentStream() {
    int least = 0;
    EXPECT_OK(cuCtxGetStreamPriorityRange(&least, &priority_));
    EXPECT_OK(cuStreamCreateWithPriority(&handle_, CU_STREAM_NON_BLOCKING, priority_));
  }
  ~UrgentStream() { EXPECT_OK(cuStreamDestroy_v2(handle_)); }
  UrgentStream(const UrgentStream&) = delete;
  UrgentStream& operator=(const UrgentStream&) = delete;
  operator CUstream() const { return handle_; }
  int priority() const { return priority_; }

private:
  CUstream handle_ = nullptr;
  int priority_ = 0;
};

// CUDA Driver API, cuStreamCreateWithPriority: a priority outside of the range is clamped to it.
TEST(cuStreamCreateWithPriority, clamps_the_priority) {
  const TestContext context;
  int least = 0, greatest = 0, priority = 99;
  ASSERT_OK(cuCtxGetStreamPriorityRange(&least, &greatest));
  CUstream stream = nullptr;
  ASSERT_OK(cuStreamCreateWithPriority(&stream, 0, greatest - 100));
  EXPECT_OK(cuStreamGetPriority(stream, &priority));
  EXPECT_EQ(priority, greatest);
  EXPECT_OK(cuStreamDestroy_v2(stream));
  EXPECT_EQ(cuStreamCreateWithPriority(nullptr, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamCreateWithPriority(&stream, 8, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuStreamGetFlags, are_those_it_was_created_with) {
  const TestContext context;
  const UrgentStream stream;
  unsigned flags = 99;
  EXPECT_OK(cuStreamGetFlags(stream, &flags));
  EXPECT_EQ(flags, unsigned{CU_STREAM_NON_BLOCKING});
  EXPECT_OK(cuStreamGetFlags(nullptr, &flags));
  EXPECT_EQ(flags, unsigned{CU_STREAM_DEFAULT});
  EXPECT_EQ(cuStreamGetFlags(stream, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamGetFlags(bad_handle<CUstream>(), &flags), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuStreamGetPriority, is_0_for_the_default_stream) {
  const TestContext context;
  const UrgentStream stream;
  int priority = 99;
  EXPECT_OK(cuStreamGetPriority(stream, &priority));
  EXPECT_EQ(priority, stream.priority());
  EXPECT_OK(cuStreamGetPriority(nullptr, &priority));
  EXPECT_EQ(priority, 0);
  EXPECT_EQ(cuStreamGetPriority(stream, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamGetPriority(bad_handle<CUstream>(), &priority), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuStreamGetCtx, is_the_context_it_was_created_in) {
  const TestContext first;
  const UrgentStream stream;
  const TestContext second; // is current
  CUcontext owner = nullptr;
  EXPECT_OK(cuStreamGetCtx(stream, &owner));
  EXPECT_EQ(owner, first.handle());
  EXPECT_OK(cuStreamGetCtx(nullptr, &owner));
  EXPECT_EQ(owner, second.handle());
  EXPECT_EQ(cuStreamGetCtx(bad_handle<CUstream>(), &owner), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuStreamGetDevice, is_that_of_its_context) {
  const TestContext context;
  const UrgentStream stream;
  CUdevice device = -1;
  EXPECT_OK(cuStreamGetDevice(stream, &device));
  EXPECT_EQ(device, 0);
  EXPECT_EQ(cuStreamGetDevice(stream, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamGetDevice(bad_handle<CUstream>(), &device), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuStreamGetId, differs_between_streams) {
  const TestContext context;
  const UrgentStream a, b;
  unsigned long long first = 0, second = 0, legacy = 0;
  EXPECT_OK(cuStreamGetId(a, &first));
  EXPECT_OK(cuStreamGetId(b, &second));
  EXPECT_OK(cuStreamGetId(nullptr, &legacy));
  EXPECT_NE(first, second);
  EXPECT_NE(first, legacy);
  unsigned long long again = 0;
  EXPECT_OK(cuStreamGetId(a, &again));
  EXPECT_EQ(again, first);
  EXPECT_EQ(cuStreamGetId(a, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamGetId(bad_handle<CUstream>(), &first), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuStreamGetAttribute, reads_the_priority) {
  const TestContext context;
  const UrgentStream stream;
  CUstreamAttrValue value{};
  EXPECT_OK(cuStreamGetAttribute(stream, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
  EXPECT_EQ(value.priority, stream.priority());
  EXPECT_EQ(cuStreamGetAttribute(stream, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value), CUDA_ERROR_INVALID_VALUE); // of launches
  EXPECT_EQ(cuStreamGetAttribute(stream, CU_LAUNCH_ATTRIBUTE_PRIORITY, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamGetAttribute(bad_handle<CUstream>(), CU_LAUNCH_ATTRIBUTE_PRIORITY, &value), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuStreamSetAttribute, refuses_attributes_of_launches) {
  const TestContext context;
  const UrgentStream stream;
  CUstreamAttrValue value{};
  EXPECT_OK(cuStreamSetAttribute(stream, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
  EXPECT_EQ(cuStreamSetAttribute(stream, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamSetAttribute(stream, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamSetAttribute(bad_handle<CUstream>(), CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuStreamCopyAttributes, needs_two_streams) {
  const TestContext context;
  const UrgentStream a, b;
  EXPECT_OK(cuStreamCopyAttributes(a, b));
  EXPECT_EQ(cuStreamCopyAttributes(a, bad_handle<CUstream>()), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuStreamCopyAttributes(bad_handle<CUstream>(), b), CUDA_ERROR_INVALID_HANDLE);
}

} // namespace
