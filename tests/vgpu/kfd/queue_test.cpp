// SPDX-License-Identifier: MIT
// Both kinds of queue without a runtime above them, with an executor that records what it is asked to do.
#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <mutex>
#include <thread>
#include <vector>

#include "hsa_layout.h"
#include "machine.h"

namespace ptxshim::vgpu {
namespace {

using namespace std::chrono_literals;

template <class Condition> bool eventually(Condition condition) {
  for (int i = 0; i < 5000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(1ms);
  }
  return false;
}

class RecordingExecutor final : public Executor {
public:
  DispatchOutcome execute(const DispatchPacket& packet) override {
    {
      std::lock_guard lock(mutex);
      last = packet;
    }
    ++executed;
    return body ? body(packet) : DispatchOutcome{};
  }
  void invalidate_code() override { ++invalidated; }
  void interrupt() override { interrupted = true; }
  void after_fork_in_child() override {}

  std::function<DispatchOutcome(const DispatchPacket&)> body;
  std::mutex mutex; // of last, while it may be written
  DispatchPacket last{};
  std::atomic<int> executed{0}, invalidated{0};
  std::atomic<bool> interrupted{false};
};

RecordingExecutor* recorder = nullptr;
std::unique_ptr<Executor> make_recorder(const DeviceProperties&, const MemoryMap&) {
  auto made = std::make_unique<RecordingExecutor>();
  recorder = made.get();
  return made;
}

// A device with one megabyte at GPU address 1 GiB, carved by hand.
class QueueTest : public testing::Test {
protected:
  static constexpr uint64_t kBase = 1 << 30, kRing = kBase, kQueue = kBase + 0x10000,
                            kSignals = kBase + 0x20000, kData = kBase + 0x40000;
  static constexpr uint64_t kSlots = 64;

  void SetUp() override { make({}); }
  void make(Device::Settings settings) {
    settings.gfx = find_gfx("gfx1030");
    settings.vram_bytes = 64 << 20;
    machine = new Machine; // As in the library, it lives for ever: its monitor thread does.
    ASSERT_EQ(machine->open({&settings, 1}, 64 << 20, make_recorder), 0);
    device = machine->devices()[0].get();
    memory = machine->backing().host(*machine->backing().allocate(Backing::vram_of(0), 1 << 20));
    ASSERT_TRUE(device->map().insert({kBase, 1 << 20, memory, true}));
    for (uint64_t i = 0; i < kSlots; ++i)
      slot(i)->header = 1;
  }
  void TearDown() override { machine->release_memory(*device, kBase, 1 << 20); }

  template <class T> T* at(uint64_t gpu) { return reinterpret_cast<T*>(memory + (gpu - kBase)); }
  AqlPacket* slot(uint64_t i) { return at<AqlPacket>(kRing) + i % kSlots; }
  AmdSignal* signal(uint64_t i) { return at<AmdSignal>(kSignals) + i; }
  uint64_t handle(uint64_t i) { return kSignals + i * sizeof(AmdSignal); }
  uint64_t& write_index() { return *at<uint64_t>(kQueue + kQueueWriteIndexOffset); }
  uint64_t read_index() { return std::atomic_ref(*at<uint64_t>(kQueue + 128)).load(); }

  uint32_t create(Machine::QueueKind kind = Machine::QueueKind::Compute) {
    QueueParameters parameters;
    parameters.ring_address = kRing;
    parameters.ring_bytes = kSlots * 64;
    parameters.write_pointer_address = kQueue + kQueueWriteIndexOffset;
    parameters.read_pointer_address = kQueue + 128;
    return machine->create_queue(*device, kind, parameters).value_or(0);
  }
  void submit(AqlPacket packet, uint8_t type) {
    const uint64_t index = write_index();
    AqlPacket* to = slot(index);
    packet.header = 1;
    std::memcpy(to, &packet, sizeof packet);
    std::atomic_ref(write_index()).store(index + 1);
    std::atomic_ref(to->header).store(type, std::memory_order_release);
    machine->kick_queues();
  }
  bool retired(uint64_t count) {
    return eventually([&] { return read_index() == count; });
  }
  int64_t value(uint64_t i) { return std::atomic_ref(signal(i)->value).load(); }

  AqlPacket a_dispatch() {
    AqlPacket packet{};
    packet.setup = 2;
    packet.dispatch.workgroup_size[0] = 64;
    packet.dispatch.workgroup_size[1] = 2;
    packet.dispatch.grid_size[0] = 128;
    packet.dispatch.grid_size[1] = 4;
    packet.dispatch.kernel_object = 0x1234000;
    packet.dispatch.kernarg_address = kData;
    packet.completion_signal = handle(0);
    return packet;
  }

