// SPDX-License-Identifier: MIT
// The real, installed HIP runtime on the virtual GPU: what libptxshim.so does through it, and what it must
// survive.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <numeric>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "hip.h"

using namespace hip;
using namespace std::chrono_literals;

#define OK(call) ASSERT_EQ(call, 0) << #call

namespace {

class Hip : public testing::Test {
protected:
  void SetUp() override {
    const std::string& problem = load();
    if (problem.starts_with("absent")) GTEST_SKIP() << "no HIP runtime: " << problem;
    ASSERT_EQ(problem, "");
    clear_fault();
  }
  void TearDown() override {
    EXPECT_EQ(last_fault(nullptr), 0);
  }

  static void* device_memory(size_t size) {
    void* memory = nullptr;
    EXPECT_EQ(hipMalloc(&memory, size), 0);
    return memory;
  }
};

// With the tests' kernels loaded.
class HipKernel : public Hip {
protected:
  void SetUp() override {
    Hip::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    ASSERT_FALSE(code_object().empty());
    OK(hipModuleLoadData(&module_, code_object().data()));
  }
  void TearDown() override {
    Hip::TearDown();
    if (module_) hipModuleUnload(module_);
  }
  Function function(const char* name) {
    Function found = nullptr;
    EXPECT_EQ(hipModuleGetFunction(&found, module_, name), 0) << name;
    return found;
  }
  template <class... Arguments>
  int launch(const char* name, unsigned groups, unsigned size, Stream stream, Arguments... arguments) {
    void* parameters[] = {&arguments..., nullptr};
    return hipModuleLaunchKernel(function(name), groups, 1, 1, size, 1, 1, 0, stream, parameters, nullptr);
  }
  Module module_ = nullptr;
};

std::vector<uint32_t> numbers(size_t n, uint32_t step = 2654435761u) {
  std::vector<uint32_t> values(n);
  for (size_t i = 0; i < n; ++i)
    values[i] = static_cast<uint32_t>(i) * step + 12345;
  return values;
}

TEST_F(Hip, one_device_that_says_what_it_is) {
  int count = 0;
  OK(hipGetDeviceCount(&count));
  EXPECT_EQ(count, 1);
  char name[256] = "";
  OK(hipDeviceGetName(name, sizeof name, 0));
  EXPECT_NE(std::string(name).find(PTXSHIM_GFX), std::string::npos) << name;
  size_t total = 0, free_bytes = 0, same = 0;
  OK(hipDeviceTotalMem(&total, 0));
  EXPECT_EQ(total, size_t{4} << 30);
  OK(hipMemGetInfo(&free_bytes, &same));
  EXPECT_EQ(same, total);
  EXPECT_LE(free_bytes, total);
}

TEST_F(Hip, copies_of_many_sizes_come_back_unchanged) {
  for (const size_t size : {1ul, 3ul, 64ul, 4096ul, 8191ul, 8193ul, 65536ul, 1000003ul, 40ul << 20}) {
    std::vector<uint32_t> words = numbers(size / 4 + 1);
    std::vector<char> back(size + 1, 'x');
    void* memory = device_memory(size);
    OK(hipMemcpy(memory, words.data(), size, kHostToDevice));
    OK(hipMemcpy(back.data(), memory, size, kDeviceToHost));
    EXPECT_EQ(std::memcmp(back.data(), words.data(), size), 0) << size;
    EXPECT_EQ(back[size], 'x') << size;
    OK(hipFree(memory));
  }
}

TEST_F(Hip, device_to_device_and_memset) {
  const size_t n = 100000;
  std::vector<uint32_t> words = numbers(n), back(n);
  void* a = device_memory(n * 4);
  void* b = device_memory(n * 4);
  OK(hipMemcpy(a, words.data(), n * 4, kHostToDevice));
  OK(hipMemcpy(b, a, n * 4, kDeviceToDevice));
  OK(hipMemset(a, 0x5a, n * 4 - 4));
  OK(hipMemcpy(back.data(), b, n * 4, kDeviceToHost));
  EXPECT_EQ(back, words);
  OK(hipMemcpy(back.data(), a, n * 4, kDeviceToHost));
  EXPECT_TRUE(std::all_of(back.begin(), back.end() - 1, [](uint32_t w) { return w == 0x5a5a5a5a; }));
  EXPECT_EQ(back[n - 1], words[n - 1]);
  OK(hipMemsetD32(a, 0x01020304, n));
  OK(hipMemcpy(back.data(), a, n * 4, kDeviceToHost));
  EXPECT_TRUE(std::all_of(back.begin(), back.end(), [](uint32_t w) { return w == 0x01020304; }));
  hipFree(a);
  hipFree(b);
}

TEST_F(Hip, rows_of_a_pitched_copy) {
  std::vector<uint32_t> source = numbers(16 * 8), target(20 * 8, 7);
  void* memory = device_memory(32 * 4 * 8);
  OK(hipMemcpy2D(memory, 32 * 4, source.data(), 16 * 4, 16 * 4, 8, kHostToDevice));
  OK(hipMemcpy2D(target.data(), 20 * 4, memory, 32 * 4, 16 * 4, 8, kDeviceToHost));
  for (size_t y = 0; y < 8; ++y) {
    for (size_t x = 0; x < 16; ++x)
      ASSERT_EQ(target[y * 20 + x], source[y * 16 + x]);
    EXPECT_EQ(target[y * 20 + 16], 7u);
  }
  hipFree(memory);
}

TEST_F(Hip, freed_device_memory_goes_back_to_the_system) {
  const auto resident_shared_kib = [] {
    std::ifstream status("/proc/self/status");
    std::string word;
    while (status >> word)
      if (word == "RssShmem:") break;
    long kib = 0;
    status >> kib;
    return kib;
  };
  const size_t size = 64 << 20;
  std::vector<char> bytes(size, 1);
  const long before = resident_shared_kib();
  void* memory = device_memory(size);
  OK(hipMemcpy(memory, bytes.data(), size, kHostToDevice));
  EXPECT_GT(resident_shared_kib(), before + 60000);
  OK(hipFree(memory));
  EXPECT_LT(resident_shared_kib(), before + 8000);
}

TEST_F(Hip, more_than_the_device_has_is_out_of_memory) {
  void* memory = nullptr;
  EXPECT_EQ(hipMalloc(&memory, size_t{5} << 30), 2); // hipErrorOutOfMemory
  memory = device_memory(1 << 20);
  OK(hipFree(memory));
}

TEST_F(Hip, streams_and_events_keep_order) {
  const size_t n = 1 << 18;
  std::vector<uint32_t> words = numbers(n), back(n);
  void* memory = device_memory(n * 4);
  Stream first = nullptr, second = nullptr;
  Event done = nullptr, begin = nullptr;
  OK(hipStreamCreateWithFlags(&first, 1));
  OK(hipStreamCreateWithFlags(&second, 1));
  OK(hipEventCreateWithFlags(&begin, 0));
  OK(hipEventCreateWithFlags(&done, 0));
  for (int round = 0; round < 20; ++round) {
    words[5] = static_cast<uint32_t>(round);
    OK(hipEventRecord(begin, first));
    OK(hipMemcpyAsync(memory, words.data(), n * 4, kHostToDevice, first));
    OK(hipEventRecord(done, first));
    OK(hipStreamWaitEvent(second, done, 0));
    OK(hipMemcpyAsync(back.data(), memory, n * 4, kDeviceToHost, second));
    OK(hipStreamSynchronize(second));
    ASSERT_EQ(back, words) << round;
  }
  OK(hipEventSynchronize(done));
  EXPECT_EQ(hipEventQuery(done), 0);
  float milliseconds = -1;
  OK(hipEventElapsedTime(&milliseconds, begin, done));
  EXPECT_GE(milliseconds, 0.0f);
  EXPECT_LT(milliseconds, 10000.0f);
  hipEventDestroy(begin);
  hipEventDestroy(done);
  hipStreamDestroy(first);
  hipStreamDestroy(second);
  hipFree(memory);
}

TEST_F(Hip, host_functions_run_in_stream_order) {
  static std::atomic<int> seen{0};
  seen = 0;
  Stream stream = nullptr;
  OK(hipStreamCreateWithFlags(&stream, 1));
  OK(hipStreamAddCallback(
      stream, [](Stream, int, void*) { seen = 1; }, nullptr, 0));
  OK(hipStreamSynchronize(stream));
  EXPECT_EQ(seen, 1);
  hipStreamDestroy(stream);
}

TEST_F(Hip, pinned_and_registered_memory) {
  const size_t n = 1 << 20;
  std::vector<uint32_t> words = numbers(n);
  void* pinned = nullptr;
  OK(hipHostMalloc(&pinned, n * 4, 0));
  std::memcpy(pinned, words.data(), n * 4);
  void* memory = device_memory(n * 4);
  OK(hipMemcpy(memory, pinned, n * 4, kHostToDevice));
  std::vector<uint32_t> own(n + 1024);
  OK(hipHostRegister(own.data() + 3, n * 4, 0));
  OK(hipMemcpy(own.data() + 3, memory, n * 4, kDeviceToHost));
  EXPECT_EQ(std::memcmp(own.data() + 3, words.data(), n * 4), 0);
  OK(hipHostUnregister(own.data() + 3));
  OK(hipHostFree(pinned));
  OK(hipFree(memory));
}

TEST_F(Hip, registering_what_is_not_mapped_is_an_error) {
  void* gone = mmap(nullptr, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  munmap(gone, 1 << 16);
  EXPECT_NE(hipHostRegister(gone, 1 << 16, 0), 0);
}

TEST_F(HipKernel, vector_add) {
  const uint32_t n = 100003;
  std::vector<float> a(n), b(n), c(n);
  for (uint32_t i = 0; i < n; ++i) {
    a[i] = static_cast<float>(i) * 0.5f;
    b[i] = 1000.0f - static_cast<float>(i);
  }
  void* da = device_memory(n * 4);
  void* db = device_memory(n * 4);
  void* dc = device_memory(n * 4);
  OK(hipMemcpy(da, a.data(), n * 4, kHostToDevice));
  OK(hipMemcpy(db, b.data(), n * 4, kHostToDevice));
  OK(launch("vector_add", (n + 255) / 256, 256, nullptr, da, db, dc, n));
  OK(hipMemcpy(c.data(), dc, n * 4, kDeviceToHost));
  EXPECT_EQ(last_fault(nullptr), 0);
  for (uint32_t i = 0; i < n; ++i)
    ASSERT_EQ(c[i], a[i] + b[i]) << i;
  for (void* memory : {da, db, dc})
    hipFree(memory);
}

TEST_F(HipKernel, group_memory_and_barriers) {
  const unsigned groups = 37;
  std::vector<uint32_t> in = numbers(groups * 256), out(groups);
  void* din = device_memory(in.size() * 4);
  void* dout = device_memory(out.size() * 4);
  OK(hipMemcpy(din, in.data(), in.size() * 4, kHostToDevice));
  OK(launch("block_sum", groups, 256, nullptr, din, dout));
  OK(hipMemcpy(out.data(), dout, out.size() * 4, kDeviceToHost));
  for (unsigned g = 0; g < groups; ++g)
    ASSERT_EQ(out[g], std::accumulate(in.begin() + g * 256, in.begin() + (g + 1) * 256, 0u)) << g;
  hipFree(din);
  hipFree(dout);
}

TEST_F(HipKernel, atomics_of_all_threads_count) {
  void* counter = device_memory(4);
  OK(hipMemset(counter, 0, 4));
  OK(launch("count", 300, 96, nullptr, counter));
  uint32_t value = 0;
  OK(hipMemcpy(&value, counter, 4, kDeviceToHost));
  EXPECT_EQ(value, 300u * 96u);
  hipFree(counter);
}

TEST_F(HipKernel, kernels_reach_pinned_registered_and_managed_memory) {
  void* pinned = nullptr;
  OK(hipHostMalloc(&pinned, 1 << 16, 0));
  OK(launch("write_index", 16, 64, nullptr, pinned, 7u));
  std::vector<uint32_t> own(4096);
  OK(hipHostRegister(own.data(), own.size() * 4, 0));
  void* view = nullptr;
  OK(hipHostGetDevicePointer(&view, own.data(), 0));
  OK(launch("write_index", 16, 64, nullptr, view, 9u));
  void* managed = nullptr;
  OK(hipMallocManaged(&managed, 1 << 16, 1));
  OK(launch("write_index", 16, 64, nullptr, managed, 11u));
  OK(hipDeviceSynchronize());
  for (uint32_t i = 0; i < 1024; ++i) {
    ASSERT_EQ(static_cast<uint32_t*>(pinned)[i], 7 + i);
    ASSERT_EQ(own[i], 9 + i);
    ASSERT_EQ(static_cast<uint32_t*>(managed)[i], 11 + i);
  }
  OK(hipHostUnregister(own.data()));
  hipHostFree(pinned);
  hipFree(managed);
}

// A spinning kernel on one stream must not keep another stream from running.
TEST_F(HipKernel, a_kernel_waits_for_a_kernel_of_another_stream) {
  void* flag = device_memory(4);
  void* out = device_memory(64 * 4);
  OK(hipMemset(flag, 0, 4));
  OK(hipDeviceSynchronize());
  Stream waiting = nullptr, setting = nullptr;
  OK(hipStreamCreateWithFlags(&waiting, 1));
  OK(hipStreamCreateWithFlags(&setting, 1));
  OK(launch("wait_for_flag", 1, 64, waiting, flag, out));
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(hipStreamQuery(waiting), 600); // hipErrorNotReady
  OK(launch("set_flag", 1, 1, setting, flag));
  OK(hipStreamSynchronize(waiting));
  hipStreamDestroy(waiting);
  hipStreamDestroy(setting);
  hipFree(flag);
  hipFree(out);
}

TEST_F(HipKernel, a_kernel_waits_for_the_host) {
  void* flag = nullptr;
  OK(hipHostMalloc(&flag, 4, 0));
  *static_cast<uint32_t*>(flag) = 0;
  void* out = device_memory(64 * 4);
  OK(launch("wait_for_flag", 1, 64, nullptr, flag, out));
  std::this_thread::sleep_for(20ms);
  std::atomic_ref(*static_cast<uint32_t*>(flag)).store(1);
  OK(hipDeviceSynchronize());
  hipHostFree(flag);
  hipFree(out);
}

TEST_F(HipKernel, many_streams_at_once) {
  constexpr int kStreams = 32;
  Stream streams[kStreams] = {};
  void* out = device_memory(kStreams * 1024 * 4);
  for (Stream& stream : streams)
    OK(hipStreamCreateWithFlags(&stream, 1));
  for (int i = 0; i < kStreams; ++i)
    OK(launch("write_index", 16, 64, streams[i], static_cast<uint32_t*>(out) + i * 1024,
              static_cast<uint32_t>(i)));
  for (const Stream stream : streams)
    OK(hipStreamSynchronize(stream));
  std::vector<uint32_t> back(kStreams * 1024);
  OK(hipMemcpy(back.data(), out, back.size() * 4, kDeviceToHost));
  for (uint32_t i = 0; i < back.size(); ++i)
    ASSERT_EQ(back[i], i / 1024 + i % 1024) << i;
  for (const Stream stream : streams)
    OK(hipStreamDestroy(stream));
  hipFree(out);
}

TEST_F(HipKernel, work_groups_wait_for_one_another) {
  int blocks = 0;
  const Function kernel = function("grid_barrier");
  OK(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 64, 0));
  EXPECT_GT(blocks, 0);
  unsigned groups = 4;
  void* counter = device_memory(4);
  void* out = device_memory(groups * 4);
  OK(hipMemset(counter, 0, 4));
  void* parameters[] = {&counter, &out, &groups};
  OK(hipModuleLaunchKernel(kernel, groups, 1, 1, 64, 1, 1, 0, nullptr, parameters, nullptr));
  std::vector<uint32_t> back(groups);
  OK(hipMemcpy(back.data(), out, groups * 4, kDeviceToHost));
  for (const uint32_t seen : back)
    EXPECT_EQ(seen, groups);
  hipFree(counter);
  hipFree(out);
}

TEST_F(HipKernel, stream_wait_and_write_values) {
  void* flag = nullptr;
  OK(hipHostMalloc(&flag, 64, 0));
  uint32_t* word = static_cast<uint32_t*>(flag);
  word[0] = word[1] = 0;
  Stream stream = nullptr;
  OK(hipStreamCreateWithFlags(&stream, 1));
  OK(hipStreamWriteValue32(stream, word + 1, 77, 0));
  OK(hipStreamSynchronize(stream));
  EXPECT_EQ(word[1], 77u);
  constexpr unsigned kAtLeast = 0;
  OK(hipStreamWaitValue32(stream, word, 5, kAtLeast, 0xffffffff));
  OK(hipStreamWriteValue32(stream, word + 1, 78, 0));
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(std::atomic_ref(word[1]).load(), 77u);
  std::atomic_ref(word[0]).store(5);
  OK(hipStreamSynchronize(stream));
  EXPECT_EQ(word[1], 78u);
  hipStreamDestroy(stream);
  hipHostFree(flag);
}

// Of copies: hipModuleLaunchKernel is not captured by HIP 5.2, which runs it at once.
TEST_F(Hip, graphs) {
  Stream stream = nullptr;
  OK(hipStreamCreateWithFlags(&stream, 1));
  std::vector<uint32_t> in = numbers(1000), out(1000);
  void* memory = device_memory(4000);
  Graph graph = nullptr;
  GraphExec run = nullptr;
  OK(hipStreamBeginCapture(stream, kCaptureGlobal));
  OK(hipMemcpyAsync(memory, in.data(), 4000, kHostToDevice, stream));
  OK(hipMemcpyAsync(out.data(), memory, 4000, kDeviceToHost, stream));
  OK(hipStreamEndCapture(stream, &graph));
  OK(hipGraphInstantiate(&run, graph, nullptr, nullptr, 0));
  for (uint32_t i = 0; i < 3; ++i) {
    in[17] = i;
    OK(hipGraphLaunch(run, stream));
    OK(hipStreamSynchronize(stream));
    ASSERT_EQ(in, out) << i;
  }
  hipGraphExecDestroy(run);
  hipGraphDestroy(graph);
  hipStreamDestroy(stream);
  hipFree(memory);
}

TEST_F(HipKernel, a_thousand_launches_and_as_many_loads) {
  void* counter = device_memory(4);
  OK(hipMemset(counter, 0, 4));
  for (int i = 0; i < 1000; ++i)
    OK(launch("count", 1, 1, nullptr, counter));
  for (int i = 0; i < 20; ++i) {
    Module again = nullptr;
    Function kernel = nullptr;
    OK(hipModuleLoadData(&again, code_object().data()));
    OK(hipModuleGetFunction(&kernel, again, "count"));
    void* parameters[] = {&counter};
    OK(hipModuleLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
    OK(hipDeviceSynchronize());
    OK(hipModuleUnload(again));
  }
  uint32_t value = 0;
  OK(hipMemcpy(&value, counter, 4, kDeviceToHost));
  EXPECT_EQ(value, 1020u);
  hipFree(counter);
}

// Threads of an application, each with its own stream and memory, allocating, copying, launching and freeing at once.
TEST_F(HipKernel, threads_work_side_by_side) {
  constexpr int kThreads = 6, kRounds = 30;
  const Function kernel = function("write_index");
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      Stream stream = nullptr;
      if (hipStreamCreateWithFlags(&stream, 1) != 0) ++wrong;
      for (int round = 0; round < kRounds; ++round) {
        const unsigned groups = 1 + static_cast<unsigned>(t * 7 + round) % 40;
        const size_t count = groups * 64;
        void* memory = device_memory(count * 4);
        uint32_t base = static_cast<uint32_t>(t * 1000 + round);
        void* parameters[] = {&memory, &base};
        std::vector<uint32_t> back(count);
        if (hipModuleLaunchKernel(kernel, groups, 1, 1, 64, 1, 1, 0, stream, parameters, nullptr) != 0) ++wrong;
        if (hipMemcpyAsync(back.data(), memory, count * 4, kDeviceToHost, stream) != 0) ++wrong;
        if (hipStreamSynchronize(stream) != 0) ++wrong;
        for (uint32_t i = 0; i < count; ++i)
          if (back[i] != base + i) {
            ++wrong;
            break;
          }
        if (hipFree(memory) != 0) ++wrong;
      }
      hipStreamDestroy(stream);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

} // namespace
