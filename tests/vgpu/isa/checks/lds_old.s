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
.if generation == 9
  // CDNA3 ISA 11.3.1: with equal offsets there is one access, and it takes the first data
  ds_write2_b32 v1, v40, v42 offset0:3 offset1:3
  ds_read_b32 v2, v1 offset:12
  IS32 v2, 0x8182f3f4
  ds_write2st64_b64 v1, v[42:43], v[40:41] offset0:1 offset1:1
  ds_read_b64 v[2:3], v1 offset:512
  IS64 v2, v3, 0x55667788, 0x99aabbcc
  ds_wrxchg2_rtn_b32 v[2:3], v1, v41, v42 offset0:3 offset1:3
  IS32 v2, 0x8182f3f4
  ds_read_b32 v2, v1 offset:12
  IS32 v2, 0x11223344
.endif
  CHECKED

KERNEL atomics
  PREPARE
  COMMON_ATOMICS
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
  COMMON_FORMS
  CHECKED
