// SPDX-License-Identifier: MIT
// Memory under its names up to gfx10.
.include "memory.inc"

KERNEL loads
  PREPARE
  SOURCES
  LOAD load_ubyte, 0xf4
  LOAD load_sbyte, 0xfffffff4
  LOAD load_ushort, 0xf3f4
  LOAD load_sshort, 0xfffff3f4
  LOAD load_dword, 0x8182f3f4
  LOAD load_ubyte_d16, 0xaaaa00f4
  LOAD load_ubyte_d16_hi, 0x00f4bbbb
  LOAD load_sbyte_d16, 0xaaaafff4
  LOAD load_sbyte_d16_hi, 0xfff4bbbb
  LOAD load_short_d16, 0xaaaaf3f4
  LOAD load_short_d16_hi, 0xf3f4bbbb
  WIDE_LOAD load_dwordx2, 3, 0x11223344
  WIDE_LOAD load_dwordx3, 4, 0x55667788
  WIDE_LOAD load_dwordx4, 5, 0x99aabbcc
  CHECKED

KERNEL stores
  PREPARE
  STORE_ store_byte, 0xaaaaaa44
  STORE_ store_short, 0xaaaa3344
  STORE_ store_dword, 0x11223344
  STORE_ store_byte_d16_hi, 0xaaaaaa22
  STORE_ store_short_d16_hi, 0xaaaa1122
  WIDE_STORE store_dwordx2, 41, 4, 0x11223344
  WIDE_STORE store_dwordx3, 42, 8, 0x55667788
  WIDE_STORE store_dwordx4, 43, 12, 0x99aabbcc
  CHECKED

KERNEL atomics
  PREPARE
  ATOMIC32 atomic_swap, 5, 9, 9
  ATOMIC32 atomic_add, 0xfffffffe, 3, 5
  ATOMIC32 atomic_sub, 3, 0xfffffffe, 5
  ATOMIC32 atomic_smin, 1, -1, -1
  ATOMIC32 atomic_umin, -1, 1, 1
  ATOMIC32 atomic_smax, -1, 1, 1
  ATOMIC32 atomic_umax, 1, -1, -1
  ATOMIC32 atomic_and, 0xff00ff00, 0x0f000f00, 0x0ff00ff0
  ATOMIC32 atomic_or, 0xff00ff00, 0xfff0fff0, 0x0ff00ff0
  ATOMIC32 atomic_xor, 0xff00ff00, 0xf0f0f0f0, 0x0ff00ff0
  ATOMIC32 atomic_inc, 7, 0, 7
  ATOMIC32 atomic_dec, 0, 9, 9
  COMPARE32 atomic_cmpswap, 5, 9, 9, 5
  COMPARE32 atomic_cmpswap, 5, 5, 9, 6
  CHECKED

KERNEL atomics64
  PREPARE
  ATOMIC64 atomic_swap_x2, 5, 6, 9, 8, 9, 8
  ATOMIC64 atomic_add_x2, 0xffffffff, 1, 0, 2, 1, 0
  ATOMIC64 atomic_sub_x2, 0, 2, 0xffffffff, 1, 1, 0
  ATOMIC64 atomic_smin_x2, 1, 0, 0, 0x80000000, 0, 0x80000000
  ATOMIC64 atomic_umin_x2, 0, 0x80000000, 1, 0, 1, 0
  ATOMIC64 atomic_smax_x2, 0, 0x80000000, 1, 0, 1, 0
  ATOMIC64 atomic_umax_x2, 1, 0, 0, 0x80000000, 0, 0x80000000
  ATOMIC64 atomic_and_x2, 0xff00ff00, 3, 0x0f000f00, 2, 0x0ff00ff0, 6
  ATOMIC64 atomic_or_x2, 0xff00ff00, 3, 0xfff0fff0, 7, 0x0ff00ff0, 6
  ATOMIC64 atomic_xor_x2, 0xff00ff00, 3, 0xf0f0f0f0, 5, 0x0ff00ff0, 6
  ATOMIC64 atomic_inc_x2, 0xffffffff, 0, 0, 1, 0, 1
  ATOMIC64 atomic_dec_x2, 0, 1, 0xffffffff, 0, 0, 1
  COMPARE64 atomic_cmpswap_x2, 5, 6, 9, 8, 9, 8, 5, 6
  COMPARE64 atomic_cmpswap_x2, 5, 6, 5, 6, 9, 8, 5, 7
  CHECKED

// Floats: 1.5 + 2.25, min and max of 1 and -2, -0 equal to +0.
KERNEL float_atomics
  PREPARE
.ifdef accumulators
  GLOBAL32 atomic_add_f32, 0x3fc00000, 0x40700000, 0x40100000
  BUFFER32 atomic_add_f32, 0x3fc00000, 0x40700000, 0x40100000
  GLOBAL32 atomic_pk_add_f16, 0x40003c00, 0xc0004400, 0xc4004200
  BUFFER32 atomic_pk_add_f16, 0x40003c00, 0xc0004400, 0xc4004200
  ATOMIC64 atomic_add_f64, 0, 0x3ff80000, 0, 0x400e0000, 0, 0x40020000
  ATOMIC64 atomic_min_f64, 0, 0x3ff00000, 0, 0xc0000000, 0, 0xc0000000
  ATOMIC64 atomic_max_f64, 0, 0xc0000000, 0, 0x3ff00000, 0, 0x3ff00000
.ifdef sc0
  FLAT32 atomic_add_f32, 0x3fc00000, 0x40700000, 0x40100000
  FLAT32 atomic_pk_add_f16, 0x40003c00, 0xc0004400, 0xc4004200
  GLOBAL32 atomic_pk_add_bf16, 0x40003f80, 0xc0004080, 0xc0804040
  FLAT32 atomic_pk_add_bf16, 0x40003f80, 0xc0004080, 0xc0804040
.endif
.else
  COMPARE32 atomic_fcmpswap, 0x80000000, 7, 7, 0
  COMPARE64 atomic_fcmpswap_x2, 0, 0x80000000, 7, 0, 7, 0, 0, 0
  ATOMIC32 atomic_fmin, 0x3f800000, 0xc0000000, 0xc0000000
  ATOMIC32 atomic_fmax, 0xc0000000, 0x3f800000, 0x3f800000
  ATOMIC64 atomic_fmin_x2, 0, 0x3ff00000, 0, 0xc0000000, 0, 0xc0000000
  ATOMIC64 atomic_fmax_x2, 0, 0xc0000000, 0, 0x3ff00000, 0, 0x3ff00000
  GLOBAL32 atomic_csub, 7, 4, 3
  GLOBAL32 atomic_csub, 3, 0, 7
.endif
  CHECKED
