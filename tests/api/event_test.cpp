// SPDX-License-Identifier: MIT
#include "api_test.h"

#include <atomic>
#include <chrono>
#include <thread>

namespace {

class Event {
public:
  explicit Event(unsigned flags = 0) { EXPECT_OK(cuEventCreate(&handle_, flags)); }
  ~Event() { cuEventDestroy_v2(handle_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  operator CUevent() const { return handle_; }

private:
  CUevent handle_ = nullptr;
};

TEST(cuEventCreate, refuses_bad_arguments) {
  const TestContext context;
  CUevent event = nullptr;
  EXPECT_EQ(cuEventCreate(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuEventCreate(&event, 0x100), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuEventCreate(&event, CU_EVENT_INTERPROCESS), CUDA_ERROR_INVALID_VALUE); // demands DISABLE_TIMING
}

TEST(cuEventDestroy_v2, a_destroyed_event_is_no_handle_any_more) {
  const TestContext context;
  CUevent event = nullptr;
  ASSERT_OK(cuEventCreate(&event, 0));
  ASSERT_OK(cuEventDestroy_v2(event));
  EXPECT_EQ(cuEventDestroy_v2(event), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuEventRecord(event, nullptr), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuEventDestroy_v2(nullptr), CUDA_ERROR_INVALID_HANDLE);
}

// CUDA Driver API, cuEventQuery: an event that was not recorded counts as complete.
TEST(cuEventQuery, succeeds_before_the_first_record) {
  const TestContext context;
  const Event event;
  EXPECT_OK(cuEventQuery(event));
  EXPECT_OK(cuEventSynchronize(event));
  EXPECT_EQ(cuEventQuery(bad_handle<CUevent>()), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuEventSynchronize(nullptr), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuEventRecord, completes_with_the_work_before_it) {
  const TestContext context;
  const Event event;
  CUstream stream = nullptr;
  ASSERT_OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  static std::atomic<bool> release;
  release = false;
  ASSERT_OK(cuLaunchHostFunc(
      stream,
      [](void*) {
        while (!release) std::this_thread::yield();
      },
      nullptr));
  ASSERT_OK(cuEventRecord(event, stream));
  EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_NOT_READY);
  release = true;
  EXPECT_OK(cuEventSynchronize(event));
  EXPECT_OK(cuEventQuery(event));
  EXPECT_EQ(cuEventRecord(event, bad_handle<CUstream>()), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_OK(cuStreamDestroy_v2(stream));
}

TEST(cuEventRecord, refuses_a_stream_of_another_context) {
  const TestContext first;
  CUstream stream = nullptr;
  ASSERT_OK(cuStreamCreate(&stream, 0));
  const TestContext second;
  const Event event;
  EXPECT_EQ(cuEventRecord(event, stream), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuEventElapsedTime, measures) {
  const TestContext context;
  const Event start, end;
  ASSERT_OK(cuEventRecord(start, nullptr));
  ASSERT_OK(cuLaunchHostFunc(
      nullptr, [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }, nullptr));
  ASSERT_OK(cuEventRecord(end, nullptr));
  ASSERT_OK(cuEventSynchronize(end));
  float milliseconds = -1;
  EXPECT_OK(cuEventElapsedTime(&milliseconds, start, end));
  EXPECT_GE(milliseconds, 15.0f);
  EXPECT_LT(milliseconds, 5000.0f);
  EXPECT_EQ(cuEventElapsedTime(nullptr, start, end), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuEventElapsedTime, needs_two_timed_recorded_events) {
  const TestContext context;
  const Event recorded, never, untimed(CU_EVENT_DISABLE_TIMING);
  ASSERT_OK(cuEventRecord(recorded, nullptr));
  ASSERT_OK(cuEventRecord(untimed, nullptr));
  ASSERT_OK(cuCtxSynchronize());
  float milliseconds = 0;
  EXPECT_EQ(cuEventElapsedTime(&milliseconds, recorded, never), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuEventElapsedTime(&milliseconds, recorded, untimed), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuEventElapsedTime(&milliseconds, recorded, nullptr), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuEventRecordWithFlags, refuses_unknown_flags) {
  const TestContext context;
  const Event event;
  EXPECT_OK(cuEventRecordWithFlags(event, nullptr, CU_EVENT_RECORD_DEFAULT));
  EXPECT_EQ(cuEventRecordWithFlags(event, nullptr, 0x10), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuEventSynchronize, waits_for_the_work_before_the_event) {
  const TestContext context;
  const Event event;
  static std::atomic<bool> over;
  over = false;
  ASSERT_OK(cuLaunchHostFunc(
      nullptr,
      [](void*) {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        over = true;
      },
      nullptr));
  ASSERT_OK(cuEventRecord(event, nullptr));
  EXPECT_OK(cuEventSynchronize(event));
  EXPECT_TRUE(over);
  EXPECT_EQ(cuEventSynchronize(bad_handle<CUevent>()), CUDA_ERROR_INVALID_HANDLE);
}

} // namespace
