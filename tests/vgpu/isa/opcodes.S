// SPDX-License-Identifier: MIT
// One kernel an opcode or rule: v0 is the lane, s[2:3] the output, v15 the lane's offset in it; the last register named is
// stored. What must come out stands in opcode_test.cpp under the kernel's name. The build defines GEN (9 to 12), CDNA (0, 2
// or 3) and WAVE (32 or 64); names are gfx10's, and where another generation writes them otherwise that stands here.

#if WAVE == 32
#define VCC vcc_lo
#define MASK(low, high) s##low
#else
#define VCC vcc
#define MASK(low, high) s[low:high]
#endif
#if GEN == 9
#define v_add_nc_u32 v_add_u32
#define v_add_nc_u32_e64 v_add_u32_e64
#define v_add_nc_u32_sdwa v_add_u32_sdwa
#define v_add_nc_u32_dpp v_add_u32_dpp
#define v_sub_nc_u32 v_sub_u32
#define v_add_co_ci_u32 v_addc_co_u32
#define CMPX(operation) v_cmpx_##operation vcc,
#define ROW_SHARE row_newbcast
#define RAW_BUFFER 0x00027000
#define INDEXED_BUFFER 0x00027000
#else
#define CMPX(operation) v_cmpx_##operation
#define ROW_SHARE row_share
#define RAW_BUFFER 0x31016000
#define INDEXED_BUFFER 0x11016000
#endif
#if GEN == 12
#define v_mad_u64_u32 v_mad_co_u64_u32
#define NO_OFFSET null
#define RETURN th:TH_ATOMIC_RETURN
#else
#define NO_OFFSET 0
#if CDNA == 3
#define RETURN sc0
#else
#define RETURN glc
#endif
#endif

#if CDNA
#define ACCUMULATORS .amdhsa_accum_offset 32
#else
#define ACCUMULATORS
#endif
#if GEN == 9
#define WAVE_SIZE
#elif WAVE == 32
#define WAVE_SIZE .amdhsa_wavefront_size32 1
#else
#define WAVE_SIZE .amdhsa_wavefront_size32 0
#endif

.macro WAIT // for everything
#if GEN == 12
  s_wait_loadcnt 0
  s_wait_storecnt 0
  s_wait_dscnt 0
  s_wait_kmcnt 0
#else
  s_waitcnt vmcnt(0) lgkmcnt(0)
#if GEN >= 10
  s_waitcnt_vscnt null, 0
#endif
#endif
.endm

.macro EXEC lanes // of 32, in both halves of a wave of 64
  s_mov_b32 exec_lo, \lanes
#if WAVE == 64
  s_mov_b32 exec_hi, \lanes
#endif
.endm
.macro EXEC_LOW lanes // of the first 32
  s_mov_b32 exec_lo, \lanes
#if WAVE == 64
  s_mov_b32 exec_hi, 0
#endif
.endm
.macro ROUND both
#if GEN >= 10
  s_round_mode \both
#else
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), \both
#endif
.endm
.macro DENORM both
#if GEN >= 10
  s_denorm_mode \both
#else
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), \both
#endif
.endm

.macro KERNEL name, lds=0, scratch=0, round32=0, round16_64=0, denorm32=3, denorm16_64=3
.rodata
.p2align 6
.amdhsa_kernel \name
  .amdhsa_group_segment_fixed_size \lds
  .amdhsa_private_segment_fixed_size \scratch
  .amdhsa_next_free_vgpr 36
  .amdhsa_next_free_sgpr 32
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  WAVE_SIZE
  ACCUMULATORS
  .amdhsa_float_round_mode_32 \round32
  .amdhsa_float_round_mode_16_64 \round16_64
  .amdhsa_float_denorm_mode_32 \denorm32
  .amdhsa_float_denorm_mode_16_64 \denorm16_64
.end_amdhsa_kernel
.text
.globl \name
.protected \name
.p2align 8
.type \name,@function
\name:
  s_load_dwordx2 s[2:3], s[0:1], 0x0
  v_lshlrev_b32 v15, 2, v0
  WAIT
.endm

.macro STORE register
  WAIT
  global_store_dword v15, \register, s[2:3]
  s_endpgm
.endm

KERNEL dpp_row_shr
  v_mov_b32 v1, 7
  v_mov_b32_dpp v1, v0 row_shr:3 row_mask:0xf bank_mask:0xf
  STORE v1

KERNEL dpp_row_shr_bound
  v_mov_b32 v1, 7
  v_mov_b32_dpp v1, v0 row_shr:3 row_mask:0xf bank_mask:0xf bound_ctrl:1
  STORE v1

