// SPDX-License-Identifier: MIT
// Transfers of control, machine registers, moves by M0, and what only waits or hints.
.include "common.inc"

// The branch is taken, or not: s20 says how the kernel came by.
.macro TAKEN branch:vararg
  s_mov_b32 s20, 1
  \branch 1f
  s_mov_b32 s20, 2
1:
  IS32 s20, 1
.endm
.macro NOT_TAKEN branch:vararg
  s_mov_b32 s20, 1
  \branch 1f
  s_mov_b32 s20, 2
1:
  IS32 s20, 2
.endm
KERNEL branches
  TAKEN s_branch
  s_cmp_eq_u32 s6, s6
  TAKEN s_cbranch_scc1
  s_cmp_eq_u32 s6, s6
  NOT_TAKEN s_cbranch_scc0
  s_cmp_lg_u32 s6, s6
  TAKEN s_cbranch_scc0
  s_cmp_lg_u32 s6, s6
  NOT_TAKEN s_cbranch_scc1
  s_mov_b64 vcc, 0
  TAKEN s_cbranch_vccz
  NOT_TAKEN s_cbranch_vccnz
  s_mov_b64 vcc, 4
  NOT_TAKEN s_cbranch_vccz
  TAKEN s_cbranch_vccnz
  TAKEN s_cbranch_execnz
  NOT_TAKEN s_cbranch_execz
.if generation < 12
  NOT_TAKEN s_cbranch_cdbgsys // no debugger
  NOT_TAKEN s_cbranch_cdbguser
  NOT_TAKEN s_cbranch_cdbgsys_or_user
  NOT_TAKEN s_cbranch_cdbgsys_and_user
.endif
  // s_call_b64 and s_swappc_b64 leave the address behind themselves
  s_mov_b32 s20, 1
  s_call_b64 s[22:23], 2f
  IS32 s20, 8
  s_branch 3f
2:
  s_lshl_b32 s20, s20, 3
  s_setpc_b64 s[22:23]
3:
  s_getpc_b64 s[22:23]
4:
  s_add_u32 s22, s22, 5f-4b
  s_addc_u32 s23, s23, 0
  s_swappc_b64 s[24:25], s[22:23]
  IS32 s20, 9
  s_branch 6f
5:
  s_add_u32 s20, s20, 1
  s_setpc_b64 s[24:25]
6:
  CHECKED

.if generation == 9
// Lanes 0-3 are on and 0, 1, 2 take the fork: the other lane goes first, then they, then all join. s20 gets a digit a visit.
KERNEL forks
  s_mov_b32 s40, 0
  s_mov_b64 exec, 15
  s_mov_b64 s[42:43], 7
  s_getreg_b32 s44, hwreg(HW_REG_MODE, 29, 3)
  s_cbranch_i_fork s[42:43], 1f
  s_mul_i32 s40, s40, 16
  s_add_u32 s40, s40, exec_lo
  s_branch 2f
1:
  s_mul_i32 s40, s40, 16
  s_add_u32 s40, s40, exec_lo
2:
  s_cbranch_join s44
  s_mov_b32 s45, exec_lo
  s_mov_b64 exec, 1
  IS32 s40, 0x87
  IS32 s45, 7 // the program itself puts all lanes on again
  // all lanes agree: no entry; and the form with an address, where the lanes that take it go first
  s_mov_b32 s40, 0
  s_mov_b64 exec, 15
  s_mov_b64 s[42:43], -1
  s_cbranch_i_fork s[42:43], 3f
  s_mov_b32 s40, 99
3:
  s_mov_b64 s[42:43], 1
  s_getpc_b64 s[48:49]
4:
  s_add_u32 s48, s48, 5f-4b
  s_addc_u32 s49, s49, 0
  s_cbranch_g_fork s[42:43], s[48:49]
  s_mul_i32 s40, s40, 16
  s_add_u32 s40, s40, exec_lo
  s_branch 6f
5:
  s_mul_i32 s40, s40, 16
  s_add_u32 s40, s40, exec_lo
6:
  s_cbranch_join s44
  s_mov_b32 s45, exec_lo
  s_mov_b64 exec, 1
  IS32 s40, 0x1e
  IS32 s45, 14
  CHECKED

