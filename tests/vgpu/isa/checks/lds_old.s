// SPDX-License-Identifier: MIT
// LDS under its names up to gfx10.
.include "lds.inc"

KERNEL loads
  PREPARE
  ds_write_b128 v1, v[40:43]
  LOAD ds_read_u8, 0xf4
  LOAD ds_read_i8, 0xfffffff4
  LOAD ds_read_u16, 0xf3f4
  LOAD ds_read_i16, 0xfffff3f4
  LOAD ds_read_b32, 0x8182f3f4
  LOAD ds_read_u8_d16, 0xaaaa00f4
  LOAD ds_read_u8_d16_hi, 0x00f4bbbb
  LOAD ds_read_i8_d16, 0xaaaafff4
  LOAD ds_read_i8_d16_hi, 0xfff4bbbb
  LOAD ds_read_u16_d16, 0xaaaaf3f4
  LOAD ds_read_u16_d16_hi, 0xf3f4bbbb
  ds_read_b64 v[2:3], v1
  IS64 v2, v3, 0x8182f3f4, 0x11223344
  ds_read_b96 v[2:4], v1
  IS64 v3, v4, 0x11223344, 0x55667788
  ds_read_b128 v[2:5], v1
  IS64 v4, v5, 0x55667788, 0x99aabbcc
  // addresses wrap at 32 bits: a negative base with an offset
  v_mov_b32 v3, -4
  ds_read_b32 v2, v3 offset:68
  IS32 v2, 0x8182f3f4
  s_mov_b32 m0, 8
  ds_read_addtid_b32 v2 offset:56
  IS32 v2, 0x8182f3f4
  ds_write_addtid_b32 v41 offset:56
  s_mov_b32 m0, -1
  CELL_IS 0x11223344
  CHECKED

KERNEL stores
  PREPARE
  STORE ds_write_b8, 0xaaaaaa44
  STORE ds_write_b16, 0xaaaa3344
  STORE ds_write_b32, 0x11223344
  STORE ds_write_b8_d16_hi, 0xaaaaaa22
  STORE ds_write_b16_d16_hi, 0xaaaa1122
  ds_write_b64 v1, v[42:43]
  CELL_IS64 0x55667788, 0x99aabbcc
  ds_write_b96 v1, v[40:42]
  ds_read_b32 v2, v1 offset:8
  IS32 v2, 0x55667788
  ds_write_b128 v1, v[40:43]
  ds_read_b32 v2, v1 offset:12
  IS32 v2, 0x99aabbcc
  TWO32 ds_write2_b32, ds_read2_b32, ds_wrxchg2_rtn_b32, 1
  TWO32 ds_write2st64_b32, ds_read2st64_b32, ds_wrxchg2st64_rtn_b32, 64
  TWO64 ds_write2_b64, ds_read2_b64, ds_wrxchg2_rtn_b64, 1
  TWO64 ds_write2st64_b64, ds_read2st64_b64, ds_wrxchg2st64_rtn_b64, 64
  CHECKED

