// SPDX-License-Identifier: MIT
// Operations that the host has as vector instructions, NaNs apart: where no lane's result is a NaN, the result of the host's
// instruction is the meaning's in the usual modes (arithmetic.h), and the loop over the meaning is left out. Halves are
// computed as floats, as the meanings do it, but converted by the host. Hosts without FMA and F16C (x86-64-v2) have none.
#pragma once

#include "lane_chunk.h"
#include "meanings/meanings.h"

namespace ptxshim::vgpu::meaning {

template <auto F> struct HostOperation {
  static constexpr bool kExists = false;
};

#if defined(__FMA__) && defined(__F16C__)
typedef double Doubles __attribute__((vector_size(kWords * 4)));

#if defined(__AVX512F__)
inline Floats host_fma(Floats a, Floats b, Floats c) {
  return reinterpret_cast<Floats>(_mm512_fmadd_ps(reinterpret_cast<__m512>(a), reinterpret_cast<__m512>(b), reinterpret_cast<__m512>(c)));
}
inline Doubles host_fma(Doubles a, Doubles b, Doubles c) {
  return reinterpret_cast<Doubles>(_mm512_fmadd_pd(reinterpret_cast<__m512d>(a), reinterpret_cast<__m512d>(b), reinterpret_cast<__m512d>(c)));
}
inline uint32_t nan_lanes(Floats x) {
  return _mm512_cmp_ps_mask(reinterpret_cast<__m512>(x), reinterpret_cast<__m512>(x), _CMP_UNORD_Q);
}
inline uint32_t nan_lanes(Doubles x) {
  return _mm512_cmp_pd_mask(reinterpret_cast<__m512d>(x), reinterpret_cast<__m512d>(x), _CMP_UNORD_Q);
}
inline Floats widen_low(Words w) {
  const __m256i halves = _mm512_maskz_cvtepi32_epi16(0xffff, reinterpret_cast<__m512i>(w));
  return reinterpret_cast<Floats>(_mm512_maskz_cvtph_ps(0xffff, halves));
}
inline Words narrow_words(Floats x) {
  const __m256i halves = _mm512_maskz_cvtps_ph(0xffff, reinterpret_cast<__m512>(x), _MM_FROUND_TO_NEAREST_INT);
  return reinterpret_cast<Words>(_mm512_maskz_cvtepu16_epi32(0xffff, halves));
}
#else
inline Floats host_fma(Floats a, Floats b, Floats c) {
  return reinterpret_cast<Floats>(_mm256_fmadd_ps(reinterpret_cast<__m256>(a), reinterpret_cast<__m256>(b), reinterpret_cast<__m256>(c)));
}
inline Doubles host_fma(Doubles a, Doubles b, Doubles c) {
  return reinterpret_cast<Doubles>(_mm256_fmadd_pd(reinterpret_cast<__m256d>(a), reinterpret_cast<__m256d>(b), reinterpret_cast<__m256d>(c)));
}
inline uint32_t nan_lanes(Floats x) {
  const __m256 v = reinterpret_cast<__m256>(x);
  return static_cast<uint32_t>(_mm256_movemask_ps(_mm256_cmp_ps(v, v, _CMP_UNORD_Q)));
}
inline uint32_t nan_lanes(Doubles x) {
  const __m256d v = reinterpret_cast<__m256d>(x);
  return static_cast<uint32_t>(_mm256_movemask_pd(_mm256_cmp_pd(v, v, _CMP_UNORD_Q)));
}
inline Floats widen_low(Words w) {
  const __m256i low = reinterpret_cast<__m256i>(w & 0xffffU);
  const __m128i halves = _mm_packus_epi32(_mm256_castsi256_si128(low), _mm256_extracti128_si256(low, 1));
  return reinterpret_cast<Floats>(_mm256_cvtph_ps(halves));
}
inline Words narrow_words(Floats x) {
  return reinterpret_cast<Words>(_mm256_cvtepu16_epi32(_mm256_cvtps_ph(reinterpret_cast<__m256>(x), _MM_FROUND_TO_NEAREST_INT)));
}
#endif

// a * b + c of halves: the product is exact, the sum is made odd (see add_odd).
inline Floats half_fma(Floats a, Floats b, Floats c) {
  const Floats product = a * b, sum = product + c, c_part = sum - product;
  const Floats error = (product - (sum - c_part)) + (c - c_part);
  const Ints bits = reinterpret_cast<Ints>(sum), error_bits = reinterpret_cast<Ints>(error);
  const auto inexact = reinterpret_cast<Floats>(error_bits & 0x7fffffff) > 0.0F; // not where the sum is infinite
  return reinterpret_cast<Floats>(inexact ? ((bits + ((bits ^ error_bits) >> 31)) | 1) : bits);
}

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

// A chunk as one or two vectors that the host computes with: two of doubles, of pairs, and of packed halves.
template <class T> inline constexpr unsigned kParts = 1;
template <> inline constexpr unsigned kParts<double> = 2;
template <> inline constexpr unsigned kParts<F16x2> = 2;
template <> inline constexpr unsigned kParts<F32x2> = 2;
inline Floats part(const Input<float>& in, unsigned) { return reinterpret_cast<Floats>(load_words(in.words)); }
inline Floats part(const Input<F32x2>& in, unsigned n) { return reinterpret_cast<Floats>(load_words(n ? in.high : in.low)); }
inline Floats part(const Input<F16>& in, unsigned) { return widen_low(load_words(in.words)); }
inline Floats part(const Input<F16x2>& in, unsigned n) { return widen_low(load_words(in.words) >> 16 * n); }
inline Doubles part(const Input<double>& in, unsigned n) { return reinterpret_cast<Doubles>(load_words(in.lanes + n * kWords / 2)); }
inline void put(Output<float>& out, unsigned, Floats r) { store_words(out.words, reinterpret_cast<Words>(r)); }
inline void put(Output<F32x2>& out, unsigned n, Floats r) { store_words(n ? out.high : out.low, reinterpret_cast<Words>(r)); }
inline void put(Output<F16>& out, unsigned, Floats r) { store_words(out.words, narrow_words(r)); }
inline void put(Output<F16x2>& out, unsigned n, Floats r) {
  store_words(out.words, n ? load_words(out.words) | narrow_words(r) << 16 : narrow_words(r));
}
inline void put(Output<double>& out, unsigned n, Doubles r) { store_words(out.lanes + n * kWords / 2, reinterpret_cast<Words>(r)); }

template <auto F, class V, class... T> inline bool run_parts(Output<V>& out, uint32_t on, const Input<T>&... in) {
  uint32_t nans = 0;
  for (unsigned n = 0; n < kParts<V>; ++n) {
    const auto r = HostOperation<F>::run(part(in, n)...);
    nans |= nan_lanes(r) << (std::is_same_v<V, double> ? n * kWords / 2 : 0);
    put(out, n, r);
  }
  return (nans & on) != 0;
}
// True: a result that would be stored is a NaN.
using Mode = Input<const FloatMode&>;
template <auto F, class V, class A> inline bool run_host(Output<V>& out, uint32_t on, const Input<A>& a, const Mode&) {
  return run_parts<F>(out, on, a);
}
template <auto F, class V, class A, class B>
inline bool run_host(Output<V>& out, uint32_t on, const Input<A>& a, const Input<B>& b, const Mode&) {
  return run_parts<F>(out, on, a, b);
}
template <auto F, class V, class A, class B, class C>
inline bool run_host(Output<V>& out, uint32_t on, const Input<A>& a, const Input<B>& b, const Input<C>& c, const Mode&) {
  return run_parts<F>(out, on, a, b, c);
}

// clang-format off
#define HOST_OPERATION(name, operands, result)                                                                         \
  template <> struct HostOperation<&name> {                                                                            \
    static constexpr bool kExists = true;                                                                              \
    template <class V> static V run operands { return result; }                                                        \
  };
#define HOST1(name, result) HOST_OPERATION(name, (V a), result)
#define HOST2(name, result) HOST_OPERATION(name, (V a, V b), result)
#define HOST3(name, result) HOST_OPERATION(name, (V a, V b, V c), result)
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
// clang-format on
#undef HOST1
#undef HOST2
#undef HOST3
#undef HOST_OPERATION
#endif

} // namespace ptxshim::vgpu::meaning
