// SPDX-License-Identifier: MIT
// Control transfer, barriers, and the machine's own registers.

#include "control.h"

#include <chrono>
#include <sched.h>

#include "dispatch_state.h"

namespace ptxshim::vgpu {

const Op* run_branch(Wave& wave, const Op* op) { return go_to(wave, op, static_cast<uint64_t>(op->offset)); }
namespace {
inline const Op* branch_if(Wave& wave, const Op* op, bool taken) {
  return taken ? go_to(wave, op, static_cast<uint64_t>(op->offset)) : next(wave, op);
}
} // namespace

// No link, the cache is asked each time.
const Op* go_anywhere(Wave& wave, const Op* op, uint64_t address) {
  const Op* const target = find_code(wave, op, address & ~3ULL);
  if (!target) return nullptr;
  if (--wave.fuel == 0) {
    wave.resume = target;
    wave.pause = Pause::Quantum;
    return nullptr;
  }
  return target;
}

const Op* run_branch_scc0(Wave& wave, const Op* op) { return branch_if(wave, op, !wave.scc()); }
const Op* run_branch_scc1(Wave& wave, const Op* op) { return branch_if(wave, op, wave.scc()); }
const Op* run_branch_vccz(Wave& wave, const Op* op) { return branch_if(wave, op, wave.mask_at(kVcc) == 0); }
const Op* run_branch_vccnz(Wave& wave, const Op* op) { return branch_if(wave, op, wave.mask_at(kVcc) != 0); }
const Op* run_branch_execz(Wave& wave, const Op* op) { return branch_if(wave, op, wave.exec() == 0); }
const Op* run_branch_execnz(Wave& wave, const Op* op) { return branch_if(wave, op, wave.exec() != 0); }

const Op* run_getpc(Wave& wave, const Op* op) {
  wave.write64(op->dst, op->pc + op->size);
  return next(wave, op);
}
const Op* run_setpc(Wave& wave, const Op* op) { return go_anywhere(wave, op, wave.read64(op->src[0])); }
const Op* run_swappc(Wave& wave, const Op* op) {
  const uint64_t target = wave.read64(op->src[0]);
  wave.write64(op->dst, op->pc + op->size);
  return go_anywhere(wave, op, target);
}
const Op* run_call(Wave& wave, const Op* op) {
  wave.write64(op->dst, op->pc + op->size);
  return go_to(wave, op, static_cast<uint64_t>(op->offset));
}

const Op* run_end(Wave& wave, const Op*) {
  wave.ended = true;
  wave.pause = Pause::Ended;
  return nullptr;
}

namespace {
const Op* run_left(Wave& wave, const Op* op) {
  wave.resume = op;
  return nullptr;
}
} // namespace
bool run_alone(Wave& wave, const Op& op) {
  static thread_local Op pair[2]; // outlives this frame, which an access that fails leaves by a jump (MemoryGuard)
  pair[0] = op;
  pair[1].run = run_left;
  const Op* at = pair;
  do at = at->run(wave, at);
  while (at);
  return wave.resume == &pair[1];
}

// Nobody is there who could resume a halted wave.
const Op* run_halt(Wave& wave, const Op* op) { return raise(wave, op, Fault::Trap, "the wave halted itself"); }
const Op* run_set_halt(Wave& wave, const Op* op) { return op->immediate & 1U ? run_halt(wave, op) : next(wave, op); }
// KILL ends the wave before its next instruction.
const Op* run_kill(Wave& wave, const Op* op) { return op->immediate & 1U ? run_end(wave, op) : next(wave, op); }

// Without a trap handler the debug trap is nothing and every other one ends the kernel (LLVM AMDGPUUsage, trap ids).
const Op* run_trap(Wave& wave, const Op* op) {
  if (op->immediate == 3) return next(wave, op);
  return raise(wave, op, Fault::Trap, "s_trap executed");
}

const Op* run_nothing(Wave& wave, const Op* op) { return next(wave, op); }

const Op* run_sleep(Wave& wave, const Op* op) {
  sched_yield();
  wave.resume = op + 1;
  wave.pause = Pause::Quantum;
  return nullptr;
}

const Op* run_unsupported(Wave& wave, const Op* op) {
  return raise(wave, op, Fault::IllegalInstruction, "instruction that is not implemented");
}
const Op* run_illegal(Wave& wave, const Op* op) {
  return raise(wave, op, Fault::IllegalInstruction, "illegal instruction");
}
const Op* run_undecodable(Wave& wave, const Op* op) {
  return raise(wave, op, Fault::IllegalInstruction, "bytes that are no instruction of this target");
}

// Barriers ----------------------------------------------------------------------------------------------------------
// The scheduler (work_group.cpp) releases the waves; here a wave only says that it waits.

const Op* run_barrier(Wave& wave, const Op* op) {
  if (wave.group->wave_count == 1) return next(wave, op);
  wave.at_barrier = true;
  ++wave.group->waiting;
  wave.resume = op + 1;
  wave.pause = Pause::Barrier;
  return nullptr;
}

const Op* run_barrier_signal(Wave& wave, const Op* op) {
  if (!wave.barrier_signalled) {
    wave.barrier_signalled = true;
    wave.barrier_phase = wave.group->barrier_phase;
    ++wave.group->signalled;
  }
  return next(wave, op);
}
const Op* run_barrier_signal_isfirst(Wave& wave, const Op* op) {
  wave.set_scc(wave.group->wave_count > 1 && wave.group->signalled == 0); // a wave alone is in no group (RDNA4 ISA 16.3)
  return run_barrier_signal(wave, op);
}
const Op* run_barrier_wait(Wave& wave, const Op* op) {
  WorkGroup& group = *wave.group;
  if (group.signalled && group.signalled + group.ended >= group.wave_count) { // the last one lets all go
    ++group.barrier_phase;
    group.signalled = 0;
  }
  if (wave.barrier_signalled && wave.barrier_phase == group.barrier_phase) {
    wave.resume = op; // look again at the next turn
    wave.pause = Pause::Quantum;
    return nullptr;
  }
  wave.barrier_signalled = false;
  return next(wave, op);
}

// The work group's own barrier, -1: bits 22:16 the waves that have signalled, 10:4 its waves, 0 that it exists.
const Op* run_barrier_state(Wave& wave, const Op* op) {
  const WorkGroup& group = *wave.group;
  const bool complete = group.signalled + group.ended >= group.wave_count; // the next wait says so to the others
  wave.s[op->dst] = (complete ? 0 : group.signalled & 0x7fU) << 16 | (group.wave_count & 0x7fU) << 4 | 1U;
  return next(wave, op);
}

// Machine registers ---------------------------------------------------------------------------------------------------

void Wave::set_mode(uint32_t value) {
  constexpr uint32_t kIeeeAndClamp = 3U << 8;
  mode_register = generation >= 12 ? value & ~kIeeeAndClamp : value; // gfx12 has no such bits, and behaves as if they were set
  mode = meaning::FloatMode::from_register(value);
  if (generation >= 12) mode.ieee = mode.dx10_clamp = true;
  meaning::FloatMode plain = mode;
  plain.ieee = plain.dx10_clamp = true;
  mode_kind = plain == meaning::kKeepDenormals      ? ModeKind::KeepDenormals
              : plain == meaning::kFlushDenormals32 ? ModeKind::FlushDenormals32
                                                    : ModeKind::Other;
}

namespace {

uint64_t ticks_of_100mhz() {
  using namespace std::chrono;
  return static_cast<uint64_t>(duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count()) / 10;
}

constexpr unsigned kModeRegister = 1;
constexpr uint32_t kFp16Overflow = 1U << 23; // overflowing halves become the largest number
constexpr uint32_t kIndexAndSkip = 3U << 27; // gfx9: VGPR indexing, vector instructions do nothing

// The bits that compute kernels can tell: CDNA3 ISA 3.4, RDNA3 ISA 3.4.1, RDNA4 ISA 3.4.1.
uint32_t status_of(const Wave& wave) {
  const uint32_t common = (wave.exec() == 0 ? 1U << 9 : 0U) | (wave.mask_at(kVcc) == 0 ? 1U << 10 : 0U) |
                          (wave.group->wave_count > 1 ? 1U << 11 : 0U) | 1U << 16; // in a group of waves, valid
  if (wave.generation >= 12) return common | (wave.lanes == 64 ? 1U << 29 : 0U);
  const uint32_t scratch = wave.generation == 9 ? 1U << 28 : wave.generation == 11 ? 1U << 29 : 0U;
  return common | wave.s[kScc] | (wave.scratch_bytes ? scratch : 0U);
}
uint32_t private_state_of(const Wave& wave) { // gfx12: RDNA4 ISA 3.4.2
  const WorkGroup& group = *wave.group;
  const bool complete =
      wave.barrier_signalled && (wave.barrier_phase != group.barrier_phase || group.signalled + group.ended >= group.wave_count);
  return wave.s[kScc] << 9 | (complete ? 1U << 2 : 0U) | (wave.scratch_bytes ? 1U << 18 : 0U);
}
// Flags of exceptions, which only the program itself sets.
unsigned exceptions_register(const Wave& wave) { return wave.generation >= 12 ? 18 : 3; }

uint32_t read_machine_register(const Wave& wave, unsigned id) {
  const DeviceProperties& device = *wave.group->dispatch->properties;
  if (id == exceptions_register(wave)) return wave.trap_status;
  switch (id) {
  case kModeRegister: return wave.mode_register;
  case 2: return status_of(wave);
  case 4: return wave.generation >= 12 ? private_state_of(wave) : 0;
  case 6: return (wave.group->lds_bytes + 255) / 256 << 12;
  case 15: // SH_MEM_BASES: private and shared aperture, bits 63:48; something else on gfx12
    if (wave.generation >= 12) return 0;
    return static_cast<uint32_t>(device.scratch_aperture >> 48) | static_cast<uint32_t>(device.lds_aperture >> 48) << 16;
  case 20: return wave.generation >= 10 ? static_cast<uint32_t>(wave.flat_scratch) : 0;
  case 21: return wave.generation >= 10 ? static_cast<uint32_t>(wave.flat_scratch >> 32) : 0;
  case 29: return static_cast<uint32_t>(ticks_of_100mhz()) & (wave.generation >= 12 ? ~0U : 0xfffffU);
  case 30: return static_cast<uint32_t>(ticks_of_100mhz() >> 32);
  default: return 0;
  }
}

void write_machine_register(Wave& wave, unsigned id, uint32_t value) {
  if (id == exceptions_register(wave)) wave.trap_status = value;
  if (id == kModeRegister) wave.set_mode(value);
  if (wave.generation != 10) return; // later ones let trap handlers alone write FLAT_SCRATCH; others have no effect here
  if (id == 20) wave.flat_scratch = (wave.flat_scratch & ~0xffffffffULL) | value;
  if (id == 21) wave.flat_scratch = (wave.flat_scratch & 0xffffffffULL) | static_cast<uint64_t>(value) << 32;
}

struct Field {
  unsigned id, shift;
  uint32_t mask;
};
Field field_of(uint32_t immediate) {
  const unsigned width = (immediate >> 11 & 31U) + 1;
  return {immediate & 63U, immediate >> 6 & 31U, width == 32 ? ~0U : (1U << width) - 1};
}

} // namespace

const Op* run_getreg(Wave& wave, const Op* op) {
  const Field field = field_of(op->immediate);
  if (field.id == 5) return raise(wave, op, Fault::IllegalInstruction, "GPR_ALLOC, which is not implemented");
  wave.s[op->dst] = read_machine_register(wave, field.id) >> field.shift & field.mask;
  return next(wave, op);
}

const Op* run_setreg(Wave& wave, const Op* op) {
  const Field field = field_of(op->immediate);
  const uint32_t value = wave.read32(op->src[0]);
  const uint32_t old = read_machine_register(wave, field.id);
  const uint32_t now = (old & ~(field.mask << field.shift)) | (value & field.mask) << field.shift;
  if (field.id == kModeRegister && (now & kFp16Overflow))
    return raise(wave, op, Fault::IllegalInstruction, "FP16_OVFL in MODE, which is not implemented");
  if (field.id == kModeRegister && wave.generation == 9 && (now & kIndexAndSkip))
    return raise(wave, op, Fault::IllegalInstruction, "GPR_IDX_EN or VSKIP in MODE, which is not implemented");
  write_machine_register(wave, field.id, now);
  return next(wave, op);
}

const Op* run_round_mode(Wave& wave, const Op* op) {
  wave.set_mode((wave.mode_register & ~0xfU) | (op->immediate & 0xfU));
  return next(wave, op);
}
const Op* run_denorm_mode(Wave& wave, const Op* op) {
  wave.set_mode((wave.mode_register & ~0xf0U) | (op->immediate & 0xfU) << 4);
  return next(wave, op);
}

const Op* run_time(Wave& wave, const Op* op) {
  using namespace std::chrono;
  wave.write64(op->dst, static_cast<uint64_t>(duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count()));
  return next(wave, op);
}
const Op* run_real_time(Wave& wave, const Op* op) {
  wave.write64(op->dst, ticks_of_100mhz());
  return next(wave, op);
}
const Op* run_message_result(Wave& wave, const Op* op) {
  const uint64_t value = (op->immediate & 0xffU) == 131 ? ticks_of_100mhz() : 0; // MSG_RTN_GET_REALTIME
  if (op->dst_words == 2)
    wave.write64(op->dst, value);
  else
    wave.s[op->dst] = static_cast<uint32_t>(value);
  return next(wave, op);
}

} // namespace ptxshim::vgpu
