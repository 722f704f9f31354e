// SPDX-License-Identifier: MIT
// Vector opcodes with fields of their own: bytes chosen within a register, two registers exchanged, halves of VOPD, scalars.
.include "common.inc"

KERNEL moves
  v_mov_b32 v2, 2
  v_mov_b32 v3, 3
.ifdef accumulators
  v_accvgpr_write_b32 a2, v2
  v_accvgpr_read_b32 v4, a2
  IS32 v4, 2
  v_accvgpr_mov_b32 a3, a2
  v_accvgpr_read_b32 v4, a3
  IS32 v4, 2
.else
  v_swap_b32 v2, v3
  IS64 v2, v3, 3, 2
.if generation >= 11
  v_mov_b32 v4, 7
  v_permlane64_b32 v4, v2 // nothing in a wave of 32 (RDNA3 ISA 16.8: "treated as scalar NOP")
  IS32 v4, 7
.endif
.if generation >= 12
  // lane 0 chooses itself; of the other row, which is off, it keeps what it has
  v_mov_b32 v5, 0
  v_permlane16_var_b32 v4, v3, v5
  IS32 v4, 2
  v_permlanex16_var_b32 v4, v2, v5
  IS32 v4, 2
.endif
.endif
.if generation >= 11
.ifndef accumulators
  // {1, 2} . {3, 4} + 5: the clamp bit does nothing (RDNA3 ISA, 7.2.3.1)
  v_mov_b32 v5, 0x40003c00
  v_mov_b32 v6, 0x44004200
  v_mov_b32 v7, 5.0
  v_dot2_f32_f16 v4, v5, v6, v7 clamp
  IS32 v4, 0x41800000
.endif
.endif
  // bytes of 0x01020304 against 0x00000201: only 1 and 2 count, at each of four byte offsets
  v_mov_b32 v20, 0x01020304
  v_mov_b32 v21, 0x05060708
  v_mov_b32 v22, 0x00000201
  v_mov_b32 v24, 10
  v_mov_b32 v25, 20
  v_mov_b32 v26, 30
  v_mov_b32 v27, -1
  v_mqsad_u32_u8 v[30:33], v[20:21], v22, v[24:27]
  IS64 v30, v31, 14, 22     // |4-1| + |3-2|, |3-1| + |2-2|
  IS64 v32, v33, 32, 5 // |2-1| + |1-2|, |1-1| + |8-2| - 1
  CHECKED

.ifdef sc0
.equ has_float8, 1
.else
.if generation >= 12
.equ has_float8, 1
.endif
.endif
.ifdef has_float8
KERNEL float8
  v_mov_b32 v10, 0xffffffff
  v_mov_b32 v2, 1.0
  v_mov_b32 v3, -2.0
  v_mov_b32 v6, 0
.if generation == 9
// gfx942: 1 is 40, -2 is c8 in FP8 and c4 in BF8
  v_mov_b32 v5, 0x48c84080
  v_cvt_f32_fp8_e32 v4, v5
  v_cmp_u_f32 vcc, v4, v4
  IS32 vcc_lo, 1 // 80 is NaN
  v_cvt_f32_fp8_sdwa v4, v5 src0_sel:BYTE_1
  IS32 v4, 0x3f800000
  v_cvt_f32_fp8_sdwa v4, v5 src0_sel:BYTE_2
  IS32 v4, 0xc0000000
  v_cvt_f32_bf8_sdwa v4, v5 src0_sel:BYTE_1
  IS32 v4, 0x3f800000
  v_cvt_pk_f32_fp8_sdwa v[8:9], v5 src0_sel:WORD_1
  IS64 v8, v9, 0xc0000000, 0x40000000
  v_mov_b32 v5, 0xc440
  v_cvt_pk_f32_bf8_e32 v[8:9], v5
  IS64 v8, v9, 0x3f800000, 0xc0000000
  v_cvt_pk_fp8_f32 v10, v2, v3
  IS32 v10, 0xffffc840
  v_cvt_pk_bf8_f32 v10, v2, v3 op_sel:[0,0,1]
  IS32 v10, 0xc440c840
  v_cvt_pk_fp8_f32 v10, -v2, |v3|
  IS32 v10, 0xc44048c0
  v_cvt_sr_fp8_f32 v10, v2, v6 op_sel:[0,0,1,0]
  IS32 v10, 0xc44040c0
  v_cvt_sr_bf8_f32 v10, v3, v6 op_sel:[0,0,0,1]
  IS32 v10, 0xc4c440c0
