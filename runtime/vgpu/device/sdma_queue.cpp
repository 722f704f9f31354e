// SPDX-License-Identifier: MIT
// The copy engine. Its pointers count bytes and never wrap; a packet may. Copies are the host's memmove, so
// host-to-device and device-to-host transfers run at memory speed. An address that is not mapped is a page
// fault, as for a kernel: the rest of that packet is dropped and the queue goes on.
#include "sdma_queue.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "clock.h"
#include "machine.h"
#include "memory_guard.h"

namespace ptxshim::vgpu {

namespace {

enum class Op : uint8_t {
  Nop = 0,
  Copy = 1,
  Write = 2,
  Fence = 5,
  Trap = 6,
  PollRegmem = 8,
  Atomic = 10,
  ConstFill = 11,
  Timestamp = 13,
  Gcr = 17,
};
constexpr uint32_t kLinear = 0, kLinearRectangle = 4;
constexpr uint32_t kAtomicAdd64 = 0x2f;

} // namespace

bool SdmaQueue::attach() {
  const uint64_t bytes = parameters_.ring_bytes;
  if (bytes < 64 || (bytes & (bytes - 1)) || parameters_.ring_address % 4) return false;
  ring_ = reinterpret_cast<uint32_t*>(device_.map().host(parameters_.ring_address, bytes, true));
  mask_ = bytes / 4 - 1;
  write_pointer_ = device_.map().object<uint64_t>(parameters_.write_pointer_address);
  read_pointer_ = device_.map().object<uint64_t>(parameters_.read_pointer_address);
  if (!ring_ || !write_pointer_ || !read_pointer_) return false;
  read_ = std::atomic_ref(*read_pointer_).load(std::memory_order_acquire);
  return true;
}

bool SdmaQueue::has_work() const {
  return std::atomic_ref(*write_pointer_).load(std::memory_order_acquire) > read_;
}

uint32_t SdmaQueue::word(uint32_t index) const {
  return std::atomic_ref(ring_[(read_ / 4 + index) & mask_]).load(std::memory_order_relaxed);
}

uint32_t SdmaQueue::packet_bytes() const {
  const uint32_t header = word(0), sub = header >> 8 & 0xff;
  switch (static_cast<Op>(header & 0xff)) {
  case Op::Nop:
    return 4 + (header >> 16 & 0x3fff) * 4;
  case Op::Copy:
    return sub == kLinear ? 28 : sub == kLinearRectangle ? 52 : 0;
  case Op::Write:
    return sub == 0 ? 16 + ((word(3) & 0xfffff) + 1) * 4 : 0;
  case Op::Fence:
    return 16;
  case Op::Trap:
    return 8;
  case Op::PollRegmem:
    return 24;
  case Op::Atomic:
    return 32;
  case Op::ConstFill:
    return 20;
  case Op::Timestamp:
    return 12;
  case Op::Gcr:
    return 20;
  }
  return 0;
}

bool SdmaQueue::step() {
  device_.machine().note_activity();
  const uint32_t bytes = packet_bytes();
  const uint64_t written = std::atomic_ref(*write_pointer_).load(std::memory_order_acquire);
  if (bytes == 0 || bytes > written - read_) {
    DispatchOutcome outcome;
    outcome.fault = Fault::BadCodeObject;
    outcome.report = "copy queue " + std::to_string(parameters_.id) +
                     ": a packet that this device does not take, header " + std::to_string(word(0));
    device_.record_fault(outcome);
    return false;
  }
  if (!execute()) return false;
  read_ += bytes;
  std::atomic_ref(*read_pointer_).store(read_, std::memory_order_release);
  return true;
}

bool SdmaQueue::execute() {
  switch (static_cast<Op>(word(0) & 0xff)) {
  case Op::Nop:
  case Op::Gcr:
    return true;
  case Op::Copy:
    if ((word(0) >> 8 & 0xff) == kLinear)
      copy_linear();
    else
      copy_rectangle();
    return true;
  case Op::Write:
    write_words();
    return true;
  case Op::Fence:
    fence();
    return true;
  case Op::Trap:
    device_.machine().events().set(word(1) & 0xfffffff);
    return true;
  case Op::PollRegmem:
    return poll();
  case Op::Atomic:
    atomic();
    return true;
  case Op::ConstFill:
    fill();
    return true;
  case Op::Timestamp:
    timestamp();
    return true;
  }
  return false;
}

void SdmaQueue::page_fault(uint64_t address, bool write) {
  char text[128];
  std::snprintf(text, sizeof text, "copy queue %u: %s 0x%llx, which is not mapped", parameters_.id,
                write ? "write to" : "read of", static_cast<unsigned long long>(address));
  DispatchOutcome outcome;
  outcome.fault = Fault::PageFault;
  outcome.address = address;
  outcome.report = text;
  device_.record_fault(outcome);
  if (device_.raw_exceptions()) device_.machine().events().raise_page_fault({device_.index(), address, true, false});
}

void SdmaQueue::copy(uint64_t to, uint64_t from, uint64_t size) {
  while (size) {
    const MemoryRange source = device_.map().find(from), target = device_.map().find(to);
    if (!source.host) return page_fault(from, false);
    if (!target.host || !target.writable) return page_fault(to, true);
    const uint64_t piece =
        std::min({size, source.size - (from - source.gpu), target.size - (to - target.gpu)});
    std::byte* const target_bytes = target.host + (to - target.gpu);
    const std::byte* const source_bytes = source.host + (from - source.gpu);
    if (const std::byte* const at = unreachable([&] { std::memmove(target_bytes, source_bytes, piece); })) {
      const bool reading = at >= source_bytes && at < source_bytes + piece;
      return page_fault(reading ? from + static_cast<uint64_t>(at - source_bytes) : to + static_cast<uint64_t>(at - target_bytes), !reading);
    }
    from += piece;
    to += piece;
    size -= piece;
  }
}

void SdmaQueue::copy_linear() {
  copy(address(5), address(3),
       uint64_t{word(1) & (device_.properties_row().sdma_major >= 5 ? 0x3fffffffu : 0x3fffffu)} + 1);
}

// Words 1-2 source, 3 x and y, 4 z and pitch, 5 slice pitch; 6-10 the same of the target; 11-12 extent.
// Pitches and extents are one less than they say, in elements whose size is in bits 31:29 of the header.
void SdmaQueue::copy_rectangle() {
  const uint32_t shift = word(0) >> 29;
  const auto start = [&](uint32_t at) {
    const uint64_t x = word(at + 2) & 0x3fff, y = word(at + 2) >> 16 & 0x3fff, z = word(at + 3) & 0x7ff;
    const uint64_t pitch = (word(at + 3) >> 13) + uint64_t{1},
                   slice = (word(at + 4) & 0xfffffff) + uint64_t{1};
    return address(at) + ((z * slice + y * pitch + x) << shift);
  };
  const auto pitch_of = [&](uint32_t at) { return ((word(at + 3) >> 13) + uint64_t{1}) << shift; };
  const auto slice_of = [&](uint32_t at) { return ((word(at + 4) & 0xfffffff) + uint64_t{1}) << shift; };
  const uint64_t width = ((word(11) & 0x3fff) + uint64_t{1}) << shift;
  const uint32_t rows = (word(11) >> 16 & 0x3fff) + 1, slices = (word(12) & 0x7ff) + 1;
  const uint64_t from = start(1), to = start(6);
  for (uint32_t z = 0; z < slices; ++z)
    for (uint32_t y = 0; y < rows; ++y)
      copy(to + z * slice_of(6) + y * pitch_of(6), from + z * slice_of(1) + y * pitch_of(1), width);
}

void SdmaQueue::write_words() {
  const uint32_t count = (word(3) & 0xfffff) + 1;
  std::byte* to = device_.map().host(address(1), uint64_t{count} * 4, true);
  if (!to) return page_fault(address(1), true);
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t value = word(4 + i);
    std::memcpy(to + size_t{i} * 4, &value, 4);
  }
}