KERNEL dpp_masks
  v_mov_b32 v1, 7
  v_mov_b32_dpp v1, v0 quad_perm:[3,2,1,0] row_mask:0x2 bank_mask:0x5
  STORE v1

#if GEN >= 10
KERNEL dpp8_reverse
  v_mov_b32 v1, 7
  v_mov_b32_dpp v1, v0 dpp8:[7,6,5,4,3,2,1,0]
  STORE v1
#endif

KERNEL dpp_inactive
  v_mov_b32 v1, 7
  EXEC 0xfffe
  v_mov_b32_dpp v1, v0 row_shr:1 row_mask:0xf bank_mask:0xf
  EXEC -1
  STORE v1

#if GEN >= 10
KERNEL dpp_fetch_inactive
  v_mov_b32 v1, 7
  EXEC 0xfffe
  v_mov_b32_dpp v1, v0 row_shr:1 row_mask:0xf bank_mask:0xf fi:1
  EXEC -1
  STORE v1
#endif

KERNEL dpp_row_ror_mirror
  v_mov_b32_dpp v1, v0 row_ror:5 row_mask:0xf bank_mask:0xf
  v_mov_b32_dpp v2, v0 row_half_mirror row_mask:0xf bank_mask:0xf
  v_lshl_or_b32 v1, v2, 8, v1
  STORE v1

#if GEN >= 10 || CDNA
KERNEL dpp_add
  v_mov_b32 v3, 100
  v_add_nc_u32_dpp v1, v0, v3 ROW_SHARE:2 row_mask:0xf bank_mask:0xf
  STORE v1
#endif

#if GEN >= 10
KERNEL permlanex16
  s_mov_b32 s6, 0x76543210
  s_mov_b32 s7, 0xfedcba98
  v_permlanex16_b32 v1, v0, s6, s7
  STORE v1
#endif

#if GEN >= 10
KERNEL permlane16
  s_mov_b32 s6, 0x01234567
  s_mov_b32 s7, 0x89abcdef
  v_permlane16_b32 v1, v0, s6, s7
  STORE v1
#endif

KERNEL readlane_exec_zero
  v_add_nc_u32 v2, 100, v0
  EXEC 0
  v_readlane_b32 s5, v2, 9
  v_readfirstlane_b32 s6, v2
  EXEC -1
  v_mov_b32 v3, s5
  v_mul_u32_u24 v3, 1000, v3
  v_add_nc_u32 v1, s6, v3
  STORE v1

KERNEL read_first_lane_of_mask
  EXEC 0xf0
  v_readfirstlane_b32 s6, v0
  EXEC -1
  v_mov_b32 v1, s6
  STORE v1

KERNEL writelane
  v_mov_b32 v1, v0
  s_mov_b32 s5, 1234
  v_writelane_b32 v1, s5, 37
  STORE v1

KERNEL branch_execz
  s_mov_b32 s5, 2
  EXEC 0
  s_cbranch_execz 1f
  s_mov_b32 s5, 1
1:
  EXEC -1
  v_mov_b32 v1, s5
  STORE v1

#if GEN <= 10
KERNEL sdwa_select
  v_mov_b32 v2, 0x80ff7f01
  v_mov_b32 v3, 1
  v_mov_b32 v1, 0x11112222
  v_add_nc_u32_sdwa v1, sext(v2), v3 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_3 src1_sel:DWORD
  STORE v1
#endif

#if GEN <= 10
KERNEL sdwa_pad_sext
  v_mov_b32 v2, 0x00008001
  v_mov_b32 v3, 0
  v_mov_b32 v1, -1
  v_or_b32_sdwa v1, v2, v3 dst_sel:BYTE_1 dst_unused:UNUSED_PAD src0_sel:BYTE_1 src1_sel:DWORD
  v_mov_b32_sdwa v4, v2 dst_sel:WORD_0 dst_unused:UNUSED_SEXT src0_sel:WORD_0
  v_xor_b32 v1, v1, v4
  STORE v1
#endif

KERNEL op_sel_high
  v_mov_b32 v1, 0xaaaabbbb
  v_mov_b32 v2, 0x00030005
  v_mov_b32 v3, 7
  v_mov_b32 v4, 1
  v_mad_u16 v1, v2, v3, v4 op_sel:[1,0,0,1]
  STORE v1

