// SPDX-License-Identifier: MIT
// FLAT, GLOBAL, SCRATCH and MUBUF. Source operands of an Op here: src[0] vector address, src[1] scalar base or offset,
// src[2] data, src[3] buffer descriptor. immediate holds the Segment and, for buffers, the address form.

#include <algorithm>

#include "lane_reach.h"
#include "memory_bind.h"
#include "memory_ops.h"
#include "rows.h"

namespace ptxshim::vgpu {
namespace {

[[gnu::always_inline]] inline Addressing addressing_of(Wave& wave, const Op* op, Segment segment) {
  const Source& vaddr = op->src[0];
  const Source& saddr = op->src[1];
  const uint32_t* const low = vaddr.kind == SourceKind::Vector ? wave.reg(vaddr.index) : nullptr;
  const uint64_t offset = static_cast<uint64_t>(op->offset);
  if (segment == Segment::Scratch)
    return {low, nullptr, offset + (saddr.kind != SourceKind::None ? wave.read32(saddr) : 0U), AddressForm::Wrapping32};
  if (saddr.kind != SourceKind::None) return {low, nullptr, offset + wave.read64(saddr), AddressForm::Extended32};
  return {low, low ? low + wave.lanes : nullptr, offset, AddressForm::Full64};
}

uint64_t data_value(const Wave& wave, unsigned reg, unsigned lane, unsigned words) {
  const uint32_t* const row = wave.v + static_cast<size_t>(reg) * wave.lanes + lane;
  return words == 2 ? static_cast<uint64_t>(row[wave.lanes]) << 32 | row[0] : row[0];
}

const Op* atomic_lane(Wave& wave, const Op* op, Segment segment, uint64_t address, unsigned lane) {
  const MemoryTraits& traits = *static_cast<const MemoryTraits*>(op->table);
  const unsigned words = traits.bytes / 4U;
  const uint64_t operand = data_value(wave, op->src[2].index, lane, words);
  const uint64_t second = has_second(traits.atomic) ? data_value(wave, op->src[2].index + words, lane, words) : 0;
  uint64_t old = 0;
  LaneAccess access{wave, op};
  if (!access.atomic(segment, address, lane, traits, operand, second, old)) return nullptr;
  if (op->returns) {
    uint32_t* const row = wave.reg(op->dst) + lane;
    row[0] = static_cast<uint32_t>(old);
    if (words == 2) row[wave.lanes] = static_cast<uint32_t>(old >> 32);
  }
  return op;
}

// Buffers -----------------------------------------------------------------------------------------------------------

// What keeps an access out of a buffer: its index, its index or its place in the record, nothing (but an empty buffer), or its
// place in the whole buffer.
enum class RangeCheck : uint8_t { Index, Record, Empty, Offset };

struct Descriptor {
  uint64_t base;
  uint32_t stride, records, index_stride;
  uint32_t element; // bytes of an index that lie together; 0: not swizzled
  bool add_thread, bound;
  bool whole;       // all bytes of a component must be inside, not its first alone
  RangeCheck check;
};

// RDNA3 and RDNA4 ISA 9.4.1, table of OOB_SELECT; gfx10 has its field, but looks at where a component begins. CDNA3 ISA 9.1.5.1:
// what uses an index and has a stride is a structured buffer, all else is a raw one.
RangeCheck range_check(unsigned generation, const Descriptor& d, const uint32_t* s, bool indexed) {
  if (generation == 9) return indexed && d.stride != 0 ? RangeCheck::Index : RangeCheck::Offset;
  switch (s[3] >> 28 & 3U) {
  case 0: return RangeCheck::Record;
  case 1: return RangeCheck::Index;
  case 2: return RangeCheck::Empty;
  }
  return d.element && d.stride ? RangeCheck::Record : RangeCheck::Offset;
}

// Fields of the buffer resource: CDNA3 ISA table 48, RDNA3 ISA 9.6, RDNA4 ISA 9.6.
Descriptor read_descriptor(const Wave& wave, const Op* op, uint32_t scalar_offset) {
  const uint32_t* const s = &wave.s[op->src[3].index];
  Descriptor d;
  d.base = buffer_base(s);
  d.stride = s[1] >> 16 & 0x3fffU;
  constexpr uint32_t kStrideScale[4] = {1, 4, 8, 32};
  if (wave.generation >= 12) d.stride *= kStrideScale[s[3] >> 18 & 3U]; // bits 115:114
  d.records = s[2];
  d.index_stride = 8U << (s[3] >> 21 & 3U);
  const uint32_t swizzle = s[1] >> 30;
  d.element = wave.generation >= 11 ? (swizzle == 0 ? 0U : swizzle == 3 ? 16U : 4U) : swizzle & 2U ? 4U : 0U;
  d.add_thread = adds_thread(s);
  const uint32_t format = wave.generation == 9 ? s[3] >> 15 & 0xfU : s[3] >> 12 & (wave.generation == 10 ? 0x7fU : 0x3fU);
  d.bound = format != 0;
  d.whole = wave.generation >= 11;
  d.check = range_check(wave.generation, d, s, buffer_form(op->immediate) & kIndexed);
  if (wave.generation >= 10 && (s[3] >> 28 & 3U) == 3) d.records -= std::min(d.records, scalar_offset);
  return d;
}

bool in_range(const Descriptor& d, uint32_t index, uint64_t offset, unsigned bytes) {
  const uint64_t end = offset + (d.whole ? bytes : 1U);
  switch (d.check) {
  case RangeCheck::Index: return index < d.records;
  case RangeCheck::Record: return index < d.records && end <= d.stride;
  case RangeCheck::Empty: return d.records != 0;
  case RangeCheck::Offset: return end <= d.records;
  }
  return false;
}

struct BufferLane {
  uint64_t address;
  Segment segment;
  unsigned inside; // a bit per component
};

// Components are dwords, and the whole of a smaller access or of an atomic.
constexpr unsigned components_of(const MemoryTraits& traits) {
  return traits.kind == MemoryKind::Atomic || traits.bytes <= 4 ? 1 : traits.bytes / 4U;
}
constexpr unsigned all_of(unsigned components) { return (1U << components) - 1; }

uint64_t swizzled(const Descriptor& d, uint32_t index, uint64_t offset) { // RDNA3 ISA 9.4.2
  return (static_cast<uint64_t>(index / d.index_stride) * d.stride + offset / d.element * d.element) * d.index_stride +
         static_cast<uint64_t>(index % d.index_stride) * d.element + offset % d.element;
}

BufferLane buffer_lane(const Wave& wave, const Op* op, const Descriptor& d, uint32_t scalar_offset, unsigned lane) {
  const MemoryTraits& traits = *static_cast<const MemoryTraits*>(op->table);
  const unsigned form = buffer_form(op->immediate), components = components_of(traits);
  const uint32_t* const row =
      op->src[0].kind == SourceKind::Vector ? wave.v + static_cast<size_t>(op->src[0].index) * wave.lanes + lane : nullptr;
  const uint32_t index = form & kIndexed ? row[0] : 0;
  uint64_t offset = static_cast<uint64_t>(op->offset);
  if (form & kOffset) offset += form & kIndexed ? row[wave.lanes] : row[0];
  if (d.add_thread) {
    // The scratch descriptor: dwords interleaved over the lanes, the scalar offset outside of the interleaving.
    const uint64_t skipped = d.base - kScratchBufferBase + scalar_offset;
    return {skipped / wave.lanes + offset, Segment::Scratch, all_of(components)};
  }
  BufferLane result{d.base, Segment::Global, 0};
  for (unsigned i = 0; d.bound && i < components; ++i)
    if (in_range(d, index, offset + 4 * i, traits.bytes / components)) result.inside |= 1U << i;
  if (!d.element)
    result.address += scalar_offset + static_cast<uint64_t>(index) * d.stride + offset;
  else if (wave.generation >= 12) // the scalar offset is swizzled as well (RDNA4 ISA 9.4.2)
    result.address += swizzled(d, index, static_cast<uint32_t>(offset + scalar_offset));
  else
    result.address += scalar_offset + swizzled(d, index, offset);
  return result;
}

// Loads and stores through the scratch descriptor, all lanes at once. False: lane by lane.
bool scratch_access(Wave& wave, const Op* op, const Descriptor& d, uint32_t scalar_offset) {
  const MemoryTraits& traits = *static_cast<const MemoryTraits*>(op->table);
  const unsigned form = buffer_form(op->immediate);
  if ((form & kIndexed) || traits.kind == MemoryKind::Atomic) return false;
  const uint64_t base = (d.base - kScratchBufferBase + scalar_offset) / wave.lanes + static_cast<uint64_t>(op->offset);
  const Addressing addressing{form & kOffset ? wave.reg(op->src[0].index) : nullptr, nullptr, base, AddressForm::Extended32};
  Reach reach;
  if (!find_reach(wave, Segment::Scratch, addressing, traits, reach)) return false;
  if (traits.kind == MemoryKind::Load)
    load_lanes(wave, traits, reach, op->dst);
  else
    store_lanes(wave, traits, reach, op->src[2].index);
  return true;
}

// Components that are out of range read as zero and are not written.
const Op* buffer_access(Wave& wave, const Op* op, const BufferLane& at, unsigned lane) {
  const MemoryTraits& traits = *static_cast<const MemoryTraits*>(op->table);
  const unsigned components = components_of(traits);
  LaneAccess access{wave, op};
  uint32_t words[4] = {};
  const auto each_piece = [&](auto transfer) {
    if (at.inside == all_of(components)) return transfer(at.address, traits.bytes, words);
    for (unsigned i = 0; i < components; ++i)
      if ((at.inside >> i & 1U) && !transfer(at.address + 4 * i, 4U, words + i)) return false;
    return true;
  };
  switch (traits.kind) {
  case MemoryKind::Load:
    if (!each_piece([&](uint64_t address, unsigned bytes, uint32_t* to) { return access.load(at.segment, address, lane, bytes, to); }))
      return nullptr;
    put_loaded(wave, traits, op->dst, lane, words);
    break;
  case MemoryKind::Store:
    take_stored(wave, traits, op->src[2].index, lane, words);
    if (!each_piece([&](uint64_t address, unsigned bytes, uint32_t* from) { return access.store(at.segment, address, lane, bytes, from); }))
      return nullptr;
    break;
  case MemoryKind::Atomic:
    if (at.inside) return atomic_lane(wave, op, at.segment, at.address, lane);
    if (op->returns)
      for (unsigned i = 0; i < traits.bytes / 4U; ++i) wave.reg(op->dst + i)[lane] = 0;
    break;
  }
  return op;
}

} // namespace

const Op* run_flat_load(Wave& wave, const Op* op) {
  wave.resume = op;
  const Segment segment = segment_of(op->immediate);
  const MemoryTraits& traits = *static_cast<const MemoryTraits*>(op->table);
  const Addressing addressing = addressing_of(wave, op, segment);
  if (!wave.exec()) return op + 1;
  wave.memory->refresh();
  if (Reach reach; find_reach(wave, segment, addressing, traits, reach)) {
    load_lanes(wave, traits, reach, op->dst);
    return op + 1;
  }
  LaneAccess access{wave, op};
  for (uint64_t left = wave.exec(); left; left &= left - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctzll(left));
    uint32_t words[4] = {};
    if (!access.load(segment, addressing.of(lane), lane, traits.bytes, words)) return nullptr;
    put_loaded(wave, traits, op->dst, lane, words);
  }
  return op + 1;
}

