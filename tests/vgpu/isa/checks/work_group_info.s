// SPDX-License-Identifier: MIT
// What the scalar register after the work group's ids holds at first: WorkGroupInfo in check_test.cpp.
.set work_group_info, 1
.include "common.inc"

DESCRIPTOR info
.text
.globl info
.protected info
.p2align 8
.type info,@function
info:
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_lshlrev_b32 v0, 2, v0
.if generation >= 12
  v_mov_b32 v1, s2 // the ids are elsewhere
.else
  v_mov_b32 v1, s3
.endif
  s_waitcnt lgkmcnt(0)
  global_store_dword v0, v1, s[4:5]
  s_endpgm
