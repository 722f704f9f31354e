// SPDX-License-Identifier: MIT
// LDS under its names from gfx11 on.
.include "lds.inc"

.macro DIRECT name
  // type 2 a dword, 5 a signed half, 0 a byte
  PUT 0x8182f3f4
  s_mov_b32 m0, 0x20040
  \name v2
  IS32 v2, 0x8182f3f4
  s_mov_b32 m0, 0x50042
  \name v2
  IS32 v2, 0xffff8182
  s_mov_b32 m0, 0x00041
  \name v2
  IS32 v2, 0xf3
  // one lane of four is on, and all four get it (RDNA3 ISA 12.2.1, RDNA4 ISA 12.4)
  s_mov_b32 exec_lo, 31
  v_mov_b32 v3, 7
  s_mov_b32 exec_lo, 2
  \name v3
  s_mov_b32 exec_lo, 1
  v_readlane_b32 s20, v3, 3
  v_readlane_b32 s21, v3, 4
  IS32 v3, 0xf3
  IS64 s20, s21, 0xf3, 7
.endm

KERNEL loads
  PREPARE
  ds_store_b128 v1, v[40:43]
  LOAD ds_load_u8, 0xf4
  LOAD ds_load_i8, 0xfffffff4
  LOAD ds_load_u16, 0xf3f4
  LOAD ds_load_i16, 0xfffff3f4
  LOAD ds_load_b32, 0x8182f3f4
  LOAD ds_load_u8_d16, 0xaaaa00f4
  LOAD ds_load_u8_d16_hi, 0x00f4bbbb
  LOAD ds_load_i8_d16, 0xaaaafff4
  LOAD ds_load_i8_d16_hi, 0xfff4bbbb
  LOAD ds_load_u16_d16, 0xaaaaf3f4
  LOAD ds_load_u16_d16_hi, 0xf3f4bbbb
  ds_load_b64 v[2:3], v1
  IS64 v2, v3, 0x8182f3f4, 0x11223344
  ds_load_b96 v[2:4], v1
  IS64 v3, v4, 0x11223344, 0x55667788
  ds_load_b128 v[2:5], v1
  IS64 v4, v5, 0x55667788, 0x99aabbcc
  // addresses wrap at 32 bits: a negative base with an offset
  v_mov_b32 v3, -4
  ds_load_b32 v2, v3 offset:68
  IS32 v2, 0x8182f3f4
  s_mov_b32 m0, 8
  ds_load_addtid_b32 v2 offset:56
  IS32 v2, 0x8182f3f4
  ds_store_addtid_b32 v41 offset:56
  s_mov_b32 m0, -1
  CELL_IS 0x11223344
  CHECKED

KERNEL stores
  PREPARE
  STORE ds_store_b8, 0xaaaaaa44
  STORE ds_store_b16, 0xaaaa3344
  STORE ds_store_b32, 0x11223344
  STORE ds_store_b8_d16_hi, 0xaaaaaa22
  STORE ds_store_b16_d16_hi, 0xaaaa1122
  ds_store_b64 v1, v[42:43]
  CELL_IS64 0x55667788, 0x99aabbcc
  ds_store_b96 v1, v[40:42]
  ds_load_b32 v2, v1 offset:8
  IS32 v2, 0x55667788
  ds_store_b128 v1, v[40:43]
  ds_load_b32 v2, v1 offset:12
  IS32 v2, 0x99aabbcc
  TWO32 ds_store_2addr_b32, ds_load_2addr_b32, ds_storexchg_2addr_rtn_b32, 1
  TWO32 ds_store_2addr_stride64_b32, ds_load_2addr_stride64_b32, ds_storexchg_2addr_stride64_rtn_b32, 64
  TWO64 ds_store_2addr_b64, ds_load_2addr_b64, ds_storexchg_2addr_rtn_b64, 1
  TWO64 ds_store_2addr_stride64_b64, ds_load_2addr_stride64_b64, ds_storexchg_2addr_stride64_rtn_b64, 64
  CHECKED

