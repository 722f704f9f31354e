// SPDX-License-Identifier: MIT
// Scalar memory under its names up to gfx10; stores, scratch and atomics are gfx9's.
.include "scalar_memory.inc"

KERNEL loads
  SOURCES
  s_load_dword s20, s[6:7], 4
  IS32 s20, 0x11223344
  s_movk_i32 s30, 8
  s_load_dword s20, s[6:7], s30
  IS32 s20, 0x55667788
  s_buffer_load_dword s20, s[12:15], 4
  IS32 s20, 0x11223344
  s_buffer_load_dword s20, s[12:15], 64 // beyond its 64 bytes
  IS32 s20, 0
  LOADS dwordx2, 21, 0x8182f3f4, 0x11223344
  LOADS dwordx4, 23, 0x8182f3f4, 0x99aabbcc
  LOADS dwordx8, 27, 0x8182f3f4, 0x99aabbcc
  LOADS dwordx16, 35, 0x8182f3f4, 0x99aabbcc
  s_dcache_inv
.ifdef accumulators
  s_dcache_inv_vol
  s_dcache_wb
  s_dcache_wb_vol
  s_dcache_discard s[6:7], 0
  s_dcache_discard_x2 s[6:7], 0
.endif
  s_atc_probe 1, s[6:7], 0
  s_atc_probe_buffer 1, s[12:15], 0
  s_icache_inv
  CHECKED

.ifdef accumulators
.macro CELL_IS low, high=0
  global_load_dwordx2 v[46:47], v0, s[6:7]
  IS64 v46, v47, \low, \high
.endm
.macro PUT low, high=0
  v_mov_b32 v44, \low
  v_mov_b32 v45, \high
  global_store_dwordx2 v0, v[44:45], s[6:7]
.endm

KERNEL stores
  SOURCES
  s_mov_b32 s20, 7
  s_mov_b32 s21, 8
  s_mov_b32 s22, 9
  s_mov_b32 s23, 10
  s_store_dword s20, s[6:7], 0
  CELL_IS 7, 0x11223344
  s_store_dwordx2 s[22:23], s[6:7], 0
  CELL_IS 9, 10
  s_store_dwordx4 s[20:23], s[6:7], 0
  s_load_dwordx4 s[24:27], s[6:7], 0
  IS32 s24, 7
  IS32 s27, 10
  PUT 0
  s_buffer_store_dword s20, s[12:15], 0
  CELL_IS 7
  s_buffer_store_dwordx2 s[22:23], s[12:15], 0
  CELL_IS 9, 10
  s_buffer_store_dwordx4 s[20:23], s[12:15], 0
  CELL_IS 7, 8
  s_buffer_store_dword s20, s[12:15], 64 // beyond: not written
  global_load_dword v46, v0, s[6:7] offset:64
  IS32 v46, 0
  // scratch, from where kernels find it; a scalar offset counts 64 bytes
  s_mov_b32 s28, 0
  s_mov_b32 s29, 0x7ff0
  s_mov_b32 s30, 1
  s_scratch_store_dword s20, s[28:29], 4
  s_scratch_load_dword s24, s[28:29], 4
  IS32 s24, 7
  s_scratch_store_dwordx2 s[20:21], s[28:29], s30
  s_scratch_load_dwordx2 s[24:25], s[28:29], 64
  IS64 s24, s25, 7, 8
  s_scratch_store_dwordx4 s[20:23], s[28:29], 0
  s_scratch_load_dwordx4 s[24:27], s[28:29], 0
  IS64 s24, s27, 7, 10
  CHECKED

.macro ATOMIC32 name, old, new, data
  s_mov_b32 s20, \data
  PUT \old
  s_atomic_\name s20, s[6:7], 0
  CELL_IS \new
  IS32 s20, \data
  PUT \old
  s_atomic_\name s20, s[6:7], 0 glc
  CELL_IS \new
  IS32 s20, \old
  s_mov_b32 s20, \data
  PUT \old
  s_buffer_atomic_\name s20, s[12:15], 0 glc
  CELL_IS \new
  IS32 s20, \old
