// SPDX-License-Identifier: MIT
// Copies between memory and register rows where the lanes of EXEC lie one after the other. Memory is read and written in whole
// vectors of the host, and shuffles sort the words of the lanes into rows. Lanes that are off touch nothing: they may lie outside
// of what is mapped, and what they would store may be another thread's.
// Included only by files that are compiled once per host ISA; all lies in a namespace of that ISA.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "lane_vector.h"

#if !defined(__AVX2__)
#include <smmintrin.h>
#endif

#define PTXSHIM_INLINE [[gnu::always_inline]] inline

namespace ptxshim::vgpu::meaning { // a macro makes this meaning_V2, meaning_V3, meaning_V4

template <unsigned Lanes> PTXSHIM_INLINE bool is_full(uint64_t exec) {
  return Lanes == 32 ? static_cast<uint32_t>(exec) == ~0U : exec == ~0ULL;
}
PTXSHIM_INLINE unsigned first_lane(uint64_t exec) { return static_cast<unsigned>(__builtin_ctzll(exec)); }
PTXSHIM_INLINE unsigned last_lane(uint64_t exec) { return 63U - static_cast<unsigned>(__builtin_clzll(exec)); }
template <bool Full> PTXSHIM_INLINE uint32_t unit_of(uint64_t exec, unsigned lane) {
  return Full ? kAllLanes : static_cast<uint32_t>(exec >> lane) & kAllLanes;
}

// Masks of the words of a vector ------------------------------------------------------------------------------------

// The bits of lanes, each N words of memory, for the vector that begins `Skip` words after the first lane.
template <unsigned N, unsigned Skip> constexpr Words lane_bits() {
  Words bits{};
  for (unsigned i = 0; i < kWords; ++i) bits[i] = 1U << (Skip + i) / N;
  return bits;
}
#if defined(__AVX512F__)
inline constexpr bool kQuickMasks = true; // masked stores cost no more than others
using Mask = __mmask16;
template <unsigned N, unsigned Skip> PTXSHIM_INLINE Mask mask_of(uint32_t unit) {
  if constexpr (N == 1) return static_cast<Mask>(unit);
  return _mm512_test_epi32_mask(_mm512_set1_epi32(static_cast<int>(unit)), reinterpret_cast<__m512i>(lane_bits<N, Skip>()));
}
PTXSHIM_INLINE Words load_some(const std::byte* p, Mask on) { return reinterpret_cast<Words>(_mm512_maskz_loadu_epi32(on, p)); }
template <unsigned> PTXSHIM_INLINE void store_some(std::byte* p, Mask on, Words w) {
  _mm512_mask_storeu_epi32(p, on, reinterpret_cast<__m512i>(w));
}
#else
inline constexpr bool kQuickMasks = false;
using Mask = Words;
template <unsigned N, unsigned Skip> PTXSHIM_INLINE Mask mask_of(uint32_t unit) {
  return reinterpret_cast<Words>((lane_bits<N, Skip>() & unit) != 0U);
}
#if defined(__AVX2__)
PTXSHIM_INLINE Words load_some(const std::byte* p, Mask on) {
  return reinterpret_cast<Words>(_mm256_maskload_epi32(reinterpret_cast<const int*>(p), reinterpret_cast<__m256i>(on)));
}
template <unsigned> PTXSHIM_INLINE void store_some(std::byte* p, Mask on, Words w) {
  _mm256_maskstore_epi32(reinterpret_cast<int*>(p), reinterpret_cast<__m256i>(on), reinterpret_cast<__m256i>(w));
}
#else
PTXSHIM_INLINE Words load_some(const std::byte* p, Mask on) {
  Words w{};
  for (unsigned i = 0; i < kWords; ++i)
    if (uint32_t word; on[i]) __builtin_memcpy(&word, p + 4 * i, 4), w[i] = word;
  return w;
}
template <unsigned N> PTXSHIM_INLINE void store_some(std::byte* p, Mask on, Words w) { // a lane's words at once
  uint32_t words[kWords];
  store_words(words, w);
  for (unsigned i = 0; i < kWords; i += N)
    if (on[i]) __builtin_memcpy(p + 4 * i, words + i, 4 * N);
}
#endif
#endif

// Addresses ---------------------------------------------------------------------------------------------------------

// Whether the words of the lanes of EXEC are start, start + Step, ...
template <unsigned Step, unsigned Lanes, bool Full> PTXSHIM_INLINE bool is_series(const uint32_t* row, uint64_t exec, uint32_t start) {
  Words expected{};
  for (unsigned i = 0; i < kWords; ++i) expected[i] = i * Step;
  expected += start;
#if defined(__AVX512F__)
  uint32_t apart = 0;
  for (unsigned lane = 0; lane < Lanes; lane += kWords, expected += kWords * Step)
    apart |= _mm512_mask_cmpneq_epi32_mask(mask_of<1, 0>(unit_of<Full>(exec, lane)), reinterpret_cast<__m512i>(load_words(row + lane)),
                                           reinterpret_cast<__m512i>(expected));
  return apart == 0;
#else
  Words apart{};
  for (unsigned lane = 0; lane < Lanes; lane += kWords, expected += kWords * Step) {
    const Words differs = load_words(row + lane) ^ expected;
    apart |= Full ? differs : differs & mask_of<1, 0>(unit_of<Full>(exec, lane));
  }
  return top_bits(reinterpret_cast<Words>(apart != 0U)) == 0;
#endif
}

// Words -------------------------------------------------------------------------------------------------------------

// The N words of kWords lanes: a vector a word, or as memory has them, lane after lane.
template <unsigned N> struct Rows { Words word[N]; };
template <unsigned N> PTXSHIM_INLINE Rows<N> sorted(const Rows<N>& laid) {
  const Words* const w = laid.word;
  if constexpr (N == 1) return laid;
  if constexpr (N == 2) return {{even_words(w[0], w[1]), odd_words(w[0], w[1])}};
  if constexpr (N == 4) {
    const Words even0 = even_words(w[0], w[1]), even1 = even_words(w[2], w[3]), odd0 = odd_words(w[0], w[1]), odd1 = odd_words(w[2], w[3]);
    return {{even_words(even0, even1), even_words(odd0, odd1), odd_words(even0, even1), odd_words(odd0, odd1)}};
  }
}
template <unsigned N> PTXSHIM_INLINE Rows<N> laid_out(const Rows<N>& rows) {
  const Words* const w = rows.word;
  if constexpr (N == 1) return rows;
  if constexpr (N == 2) return {{low_pairs(w[0], w[1]), high_pairs(w[0], w[1])}};
  if constexpr (N == 4) {
    const Words even0 = low_pairs(w[0], w[2]), even1 = high_pairs(w[0], w[2]), odd0 = low_pairs(w[1], w[3]), odd1 = high_pairs(w[1], w[3]);
    return {{low_pairs(even0, odd0), high_pairs(even0, odd0), low_pairs(even1, odd1), high_pairs(even1, odd1)}};
  }
}

template <bool Full> PTXSHIM_INLINE void put_words(uint32_t* to, uint32_t unit, Words value) {
  store_words(to, Full ? value : choose(unit, value, load_words(to)));
}

template <unsigned N, bool Full, size_t... I>
PTXSHIM_INLINE void load_unit(const std::byte* from, uint32_t unit, uint32_t* row, unsigned lanes, std::index_sequence<I...>) {
  const Rows<N> rows =
      sorted<N>({{(Full ? load_words(from + I * sizeof(Words)) : load_some(from + I * sizeof(Words), mask_of<N, I * kWords>(unit)))...}});
  (put_words<Full>(row + I * lanes, unit, rows.word[I]), ...);
}
template <unsigned N, bool Full, size_t... I>
PTXSHIM_INLINE void store_unit(std::byte* to, uint32_t unit, const uint32_t* row, unsigned lanes, std::index_sequence<I...>) {
  const Rows<N> laid = laid_out<N>({{load_words(row + I * lanes)...}});
  (void)unit;
  ((Full ? store_words(to + I * sizeof(Words), laid.word[I])
         : store_some<N>(to + I * sizeof(Words), mask_of<N, I * kWords>(unit), laid.word[I])),
   ...);
}

// Bytes and half words: T is int8_t, uint8_t, int16_t or uint16_t.
template <class T> struct SmallVector { typedef T Type __attribute__((vector_size(kWords * sizeof(T)))); };
template <class T> using Small = typename SmallVector<T>::Type;

// (The compiler's own conversions to wider lanes go by way of narrower ones.)
template <class T> PTXSHIM_INLINE Words widened(Small<T> in) {
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<T, uint8_t>)
    return reinterpret_cast<Words>(_mm512_maskz_cvtepu8_epi32(0xffff, reinterpret_cast<__m128i>(in)));
  if constexpr (std::is_same_v<T, int8_t>)
    return reinterpret_cast<Words>(_mm512_maskz_cvtepi8_epi32(0xffff, reinterpret_cast<__m128i>(in)));
  if constexpr (std::is_same_v<T, uint16_t>)
    return reinterpret_cast<Words>(_mm512_maskz_cvtepu16_epi32(0xffff, reinterpret_cast<__m256i>(in)));
  if constexpr (std::is_same_v<T, int16_t>)
    return reinterpret_cast<Words>(_mm512_maskz_cvtepi16_epi32(0xffff, reinterpret_cast<__m256i>(in)));
#else
  __m128i all = _mm_setzero_si128();
  __builtin_memcpy(&all, &in, sizeof in);
#if defined(__AVX2__)
  if constexpr (std::is_same_v<T, uint8_t>) return reinterpret_cast<Words>(_mm256_cvtepu8_epi32(all));
  if constexpr (std::is_same_v<T, int8_t>) return reinterpret_cast<Words>(_mm256_cvtepi8_epi32(all));
  if constexpr (std::is_same_v<T, uint16_t>) return reinterpret_cast<Words>(_mm256_cvtepu16_epi32(all));
  if constexpr (std::is_same_v<T, int16_t>) return reinterpret_cast<Words>(_mm256_cvtepi16_epi32(all));
#else
  if constexpr (std::is_same_v<T, uint8_t>) return reinterpret_cast<Words>(_mm_cvtepu8_epi32(all));
  if constexpr (std::is_same_v<T, int8_t>) return reinterpret_cast<Words>(_mm_cvtepi8_epi32(all));
  if constexpr (std::is_same_v<T, uint16_t>) return reinterpret_cast<Words>(_mm_cvtepu16_epi32(all));
  if constexpr (std::is_same_v<T, int16_t>) return reinterpret_cast<Words>(_mm_cvtepi16_epi32(all));
#endif
#endif
}

