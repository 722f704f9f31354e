// SPDX-License-Identifier: MIT
// Operations that the host has as vector instructions, NaNs apart: where no lane's result is a NaN, the result of the host's
// instruction is the meaning's in the usual modes (arithmetic.h), and the loop over the meaning is left out. Halves are
// computed as floats, as the meanings do it, but converted by the host. Floats need FMA and F16C, which x86-64-v2 has not.
//
// Lanes that are off count as zeros: what they hold may be a NaN, or an integer, which is a denormal number to the host, and
// some hosts take their time over a product of such.
//
// The host computes with parts: the lanes of a chunk in one or two vectors, in whatever order takes the fewest shuffles.
#pragma once

#include "lane_chunk.h"
#include "meanings/meanings.h"

namespace ptxshim::vgpu::meaning {

template <auto F> struct HostOperation {
  static constexpr bool kExists = false;
};

// The words of one operand in a chunk.
template <class T> struct HostOperand {
  Words words[words_of(Row32<T>::kType)];
};
struct NoOperand {};
template <> struct HostOperand<const FloatMode&> {};
inline NoOperand part(const HostOperand<const FloatMode&>&, unsigned) { return {}; }
template <> struct HostOperand<bool> {
  SomeLanes lanes;
};
inline SomeLanes part(const HostOperand<bool>& in, unsigned) { return in.lanes; }

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
template <class T, class V> inline ResultRows<T> rows_of(const HostResult<T, V>& result) {
  return {reinterpret_cast<Words>(result.part[0])};
}
template <class V> inline ResultRows<F32x2> rows_of(const HostResult<F32x2, V>& result) {
  return {reinterpret_cast<Words>(result.part[0]), reinterpret_cast<Words>(result.part[1])};
}

template <class Part> inline constexpr bool kHasNans = false;

#if defined(__FMA__) && defined(__F16C__)
typedef double Doubles __attribute__((vector_size(kWords * 4)));
template <> inline constexpr bool kHasNans<Floats> = true;
template <> inline constexpr bool kHasNans<Doubles> = true;

#if defined(__AVX512F__)
inline Floats host_fma(Floats a, Floats b, Floats c) {
  return reinterpret_cast<Floats>(_mm512_fmadd_ps(reinterpret_cast<__m512>(a), reinterpret_cast<__m512>(b), reinterpret_cast<__m512>(c)));
}
inline Doubles host_fma(Doubles a, Doubles b, Doubles c) {
  return reinterpret_cast<Doubles>(_mm512_fmadd_pd(reinterpret_cast<__m512d>(a), reinterpret_cast<__m512d>(b), reinterpret_cast<__m512d>(c)));
}
inline __mmask16 unordered(Floats a, Floats b) {
  return _mm512_cmp_ps_mask(reinterpret_cast<__m512>(a), reinterpret_cast<__m512>(b), _CMP_UNORD_Q);
}
inline __mmask8 unordered(Doubles a, Doubles b) {
  return _mm512_cmp_pd_mask(reinterpret_cast<__m512d>(a), reinterpret_cast<__m512d>(b), _CMP_UNORD_Q);
}
inline __mmask16 either(__mmask16 a, __mmask16 b) { return _kor_mask16(a, b); }
inline __mmask8 either(__mmask8 a, __mmask8 b) { return _kor_mask8(a, b); }
inline bool is_some(__mmask16 mask) { return !_kortestz_mask16_u8(mask, mask); }
inline bool is_some(__mmask8 mask) { return !_kortestz_mask8_u8(mask, mask); }
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
inline ResultRows<F16> rows_of(const HostResult<F16, Floats>& result) {
  return {reinterpret_cast<Words>(_mm512_maskz_cvtepu16_epi32(0xffff, narrow(result.part[0])))};
}
inline ResultRows<F16x2> rows_of(const HostResult<F16x2, Floats>& result) {
  return {reinterpret_cast<Words>(_mm512_maskz_inserti64x4(0xff, _mm512_castsi256_si512(narrow(result.part[0])), narrow(result.part[1]), 1))};
}
inline Doubles part(const HostOperand<double>& in, unsigned n) {
  const Words low = in.words[0], high = in.words[1];
  return reinterpret_cast<Doubles>(n ? __builtin_shufflevector(low, high, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31)
                                     : __builtin_shufflevector(low, high, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29));
}
inline ResultRows<double> rows_of(const HostResult<double, Doubles>& result) {
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
inline Floats unordered(Floats a, Floats b) {
  return reinterpret_cast<Floats>(_mm256_cmp_ps(reinterpret_cast<__m256>(a), reinterpret_cast<__m256>(b), _CMP_UNORD_Q));
}
inline Doubles unordered(Doubles a, Doubles b) {
  return reinterpret_cast<Doubles>(_mm256_cmp_pd(reinterpret_cast<__m256d>(a), reinterpret_cast<__m256d>(b), _CMP_UNORD_Q));
}
template <class V> inline V either(V a, V b) { return reinterpret_cast<V>(reinterpret_cast<Words>(a) | reinterpret_cast<Words>(b)); }
template <class V> inline bool is_some(V mask) { return top_bits(reinterpret_cast<Words>(mask)) != 0; }
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
inline ResultRows<F16> rows_of(const HostResult<F16, Floats>& result) {
  return {reinterpret_cast<Words>(_mm256_cvtepu16_epi32(narrow(result.part[0])))};
}
inline ResultRows<F16x2> rows_of(const HostResult<F16x2, Floats>& result) {
  return {reinterpret_cast<Words>(_mm256_inserti128_si256(_mm256_castsi128_si256(narrow(result.part[0])), narrow(result.part[1]), 1))};
}
inline Doubles part(const HostOperand<double>& in, unsigned n) {
  const Words low = in.words[0], high = in.words[1];
  return reinterpret_cast<Doubles>(n ? __builtin_shufflevector(low, high, 2, 10, 3, 11, 6, 14, 7, 15)
                                     : __builtin_shufflevector(low, high, 0, 8, 1, 9, 4, 12, 5, 13));
}
inline ResultRows<double> rows_of(const HostResult<double, Doubles>& result) {
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

// What is beyond the range is saturated, NaNs are zero. (The host gives 0x80000000 for what is no int.)
inline Words to_unsigned(Floats x) {
  const __m256 v = _mm256_max_ps(reinterpret_cast<__m256>(x), _mm256_setzero_ps()), half = _mm256_set1_ps(0x1p31F); // (0 for a NaN)
  const __m256 upper = _mm256_cmp_ps(v, half, _CMP_GE_OQ);
  const __m256i low = _mm256_cvttps_epi32(_mm256_sub_ps(v, _mm256_and_ps(upper, half)));
  const Words bits = reinterpret_cast<Words>(low) ^ (reinterpret_cast<Words>(upper) & 0x80000000U);
  return bits | reinterpret_cast<Words>(_mm256_cmp_ps(v, _mm256_set1_ps(0x1p32F), _CMP_GE_OQ));
}
inline Ints to_signed(Floats x) {
  const __m256 v = reinterpret_cast<__m256>(x);
  const Ints bits =
      reinterpret_cast<Ints>(_mm256_cvttps_epi32(v)) ^ reinterpret_cast<Ints>(_mm256_cmp_ps(v, _mm256_set1_ps(0x1p31F), _CMP_GE_OQ));
  return bits & reinterpret_cast<Ints>(_mm256_cmp_ps(v, v, _CMP_ORD_Q));
}
template <int Mode> inline Floats round_host(Floats x) {
  return reinterpret_cast<Floats>(_mm256_round_ps(reinterpret_cast<__m256>(x), Mode | _MM_FROUND_NO_EXC));
}
#endif

// Maximum and minimum of numbers; a NaN where one is none. The host's own give their second operand where neither is larger,
// which matters for zeros: +0 is more than -0.
#if defined(__AVX512F__)
// (With a quiet NaN the host gives the other one, as the meanings do, and with a signalling one a NaN.)
constexpr int kRangeMin = 4, kRangeMax = 5; // the sign is that of the result
inline Floats quiet_max(Floats a, Floats b) {
  return reinterpret_cast<Floats>(_mm512_maskz_range_ps(0xffff, reinterpret_cast<__m512>(a), reinterpret_cast<__m512>(b), kRangeMax));
}
inline Floats quiet_min(Floats a, Floats b) {
  return reinterpret_cast<Floats>(_mm512_maskz_range_ps(0xffff, reinterpret_cast<__m512>(a), reinterpret_cast<__m512>(b), kRangeMin));
}
inline Doubles quiet_max(Doubles a, Doubles b) {
  return reinterpret_cast<Doubles>(_mm512_maskz_range_pd(0xff, reinterpret_cast<__m512d>(a), reinterpret_cast<__m512d>(b), kRangeMax));
}
inline Doubles quiet_min(Doubles a, Doubles b) {
  return reinterpret_cast<Doubles>(_mm512_maskz_range_pd(0xff, reinterpret_cast<__m512d>(a), reinterpret_cast<__m512d>(b), kRangeMin));
}
inline Floats nan_if_unordered(Floats a, Floats b, Floats r) {
  return reinterpret_cast<Floats>(_mm512_mask_mov_epi32(reinterpret_cast<__m512i>(r), unordered(a, b), _mm512_set1_epi32(-1)));
}
inline Floats host_max(Floats a, Floats b) { return nan_if_unordered(a, b, quiet_max(a, b)); }
inline Floats host_min(Floats a, Floats b) { return nan_if_unordered(a, b, quiet_min(a, b)); }
#else
inline Floats host_max(Floats a, Floats b) {
  const __m256 x = reinterpret_cast<__m256>(a), y = reinterpret_cast<__m256>(b);
  return reinterpret_cast<Floats>(
      _mm256_or_ps(_mm256_and_ps(_mm256_max_ps(x, y), _mm256_max_ps(y, x)), reinterpret_cast<__m256>(unordered(a, b))));
}
inline Floats host_min(Floats a, Floats b) {
  const __m256 x = reinterpret_cast<__m256>(a), y = reinterpret_cast<__m256>(b);
  return reinterpret_cast<Floats>(
      _mm256_or_ps(_mm256_or_ps(_mm256_min_ps(x, y), _mm256_min_ps(y, x)), reinterpret_cast<__m256>(unordered(a, b))));
}
inline Doubles host_max(Doubles a, Doubles b) {
  const __m256d x = reinterpret_cast<__m256d>(a), y = reinterpret_cast<__m256d>(b);
  return reinterpret_cast<Doubles>(
      _mm256_or_pd(_mm256_and_pd(_mm256_max_pd(x, y), _mm256_max_pd(y, x)), reinterpret_cast<__m256d>(unordered(a, b))));
}
inline Doubles host_min(Doubles a, Doubles b) {
  const __m256d x = reinterpret_cast<__m256d>(a), y = reinterpret_cast<__m256d>(b);
  return reinterpret_cast<Doubles>(
      _mm256_or_pd(_mm256_or_pd(_mm256_min_pd(x, y), _mm256_min_pd(y, x)), reinterpret_cast<__m256d>(unordered(a, b))));
}
template <class V> inline V quiet_max(V a, V b) { return host_max(a, b); }
template <class V> inline V quiet_min(V a, V b) { return host_min(a, b); }
#endif
#endif

// Whether there is a NaN in some parts. A comparison looks at two of them.
template <unsigned Count, class Part> inline bool has_nan(const Part (&parts)[Count]) {
  static_assert(Count == 1 || Count % 2 == 0);
  if constexpr (kHasNans<Part>) {
    auto any = unordered(parts[0], parts[Count > 1 ? 1 : 0]);
#pragma GCC unroll 8
    for (unsigned i = 2; i < Count; i += 2) any = either(any, unordered(parts[i], parts[i + 1]));
    return is_some(any);
  }
  return false;
}

// clang-format off
#define HOST_OPERATION(name, operands, result)                                                                         \
  template <> struct HostOperation<&name> {                                                                            \
    static constexpr bool kExists = true;                                                                              \
    template <class V> static auto run operands { return result; }                                                     \
  };
#define HOST1(name, result) HOST_OPERATION(name, (V a, NoOperand = {}), result)
#define HOST2(name, result) HOST_OPERATION(name, (V a, V b, NoOperand = {}), result)
#define HOST3(name, result) HOST_OPERATION(name, (V a, V b, V c, NoOperand = {}), result)
#if defined(__FMA__) && defined(__F16C__)
HOST2(v_add_f32,      a + b)
HOST2(v_sub_f32,      a - b)
HOST2(v_subrev_f32,   b - a)
HOST2(v_mul_f32,      a * b)
HOST3(v_fma_f32,      host_fma(a, b, c))
HOST3(v_fmac_f32,     host_fma(a, b, c))
HOST3(v_fmamk_f32,    host_fma(a, b, c))
HOST3(v_fmaak_f32,    host_fma(a, b, c))
HOST3(v_fma_mix_f32,  host_fma(a, b, c))
HOST2(v_pk_add_f32,   a + b)
HOST2(v_pk_mul_f32,   a * b)
HOST3(v_pk_fma_f32,   host_fma(a, b, c))
HOST2(v_add_f64,      a + b)
HOST2(v_mul_f64,      a * b)
HOST3(v_fma_f64,      host_fma(a, b, c))
HOST3(v_fmac_f64,     host_fma(a, b, c))
HOST2(v_add_f16,      a + b)
HOST2(v_sub_f16,      a - b)
HOST2(v_subrev_f16,   b - a)
HOST2(v_mul_f16,      a * b)
HOST3(v_fma_f16,      half_fma(a, b, c))
HOST3(v_fmac_f16,     half_fma(a, b, c))
HOST3(v_fmamk_f16,    half_fma(a, b, c))
HOST3(v_fmaak_f16,    half_fma(a, b, c))
HOST2(v_pk_add_f16,   a + b)
HOST2(v_pk_mul_f16,   a * b)
HOST3(v_pk_fma_f16,   half_fma(a, b, c))
HOST3(v_pk_fmac_f16,  half_fma(a, b, c))
HOST2(v_max_f32,      quiet_max(a, b))
HOST2(v_min_f32,      quiet_min(a, b))
HOST2(v_max_num_f32,  quiet_max(a, b))
HOST2(v_min_num_f32,  quiet_min(a, b))
HOST3(v_max3_f32,     host_max(host_max(a, b), c))
HOST3(v_min3_f32,     host_min(host_min(a, b), c))
HOST2(v_max_f64,      quiet_max(a, b))
HOST2(v_min_f64,      quiet_min(a, b))
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
template <> struct HostOperation<&v_cndmask_b32> {
  static constexpr bool kExists = true;
  static Words run(Words a, Words b, SomeLanes condition) { return choose(condition, b, a); }
};
#undef HOST1
#undef HOST2
#undef HOST3
#undef HOST_OPERATION

} // namespace ptxshim::vgpu::meaning
