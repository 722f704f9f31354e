// SPDX-License-Identifier: MIT
// MODE: bits 1:0 how f32 rounds, 3:2 f64 and f16 (0 nearest even, 1 up, 2 down, 3 toward zero); 5:4 denormals of f32,
// 7:6 of f64 and f16 (the lower bit lets operands, the upper results be denormal); 8 DX10_CLAMP, 9 IEEE, up to gfx11.
.include "common.inc"

.macro MODE value
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 10), \value
.endm
.set usual, 0x3f0

// 1 + 2^-24, 1 + 2^-53, 1 + 2^-11: ties that go down to 1, unless the field of their format says up.
.macro OPERANDS
  v_mov_b32 v2, 1.0
  v_mov_b32 v3, 0x33800000
  v_mov_b32 v4, 0
  v_mov_b32 v5, 0x3ff00000
  v_mov_b32 v6, 0
  v_mov_b32 v7, 0x3ca00000
  v_mov_b32 v8, 0x3c003c00
  v_mov_b32 v9, 0x10001000
  v_mov_b32 v10, 0x3f801000 // 1 + 2^-11 as f32
  v_mov_b32 v11, 0x01000001 // 2^24 + 1
  v_mov_b32 v12, 0
  v_mov_b32 v13, 0
.endm
// What each class of instructions gives in the mode: the last bit of its result.
.macro CLASSES mode, f32, f64, f16
  MODE \mode
  v_add_f32 v20, v2, v3
  v_fma_f32 v21, v2, v2, v3
  v_cvt_f32_u32 v22, v11
  v_add_f64 v[24:25], v[4:5], v[6:7]
  v_fma_f64 v[26:27], v[4:5], v[4:5], v[6:7]
  v_add_f16 v28, v8, v9
  v_pk_add_f16 v29, v8, v9
  v_cvt_f16_f32 v30, v10
  v_fma_f16 v31, v8, v8, v9
  v_cvt_f32_f64 v32, v[4:5]
.if generation >= 10
  v_fma_mixlo_f16 v13, v2, v2, v3
  v_fma_mix_f32 v34, v2, v2, v3
.endif
  MODE usual
  IS32 v20, 0x3f800000 + \f32
  IS32 v21, 0x3f800000 + \f32
  IS32 v22, 0x4b800000 + \f32
  IS64 v24, v25, \f64, 0x3ff00000
  IS64 v26, v27, \f64, 0x3ff00000
  v_and_b32 v28, 0xffff, v28
  IS32 v28, 0x3c00 + \f16
  IS32 v29, 0x3c003c00 + 0x10001 * \f16
  v_and_b32 v30, 0xffff, v30
  IS32 v30, 0x3c00 + \f16
  v_and_b32 v31, 0xffff, v31
  IS32 v31, 0x3c00 + \f16
  IS32 v32, 0x3f800000
.if generation >= 10
  v_and_b32 v13, 0xffff, v13
  IS32 v13, 0x3c00 + \f16
  IS32 v34, 0x3f800000 + \f32
.endif
.endm

KERNEL rounding
  OPERANDS
  CLASSES 0x3f0, 0, 0, 0
  CLASSES 0x3f1, 1, 0, 0
  CLASSES 0x3f2, 0, 0, 0
  CLASSES 0x3f3, 0, 0, 0
  CLASSES 0x3f4, 0, 1, 1
  CLASSES 0x3f5, 1, 1, 1
  CLASSES 0x3fc, 0, 0, 0
  // below zero it is "down" that goes away from it
  MODE 0x3f2
  v_sub_f32 v20, -v2, v3
  MODE 0x3f8
  v_add_f16 v21, -v8, -v9
  v_add_f64 v[22:23], -v[4:5], -v[6:7]
  MODE usual
  v_and_b32 v21, 0xffff, v21
  IS32 v20, 0xbf800001
  IS32 v21, 0xbc01
  IS64 v22, v23, 1, 0xbff00000
