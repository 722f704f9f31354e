// SPDX-License-Identifier: MIT
// Operations that the host has as vector instructions, NaNs apart: where no lane's result is a NaN, the result of the host's
// instruction is the meaning's in the usual modes (arithmetic.h), and the loop over the meaning is left out. Halves are
// computed as floats, as the meanings do it, but converted by the host. Floats need FMA and F16C, which x86-64-v2 has not.
//
// Lanes that are off are computed with the others, but not multiplied: what they hold may be an integer, which is a denormal
// number to the host, and some hosts take their time over a product of such.
//
// The host computes with parts: the lanes of a chunk in one or two vectors, in whatever order takes the fewest shuffles.
#pragma once

#include "lane_chunk.h"
#include "meanings/meanings.h"

namespace ptxshim::vgpu::meaning {

template <auto F> struct HostOperation {
  static constexpr bool kExists = false, kMultiplies = false;
};

// The words of one operand in a chunk.
template <class T> struct HostOperand {
  Words words[words_of(Row32<T>::kType)];
};
struct NoOperand {};
template <> struct HostOperand<const FloatMode&> {};
inline NoOperand part(const HostOperand<const FloatMode&>&, unsigned) { return {}; }

// Numbers of 16 bits, and what they are made of in a chunk.
typedef uint16_t Shorts __attribute__((vector_size(kWords * 4)));
typedef int16_t SignedShorts __attribute__((vector_size(kWords * 4)));
inline Shorts part(const HostOperand<U16x2>& in, unsigned) { return reinterpret_cast<Shorts>(in.words[0]); }
inline SignedShorts part(const HostOperand<I16x2>& in, unsigned) { return reinterpret_cast<SignedShorts>(in.words[0]); }
inline Words part(const HostOperand<uint32_t>& in, unsigned) { return in.words[0]; }
inline Ints part(const HostOperand<int32_t>& in, unsigned) { return reinterpret_cast<Ints>(in.words[0]); }
inline Floats part(const HostOperand<float>& in, unsigned) { return reinterpret_cast<Floats>(in.words[0]); }
inline Floats part(const HostOperand<F32x2>& in, unsigned n) { return reinterpret_cast<Floats>(in.words[n]); }

template <class T> inline constexpr unsigned kParts = 1;
template <class T, class V> struct HostResult {
  V part[kParts<T>];
};
template <> inline constexpr unsigned kParts<double> = 2;
template <> inline constexpr unsigned kParts<F16x2> = 2;
template <> inline constexpr unsigned kParts<F32x2> = 2;
template <class T, class V> inline Rows<T> rows_of(const HostResult<T, V>& result) { return {reinterpret_cast<Words>(result.part[0])}; }
template <class V> inline Rows<F32x2> rows_of(const HostResult<F32x2, V>& result) {
  return {reinterpret_cast<Words>(result.part[0]), reinterpret_cast<Words>(result.part[1])};
}

// A bit for each lane that holds a NaN, in the order of the part.
template <class V> inline uint32_t nan_lanes(V) { return 0; }

#if defined(__FMA__) && defined(__F16C__)
typedef double Doubles __attribute__((vector_size(kWords * 4)));

#if defined(__AVX512F__)
inline Floats host_fma(Floats a, Floats b, Floats c) {
  return reinterpret_cast<Floats>(_mm512_fmadd_ps(reinterpret_cast<__m512>(a), reinterpret_cast<__m512>(b), reinterpret_cast<__m512>(c)));
}
inline Doubles host_fma(Doubles a, Doubles b, Doubles c) {
  return reinterpret_cast<Doubles>(_mm512_fmadd_pd(reinterpret_cast<__m512d>(a), reinterpret_cast<__m512d>(b), reinterpret_cast<__m512d>(c)));
}
template <> inline uint32_t nan_lanes(Floats x) {
  return _mm512_cmp_ps_mask(reinterpret_cast<__m512>(x), reinterpret_cast<__m512>(x), _CMP_UNORD_Q);
}
template <> inline uint32_t nan_lanes(Doubles x) {
  return _mm512_cmp_pd_mask(reinterpret_cast<__m512d>(x), reinterpret_cast<__m512d>(x), _CMP_UNORD_Q);
}
inline Floats widen(__m256i halves) { return reinterpret_cast<Floats>(_mm512_maskz_cvtph_ps(0xffff, halves)); }
inline __m256i narrow(Floats x) { return _mm512_maskz_cvtps_ph(0xffff, reinterpret_cast<__m512>(x), _MM_FROUND_TO_NEAREST_INT); }
inline Floats part(const HostOperand<F16>& in, unsigned) {
  return widen(_mm512_maskz_cvtepi32_epi16(0xffff, reinterpret_cast<__m512i>(in.words[0])));
}
inline Floats part(const HostOperand<F16x2>& in, unsigned n) {
  const Words w = in.words[0];
  return widen(reinterpret_cast<__m256i>(n ? __builtin_shufflevector(w, w, 8, 9, 10, 11, 12, 13, 14, 15)
                                           : __builtin_shufflevector(w, w, 0, 1, 2, 3, 4, 5, 6, 7)));
}
inline Rows<F16> rows_of(const HostResult<F16, Floats>& result) {
  return {reinterpret_cast<Words>(_mm512_maskz_cvtepu16_epi32(0xffff, narrow(result.part[0])))};
}
inline Rows<F16x2> rows_of(const HostResult<F16x2, Floats>& result) {
  return {reinterpret_cast<Words>(_mm512_maskz_inserti64x4(0xff, _mm512_castsi256_si512(narrow(result.part[0])), narrow(result.part[1]), 1))};
}
inline Doubles part(const HostOperand<double>& in, unsigned n) {
  const Words low = in.words[0], high = in.words[1];
  return reinterpret_cast<Doubles>(n ? __builtin_shufflevector(low, high, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31)
                                     : __builtin_shufflevector(low, high, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29));
}
inline Rows<double> rows_of(const HostResult<double, Doubles>& result) {
  const Words a = reinterpret_cast<Words>(result.part[0]), b = reinterpret_cast<Words>(result.part[1]);
  return {__builtin_shufflevector(a, b, 0, 2, 16, 18, 4, 6, 20, 22, 8, 10, 24, 26, 12, 14, 28, 30),
          __builtin_shufflevector(a, b, 1, 3, 17, 19, 5, 7, 21, 23, 9, 11, 25, 27, 13, 15, 29, 31)};
}

// a * b + c of halves, exact but made odd where it is not (see add_odd): of the results rounded down and up, which are next
// to each other then, the odd one. Equal ones differ at most in the sign of zero, and there the one rounded up is right.
inline Floats half_fma(Floats a, Floats b, Floats c) {
  const __m512 x = reinterpret_cast<__m512>(a), y = reinterpret_cast<__m512>(b), z = reinterpret_cast<__m512>(c);
  const __m512i down = _mm512_castps_si512(_mm512_fmadd_round_ps(x, y, z, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC));
  const __m512i up = _mm512_castps_si512(_mm512_fmadd_round_ps(x, y, z, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC));
  return reinterpret_cast<Floats>(_mm512_mask_mov_epi32(up, _mm512_test_epi32_mask(down, _mm512_set1_epi32(1)), down));
}

// What is beyond the range is saturated, NaNs are zero.
inline Words to_unsigned(Floats x) {
  return reinterpret_cast<Words>(_mm512_maskz_cvttps_epu32(0xffff, _mm512_maskz_max_ps(0xffff, reinterpret_cast<__m512>(x), _mm512_setzero_ps())));
}
inline Ints to_signed(Floats x) {
  const __m512 v = reinterpret_cast<__m512>(x);
  const __m512i r = _mm512_maskz_cvttps_epi32(_mm512_cmp_ps_mask(v, v, _CMP_ORD_Q), v); // (too large and too small: 0x80000000)
  return reinterpret_cast<Ints>(_mm512_mask_mov_epi32(r, _mm512_cmp_ps_mask(v, _mm512_set1_ps(0x1p31F), _CMP_GE_OQ), _mm512_set1_epi32(0x7fffffff)));
}
template <int Mode> inline Floats round_host(Floats x) {
  return reinterpret_cast<Floats>(_mm512_maskz_roundscale_ps(0xffff, reinterpret_cast<__m512>(x), Mode | _MM_FROUND_NO_EXC));
}
#else
inline Floats host_fma(Floats a, Floats b, Floats c) {
  return reinterpret_cast<Floats>(_mm256_fmadd_ps(reinterpret_cast<__m256>(a), reinterpret_cast<__m256>(b), reinterpret_cast<__m256>(c)));
}
inline Doubles host_fma(Doubles a, Doubles b, Doubles c) {
  return reinterpret_cast<Doubles>(_mm256_fmadd_pd(reinterpret_cast<__m256d>(a), reinterpret_cast<__m256d>(b), reinterpret_cast<__m256d>(c)));
}
template <> inline uint32_t nan_lanes(Floats x) {
  const __m256 v = reinterpret_cast<__m256>(x);
  return static_cast<uint32_t>(_mm256_movemask_ps(_mm256_cmp_ps(v, v, _CMP_UNORD_Q)));
}
template <> inline uint32_t nan_lanes(Doubles x) {
  const __m256d v = reinterpret_cast<__m256d>(x);
  return static_cast<uint32_t>(_mm256_movemask_pd(_mm256_cmp_pd(v, v, _CMP_UNORD_Q)));
}
inline Floats widen(__m128i halves) { return reinterpret_cast<Floats>(_mm256_cvtph_ps(halves)); }
inline __m128i narrow(Floats x) { return _mm256_cvtps_ph(reinterpret_cast<__m256>(x), _MM_FROUND_TO_NEAREST_INT); }
inline Floats part(const HostOperand<F16>& in, unsigned) {
  const __m256i low = reinterpret_cast<__m256i>(in.words[0] & 0xffffU);
  return widen(_mm_packus_epi32(_mm256_castsi256_si128(low), _mm256_extracti128_si256(low, 1)));
}
inline Floats part(const HostOperand<F16x2>& in, unsigned n) {
  const __m256i words = reinterpret_cast<__m256i>(in.words[0]);
  return widen(n ? _mm256_extracti128_si256(words, 1) : _mm256_castsi256_si128(words));
}
inline Rows<F16> rows_of(const HostResult<F16, Floats>& result) {
  return {reinterpret_cast<Words>(_mm256_cvtepu16_epi32(narrow(result.part[0])))};
}
inline Rows<F16x2> rows_of(const HostResult<F16x2, Floats>& result) {
  return {reinterpret_cast<Words>(_mm256_inserti128_si256(_mm256_castsi128_si256(narrow(result.part[0])), narrow(result.part[1]), 1))};
}
inline Doubles part(const HostOperand<double>& in, unsigned n) {
  const Words low = in.words[0], high = in.words[1];
  return reinterpret_cast<Doubles>(n ? __builtin_shufflevector(low, high, 2, 10, 3, 11, 6, 14, 7, 15)
                                     : __builtin_shufflevector(low, high, 0, 8, 1, 9, 4, 12, 5, 13));
}
inline Rows<double> rows_of(const HostResult<double, Doubles>& result) {
  const Words a = reinterpret_cast<Words>(result.part[0]), b = reinterpret_cast<Words>(result.part[1]);
  return {__builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14), __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15)};
}

