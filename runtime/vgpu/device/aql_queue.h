// SPDX-License-Identifier: MIT
// A compute queue: AQL packets, executed one after another.
#pragma once

#include "hsa_layout.h"
#include "queue.h"

namespace ptxshim::vgpu {

class AqlQueue final : public Queue {
public:
  using Queue::Queue;
  bool attach() override;

private:
  bool has_work() const override;
  bool step() override;

  // Each returns false to halt the queue.
  bool dispatch(const AqlPacket& packet, uint64_t packet_address);
  bool barrier(const AqlPacket& packet, bool all);
  bool vendor(const AqlPacket& packet);
  bool barrier_value(const AqlPacket& packet);
  bool indirect_buffer(const AqlPacket& packet);
  // Records a packet that makes no sense. Default: a device fault, and the queue goes on.
  bool reject(QueueError error, const char* what);
  // Raw mode: what the hardware does with a queue that got an error.
  void raise(QueueError error);
  bool handle_fault(const struct DispatchOutcome& outcome);
  void retire(AqlPacket* slot);

  std::byte* ring_ = nullptr;
  uint64_t slots_ = 0; // a power of two
  uint64_t* write_index_ = nullptr;
  uint64_t* read_index_ = nullptr;
  uint64_t next_ = 0;
};

} // namespace ptxshim::vgpu
