// SPDX-License-Identifier: MIT
// DS: accesses to LDS, and the lane exchanges that use its crossbar. src[0] address, src[1] and src[2] data.
// Addresses wrap at 32 bits: the back end folds offsets into negative bases.
// A work group runs on one host thread, so LDS atomics are plain code. Offsets of the two-address forms are in op->offset
// (first) and op->immediate (second), in bytes.

#include <cstring>
#include <initializer_list>

#include "lane_reach.h"
#include "lds.h"

namespace ptxshim::vgpu {
namespace {

const Op* out_of_range(Wave& wave, const Op* op, uint64_t offset, unsigned lane) {
  return raise(wave, op, Fault::Aperture, "LDS access out of range", offset, static_cast<int>(lane));
}

std::byte* cell(Wave& wave, uint64_t offset, unsigned bytes) {
  const WorkGroup& group = *wave.group;
  if (offset > group.lds_bytes || bytes > group.lds_bytes - offset) return nullptr;
  return group.lds + offset;
}

template <class Body> const Op* each_lane(Wave& wave, const Op* op, Body body) {
  for (uint64_t left = wave.exec(); left; left &= left - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctzll(left));
    if (!body(lane)) return nullptr;
  }
  return op + 1;
}

uint64_t value_of(const Wave& wave, const Source& source, unsigned lane, unsigned words) {
  const uint32_t* const row = wave.v + static_cast<size_t>(source.index) * wave.lanes + lane;
  return words == 2 ? static_cast<uint64_t>(row[wave.lanes]) << 32 | row[0] : row[0];
}
void put_value(Wave& wave, unsigned reg, unsigned lane, unsigned words, uint64_t value) {
  uint32_t* const row = wave.reg(reg) + lane;
  row[0] = static_cast<uint32_t>(value);
  if (words == 2) row[wave.lanes] = static_cast<uint32_t>(value >> 32);
}

Addressing addressing_of(Wave& wave, const Op* op, uint64_t offset) {
  return {wave.reg(op->src[0].index), nullptr, offset, AddressForm::Wrapping32};
}

// With equal offsets there is one access, and it takes the first data: CDNA3 ISA 11.3.1.
const Source& second_data(const Wave& wave, const Op* op) {
  return wave.generation == 9 && op->offset == op->immediate ? op->src[1] : op->src[2];
}

// Some lane is out of range: the first one is reported.
const Op* report_lane(Wave& wave, const Op* op, std::initializer_list<Addressing> addressings, unsigned bytes) {
  for (uint64_t left = wave.exec(); left; left &= left - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctzll(left));
    for (const Addressing& addressing : addressings)
      if (!cell(wave, addressing.of(lane), bytes)) return out_of_range(wave, op, addressing.of(lane), lane);
  }
  return raise(wave, op, Fault::Aperture, "LDS access out of range");
}

} // namespace

const Op* run_lds_load(Wave& wave, const Op* op) {
  const MemoryTraits& traits = *static_cast<const MemoryTraits*>(op->table);
  const Addressing addressing = addressing_of(wave, op, static_cast<uint64_t>(op->offset));
  Reach reach;
  if (!wave.exec()) return op + 1;
  if (!find_reach(wave, Segment::Lds, addressing, traits, reach)) return report_lane(wave, op, {addressing}, traits.bytes);
  load_lanes(wave, traits, reach, op->dst);
  return op + 1;
}

const Op* run_lds_store(Wave& wave, const Op* op) {
  const MemoryTraits& traits = *static_cast<const MemoryTraits*>(op->table);
  const Addressing addressing = addressing_of(wave, op, static_cast<uint64_t>(op->offset));
  Reach reach;
  if (!wave.exec()) return op + 1;
  if (!find_reach(wave, Segment::Lds, addressing, traits, reach)) return report_lane(wave, op, {addressing}, traits.bytes);
  store_lanes(wave, traits, reach, op->src[1].index);
  return op + 1;
}

const Op* run_lds_load2(Wave& wave, const Op* op) {
  const MemoryTraits& traits = *static_cast<const MemoryTraits*>(op->table);
  const Addressing one = addressing_of(wave, op, static_cast<uint64_t>(op->offset)), two = addressing_of(wave, op, op->immediate);
  Reach reach;
  if (!wave.exec()) return op + 1;
  const bool found = find_reach(wave, Segment::Lds, one, traits, reach);
  std::byte* const second = found ? second_reach(wave, two, traits.bytes, reach) : nullptr;
  if (!second) return report_lane(wave, op, {one, two}, traits.bytes);
  load_lanes(wave, traits, reach, op->dst);
  reach.base = second;
  load_lanes(wave, traits, reach, op->dst + traits.bytes / 4U);
  return op + 1;
}

