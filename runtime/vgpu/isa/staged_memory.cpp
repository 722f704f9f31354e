// SPDX-License-Identifier: MIT
// Memory instructions that are two steps here.
//
// Between memory and LDS: a load into a row of our own, which then goes to LDS (or the other way round). Lane i's dword
// lies at M0[15:0] + the instruction's offset + 4 * i; bytes and halves come extended to a dword.
// ..._addtid: the lane's own address is 4 * lane, which a row of our own gives as the vector offset.
// ..._block: bit i of M0 lets the register i of the block have the dword at 4 * i.

#include "staged_memory.h"

#include <cstring>

#include "control.h"
#include "memory_bind.h"

namespace ptxshim::vgpu {
namespace {

template <bool ToLds> const Op* stage(Wave& wave, const Op* op) {
  WorkGroup& group = *wave.group;
  uint32_t* const row = wave.reg(kStagedData);
  for (uint64_t left = wave.exec(); left; left &= left - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctzll(left));
    const uint64_t offset = (wave.s[kM0] & 0xffffU) + static_cast<uint64_t>(op->offset) + 4U * lane;
    if (offset > group.lds_bytes || group.lds_bytes - offset < 4)
      return raise(wave, op, Fault::Aperture, "LDS access out of range", offset, static_cast<int>(lane));
    if constexpr (ToLds) {
      std::memcpy(group.lds + offset, &row[lane], 4);
    } else {
      std::memcpy(&row[lane], group.lds + offset, 4);
    }
  }
  return op + 1;
}

} // namespace

const Op* run_stage_to_lds(Wave& wave, const Op* op) { return stage<true>(wave, op); }
const Op* run_stage_from_lds(Wave& wave, const Op* op) { return stage<false>(wave, op); }

const Op* run_lane_offsets(Wave& wave, const Op* op) {
  uint32_t* const row = wave.reg(kLaneOffsets);
  for (unsigned lane = 0; lane < wave.lanes; ++lane) row[lane] = 4 * lane;
  return op + 1;
}

const Op* run_block(Wave& wave, const Op* op) {
  const MemoryKind kind = static_cast<const MemoryTraits*>(op->table)->kind;
  const Handler access = flat_handler(kind);
  for (uint32_t left = wave.s[kM0]; left; left &= left - 1) {
    const unsigned i = static_cast<unsigned>(__builtin_ctz(left));
    Op one = *op;
    one.run = access;
    one.offset += 4 * i;
    if (kind == MemoryKind::Load) {
      one.dst = static_cast<uint16_t>(one.dst + i);
    } else {
      one.src[2].index = static_cast<uint16_t>(one.src[2].index + i);
    }
    if (!run_alone(wave, one)) return nullptr;
  }
  return op + 1;
}

} // namespace ptxshim::vgpu