.else
// gfx12: 1 is 38 in FP8 and 3c in BF8, -2 is c0 in both
  v_mov_b32 v5, 0x40c0387f
  v_cvt_f32_fp8_e32 v4, v5
  v_cmp_u_f32 vcc_lo, v4, v4
  IS32 vcc_lo, 1 // 7f is NaN
  v_cvt_f32_fp8_e64 v4, v5 byte_sel:1
  IS32 v4, 0x3f800000
  v_cvt_f32_bf8_e64 v4, v5 byte_sel:2
  IS32 v4, 0xc0000000
  v_cvt_pk_f32_fp8_e64 v[8:9], v5 op_sel:[1,0]
  IS64 v8, v9, 0xc0000000, 0x40000000
  v_mov_b32 v5, 0xc03c
  v_cvt_pk_f32_bf8_e32 v[8:9], v5
  IS64 v8, v9, 0x3f800000, 0xc0000000
  v_cvt_pk_fp8_f32 v10, v2, v3
  IS32 v10, 0xffffc038
  v_cvt_pk_bf8_f32 v10, v2, v3 op_sel:[0,0,1]
  IS32 v10, 0xc03cc038
  v_cvt_pk_fp8_f32 v10, -v2, |v3|
  IS32 v10, 0xc03c40b8
  v_cvt_sr_fp8_f32 v10, v2, v6 byte_sel:1
  IS32 v10, 0xc03c38b8
  v_cvt_sr_bf8_f32 v10, v3, v6 byte_sel:2
  IS32 v10, 0xc0c038b8
  // {1, 2, -1, 0.5} . {1, 1, 2, 4} + 10
  v_mov_b32 v20, 0x30b84038
  v_mov_b32 v21, 0x48403838
  v_mov_b32 v22, 0x38bc403c
  v_mov_b32 v23, 0x44403c3c
  v_mov_b32 v24, 0x41200000
  v_dot4_f32_fp8_fp8 v4, v20, v21, v24
  IS32 v4, 0x41500000
  v_dot4_f32_fp8_bf8 v4, v20, v23, v24
  IS32 v4, 0x41500000
  v_dot4_f32_bf8_fp8 v4, v22, v21, v24
  IS32 v4, 0x41500000
  v_dot4_f32_bf8_bf8 v4, v22, v23, v24
  IS32 v4, 0x41500000
.endif
  CHECKED
.endif

.if generation >= 11
// Both halves read before either writes. v1 is 3, v2 is 5, as floats and then as numbers.
KERNEL duals
  s_mov_b32 vcc_lo, 1
  v_mov_b32 v1, 0x40400000
  v_mov_b32 v2, 0x40a00000
  v_mov_b32 v4, 2.0
  v_mov_b32 v5, 0.5
  v_dual_add_f32 v4, v1, v2 :: v_dual_sub_f32 v5, v2, v1
  IS64 v4, v5, 0x41000000, 0x40000000
  v_dual_subrev_f32 v4, v1, v2 :: v_dual_mul_f32 v5, v2, v1
  IS64 v4, v5, 0x40000000, 0x41700000
  v_dual_mul_dx9_zero_f32 v4, v1, v2 :: v_dual_mov_b32 v5, v2
  IS64 v4, v5, 0x41700000, 0x40a00000
  v_mov_b32 v4, 2.0
  v_dual_fmac_f32 v4, v1, v2 :: v_dual_cndmask_b32 v5, v2, v1
  IS64 v4, v5, 0x41880000, 0x40400000
  v_dual_fmaak_f32 v4, v1, v2, 0x3f800000 :: v_dual_mov_b32 v5, v2
  IS64 v4, v5, 0x41800000, 0x40a00000
  v_dual_mov_b32 v4, v2 :: v_dual_fmamk_f32 v5, v1, 0x40000000, v2
  IS64 v4, v5, 0x40a00000, 0x41300000