.ifdef accumulators
  v_mov_b32 v16, v2
  v_mov_b32 v17, v2
  v_mov_b32 v18, v3
  v_mov_b32 v19, v3
  MODE 0x3f1
  v_pk_add_f32 v[20:21], v[16:17], v[18:19]
  MODE usual
  IS64 v20, v21, 0x3f800001, 0x3f800001
.endif
.if generation >= 10
  // the instructions for the two fields; the rest stays
  s_round_mode 5
  v_add_f32 v20, v2, v3
  v_add_f16 v21, v8, v9
  s_round_mode 0
  v_and_b32 v21, 0xffff, v21
  IS64 v20, v21, 0x3f800001, 0x3c01
  s_getreg_b32 s20, hwreg(HW_REG_MODE, 0, 8)
  IS32 s20, 0xf0
.endif
  // a field alone
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2, 2), 1
  s_getreg_b32 s20, hwreg(HW_REG_MODE, 0, 8)
  IS32 s20, 0xf4
  s_mov_b32 s21, 0
  s_setreg_b32 hwreg(HW_REG_MODE, 2, 2), s21
  s_getreg_b32 s20, hwreg(HW_REG_MODE, 0, 8)
  IS32 s20, 0xf0
  CHECKED

// v2 a denormal f32, v3 the least normal one; v[4:5] and v[6:7] the same as f64, v8 and v9 as f16.
.macro DENORMALS mode, denormal32, doubled32, halved32, denormal16, doubled16, halved16
  MODE \mode
  v_add_f32 v20, v2, v12
  v_add_f32 v21, v2, v2
  v_mul_f32 v22, 0.5, v3
  v_add_f64 v[24:25], v[4:5], v[4:5]
  v_mul_f64 v[26:27], v[6:7], 0.5
  v_add_f16 v28, v8, v12
  v_add_f16 v29, v8, v8
  v_mul_f16 v30, 0.5, v9
  v_fma_f16 v31, v8, 1.0, v8
  MODE usual
  IS64 v20, v21, \denormal32, \doubled32
  IS32 v22, \halved32
  IS64 v24, v25, 0, \doubled16 * 0x400
  IS64 v26, v27, 0, \halved16 * 0x400
  v_and_b32 v28, 0xffff, v28
  v_and_b32 v29, 0xffff, v29
  v_and_b32 v30, 0xffff, v30
  v_and_b32 v31, 0xffff, v31
  IS64 v28, v29, \denormal16, \doubled16
  IS64 v30, v31, \halved16, \doubled16
.endm
KERNEL denormals
  v_mov_b32 v12, 0
  v_mov_b32 v2, 0x00400000
  v_mov_b32 v3, 0x00800000
  v_mov_b32 v4, 0
  v_mov_b32 v5, 0x00080000
  v_mov_b32 v6, 0
  v_mov_b32 v7, 0x00100000
  v_mov_b32 v8, 0x200
  v_mov_b32 v9, 0x400
  // twice the denormal is the least normal one, half of that the denormal
  DENORMALS 0x3f0, 0x400000, 0x800000, 0x400000, 0x200, 0x400, 0x200
  DENORMALS 0x3c0, 0, 0, 0, 0x200, 0x400, 0x200
  DENORMALS 0x330, 0x400000, 0x800000, 0x400000, 0, 0, 0
  DENORMALS 0x3d0, 0, 0x800000, 0, 0x200, 0x400, 0x200 // operands alone
  DENORMALS 0x3e0, 0, 0, 0x400000, 0x200, 0x400, 0x200 // results alone
  DENORMALS 0x370, 0x400000, 0x800000, 0x400000, 0, 0x400, 0
  DENORMALS 0x3b0, 0x400000, 0x800000, 0x400000, 0, 0, 0x200
