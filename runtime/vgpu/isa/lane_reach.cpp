// SPDX-License-Identifier: MIT
#include "lane_reach.h"

#include <cstring>

namespace ptxshim::vgpu {

const MemoryKernels* const kHostMemoryKernels = memory_kernels(best_host_isa());

void measure_same(const Wave& wave, LaneSpan& span) {
  std::memset(span.offset, 0, wave.lanes * sizeof span.offset[0]);
  span.lowest = span.highest = 0;
  span.contiguous = false;
  span.near = true;
}

// Scratch lies as [dword][lane]: every lane has its own distance, and words are a row apart.
bool find_cells(Wave& wave, uint64_t first, unsigned bytes, Reach& out) {
  if (!inside(first, out.span, bytes, wave.scratch_bytes)) return false;
  const unsigned row_shift = wave.lanes == 64 ? 8 : 7, first_lane = static_cast<unsigned>(__builtin_ctzll(out.exec));
  const uint32_t begin = static_cast<uint32_t>(first), first_cell = (begin >> 2 << row_shift) + (begin & 3U) + 4 * first_lane;
  uint32_t low_bits = 0;
  for (uint32_t lane = 0; lane < wave.lanes; ++lane) {
    const uint32_t at = begin + static_cast<uint32_t>(out.span.offset[lane]);
    low_bits |= at;
    out.span.offset[lane] = static_cast<int32_t>((at >> 2 << row_shift) + (at & 3U) + 4 * lane - first_cell);
  }
  if (low_bits & (bytes < 4 ? bytes - 1U : 3U)) return false; // would cross from one dword into the next
  out.span.contiguous = bytes >= 4 && out.span.lowest == out.span.highest;
  out.span.lowest = 0, out.span.highest = 1; // never one cell for all
  out.base = reinterpret_cast<std::byte*>(wave.scratch) + first_cell;
  out.word_step = 4 * wave.lanes;
  out.is_private = true;
  return true;
}

namespace {
void copy_words(Wave& wave, const MemoryTraits& traits, const Reach& reach, uint32_t* row, CopyKernel word) {
  LaneCopy copy = copy_of(traits, reach, row);
  for (unsigned i = 0; i < traits.bytes / 4U; ++i) {
    word(copy);
    copy.base += reach.word_step;
    copy.row += wave.lanes;
  }
}
} // namespace

void load_rows(Wave& wave, const MemoryTraits& traits, const Reach& reach, uint32_t* row) {
  copy_words(wave, traits, reach, row, kernels_of(wave).load[static_cast<unsigned>(Shape::W1)]);
}
void store_rows(Wave& wave, const MemoryTraits& traits, const Reach& reach, uint32_t* row) {
  copy_words(wave, traits, reach, row, kernels_of(wave).store[static_cast<unsigned>(Shape::W1)]);
}

bool atomic_lanes(Wave& wave, const Op* op, const MemoryTraits& traits, const Reach& reach, unsigned operand, unsigned second) {
  if (traits.bytes > 4 && reach.word_step != 4) return false; // the words are apart
  uintptr_t low_bits = reinterpret_cast<uintptr_t>(reach.base);
  for (unsigned lane = 0; lane < wave.lanes; ++lane) low_bits |= static_cast<uint32_t>(reach.span.offset[lane]);
  if (low_bits & (traits.bytes - 1U)) return false;
  const AtomicLanes lanes{reach.base, reach.span.offset, wave.lanes, reach.exec, wave.reg(operand), wave.reg(second),
                          op->returns ? wave.reg(op->dst) : nullptr};
  run_atomics(traits.atomic, traits.bytes, reach.is_private, reach.span.lowest == reach.span.highest, lanes);
  return true;
}

} // namespace ptxshim::vgpu
