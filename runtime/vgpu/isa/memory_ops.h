// SPDX-License-Identifier: MIT
// Traits of memory operations, and accesses of one lane.
#pragma once

#include "atomics.h"
#include "wave.h"

namespace ptxshim::vgpu {

enum class MemoryKind : uint8_t { Load, Store, Atomic };
enum class Half : uint8_t { None, Low, High }; // d16 forms
enum class Segment : uint8_t { Flat, Global, Scratch, Buffer, Lds };

struct MemoryTraits {
  MemoryKind kind = MemoryKind::Load;
  uint8_t bytes = 4;
  bool sign = false;
  Half half = Half::None;
  AtomicOp atomic = AtomicOp::Add;
};

// An access of one lane to a segment. `words` holds bytes rounded up to words. Raises the fault itself.
struct LaneAccess {
  Wave& wave;
  const Op* op;
  bool load(Segment segment, uint64_t address, unsigned lane, unsigned bytes, uint32_t* words);
  bool store(Segment segment, uint64_t address, unsigned lane, unsigned bytes, const uint32_t* words);
  // Returns the old value in words.
  bool atomic(Segment segment, uint64_t address, unsigned lane, const MemoryTraits& traits, uint64_t operand,
              uint64_t second, uint64_t& old);

private:
  bool scratch(uint64_t offset, unsigned lane, unsigned bytes, uint32_t* words, bool write);
  bool lds(uint64_t offset, unsigned lane, unsigned bytes, uint32_t* words, bool write);
};

// Where a flat address leads; addresses in LDS and scratch become offsets.
Segment resolve_flat(const Wave& wave, uint64_t& address);
inline Segment resolve(const Wave& wave, Segment segment, uint64_t& address) {
  return segment == Segment::Flat ? resolve_flat(wave, address) : segment;
}

// Puts a loaded value into the register as traits say: extension, d16 halves.
void put_loaded(Wave& wave, const MemoryTraits& traits, unsigned reg, unsigned lane, const uint32_t* words);
void take_stored(const Wave& wave, const MemoryTraits& traits, unsigned reg, unsigned lane, uint32_t* words);

// Of flat, global and scratch operations.
const Op* run_flat_load(Wave& wave, const Op* op);
const Op* run_flat_store(Wave& wave, const Op* op);
const Op* run_flat_atomic(Wave& wave, const Op* op);
Handler flat_handler(MemoryKind kind);
// The lane whose access to global memory holds the address; -1 when it cannot be told.
int lane_of_access(Wave& wave, const Op* op, uint64_t address);
const Op* run_buffer(Wave& wave, const Op* op);
const Op* run_scalar_load(Wave& wave, const Op* op);
const Op* run_scalar_store(Wave& wave, const Op* op);
const Op* run_scalar_buffer_load(Wave& wave, const Op* op);
const Op* run_scalar_buffer_store(Wave& wave, const Op* op);
const Op* run_scalar_scratch_load(Wave& wave, const Op* op);
const Op* run_scalar_scratch_store(Wave& wave, const Op* op);
const Op* run_scalar_atomic(Wave& wave, const Op* op);
const Op* run_scalar_buffer_atomic(Wave& wave, const Op* op);

// Base of the scratch region in the buffer descriptor that a kernel gets; no real memory is there.
inline constexpr uint64_t kScratchBufferBase = 0x7ff000000000ULL;

// Fields of a buffer descriptor.
[[gnu::always_inline]] inline uint64_t buffer_base(const uint32_t* s) { return uint64_t{s[1] & 0xffffU} << 32 | s[0]; }
[[gnu::always_inline]] inline bool adds_thread(const uint32_t* s) { return (s[3] >> 23 & 1U) != 0; }

} // namespace ptxshim::vgpu