const Op* run_lds_store2(Wave& wave, const Op* op) {
  const MemoryTraits& traits = *static_cast<const MemoryTraits*>(op->table);
  const Addressing one = addressing_of(wave, op, static_cast<uint64_t>(op->offset)), two = addressing_of(wave, op, op->immediate);
  Reach reach;
  if (!wave.exec()) return op + 1;
  const bool found = find_reach(wave, Segment::Lds, one, traits, reach);
  std::byte* const second = found ? second_reach(wave, two, traits.bytes, reach) : nullptr;
  if (!second) return report_lane(wave, op, {one, two}, traits.bytes);
  store_lanes(wave, traits, reach, op->src[1].index);
  reach.base = second;
  store_lanes(wave, traits, reach, second_data(wave, op).index);
  return op + 1;
}

const Op* run_lds_exchange2(Wave& wave, const Op* op) {
  const MemoryTraits& traits = *static_cast<const MemoryTraits*>(op->table);
  const unsigned words = traits.bytes / 4U;
  uint32_t copy[64];
  std::memcpy(copy, wave.reg(op->src[0].index), wave.lanes * 4U);
  return each_lane(wave, op, [&](unsigned lane) {
    const uint64_t offsets[2] = {uint64_t{copy[lane] + static_cast<uint32_t>(op->offset)}, uint64_t{copy[lane] + static_cast<uint32_t>(op->immediate)}};
    const uint64_t values[2] = {value_of(wave, op->src[1], lane, words), value_of(wave, second_data(wave, op), lane, words)};
    for (unsigned i = 0; i < 2; ++i) {
      std::byte* const at = cell(wave, offsets[i], traits.bytes);
      if (!at) return out_of_range(wave, op, offsets[i], lane) != nullptr;
      uint64_t old = 0;
      std::memcpy(&old, at, traits.bytes);
      std::memcpy(at, &values[i], traits.bytes);
      put_value(wave, op->dst + i * words, lane, words, old);
    }
    return true;
  });
}

// ds_cmpst has the comparand first; ds_cmpstore (gfx11) has it second.
const Op* run_lds_atomic(Wave& wave, const Op* op) {
  const MemoryTraits& traits = *static_cast<const MemoryTraits*>(op->table);
  const Addressing addressing = addressing_of(wave, op, static_cast<uint64_t>(op->offset));
  const bool comparand_first = (op->immediate & 1U) != 0;
  const unsigned operand = op->src[comparand_first ? 2 : 1].index, second = op->src[comparand_first ? 1 : 2].index;
  Reach reach;
  if (!wave.exec()) return op + 1;
  if (!find_reach(wave, Segment::Lds, addressing, traits, reach)) return report_lane(wave, op, {addressing}, traits.bytes);
  if (atomic_lanes(wave, op, traits, reach, operand, second)) return op + 1;
  for (uint64_t left = wave.exec();; left &= left - 1) { // a lane is misaligned
    const unsigned lane = static_cast<unsigned>(__builtin_ctzll(left));
    const uint64_t offset = addressing.of(lane);
    if (offset & (traits.bytes - 1U))
      return raise(wave, op, Fault::Misaligned, "misaligned LDS atomic", offset, static_cast<int>(lane));
  }
}

// ds_append, ds_consume: one counter for the wave, at M0[15:0] (base) plus offset; every lane gets the old value.
const Op* run_lds_append(Wave& wave, const Op* op) {
  const bool consume = (op->immediate & 1U) != 0;
  const uint64_t offset = (wave.s[kM0] & 0xffffU) + static_cast<uint64_t>(op->offset);
  std::byte* const at = cell(wave, offset, 4);
  if (!at) return out_of_range(wave, op, offset, 0);
  const uint32_t count = static_cast<uint32_t>(__builtin_popcountll(wave.exec()));
  uint32_t old;
  std::memcpy(&old, at, 4);
  const uint32_t now = consume ? old - count : old + count;
  std::memcpy(at, &now, 4);
  return each_lane(wave, op, [&](unsigned lane) {
    wave.reg(op->dst)[lane] = old;
    return true;
  });
}

