// SPDX-License-Identifier: MIT
// A copy engine's queue: SDMA packets of generations 4 (gfx9) and 5 (gfx10).
#pragma once

#include "queue.h"

namespace ptxshim::vgpu {

class SdmaQueue final : public Queue {
public:
  using Queue::Queue;
  bool attach() override;

private:
  bool has_work() const override;
  bool step() override;

  uint32_t word(uint32_t index) const; // of the packet at read_
  uint64_t address(uint32_t index) const {
    return word(index) | static_cast<uint64_t>(word(index + 1)) << 32;
  }
  uint32_t packet_bytes() const; // 0: not known
  bool execute();

  void copy_linear();
  void copy_rectangle();
  void write_words();
  void fill();
  void fence();
  void timestamp();
  void atomic();
  bool poll();

  void copy(uint64_t to, uint64_t from, uint64_t size);
  void page_fault(uint64_t address, bool write);

  uint32_t* ring_ = nullptr;
  uint64_t mask_ = 0; // of dwords
  uint64_t* write_pointer_ = nullptr;
  uint64_t* read_pointer_ = nullptr;
  uint64_t read_ = 0; // bytes, monotonic
};

} // namespace ptxshim::vgpu
