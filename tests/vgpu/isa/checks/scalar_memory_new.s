// SPDX-License-Identifier: MIT
// Scalar memory under its names from gfx11 on; bytes, halves and three words are gfx12's.
.include "scalar_memory.inc"

KERNEL loads
  SOURCES
  s_load_b32 s20, s[6:7], 4
  IS32 s20, 0x11223344
  s_buffer_load_b32 s20, s[12:15], 4
  IS32 s20, 0x11223344
  LOADS b64, 21, 0x8182f3f4, 0x11223344
  LOADS b128, 23, 0x8182f3f4, 0x99aabbcc
  LOADS b256, 27, 0x8182f3f4, 0x99aabbcc
  LOADS b512, 35, 0x8182f3f4, 0x99aabbcc
.if generation >= 12
  LOADS b96, 22, 0x8182f3f4, 0x55667788
  s_load_u8 s20, s[6:7], 1
  IS32 s20, 0xf3
  s_load_i8 s20, s[6:7], 1
  IS32 s20, 0xfffffff3
  s_load_u16 s20, s[6:7], 2
  IS32 s20, 0x8182
  s_load_i16 s20, s[6:7], 2
  IS32 s20, 0xffff8182
  s_buffer_load_u8 s20, s[12:15], 1
  IS32 s20, 0xf3
  s_buffer_load_i8 s20, s[12:15], 1
  IS32 s20, 0xfffffff3
  s_buffer_load_u16 s20, s[12:15], 2
  IS32 s20, 0x8182
  s_buffer_load_i16 s20, s[12:15], 2
  IS32 s20, 0xffff8182
  s_prefetch_data s[6:7], 0, s20, 0
  s_prefetch_data_pc_rel 0, s20, 0
  s_prefetch_inst s[6:7], 0, s20, 0
  s_prefetch_inst_pc_rel 0, s20, 0
  s_buffer_prefetch_data s[12:15], 0, s20, 0
.endif
  s_dcache_inv
  s_atc_probe 1, s[6:7], 0
  s_atc_probe_buffer 1, s[12:15], 0
  s_icache_inv
  CHECKED
