// SPDX-License-Identifier: MIT
// What the lanes of one memory instruction access, found once for all of them. Most access memory that lies near together
// in one allocation, in LDS, or in scratch: the lowest and the highest address say whether all of it is there, and then
// every lane is at a known distance from the first one.
#pragma once

#include "dispatch_state.h"
#include "memory_kernels.h"
#include "memory_ops.h"

namespace ptxshim::vgpu {

struct Addressing {
  const uint32_t* low = nullptr;  // null: the same for all lanes
  const uint32_t* high = nullptr; // of AddressForm::Full64
  uint64_t base = 0;
  AddressForm form = AddressForm::Wrapping32;

  uint64_t of(unsigned lane) const {
    const uint64_t own = (low ? low[lane] : 0U) | (high ? uint64_t{high[lane]} << 32 : 0U);
    return form == AddressForm::Wrapping32 ? static_cast<uint32_t>(own + base) : own + base;
  }
};

struct Reach {
  LaneSpan span;
  uint64_t exec;
  std::byte* base;    // of the first lane in EXEC
  uint32_t word_step; // bytes from word to word of one access: 4, or in scratch a row of all lanes
  bool is_private;    // no other host thread can look
};

extern const MemoryKernels* const kHostMemoryKernels;
inline const MemoryKernels& kernels_of(const Wave& wave) { return kHostMemoryKernels[wave.lanes == 64]; }

void measure_same(const Wave& wave, LaneSpan& span);
// Turns offsets in scratch into distances of its cells.
bool find_cells(Wave& wave, uint64_t first, unsigned bytes, Reach& out);

// Whether the lanes, the first of which accesses `first`, stay below `size`.
inline bool inside(uint64_t first, const LaneSpan& span, unsigned bytes, uint64_t size) {
  const uint64_t lowest = first + static_cast<uint64_t>(int64_t{span.lowest});
  return lowest <= size && static_cast<uint64_t>(int64_t{span.highest} - span.lowest) + bytes <= size - lowest;
}

// False when no single piece of memory holds it all, or a lane is out of range: then each lane has to be looked at.
// EXEC must not be empty.
[[gnu::always_inline]] inline bool find_reach(Wave& wave, Segment segment, const Addressing& addressing, const MemoryTraits& traits,
                                              Reach& out) {
  out.exec = wave.exec();
  uint64_t first = addressing.of(static_cast<unsigned>(__builtin_ctzll(out.exec)));
  segment = resolve(wave, segment, first);
  if (addressing.low) {
    const bool want_offsets = segment == Segment::Scratch || traits.kind == MemoryKind::Atomic;
    const LaneAddresses lanes{addressing.low, addressing.high, out.exec, traits.bytes, want_offsets};
    kernels_of(wave).span[static_cast<unsigned>(addressing.form)](lanes, out.span);
  } else {
    measure_same(wave, out.span);
  }
  if (!out.span.near) return false;
  out.word_step = 4;
  out.is_private = segment == Segment::Lds;
  if (segment == Segment::Lds) {
    out.base = wave.group->lds + first;
    return inside(first, out.span, traits.bytes, wave.group->lds_bytes);
  }
  if (segment == Segment::Scratch) return find_cells(wave, first, traits.bytes, out);
  const uint64_t extent = static_cast<uint64_t>(int64_t{out.span.highest} - out.span.lowest) + traits.bytes;
  std::byte* const host = wave.memory->translate(first + static_cast<uint64_t>(int64_t{out.span.lowest}), extent,
                                                 traits.kind != MemoryKind::Load);
  if (!host) return false;
  out.base = host - out.span.lowest;
  return true;
}

// Where the first lane's second access in LDS lies, all lanes being as far from it; null: out of range.
inline std::byte* second_reach(const Wave& wave, const Addressing& addressing, unsigned bytes, const Reach& reach) {
  const uint64_t first = addressing.of(static_cast<unsigned>(__builtin_ctzll(reach.exec)));
  return inside(first, reach.span, bytes, wave.group->lds_bytes) ? wave.group->lds + first : nullptr;
}

void load_rows(Wave& wave, const MemoryTraits& traits, const Reach& reach, uint32_t* row);
void store_rows(Wave& wave, const MemoryTraits& traits, const Reach& reach, uint32_t* row);

inline LaneCopy copy_of(const MemoryTraits& traits, const Reach& reach, uint32_t* row) {
  const bool high = traits.half == Half::High;
  return {reach.base, &reach.span, row, reach.exec, high ? 16U : 0U, traits.half == Half::None ? 0U : high ? 0xffffU : 0xffff0000U};
}
inline void load_lanes(Wave& wave, const MemoryTraits& traits, const Reach& reach, unsigned reg) {
  if (reach.word_step != 4 && traits.bytes > 4) return load_rows(wave, traits, reach, wave.reg(reg));
  kernels_of(wave).load[static_cast<unsigned>(shape_of(traits.bytes, traits.sign))](copy_of(traits, reach, wave.reg(reg)));
}
inline void store_lanes(Wave& wave, const MemoryTraits& traits, const Reach& reach, unsigned reg) {
  if (reach.word_step != 4 && traits.bytes > 4) return store_rows(wave, traits, reach, wave.reg(reg));
  kernels_of(wave).store[static_cast<unsigned>(shape_of(traits.bytes, false))](copy_of(traits, reach, wave.reg(reg)));
}
// False when a lane is misaligned. `second` may be any register where the operation has one operand.
bool atomic_lanes(Wave& wave, const Op* op, const MemoryTraits& traits, const Reach& reach, unsigned operand, unsigned second);

} // namespace ptxshim::vgpu
