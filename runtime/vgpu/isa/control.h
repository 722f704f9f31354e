// SPDX-License-Identifier: MIT
#pragma once

#include "wave.h"

namespace ptxshim::vgpu {

// Transfers of control; op->offset is the target address.
const Op* run_branch(Wave& wave, const Op* op);
const Op* run_branch_scc0(Wave& wave, const Op* op);
const Op* run_branch_scc1(Wave& wave, const Op* op);
const Op* run_branch_vccz(Wave& wave, const Op* op);
const Op* run_branch_vccnz(Wave& wave, const Op* op);
const Op* run_branch_execz(Wave& wave, const Op* op);
const Op* run_branch_execnz(Wave& wave, const Op* op);
const Op* run_getpc(Wave& wave, const Op* op);
const Op* run_setpc(Wave& wave, const Op* op);
const Op* run_swappc(Wave& wave, const Op* op);
const Op* run_call(Wave& wave, const Op* op);
const Op* run_end(Wave& wave, const Op* op);
const Op* run_set_halt(Wave& wave, const Op* op);
const Op* run_halt(Wave& wave, const Op* op);
const Op* run_kill(Wave& wave, const Op* op);
const Op* run_illegal(Wave& wave, const Op* op);
const Op* run_fork(Wave& wave, const Op* op);
const Op* run_join(Wave& wave, const Op* op);
const Op* run_subvector_begin(Wave& wave, const Op* op);
const Op* run_subvector_end(Wave& wave, const Op* op);
// Executes an operation that has none behind it. False: it does not go on there (a fault, a wait, a jump).
bool run_alone(Wave& wave, const Op& op);
// Goes on at an address that is known only now.
const Op* go_anywhere(Wave& wave, const Op* op, uint64_t address);
const Op* run_trap(Wave& wave, const Op* op);
const Op* run_nothing(Wave& wave, const Op* op);
const Op* run_sleep(Wave& wave, const Op* op);
const Op* run_barrier(Wave& wave, const Op* op);
const Op* run_barrier_signal(Wave& wave, const Op* op);
const Op* run_barrier_signal_isfirst(Wave& wave, const Op* op);
const Op* run_barrier_wait(Wave& wave, const Op* op);
const Op* run_barrier_state(Wave& wave, const Op* op);
const Op* run_unsupported(Wave& wave, const Op* op);
const Op* run_undecodable(Wave& wave, const Op* op);

// Registers of the machine itself.
const Op* run_getreg(Wave& wave, const Op* op);
const Op* run_setreg(Wave& wave, const Op* op);
const Op* run_round_mode(Wave& wave, const Op* op);
const Op* run_denorm_mode(Wave& wave, const Op* op);
const Op* run_time(Wave& wave, const Op* op);
const Op* run_real_time(Wave& wave, const Op* op);
const Op* run_message_result(Wave& wave, const Op* op);

// Scalar operations on EXEC and on chosen registers.
enum class ExecOp : uint8_t { And, Or, Xor, AndNot1, AndNot2, OrNot1, OrNot2, Nand, Nor, Xnor };
const Op* run_saveexec(Wave& wave, const Op* op);  // op->immediate: ExecOp
const Op* run_wrexec(Wave& wave, const Op* op);
const Op* run_cmov(Wave& wave, const Op* op);
const Op* run_bitset(Wave& wave, const Op* op);    // op->immediate: the bit
const Op* run_movrels(Wave& wave, const Op* op);
const Op* run_movreld(Wave& wave, const Op* op);
const Op* run_movrelsd2(Wave& wave, const Op* op);
const Op* run_wave_id(Wave& wave, const Op* op);

// Vector operations that look at other lanes or choose registers at run time.
const Op* run_readlane(Wave& wave, const Op* op);
const Op* run_readfirstlane(Wave& wave, const Op* op);
const Op* run_writelane(Wave& wave, const Op* op);
const Op* run_permlane16(Wave& wave, const Op* op); // op->immediate: 1 permlanex16
const Op* run_permlane16_var(Wave& wave, const Op* op);
const Op* run_permlane64(Wave& wave, const Op* op);
const Op* run_swap(Wave& wave, const Op* op);
const Op* run_vector_movrels(Wave& wave, const Op* op);
const Op* run_vector_movreld(Wave& wave, const Op* op);
const Op* run_vector_movrelsd(Wave& wave, const Op* op); // immediate 1: the _2 form
const Op* run_mbcnt_low(Wave& wave, const Op* op);
const Op* run_mbcnt_high(Wave& wave, const Op* op);
const Op* run_swaprel(Wave& wave, const Op* op);
const Op* run_mqsad(Wave& wave, const Op* op); // immediate 1: sums saturate

} // namespace ptxshim::vgpu
