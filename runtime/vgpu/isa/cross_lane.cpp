// SPDX-License-Identifier: MIT
// Vector operations that look at other lanes, or whose register is chosen at run time.

#include <bit>

#include "control.h"

namespace ptxshim::vgpu {

// EXEC does not matter for v_readlane and v_writelane.
const Op* run_readlane(Wave& wave, const Op* op) {
  const uint32_t lane = wave.read32(op->src[1]) & (wave.lanes - 1);
  wave.s[op->dst] = op->src[0].kind == SourceKind::Vector ? wave.reg(op->src[0].index)[lane] : wave.read32(op->src[0]);
  return op + 1;
}
// With EXEC = 0 lane 0 is read.
const Op* run_readfirstlane(Wave& wave, const Op* op) {
  const uint64_t exec = wave.exec();
  const unsigned lane = exec ? static_cast<unsigned>(std::countr_zero(exec)) : 0;
  wave.s[op->dst] = op->src[0].kind == SourceKind::Vector ? wave.reg(op->src[0].index)[lane] : wave.read32(op->src[0]);
  return op + 1;
}
const Op* run_writelane(Wave& wave, const Op* op) {
  const uint32_t lane = wave.read32(op->src[1]) & (wave.lanes - 1);
  wave.reg(op->dst)[lane] = wave.read32(op->src[0]);
  return op + 1;
}

namespace {
// One row of 16 lanes reads itself (or the other row of its pair) by `select(lane in row)`. Lanes that are off give the old
// value (bound_ctrl 0) or zero, unless fetching inactive lanes is allowed. op_sel bits: 0 fetch inactive, 1 bound control.
template <class Selector> const Op* permute_rows(Wave& wave, const Op* op, bool other_row, Selector select) {
  uint32_t data[64];
  std::memcpy(data, wave.reg(op->src[0].index), wave.lanes * 4U);
  const uint64_t exec = wave.exec();
  const bool fetch_inactive = (op->src[0].modifiers & kOpSel) != 0, bound = (op->src[1].modifiers & kOpSel) != 0;
  uint32_t* const dst = wave.reg(op->dst);
  for (uint64_t left = exec; left; left &= left - 1) {
    const unsigned lane = static_cast<unsigned>(std::countr_zero(left));
    const unsigned row = (lane & ~15U) ^ (other_row ? 16U : 0U);
    const unsigned from = row + select(lane);
    if (fetch_inactive || (exec >> from & 1U))
      dst[lane] = data[from];
    else if (bound)
      dst[lane] = 0;
  }
  return op + 1;
}
} // namespace

const Op* run_permlane16(Wave& wave, const Op* op) {
  const uint32_t low = wave.read32(op->src[1]), high = wave.read32(op->src[2]);
  const uint64_t selectors = static_cast<uint64_t>(high) << 32 | low;
  return permute_rows(wave, op, op->immediate != 0,
                      [&](unsigned lane) { return static_cast<unsigned>(selectors >> (4 * (lane & 15U)) & 15U); });
}

const Op* run_permlane16_var(Wave& wave, const Op* op) {
  uint32_t selectors[64];
  std::memcpy(selectors, wave.reg(op->src[1].index), wave.lanes * 4U);
  return permute_rows(wave, op, op->immediate != 0, [&](unsigned lane) { return selectors[lane] & 15U; });
}

// Swaps the halves of a wave of 64, and reads lanes that are off; does nothing in a wave of 32 (RDNA3 ISA 16.8).
const Op* run_permlane64(Wave& wave, const Op* op) {
  if (wave.lanes == 32) return op + 1;
  uint32_t data[64];
  std::memcpy(data, wave.reg(op->src[0].index), sizeof data);
  for (uint64_t left = wave.exec(); left; left &= left - 1) {
    const unsigned lane = static_cast<unsigned>(std::countr_zero(left));
    wave.reg(op->dst)[lane] = data[lane ^ 32U];
  }
  return op + 1;
}

const Op* run_swap(Wave& wave, const Op* op) {
  uint32_t* const a = wave.reg(op->dst);
  uint32_t* const b = wave.reg(op->src[0].index);
  for (uint64_t left = wave.exec(); left; left &= left - 1) {
    const unsigned lane = static_cast<unsigned>(std::countr_zero(left));
    const uint32_t value = a[lane];
    a[lane] = b[lane];
    b[lane] = value;
  }
  return op + 1;
}

namespace {
const Op* move_relative(Wave& wave, const Op* op, uint32_t from_distance, uint32_t to_distance) {
  const bool vector = op->src[0].kind == SourceKind::Vector;
  const uint32_t from = op->src[0].index + from_distance, to = op->dst + to_distance;
  if ((vector && from >= kAccumulatorBase) || to >= kAccumulatorBase)
    return raise(wave, op, Fault::IllegalInstruction, "relative vector register out of range", vector ? from : to);
  const uint32_t scalar = vector ? 0 : wave.read32(op->src[0]);
  const uint32_t* const source = vector ? wave.reg(from) : nullptr;
  uint32_t* const target = wave.reg(to);
  const uint64_t exec = wave.exec();
  for (unsigned lane = 0; lane < wave.lanes; ++lane)
    if (exec >> lane & 1U) target[lane] = source ? source[lane] : scalar;
  return op + 1;
}
} // namespace

const Op* run_vector_movrels(Wave& wave, const Op* op) { return move_relative(wave, op, wave.s[kM0], 0); }
const Op* run_vector_movreld(Wave& wave, const Op* op) { return move_relative(wave, op, 0, wave.s[kM0]); }
const Op* run_vector_movrelsd(Wave& wave, const Op* op) {
  const uint32_t m0 = wave.s[kM0];
  if (op->immediate) return move_relative(wave, op, m0 & 0x3ffU, m0 >> 16 & 0x3ffU);
  return move_relative(wave, op, m0, m0);
}

// Bits of a mask below the lane, added to a base.
namespace {
const Op* count_below(Wave& wave, const Op* op, bool high) {
  const uint64_t exec = wave.exec();
  uint32_t* const dst = wave.reg(op->dst);
  const Source &mask = op->src[0], &base = op->src[1];
  const uint32_t* const mask_row = mask.kind == SourceKind::Vector ? wave.reg(mask.index) : nullptr;
  const uint32_t* const base_row = base.kind == SourceKind::Vector ? wave.reg(base.index) : nullptr;
  const uint32_t mask_value = mask_row ? 0 : wave.read32(mask), base_value = base_row ? 0 : wave.read32(base);
  for (unsigned lane = 0; lane < wave.lanes; ++lane) {
    if (!(exec >> lane & 1U)) continue;
    const uint64_t below = (1ULL << lane) - 1;
    const uint32_t part = static_cast<uint32_t>(high ? below >> 32 : below);
    const uint32_t bits = (mask_row ? mask_row[lane] : mask_value) & part;
    dst[lane] = (base_row ? base_row[lane] : base_value) + static_cast<uint32_t>(std::popcount(bits));
  }
  return op + 1;
}
} // namespace
const Op* run_mbcnt_low(Wave& wave, const Op* op) { return count_below(wave, op, false); }
const Op* run_mbcnt_high(Wave& wave, const Op* op) { return count_below(wave, op, true); }

} // namespace ptxshim::vgpu