const Op* run_flat_store(Wave& wave, const Op* op) {
  wave.resume = op;
  const Segment segment = segment_of(op->immediate);
  const MemoryTraits& traits = *static_cast<const MemoryTraits*>(op->table);
  const Addressing addressing = addressing_of(wave, op, segment);
  if (!wave.exec()) return op + 1;
  wave.memory->refresh();
  if (Reach reach; find_reach(wave, segment, addressing, traits, reach)) {
    store_lanes(wave, traits, reach, op->src[2].index);
    return op + 1;
  }
  LaneAccess access{wave, op};
  for (uint64_t left = wave.exec(); left; left &= left - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctzll(left));
    uint32_t words[4];
    take_stored(wave, traits, op->src[2].index, lane, words);
    if (!access.store(segment, addressing.of(lane), lane, traits.bytes, words)) return nullptr;
  }
  return op + 1;
}

const Op* run_flat_atomic(Wave& wave, const Op* op) {
  wave.resume = op;
  const Segment segment = segment_of(op->immediate);
  const MemoryTraits& traits = *static_cast<const MemoryTraits*>(op->table);
  const Addressing addressing = addressing_of(wave, op, segment);
  if (!wave.exec()) return op + 1;
  wave.memory->refresh();
  const unsigned operand = op->src[2].index;
  if (Reach reach; find_reach(wave, segment, addressing, traits, reach) &&
                   atomic_lanes(wave, op, traits, reach, operand, operand + traits.bytes / 4U))
    return op + 1;
  for (uint64_t left = wave.exec(); left; left &= left - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctzll(left));
    if (!atomic_lane(wave, op, segment, addressing.of(lane), lane)) return nullptr;
  }
  return op + 1;
}