template <class T, bool Full> PTXSHIM_INLINE Words load_small_unit(const std::byte* from, uint32_t unit) {
  Small<T> in;
  if (Full || (!kQuickMasks && unit == kAllLanes)) {
    __builtin_memcpy(&in, from, sizeof in);
  } else {
#if defined(__AVX512F__)
    const Mask on = static_cast<Mask>(unit);
    if constexpr (sizeof(T) == 1) in = reinterpret_cast<Small<T>>(_mm_maskz_loadu_epi8(on, from));
    if constexpr (sizeof(T) == 2) in = reinterpret_cast<Small<T>>(_mm256_maskz_loadu_epi16(on, from));
#else
    const unsigned any = first_lane(unit); // what lanes that are off load instead
    for (unsigned i = 0; i < kWords; ++i) {
      T value;
      __builtin_memcpy(&value, from + sizeof value * (unit >> i & 1U ? i : any), sizeof value);
      in[i] = value;
    }
#endif
  }
  return widened<T>(in);
}
template <class T> PTXSHIM_INLINE Small<T> narrowed(Words value) {
#if !defined(__AVX512F__)
  if constexpr (sizeof(T) == 1) {
    const Words bytes = value & 0xffU;
#if defined(__AVX2__)
    const __m256i all = reinterpret_cast<__m256i>(bytes);
    const __m128i halves = _mm_packus_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
#else
    const __m128i halves = _mm_packus_epi32(reinterpret_cast<__m128i>(bytes), reinterpret_cast<__m128i>(bytes));
#endif
    const __m128i packed = _mm_packus_epi16(halves, halves);
    Small<T> out;
    __builtin_memcpy(&out, &packed, sizeof out);
    return out;
  }
#endif
  return __builtin_convertvector(value, Small<T>);
}
template <class T, bool Full> PTXSHIM_INLINE void store_small_unit(std::byte* to, uint32_t unit, Words value) {
  const Small<T> out = narrowed<T>(value);
  if (Full || (!kQuickMasks && unit == kAllLanes)) {
    __builtin_memcpy(to, &out, sizeof out);
    return;
  }
#if defined(__AVX512F__)
  const Mask on = static_cast<Mask>(unit);
  if constexpr (sizeof(T) == 1) _mm_mask_storeu_epi8(to, on, reinterpret_cast<__m128i>(out));
  if constexpr (sizeof(T) == 2) _mm256_mask_storeu_epi16(to, on, reinterpret_cast<__m256i>(out));
#else
  T values[kWords];
  __builtin_memcpy(values, &out, sizeof out);
  for (unsigned i = 0; i < kWords; ++i)
    if (unit >> i & 1U) __builtin_memcpy(to + sizeof(T) * i, values + i, sizeof(T));
#endif
}

