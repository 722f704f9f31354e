// SPDX-License-Identifier: MIT
// What targets before the six of today have: LDS operations on two cells (gfx900, gfx1010), the wave's number (gfx1010).
.include "lds.inc"

// The second cell is 16 bytes behind the first: 4 dwords.
.macro CELLS32 name, old, new, operand
  PUT \old
  v_mov_b32 v2, \operand
  ds_write_b32 v1, v2 offset:16
  \name v1 offset:4
  CELL_IS \new
.endm
.macro CELLS64 name, old_low, old_high, new_low, new_high, operand_low, operand_high
  PUT \old_low, \old_high
  v_mov_b32 v2, \operand_low
  v_mov_b32 v3, \operand_high
  ds_write_b64 v1, v[2:3] offset:16
  \name v1 offset:4
  CELL_IS64 \new_low, \new_high
.endm

KERNEL two_cells
  PREPARE
  CELLS32 ds_add_src2_u32, 0xfffffffe, 3, 5
  CELLS32 ds_sub_src2_u32, 3, 0xfffffffe, 5
  CELLS32 ds_rsub_src2_u32, 3, 2, 5
  CELLS32 ds_inc_src2_u32, 7, 0, 7
  CELLS32 ds_dec_src2_u32, 0, 9, 9
  CELLS32 ds_min_src2_i32, 1, -1, -1
  CELLS32 ds_max_src2_i32, -1, 1, 1
  CELLS32 ds_min_src2_u32, -1, 1, 1
  CELLS32 ds_max_src2_u32, 1, -1, -1
  CELLS32 ds_and_src2_b32, 0xff00ff00, 0x0f000f00, 0x0ff00ff0
  CELLS32 ds_or_src2_b32, 0xff00ff00, 0xfff0fff0, 0x0ff00ff0
  CELLS32 ds_xor_src2_b32, 0xff00ff00, 0xf0f0f0f0, 0x0ff00ff0
  CELLS32 ds_write_src2_b32, 5, 9, 9
  CELLS32 ds_min_src2_f32, 0x3f800000, 0xc0000000, 0xc0000000
  CELLS32 ds_max_src2_f32, 0xc0000000, 0x3f800000, 0x3f800000
  CELLS32 ds_add_src2_f32, 0x3fc00000, 0x40700000, 0x40100000
  CELLS64 ds_add_src2_u64, 0xffffffff, 1, 0, 2, 1, 0
  CELLS64 ds_sub_src2_u64, 0, 2, 0xffffffff, 1, 1, 0
  CELLS64 ds_rsub_src2_u64, 1, 0, 0xffffffff, 1, 0, 2
  CELLS64 ds_inc_src2_u64, 0xffffffff, 0, 0, 1, 0, 1
  CELLS64 ds_dec_src2_u64, 0, 1, 0xffffffff, 0, 0, 1
  CELLS64 ds_min_src2_i64, 1, 0, 0, 0x80000000, 0, 0x80000000
  CELLS64 ds_max_src2_i64, 0, 0x80000000, 1, 0, 1, 0
  CELLS64 ds_min_src2_u64, 0, 0x80000000, 1, 0, 1, 0
  CELLS64 ds_max_src2_u64, 1, 0, 0, 0x80000000, 0, 0x80000000
  CELLS64 ds_and_src2_b64, 0xff00ff00, 3, 0x0f000f00, 2, 0x0ff00ff0, 6
  CELLS64 ds_or_src2_b64, 0xff00ff00, 3, 0xfff0fff0, 7, 0x0ff00ff0, 6
  CELLS64 ds_xor_src2_b64, 0xff00ff00, 3, 0xf0f0f0f0, 5, 0x0ff00ff0, 6
  CELLS64 ds_write_src2_b64, 5, 6, 9, 8, 9, 8
  CELLS64 ds_min_src2_f64, 0, 0x3ff00000, 0, 0xc0000000, 0, 0xc0000000
  CELLS64 ds_max_src2_f64, 0, 0xc0000000, 0, 0x3ff00000, 0, 0x3ff00000
  // with bit 15 the distance is the upper half of the address: 4 dwords again, from cell 64
  v_mov_b32 v1, 0x80040
  v_mov_b32 v3, 64
  v_mov_b32 v2, 5
  ds_write_b32 v3, v2
  ds_write_b32 v3, v2 offset:16
  ds_add_src2_u32 v1 offset:0x8000
  v_mov_b32 v1, 64
  CELL_IS 10
.if generation == 10
  s_get_waveid_in_workgroup s20
  IS32 s20, 0
.endif
  CHECKED
