// SPDX-License-Identifier: MIT
// Scalar operations that read and write EXEC, or whose destination is also a source.

#include "control.h"

namespace ptxshim::vgpu {
namespace {

uint64_t combine(ExecOp kind, uint64_t source, uint64_t exec) {
  switch (kind) {
  case ExecOp::And: return source & exec;
  case ExecOp::Or: return source | exec;
  case ExecOp::Xor: return source ^ exec;
  case ExecOp::AndNot1: return ~source & exec;
  case ExecOp::AndNot2: return source & ~exec;
  case ExecOp::OrNot1: return ~source | exec;
  case ExecOp::OrNot2: return source | ~exec;
  case ExecOp::Nand: return ~(source & exec);
  case ExecOp::Nor: return ~(source | exec);
  case ExecOp::Xnor: return ~(source ^ exec);
  }
  return 0;
}

struct ExecChange {
  uint64_t old_exec, new_exec;
};

// The 32-bit forms work on EXEC_LO alone.
ExecChange change(Wave& wave, const Op* op) {
  uint64_t exec, source;
  std::memcpy(&exec, &wave.s[kExec], 8);
  const bool wide = op->dst_words == 2;
  source = wide ? wave.read64(op->src[0]) : wave.read32(op->src[0]);
  if (!wide) exec &= 0xffffffffU;
  uint64_t result = combine(static_cast<ExecOp>(op->immediate), source, exec);
  if (!wide) result &= 0xffffffffU;
  return {exec, result};
}

void put(Wave& wave, unsigned slot, bool wide, uint64_t value) {
  wave.s[slot] = static_cast<uint32_t>(value);
  if (wide) wave.s[slot + 1] = static_cast<uint32_t>(value >> 32);
}

} // namespace

const Op* run_saveexec(Wave& wave, const Op* op) {
  const ExecChange c = change(wave, op);
  const bool wide = op->dst_words == 2;
  put(wave, op->dst, wide, c.old_exec);
  put(wave, kExec, wide, c.new_exec);
  wave.set_scc(c.new_exec != 0);
  return next(wave, op);
}

const Op* run_wrexec(Wave& wave, const Op* op) {
  const ExecChange c = change(wave, op);
  const bool wide = op->dst_words == 2;
  put(wave, op->dst, wide, c.new_exec);
  put(wave, kExec, wide, c.new_exec);
  wave.set_scc(c.new_exec != 0);
  return next(wave, op);
}

const Op* run_cmov(Wave& wave, const Op* op) {
  if (!wave.scc()) return next(wave, op);
  put(wave, op->dst, op->dst_words == 2, op->dst_words == 2 ? wave.read64(op->src[0]) : wave.read32(op->src[0]));
  return next(wave, op);
}

const Op* run_bitset(Wave& wave, const Op* op) {
  const bool wide = op->dst_words == 2;
  const uint32_t bit = wave.read32(op->src[0]) & (wide ? 63U : 31U);
  uint32_t& word = wave.s[op->dst + (bit >> 5)];
  word = op->immediate ? word | 1U << (bit & 31U) : word & ~(1U << (bit & 31U));
  return next(wave, op);
}

namespace {
// M0 added to a register number: from one kind of register to another is an error of the program, and pairs begin at even
// registers (RDNA3 ISA 3.3.1).
bool relative(Wave& wave, const Op* op, unsigned slot, unsigned words, unsigned& out, uint32_t distance) {
  const unsigned begin = slot < kTtmp0 ? 0 : kTtmp0, end = slot < kTtmp0 ? kTtmp0 : kM0;
  out = slot + (words == 2 ? distance & ~1U : distance);
  if (out >= begin && out <= end - words) return true;
  raise(wave, op, Fault::IllegalInstruction, "relative scalar register out of range", out);
  return false;
}
} // namespace

const Op* run_movrels(Wave& wave, const Op* op) {
  unsigned slot;
  if (!relative(wave, op, op->src[0].index, op->dst_words, slot, wave.s[kM0])) return nullptr;
  const uint32_t low = wave.s[slot], high = wave.s[slot + 1];
  wave.s[op->dst] = low;
  if (op->dst_words == 2) wave.s[op->dst + 1] = high;
  return next(wave, op);
}
const Op* run_movreld(Wave& wave, const Op* op) {
  unsigned slot;
  if (!relative(wave, op, op->dst, op->dst_words, slot, wave.s[kM0])) return nullptr;
  put(wave, slot, op->dst_words == 2, op->dst_words == 2 ? wave.read64(op->src[0]) : wave.read32(op->src[0]));
  return next(wave, op);
}
const Op* run_movrelsd2(Wave& wave, const Op* op) {
  unsigned from, to;
  if (!relative(wave, op, op->src[0].index, 1, from, wave.s[kM0] & 0x3ffU)) return nullptr;
  if (!relative(wave, op, op->dst, 1, to, wave.s[kM0] >> 16 & 0x3ffU)) return nullptr;
  wave.s[to] = wave.s[from];
  return next(wave, op);
}

const Op* run_wave_id(Wave& wave, const Op* op) {
  wave.s[op->dst] = wave.index;
  return next(wave, op);
}

} // namespace ptxshim::vgpu
