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
.if generation == 10
KERNEL illegal_direct_operand
  v_mov_b32 v1, lds_direct
  s_endpgm
.endif
