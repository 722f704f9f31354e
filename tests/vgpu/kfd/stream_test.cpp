// SPDX-License-Identifier: MIT
// Many streams, many threads, long queues and kernels that spin.
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <thread>

#include "hip.h"

using namespace hip;
using namespace std::chrono_literals;

#define OK(call) ASSERT_EQ(call, 0) << #call

namespace {

constexpr int kNotReady = 600;
constexpr unsigned kNonBlocking = 1;

class HipStreams : public testing::Test {
protected:
  void SetUp() override {
    const std::string& problem = load();
    if (problem.starts_with("absent")) GTEST_SKIP() << "no HIP runtime: " << problem;
    ASSERT_EQ(problem, "");
    OK(hipModuleLoadData(&module_, code_object().data()));
    OK(hipHostMalloc(&shared_, 1 << 16, 0));
    std::fill_n(words(), 1 << 14, 0u);
  }
  void TearDown() override {
    EXPECT_EQ(last_fault(nullptr), 0);
    if (shared_) hipHostFree(shared_);
    if (module_) hipModuleUnload(module_);
  }
  Function function(const char* name) {
    Function found = nullptr;
    EXPECT_EQ(hipModuleGetFunction(&found, module_, name), 0) << name;
    return found;
  }
  template <class... Arguments>
  int launch(Function kernel, unsigned groups, unsigned size, Stream stream, Arguments... arguments) {
    void* parameters[] = {&arguments..., nullptr};
    return hipModuleLaunchKernel(kernel, groups, 1, 1, size, 1, 1, 0, stream, parameters, nullptr);
  }
  uint32_t* words() { return static_cast<uint32_t*>(shared_); }
  uint32_t word(size_t i) { return std::atomic_ref(words()[i]).load(); }
  void set_word(size_t i, uint32_t value) { std::atomic_ref(words()[i]).store(value); }