// M0[7:0] is the index; the mode says what it is added to: 1 the first source, 8 the destination.
KERNEL register_index
  v_mov_b32 v20, 20
  v_mov_b32 v22, 22
  v_mov_b32 v30, 30
  v_mov_b32 v32, 32
  v_mov_b32 v35, 7
  s_mov_b32 s20, 2
  s_set_gpr_idx_on s20, 1
  v_mov_b32 v21, v20
  s_set_gpr_idx_mode 8
  v_mov_b32 v30, v20
  s_mov_b32 s20, 3
  s_set_gpr_idx_idx s20
  v_mov_b32 v30, v20
  s_set_gpr_idx_mode 2
  v_sub_u32 v34, v20, v30
  s_set_gpr_idx_mode 9
  v_readlane_b32 s21, v27, 0
  s_mov_b32 s22, 5
  v_writelane_b32 v35, s22, 0
  v_mov_b32 v37, v27
  s_set_gpr_idx_mode 1
  v_lshlrev_b32 v36, v29, v35
  s_set_gpr_idx_off
  IS64 v34, s21, 0, 30
  IS64 v38, v40, 5, 30
  IS32 v36, 7 << 20
  IS32 v21, 22
  IS32 v32, 20
  IS32 v33, 20
  IS32 v30, 30
  CHECKED
.else
.if generation < 12
// A block once for each half of EXEC; with one half alone once.
KERNEL subvectors
  s_mov_b32 s20, 0
  s_mov_b32 exec_lo, 1
  s_mov_b32 exec_hi, 2
1:
  s_subvector_loop_begin s21, 2f
3:
  s_mul_i32 s20, s20, 16
  s_lshl_b32 s22, exec_hi, 2
  s_add_u32 s20, s20, exec_lo
  s_add_u32 s20, s20, s22
2:
  s_subvector_loop_end s21, 3b
  s_mov_b32 s23, exec_hi
  s_mov_b32 s24, exec_lo
  s_mov_b64 exec, 1
  IS32 s20, 0x18
  IS64 s24, s23, 1, 2
  s_mov_b32 s20, 0
  s_mov_b32 exec_lo, 0
  s_mov_b32 exec_hi, 2
  s_subvector_loop_begin s21, 5f
4:
  s_add_u32 s20, s20, exec_hi
5:
  s_subvector_loop_end s21, 4b
  s_mov_b32 s23, exec_hi
  s_mov_b64 exec, 1
  IS32 s20, 2
  IS32 s23, 2
  s_mov_b64 exec, 0
  s_subvector_loop_begin s21, 6f
  s_mov_b32 s20, 99
6:
  s_mov_b64 exec, 1
  IS32 s20, 2
  CHECKED
.endif
.endif

KERNEL moves
  s_mov_b32 s20, 20
  s_mov_b32 s21, 21
  s_mov_b32 s22, 22
  s_mov_b32 s23, 23
  s_mov_b32 m0, 2
  s_movrels_b32 s30, s20
  IS32 s30, 22
  s_movrels_b64 s[30:31], s[20:21]
  IS64 s30, s31, 22, 23
  s_movreld_b32 s30, s20
  IS32 s32, 20
  s_movreld_b64 s[30:31], s[20:21]
  IS64 s32, s33, 20, 21
  s_mov_b32 m0, 3 // RDNA3 ISA 3.3.1.3: pairs ignore the index's lowest bit
  s_movrels_b64 s[30:31], s[20:21]
  IS64 s30, s31, 22, 23
  s_mov_b32 m0, -1 // the sum has 32 bits
  s_movrels_b32 s30, s23
  IS32 s30, 22
.if generation >= 10
  s_mov_b32 s33, 0
  s_mov_b32 m0, 0x00030001
  s_movrelsd_2_b32 s30, s20
  IS32 s33, 21
  // the same for vectors: M0[9:0] the source, M0[25:16] the destination
  v_mov_b32 v20, 20
  v_mov_b32 v21, 21
  v_mov_b32 v30, 30
  v_mov_b32 v33, 33
  v_movrelsd_2_b32 v30, v20
  IS32 v33, 21
  v_swaprel_b32 v30, v20
  v_swaprel_b32 v30, v20
  v_mov_b32 v21, 5
  v_swaprel_b32 v30, v20
  IS64 v33, v21, 5, 21
  s_mov_b32 m0, 1
  v_movrelsd_b32 v30, v20
  IS32 v31, 21