// gfx10 and gfx11 permute within 32 lanes, the others within the wave.
static bool permutes_halves(const Wave& wave) { return wave.generation == 10 || wave.generation == 11; }

const Op* run_lds_bpermute(Wave& wave, const Op* op) {
  uint32_t address[64], data[64];
  std::memcpy(address, wave.reg(op->src[0].index), wave.lanes * 4U);
  std::memcpy(data, wave.reg(op->src[1].index), wave.lanes * 4U);
  const uint64_t exec = wave.exec();
  const bool halves = permutes_halves(wave);
  return each_lane(wave, op, [&](unsigned lane) {
    const uint32_t index = (address[lane] + static_cast<uint32_t>(op->offset)) >> 2;
    const unsigned from = halves ? (lane & 32U) | (index & 31U) : index & (wave.lanes - 1);
    wave.reg(op->dst)[lane] = exec >> from & 1U ? data[from] : 0;
    return true;
  });
}

const Op* run_lds_permute(Wave& wave, const Op* op) {
  uint32_t address[64], data[64], result[64] = {};
  std::memcpy(address, wave.reg(op->src[0].index), wave.lanes * 4U);
  std::memcpy(data, wave.reg(op->src[1].index), wave.lanes * 4U);
  const bool halves = permutes_halves(wave);
  for (uint64_t left = wave.exec(); left; left &= left - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctzll(left));
    const uint32_t index = (address[lane] + static_cast<uint32_t>(op->offset)) >> 2;
    result[halves ? (lane & 32U) | (index & 31U) : index & (wave.lanes - 1)] = data[lane];
  }
  return each_lane(wave, op, [&](unsigned lane) {
    wave.reg(op->dst)[lane] = result[lane];
    return true;
  });
}

// Offset field: bit 15 quad permutation, else 0xe000-0xffff on gfx9+ rotation and FFT, else and/or/xor masks on 32 lanes.
const Op* run_lds_swizzle(Wave& wave, const Op* op) {
  uint32_t data[64];
  std::memcpy(data, wave.reg(op->src[0].index), wave.lanes * 4U);
  const uint64_t exec = wave.exec();
  const uint32_t pattern = static_cast<uint32_t>(op->offset) & 0xffffU;
  return each_lane(wave, op, [&](unsigned lane) {
    unsigned from = lane;
    if (pattern >= 0xe000U) { // FFT
      const uint32_t mask = pattern & 0x1fU;
      unsigned reversed = 0;
      for (unsigned bit = 0; bit < 5; ++bit) reversed |= (lane >> bit & 1U) << (4 - bit);
      from = (lane & 32U) | ((reversed >> __builtin_popcount(mask)) & 31U) | (lane & mask);
      if (mask == 0x1fU) from = lane;
    } else if (pattern >= 0xc000U) { // rotate
      const unsigned amount = pattern >> 5 & 31U, keep = pattern & 31U;
      const unsigned moved = (pattern >> 10 & 1U) ? lane - amount : lane + amount;
      from = (lane & 32U) | (lane & keep) | (moved & 31U & ~keep);
    } else if (pattern & 0x8000U) {
      from = (lane & ~3U) | (pattern >> (2 * (lane & 3U)) & 3U);
    } else {
      const unsigned and_mask = pattern & 31U, or_mask = pattern >> 5 & 31U, xor_mask = pattern >> 10 & 31U;
      from = (lane & 32U) | ((((lane & and_mask) | or_mask) ^ xor_mask) & 31U);
    }
    wave.reg(op->dst)[lane] = exec >> from & 1U ? data[from] : 0;
    return true;
  });
}

// ds_read_addtid, ds_write_addtid: address M0[15:0] + offset + 4 * lane.
const Op* run_lds_addtid(Wave& wave, const Op* op) {
  const bool write = (op->immediate & 1U) != 0;
  return each_lane(wave, op, [&](unsigned lane) {
    const uint64_t offset = (wave.s[kM0] & 0xffffU) + static_cast<uint64_t>(op->offset) + 4U * lane;
    std::byte* const at = cell(wave, offset, 4);
    if (!at) return out_of_range(wave, op, offset, lane) != nullptr;
    if (write)
      std::memcpy(at, &wave.reg(op->src[1].index)[lane], 4);
    else
      std::memcpy(&wave.reg(op->dst)[lane], at, 4);
    return true;
  });
}

} // namespace ptxshim::vgpu
