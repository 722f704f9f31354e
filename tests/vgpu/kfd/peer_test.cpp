// SPDX-License-Identifier: MIT
// Several virtual GPUs in one process, of different wave sizes and of the same.
#include <atomic>
#include <chrono>
#include <cstring>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <thread>

#include "hip.h"

using namespace hip;
using namespace std::chrono_literals;

#define OK(call) ASSERT_EQ(call, 0) << #call

namespace {

constexpr int kPageFault = 700; // CUDA's number

// A test has the devices of its name: ctest gives each a process of its own.
class Devices : public testing::Test {
protected:
  explicit Devices(const char* names) : names_(names) {}
  void SetUp() override {
    const std::string& problem = load(PTXSHIM_VGPU_QUIET, names_);
    if (problem.starts_with("absent")) GTEST_SKIP() << "no HIP runtime: " << problem;
    ASSERT_EQ(problem, "");
    int count = 0;
    OK(hipGetDeviceCount(&count));
    for (int i = 0; i < count; ++i) {
      OK(hipSetDevice(i));
      Module module = nullptr;
      OK(hipModuleLoadData(&module, code_object(name_of(i)).data()));
      modules_.push_back(module);
    }
    OK(hipSetDevice(0));
  }
  std::string name_of(int device) const {
    std::string rest = names_;
    for (; device > 0; --device)
      rest = rest.substr(rest.find(',') + 1);
    return rest.substr(0, rest.find(','));
  }
  static void* memory_on(int device, size_t size) {
    void* memory = nullptr;
    EXPECT_EQ(hipSetDevice(device), 0);
    EXPECT_EQ(hipMalloc(&memory, size), 0);
    return memory;
  }
  template <class... Arguments>
  int launch(int device, const char* name, unsigned groups, unsigned size, Stream stream, Arguments... arguments) {
    Function kernel = nullptr;
    if (const int error = hipSetDevice(device)) return error;
    if (const int error = hipModuleGetFunction(&kernel, modules_[static_cast<size_t>(device)], name)) return error;
    void* parameters[] = {&arguments..., nullptr};
    return hipModuleLaunchKernel(kernel, groups, 1, 1, size, 1, 1, 0, stream, parameters, nullptr);
  }
  const char* const names_;
  std::vector<Module> modules_;
};

class TwoDevices : public Devices {
protected:
  TwoDevices() : Devices("gfx1030,gfx90a") {}
};
class EightDevices : public Devices {
protected:
  EightDevices() : Devices("gfx1030,gfx90a,gfx1030,gfx1030,gfx906,gfx90a,gfx90a,gfx1031") {}
};

TEST_F(TwoDevices, each_says_what_it_is) {
  ASSERT_EQ(modules_.size(), 2u);
  constexpr int kWarpSize = 87; // hipDeviceAttributeWarpSize
  constexpr int kPciBus = 67;   // hipDeviceAttributePciBusId
  for (int i = 0; i < 2; ++i) {
    char name[256] = "";
    OK(hipDeviceGetName(name, sizeof name, i));
    EXPECT_NE(std::string(name).find(name_of(i)), std::string::npos) << name;
    int warp = 0, bus = 0;
    OK(hipDeviceGetAttribute(&warp, kWarpSize, i));
    EXPECT_EQ(warp, i == 0 ? 32 : 64);
    OK(hipDeviceGetAttribute(&bus, kPciBus, i));
    EXPECT_EQ(bus, i + 1);
    size_t total = 0;
    OK(hipDeviceTotalMem(&total, i));
    EXPECT_EQ(total, size_t{4} << 30);
  }
}

TEST_F(TwoDevices, memory_of_one_is_not_taken_from_the_other) {
  const size_t size = size_t{3} << 30;
  void* first = memory_on(0, size);
  void* second = memory_on(1, size);
  EXPECT_NE(first, second);
  void* more = nullptr;
  EXPECT_NE(hipMalloc(&more, size), 0);
  size_t free_bytes[2] = {}, total = 0;
  for (int i = 0; i < 2; ++i) {
    OK(hipSetDevice(i));
    OK(hipMemGetInfo(&free_bytes[i], &total));
    EXPECT_LE(free_bytes[i], total - size);
  }
  OK(hipFree(first));
  OK(hipSetDevice(0));
  size_t now = 0;
  OK(hipMemGetInfo(&now, &total));
  EXPECT_EQ(now, free_bytes[0] + size);
  OK(hipSetDevice(1));
  OK(hipMemGetInfo(&now, &total));
  EXPECT_EQ(now, free_bytes[1]);
  OK(hipFree(second));
}

TEST_F(TwoDevices, peer_copies_both_ways) {
  const unsigned groups = 1024;
  const size_t bytes = groups * 64 * 4;
  void* first = memory_on(0, bytes);
  void* second = memory_on(1, bytes);
  std::vector<uint32_t> back(groups * 64);
  OK(launch(0, "write_index", groups, 64, nullptr, first, 5u));
  OK(hipDeviceSynchronize());
  OK(hipMemcpyPeer(second, 1, first, 0, bytes));
  OK(hipMemcpy(back.data(), second, bytes, kDeviceToHost));
  for (uint32_t i = 0; i < back.size(); ++i)
    ASSERT_EQ(back[i], 5 + i);
  Stream stream = nullptr;
  OK(hipSetDevice(1));
  OK(hipStreamCreateWithFlags(&stream, 1));
  OK(launch(1, "write_index", groups, 64, stream, second, 77u));
  OK(hipMemcpyPeerAsync(first, 0, second, 1, bytes, stream));
  OK(hipMemcpyAsync(back.data(), first, bytes, kDeviceToHost, stream));
  OK(hipStreamSynchronize(stream));
  for (uint32_t i = 0; i < back.size(); ++i)
    ASSERT_EQ(back[i], 77 + i);
  OK(hipStreamDestroy(stream));
  OK(hipFree(first));
  OK(hipFree(second));
}

TEST_F(TwoDevices, a_kernel_reads_and_writes_the_others_memory_with_peer_access) {
  void* first = memory_on(0, 4096);
  void* second = memory_on(1, 4096);
  for (int i = 0; i < 2; ++i) {
    int can = 0;
    OK(hipDeviceCanAccessPeer(&can, i, 1 - i));
    ASSERT_EQ(can, 1);
    OK(hipSetDevice(i));
    OK(hipDeviceEnablePeerAccess(1 - i, 0));
    EXPECT_NE(hipDeviceEnablePeerAccess(1 - i, 0), 0) << "enabled twice";
  }
  void* after = memory_on(0, 4096); // after it was enabled
  uint32_t values[16] = {}, seen[16] = {};
  for (uint32_t i = 0; i < 16; ++i)
    values[i] = i * i;
  OK(hipMemcpy(first, values, sizeof values, kHostToDevice));
  OK(launch(1, "block_copy", 1, 16, nullptr, first, second));
  OK(hipDeviceSynchronize());
  OK(hipMemcpy(seen, second, sizeof seen, kDeviceToHost));
  EXPECT_EQ(std::memcmp(values, seen, sizeof seen), 0);
  OK(launch(1, "block_copy", 1, 16, nullptr, second, after));
  OK(hipDeviceSynchronize());
  std::memset(seen, 0, sizeof seen);
  OK(hipMemcpy(seen, after, sizeof seen, kDeviceToHost));
  EXPECT_EQ(std::memcmp(values, seen, sizeof seen), 0);
  EXPECT_EQ(last_fault_of(0, nullptr), 0);
  EXPECT_EQ(last_fault_of(1, nullptr), 0);
  for (void* memory : {first, second, after})
    OK(hipFree(memory));
}

TEST_F(TwoDevices, without_peer_access_it_is_a_page_fault_of_the_one_that_reads) {
  void* first = memory_on(0, 4096);
  void* second = memory_on(1, 4096);
  OK(launch(1, "block_copy", 1, 16, nullptr, first, second));
  OK(hipDeviceSynchronize());
  EXPECT_EQ(last_fault_of(0, nullptr), 0);
  EXPECT_EQ(last_fault_of(1, nullptr), kPageFault);
  // The other one works on.
  uint32_t value = 0;
  OK(launch(0, "set_flag", 1, 1, nullptr, first));
  OK(hipMemcpy(&value, first, 4, kDeviceToHost));
  EXPECT_EQ(value, 1u);
  clear_fault_of(1);
  OK(launch(1, "set_flag", 1, 1, nullptr, second));
  OK(hipMemcpy(&value, second, 4, kDeviceToHost));
  EXPECT_EQ(value, 1u);
  EXPECT_EQ(last_fault_of(1, nullptr), 0);
}

TEST_F(TwoDevices, pinned_registered_and_managed_memory_is_both_devices) {
  void* shared[3] = {};
  std::vector<uint32_t> own(2048);
  OK(hipHostMalloc(&shared[0], 8192, 0));
  OK(hipMallocManaged(&shared[1], 8192, 1));
  OK(hipHostRegister(own.data(), own.size() * 4, 0));
  OK(hipHostGetDevicePointer(&shared[2], own.data(), 0));
  const uint32_t* const host[3] = {static_cast<uint32_t*>(shared[0]), static_cast<uint32_t*>(shared[1]), own.data()};
  for (void* memory : shared) {
    OK(launch(0, "write_index", 16, 64, nullptr, memory, 100u));
    OK(hipDeviceSynchronize());
    OK(launch(1, "block_copy", 16, 64, nullptr, memory, static_cast<void*>(static_cast<char*>(memory) + 4096)));
    OK(hipDeviceSynchronize());
  }
  for (const uint32_t* words : host)
    for (uint32_t i = 0; i < 1024; ++i)
      ASSERT_EQ(words[1024 + i], 100 + i);
  EXPECT_EQ(last_fault_of(0, nullptr), 0);
  EXPECT_EQ(last_fault_of(1, nullptr), 0);
  OK(hipHostUnregister(own.data()));
  hipHostFree(shared[0]);
  hipFree(shared[1]);
}

TEST_F(TwoDevices, events_order_streams_of_different_devices) {
  void* pinned = nullptr;
  OK(hipHostMalloc(&pinned, 8192, 0));
  uint32_t* words = static_cast<uint32_t*>(pinned);
  Stream streams[2] = {};
  Event done = nullptr;
  for (int i = 0; i < 2; ++i) {
    OK(hipSetDevice(i));
    OK(hipStreamCreateWithFlags(&streams[i], 1));
  }
  OK(hipSetDevice(0));
  OK(hipEventCreateWithFlags(&done, 0));
  for (uint32_t round = 0; round < 10; ++round) {
    words[0] = 0; // the flag
    OK(launch(0, "wait_for_flag", 1, 64, streams[0], pinned, static_cast<void*>(words + 64)));
    OK(launch(0, "write_index", 1, 64, streams[0], static_cast<void*>(words + 128), round));
    OK(hipEventRecord(done, streams[0]));
    OK(hipSetDevice(1));
    OK(hipStreamWaitEvent(streams[1], done, 0));
    OK(launch(1, "block_copy", 1, 64, streams[1], static_cast<void*>(words + 128), static_cast<void*>(words + 256)));
    std::this_thread::sleep_for(5ms);
    EXPECT_EQ(hipStreamQuery(streams[1]), 600); // not ready
    std::atomic_ref(words[0]).store(1);
    OK(hipStreamSynchronize(streams[1]));
    for (uint32_t i = 0; i < 64; ++i)
      ASSERT_EQ(words[256 + i], round + i) << round;
  }
  hipEventDestroy(done);
  for (const Stream stream : streams)
    hipStreamDestroy(stream);
  hipHostFree(pinned);
}

TEST_F(TwoDevices, a_kernel_waits_for_one_of_the_other_device) {
  void* pinned = nullptr;
  OK(hipHostMalloc(&pinned, 8192, 0));
  uint32_t* words = static_cast<uint32_t*>(pinned);
  words[0] = 0;
  OK(launch(0, "wait_for_flag", 4, 64, nullptr, pinned, static_cast<void*>(words + 64)));
  OK(launch(1, "set_flag", 1, 1, nullptr, pinned));
  OK(hipDeviceSynchronize());
  OK(hipSetDevice(0));
  OK(hipDeviceSynchronize());
  EXPECT_EQ(words[64 + 255], 1u);
  hipHostFree(pinned);
}

TEST_F(TwoDevices, threads_with_a_device_each) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const int device = t % 2;
      void* memory = memory_on(device, 64 * 64 * 4);
      std::vector<uint32_t> back(64 * 64);
      for (uint32_t round = 0; round < 20; ++round) {
        if (launch(device, "write_index", 64, 64, nullptr, memory, round) != 0) ++wrong;
        if (hipMemcpy(back.data(), memory, back.size() * 4, kDeviceToHost) != 0) ++wrong;
        for (uint32_t i = 0; i < back.size(); ++i)
          if (back[i] != round + i) {
            ++wrong;
            break;
          }
      }
      if (hipFree(memory) != 0) ++wrong;
    });
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