KERNEL half_keeps_the_other
  v_mov_b32 v1, 0xaaaa0000
  v_mov_b32 v2, 0x3c00
  v_add_f16 v1, 1.0, v2
  STORE v1

KERNEL packed_op_sel
  v_mov_b32 v2, 0x3c004000
  v_mov_b32 v3, 0x44004200
  v_pk_add_f16 v1, v2, v3 op_sel:[1,0] op_sel_hi:[0,1] neg_lo:[0,0] neg_hi:[0,1]
  STORE v1

KERNEL packed_low_half_twice
  v_mov_b32 v2, 0x3c004000
  v_mov_b32 v3, 0x44004200
  v_pk_add_f16 v1, v2, v3 op_sel_hi:[0,1]
  STORE v1

#if CDNA
KERNEL packed_singles
  v_mov_b32 v2, 1.0
  v_mov_b32 v3, 2.0
  v_mov_b32 v4, 4.0
  v_mov_b32 v5, 0.5
  v_pk_fma_f32 v[6:7], v[2:3], v[4:5], v[2:3] op_sel:[1,0,0] op_sel_hi:[0,1,1] neg_lo:[0,0,1]
  v_pk_mov_b32 v[8:9], v[2:3], v[4:5] op_sel:[1,0]
  v_sub_f32 v6, v6, v7
  v_add_f32 v8, v8, v9
  v_add_f32 v1, v6, v8
  STORE v1
#endif

#if GEN >= 10 || CDNA
KERNEL mix
  v_mov_b32 v2, 0x40003c00
  v_mov_b32 v3, 0x3fc00000
  v_mov_b32 v4, 0x40000000
  v_fma_mix_f32 v1, v2, v3, -v4 op_sel:[1,0,1] op_sel_hi:[1,0,1]
  STORE v1
#endif

#include "opcodes_modes.inc"

KERNEL mad_carry
  v_mov_b32 v4, 1
  v_mov_b32 v6, -1
  v_mov_b32 v7, -1
  v_mad_u64_u32 v[2:3], MASK(4, 5), v4, v0, v[6:7]
  v_mov_b32 v1, s4
  v_xor_b32 v1, v1, v2
  v_add_nc_u32 v1, v1, v3
  STORE v1

KERNEL carry_chain
  v_mov_b32 v2, -1
  v_add_co_u32 v3, VCC, v2, v0
  v_add_co_ci_u32 v1, VCC, 5, v0, VCC
  STORE v1

KERNEL compare_exec
  v_mov_b32 v1, 1
  CMPX(lt_u32) 5, v0
  v_mov_b32 v1, 2
  EXEC -1
  STORE v1

KERNEL compare_partial_exec
  s_mov_b32 s6, -1
  s_mov_b32 s7, -1
  EXEC 0xff
  v_cmp_ne_u32 MASK(6, 7), 3, v0
  EXEC -1
  v_mov_b32 v1, s6
  STORE v1

KERNEL compare_halves
  v_cmp_gt_u32 VCC, 40, v0
  v_mov_b32 v1, vcc_lo
#if WAVE == 64
  v_mov_b32 v1, vcc_hi
#endif
  STORE v1

KERNEL saveexec
  EXEC 0xff00ff
  s_mov_b32 s8, 0xff000f
  s_mov_b32 s9, 0xff000f
#if WAVE == 32
  s_and_saveexec_b32 s6, s8
#else
  s_and_saveexec_b64 s[6:7], s[8:9]
#endif
  s_cselect_b32 s8, 1, 0
  s_mov_b32 s9, exec_lo
  EXEC -1
  s_add_u32 s8, s8, s9
  s_xor_b32 s6, s6, 0xff00ff
  s_add_u32 s8, s8, s6
  v_mov_b32 v1, s8
  STORE v1

KERNEL call
  s_getpc_b64 s[6:7]
2:
  s_add_u32 s6, s6, 1f-2b
  s_addc_u32 s7, s7, 0
  v_mov_b32 v1, 1
  s_swappc_b64 s[8:9], s[6:7]
  v_add_nc_u32 v1, 10, v1
  s_branch 3f
1:
  v_add_nc_u32 v1, 100, v1
  s_setpc_b64 s[8:9]
3:
  STORE v1

#if GEN >= 10
KERNEL move_relative
  s_mov_b32 m0, 2
  v_mov_b32 v4, 44
  v_mov_b32 v2, 22
  v_movrels_b32 v1, v2
  v_mov_b32 v7, 0
  v_movreld_b32 v5, v1
  v_lshl_or_b32 v1, v7, 8, v1
  STORE v1
#endif