.endif
  s_mov_b32 m0, -1
  CHECKED

// Machine registers. STATUS: SCC in bit 0 (gfx12: STATE_PRIV, bit 9), 9 EXECZ, 10 VCCZ, 11 in a group of waves, 16 valid.
.macro STATUS_IS status, private
  s_getreg_b32 s20, hwreg(HW_REG_STATUS)
  s_and_b32 s20, s20, 0x10e01
  IS32 s20, \status
.if generation >= 12
  s_getreg_b32 s20, hwreg(HW_REG_STATE_PRIV)
  IS32 s20, \private
.endif
.endm
.macro EXCEPTIONS register
  s_setreg_imm32_b32 hwreg(\register, 0, 6), 0x25
  s_getreg_b32 s20, hwreg(\register, 0, 7)
  IS32 s20, 0x25
  s_setreg_imm32_b32 hwreg(\register, 2, 1), 0
  s_getreg_b32 s20, hwreg(\register, 2, 5)
  IS32 s20, 8
.endm
.macro NOT_WRITTEN register
  s_getreg_b32 s20, hwreg(\register)
  s_mov_b32 s21, 0x1234
  s_setreg_b32 hwreg(\register), s21
  s_getreg_b32 s21, hwreg(\register)
  s_cmp_eq_u32 s20, s21
  SCC_IS 1
.endm
KERNEL machine_registers
  s_mov_b64 vcc, 0
  s_cmp_lg_u32 s6, s6
.if generation >= 12
  STATUS_IS 0x10400, 0x40000 // this kernel has scratch
  s_mov_b64 vcc, 1
  s_cmp_eq_u32 s6, s6
  s_getreg_b32 s20, hwreg(HW_REG_STATE_PRIV)
  IS32 s20, 0x40200
  s_getreg_b32 s20, hwreg(HW_REG_MODE, 8, 2) // RDNA4 ISA 3.4.3: no such bits
  IS32 s20, 0
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 8, 2), 3
  s_getreg_b32 s20, hwreg(HW_REG_MODE, 8, 2)
  IS32 s20, 0
  EXCEPTIONS HW_REG_EXCP_FLAG_USER
  NOT_WRITTEN HW_REG_SCRATCH_BASE_LO
  NOT_WRITTEN HW_REG_SCRATCH_BASE_HI
.else
  STATUS_IS 0x10400, 0
  s_mov_b64 vcc, 1
  s_cmp_eq_u32 s6, s6
  s_getreg_b32 s20, hwreg(HW_REG_STATUS, 0, 12)
  IS32 s20, 1
  EXCEPTIONS HW_REG_TRAPSTS
.endif
.if generation == 11
  // RDNA3 ISA 3.4: that of a wave with scratch, "writable only while in trap handler"
  NOT_WRITTEN HW_REG_FLAT_SCR_LO
  NOT_WRITTEN HW_REG_FLAT_SCR_HI
  s_getreg_b32 s20, hwreg(HW_REG_FLAT_SCR_HI)
  s_cmp_lg_u32 s20, 0
  SCC_IS 1
.endif
.if generation == 10
  s_setreg_imm32_b32 hwreg(HW_REG_FLAT_SCR_LO), 0x1234
  s_setreg_imm32_b32 hwreg(HW_REG_FLAT_SCR_HI), 0x56
  s_getreg_b32 s20, hwreg(HW_REG_FLAT_SCR_LO)
  s_getreg_b32 s21, hwreg(HW_REG_FLAT_SCR_HI)
  IS64 s20, s21, 0x1234, 0x56
.endif
  CHECKED

// What waits, hints or keeps statistics changes nothing.
KERNEL hints
  s_mov_b32 s20, 5
  s_mov_b64 vcc, 3
  s_nop 3
  s_sleep 1
  s_setprio 1
  s_sethalt 0
  s_icache_inv
  s_incperflevel 0
  s_decperflevel 0
  s_sendmsg 1
  s_setkill 0
  v_nop
