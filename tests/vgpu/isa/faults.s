// SPDX-License-Identifier: MIT
// Kernels that break a rule, one a kind, for gfx9 and gfx10, in waves of 32 and 64 lanes. Launched as three groups of 128
// work-items; only work-item 69 of group 1 does the wrong thing, so that the report has something to find: lane 5 of the
// wave that holds it. Arguments: good memory (a page), a bad address. What must be reported stands in fault_test.cpp.
//   s[4:5] good, s[6:7] bad; v[2:3] address of each lane, good but for work-item 69;
//   v15 work-item * 4; v10 LDS offset, likewise good but for one (the low word of `bad`)
.amdhsa_code_object_version 5
.set generation, .amdgcn.gfx_generation_number

.if generation == 9
.macro DESCRIPTOR name, scratch
.amdhsa_kernel \name
  .amdhsa_group_segment_fixed_size 1024
  .amdhsa_private_segment_fixed_size \scratch
  .amdhsa_next_free_vgpr 32
  .amdhsa_next_free_sgpr 32
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_accum_offset 32
.end_amdhsa_kernel
.endm
.else
.macro DESCRIPTOR name, scratch
.amdhsa_kernel \name
  .amdhsa_group_segment_fixed_size 1024
  .amdhsa_private_segment_fixed_size \scratch
  .amdhsa_next_free_vgpr 32
  .amdhsa_next_free_sgpr 32
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_wavefront_size32 WAVE32
.end_amdhsa_kernel
.endm
.endif

.macro KERNEL name, scratch=0
.rodata
.p2align 6
DESCRIPTOR \name, \scratch
.text
.globl \name
.protected \name
.p2align 8
.type \name,@function
\name:
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32 v15, 2, v0
  s_waitcnt lgkmcnt(0)
  s_cmp_eq_u32 s2, 1
  s_cselect_b32 s8, 69, -1
  v_mov_b32 v4, s6
  v_mov_b32 v5, s7
  v_or_b32 v6, s4, v15
  v_mov_b32 v7, s5
  .if WAVE32
  v_cmp_eq_u32 vcc_lo, s8, v0
  v_cndmask_b32 v2, v6, v4, vcc_lo
  v_cndmask_b32 v3, v7, v5, vcc_lo
  v_cndmask_b32 v10, v15, v4, vcc_lo
  s_mov_b32 s9, vcc_lo
  .else
  v_cmp_eq_u32 vcc, s8, v0
  v_cndmask_b32 v2, v6, v4, vcc
  v_cndmask_b32 v3, v7, v5, vcc
  v_cndmask_b32 v10, v15, v4, vcc
  s_or_b32 s9, vcc_lo, vcc_hi
  .endif
  s_cmp_lg_u32 s9, 0 // SCC: this wave has the one
.endm

.macro ONE name, instruction:vararg
KERNEL \name
  \instruction
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_endpgm
.endm

ONE global_load, global_load_dword v4, v[2:3], off
ONE global_load_wide, global_load_dwordx4 v[20:23], v[2:3], off
ONE global_store, global_store_dword v[2:3], v0, off
ONE global_atomic, global_atomic_add v[2:3], v0, off
ONE flat_load, flat_load_dword v4, v[2:3]
ONE flat_store, flat_store_byte v[2:3], v0
ONE flat_atomic, flat_atomic_or v[2:3], v0
ONE lds_load, ds_read_b32 v4, v10
ONE lds_store, ds_write_b64 v10, v[4:5]
ONE lds_load2, ds_read2_b32 v[4:5], v10 offset1:1
ONE lds_store2, ds_write2st64_b32 v10, v4, v5 offset1:1
ONE lds_exchange2, ds_wrxchg2_rtn_b32 v[4:5], v10, v4, v5 offset1:1
ONE lds_atomic, ds_add_u32 v10, v0
ONE lds_compare, ds_cmpst_rtn_b64 v[20:21], v10, v[4:5], v[6:7]

// The rest fails as a wave.
.macro WAVE name
KERNEL \name
  s_cbranch_scc1 1f
  s_endpgm
1:
.endm

.macro BUFFER
  s_mov_b32 s8, s6
  s_mov_b32 s9, s7
  s_mov_b32 s10, -1
  s_mov_b32 s11, 0x31016fac
.endm

.macro OWN_CODE
  s_getpc_b64 s[6:7]
  v_mov_b32 v2, s6
  v_mov_b32 v3, s7
.endm

WAVE lds_addtid
  s_movk_i32 m0, 0x400
  ds_read_addtid_b32 v4
  s_endpgm
WAVE lds_append
  s_movk_i32 m0, 0x3fd
  ds_append v4
  s_endpgm
WAVE scalar_load
  s_load_dwordx4 s[8:11], s[6:7], 0x0
  s_endpgm
WAVE scalar_buffer_load
  BUFFER
  s_buffer_load_dword s12, s[8:11], 0x0
  s_endpgm
WAVE buffer_load
  BUFFER
  buffer_load_dword v4, v15, s[8:11], 0 offen
  s_endpgm
WAVE buffer_store
  BUFFER
  buffer_store_dword v4, off, s[8:11], 0
  s_endpgm
WAVE buffer_atomic
  BUFFER
  buffer_atomic_add v4, off, s[8:11], 0
  s_endpgm
WAVE no_instruction
  .long 0xffffffff
  s_endpgm
WAVE trap
  s_trap 2
  s_endpgm
WAVE jump
  s_setpc_b64 s[6:7]
WAVE call
  s_swappc_b64 s[30:31], s[6:7]
  s_endpgm
WAVE code_store
  OWN_CODE
  global_store_dword v[2:3], v0, off
  s_endpgm
WAVE code_atomic
  OWN_CODE
  global_atomic_inc v[2:3], v0, off
  s_endpgm

// The descriptor that a kernel for gfx9 or gfx10 gets for its scratch: dwords of the lanes beside each other.
KERNEL scratch_store, 512
  s_mov_b32 s8, 0
  s_mov_b32 s9, 0x80007ff0
  s_mov_b32 s10, -1
  s_mov_b32 s11, (3 - WAVE32) << 21 | 1 << 23
  buffer_store_dword v0, v10, s[8:11], 0 offen
  s_endpgm

KERNEL much_scratch, 0x2000000
  s_endpgm

WAVE no_end
