// SPDX-License-Identifier: MIT
// What ends in an error by its nature: kernels named trap_... and illegal_....
.include "common.inc"

KERNEL trap_at_a_halt
  s_sethalt 1
  s_endpgm
.if generation < 12
KERNEL trap_at_a_message_and_halt
  s_sendmsghalt 1
  s_endpgm
.endif
.if generation >= 10
KERNEL illegal_end_of_code
  s_code_end
  s_endpgm
KERNEL illegal_instruction
  v_illegal
  s_endpgm
.endif
// halves that stop at the largest number
KERNEL illegal_mode
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), 1
  s_endpgm
// RDNA3 ISA 3.3.1: VCC_HI is the last register that an index from a scalar register may reach
KERNEL illegal_index_beyond_vcc
  s_movk_i32 m0, 98
  s_movrels_b32 s20, s10
  s_endpgm
KERNEL illegal_pair_beyond_vcc
  s_movk_i32 m0, 98
  s_movreld_b64 s[10:11], s[20:21]
  s_endpgm
KERNEL illegal_buffer_of_another_type
  s_mov_b32 s14, -1
  s_mov_b32 s15, 0x90027000
  s_mov_b32 s16, 0
  s_mov_b64 s[12:13], s[6:7]
  v_mov_b32 v1, v0
  buffer_load_dword v1, v0, s[12:15], s16 offen
  s_endpgm
KERNEL illegal_register_allocation
  s_getreg_b32 s20, hwreg(5)
  s_endpgm
// RDNA3 ISA 3.4.9: only trap handlers write these
KERNEL illegal_trap_register
  s_mov_b32 ttmp4, 1
  s_endpgm
.if generation == 9
KERNEL illegal_skip
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 28, 1), 1
  s_endpgm
KERNEL illegal_index_mode
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 27, 1), 1
  s_endpgm
KERNEL illegal_jump_with_indices
  s_set_gpr_idx_on s20, 1
  s_branch 1f
1:
  v_mov_b32 v1, v2
  s_endpgm
// CDNA3 ISA 6.6.2: in the index mode the operands of these have roles of their own
KERNEL illegal_indexed_accumulator
  s_set_gpr_idx_on s20, 8
  v_fmac_f32 v1, v2, v3
  s_set_gpr_idx_off
  s_endpgm
.endif
.if generation == 10
KERNEL illegal_direct_operand
  v_mov_b32 v1, lds_direct
  s_endpgm
.endif