// The count is the number of bytes less one, in whole dwords.
void SdmaQueue::fill() {
  const uint32_t value = word(3);
  const uint64_t mask = device_.properties_row().sdma_major >= 5 ? 0x3fffffff : 0x3fffff;
  uint64_t to = address(1), size = ((word(4) & mask) + 4) & ~uint64_t{3};
  while (size) {
    const MemoryRange range = device_.map().find(to);
    if (!range.host || !range.writable) return page_fault(to, true);
    const uint64_t piece = std::min(size, range.size - (to - range.gpu)) & ~uint64_t{3};
    if (piece == 0) return page_fault(to, true);
    std::byte* host = range.host + (to - range.gpu);
    const std::byte* const at = unreachable([&] {
      if (value == (value & 0xff) * 0x01010101u)
        std::memset(host, static_cast<int>(value & 0xff), piece);
      else
        for (uint64_t i = 0; i < piece; i += 4)
          std::memcpy(host + i, &value, 4);
    });
    if (at) return page_fault(to + static_cast<uint64_t>(at - host), true);
    to += piece;
    size -= piece;
  }
}

void SdmaQueue::fence() {
  uint32_t* to = device_.map().object<uint32_t>(address(1));
  if (!to) return page_fault(address(1), true);
  std::atomic_ref(*to).store(word(3), std::memory_order_release);
  device_.machine().announce_completion();
}

void SdmaQueue::timestamp() {
  uint64_t* to = device_.map().object<uint64_t>(address(1));
  if (!to) return page_fault(address(1), true);
  std::atomic_ref(*to).store(device_clock(), std::memory_order_release);
}

void SdmaQueue::atomic() {
  uint64_t* to = device_.map().object<uint64_t>(address(1));
  if (!to) return page_fault(address(1), true);
  if (word(0) >> 25 != kAtomicAdd64) {
    DispatchOutcome outcome;
    outcome.fault = Fault::BadCodeObject;
    outcome.report = "copy queue " + std::to_string(parameters_.id) + ": atomic operation " +
                     std::to_string(word(0) >> 25) + " is not there";
    return device_.record_fault(outcome);
  }
  std::atomic_ref(*to).fetch_add(address(3), std::memory_order_acq_rel);
  device_.machine().announce_completion();
}

// Functions 0 always, 1 <, 2 <=, 3 ==, 4 !=, 5 >=, 6 >. Without MEM_POLL it asks for a register (an HDP
// flush): nothing.
bool SdmaQueue::poll() {
  if (!(word(0) >> 31)) return true;
  const uint32_t function = word(0) >> 28 & 7, reference = word(3), mask = word(4);
  return wait_for([&] {
    uint32_t* at = device_.map().object<uint32_t>(address(1));
    if (!at) {
      page_fault(address(1), false);
      return true;
    }
    const uint32_t value = std::atomic_ref(*at).load(std::memory_order_acquire) & mask;
    switch (function) {
    case 1:
      return value < reference;
    case 2:
      return value <= reference;
    case 3:
      return value == reference;
    case 4:
      return value != reference;
    case 5:
      return value >= reference;
    case 6:
      return value > reference;
    default:
      return true;
    }
  });
}

} // namespace ptxshim::vgpu