#if GEN == 9
KERNEL register_index_mode
  v_mov_b32 v4, 40
  v_mov_b32 v5, 50
  v_mov_b32 v6, 60
  v_mov_b32 v7, 0
  s_mov_b32 s6, 2
  s_set_gpr_idx_on s6, 1 // sources
  v_mov_b32 v1, v4
  s_set_gpr_idx_off
  s_set_gpr_idx_on s6, 8 // results
  v_mov_b32 v5, v4
  s_set_gpr_idx_off
  v_add_u32 v1, v1, v7
  STORE v1

KERNEL register_index_mode_leaves_scalars
  v_mov_b32 v1, 7
  s_mov_b32 s6, 2
  s_mov_b32 s8, 1
  s_set_gpr_idx_on s6, 8 // results
  v_readfirstlane_b32 s8, v1
  s_set_gpr_idx_off
  v_mov_b32 v1, s8
  STORE v1
#endif

#if GEN >= 10
KERNEL literals
  s_mov_b64 s[6:7], 0xfffffff0
  s_ashr_i64 s[8:9], 0xfffffff0, 4
  v_mov_b32 v1, s7
  v_add_nc_u32 v1, s9, v1
  v_mov_b32 v2, 0
  v_mov_b32 v3, 0x3ff00000
  v_add_f64 v[2:3], v[2:3], 0x40590000
  v_add_nc_u32 v1, v1, v3
  STORE v1
#endif

KERNEL swap
  v_mov_b32 v1, 5
  v_mov_b32 v2, v0
  v_swap_b32 v1, v2
  STORE v1

#if GEN >= 11 && WAVE == 32
KERNEL dual_issue
  v_mov_b32 v2, 5
  v_add_nc_u32 v3, 100, v0
  v_dual_mov_b32 v2, v3 :: v_dual_mov_b32 v3, v2 // both read first
  v_lshl_or_b32 v1, v3, 16, v2
  STORE v1
#endif

#if CDNA
KERNEL accumulators
  v_accvgpr_write_b32 a1, v0
  v_accvgpr_mov_b32 a2, a1
  v_accvgpr_read_b32 v1, a2
  STORE v1
#endif

KERNEL scalar_odds
  s_mov_b32 s6, 0xf0
  s_bitset1_b32 s6, 33
  s_bitset0_b32 s6, 4
  s_cmp_eq_u32 s6, 0xe2
  s_cmov_b32 s6, 77
  s_mov_b32 s8, 3
  s_mov_b32 s9, 9
  s_mov_b32 m0, 1
  s_movrels_b32 s10, s8
  s_add_u32 s6, s6, s10
  v_mov_b32 v1, s6
  STORE v1

KERNEL condition_registers
  s_cmp_eq_u32 s2, s2
  v_mov_b32 v1, src_scc
  s_cmp_lg_u32 s2, s2
  v_mov_b32 v2, src_scc
  v_lshl_or_b32 v1, v2, 1, v1
  STORE v1

#if GEN >= 10
KERNEL highest_scalars
  s_mov_b32 s102, 5
  s_mov_b32 s103, 6
  s_mov_b32 s105, 7
  v_mov_b32 v1, s102
  v_mov_b32 v2, s103
  v_lshl_or_b32 v1, v2, 4, v1
  v_mov_b32 v2, s105
  v_lshl_or_b32 v1, v2, 8, v1
  STORE v1
#endif

KERNEL mbcnt
  s_mov_b32 s6, 0x0f0f0f0f
  v_mbcnt_lo_u32_b32 v1, s6, 3
  v_mbcnt_hi_u32_b32 v1, s6, v1
  STORE v1

#include "opcodes_memory.inc"

KERNEL div_fmas_mask
  s_mov_b32 vcc_lo, 0xffff
  s_mov_b32 vcc_hi, 0
  v_mov_b32 v2, 1.0
  v_mov_b32 v3, 0
  v_div_fmas_f32 v1, v2, v2, v3
  STORE v1

KERNEL div_scale
  v_mov_b32 v2, 0x0d800000 // 2^-100
  v_mov_b32 v3, 0x53800000 // 2^40
  v_div_scale_f32 v1, VCC, v2, v3, v2
  v_mov_b32 v3, vcc_lo
  v_and_b32 v3, 1, v3
  v_or_b32 v1, v1, v3
  STORE v1

#if GEN == 10
KERNEL missing_opcode
  image_load v1, v0, s[8:15] dmask:0x1 dim:SQ_RSRC_IMG_1D
  STORE v1
#endif