.endm
.macro ATOMIC64 name, old_low, old_high, new_low, new_high, data_low, data_high
  s_mov_b32 s20, \data_low
  s_mov_b32 s21, \data_high
  PUT \old_low, \old_high
  s_atomic_\name s[20:21], s[6:7], 0 glc
  CELL_IS \new_low, \new_high
  IS64 s20, s21, \old_low, \old_high
  s_mov_b32 s20, \data_low
  s_mov_b32 s21, \data_high
  PUT \old_low, \old_high
  s_buffer_atomic_\name s[20:21], s[12:15], 0
  CELL_IS \new_low, \new_high
.endm
KERNEL atomics
  SOURCES
  ATOMIC32 swap, 5, 9, 9
  ATOMIC32 add, 0xfffffffe, 3, 5
  ATOMIC32 sub, 3, 0xfffffffe, 5
  ATOMIC32 smin, 1, -1, -1
  ATOMIC32 umin, -1, 1, 1
  ATOMIC32 smax, -1, 1, 1
  ATOMIC32 umax, 1, -1, -1
  ATOMIC32 and, 0xff00ff00, 0x0f000f00, 0x0ff00ff0
  ATOMIC32 or, 0xff00ff00, 0xfff0fff0, 0x0ff00ff0
  ATOMIC32 xor, 0xff00ff00, 0xf0f0f0f0, 0x0ff00ff0
  ATOMIC32 inc, 7, 0, 7
  ATOMIC32 dec, 0, 9, 9
  ATOMIC64 swap_x2, 5, 6, 9, 8, 9, 8
  ATOMIC64 add_x2, 0xffffffff, 1, 0, 2, 1, 0
  ATOMIC64 sub_x2, 0, 2, 0xffffffff, 1, 1, 0
  ATOMIC64 smin_x2, 1, 0, 0, 0x80000000, 0, 0x80000000
  ATOMIC64 umin_x2, 0, 0x80000000, 1, 0, 1, 0
  ATOMIC64 smax_x2, 0, 0x80000000, 1, 0, 1, 0
  ATOMIC64 umax_x2, 1, 0, 0, 0x80000000, 0, 0x80000000
  ATOMIC64 and_x2, 0xff00ff00, 3, 0x0f000f00, 2, 0x0ff00ff0, 6
  ATOMIC64 or_x2, 0xff00ff00, 3, 0xfff0fff0, 7, 0x0ff00ff0, 6
  ATOMIC64 xor_x2, 0xff00ff00, 3, 0xf0f0f0f0, 5, 0x0ff00ff0, 6
  ATOMIC64 inc_x2, 0xffffffff, 0, 0, 1, 0, 1
  ATOMIC64 dec_x2, 0, 1, 0xffffffff, 0, 0, 1
  // value, then comparand; an atomic beyond the buffer does nothing and gives zero
  s_mov_b32 s20, 9
  s_mov_b32 s21, 5
  PUT 5
  s_atomic_cmpswap s[20:21], s[6:7], 0 glc
  CELL_IS 9
  IS64 s20, s21, 5, 5
  s_buffer_atomic_cmpswap s[20:21], s[12:15], 0 glc
  CELL_IS 9
  s_mov_b32 s20, 7
  s_mov_b32 s21, 8
  s_mov_b32 s22, 9
  s_mov_b32 s23, 0
  s_atomic_cmpswap_x2 s[20:23], s[6:7], 0 glc
  CELL_IS 7, 8
  IS64 s20, s21, 9, 0
  s_mov_b32 s22, 7
  s_mov_b32 s23, 8
  s_buffer_atomic_cmpswap_x2 s[20:23], s[12:15], 0 glc
  CELL_IS 9, 0
  s_buffer_atomic_add s20, s[12:15], 64 glc
  IS32 s20, 0
  CHECKED
.endif
