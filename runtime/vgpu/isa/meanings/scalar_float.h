// SPDX-License-Identifier: MIT
//
// Floating point of the scalar unit (gfx11.5 and later): the vector unit's meanings under scalar names.
#pragma once

#include "meanings/compare.h"
#include "meanings/convert.h"
#include "meanings/float16.h"
#include "meanings/float32.h"

namespace ptxshim::vgpu::meaning {

inline float s_add_f32(float a, float b, const FloatMode& m) { return v_add_f32(a, b, m); }
inline float s_sub_f32(float a, float b, const FloatMode& m) { return v_sub_f32(a, b, m); }
inline float s_mul_f32(float a, float b, const FloatMode& m) { return v_mul_f32(a, b, m); }
inline float s_min_f32(float a, float b, const FloatMode& m) { return v_min_f32(a, b, m); }
inline float s_max_f32(float a, float b, const FloatMode& m) { return v_max_f32(a, b, m); }
inline float s_min_num_f32(float a, float b, const FloatMode& m) { return v_min_num_f32(a, b, m); }
inline float s_max_num_f32(float a, float b, const FloatMode& m) { return v_max_num_f32(a, b, m); }
inline float s_minimum_f32(float a, float b, const FloatMode& m) { return v_minimum_f32(a, b, m); }
inline float s_maximum_f32(float a, float b, const FloatMode& m) { return v_maximum_f32(a, b, m); }
inline float s_fmac_f32(float a, float b, float c, const FloatMode& m) { return fma(a, b, c, m); }
inline float s_fmamk_f32(float a, float b, float c, const FloatMode& m) { return fma(a, b, c, m); }
inline float s_fmaak_f32(float a, float b, float c, const FloatMode& m) { return fma(a, b, c, m); }
inline float s_ceil_f32(float a, const FloatMode& m) { return v_ceil_f32(a, m); }
inline float s_floor_f32(float a, const FloatMode& m) { return v_floor_f32(a, m); }
inline float s_trunc_f32(float a, const FloatMode& m) { return v_trunc_f32(a, m); }
inline float s_rndne_f32(float a, const FloatMode& m) { return v_rndne_f32(a, m); }
inline bool s_cmp_lt_f32(float a, float b, const FloatMode& m) { return compare_lt(a, b, m); }
inline bool s_cmp_eq_f32(float a, float b, const FloatMode& m) { return compare_eq(a, b, m); }
inline bool s_cmp_le_f32(float a, float b, const FloatMode& m) { return compare_le(a, b, m); }
inline bool s_cmp_gt_f32(float a, float b, const FloatMode& m) { return compare_gt(a, b, m); }
inline bool s_cmp_lg_f32(float a, float b, const FloatMode& m) { return compare_lg(a, b, m); }
inline bool s_cmp_ge_f32(float a, float b, const FloatMode& m) { return compare_ge(a, b, m); }
inline bool s_cmp_o_f32(float a, float b, const FloatMode& m) { return compare_o(a, b, m); }
inline bool s_cmp_u_f32(float a, float b, const FloatMode& m) { return compare_u(a, b, m); }
inline bool s_cmp_nge_f32(float a, float b, const FloatMode& m) { return compare_nge(a, b, m); }
inline bool s_cmp_nlg_f32(float a, float b, const FloatMode& m) { return compare_nlg(a, b, m); }
inline bool s_cmp_ngt_f32(float a, float b, const FloatMode& m) { return compare_ngt(a, b, m); }
inline bool s_cmp_nle_f32(float a, float b, const FloatMode& m) { return compare_nle(a, b, m); }
inline bool s_cmp_neq_f32(float a, float b, const FloatMode& m) { return compare_neq(a, b, m); }
inline bool s_cmp_nlt_f32(float a, float b, const FloatMode& m) { return compare_nlt(a, b, m); }

inline F16 s_add_f16(F16 a, F16 b, const FloatMode& m) { return v_add_f16(a, b, m); }
inline F16 s_sub_f16(F16 a, F16 b, const FloatMode& m) { return v_sub_f16(a, b, m); }
inline F16 s_mul_f16(F16 a, F16 b, const FloatMode& m) { return v_mul_f16(a, b, m); }
inline F16 s_min_f16(F16 a, F16 b, const FloatMode& m) { return v_min_f16(a, b, m); }
inline F16 s_max_f16(F16 a, F16 b, const FloatMode& m) { return v_max_f16(a, b, m); }
inline F16 s_min_num_f16(F16 a, F16 b, const FloatMode& m) { return v_min_num_f16(a, b, m); }
inline F16 s_max_num_f16(F16 a, F16 b, const FloatMode& m) { return v_max_num_f16(a, b, m); }
inline F16 s_minimum_f16(F16 a, F16 b, const FloatMode& m) { return v_minimum_f16(a, b, m); }
inline F16 s_maximum_f16(F16 a, F16 b, const FloatMode& m) { return v_maximum_f16(a, b, m); }
inline F16 s_fmac_f16(F16 a, F16 b, F16 c, const FloatMode& m) { return fma(a, b, c, m); }
inline F16 s_ceil_f16(F16 a, const FloatMode& m) { return v_ceil_f16(a, m); }
inline F16 s_floor_f16(F16 a, const FloatMode& m) { return v_floor_f16(a, m); }
inline F16 s_trunc_f16(F16 a, const FloatMode& m) { return v_trunc_f16(a, m); }
inline F16 s_rndne_f16(F16 a, const FloatMode& m) { return v_rndne_f16(a, m); }
inline bool s_cmp_lt_f16(F16 a, F16 b, const FloatMode& m) { return compare_lt(a, b, m); }
inline bool s_cmp_eq_f16(F16 a, F16 b, const FloatMode& m) { return compare_eq(a, b, m); }
inline bool s_cmp_le_f16(F16 a, F16 b, const FloatMode& m) { return compare_le(a, b, m); }
inline bool s_cmp_gt_f16(F16 a, F16 b, const FloatMode& m) { return compare_gt(a, b, m); }
inline bool s_cmp_lg_f16(F16 a, F16 b, const FloatMode& m) { return compare_lg(a, b, m); }
inline bool s_cmp_ge_f16(F16 a, F16 b, const FloatMode& m) { return compare_ge(a, b, m); }
inline bool s_cmp_o_f16(F16 a, F16 b, const FloatMode& m) { return compare_o(a, b, m); }
inline bool s_cmp_u_f16(F16 a, F16 b, const FloatMode& m) { return compare_u(a, b, m); }
inline bool s_cmp_nge_f16(F16 a, F16 b, const FloatMode& m) { return compare_nge(a, b, m); }
inline bool s_cmp_nlg_f16(F16 a, F16 b, const FloatMode& m) { return compare_nlg(a, b, m); }
inline bool s_cmp_ngt_f16(F16 a, F16 b, const FloatMode& m) { return compare_ngt(a, b, m); }
inline bool s_cmp_nle_f16(F16 a, F16 b, const FloatMode& m) { return compare_nle(a, b, m); }
inline bool s_cmp_neq_f16(F16 a, F16 b, const FloatMode& m) { return compare_neq(a, b, m); }
inline bool s_cmp_nlt_f16(F16 a, F16 b, const FloatMode& m) { return compare_nlt(a, b, m); }

inline float s_cvt_f32_i32(int32_t a, const FloatMode& m) { return v_cvt_f32_i32(a, m); }
inline float s_cvt_f32_u32(uint32_t a, const FloatMode& m) { return v_cvt_f32_u32(a, m); }
inline int32_t s_cvt_i32_f32(float a, const FloatMode& m) { return v_cvt_i32_f32(a, m); }
inline uint32_t s_cvt_u32_f32(float a, const FloatMode& m) { return v_cvt_u32_f32(a, m); }
inline F16 s_cvt_f16_f32(float a, const FloatMode& m) { return v_cvt_f16_f32(a, m); }
inline float s_cvt_f32_f16(F16 a, const FloatMode& m) { return v_cvt_f32_f16(a, m); }
inline float s_cvt_hi_f32_f16(uint32_t a, const FloatMode& m) { return v_cvt_f32_f16(unpack_f16(a).hi, m); }
inline F16x2 s_cvt_pk_rtz_f16_f32(float a, float b, const FloatMode& m) {
  return v_cvt_pkrtz_f16_f32(a, b, m);
}

} // namespace ptxshim::vgpu::meaning