KERNEL atomics
  PREPARE
  COMMON_ATOMICS
  PUT 5
  ds_storexchg_rtn_b32 v2, v1, v41
  IS32 v2, 5
  CELL_IS 0x11223344
  PUT 5, 6
  ds_storexchg_rtn_b64 v[2:3], v1, v[42:43]
  IS64 v2, v3, 5, 6
  CELL_IS64 0x55667788, 0x99aabbcc
  // the value comes first; -0 and +0 are equal as floats
  BOTH32 ds_cmpstore_b32, ds_cmpstore_rtn_b32, 5, 9, 9, 5
  BOTH32 ds_cmpstore_b32, ds_cmpstore_rtn_b32, 5, 5, 9, 6
  BOTH64 ds_cmpstore_b64, ds_cmpstore_rtn_b64, 5, 6, 9, 8, 9, 8, 5, 6
.if generation == 11
  BOTH32 ds_cmpstore_f32, ds_cmpstore_rtn_f32, 0x80000000, 7, 7, 0
  BOTH64 ds_cmpstore_f64, ds_cmpstore_rtn_f64, 0, 0x80000000, 7, 0, 7, 0, 0, 0
  ATOMIC32 ds_min_f32, ds_min_rtn_f32, 0x3f800000, 0xc0000000, 0xc0000000
  ATOMIC32 ds_max_f32, ds_max_rtn_f32, 0xc0000000, 0x3f800000, 0x3f800000
  ATOMIC64 ds_min_f64, ds_min_rtn_f64, 0, 0x3ff00000, 0, 0xc0000000, 0, 0xc0000000
  ATOMIC64 ds_max_f64, ds_max_rtn_f64, 0, 0xc0000000, 0, 0x3ff00000, 0, 0x3ff00000
.else
  ATOMIC32 ds_min_num_f32, ds_min_num_rtn_f32, 0x3f800000, 0xc0000000, 0xc0000000
  ATOMIC32 ds_max_num_f32, ds_max_num_rtn_f32, 0xc0000000, 0x3f800000, 0x3f800000
  ATOMIC64 ds_min_num_f64, ds_min_num_rtn_f64, 0, 0x3ff00000, 0, 0xc0000000, 0, 0xc0000000
  ATOMIC64 ds_max_num_f64, ds_max_num_rtn_f64, 0, 0xc0000000, 0, 0x3ff00000, 0, 0x3ff00000
  // RDNA4 ISA 13.3: of two NaNs the operand, made quiet
  ATOMIC32 ds_min_num_f32, ds_min_num_rtn_f32, 0x7f800001, 0x7fe00000, 0x7fa00000
  ATOMIC64 ds_max_num_f64, ds_max_num_rtn_f64, 1, 0x7ff00000, 2, 0xfff80000, 2, 0xfff00000
  ATOMIC32 ds_pk_add_f16, ds_pk_add_rtn_f16, 0x40003c00, 0xc0004400, 0xc4004200
  ATOMIC32 ds_pk_add_bf16, ds_pk_add_rtn_bf16, 0x40003f80, 0xc0004080, 0xc0804040
  ATOMIC32 ds_sub_clamp_u32, ds_sub_clamp_rtn_u32, 3, 0, 7
  ATOMIC32 ds_sub_clamp_u32, ds_sub_clamp_rtn_u32, 7, 4, 3
  ATOMIC32 ds_cond_sub_u32, ds_cond_sub_rtn_u32, 3, 3, 7
  ATOMIC32 ds_cond_sub_u32, ds_cond_sub_rtn_u32, 7, 4, 3
.endif
  CHECKED

KERNEL forms
  PREPARE
  COMMON_FORMS
.if generation == 11
  DIRECT lds_direct_load
.else
  DIRECT ds_direct_load
.endif
  CHECKED
