// SPDX-License-Identifier: MIT
// LDS under its names from gfx11 on.
.include "lds.inc"

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
.if generation == 11
  // type 2 a dword, 5 a signed half, 0 a byte
  PUT 0x8182f3f4
  s_mov_b32 m0, 0x20040
  lds_direct_load v2
  IS32 v2, 0x8182f3f4
  s_mov_b32 m0, 0x50042
  lds_direct_load v2
  IS32 v2, 0xffff8182
  s_mov_b32 m0, 0x00041
  lds_direct_load v2
  IS32 v2, 0xf3
.else
  // type 2 a dword, 5 a signed half, 0 a byte
  PUT 0x8182f3f4
  s_mov_b32 m0, 0x20040
  ds_direct_load v2
  IS32 v2, 0x8182f3f4
  s_mov_b32 m0, 0x50042
  ds_direct_load v2
  IS32 v2, 0xffff8182
  s_mov_b32 m0, 0x00041
  ds_direct_load v2
  IS32 v2, 0xf3
.endif
  CHECKED
