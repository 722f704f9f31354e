// SPDX-License-Identifier: MIT
// Memory under its names from gfx11 on.
.include "memory.inc"

KERNEL loads
  PREPARE
  SOURCES
  LOAD load_u8, 0xf4
  LOAD load_i8, 0xfffffff4
  LOAD load_u16, 0xf3f4
  LOAD load_i16, 0xfffff3f4
  LOAD load_b32, 0x8182f3f4
  LOAD load_d16_u8, 0xaaaa00f4
  LOAD load_d16_hi_u8, 0x00f4bbbb
  LOAD load_d16_i8, 0xaaaafff4
  LOAD load_d16_hi_i8, 0xfff4bbbb
  LOAD load_d16_b16, 0xaaaaf3f4
  LOAD load_d16_hi_b16, 0xf3f4bbbb
  WIDE_LOAD load_b64, 3, 0x11223344
  WIDE_LOAD load_b96, 4, 0x55667788
  WIDE_LOAD load_b128, 5, 0x99aabbcc
  CHECKED

KERNEL stores
  PREPARE
  STORE_ store_b8, 0xaaaaaa44
  STORE_ store_b16, 0xaaaa3344
  STORE_ store_b32, 0x11223344
  STORE_ store_d16_hi_b8, 0xaaaaaa22
  STORE_ store_d16_hi_b16, 0xaaaa1122
  WIDE_STORE store_b64, 41, 4, 0x11223344
  WIDE_STORE store_b96, 42, 8, 0x55667788
  WIDE_STORE store_b128, 43, 12, 0x99aabbcc
  CHECKED

KERNEL atomics
  PREPARE
  ATOMIC32 atomic_swap_b32, 5, 9, 9
  ATOMIC32 atomic_add_u32, 0xfffffffe, 3, 5
  ATOMIC32 atomic_sub_u32, 3, 0xfffffffe, 5
  ATOMIC32 atomic_min_i32, 1, -1, -1
  ATOMIC32 atomic_min_u32, -1, 1, 1
  ATOMIC32 atomic_max_i32, -1, 1, 1
  ATOMIC32 atomic_max_u32, 1, -1, -1
  ATOMIC32 atomic_and_b32, 0xff00ff00, 0x0f000f00, 0x0ff00ff0
  ATOMIC32 atomic_or_b32, 0xff00ff00, 0xfff0fff0, 0x0ff00ff0
  ATOMIC32 atomic_xor_b32, 0xff00ff00, 0xf0f0f0f0, 0x0ff00ff0
  ATOMIC32 atomic_inc_u32, 7, 0, 7
  ATOMIC32 atomic_dec_u32, 0, 9, 9
  COMPARE32 atomic_cmpswap_b32, 5, 9, 9, 5
  COMPARE32 atomic_cmpswap_b32, 5, 5, 9, 6
  CHECKED

KERNEL atomics64
  PREPARE
  ATOMIC64 atomic_swap_b64, 5, 6, 9, 8, 9, 8
  ATOMIC64 atomic_add_u64, 0xffffffff, 1, 0, 2, 1, 0
  ATOMIC64 atomic_sub_u64, 0, 2, 0xffffffff, 1, 1, 0
  ATOMIC64 atomic_min_i64, 1, 0, 0, 0x80000000, 0, 0x80000000
  ATOMIC64 atomic_min_u64, 0, 0x80000000, 1, 0, 1, 0
  ATOMIC64 atomic_max_i64, 0, 0x80000000, 1, 0, 1, 0
  ATOMIC64 atomic_max_u64, 1, 0, 0, 0x80000000, 0, 0x80000000
  ATOMIC64 atomic_and_b64, 0xff00ff00, 3, 0x0f000f00, 2, 0x0ff00ff0, 6
  ATOMIC64 atomic_or_b64, 0xff00ff00, 3, 0xfff0fff0, 7, 0x0ff00ff0, 6
  ATOMIC64 atomic_xor_b64, 0xff00ff00, 3, 0xf0f0f0f0, 5, 0x0ff00ff0, 6
  ATOMIC64 atomic_inc_u64, 0xffffffff, 0, 0, 1, 0, 1
  ATOMIC64 atomic_dec_u64, 0, 1, 0xffffffff, 0, 0, 1
  COMPARE64 atomic_cmpswap_b64, 5, 6, 9, 8, 9, 8, 5, 6
  COMPARE64 atomic_cmpswap_b64, 5, 6, 5, 6, 9, 8, 5, 7
  CHECKED

// Floats: 1.5 + 2.25, min and max of 1 and -2, -0 equal to +0.
KERNEL float_atomics
  PREPARE
  ATOMIC32 atomic_add_f32, 0x3fc00000, 0x40700000, 0x40100000
.if generation == 11
  COMPARE32 atomic_cmpswap_f32, 0x80000000, 7, 7, 0
  ATOMIC32 atomic_min_f32, 0x3f800000, 0xc0000000, 0xc0000000
  ATOMIC32 atomic_max_f32, 0xc0000000, 0x3f800000, 0x3f800000
  GLOBAL32 atomic_csub_u32, 7, 4, 3
  GLOBAL32 atomic_csub_u32, 3, 0, 7
.else
  ATOMIC32 atomic_min_num_f32, 0x3f800000, 0xc0000000, 0xc0000000
  ATOMIC32 atomic_max_num_f32, 0xc0000000, 0x3f800000, 0x3f800000
  ATOMIC32 atomic_pk_add_f16, 0x40003c00, 0xc0004400, 0xc4004200
  ATOMIC32 atomic_pk_add_bf16, 0x40003f80, 0xc0004080, 0xc0804040
  ATOMIC32 atomic_sub_clamp_u32, 3, 0, 7
  ATOMIC32 atomic_sub_clamp_u32, 7, 4, 3
  ATOMIC32 atomic_cond_sub_u32, 3, 3, 7
  ATOMIC32 atomic_cond_sub_u32, 7, 4, 3
.endif
  CHECKED
