// SPDX-License-Identifier: MIT
// Loops of 64 vector operations, for gfx1030 in waves of 32. The argument is the number of rounds. Sixteen results are in
// flight, as in code that a compiler has scheduled. What an operation reads is in v0 to v15 (all of it in [1, 2) as f32).
.amdgcn_target "amdgcn-amd-amdhsa--gfx1030"
.amdhsa_code_object_version 5

// Operands are written with \a, \b, \c (registers that change from one operation to the next) and \d (the result).
.macro LOOP name, operation:vararg
.rodata
.p2align 6
.amdhsa_kernel \name
  .amdhsa_next_free_vgpr 80
  .amdhsa_next_free_sgpr 32
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_wavefront_size32 1
  .amdhsa_float_denorm_mode_32 3
.end_amdhsa_kernel
.text
.globl \name
.protected \name
.p2align 8
.type \name,@function
\name:
  s_load_dword s4, s[0:1], 0x0
  v_mov_b32 v1, v0
  .set i, 0
  .rept 80
  v_mov_b32 v[i], 0x3f9a8000
  .set i, i + 1
  .endr
  s_mov_b32 s6, 0x3f800001
  s_mov_b32 s7, 0x55555555
  s_waitcnt lgkmcnt(0)
1:
  .set n, 0
  .rept 64
  .set d, 16 + 2 * (n % 16)
  .set a, 2 * (n % 8)
  .set b, 2 * ((n + 3) % 8)
  .set c, 16 + 2 * ((n + 8) % 16)
  \operation
  .set n, n + 1
  .endr
  s_sub_u32 s4, s4, 1
  s_cmp_lg_u32 s4, 0
  s_cbranch_scc1 1b
  s_endpgm
.endm

LOOP v_mov_b32, v_mov_b32 v[d], v[a]
LOOP v_add_u32, v_add_nc_u32 v[d], v[a], v[c]
LOOP v_xor_b32, v_xor_b32 v[d], v[a], v[c]
LOOP v_mul_lo_u32, v_mul_lo_u32 v[d], v[a], v[c]
LOOP v_lshl_add_u32, v_lshl_add_u32 v[d], v[a], v[b], v[c]
LOOP v_add_co_u32, v_add_co_u32 v[d], vcc_lo, v[a], v[c]
LOOP v_add_f32, v_add_f32 v[d], v[a], v[c]
LOOP v_mul_f32, v_mul_f32 v[d], v[a], v[c]
LOOP v_fma_f32, v_fma_f32 v[d], v[a], v[b], v[c]
LOOP v_fmac_f32, v_fmac_f32 v[d], v[a], v[b]
LOOP v_max_f32, v_max_f32 v[d], v[a], v[c]
LOOP v_cndmask_b32, v_cndmask_b32 v[d], v[a], v[c], s7
LOOP v_cmp_lt_f32, v_cmp_lt_f32 vcc_lo, v[a], v[c]
LOOP v_cmp_eq_u32, v_cmp_eq_u32 vcc_lo, v[a], v[c]
LOOP v_cmp_eq_u64, v_cmp_eq_u64 vcc_lo, v[a:a+1], v[c:c+1]
LOOP v_add_f32_constant, v_add_f32 v[d], 2.0, v[c]
LOOP v_fma_f32_constant, v_fma_f32 v[d], v[a], 2.0, v[c]
LOOP v_add_f32_scalar, v_add_f32 v[d], s6, v[c]
LOOP v_fma_f32_scalar, v_fma_f32 v[d], v[a], s6, v[c]
LOOP v_add_u32_scalar, v_add_nc_u32 v[d], s6, v[c]
LOOP v_fma_f32_neg, v_fma_f32 v[d], v[a], v[b], -v[c]
LOOP v_add_f32_abs, v_add_f32 v[d], v[a], |v[c]|
LOOP v_add_f32_clamp, v_add_f32 v[d], v[a], v[c] clamp
LOOP v_mul_f32_omod, v_mul_f32 v[d], v[a], v[c] mul:2
LOOP v_mov_b32_quad_perm, v_mov_b32_dpp v[d], v[a] quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
LOOP v_add_f32_row_shr, v_add_f32_dpp v[d], v[a], v[c] row_shr:1 row_mask:0xf bank_mask:0xf
LOOP v_add_u32_sdwa, v_add_nc_u32_sdwa v[d], v[a], v[c] dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_1 src1_sel:DWORD
LOOP v_add_f64, v_add_f64 v[d:d+1], v[a:a+1], v[c:c+1]
LOOP v_mul_f64, v_mul_f64 v[d:d+1], v[a:a+1], v[c:c+1]
LOOP v_fma_f64, v_fma_f64 v[d:d+1], v[a:a+1], v[b:b+1], v[c:c+1]
LOOP v_lshlrev_b64, v_lshlrev_b64 v[d:d+1], 3, v[a:a+1]
LOOP v_mad_u64_u32, v_mad_u64_u32 v[d:d+1], vcc_lo, v[a], v[b], v[c:c+1]
LOOP v_add_f16, v_add_f16 v[d], v[a], v[c]
LOOP v_fma_f16, v_fma_f16 v[d], v[a], v[b], v[c]
LOOP v_pk_add_f16, v_pk_add_f16 v[d], v[a], v[c]
LOOP v_pk_fma_f16, v_pk_fma_f16 v[d], v[a], v[b], v[c]
LOOP v_pk_add_u16, v_pk_add_u16 v[d], v[a], v[c]
LOOP v_cvt_f32_f16, v_cvt_f32_f16 v[d], v[a]
LOOP v_cvt_f16_f32, v_cvt_f16_f32 v[d], v[a]
LOOP v_cvt_f32_u32, v_cvt_f32_u32 v[d], v[a]
LOOP v_cvt_u32_f32, v_cvt_u32_f32 v[d], v[a]
LOOP v_exp_f32, v_exp_f32 v[d], v[a]
LOOP v_log_f32, v_log_f32 v[d], v[a]
LOOP v_rcp_f32, v_rcp_f32 v[d], v[a]
LOOP v_sqrt_f32, v_sqrt_f32 v[d], v[a]
LOOP v_rsq_f32, v_rsq_f32 v[d], v[a]
LOOP v_sin_f32, v_sin_f32 v[d], v[a]