Handler flat_handler(MemoryKind kind) {
  switch (kind) {
  case MemoryKind::Load: return run_flat_load;
  case MemoryKind::Store: return run_flat_store;
  case MemoryKind::Atomic: return run_flat_atomic;
  }
  return nullptr;
}

int lane_of_access(Wave& wave, const Op* op, uint64_t address) {
  const Handler general = op->row ? op->row->run : nullptr;
  const Segment segment = segment_of(op->immediate);
  if ((general != run_flat_load && general != run_flat_store && general != run_flat_atomic) || segment == Segment::Scratch) return -1;
  const Addressing addressing = addressing_of(wave, op, segment);
  const unsigned bytes = static_cast<const MemoryTraits*>(op->table)->bytes;
  for (uint64_t left = wave.exec(); left; left &= left - 1)
    if (const int lane = __builtin_ctzll(left); address - addressing.of(static_cast<unsigned>(lane)) < bytes) return lane;
  return -1;
}

const Op* run_buffer(Wave& wave, const Op* op) {
  wave.resume = op;
  const uint32_t scalar_offset = op->src[1].kind == SourceKind::None ? 0 : wave.read32(op->src[1]);
  const Descriptor descriptor = read_descriptor(wave, op, scalar_offset);
  const uint64_t exec = wave.exec();
  if (!exec) return op + 1;
  if (wave.s[op->src[3].index + 3] >> 30) // hardware ignores the instruction (RDNA3 ISA 9.6)
    return raise(wave, op, Fault::IllegalInstruction, "buffer instruction on a resource of another type");
  wave.memory->refresh();
  if (descriptor.add_thread && scratch_access(wave, op, descriptor, scalar_offset)) return op + 1;
  for (uint64_t left = exec; left; left &= left - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctzll(left));
    const BufferLane at = buffer_lane(wave, op, descriptor, scalar_offset, lane);
    if (!buffer_access(wave, op, at, lane)) return nullptr;
  }
  return op + 1;
}

} // namespace ptxshim::vgpu