  Machine* machine = nullptr;
  Device* device = nullptr;
  std::byte* memory = nullptr;
};

TEST_F(QueueTest, a_dispatch_reaches_the_executor_and_completes_its_signal) {
  signal(0)->value = 1;
  const uint32_t id = create();
  ASSERT_NE(id, 0u);
  submit(a_dispatch(), 2);
  ASSERT_TRUE(retired(1));
  EXPECT_EQ(recorder->last.workgroup_size[1], 2);
  EXPECT_EQ(recorder->last.workgroup_size[2], 1); // beyond the dimensions
  EXPECT_EQ(recorder->last.grid_size[2], 1u);
  EXPECT_EQ(recorder->last.kernel_object, 0x1234000u);
  EXPECT_EQ(recorder->last.packet_address, kRing);
  EXPECT_EQ(recorder->last.queue_address, kQueue);
  EXPECT_EQ(value(0), 0);
  EXPECT_GE(signal(0)->end_ts, signal(0)->start_ts);
  EXPECT_NE(signal(0)->start_ts, 0u);
  EXPECT_EQ(slot(0)->header, 1);
  EXPECT_TRUE(machine->destroy_queue(id));
  EXPECT_FALSE(machine->destroy_queue(id));
}

TEST_F(QueueTest, completion_writes_the_mailbox_and_sets_the_event) {
  const uint32_t event = machine->events().create(0, true)->id;
  signal(0)->value = 1;
  signal(0)->event_mailbox = kData + 64;
  signal(0)->event_id = event;
  create();
  submit(a_dispatch(), 2);
  Events::Wanted wanted[] = {{event, 0, {}}};
  EXPECT_EQ(machine->events().wait(wanted, true, 5000), WaitResult::Complete);
  EXPECT_EQ(*at<uint64_t>(kData + 64), event);
}

TEST_F(QueueTest, the_ring_wraps) {
  signal(0)->value = 500;
  create();
  for (uint64_t i = 0; i < 500; ++i) {
    ASSERT_TRUE(eventually([&] { return i - read_index() < kSlots; }));
    submit(a_dispatch(), 2);
  }
  ASSERT_TRUE(retired(500));
  EXPECT_EQ(value(0), 0);
  EXPECT_EQ(recorder->executed, 500);
}

TEST_F(QueueTest, submissions_are_noticed_without_a_kick) {
  signal(0)->value = 1;
  create();
  std::this_thread::sleep_for(50ms); // the worker sleeps
  const AqlPacket packet = a_dispatch();
  std::memcpy(slot(0), &packet, sizeof packet);
  std::atomic_ref(write_index()).store(1);
  std::atomic_ref(slot(0)->header).store(uint16_t{2}, std::memory_order_release);
  EXPECT_TRUE(retired(1));
}

TEST_F(QueueTest, barrier_and_waits_for_all_barrier_or_for_one) {
  for (int i = 1; i < 5; ++i)
    signal(static_cast<uint64_t>(i))->value = 1;
  signal(0)->value = 2;
  create();
  AqlPacket packet{};
  packet.barrier.signals[0] = handle(1);
  packet.barrier.signals[3] = handle(2);
  packet.completion_signal = handle(0);
  submit(packet, 3);
  std::this_thread::sleep_for(10ms);
  EXPECT_EQ(read_index(), 0u);
  std::atomic_ref(signal(1)->value).store(0);
  std::this_thread::sleep_for(10ms);
  EXPECT_EQ(read_index(), 0u);
  std::atomic_ref(signal(2)->value).store(0);
  ASSERT_TRUE(retired(1));
  packet.barrier.signals[0] = handle(3);
  packet.barrier.signals[3] = handle(4);
  submit(packet, 5);
  std::this_thread::sleep_for(10ms);
  EXPECT_EQ(read_index(), 1u);
  std::atomic_ref(signal(4)->value).store(0);
  ASSERT_TRUE(retired(2));
  EXPECT_EQ(value(0), 0);
}

TEST_F(QueueTest, barrier_value_compares_under_its_mask) {
  signal(1)->value = 0x7;
  create();
  AqlPacket packet{};
  packet.setup = kAmdFormatBarrierValue;
  packet.barrier_value.signal = handle(1);
  packet.barrier_value.value = 0x10;
  packet.barrier_value.mask = 0xf0;
  packet.barrier_value.condition = 0; // equal
  submit(packet, 0);
  std::this_thread::sleep_for(10ms);
  EXPECT_EQ(read_index(), 0u);
  std::atomic_ref(signal(1)->value).store(0x1f);
  EXPECT_TRUE(retired(1));
}

TEST_F(QueueTest, acquire_mem_drops_decoded_code) {
  create();
  uint32_t* commands = at<uint32_t>(kData);
  commands[0] = 3u << 30 | 5u << 16 | 0x58u << 8; // ACQUIRE_MEM, 6 dwords follow
  AqlPacket packet{};
  packet.setup = kAmdFormatPm4;
  packet.pm4.jump[0] = 3u << 30 | 2u << 16 | 0x3fu << 8;
  packet.pm4.jump[1] = static_cast<uint32_t>(kData);
  packet.pm4.jump[2] = static_cast<uint32_t>(kData >> 32);
  packet.pm4.jump[3] = 7;
  submit(packet, 0);
  ASSERT_TRUE(retired(1));
  EXPECT_EQ(recorder->invalidated, 1);
  EXPECT_FALSE(device->faulted());
}

TEST_F(QueueTest, a_fault_completes_its_dispatch_and_skips_the_next_until_cleared) {
  recorder->body = [](const DispatchPacket&) {
    return DispatchOutcome{Fault::PageFault, 0xbad000, "kernel k: bad"};
  };
  signal(0)->value = 3;
  create();
  submit(a_dispatch(), 2);
  submit(a_dispatch(), 2);
  ASSERT_TRUE(retired(2));
  EXPECT_EQ(value(0), 1);
  EXPECT_EQ(recorder->executed, 1);
  EXPECT_TRUE(device->faulted());
  EXPECT_EQ(device->fault().outcome.address, 0xbad000u);
  recorder->body = nullptr;
  device->clear_fault();
  submit(a_dispatch(), 2);
  ASSERT_TRUE(retired(3));
  EXPECT_EQ(recorder->executed, 2);
}

TEST_F(QueueTest, nonsense_is_a_fault_not_a_crash) {
  create();
  AqlPacket packet = a_dispatch();
  packet.setup = 0;
  packet.completion_signal = 0;
  submit(packet, 2); // no dimensions
  ASSERT_TRUE(retired(1));
  EXPECT_TRUE(device->faulted());
  device->clear_fault();
  packet = a_dispatch();
  packet.completion_signal = 0x77777000; // not mapped
  submit(packet, 2);
  ASSERT_TRUE(retired(2));
  EXPECT_EQ(device->fault().outcome.fault, Fault::PageFault);
  device->clear_fault();
  packet = {};
  packet.setup = kAmdFormatPm4;
  packet.pm4.jump[1] = 0x10;
  packet.pm4.jump[3] = 0xfffff;
  submit(packet, 0);
  submit({}, 4);
  submit({}, 200);
  ASSERT_TRUE(retired(5));
  EXPECT_TRUE(device->faulted());
}

TEST_F(QueueTest, queues_whose_memory_is_not_there_are_refused) {
  QueueParameters parameters;
  parameters.ring_address = 0x5000000000;
  parameters.ring_bytes = 4096;
  parameters.write_pointer_address = kQueue + 56;
  parameters.read_pointer_address = kQueue + 128;
  EXPECT_FALSE(machine->create_queue(*device, Machine::QueueKind::Compute, parameters));
  parameters.ring_address = kRing;
  parameters.ring_bytes = 4096 + 64;
  EXPECT_FALSE(machine->create_queue(*device, Machine::QueueKind::Compute, parameters));
  parameters.ring_bytes = 2 << 20;
  EXPECT_FALSE(machine->create_queue(*device, Machine::QueueKind::Copy, parameters));
}

TEST_F(QueueTest, destruction_interrupts_a_kernel_that_does_not_end) {
  recorder->body = [](const DispatchPacket&) {
    while (!recorder->last.stop->load())
      std::this_thread::sleep_for(1ms);
    return DispatchOutcome{Fault::Interrupted, 0, ""};
  };
  const uint32_t id = create();
  submit(a_dispatch(), 2);
  ASSERT_TRUE(eventually([&] { return recorder->executed == 1; }));
  EXPECT_TRUE(machine->destroy_queue(id));
  EXPECT_FALSE(device->faulted());
}

// As preemption does: the waves of the queue go, those of others stay.
TEST_F(QueueTest, destruction_leaves_the_kernels_of_other_queues_alone) {
  static std::atomic<bool> let_go;
  static std::atomic<int> ended;
  let_go = false;
  ended = 0;
  recorder->body = [](const DispatchPacket& packet) {
    while (!let_go && !packet.stop->load())
      std::this_thread::sleep_for(1ms);
    if (packet.stop->load()) return DispatchOutcome{Fault::Interrupted, 0, ""};
    ++ended;
    return DispatchOutcome{};
  };
  signal(0)->value = 1;
  const uint32_t first = create();
  submit(a_dispatch(), 2);
  QueueParameters parameters; // another ring, behind the first one's
  parameters.ring_address = kData + 0x10000;
  parameters.ring_bytes = kSlots * 64;
  parameters.write_pointer_address = kData + 0x20000 + kQueueWriteIndexOffset;
  parameters.read_pointer_address = kData + 0x20000 + 128;
  AqlPacket other = a_dispatch();
  other.header = 2;
  other.completion_signal = handle(1);
  signal(1)->value = 1;
  std::memcpy(at<void>(kData + 0x10000), &other, sizeof other);
  *at<uint64_t>(kData + 0x20000 + kQueueWriteIndexOffset) = 1;
  ASSERT_TRUE(machine->create_queue(*device, Machine::QueueKind::Compute, parameters));
  ASSERT_TRUE(eventually([&] { return recorder->executed == 2; }));
  EXPECT_TRUE(machine->destroy_queue(first));
  EXPECT_EQ(value(0), 1) << "what was interrupted is not complete";
  EXPECT_EQ(ended, 0);
  let_go = true;
  EXPECT_TRUE(eventually([&] { return value(1) == 0; }));
  EXPECT_EQ(ended, 1);
}

// Five signals to a packet; more take more packets, one after the other.
TEST_F(QueueTest, barriers_in_a_row_wait_for_many_signals) {
  for (uint64_t i = 1; i <= 20; ++i)
    signal(i)->value = 1;
  signal(0)->value = 1;
  create();
  for (uint64_t packet_number = 0; packet_number < 4; ++packet_number) {
    AqlPacket packet{};
    for (uint64_t i = 0; i < 5; ++i)
      packet.barrier.signals[i] = handle(1 + packet_number * 5 + i);
    submit(packet, 3);
  }
  submit(a_dispatch(), 2);
  for (uint64_t i = 20; i >= 1; --i) { // the other way round: the first packet's come last
    EXPECT_EQ(recorder->executed, 0) << i;
    std::atomic_ref(signal(i)->value).store(0);
  }
  ASSERT_TRUE(retired(5));
  EXPECT_EQ(recorder->executed, 1);
  EXPECT_EQ(value(0), 0);
}

TEST_F(QueueTest, a_paused_queue_takes_nothing) {
  signal(0)->value = 1;
  const uint32_t id = create();
  ASSERT_TRUE(machine->pause_queue(id, true));
  submit(a_dispatch(), 2);
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(recorder->executed, 0);
  machine->pause_queue(id, false);
  EXPECT_TRUE(retired(1));
}

// Hardware behaviour: the error code goes to the queue's inactive signal and the queue stops.
TEST(RawExceptions, an_illegal_instruction_is_stored_to_the_inactive_signal) {
  struct Raw : QueueTest {
    void SetUp() override {
      Device::Settings settings;
      settings.raw_exceptions = true;
      make(settings);
    }
    void TestBody() override {
      recorder->body = [](const DispatchPacket&) {
        return DispatchOutcome{Fault::IllegalInstruction, 0, "kernel k: illegal"};
      };
      *at<uint64_t>(kQueue + kQueueInactiveSignalOffset) = handle(5);
      create();
      submit(a_dispatch(), 2);
      EXPECT_TRUE(eventually([&] { return value(5) == 0x40000000; }));
      EXPECT_EQ(read_index(), 0u);
    }
    using QueueTest::TearDown;
  } raw;
  raw.SetUp();
  raw.TestBody();
  raw.TearDown();
}

// --- the copy engine

class CopyQueueTest : public QueueTest {
protected:
  void SetUp() override {
    QueueTest::SetUp();
    std::memset(at<void*>(kRing), 0, kSlots * 64);
    ASSERT_NE(create(Machine::QueueKind::Copy), 0u);
  }
  void put(std::initializer_list<uint32_t> words) {
    for (const uint32_t word : words) {
      at<uint32_t>(kRing)[written_ / 4 % (kSlots * 16)] = word;
      written_ += 4;
    }
  }
  void ring() {
    std::atomic_ref(write_index()).store(written_, std::memory_order_release);
    machine->kick_queues();
  }
  bool done() { return retired(written_); }
  static uint32_t low(uint64_t v) { return static_cast<uint32_t>(v); }
  static uint32_t high(uint64_t v) { return static_cast<uint32_t>(v >> 32); }
  uint64_t written_ = 0;
};

TEST_F(CopyQueueTest, linear_copy_fence_trap_and_timestamp) {
  const uint32_t event = machine->events().create(0, true)->id;
  for (uint32_t i = 0; i < 1000; ++i)
    at<uint8_t>(kData)[i] = static_cast<uint8_t>(i * 7);
  put({13u | 2u << 8, low(kData + 0x3000), high(kData)});
  put({1, 999, 0, low(kData), high(kData), low(kData + 0x1003), high(kData)});
  put({5, low(kData + 0x2000), high(kData), 0x1234});
  put({6, event});
  ring();
  ASSERT_TRUE(done());
  EXPECT_EQ(std::memcmp(at<void>(kData), at<void>(kData + 0x1003), 1000), 0);
  EXPECT_EQ(at<uint8_t>(kData + 0x1003)[1000], 0);
  EXPECT_EQ(*at<uint32_t>(kData + 0x2000), 0x1234u);
  EXPECT_NE(*at<uint64_t>(kData + 0x3000), 0u);
  Events::Wanted wanted[] = {{event, 0, {}}};
  EXPECT_EQ(machine->events().wait(wanted, true, 5000), WaitResult::Complete);
}

TEST_F(CopyQueueTest, fill_counts_bytes_less_one) {
  put({11u | 2u << 30, low(kData), high(kData), 0xdeadbeef, 4 * 10 - 4});
  put({11u | 2u << 30, low(kData + 0x100), high(kData), 0x07070707, 4 * 10 - 1});
  ring();
  ASSERT_TRUE(done());
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(at<uint32_t>(kData)[i], 0xdeadbeefu);
  EXPECT_EQ(at<uint32_t>(kData)[10], 0u);
  EXPECT_EQ(at<uint32_t>(kData + 0x100)[9], 0x07070707u);
  EXPECT_EQ(at<uint32_t>(kData + 0x100)[10], 0u);
}

TEST_F(CopyQueueTest, atomic_add_and_poll) {
  *at<uint64_t>(kData) = 5;
  put({8u | 3u << 28 | 1u << 31, low(kData + 0x100), high(kData), 0x10, 0xff, 0});
  put({10u | 0x2fu << 25, low(kData), high(kData), 0xffffffff, 0xffffffff, 0, 0, 0});
  ring();
  std::this_thread::sleep_for(10ms);
  EXPECT_EQ(*at<uint64_t>(kData), 5u);
  std::atomic_ref(*at<uint32_t>(kData + 0x100)).store(0x110);
  ASSERT_TRUE(done());
  EXPECT_EQ(*at<uint64_t>(kData), 4u);
}

TEST_F(CopyQueueTest, rectangle) {
  // 3 x 2 elements of 4 bytes, from (1, 1) of a pitch of 8 elements to (0, 0) of a pitch of 5.
  for (uint32_t i = 0; i < 64; ++i)
    at<uint32_t>(kData)[i] = i;
  put({1u | 4u << 8 | 2u << 29, low(kData), high(kData), 1u | 1u << 16, 7u << 13, 63, low(kData + 0x1000),
       high(kData), 0, 4u << 13, 39, 2u | 1u << 16, 0});
  ring();
  ASSERT_TRUE(done());
  const uint32_t* out = at<uint32_t>(kData + 0x1000);
  const uint32_t expected[] = {9, 10, 11, 0, 0, 17, 18, 19, 0, 0};
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(out[i], expected[i]) << i;
}

TEST_F(CopyQueueTest, packets_wrap_around_the_ring) {
  for (int round = 0; round < 400; ++round) {
    put({5, low(kData + 0x2000), high(kData), static_cast<uint32_t>(round)});
    put({0});
    ring();
    ASSERT_TRUE(done());
    ASSERT_EQ(*at<uint32_t>(kData + 0x2000), static_cast<uint32_t>(round));
  }
}

TEST_F(CopyQueueTest, an_address_that_is_not_mapped_is_a_page_fault) {
  put({1, 99, 0, 0x1000, 0, low(kData), high(kData)});
  put({5, low(kData + 0x2000), high(kData), 7});
  ring();
  ASSERT_TRUE(done());
  EXPECT_EQ(device->fault().outcome.fault, Fault::PageFault);
  EXPECT_EQ(device->fault().outcome.address, 0x1000u);
  EXPECT_EQ(*at<uint32_t>(kData + 0x2000), 7u);
}

TEST_F(CopyQueueTest, an_unknown_packet_stops_the_queue_with_a_report) {
  put({99, 0, 0, 0});
  ring();
  EXPECT_TRUE(eventually([&] { return device->faulted(); }));
  EXPECT_EQ(read_index(), 0u);
}

} // namespace
} // namespace ptxshim::vgpu