// A ring: each device adds to what its neighbour has.
TEST_F(EightDevices, pass_data_around) {
  ASSERT_EQ(modules_.size(), 8u);
  std::vector<void*> memory;
  for (int i = 0; i < 8; ++i)
    memory.push_back(memory_on(i, 4096));
  for (int i = 0; i < 8; ++i) {
    OK(hipSetDevice(i));
    OK(hipDeviceEnablePeerAccess((i + 7) % 8, 0));
  }
  OK(launch(0, "write_index", 4, 64, nullptr, memory[0], 1000u));
  OK(hipDeviceSynchronize());
  for (size_t i = 1; i < 8; ++i) {
    OK(launch(static_cast<int>(i), "block_copy", 4, 64, nullptr, memory[i - 1], memory[i]));
    OK(hipDeviceSynchronize());
    EXPECT_EQ(last_fault_of(static_cast<uint32_t>(i), nullptr), 0);
  }
  std::vector<uint32_t> back(256);
  OK(hipMemcpy(back.data(), memory[7], 1024, kDeviceToHost));
  for (uint32_t i = 0; i < 256; ++i)
    EXPECT_EQ(back[i], 1000 + i);
}

// --- refusals

std::string refusal_of(const char* names) {
  static void* const kLibrary = dlopen(PTXSHIM_VGPU_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  const auto activate = reinterpret_cast<ptxshim_vgpu_activate_t>(dlsym(kLibrary, "ptxshim_vgpu_activate"));
  char why[256] = "";
  ptxshim_vgpu_options options{};
  options.size = sizeof options;
  options.flags = PTXSHIM_VGPU_QUIET;
  options.gfx = names;
  options.why = why;
  options.why_bytes = sizeof why;
  EXPECT_NE(activate(&options), 0) << names;
  return why;
}

TEST(Options, say_which_name_is_wrong) {
  EXPECT_NE(refusal_of("gfx1030,gfx9999").find("'gfx9999' in PTXSHIM_VIRTUAL_GPU is no architecture"), std::string::npos);
  EXPECT_NE(refusal_of("gfx1030 ").find("'gfx1030 '"), std::string::npos);
  for (const char* names : {"", ",", "gfx1030,", ",gfx1030", "gfx1030,,gfx90a"})
    EXPECT_NE(refusal_of(names).find("an empty name"), std::string::npos) << names;
  const char* nine = "gfx1030,gfx1030,gfx1030,gfx1030,gfx1030,gfx1030,gfx1030,gfx1030,gfx1030";
  EXPECT_NE(refusal_of(nine).find("more than 8 devices"), std::string::npos);
}

TEST(Options, need_a_rocm_runtime_in_the_process) {
  for (int i = 0; i < 2; ++i)
    EXPECT_NE(refusal_of("gfx1030").find("no ROCm runtime is loaded"), std::string::npos);
}

} // namespace
