// SPDX-License-Identifier: MIT
// Transfers between memory and LDS, blocks, lanes' own addresses, global wave sync, LDS in two places.
.include "common.inc"

.macro SOURCES
  v_mov_b32 v40, 0x8182f3f4
  v_mov_b32 v41, 0x11223344
  v_mov_b32 v42, 0x55667788
  v_mov_b32 v43, 0x99aabbcc
  v_mov_b32 v10, s6
  v_mov_b32 v11, s7
  s_mov_b32 s12, s6
  s_mov_b32 s13, s7
  s_movk_i32 s14, 64
  s_mov_b32 s15, 0x30027000
  s_mov_b32 s16, 0
  v_mov_b32 v1, 64
  global_store_dwordx4 v0, v[40:43], s[6:7]
  scratch_store_dwordx4 off, v[40:43], s16
.endm
// The instruction's offset counts in memory and in LDS, M0 in LDS alone.
.macro LDS_IS at, value
  v_mov_b32 v46, \at
  ds_read_b32 v46, v46
  IS32 v46, \value
.endm

KERNEL to_lds
  SOURCES
  s_mov_b32 m0, 64
.if generation == 9
  buffer_load_dword off, s[12:15], s16 offset:4 lds
  LDS_IS 68, 0x11223344
  buffer_load_ubyte off, s[12:15], s16 lds
  LDS_IS 64, 0xf4
  buffer_load_sshort off, s[12:15], s16 lds
  LDS_IS 64, 0xfffff3f4
  v_mov_b32 v2, 12
  buffer_load_dword v2, s[12:15], s16 offen lds
  LDS_IS 64, 0x99aabbcc
  buffer_store_lds_dword s[12:15], s16 offset:4 lds
  global_load_dword v2, v0, s[6:7] offset:4
  IS32 v2, 0x11223344
  v_mov_b32 v2, 0x77
  ds_write_b32 v1, v2
  buffer_store_lds_dword s[12:15], s16 lds
  global_load_dword v2, v0, s[6:7]
  IS32 v2, 0x77
  global_store_dwordx4 v0, v[40:43], s[6:7]
.ifdef sc0
  global_load_lds_dword v[10:11], off offset:4
  LDS_IS 68, 0x11223344
  global_load_lds_dword v0, s[6:7]
  LDS_IS 64, 0x8182f3f4
  global_load_lds_ubyte v[10:11], off
  LDS_IS 64, 0xf4
  global_load_lds_sbyte v[10:11], off
  LDS_IS 64, 0xfffffff4
  global_load_lds_ushort v[10:11], off
  LDS_IS 64, 0xf3f4
  global_load_lds_sshort v[10:11], off
  LDS_IS 64, 0xfffff3f4
  scratch_load_lds_dword off, s16 offset:8
  LDS_IS 72, 0x55667788
  scratch_load_lds_ubyte off, s16
  LDS_IS 64, 0xf4
  scratch_load_lds_sbyte off, s16
  LDS_IS 64, 0xfffffff4
  scratch_load_lds_ushort off, s16
  LDS_IS 64, 0xf3f4
  scratch_load_lds_sshort off, s16
  LDS_IS 64, 0xfffff3f4
.endif
.endif
.if generation == 11
  buffer_load_lds_b32 off, s[12:15], s16 offset:4
  LDS_IS 68, 0x11223344
  buffer_load_lds_u8 off, s[12:15], s16
  LDS_IS 64, 0xf4
  buffer_load_lds_i8 off, s[12:15], s16
  LDS_IS 64, 0xfffffff4
  buffer_load_lds_u16 off, s[12:15], s16
  LDS_IS 64, 0xf3f4
  buffer_load_lds_i16 off, s[12:15], s16
  LDS_IS 64, 0xfffff3f4
.endif
  s_mov_b32 m0, -1
  IS32 v1, 64
  CHECKED

.if generation >= 10
// Lane 3: its own address is 12 behind the base.
KERNEL own_addresses
  SOURCES
  v_mov_b32 v2, 5
.if generation == 10
  global_load_dword_addtid v2, s[6:7] offset:4
  IS32 v2, 0x11223344
  global_store_dword_addtid v42, s[6:7]
.else
  global_load_addtid_b32 v2, s[6:7] offset:4
  IS32 v2, 0x11223344
  global_store_addtid_b32 v42, s[6:7]
.endif
  global_load_dword v2, v0, s[6:7]
  IS32 v2, 0x55667788
  // lane 3 reads and writes the fourth dword
  s_mov_b32 exec_lo, 8
.if generation == 10
  global_load_dword_addtid v3, s[6:7]
  v_mov_b32 v42, 9
  global_store_dword_addtid v42, s[6:7]
.else
  global_load_addtid_b32 v3, s[6:7]
  v_mov_b32 v42, 9
  global_store_addtid_b32 v42, s[6:7]
.endif
  v_readlane_b32 s20, v3, 3
  s_mov_b32 exec_lo, 1
  IS32 s20, 0x99aabbcc
  global_load_dword v2, v0, s[6:7] offset:12
  IS32 v2, 9
  CHECKED
.endif

.if generation >= 12
// Bits 0, 2 and 3 of M0: these registers and these dwords.
KERNEL blocks
  SOURCES
  v_mov_b32 v50, 50
  v_mov_b32 v51, 51
  v_mov_b32 v54, 54
  s_mov_b32 m0, 13
  global_load_block v[50:81], v[10:11], off
  IS64 v50, v51, 0x8182f3f4, 51
  IS64 v52, v53, 0x55667788, 0x99aabbcc
  IS32 v54, 54
  v_mov_b32 v50, 1
  v_mov_b32 v51, 2
  v_mov_b32 v52, 3
  v_mov_b32 v53, 4
  global_store_block v0, v[50:81], s[6:7]
  global_load_dwordx4 v[20:23], v0, s[6:7]
  IS64 v20, v21, 1, 0x11223344
  IS64 v22, v23, 3, 4
  scratch_store_block off, v[50:81], s16
  scratch_load_dwordx4 v[20:23], off, s16
  IS64 v20, v21, 1, 0x11223344
  IS64 v22, v23, 3, 4
  scratch_load_block v[50:81], off, s16
  IS64 v50, v51, 1, 2
  s_mov_b32 m0, -1
  CHECKED
.else
// One wave: it is the last one of each barrier, and takes what a semaphore has.
KERNEL wave_sync
  v_mov_b32 v2, 0
  v_mov_b32 v4, 2
  s_mov_b32 m0, 0
  ds_gws_init v2 offset:1 gds
  ds_gws_barrier v2 offset:1 gds
  ds_gws_barrier v2 offset:1 gds
  ds_gws_init v2 offset:2 gds
  ds_gws_sema_v offset:2 gds
  ds_gws_sema_p offset:2 gds
  ds_gws_sema_br v4 offset:2 gds
  ds_gws_sema_p offset:2 gds
  ds_gws_sema_p offset:2 gds
  ds_gws_sema_release_all offset:2 gds
  ds_gws_init v0 offset:2 gds
  s_mov_b64 exec, 0 // nothing is sent (RDNA3 ISA 13.4.2), so that nothing waits
  ds_gws_sema_p offset:2 gds
  s_mov_b64 exec, 1
  s_mov_b32 m0, -1
  IS32 v4, 2
  CHECKED
.endif
