// SPDX-License-Identifier: MIT
// The packet processor. A packet counts as submitted when its header is valid (the producer stores that last,
// with release) and the write index is beyond it. Packets of one queue run in order and to completion, so the
// barrier bit needs nothing more.
//
// A fault of a kernel is recorded in the device, and its dispatch completes as if it had ended: the ROCm
// runtime, whose own answer to a fault is abort(), never hears of it, and the application gets its error from
// ptxshim_vgpu_last_fault. Until the fault is cleared, later dispatches complete without running, as in a
// CUDA context with a sticky error.
#include "aql_queue.h"

#include <atomic>
#include <cstring>

#include "clock.h"
#include "machine.h"
#include "pm4.h"
#include "ptxshim/log.h"

namespace ptxshim::vgpu {

namespace {

PacketType type_of(uint16_t header) { return static_cast<PacketType>(header & 0xff); }

bool compare(int64_t left, uint32_t condition, int64_t right) {
  switch (condition) { // hsa_signal_condition_t
  case 0:
    return left == right;
  case 1:
    return left != right;
  case 2:
    return left < right;
  default:
    return left >= right;
  }
}

QueueError error_of(Fault fault) {
  switch (fault) {
  case Fault::IllegalInstruction:
    return QueueError::IllegalInstruction;
  case Fault::Aperture:
  case Fault::Misaligned:
    return QueueError::Aperture;
  case Fault::BadCodeObject:
    return QueueError::BadCodeObject;
  case Fault::None:
  case Fault::PageFault:
  case Fault::Interrupted:
  case Fault::Trap:
    break;
  }
  return QueueError::Trap;
}

} // namespace

bool AqlQueue::attach() {
  slots_ = parameters_.ring_bytes / sizeof(AqlPacket);
  if (slots_ == 0 || (slots_ & (slots_ - 1)) || parameters_.ring_address % sizeof(AqlPacket)) return false;
  ring_ = device_.map().host(parameters_.ring_address, parameters_.ring_bytes, true);
  write_index_ = device_.map().object<uint64_t>(parameters_.write_pointer_address);
  read_index_ = device_.map().object<uint64_t>(parameters_.read_pointer_address);
  if (!ring_ || !write_index_ || !read_index_) return false;
  next_ = std::atomic_ref(*read_index_).load(std::memory_order_acquire);
  return true;
}

bool AqlQueue::has_work() const {
  if (std::atomic_ref(*write_index_).load(std::memory_order_acquire) <= next_) return false;
  uint16_t* header = reinterpret_cast<uint16_t*>(ring_ + (next_ & (slots_ - 1)) * sizeof(AqlPacket));
  return type_of(std::atomic_ref(*header).load(std::memory_order_acquire)) != PacketType::Invalid;
}

bool AqlQueue::step() {
  const uint64_t offset = (next_ & (slots_ - 1)) * sizeof(AqlPacket);
  AqlPacket* slot = reinterpret_cast<AqlPacket*>(ring_ + offset);
  AqlPacket packet;
  std::memcpy(&packet, slot, sizeof packet);
  device_.machine().note_activity();
  const uint64_t begin = device_clock();
  bool go_on = true;
  switch (type_of(packet.header)) {
  case PacketType::KernelDispatch:
    go_on = dispatch(packet, parameters_.ring_address + offset);
    break;
  case PacketType::BarrierAnd:
    go_on = barrier(packet, true);
    break;
  case PacketType::BarrierOr:
    go_on = barrier(packet, false);
    break;
  case PacketType::Vendor:
    go_on = vendor(packet);
    break;
  case PacketType::AgentDispatch:
  case PacketType::Invalid:
    go_on = reject(QueueError::InvalidPacket, "a packet of a type that this device does not take");
    break;
  }
  if (!go_on) return false;
  if (packet.completion_signal) device_.complete(packet.completion_signal, begin, device_clock());
  retire(slot);
  return true;
}

void AqlQueue::retire(AqlPacket* slot) {
  std::atomic_ref(slot->header).store(static_cast<uint16_t>(PacketType::Invalid), std::memory_order_release);
  std::atomic_ref(*read_index_).store(++next_, std::memory_order_release);
}

bool AqlQueue::dispatch(const AqlPacket& packet, uint64_t packet_address) {
  if (device_.faulted()) return true;
  const uint32_t dimensions = packet.setup & 3u;
  if (dimensions == 0) return reject(QueueError::InvalidDimensions, "a dispatch of no dimensions");
  DispatchPacket kernel{};
  for (uint32_t i = 0; i < 3; ++i) {
    kernel.workgroup_size[i] = i < dimensions ? packet.dispatch.workgroup_size[i] : uint16_t{1};
    kernel.grid_size[i] = i < dimensions ? packet.dispatch.grid_size[i] : 1u;
    if (kernel.workgroup_size[i] == 0 || kernel.grid_size[i] == 0)
      return reject(QueueError::InvalidDimensions, "a dispatch with a size of zero");
  }
  kernel.private_segment_size = packet.dispatch.private_segment_size;
  kernel.group_segment_size = packet.dispatch.group_segment_size;
  kernel.kernel_object = packet.dispatch.kernel_object;
  kernel.kernarg_address = packet.dispatch.kernarg_address;
  kernel.packet_address = packet_address;
  kernel.queue_address = parameters_.write_pointer_address - kQueueWriteIndexOffset;
  kernel.completion_signal = packet.completion_signal;
  kernel.dispatch_id = next_;
  kernel.stop = &stop_flag();
  const DispatchOutcome outcome = device_.execute(kernel);
  return outcome.fault == Fault::None || handle_fault(outcome);
}

bool AqlQueue::handle_fault(const DispatchOutcome& outcome) {
  if (outcome.fault == Fault::Interrupted) return !stopping();
  device_.record_fault(outcome);
  if (!device_.raw_exceptions()) return true;
  if (outcome.fault == Fault::PageFault)
    device_.machine().events().raise_page_fault({device_.index(), outcome.address, true, false});
  else
    raise(error_of(outcome.fault));
  return false;
}

bool AqlQueue::reject(QueueError error, const char* what) {
  DispatchOutcome outcome;
  outcome.fault = Fault::BadCodeObject;
  outcome.report = std::string("queue ") + std::to_string(parameters_.id) + ": " + what;
  device_.record_fault(outcome);
  if (!device_.raw_exceptions()) return true;
  raise(error);
  return false;
}

void AqlQueue::raise(QueueError error) {
  const uint64_t queue = parameters_.write_pointer_address - kQueueWriteIndexOffset;
  const uint64_t* signal = device_.map().object<uint64_t>(queue + kQueueInactiveSignalOffset);
  if (signal && *signal) device_.store_signal(*signal, static_cast<int64_t>(error));
}

bool AqlQueue::barrier(const AqlPacket& packet, bool all) {
  uint64_t signals[5];
  size_t count = 0;
  for (const uint64_t signal : packet.barrier.signals)
    if (signal) signals[count++] = signal;
  if (count == 0) return true;
  return wait_for([&] {
    for (size_t i = 0; i < count; ++i) {
      const AmdSignal* signal = device_.map().object<AmdSignal>(signals[i]);
      // A signal that is gone counts as satisfied: nobody could set it any more.
      const bool done =
          !signal ||
          std::atomic_ref(const_cast<AmdSignal*>(signal)->value).load(std::memory_order_acquire) == 0;
      if (done != all) return !all;
    }
    return all;
  });
}

bool AqlQueue::vendor(const AqlPacket& packet) {
  switch (packet.setup & 0xff) {
  case kAmdFormatPm4:
    return indirect_buffer(packet);
  case kAmdFormatBarrierValue:
    return barrier_value(packet);
  }
  return reject(QueueError::InvalidPacket, "a vendor packet of an unknown format");
}

bool AqlQueue::barrier_value(const AqlPacket& packet) {
  if (packet.barrier_value.signal == 0) return true;
  return wait_for([&] {
    if (device_.faulted()) return true; // What it waits for may have been the work of a skipped kernel.
    AmdSignal* signal = device_.map().object<AmdSignal>(packet.barrier_value.signal);
    if (!signal) return true;
    // A value signal can stand in for memory: bit patterns are compared under the mask.
    int64_t* value = &signal->value;
    const int64_t now = std::atomic_ref(*value).load(std::memory_order_acquire);
    return compare(now & packet.barrier_value.mask, packet.barrier_value.condition,
                   packet.barrier_value.value);
  });
}

bool AqlQueue::indirect_buffer(const AqlPacket& packet) {
  const uint64_t address = (packet.pm4.jump[1] & ~3u) | static_cast<uint64_t>(packet.pm4.jump[2]) << 32;
  const uint32_t dwords = packet.pm4.jump[3] & 0xfffff;
  const std::byte* commands = device_.map().host(address, uint64_t{dwords} * 4, false);
  if (!commands) return reject(QueueError::InvalidPacket, "an indirect buffer that is not mapped");
  const char* problem = run_pm4(device_, reinterpret_cast<const uint32_t*>(commands), dwords);
  return problem ? reject(QueueError::InvalidPacket, problem) : true;
}

} // namespace ptxshim::vgpu
