// SPDX-License-Identifier: MIT
// Vector operations that no lane kernel has: registers chosen at run time, operands of four words.

#include "control.h"
#include "meanings/meanings.h"

namespace ptxshim::vgpu {

// M0[9:0] is added to the source's number, M0[25:16] to the destination's.
const Op* run_swaprel(Wave& wave, const Op* op) {
  const uint32_t m0 = wave.s[kM0];
  const unsigned from = op->src[0].index + (m0 & 0x3ffU), to = op->dst + (m0 >> 16 & 0x3ffU);
  if (from >= kAccumulatorBase || to >= kAccumulatorBase)
    return raise(wave, op, Fault::IllegalInstruction, "relative vector register out of range", from > to ? from : to);
  uint32_t *const a = wave.reg(from), *const b = wave.reg(to);
  for (uint64_t left = wave.exec(); left; left &= left - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctzll(left));
    const uint32_t value = a[lane];
    a[lane] = b[lane];
    b[lane] = value;
  }
  return op + 1;
}

namespace {
uint32_t word_of(const Wave& wave, const Source& source, unsigned word, unsigned lane) {
  if (source.kind == SourceKind::Vector) return wave.v[static_cast<size_t>(source.index + word) * wave.lanes + lane];
  if (source.kind == SourceKind::Scalar && source.words > word) return wave.s[source.index + word];
  return static_cast<uint32_t>(wave.read64(source) >> (32 * word));
}
} // namespace

const Op* run_mqsad(Wave& wave, const Op* op) {
  for (uint64_t left = wave.exec(); left; left &= left - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctzll(left));
    const uint64_t a = static_cast<uint64_t>(word_of(wave, op->src[0], 1, lane)) << 32 | word_of(wave, op->src[0], 0, lane);
    meaning::U32x4 sums{};
    for (unsigned i = 0; i < 4; ++i) sums.v[i] = word_of(wave, op->src[2], i, lane);
    const uint32_t b = word_of(wave, op->src[1], 0, lane);
    sums = op->immediate ? meaning::v_mqsad_u32_u8_sat(a, b, sums) : meaning::v_mqsad_u32_u8(a, b, sums);
    for (unsigned i = 0; i < 4; ++i) wave.reg(op->dst + i)[lane] = sums.v[i];
  }
  return op + 1;
}

} // namespace ptxshim::vgpu