KERNEL atomics
  PREPARE
  ATOMIC32 ds_add_u32, ds_add_rtn_u32, 0xfffffffe, 3, 5
  ATOMIC32 ds_sub_u32, ds_sub_rtn_u32, 3, 0xfffffffe, 5
  ATOMIC32 ds_rsub_u32, ds_rsub_rtn_u32, 3, 2, 5
  ATOMIC32 ds_inc_u32, ds_inc_rtn_u32, 7, 0, 7
  ATOMIC32 ds_inc_u32, ds_inc_rtn_u32, 6, 7, 7
  ATOMIC32 ds_dec_u32, ds_dec_rtn_u32, 0, 9, 9
  ATOMIC32 ds_dec_u32, ds_dec_rtn_u32, 10, 9, 9
  ATOMIC32 ds_dec_u32, ds_dec_rtn_u32, 5, 4, 9
  ATOMIC32 ds_min_i32, ds_min_rtn_i32, 1, -1, -1
  ATOMIC32 ds_max_i32, ds_max_rtn_i32, -1, 1, 1
  ATOMIC32 ds_min_u32, ds_min_rtn_u32, -1, 1, 1
  ATOMIC32 ds_max_u32, ds_max_rtn_u32, 1, -1, -1
  ATOMIC32 ds_and_b32, ds_and_rtn_b32, 0xff00ff00, 0x0f000f00, 0x0ff00ff0
  ATOMIC32 ds_or_b32, ds_or_rtn_b32, 0xff00ff00, 0xfff0fff0, 0x0ff00ff0
  ATOMIC32 ds_xor_b32, ds_xor_rtn_b32, 0xff00ff00, 0xf0f0f0f0, 0x0ff00ff0
  ATOMIC32 ds_add_f32, ds_add_rtn_f32, 0x3fc00000, 0x40700000, 0x40100000
  ATOMIC64 ds_add_u64, ds_add_rtn_u64, 0xffffffff, 1, 0, 2, 1, 0
  ATOMIC64 ds_sub_u64, ds_sub_rtn_u64, 0, 2, 0xffffffff, 1, 1, 0
  ATOMIC64 ds_rsub_u64, ds_rsub_rtn_u64, 1, 0, 0xffffffff, 1, 0, 2
  ATOMIC64 ds_inc_u64, ds_inc_rtn_u64, 0xffffffff, 0, 0, 1, 0, 1
  ATOMIC64 ds_dec_u64, ds_dec_rtn_u64, 0, 1, 0xffffffff, 0, 0, 1
  ATOMIC64 ds_min_i64, ds_min_rtn_i64, 1, 0, 0, 0x80000000, 0, 0x80000000
  ATOMIC64 ds_max_i64, ds_max_rtn_i64, 0, 0x80000000, 1, 0, 1, 0
  ATOMIC64 ds_min_u64, ds_min_rtn_u64, 0, 0x80000000, 1, 0, 1, 0
  ATOMIC64 ds_max_u64, ds_max_rtn_u64, 1, 0, 0, 0x80000000, 0, 0x80000000
  ATOMIC64 ds_and_b64, ds_and_rtn_b64, 0xff00ff00, 3, 0x0f000f00, 2, 0x0ff00ff0, 6
  ATOMIC64 ds_or_b64, ds_or_rtn_b64, 0xff00ff00, 3, 0xfff0fff0, 7, 0x0ff00ff0, 6
  ATOMIC64 ds_xor_b64, ds_xor_rtn_b64, 0xff00ff00, 3, 0xf0f0f0f0, 5, 0x0ff00ff0, 6
  // the bits of the first operand are replaced by the second
  BOTH32 ds_mskor_b32, ds_mskor_rtn_b32, 0xffff0000, 0xf1ff0001, 0x0e00000f, 0x01000001
  BOTH64 ds_mskor_b64, ds_mskor_rtn_b64, 0xff, 0xff, 0xf5, 0x5f, 0x0f, 0xf0, 0x05, 0x50
  PUT 5
  ds_wrxchg_rtn_b32 v2, v1, v41
  IS32 v2, 5
  CELL_IS 0x11223344
  PUT 5, 6
  ds_wrxchg_rtn_b64 v[2:3], v1, v[42:43]
  IS64 v2, v3, 5, 6
  CELL_IS64 0x55667788, 0x99aabbcc
  // the comparand comes first; -0 and +0 are equal as floats
  BOTH32 ds_cmpst_b32, ds_cmpst_rtn_b32, 5, 9, 5, 9
  BOTH32 ds_cmpst_b32, ds_cmpst_rtn_b32, 5, 5, 6, 9
  BOTH64 ds_cmpst_b64, ds_cmpst_rtn_b64, 5, 6, 9, 8, 5, 6, 9, 8
  BOTH32 ds_cmpst_f32, ds_cmpst_rtn_f32, 0x80000000, 7, 0, 7
  BOTH64 ds_cmpst_f64, ds_cmpst_rtn_f64, 0, 0x80000000, 7, 0, 0, 0, 7, 0
  ATOMIC32 ds_min_f32, ds_min_rtn_f32, 0x3f800000, 0xc0000000, 0xc0000000
  ATOMIC32 ds_max_f32, ds_max_rtn_f32, 0xc0000000, 0x3f800000, 0x3f800000
  ATOMIC64 ds_min_f64, ds_min_rtn_f64, 0, 0x3ff00000, 0, 0xc0000000, 0, 0xc0000000
  ATOMIC64 ds_max_f64, ds_max_rtn_f64, 0, 0xc0000000, 0, 0x3ff00000, 0, 0x3ff00000
  // not less than the first operand: minus it; else plus the second
  v_mov_b32 v2, 10
  v_mov_b32 v3, 3
  PUT 12
  ds_wrap_rtn_b32 v4, v1, v2, v3
  IS32 v4, 12
  CELL_IS 2
  ds_wrap_rtn_b32 v4, v1, v2, v3
  CELL_IS 5
.ifdef accumulators
  ATOMIC64 ds_add_f64, ds_add_rtn_f64, 0, 0x3ff80000, 0, 0x400e0000, 0, 0x40020000
.ifdef sc0
  ATOMIC32 ds_pk_add_f16, ds_pk_add_rtn_f16, 0x40003c00, 0xc0004400, 0xc4004200
  ATOMIC32 ds_pk_add_bf16, ds_pk_add_rtn_bf16, 0x40003f80, 0xc0004080, 0xc0804040
.endif
.endif
  CHECKED

KERNEL forms
  PREPARE
  // a lane's share of a counter: it grows by one, and gives what it was
  PUT 10
  s_mov_b32 m0, 64
  ds_append v2
  IS32 v2, 10
  ds_consume v2
  IS32 v2, 11
  s_mov_b32 m0, -1
  CELL_IS 10
  ds_nop
  // bit 31 of the data lets its dword be written, without that bit
  PUT 5, 6
  v_mov_b32 v2, 0x80000007
  v_mov_b32 v3, 0x7fffffff
  ds_condxchg32_rtn_b64 v[4:5], v1, v[2:3]
  IS64 v4, v5, 5, 6
  CELL_IS64 7, 6
  CHECKED
