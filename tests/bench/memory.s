// SPDX-License-Identifier: MIT
// Loops of 32 memory instructions, for gfx1030 in waves of 32. Arguments: a buffer of 64 KiB, the number of rounds, the
// stride in bytes between lanes. v0 lane * stride, v[2:3] the address in the buffer, v[4:7] data, s[12:15] the descriptor of
// scratch that a kernel gets.
.amdgcn_target "amdgcn-amd-amdhsa--gfx1030"
.amdhsa_code_object_version 5

.macro LOOP name, instruction:vararg
.rodata
.p2align 6
.amdhsa_kernel \name
  .amdhsa_group_segment_fixed_size 65536
  .amdhsa_private_segment_fixed_size 1024
  .amdhsa_next_free_vgpr 32
  .amdhsa_next_free_sgpr 32
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_wavefront_size32 1
.end_amdhsa_kernel
.text
.globl \name
.protected \name
.p2align 8
.type \name,@function
\name:
  s_load_dwordx2 s[2:3], s[0:1], 0x0
  s_load_dwordx2 s[4:5], s[0:1], 0x8
  s_waitcnt lgkmcnt(0)
  v_mul_lo_u32 v0, v0, s5
  v_add_co_u32 v2, vcc_lo, s2, v0
  v_mov_b32 v3, s3
  v_add_co_ci_u32 v3, vcc_lo, 0, v3, vcc_lo
  s_mov_b32 s12, 0
  s_mov_b32 s13, 0x80007ff0
  s_mov_b32 s14, -1
  s_mov_b32 s15, 2 << 21 | 1 << 23
1:
  .rept 32
  \instruction
  .endr
  s_sub_u32 s4, s4, 1
  s_cmp_lg_u32 s4, 0
  s_cbranch_scc1 1b
  s_endpgm
.endm

LOOP nothing, v_mov_b32 v4, v5
LOOP ds_read_b32, ds_read_b32 v8, v0
LOOP ds_read_b64, ds_read_b64 v[8:9], v0
LOOP ds_read_b128, ds_read_b128 v[8:11], v0
LOOP ds_read2_b32, ds_read2_b32 v[8:9], v0 offset1:64
LOOP ds_read2_b64, ds_read2_b64 v[8:11], v0 offset1:64
LOOP ds_read_u8, ds_read_u8 v8, v0
LOOP ds_write_b32, ds_write_b32 v0, v4
LOOP ds_write_b64, ds_write_b64 v0, v[4:5]
LOOP ds_write_b128, ds_write_b128 v0, v[4:7]
LOOP ds_write2_b32, ds_write2_b32 v0, v4, v5 offset1:64
LOOP ds_write2_b64, ds_write2_b64 v0, v[4:5], v[6:7] offset1:64
LOOP ds_write_b8, ds_write_b8 v0, v4
LOOP ds_add_u32, ds_add_u32 v0, v4
LOOP ds_add_rtn_u32, ds_add_rtn_u32 v8, v0, v4
LOOP ds_bpermute_b32, ds_bpermute_b32 v8, v0, v4
LOOP global_load_dword, global_load_dword v8, v[2:3], off
LOOP global_load_dword_saddr, global_load_dword v8, v0, s[2:3]
LOOP global_load_dwordx2, global_load_dwordx2 v[8:9], v[2:3], off
LOOP global_load_dwordx4, global_load_dwordx4 v[8:11], v[2:3], off
LOOP global_load_ubyte, global_load_ubyte v8, v[2:3], off
LOOP global_load_ushort, global_load_ushort v8, v[2:3], off
LOOP global_store_dword, global_store_dword v[2:3], v4, off
LOOP global_store_dword_saddr, global_store_dword v0, v4, s[2:3]
LOOP global_store_dwordx2, global_store_dwordx2 v[2:3], v[4:5], off
LOOP global_store_dwordx4, global_store_dwordx4 v[2:3], v[4:7], off
LOOP global_store_byte, global_store_byte v[2:3], v4, off
LOOP global_store_short, global_store_short v[2:3], v4, off
LOOP flat_load_dword, flat_load_dword v8, v[2:3]
LOOP global_atomic_add, global_atomic_add v[2:3], v4, off
LOOP global_atomic_add_rtn, global_atomic_add v8, v[2:3], v4, off glc
LOOP scratch_load_dword, scratch_load_dword v8, off, off offset:16
LOOP scratch_store_dword, scratch_store_dword off, v4, off offset:16
LOOP scratch_load_dwordx4, scratch_load_dwordx4 v[8:11], off, off offset:16
LOOP scratch_by_buffer_load, buffer_load_dword v8, off, s[12:15], 0 offset:16
LOOP scratch_by_buffer_store, buffer_store_dword v4, off, s[12:15], 0 offset:16
LOOP s_load_dwordx4, s_load_dwordx4 s[8:11], s[2:3], 0x10
