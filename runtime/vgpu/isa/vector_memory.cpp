// SPDX-License-Identifier: MIT
// FLAT, GLOBAL, SCRATCH and MUBUF. Source operands of an Op here: src[0] vector address, src[1] scalar base or offset,
// src[2] data, src[3] buffer descriptor. immediate holds the Segment and, for buffers, the address form.

#include <cstring>

#include "memory_bind.h"
#include "memory_ops.h"

namespace ptxshim::vgpu {
namespace {

constexpr unsigned kMaxLanes = 64;

struct Addresses {
  uint64_t of[kMaxLanes];
};

void compute_addresses(Wave& wave, const Op* op, Segment segment, Addresses& out) {
  const Source& vaddr = op->src[0];
  const Source& saddr = op->src[1];
  const uint64_t offset = static_cast<uint64_t>(op->offset);
  const uint32_t* const low = vaddr.kind == SourceKind::Vector ? wave.reg(vaddr.index) : nullptr;
  if (segment == Segment::Scratch) {
    const uint32_t base = (saddr.kind != SourceKind::None ? wave.read32(saddr) : 0U) + static_cast<uint32_t>(offset);
    for (unsigned i = 0; i < wave.lanes; ++i) out.of[i] = (low ? low[i] : 0U) + base;
    return;
  }
  if (saddr.kind != SourceKind::None) {
    const uint64_t base = wave.read64(saddr) + offset;
    for (unsigned i = 0; i < wave.lanes; ++i) out.of[i] = base + (low ? low[i] : 0U);
    return;
  }
  if (!low) {
    for (unsigned i = 0; i < wave.lanes; ++i) out.of[i] = offset;
    return;
  }
  const uint32_t* const high = low + wave.lanes;
  for (unsigned i = 0; i < wave.lanes; ++i) out.of[i] = (static_cast<uint64_t>(high[i]) << 32 | low[i]) + offset;
}

// All lanes on, one after the other in memory, all mapped: one copy. Null otherwise.
std::byte* coalesced(Wave& wave, Segment segment, const Addresses& addresses, unsigned bytes, bool write) {
  if (segment == Segment::Scratch || wave.exec() != wave.lane_mask) return nullptr;
  const uint64_t first = addresses.of[0];
  uint64_t different = 0;
  for (unsigned i = 0; i < wave.lanes; ++i) different |= addresses.of[i] ^ (first + static_cast<uint64_t>(i) * bytes);
  if (different) return nullptr;
  return wave.memory->translate(first, static_cast<uint64_t>(bytes) * wave.lanes, write);
}

bool load_coalesced(Wave& wave, const Op* op, Segment segment, const MemoryTraits& traits, const Addresses& addresses) {
  if (traits.bytes < 4 || traits.half != Half::None) return false;
  const std::byte* const host = coalesced(wave, segment, addresses, traits.bytes, false);
  if (!host) return false;
  uint32_t* const row = wave.reg(op->dst);
  const unsigned words = traits.bytes / 4U;
  if (words == 1) {
    std::memcpy(row, host, wave.lanes * 4U);
    return true;
  }
  for (unsigned i = 0; i < wave.lanes; ++i)
    for (unsigned word = 0; word < words; ++word)
      std::memcpy(&row[i + word * wave.lanes], host + (static_cast<size_t>(i) * words + word) * 4, 4);
  return true;
}

bool store_coalesced(Wave& wave, const Op* op, Segment segment, const MemoryTraits& traits, const Addresses& addresses) {
  if (traits.bytes < 4 || traits.half != Half::None) return false;
  std::byte* const host = coalesced(wave, segment, addresses, traits.bytes, true);
  if (!host) return false;
  const uint32_t* const row = wave.reg(op->src[2].index);
  const unsigned words = traits.bytes / 4U;
  if (words == 1) {
    std::memcpy(host, row, wave.lanes * 4U);
    return true;
  }
  for (unsigned i = 0; i < wave.lanes; ++i)
    for (unsigned word = 0; word < words; ++word)
      std::memcpy(host + (static_cast<size_t>(i) * words + word) * 4, &row[i + word * wave.lanes], 4);
  return true;
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

struct Descriptor {
  uint64_t base;
  uint32_t stride, records, index_stride;
  bool swizzle, add_thread;
  unsigned out_of_range; // gfx10 OOB_SELECT
};

Descriptor read_descriptor(const Wave& wave, const Op* op) {
  const uint32_t* const s = &wave.s[op->src[3].index];
  Descriptor d;
  d.base = (static_cast<uint64_t>(s[1] & 0xffffU) << 32) | s[0];
  d.stride = s[1] >> 16 & 0x3fffU;
  d.swizzle = (s[1] >> 31 & 1U) != 0;
  d.records = s[2];
  d.index_stride = 8U << (s[3] >> 21 & 3U);
  d.add_thread = (s[3] >> 23 & 1U) != 0;
  d.out_of_range = wave.generation >= 10 ? s[3] >> 28 & 3U : (d.stride == 0 || !d.swizzle ? 3U : 1U);
  return d;
}

bool in_range(const Descriptor& d, uint32_t index, uint64_t offset, unsigned bytes) {
  switch (d.out_of_range) {
  case 0: return index < d.records && offset + bytes <= d.stride;
  case 1: return index < d.records;
  case 2: return d.records != 0;
  default: return static_cast<uint64_t>(index) * d.stride + offset + bytes <= d.records;
  }
}

struct BufferLane {
  uint64_t address;
  Segment segment;
  bool inside;
};

BufferLane buffer_lane(const Wave& wave, const Op* op, const Descriptor& d, uint32_t scalar_offset, unsigned lane,
                       unsigned bytes) {
  const unsigned form = buffer_form(op->immediate);
  const uint32_t* const row =
      op->src[0].kind == SourceKind::Vector ? wave.v + static_cast<size_t>(op->src[0].index) * wave.lanes + lane : nullptr;
  uint32_t index = form & kIndexed ? row[0] : 0;
  uint64_t offset = static_cast<uint64_t>(op->offset);
  if (form & kOffset) offset += form & kIndexed ? row[wave.lanes] : row[0];
  if (d.add_thread) {
    // The scratch descriptor: dwords interleaved over the lanes, the scalar offset outside of the interleaving.
    const uint64_t skipped = d.base - kScratchBufferBase + scalar_offset;
    return {skipped / wave.lanes + offset, Segment::Scratch, true};
  }
  BufferLane result{0, Segment::Global, in_range(d, index, offset, bytes)};
  if (d.swizzle && d.stride) {
    const uint64_t element = 4;
    result.address = d.base + scalar_offset +
                     (static_cast<uint64_t>(index / d.index_stride) * d.stride + offset / element * element) * d.index_stride +
                     index % d.index_stride * element + offset % element;
  } else {
    result.address = d.base + scalar_offset + static_cast<uint64_t>(index) * d.stride + offset;
  }
  return result;
}

const Op* buffer_access(Wave& wave, const Op* op, const BufferLane& at, unsigned lane) {
  const MemoryTraits& traits = *static_cast<const MemoryTraits*>(op->table);
  LaneAccess access{wave, op};
  uint32_t words[4] = {};
  switch (traits.kind) {
  case MemoryKind::Load:
    if (at.inside && !access.load(at.segment, at.address, lane, traits.bytes, words)) return nullptr;
    put_loaded(wave, traits, op->dst, lane, words);
    break;
  case MemoryKind::Store:
    take_stored(wave, traits, op->src[2].index, lane, words);
    if (at.inside && !access.store(at.segment, at.address, lane, traits.bytes, words)) return nullptr;
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
  const MemoryTraits& traits = *static_cast<const MemoryTraits*>(op->table);
  const Segment segment = segment_of(op->immediate);
  Addresses addresses;
  wave.memory->refresh();
  compute_addresses(wave, op, segment, addresses);
  if (load_coalesced(wave, op, segment, traits, addresses)) return op + 1;
  LaneAccess access{wave, op};
  for (uint64_t left = wave.exec(); left; left &= left - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctzll(left));
    uint32_t words[4] = {};
    if (!access.load(segment, addresses.of[lane], lane, traits.bytes, words)) return nullptr;
    put_loaded(wave, traits, op->dst, lane, words);
  }
  return op + 1;
}

const Op* run_flat_store(Wave& wave, const Op* op) {
  const MemoryTraits& traits = *static_cast<const MemoryTraits*>(op->table);
  const Segment segment = segment_of(op->immediate);
  Addresses addresses;
  wave.memory->refresh();
  compute_addresses(wave, op, segment, addresses);
  if (store_coalesced(wave, op, segment, traits, addresses)) return op + 1;
  LaneAccess access{wave, op};
  for (uint64_t left = wave.exec(); left; left &= left - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctzll(left));
    uint32_t words[4];
    take_stored(wave, traits, op->src[2].index, lane, words);
    if (!access.store(segment, addresses.of[lane], lane, traits.bytes, words)) return nullptr;
  }
  return op + 1;
}

const Op* run_flat_atomic(Wave& wave, const Op* op) {
  const Segment segment = segment_of(op->immediate);
  Addresses addresses;
  wave.memory->refresh();
  compute_addresses(wave, op, segment, addresses);
  for (uint64_t left = wave.exec(); left; left &= left - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctzll(left));
    if (!atomic_lane(wave, op, segment, addresses.of[lane], lane)) return nullptr;
  }
  return op + 1;
}

const Op* run_buffer(Wave& wave, const Op* op) {
  const MemoryTraits& traits = *static_cast<const MemoryTraits*>(op->table);
  const Descriptor descriptor = read_descriptor(wave, op);
  const uint32_t scalar_offset = op->src[1].kind == SourceKind::None ? 0 : wave.read32(op->src[1]);
  wave.memory->refresh();
  for (uint64_t left = wave.exec(); left; left &= left - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctzll(left));
    const BufferLane at = buffer_lane(wave, op, descriptor, scalar_offset, lane, traits.bytes);
    if (!buffer_access(wave, op, at, lane)) return nullptr;
  }
  return op + 1;
}

} // namespace ptxshim::vgpu