.if generation == 11
  v_dual_max_f32 v4, v1, v2 :: v_dual_min_f32 v5, v2, v1
.else
  v_dual_max_num_f32 v4, v1, v2 :: v_dual_min_num_f32 v5, v2, v1
.endif
  IS64 v4, v5, 0x40a00000, 0x40400000
  v_mov_b32 v1, 3
  v_mov_b32 v2, 5
  v_dual_mov_b32 v4, v2 :: v_dual_add_nc_u32 v5, v1, v2
  IS64 v4, v5, 5, 8
  v_dual_mov_b32 v4, v2 :: v_dual_and_b32 v5, v1, v2
  IS64 v4, v5, 5, 1
  v_dual_mov_b32 v4, v2 :: v_dual_lshlrev_b32 v5, v1, v2
  IS64 v4, v5, 5, 40
.if generation == 11
  v_mov_b32 v1, 0x40003c00 // {1, 2} . {3, 4} + 0
  v_mov_b32 v2, 0x44004200
  v_mov_b32 v4, 0
  v_dual_dot2acc_f32_f16 v4, v1, v2 :: v_dual_mov_b32 v5, v2
  IS64 v4, v5, 0x41300000, 0x44004200
.endif
  // an exchange
  v_mov_b32 v4, 4
  v_mov_b32 v5, 5
  v_dual_mov_b32 v4, v5 :: v_dual_mov_b32 v5, v4
  IS64 v4, v5, 5, 4
  CHECKED
.endif

.if generation >= 12
// Vector opcodes on scalars; 4 and 16, whose results are exact.
KERNEL scalars
  s_mov_b32 s20, 4.0
  s_mov_b32 s21, 0x4400 // 4 as f16
  v_s_exp_f32 s30, s20
  IS32 s30, 0x41800000
  v_s_log_f32 s30, s20
  IS32 s30, 0x40000000
  v_s_rcp_f32 s30, s20
  IS32 s30, 0x3e800000
  v_s_rsq_f32 s30, s20
  IS32 s30, 0x3f000000
  v_s_sqrt_f32 s30, s20
  IS32 s30, 0x40000000
  v_s_rcp_f32 s30, -s20
  IS32 s30, 0xbe800000
  v_s_exp_f16 s30, s21
  IS32 s30, 0x4c00
  v_s_log_f16 s30, s21
  IS32 s30, 0x4000
  v_s_rcp_f16 s30, s21
  IS32 s30, 0x3400
  v_s_rsq_f16 s30, s21
  IS32 s30, 0x3800
  v_s_sqrt_f16 s30, s21
  IS32 s30, 0x4000
  // CLAMP; omod in any mode (RDNA4 ISA, 7.2.3.1)
  v_s_exp_f32 s30, s20 clamp
  IS32 s30, 0x3f800000
  v_s_exp_f16 s30, s21 clamp
  IS32 s30, 0x3c00
  v_s_rcp_f32 s30, -s20 clamp
  IS32 s30, 0
  v_s_rcp_f32 s30, s20 mul:2
  IS32 s30, 0x3f000000
  s_denorm_mode 0
  v_s_rcp_f32 s30, s20 mul:2
  v_s_rcp_f32 s31, s20 div:2
  v_s_rcp_f16 s32, s21 mul:4
  s_denorm_mode 15
  IS32 s30, 0x3f000000
  IS32 s31, 0x3e000000
  IS32 s32, 0x3c00
  CHECKED
.endif