// a * b + c of halves: the product is exact, the sum is made odd (see add_odd).
inline Floats half_fma(Floats a, Floats b, Floats c) {
  const Floats product = a * b, sum = product + c, c_part = sum - product;
  const Floats error = (product - (sum - c_part)) + (c - c_part);
  const Ints bits = reinterpret_cast<Ints>(sum), error_bits = reinterpret_cast<Ints>(error);
  const auto inexact = reinterpret_cast<Floats>(error_bits & 0x7fffffff) > 0.0F; // not where the sum is infinite
  return reinterpret_cast<Floats>(inexact ? ((bits + ((bits ^ error_bits) >> 31)) | 1) : bits);
}
template <int Mode> inline Floats round_host(Floats x) {
  return reinterpret_cast<Floats>(_mm256_round_ps(reinterpret_cast<__m256>(x), Mode | _MM_FROUND_NO_EXC));
}
#endif

// Of numbers; otherwise a NaN. Equal ones differ at most in the sign of zero.
template <class V, class Bits> inline V host_max(V a, V b) {
  const V zero_or_same = reinterpret_cast<V>(reinterpret_cast<Bits>(a) & reinterpret_cast<Bits>(b));
  const V r = a > b ? a : a == b ? zero_or_same : b;
  return a != a ? a : r;
}
template <class V, class Bits> inline V host_min(V a, V b) {
  const V zero_or_same = reinterpret_cast<V>(reinterpret_cast<Bits>(a) | reinterpret_cast<Bits>(b));
  const V r = a < b ? a : a == b ? zero_or_same : b;
  return a != a ? a : r;
}
inline Floats host_max(Floats a, Floats b) { return host_max<Floats, Words>(a, b); }
inline Floats host_min(Floats a, Floats b) { return host_min<Floats, Words>(a, b); }
inline Doubles host_max(Doubles a, Doubles b) { return host_max<Doubles, Words>(a, b); }
inline Doubles host_min(Doubles a, Doubles b) { return host_min<Doubles, Words>(a, b); }
#endif