  Module module_ = nullptr;
  void* shared_ = nullptr; // pinned
};

TEST_F(HipStreams, sixty_four_with_a_hundred_launches_each) {
  constexpr size_t kStreams = 64;
  constexpr uint32_t kLaunches = 100;
  int least = 0, greatest = 0;
  OK(hipDeviceGetStreamPriorityRange(&least, &greatest));
  std::vector<Stream> streams(kStreams);
  for (size_t i = 0; i < kStreams; ++i)
    OK(hipStreamCreateWithPriority(&streams[i], kNonBlocking, i % 3 == 0 ? greatest : i % 3 == 1 ? least : 0));
  const Function next = function("next_of");
  for (uint32_t round = 0; round < kLaunches; ++round)
    for (size_t i = 0; i < kStreams; ++i)
      OK(launch(next, 1, 1, streams[i], static_cast<void*>(words() + i * 2), round));
  for (const Stream stream : streams)
    OK(hipStreamSynchronize(stream));
  for (size_t i = 0; i < kStreams; ++i) {
    EXPECT_EQ(word(i * 2), kLaunches) << i;
    EXPECT_EQ(word(i * 2 + 1), 0u) << "stream " << i << " ran out of order";
  }
  for (const Stream stream : streams)
    OK(hipStreamDestroy(stream));
}

// A ring of HIP has 16384 packets at most.
TEST_F(HipStreams, more_launches_than_a_queue_has_room_for) {
  constexpr uint32_t kLaunches = 40000;
  Stream stream = nullptr;
  OK(hipStreamCreateWithFlags(&stream, kNonBlocking));
  const Function next = function("next_of");
  for (uint32_t i = 0; i < kLaunches; ++i)
    OK(launch(next, 1, 1, stream, shared_, i));
  OK(hipStreamSynchronize(stream));
  EXPECT_EQ(word(0), kLaunches);
  EXPECT_EQ(word(1), 0u);
  OK(hipStreamDestroy(stream));
}

TEST_F(HipStreams, one_waits_for_events_of_many) {
  constexpr size_t kStreams = 24;
  std::vector<Stream> streams(kStreams);
  std::vector<Event> events(kStreams);
  Stream last = nullptr;
  OK(hipStreamCreateWithFlags(&last, kNonBlocking));
  const Function wait = function("wait_for_flag"), next = function("next_of");
  for (size_t i = 0; i < kStreams; ++i) {
    OK(hipStreamCreateWithFlags(&streams[i], kNonBlocking));
    OK(hipEventCreateWithFlags(&events[i], 2)); // without timing
  }
  OK(launch(wait, 1, 1, streams[7], static_cast<void*>(words() + 100), static_cast<void*>(words() + 200)));
  for (size_t i = 0; i < kStreams; ++i) {
    OK(launch(next, 1, 1, streams[i], static_cast<void*>(words() + 300 + i * 2), 0u));
    OK(hipEventRecord(events[i], streams[i]));
    OK(hipStreamWaitEvent(last, events[i], 0));
  }
  OK(launch(next, 1, 1, last, shared_, 0u));
  std::this_thread::sleep_for(30ms);
  EXPECT_EQ(hipStreamQuery(last), kNotReady);
  EXPECT_EQ(word(0), 0u);
  set_word(100, 1);
  OK(hipStreamSynchronize(last));
  EXPECT_EQ(word(0), 1u);
  for (size_t i = 0; i < kStreams; ++i) {
    EXPECT_EQ(word(300 + i * 2), 1u);
    hipEventDestroy(events[i]);
    OK(hipStreamDestroy(streams[i]));
  }
  OK(hipStreamDestroy(last));
}

TEST_F(HipStreams, launches_of_many_threads_into_one_and_into_their_own) {
  constexpr int kThreads = 12, kLaunches = 200;
  const Function count = function("count");
  std::atomic<int> failed{0};
  std::vector<std::thread> threads;
  Stream common = nullptr;
  OK(hipStreamCreateWithFlags(&common, kNonBlocking));
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      Stream own = nullptr;
      if (hipStreamCreateWithFlags(&own, kNonBlocking) != 0) ++failed;
      for (int i = 0; i < kLaunches; ++i) {
        if (launch(count, 1, 32, common, shared_) != 0) ++failed;
        if (launch(count, 1, 32, own, static_cast<void*>(words() + 1 + t)) != 0) ++failed;
      }
      if (hipStreamSynchronize(own) != 0 || hipStreamDestroy(own) != 0) ++failed;
    });
  for (std::thread& thread : threads)
    thread.join();
  OK(hipStreamSynchronize(common));
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(word(0), static_cast<uint32_t>(kThreads * kLaunches * 32));
  for (size_t t = 1; t <= kThreads; ++t)
    EXPECT_EQ(word(t), static_cast<uint32_t>(kLaunches * 32));
  OK(hipStreamDestroy(common));
}

// What waits is one stream alone: others are made, used and destroyed, memory comes and goes, modules are loaded.
TEST_F(HipStreams, all_goes_on_while_a_kernel_spins) {
  Stream spinning = nullptr;
  OK(hipStreamCreateWithFlags(&spinning, kNonBlocking));
  OK(launch(function("wait_for_flag"), 8, 64, spinning, shared_, static_cast<void*>(words() + 1024)));
  std::this_thread::sleep_for(10ms);
  for (uint32_t round = 0; round < 5; ++round) {
    Stream other = nullptr;
    Module again = nullptr;
    Function next = nullptr;
    void* memory = nullptr;
    uint32_t value = 0;
    OK(hipStreamCreateWithFlags(&other, kNonBlocking));
    OK(hipMalloc(&memory, 1 << 20));
    OK(hipMemsetAsync(memory, 0, 1 << 20, other));
    OK(hipModuleLoadData(&again, code_object().data()));
    OK(hipModuleGetFunction(&next, again, "next_of"));
    OK(launch(next, 1, 1, other, memory, 0u));
    OK(hipMemcpyAsync(&value, memory, 4, kDeviceToHost, other));
    OK(hipStreamSynchronize(other));
    EXPECT_EQ(value, 1u);
    OK(hipStreamDestroy(other));
    EXPECT_EQ(hipStreamQuery(spinning), kNotReady);
    // These wait for the device in the runtime, so they come when it is free.
    set_word(0, round == 4);
    if (round == 4) {
      OK(hipFree(memory));
      OK(hipModuleUnload(again));
    }
  }
  OK(hipStreamSynchronize(spinning));
  OK(hipStreamDestroy(spinning));
}

} // namespace
