// SPDX-License-Identifier: MIT
// Addresses and ranges of MUBUF: CDNA3 ISA 9.1.5 (gfx9), RDNA3 ISA 9.4 and 9.6 (gfx11, and for gfx10 but where it is told),
// RDNA4 ISA 9.4 and 9.6 (gfx12). The memory holds the dwords 0x100, 0x101, 0x102 ...
.include "common.inc"

.set raw, 0x30027000        // OOB_SELECT in bits 29:28; the format is that of dwords
.set records, 0x00027000    // index and place in the record
.set index_only, 0x10027000
.set unchecked, 0x20027000

.macro FILL
  s_mov_b32 s20, 0
1:
  s_lshl_b32 s21, s20, 2
  s_add_u32 s22, s20, 0x100
  v_mov_b32 v2, s21
  v_mov_b32 v3, s22
  global_store_dword v2, v3, s[6:7]
  s_add_u32 s20, s20, 1
  s_cmp_lt_u32 s20, 256
  s_cbranch_scc1 1b
  s_mov_b32 s16, 0
  s_movk_i32 s17, 4
.endm
// s[12:15]: the memory as a buffer.
.macro BUFFER size, format, stride=0, swizzle=0
  s_mov_b32 s12, s6
  s_and_b32 s13, s7, 0xffff
  s_or_b32 s13, s13, \stride << 16 | \swizzle << 30
  s_mov_b32 s14, \size
  s_mov_b32 s15, \format
.endm
.macro LOADED value, index, offset=0, scalar=s16
  v_mov_b32 v4, \index
  v_mov_b32 v5, -1
  buffer_load_dword v5, v4, s[12:15], \scalar idxen offset:\offset
  IS32 v5, \value
.endm
.macro LOADED_RAW value, offset, scalar=s16
  v_mov_b32 v5, -1
  buffer_load_dword v5, off, s[12:15], \scalar offset:\offset
  IS32 v5, \value
.endm

// "Each DWORD is bounds checked separately": two are inside.
KERNEL parts
  FILL
  BUFFER 8, raw
  buffer_load_dwordx4 v[20:23], off, s[12:15], s16
  IS64 v20, v21, 0x100, 0x101
  IS64 v22, v23, 0, 0
  buffer_load_dwordx3 v[20:22], off, s[12:15], s16 offset:4
  IS64 v20, v21, 0x101, 0
  IS32 v22, 0
  v_mov_b32 v10, 10
  v_mov_b32 v11, 11
  v_mov_b32 v12, 12
  v_mov_b32 v13, 13
  buffer_store_dwordx4 v[10:13], off, s[12:15], s16
  global_load_dwordx4 v[20:23], v0, s[6:7]
  IS64 v20, v21, 10, 11
  IS64 v22, v23, 0x102, 0x103
  // bytes and halves are whole; an atomic is all or nothing
  v_mov_b32 v5, -1
  buffer_load_ushort v5, off, s[12:15], s16 offset:4
  IS32 v5, 11
  buffer_load_ushort v5, off, s[12:15], s16 offset:8
  IS32 v5, 0
  buffer_load_ubyte v5, off, s[12:15], s16 offset:8
  IS32 v5, 0
  v_mov_b32 v10, 1
  v_mov_b32 v11, 1
  buffer_atomic_add_x2 v[10:11], off, s[12:15], s16 offset:8
  global_load_dwordx2 v[20:21], v0, s[6:7] offset:8
  IS64 v20, v21, 0x102, 0x103
  CHECKED

// The scalar offset takes from the size of a raw buffer; CDNA does not check it.
KERNEL scalar_offset
  FILL
  BUFFER 8, raw
  LOADED_RAW 0x101, 0, s17
.if generation == 9
  LOADED_RAW 0x102, 4, s17
.else
  LOADED_RAW 0, 4, s17
  BUFFER 2, raw
  LOADED_RAW 0, 0, s17
