// SPDX-License-Identifier: MIT
// Scalar operations on EXEC. EXEC is 1100b, the operand 1010b; the old EXEC goes to the destination (or the new one, for
// ..._wrexec), and SCC says that the new one is not zero.
.include "common.inc"

.macro SAVEEXEC32 name, expected
  s_mov_b32 s20, 10
  s_mov_b32 exec_lo, 12
  \name s21, s20
  s_cselect_b32 s22, 1, 0
  s_mov_b32 s23, exec_lo
  s_mov_b32 exec_lo, 1
  IS32 s21, 12
  IS32 s22, 1
  IS32 s23, \expected
.endm
.macro SAVEEXEC64 name, expected, high
  s_mov_b32 s20, 10
  s_mov_b32 s21, 0
  s_mov_b64 exec, 12
  \name s[22:23], s[20:21]
  s_cselect_b32 s24, 1, 0
  s_mov_b64 s[26:27], exec
  s_mov_b64 exec, 1
  IS32 s22, 12
  IS32 s24, 1
  IS64 s26, s27, \expected, \high
.endm
.macro WREXEC32 name, expected
  s_mov_b32 s20, 10
  s_mov_b32 exec_lo, 12
  \name s21, s20
  s_cselect_b32 s22, 1, 0
  s_mov_b32 s23, exec_lo
  s_mov_b32 exec_lo, 1
  IS32 s21, \expected
  IS32 s22, 1
  IS32 s23, \expected
.endm
.macro WREXEC64 name, expected
  s_mov_b32 s20, 10
  s_mov_b32 s21, 0
  s_mov_b64 exec, 12
  \name s[22:23], s[20:21]
  s_mov_b64 s[26:27], exec
  s_mov_b64 exec, 1
  IS32 s22, \expected
  IS32 s26, \expected
.endm

KERNEL exec
.if generation == 9
  SAVEEXEC64 s_and_saveexec_b64, 0x8, 0
  SAVEEXEC64 s_or_saveexec_b64, 0xe, 0
  SAVEEXEC64 s_xor_saveexec_b64, 0x6, 0
  SAVEEXEC64 s_andn1_saveexec_b64, 0x4, 0
  SAVEEXEC64 s_andn2_saveexec_b64, 0x2, 0
  SAVEEXEC64 s_orn1_saveexec_b64, 0xfffffffd, 0xffffffff
  SAVEEXEC64 s_orn2_saveexec_b64, 0xfffffffb, 0xffffffff
  SAVEEXEC64 s_nand_saveexec_b64, 0xfffffff7, 0xffffffff
  SAVEEXEC64 s_nor_saveexec_b64, 0xfffffff1, 0xffffffff
  SAVEEXEC64 s_xnor_saveexec_b64, 0xfffffff9, 0xffffffff
  WREXEC64 s_andn1_wrexec_b64, 0x4
  WREXEC64 s_andn2_wrexec_b64, 0x2
.else
.if generation == 10
  SAVEEXEC32 s_and_saveexec_b32, 0x8
  SAVEEXEC32 s_or_saveexec_b32, 0xe
  SAVEEXEC32 s_xor_saveexec_b32, 0x6
  SAVEEXEC32 s_andn1_saveexec_b32, 0x4
  SAVEEXEC32 s_andn2_saveexec_b32, 0x2
  SAVEEXEC32 s_orn1_saveexec_b32, 0xfffffffd
  SAVEEXEC32 s_orn2_saveexec_b32, 0xfffffffb
  SAVEEXEC32 s_nand_saveexec_b32, 0xfffffff7
  SAVEEXEC32 s_nor_saveexec_b32, 0xfffffff1
  SAVEEXEC32 s_xnor_saveexec_b32, 0xfffffff9
  WREXEC32 s_andn1_wrexec_b32, 0x4
  WREXEC32 s_andn2_wrexec_b32, 0x2
  SAVEEXEC64 s_and_saveexec_b64, 0x8, 0
  SAVEEXEC64 s_or_saveexec_b64, 0xe, 0
  SAVEEXEC64 s_xor_saveexec_b64, 0x6, 0
  SAVEEXEC64 s_andn1_saveexec_b64, 0x4, 0
  SAVEEXEC64 s_andn2_saveexec_b64, 0x2, 0
  SAVEEXEC64 s_orn1_saveexec_b64, 0xfffffffd, 0xffffffff
  SAVEEXEC64 s_orn2_saveexec_b64, 0xfffffffb, 0xffffffff
  SAVEEXEC64 s_nand_saveexec_b64, 0xfffffff7, 0xffffffff
  SAVEEXEC64 s_nor_saveexec_b64, 0xfffffff1, 0xffffffff
  SAVEEXEC64 s_xnor_saveexec_b64, 0xfffffff9, 0xffffffff
  WREXEC64 s_andn1_wrexec_b64, 0x4
  WREXEC64 s_andn2_wrexec_b64, 0x2
.else
  SAVEEXEC32 s_and_saveexec_b32, 0x8
  SAVEEXEC32 s_or_saveexec_b32, 0xe
  SAVEEXEC32 s_xor_saveexec_b32, 0x6
  SAVEEXEC32 s_and_not0_saveexec_b32, 0x4
  SAVEEXEC32 s_and_not1_saveexec_b32, 0x2
  SAVEEXEC32 s_or_not0_saveexec_b32, 0xfffffffd
  SAVEEXEC32 s_or_not1_saveexec_b32, 0xfffffffb
  SAVEEXEC32 s_nand_saveexec_b32, 0xfffffff7
  SAVEEXEC32 s_nor_saveexec_b32, 0xfffffff1
  SAVEEXEC32 s_xnor_saveexec_b32, 0xfffffff9
  WREXEC32 s_and_not0_wrexec_b32, 0x4
  WREXEC32 s_and_not1_wrexec_b32, 0x2
  SAVEEXEC64 s_and_saveexec_b64, 0x8, 0
  SAVEEXEC64 s_or_saveexec_b64, 0xe, 0
  SAVEEXEC64 s_xor_saveexec_b64, 0x6, 0
  SAVEEXEC64 s_and_not0_saveexec_b64, 0x4, 0
  SAVEEXEC64 s_and_not1_saveexec_b64, 0x2, 0
  SAVEEXEC64 s_or_not0_saveexec_b64, 0xfffffffd, 0xffffffff
  SAVEEXEC64 s_or_not1_saveexec_b64, 0xfffffffb, 0xffffffff
  SAVEEXEC64 s_nand_saveexec_b64, 0xfffffff7, 0xffffffff
  SAVEEXEC64 s_nor_saveexec_b64, 0xfffffff1, 0xffffffff
  SAVEEXEC64 s_xnor_saveexec_b64, 0xfffffff9, 0xffffffff
  WREXEC64 s_and_not0_wrexec_b64, 0x4
  WREXEC64 s_and_not1_wrexec_b64, 0x2
.endif
.endif
  // the result that is zero
  s_mov_b32 s20, 3
  s_mov_b32 s21, 0
  s_mov_b64 exec, 12
  s_and_saveexec_b64 s[22:23], s[20:21]
  s_cselect_b32 s24, 1, 0
  s_mov_b64 exec, 1
  IS32 s24, 0
  CHECKED