.if generation == 9
  s_wakeup
  s_ttracedata
  v_clrexcp
  buffer_wbl2
  buffer_wbinvl1
  buffer_wbinvl1_vol
.ifdef sc0
  buffer_inv
.else
  buffer_invl2
.endif
.endif
.if generation >= 10
  s_version 1
  s_clause 1
  s_waitcnt_depctr 0xffff
  s_ttracedata
  s_ttracedata_imm 1
  v_pipeflush
.if generation < 12
  s_wakeup
  s_waitcnt_vscnt null, 0
  s_waitcnt_vmcnt null, 0
  s_waitcnt_expcnt null, 0
  s_waitcnt_lgkmcnt null, 0
  buffer_gl0_inv
  buffer_gl1_inv
  s_gl1_inv
.endif
.if generation == 10
  s_inst_prefetch 1
  v_clrexcp
.else
.if generation == 11
  s_set_inst_prefetch_distance 1
.if .amdgcn.gfx_generation_minor == 5
  s_singleuse_vdst 1
.endif
.endif
  s_delay_alu instid0(VALU_DEP_1)
  s_wait_idle
  s_wait_event 0
.endif
.if generation >= 12
  s_wait_alu 0
  s_wait_bvhcnt 0
  s_wait_dscnt 0
  s_wait_expcnt 0
  s_wait_kmcnt 0
  s_wait_loadcnt 0
  s_wait_loadcnt_dscnt 0
  s_wait_samplecnt 0
  s_wait_storecnt 0
  s_wait_storecnt_dscnt 0
  s_sleep_var s20
  global_inv
  global_wb
  global_wbinv
.endif
.endif
  IS32 s20, 5
  IS64 vcc_lo, vcc_hi, 3, 0
  // a group of one wave passes its barriers
.if generation >= 12
  s_get_barrier_state s21, -1
  IS32 s21, 0x11 // one member, none has signalled
  s_barrier_signal -1
  s_get_barrier_state s21, -1
  IS32 s21, 0x11 // the only one has: that completed it
  s_barrier_wait -1
  s_barrier_signal_isfirst -1
  SCC_IS 0 // RDNA4 ISA 16.3: 0 where there is no work group, which is one of several waves (3.4.1)
  s_barrier_wait -1
.else
  s_barrier
.endif
.if generation < 11
  // clocks go forward
  s_memtime s[20:21]
  s_memtime s[22:23]
  s_sub_u32 s24, s22, s20
  s_subb_u32 s25, s23, s21
  s_lshr_b32 s25, s25, 31
  IS32 s25, 0
  s_memrealtime s[20:21]
  s_memrealtime s[22:23]
  s_sub_u32 s24, s22, s20
  s_subb_u32 s25, s23, s21
  s_lshr_b32 s25, s25, 31
  IS32 s25, 0
.else
  s_sendmsg_rtn_b64 s[20:21], sendmsg(MSG_RTN_GET_REALTIME)
  s_sendmsg_rtn_b64 s[22:23], sendmsg(MSG_RTN_GET_REALTIME)
  s_sub_u32 s24, s22, s20
  s_subb_u32 s25, s23, s21
  s_lshr_b32 s25, s25, 31
  IS32 s25, 0
  s_sendmsg_rtn_b32 s20, sendmsg(MSG_RTN_GET_REALTIME)
  s_sendmsg_rtn_b32 s22, sendmsg(MSG_RTN_GET_REALTIME)
  s_sub_u32 s24, s22, s20
  s_lshr_b32 s24, s24, 31
  IS32 s24, 0
.endif
  v_mov_b32 v94, 0xc0de0000 + checks
  v_mov_b32 v95, 0xc0de0000
  global_store_dwordx2 v0, v[94:95], s[4:5]
  s_setkill 1
  s_trap 2

KERNEL ended_by_a_saved_wave
  IS32 v0, 0
  v_mov_b32 v94, 0xc0de0000 + checks
  v_mov_b32 v95, 0xc0de0000
  global_store_dwordx2 v0, v[94:95], s[4:5]
  s_endpgm_saved