.endif
  BUFFER 6, raw
  LOADED_RAW 0x100, 0
.if generation == 9
  LOADED_RAW 0x101, 4 // it begins inside
.endif
.if generation >= 11
  LOADED_RAW 0, 4 // its last bytes are not inside
.endif
  CHECKED

// Records of 8 bytes, two of them.
KERNEL structured
  FILL
  BUFFER 2, records, 8
  LOADED 0x103, 1, 4
  LOADED 0, 2, 0
  LOADED 0, -1, 0
  LOADED 0x101, 0, 0, s17
.if generation == 9
  LOADED 0x105, 1, 12 // the index alone is checked, if there are a stride and an index
  BUFFER 8, records
  LOADED 0x101, 9, 4
  LOADED 0, 0, 8
  BUFFER 8, records, 8
  LOADED_RAW 0x101, 4
  LOADED_RAW 0, 8
.else
  LOADED 0, 1, 12
  BUFFER 2, index_only, 8
  LOADED 0x105, 1, 12
  LOADED 0, 2, 0
  BUFFER 2, unchecked, 8
  LOADED 0x10b, 5, 4
  BUFFER 0, unchecked, 8
  LOADED 0, 0, 0
  BUFFER 8, raw, 8
  LOADED 0x10b, 5, 4 // the place in the record is checked
  LOADED 0, 5, 8
.endif
.if generation >= 11
  BUFFER 2, records, 8
  LOADED 0, 1, 6
.endif
.if generation >= 12
  BUFFER 4, records + (1 << 18), 4 // the stride four times
  LOADED 0x10f, 3, 12
  LOADED 0, 3, 16
  BUFFER 4, records + (3 << 18), 1
  LOADED 0x10f, 1, 28
.endif
  CHECKED

// Index 9 is the second of the second eight: (1 * 16 + 4) * 8 + 1 * 4 = 164, dword 41.
KERNEL swizzled
  FILL
.if generation >= 11
.set four, 1
.else
.set four, 2
.endif
  BUFFER 16, index_only, 16, four
  LOADED 0x129, 9, 4
  LOADED 0x12f, 15, 4 // (16 + 4) * 8 + 7 * 4 = 188, dword 47
  LOADED 0, 16, 4
.if generation >= 12
  LOADED 0x129, 9, 0, s17
.else
  LOADED 0x122, 9, 0, s17 // 4 + 16 * 8 + 4 = 136, dword 34
.endif
  // groups of sixteen: (0 + 4) * 16 + 9 * 4 = 100
  BUFFER 16, index_only + (1 << 21), 16, four
  LOADED 0x119, 9, 4
  // without a stride: 4 * 8 + 4 = 36
  BUFFER 64, unchecked, 0, four
  LOADED 0x109, 1, 4
.if generation >= 11
  // elements of 16 bytes: (1 * 32 + 16) * 8 + 1 * 16 + 4 = 404
  BUFFER 16, index_only, 32, 3
  LOADED 0x165, 9, 20
  v_mov_b32 v4, 9
  buffer_load_dwordx2 v[20:21], v4, s[12:15], s16 idxen offset:20
  IS64 v20, v21, 0x165, 0x166
  // a raw one is checked as a structured one
  BUFFER 16, raw, 16, four
  LOADED 0x129, 9, 4
  LOADED 0, 16, 4
  LOADED 0, 9, 16
.else
  // bit 62 swizzles no more than cache banks
  BUFFER 16, index_only, 16, 1
  LOADED 0x125, 9, 4
.endif
  CHECKED

// "Keyed off the data-format being set to zero (INVALID)".
KERNEL unbound
  FILL
  BUFFER 64, 0x30000000
  LOADED_RAW 0, 4
  v_mov_b32 v5, 7
  buffer_store_dword v5, off, s[12:15], s16
  global_load_dword v5, v0, s[6:7]
  IS32 v5, 0x100
  CHECKED
