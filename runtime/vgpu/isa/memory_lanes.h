// SPDX-License-Identifier: MIT
// Where the lanes of a memory instruction are, found for all of them at once, and how a handler goes on where they are not.
// Included only by files that are compiled once per host ISA; all lies in a namespace of that ISA.
#pragma once

#include <type_traits>

#include "memory_row.h"
#include "wave.h"

namespace ptxshim::vgpu::meaning { // a macro makes this meaning_V2, meaning_V3, meaning_V4

template <unsigned Lanes> PTXSHIM_INLINE uint32_t* row_of(Wave& wave, unsigned reg) { return wave.v + size_t{reg} * Lanes; }

// Tries a body, which gets whether all lanes are on, and EXEC. It is false when it has done nothing.
#define PTXSHIM_BODY const auto body = [&](auto full, uint64_t exec) __attribute__((always_inline))
template <unsigned Lanes, class Body> PTXSHIM_INLINE bool done(const Wave& wave, Body body) {
  const uint64_t exec = Lanes == 32 ? wave.s[kExec] : wave.mask_at(kExec);
  return is_full<Lanes>(exec) ? body(std::true_type{}, exec) : exec != 0 && body(std::false_type{}, exec);
}
template <unsigned Lanes, class Body> PTXSHIM_INLINE const Op* run_or(Handler general, Wave& wave, const Op* op, Body body) {
  if (done<Lanes>(wave, body)) [[likely]]
    return next(wave, op);
  return general(wave, op);
}
// What needs arrays is in functions that return: these have frames, which handlers would not leave.
using Access = bool (*)(Wave&, const Op*);
template <Access Apart, Handler General> [[gnu::noinline]] const Op* run_apart(Wave& wave, const Op* op) {
  if (Apart(wave, op)) return next(wave, op);
  return General(wave, op);
}

// Where the lanes of EXEC begin and end.
struct Ends {
  unsigned first;
  uint32_t bytes;
};
template <unsigned Bytes, unsigned Lanes, bool Full> PTXSHIM_INLINE Ends ends_of(uint64_t exec) {
  if constexpr (Full) return {0, Lanes * Bytes};
  return {first_lane(exec), (last_lane(exec) + 1 - first_lane(exec)) * Bytes};
}

// Whether the words of the lanes of EXEC, to which `add` is added, are at most `room`.
template <unsigned Lanes> PTXSHIM_INLINE bool are_within(const uint32_t* row, uint64_t exec, uint32_t add, uint32_t room) {
  return are_all<Lanes>(exec, [&](unsigned lane) __attribute__((always_inline)) {
    return are_at_most(load_words(row + lane) + add, Words{} + room);
  });
}

// LDS ---------------------------------------------------------------------------------------------------------------

// Where lane 0 is, or would be; null: some lane is out of range.
template <unsigned Bytes, unsigned Lanes, bool Full>
PTXSHIM_INLINE std::byte* find_in_lds(const Wave& wave, const uint32_t* row, uint64_t exec, uint32_t offset) {
  const Ends ends = ends_of<Bytes, Lanes, Full>(exec);
  const uint64_t begin = row[ends.first] + offset;
  const WorkGroup& group = *wave.group;
  return begin + ends.bytes <= group.lds_bytes ? group.lds + begin - ends.first * Bytes : nullptr;
}

// What the lanes' words, with their signs, are to be added to, wherever in LDS they are; null: one is out of range.
template <unsigned Bytes, unsigned Lanes>
PTXSHIM_INLINE std::byte* find_apart_in_lds(const Wave& wave, const uint32_t* row, uint64_t exec, uint32_t offset) {
  const WorkGroup& group = *wave.group;
  return group.lds_bytes >= Bytes && are_within<Lanes>(row, exec, offset, group.lds_bytes - Bytes) ? group.lds + offset : nullptr;
}

// Global memory -----------------------------------------------------------------------------------------------------

// What the lanes of EXEC have in common, and the range that the first of them is in. Flat addresses that lead to LDS or scratch are
// in none.
struct Common {
  const uint32_t* low;
  uint64_t base; // an address is this + low[lane]
  const MemoryRange* range;
};
template <unsigned Lanes, bool Full> PTXSHIM_INLINE bool find_in_global(Wave& wave, const Op* op, uint64_t exec, bool write, Common& out) {
  const unsigned first = Full ? 0 : first_lane(exec);
  out.low = row_of<Lanes>(wave, op->src[0].index);
  if (op->src[1].kind != SourceKind::None) {
    out.base = wave.read64(op->src[1]);
  } else {
    const uint32_t* const high = out.low + Lanes;
    if (!is_row<0, Lanes, Full>(high, exec)) return false;
    out.base = uint64_t{high[first]} << 32;
  }
  out.base += static_cast<uint64_t>(op->offset);
  wave.resume = op; // whose fault it is when the host faults
  out.range = wave.memory->seen(out.base + out.low[first]);
  return out.range && (!write || out.range->writable);
}

// Where lane 0 is, or would be, of lanes that follow each other; null: they leave the range.
template <unsigned Bytes, unsigned Lanes, bool Full> PTXSHIM_INLINE std::byte* find_row(const Common& common, uint64_t exec) {
  const Ends ends = ends_of<Bytes, Lanes, Full>(exec);
  const uint64_t begin = common.low[ends.first], offset = common.base + begin - common.range->gpu;
  if (begin + ends.bytes > 1ULL << 32 || ends.bytes > common.range->size - offset)
    return nullptr; // (beyond 32 bits high words would differ)
  return common.range->host + offset - ends.first * Bytes;
}
// What the lanes' low words are to be added to, wherever in the range they are; null: one is not.
template <unsigned Bytes, unsigned Lanes> PTXSHIM_INLINE std::byte* find_apart(const Common& common, uint64_t exec) {
  // The low words that lead into the range.
  const int64_t skip = static_cast<int64_t>(common.base - common.range->gpu),
                last = static_cast<int64_t>(common.range->size) - Bytes - skip;
  const int64_t lowest = skip < 0 ? -skip : 0, highest = last < 0xffffffff ? last : 0xffffffff;
  if (highest < lowest) return nullptr;
  const uint32_t room = static_cast<uint32_t>(highest - lowest);
  return are_within<Lanes>(common.low, exec, 0U - static_cast<uint32_t>(lowest), room) ? common.range->host + skip : nullptr;
}

} // namespace ptxshim::vgpu::meaning
