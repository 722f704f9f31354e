// SPDX-License-Identifier: MIT
// LDS accesses of a form of their own.
//   ds_condxchg32_rtn_b64   two dwords; each is written where bit 31 of its data is set, without that bit
//   ds_*_src2_*             gfx9: memory on both sides, the second cell at a distance that the offset field holds
//   lds_direct_load         one element for all lanes, its place and type in M0; four lanes get it if one of them is on

#include <cstring>

#include "lds_special.h"
#include "meanings/scalar.h"
#include "memory_ops.h"

namespace ptxshim::vgpu {
namespace {

std::byte* cell(Wave& wave, const Op* op, uint64_t offset, unsigned bytes, int lane) {
  const WorkGroup& group = *wave.group;
  if (offset <= group.lds_bytes && bytes <= group.lds_bytes - offset) return group.lds + offset;
  raise(wave, op, Fault::Aperture, "LDS access out of range", offset, lane);
  return nullptr;
}

} // namespace

const Op* run_lds_conditional_exchange(Wave& wave, const Op* op) {
  for (uint64_t left = wave.exec(); left; left &= left - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctzll(left));
    const uint32_t address = (wave.reg(op->src[0].index)[lane] + static_cast<uint32_t>(op->offset)) & 0xfff8U;
    std::byte* const at = cell(wave, op, address, 8, static_cast<int>(lane));
    if (!at) return nullptr;
    uint32_t old[2], data[2];
    std::memcpy(old, at, 8);
    for (unsigned i = 0; i < 2; ++i) {
      data[i] = wave.reg(op->src[1].index + i)[lane];
      if (data[i] >> 31) data[i] &= 0x7fffffffU;
      else data[i] = old[i];
    }
    std::memcpy(at, data, 8);
    for (unsigned i = 0; i < 2; ++i) wave.reg(op->dst + i)[lane] = old[i];
  }
  return op + 1;
}

// Bit 15 of the offset: the distance in dwords is the address's upper half, signed; else it is the offset's other bits.
const Op* run_lds_two_cells(Wave& wave, const Op* op) {
  const MemoryTraits& traits = *static_cast<const MemoryTraits*>(op->table);
  const uint32_t field = static_cast<uint32_t>(op->offset);
  for (uint64_t left = wave.exec(); left; left &= left - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctzll(left));
    const uint32_t address = wave.reg(op->src[0].index)[lane];
    const int32_t from_address = static_cast<int32_t>(address) >> 17, from_field = static_cast<int32_t>(field << 17) >> 17;
    const uint32_t first = address & (field & 0x8000U ? 0x1ffffU : ~0U);
    const uint32_t second = first + 4U * static_cast<uint32_t>(field & 0x8000U ? from_address : from_field);
    std::byte* const a = cell(wave, op, first, traits.bytes, static_cast<int>(lane));
    if (!a) return nullptr;
    const std::byte* const b = cell(wave, op, second, traits.bytes, static_cast<int>(lane));
    if (!b) return nullptr;
    uint64_t old = 0, operand = 0;
    std::memcpy(&old, a, traits.bytes);
    std::memcpy(&operand, b, traits.bytes);
    const uint64_t now = traits.bytes == 8 ? atomic_result(traits.atomic, old, operand, uint64_t{0})
                                           : atomic_result(traits.atomic, static_cast<uint32_t>(old),
                                                           static_cast<uint32_t>(operand), 0U);
    std::memcpy(a, &now, traits.bytes);
  }
  return op + 1;
}

// M0: bits 15:0 the byte address, 18:16 the type: u8, u16, dword, -, i8, i16.
const Op* run_lds_direct(Wave& wave, const Op* op) {
  const uint32_t m0 = wave.s[kM0], type = m0 >> 16 & 7U;
  const unsigned bytes = type == 2 ? 4 : (type & 3U) == 0 ? 1 : 2;
  if (type == 3 || type > 5) return raise(wave, op, Fault::IllegalInstruction, "no such type of a direct LDS load", type);
  const std::byte* const at = cell(wave, op, m0 & 0xffffU, bytes, -1);
  if (!at) return nullptr;
  uint32_t value = 0;
  std::memcpy(&value, at, bytes);
  if (type == 4) value = static_cast<uint32_t>(static_cast<int8_t>(value));
  if (type == 5) value = static_cast<uint32_t>(static_cast<int16_t>(value));
  for (uint64_t left = meaning::s_wqm_b64(wave.exec()).value; left; left &= left - 1) wave.reg(op->dst)[__builtin_ctzll(left)] = value;
  return op + 1;
}

} // namespace ptxshim::vgpu