// Rows --------------------------------------------------------------------------------------------------------------

// Of registers of which a half is loaded or stored: << shift, the bits of keep stay.
struct HalfRow {
  unsigned shift = 0;
  uint32_t keep = 0;
};

// `at` is where lane 0 is, or would be. Words: 1, 2 or 4.
template <unsigned N, unsigned Lanes, bool Full> PTXSHIM_INLINE void load_words_row(const std::byte* at, uint64_t exec, uint32_t* row) {
  for (unsigned lane = 0; lane < Lanes; lane += kWords) {
    const uint32_t unit = unit_of<Full>(exec, lane);
    const std::byte* const from = at + lane * 4 * N;
    if (Full || (!kQuickMasks && unit == kAllLanes))
      load_unit<N, true>(from, unit, row + lane, Lanes, std::make_index_sequence<N>{});
    else if (kQuickMasks || unit != 0)
      load_unit<N, false>(from, unit, row + lane, Lanes, std::make_index_sequence<N>{});
  }
}
template <unsigned N, unsigned Lanes, bool Full> PTXSHIM_INLINE void store_words_row(std::byte* at, uint64_t exec, const uint32_t* row) {
  for (unsigned lane = 0; lane < Lanes; lane += kWords) {
    const uint32_t unit = unit_of<Full>(exec, lane);
    std::byte* const to = at + lane * 4 * N;
    if (Full || (!kQuickMasks && unit == kAllLanes))
      store_unit<N, true>(to, unit, row + lane, Lanes, std::make_index_sequence<N>{});
    else if (kQuickMasks || unit != 0)
      store_unit<N, false>(to, unit, row + lane, Lanes, std::make_index_sequence<N>{});
  }
}
template <class T, unsigned Lanes, bool Full>
PTXSHIM_INLINE void load_small_row(const std::byte* at, uint64_t exec, uint32_t* row, HalfRow half) {
  for (unsigned lane = 0; lane < Lanes; lane += kWords) {
    const uint32_t unit = unit_of<Full>(exec, lane);
    if (!kQuickMasks && unit == 0) continue;
    const Words value = load_small_unit<T, Full>(at + lane * sizeof(T), unit) << half.shift;
    put_words<Full>(row + lane, unit, half.keep == 0 ? value : (value & ~half.keep) | (load_words(row + lane) & half.keep));
  }
}
template <class T, unsigned Lanes, bool Full>
PTXSHIM_INLINE void store_small_row(std::byte* at, uint64_t exec, const uint32_t* row, HalfRow half) {
  for (unsigned lane = 0; lane < Lanes; lane += kWords) {
    const uint32_t unit = unit_of<Full>(exec, lane);
    if (!kQuickMasks && unit == 0) continue;
    store_small_unit<T, Full>(at + lane * sizeof(T), unit, load_words(row + lane) >> half.shift);
  }
}

} // namespace ptxshim::vgpu::meaning