.if generation >= 10
  s_denorm_mode 12 // f32 flushes
  v_add_f32 v20, v2, v2
  v_add_f16 v21, v8, v8
  s_denorm_mode 3 // f64 and f16 do
  v_add_f32 v22, v2, v2
  v_add_f16 v23, v8, v8
  s_denorm_mode 15
  v_and_b32 v21, 0xffff, v21
  v_and_b32 v23, 0xffff, v23
  IS64 v20, v21, 0, 0x400
  IS64 v22, v23, 0x800000, 0
.endif
  // comparisons, minima and maxima see operands as the mode has them
  v_max_f32 v20, v2, v12
  MODE 0x3c0
  v_max_f32 v21, v2, v12
.if generation == 9
  v_cmp_lt_f32 vcc, v12, v2
  s_mov_b32 s20, vcc_lo
  v_cmp_lt_f16 vcc, v12, v8
.else
  v_cmp_lt_f32 vcc_lo, v12, v2
  s_mov_b32 s20, vcc_lo
  v_cmp_lt_f16 vcc_lo, v12, v8
.endif
  s_mov_b32 s21, vcc_lo
  MODE usual
  IS64 v20, v21, 0x400000, 0
  IS64 s20, s21, 0, 1
  CHECKED

// CLAMP of integers: a choice stays what it is, sums stop at the ends.
KERNEL integer_clamp
  v_mov_b32 v2, 0x7000
  v_mov_b32 v3, 2
  v_mov_b32 v4, 0x8000
  v_max3_i16 v20, v2, v3, v4 clamp
  v_min3_i16 v21, v2, v3, v4 clamp
  v_med3_i16 v22, v2, v3, v4 clamp
  v_max3_u16 v23, v2, v3, v4 clamp
  v_min3_u16 v24, v2, v3, v4 clamp
  v_med3_u16 v25, v2, v3, v4 clamp
.macro HALF_IS register, value
  v_and_b32 v\register, 0xffff, v\register
  IS32 v\register, \value
.endm
  HALF_IS 20, 0x7000
  HALF_IS 21, 0x8000
  HALF_IS 22, 2
  HALF_IS 23, 0x8000
  HALF_IS 24, 2
  HALF_IS 25, 0x7000
.if generation == 9
  v_mad_legacy_u16 v20, v2, v3, v4 clamp // 0xe000 + 0x8000
  v_mad_legacy_i16 v21, v2, v3, v3 clamp // 0xe002
  HALF_IS 20, 0xffff
  HALF_IS 21, 0x7fff
.else
  v_mad_u16 v20, v2, v3, v4 clamp
  v_mad_i16 v21, v2, v3, v3 clamp
  HALF_IS 20, 0xffff
  HALF_IS 21, 0x7fff
.endif
  v_mov_b32 v2, 0xff
  v_mov_b32 v3, -1
  v_sad_u8 v20, v2, v0, v3 clamp
  IS32 v20, -1
  CHECKED

.if generation < 12
KERNEL ieee_and_clamp
  v_mov_b32 v2, 0x7f800001 // signaling
  v_mov_b32 v3, 1.0
  v_mov_b32 v4, 0x7c01
  v_mov_b32 v5, 0x3c00
  v_mov_b32 v6, 0x7fc00000
  v_max_f32 v20, v2, v3
  v_max_f16 v21, v4, v5
  v_add_f32_e64 v22, v6, v3 clamp
  MODE 0x1f0 // not IEEE
  v_max_f32 v23, v2, v3
  v_max_f16 v24, v4, v5
  MODE 0x2f0 // a clamped NaN stays
  v_add_f32_e64 v25, v6, v3 clamp
  MODE usual
  v_and_b32 v21, 0xffff, v21
  v_and_b32 v24, 0xffff, v24
  IS64 v20, v21, 0x7fc00001, 0x7e01
  IS32 v22, 0
  IS64 v23, v24, 0x3f800000, 0x3c00
  IS32 v25, 0x7fc00000
  CHECKED
.endif
