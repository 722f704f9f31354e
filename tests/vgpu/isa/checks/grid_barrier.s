// SPDX-License-Identifier: MIT
// Groups that wait for each other by global wave sync: GridBarrier in check_test.cpp.
.include "common.inc"

// The count of waves, less one, comes from memory.
KERNEL init
  global_load_dword v2, v0, s[6:7]
  s_mov_b32 m0, 0
  s_waitcnt vmcnt(0)
  ds_gws_init v2 offset:3 gds
  s_endpgm

// Twice: every wave counts itself, waits for all, and then sees all of them. Waves that see less count themselves in out.
KERNEL meet
  global_load_dword v2, v0, s[6:7]
  v_mov_b32 v4, 1
  s_mov_b32 m0, 0
  s_waitcnt vmcnt(0)
  s_movk_i32 s20, 2
  s_mov_b32 s23, 0 // how many must have come
1:
  global_atomic_add v0, v4, s[6:7] offset:4
  ds_gws_barrier v2 offset:3 gds
  global_load_dword v6, v0, s[6:7] offset:4
  s_waitcnt vmcnt(0)
  v_readfirstlane_b32 s21, v6
  v_readfirstlane_b32 s22, v2
  s_add_u32 s22, s22, 1
  s_add_u32 s23, s23, s22
  s_cmp_ge_u32 s21, s23
  s_cbranch_scc1 2f
  global_atomic_add v0, v4, s[4:5]
2:
  s_sub_u32 s20, s20, 1
  s_cmp_lg_u32 s20, 0
  s_cbranch_scc1 1b
  s_endpgm
