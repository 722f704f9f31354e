// SPDX-License-Identifier: MIT
// Structures that the ROCm runtime shares with the packet processor: AQL packets (HSA Platform System
// Architecture 1.2, 2.9), and AMD's signal and queue objects. Only what the processor touches has a name.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ptxshim::vgpu {

struct AmdSignal {
  int64_t kind; // 1 user, -1 doorbell
  int64_t value;
  uint64_t event_mailbox;
  uint32_t event_id;
  uint32_t reserved1;
  uint64_t start_ts;
  uint64_t end_ts;
  uint64_t queue;
  uint64_t reserved2;
};
static_assert(sizeof(AmdSignal) == 64);

// Offsets in amd_queue_t; the kernel interface is given the addresses of the two indices.
inline constexpr uint64_t kQueueWriteIndexOffset = 56;
inline constexpr uint64_t kQueueInactiveSignalOffset = 0xC0;

enum class PacketType : uint8_t {
  Vendor = 0,
  Invalid = 1,
  KernelDispatch = 2,
  BarrierAnd = 3,
  AgentDispatch = 4,
  BarrierOr = 5,
};

struct [[gnu::packed]] DispatchBody {
  uint16_t workgroup_size[3];
  uint16_t reserved0;
  uint32_t grid_size[3];
  uint32_t private_segment_size;
  uint32_t group_segment_size;
  uint64_t kernel_object;
  uint64_t kernarg_address;
  uint64_t reserved1;
};
struct [[gnu::packed]] BarrierBody {
  uint32_t reserved0;
  uint64_t signals[5];
  uint64_t reserved1;
};
struct [[gnu::packed]] BarrierValueBody {
  uint32_t reserved0;
  uint64_t signal;
  int64_t value;
  int64_t mask;
  uint32_t condition;
  uint32_t reserved1;
  uint64_t reserved2[2];
};
struct [[gnu::packed]] Pm4Body {
  uint32_t jump[4]; // a PM4 INDIRECT_BUFFER packet
  uint32_t remaining;
  uint32_t reserved[8];
};
struct AqlPacket {
  uint16_t header; // type in bits 7:0, barrier bit 8, fences above
  uint16_t setup;  // dispatch: dimensions in bits 1:0; vendor: AmdFormat in bits 7:0
  union {
    DispatchBody dispatch;
    BarrierBody barrier;
    BarrierValueBody barrier_value;
    Pm4Body pm4;
  };
  uint64_t completion_signal;
};
static_assert(sizeof(AqlPacket) == 64);
static_assert(offsetof(AqlPacket, dispatch.kernel_object) == 32);
static_assert(offsetof(AqlPacket, barrier.signals) == 8);
static_assert(offsetof(AqlPacket, barrier_value.condition) == 32);
static_assert(offsetof(AqlPacket, completion_signal) == 56);

inline constexpr uint8_t kAmdFormatPm4 = 1, kAmdFormatBarrierValue = 2;

// What a queue's inactive signal is set to; the ROCm runtime turns them into hsa_status_t.
enum class QueueError : uint64_t {
  InvalidDimensions = 0x2,
  BadCodeObject = 0x8,
  InvalidPacket = 0x20,
  Aperture = 0x20000000,
  IllegalInstruction = 0x40000000,
  Trap = 0x80000000,
};

} // namespace ptxshim::vgpu
