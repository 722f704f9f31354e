// SPDX-License-Identifier: MIT
// M0[7:0] is the index, M0[15:12] says what it is added to: bit 0 the first source, 1 the second, 2 the third, 3 the result.

#include "gpr_index.h"

#include "control.h"
#include "wave.h"

namespace ptxshim::vgpu {

const Op* run_set_index_on(Wave& wave, const Op* op) {
  wave.s[kM0] = (wave.s[kM0] & ~0xf0ffU) | (wave.read32(op->src[0]) & 0xffU) | (op->immediate & 0xfU) << 12;
  return op + 1;
}
const Op* run_set_index(Wave& wave, const Op* op) {
  wave.s[kM0] = (wave.s[kM0] & ~0xffU) | (wave.read32(op->src[0]) & 0xffU);
  return op + 1;
}
const Op* run_set_index_mode(Wave& wave, const Op* op) {
  wave.s[kM0] = (wave.s[kM0] & ~0xf000U) | (op->immediate & 0xfU) << 12;
  return op + 1;
}

const Op* run_indexed(Wave& wave, const Op* op) {
  Op moved = *static_cast<const Op*>(op->table);
  VopExtra extra;
  if (moved.extra) {
    extra = *moved.extra;
    moved.extra = &extra;
  }
  const uint32_t index = wave.s[kM0] & 0xffU, what = wave.s[kM0] >> 12 & 0xfU;
  uint16_t& dst = extra.finished ? extra.dst : moved.dst;
  uint32_t highest = dst;
  for (unsigned i = 0; i < 3; ++i) {
    Source& source = extra.prepared >> i & 1U ? extra.from[i] : moved.src[i];
    if (!(what >> i & 1U) || (source.kind != SourceKind::Vector && source.kind != SourceKind::Signed)) continue;
    source.index = static_cast<uint16_t>(source.index + index);
    if (source.index > highest) highest = source.index;
  }
  if ((what >> 3 & 1U) && !moved.dst_is_scalar) {
    dst = static_cast<uint16_t>(dst + index);
    if (dst > highest) highest = dst;
  }
  if (highest >= kVectorRegisters - 1)
    return raise(wave, op, Fault::IllegalInstruction, "indexed vector register out of range", highest);
  place_rows(moved, wave.lanes);
  return run_alone(wave, moved) ? op + 1 : nullptr;
}

void make_indexed(Op& op, std::deque<Op>& originals) {
  originals.push_back(op);
  op.table = &originals.back();
  op.run = run_indexed;
}

} // namespace ptxshim::vgpu
