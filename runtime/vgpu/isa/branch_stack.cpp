// SPDX-License-Identifier: MIT
// Divergent branches that the hardware itself serialises.
//
// gfx9 has a stack of up to eight entries of four scalar registers, at s[4n], n being CSP in bits 31:29 of MODE: the lanes
// (s[4n+1:4n]) and the address (s[4n+3:4n+2]) of the side of a fork that still has to run. A fork on which all lanes agree
// is a plain branch; else the smaller side goes first. A join takes the next side from the stack until it has come down to
// the depth that the program saved.
//
// gfx10 and gfx11 can run a block once for each half of a wave of 64: the loop's scalar register holds the half of EXEC
// that is not running.

#include <bit>

#include "control.h"

namespace ptxshim::vgpu {
namespace {

constexpr unsigned kStackShift = 29, kStackDepth = 8;

bool push(Wave& wave, const Op* op, uint64_t address, uint64_t lanes) {
  const unsigned depth = wave.mode_register >> kStackShift;
  if (depth + 1 == kStackDepth) {
    raise(wave, op, Fault::IllegalInstruction, "the stack of forks is full");
    return false;
  }
  wave.write64(4 * depth, lanes);
  wave.write64(4 * depth + 2, address);
  wave.mode_register += 1U << kStackShift;
  return true;
}

} // namespace

const Op* run_fork(Wave& wave, const Op* op) {
  const bool relative = op->src[1].kind == SourceKind::None;
  const uint64_t target = relative ? static_cast<uint64_t>(op->offset) : wave.read64(op->src[1]);
  const uint64_t exec = wave.exec(), mask = wave.read64(op->src[0]);
  const uint64_t taken = mask & exec, not_taken = ~mask & exec;
  if (taken == exec) return go_anywhere(wave, op, target);
  if (not_taken == exec) return op + 1;
  if (std::popcount(not_taken) < std::popcount(taken)) {
    if (!push(wave, op, target, taken)) return nullptr;
    wave.write64(kExec, not_taken);
    return op + 1;
  }
  if (!push(wave, op, op->pc + op->size, not_taken)) return nullptr;
  wave.write64(kExec, taken);
  return go_anywhere(wave, op, target);
}

const Op* run_join(Wave& wave, const Op* op) {
  const unsigned depth = wave.mode_register >> kStackShift;
  if (depth == wave.read32(op->src[0])) return op + 1;
  if (depth == 0) return raise(wave, op, Fault::IllegalInstruction, "the stack of forks is empty");
  wave.mode_register -= 1U << kStackShift;
  uint64_t lanes, address;
  std::memcpy(&lanes, &wave.s[4 * (depth - 1)], 8);
  std::memcpy(&address, &wave.s[4 * (depth - 1) + 2], 8);
  wave.write64(kExec, lanes);
  return go_anywhere(wave, op, address);
}

const Op* run_subvector_begin(Wave& wave, const Op* op) {
  uint32_t &low = wave.s[kExec], &high = wave.s[kExec + 1];
  if (low == 0 && high == 0) return go_to(wave, op, static_cast<uint64_t>(op->offset));
  if (low == 0) { // the high half alone
    wave.s[op->dst] = 0;
  } else {
    wave.s[op->dst] = high;
    high = 0;
  }
  return op + 1;
}

const Op* run_subvector_end(Wave& wave, const Op* op) {
  uint32_t &low = wave.s[kExec], &high = wave.s[kExec + 1], &other = wave.s[op->dst];
  if (high != 0) { // the high half has run
    low = other;
    return op + 1;
  }
  if (other == 0) return op + 1; // there was none
  high = other;
  other = low;
  low = 0;
  return go_to(wave, op, static_cast<uint64_t>(op->offset));
}

} // namespace ptxshim::vgpu