// Computes a chunk. Returns not 0 if a result is a NaN: for one part a bit for each such lane.
template <auto F, class V, class... T> inline uint32_t run_host(Rows<V>& out, const HostOperand<T>&... in) {
  using Part = decltype(HostOperation<F>::run(part(in, 0)...));
  HostResult<V, Part> result;
  uint32_t nans = 0;
  for (unsigned n = 0; n < kParts<V>; ++n) {
    result.part[n] = HostOperation<F>::run(part(in, n)...);
    nans |= nan_lanes<Part>(result.part[n]);
  }
  out = rows_of(result);
  return nans;
}

// clang-format off
#define HOST_OPERATION(name, multiplies, operands, result)                                                             \
  template <> struct HostOperation<&name> {                                                                            \
    static constexpr bool kExists = true, kMultiplies = multiplies;                                                    \
    template <class V> static auto run operands { return result; }                                                     \
  };
#define HOST1(name, result) HOST_OPERATION(name, false, (V a, NoOperand = {}), result)
#define HOST2(name, result) HOST_OPERATION(name, false, (V a, V b, NoOperand = {}), result)
#define HOST3(name, result) HOST_OPERATION(name, false, (V a, V b, V c, NoOperand = {}), result)
#define MULTIPLY2(name, result) HOST_OPERATION(name, true, (V a, V b, NoOperand = {}), result)
#define MULTIPLY3(name, result) HOST_OPERATION(name, true, (V a, V b, V c, NoOperand = {}), result)
#if defined(__FMA__) && defined(__F16C__)
HOST2(v_add_f32,      a + b)
HOST2(v_sub_f32,      a - b)
HOST2(v_subrev_f32,   b - a)
MULTIPLY2(v_mul_f32,      a * b)
MULTIPLY3(v_fma_f32,      host_fma(a, b, c))
MULTIPLY3(v_fmac_f32,     host_fma(a, b, c))
MULTIPLY3(v_fmamk_f32,    host_fma(a, b, c))
MULTIPLY3(v_fmaak_f32,    host_fma(a, b, c))
MULTIPLY3(v_fma_mix_f32,  host_fma(a, b, c))
HOST2(v_pk_add_f32,   a + b)
MULTIPLY2(v_pk_mul_f32,   a * b)
MULTIPLY3(v_pk_fma_f32,   host_fma(a, b, c))
HOST2(v_add_f64,      a + b)
MULTIPLY2(v_mul_f64,      a * b)
MULTIPLY3(v_fma_f64,      host_fma(a, b, c))
MULTIPLY3(v_fmac_f64,     host_fma(a, b, c))
HOST2(v_add_f16,      a + b)
HOST2(v_sub_f16,      a - b)
HOST2(v_subrev_f16,   b - a)
HOST2(v_mul_f16,      a * b)
HOST3(v_fma_f16,      half_fma(a, b, c))
HOST3(v_fmac_f16,     half_fma(a, b, c))
HOST3(v_fmamk_f16,    half_fma(a, b, c))
HOST3(v_fmaak_f16,    half_fma(a, b, c))
HOST2(v_pk_add_f16,   a + b)
MULTIPLY2(v_pk_mul_f16,   a * b)
MULTIPLY3(v_pk_fma_f16,   half_fma(a, b, c))
MULTIPLY3(v_pk_fmac_f16,  half_fma(a, b, c))
HOST2(v_max_f32,      host_max(a, b))
HOST2(v_min_f32,      host_min(a, b))
HOST2(v_max_num_f32,  host_max(a, b))
HOST2(v_min_num_f32,  host_min(a, b))
HOST3(v_max3_f32,     host_max(host_max(a, b), c))
HOST3(v_min3_f32,     host_min(host_min(a, b), c))
HOST2(v_max_f64,      host_max(a, b))
HOST2(v_min_f64,      host_min(a, b))
HOST2(v_max_f16,      host_max(a, b))
HOST2(v_min_f16,      host_min(a, b))
HOST2(v_pk_max_f16,   host_max(a, b))
HOST2(v_pk_min_f16,   host_min(a, b))
HOST1(v_cvt_f32_f16,  a)
HOST1(v_cvt_f16_f32,  a)
HOST1(v_trunc_f32,    round_host<_MM_FROUND_TO_ZERO>(a))
HOST1(v_floor_f32,    round_host<_MM_FROUND_TO_NEG_INF>(a))
HOST1(v_ceil_f32,     round_host<_MM_FROUND_TO_POS_INF>(a))
HOST1(v_rndne_f32,    round_host<_MM_FROUND_TO_NEAREST_INT>(a))
HOST1(v_cvt_f32_i32,  __builtin_convertvector(a, Floats))
#endif
#if defined(__AVX512F__)
HOST1(v_cvt_f32_u32,  __builtin_convertvector(a, Floats))
HOST1(v_cvt_u32_f32,  to_unsigned(a))
HOST1(v_cvt_i32_f32,  to_signed(a))
#endif
HOST2(v_pk_add_u16,     a + b)
HOST2(v_pk_sub_u16,     a - b)
HOST2(v_pk_mul_lo_u16,  a * b)
HOST3(v_pk_mad_u16,     a * b + c)
HOST2(v_pk_min_u16,     a < b ? a : b)
HOST2(v_pk_max_u16,     a > b ? a : b)
HOST2(v_pk_min_i16,     a < b ? a : b)
HOST2(v_pk_max_i16,     a > b ? a : b)
// clang-format on
#undef HOST1
#undef HOST2
#undef HOST3
#undef MULTIPLY2
#undef MULTIPLY3
#undef HOST_OPERATION

} // namespace ptxshim::vgpu::meaning
