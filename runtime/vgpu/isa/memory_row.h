// SPDX-License-Identifier: MIT
// Copies between memory and register rows where the lanes of EXEC lie one after the other. Memory is read and written in whole
// vectors of the host, and shuffles sort the words of the lanes into rows. Lanes that are off touch nothing: they may lie outside
// of what is mapped, and what they would store may be another thread's. Where masked stores are microcode (AVX2 on many hosts) or
// are not there, lanes beside such are stored one by one.
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
// Lanes that are on, in ascending order.
template <class Body> PTXSHIM_INLINE void each_on(uint64_t exec, Body body) {
  for (uint64_t left = exec; left; left &= left - 1) body(first_lane(left));
}

template <class T> PTXSHIM_INLINE T read(const void* p) {
  T value;
  __builtin_memcpy(&value, p, sizeof value);
  return value;
}
template <class T> PTXSHIM_INLINE void write(void* p, T value) { __builtin_memcpy(p, &value, sizeof value); }

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
PTXSHIM_INLINE void store_some(std::byte* p, Mask on, Words w) { _mm512_mask_storeu_epi32(p, on, reinterpret_cast<__m512i>(w)); }
#else
inline constexpr bool kQuickMasks = false;
using Mask = Words;
template <unsigned N, unsigned Skip> PTXSHIM_INLINE Mask mask_of(uint32_t unit) {
  return reinterpret_cast<Words>((lane_bits<N, Skip>() & unit) == lane_bits<N, Skip>());
}
#if defined(__AVX2__)
PTXSHIM_INLINE Words load_some(const std::byte* p, Mask on) {
  return reinterpret_cast<Words>(_mm256_maskload_epi32(reinterpret_cast<const int*>(p), reinterpret_cast<__m256i>(on)));
}
#else
PTXSHIM_INLINE Words load_some(const std::byte* p, Mask on) {
  Words w{};
  for (unsigned i = 0; i < kWords; ++i)
    if (uint32_t word; on[i]) __builtin_memcpy(&word, p + 4 * i, 4), w[i] = word;
  return w;
}
#endif
#endif

// Addresses ---------------------------------------------------------------------------------------------------------

// A bit for each lane that fulfils a condition, which tells so of a vector of words that begins with a lane.
#if defined(__AVX512F__)
PTXSHIM_INLINE Mask are_equal(Words a, Words b) {
  return _mm512_cmpeq_epi32_mask(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b));
}
PTXSHIM_INLINE Mask are_at_most(Words a, Words b) {
  return _mm512_cmple_epu32_mask(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b));
}
template <unsigned Lanes, class Condition> PTXSHIM_INLINE uint64_t lanes_where(Condition condition) {
  uint64_t bits = 0;
  for (unsigned lane = 0; lane < Lanes; lane += kWords) bits |= uint64_t{condition(lane)} << lane;
  return bits;
}
#else
PTXSHIM_INLINE Mask are_equal(Words a, Words b) { return reinterpret_cast<Words>(a == b); }
PTXSHIM_INLINE Mask are_at_most(Words a, Words b) { return are_equal(a < b ? a : b, a); }
template <unsigned Lanes, class Condition> PTXSHIM_INLINE uint64_t lanes_where(Condition condition) {
  uint64_t bits = 0;
#if defined(__AVX2__)
  for (unsigned lane = 0; lane < Lanes; lane += 32) {
    const auto mask = [&](unsigned i) __attribute__((always_inline)) { return reinterpret_cast<__m256i>(condition(lane + i * kWords)); };
    const __m256i bytes = _mm256_packs_epi16(_mm256_packs_epi32(mask(0), mask(1)), _mm256_packs_epi32(mask(2), mask(3))); // in each half
    const __m256i sorted = _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
    bits |= uint64_t{static_cast<uint32_t>(_mm256_movemask_epi8(sorted))} << lane;
  }
#else
  for (unsigned lane = 0; lane < Lanes; lane += 16) {
    const auto mask = [&](unsigned i) __attribute__((always_inline)) { return reinterpret_cast<__m128i>(condition(lane + i * kWords)); };
    const __m128i bytes = _mm_packs_epi16(_mm_packs_epi32(mask(0), mask(1)), _mm_packs_epi32(mask(2), mask(3)));
    bits |= uint64_t{static_cast<uint32_t>(_mm_movemask_epi8(bytes))} << lane;
  }
#endif
  return bits;
}
#endif

// Whether the lanes of EXEC fulfil it. (Of the bits that are missing the compiler would know that they are zero afterwards, and count
// from them: what follows would wait for them.)
template <unsigned Lanes, class Condition> PTXSHIM_INLINE bool are_all(uint64_t exec, Condition condition) {
  return (exec & lanes_where<Lanes>(condition)) == exec;
}

// Whether the words of the lanes of EXEC follow each other by Step. (The ends alone tell it of most rows that do not.)
template <unsigned Step, unsigned Lanes, bool Full> PTXSHIM_INLINE bool is_row(const uint32_t* row, uint64_t exec) {
  const unsigned first = Full ? 0 : first_lane(exec), last = Full ? Lanes - 1 : last_lane(exec);
  if (row[last] - row[first] != (last - first) * Step) return false;
  Words steps{};
  for (unsigned i = 0; i < kWords; ++i) steps[i] = i * Step;
  steps += row[first] - first * Step;
  return are_all<Lanes>(exec, [&](unsigned lane) __attribute__((always_inline)) {
    return are_equal(load_words(row + lane), steps + lane * Step);
  });
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
// Whether it stored: without quick masks it takes units that are on as a whole.
template <unsigned N, bool Full, size_t... I>
PTXSHIM_INLINE bool store_unit(std::byte* to, uint32_t unit, const uint32_t* row, unsigned lanes, std::index_sequence<I...>) {
  if (!Full && !kQuickMasks && unit != kAllLanes) return false;
  const Rows<N> laid = laid_out<N>({{load_words(row + I * lanes)...}});
#if defined(__AVX512F__)
  if constexpr (!Full) return (store_some(to + I * sizeof(Words), mask_of<N, I * kWords>(unit), laid.word[I]), ..., true);
#endif
  return (store_words(to + I * sizeof(Words), laid.word[I]), ..., true);
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
#if defined(__AVX2__)
    if (reinterpret_cast<uintptr_t>(from) % 4 == 0) { // words with lanes that are on are on the pages of these
      const __m128i lanes = sizeof(T) == 1 ? _mm_setr_epi32(0x0f, 0xf0, 0, 0) : _mm_setr_epi32(0x03, 0x0c, 0x30, 0xc0);
      const __m128i on = _mm_cmpgt_epi32(_mm_and_si128(_mm_set1_epi32(static_cast<int>(unit)), lanes), _mm_setzero_si128());
      const __m128i words = _mm_maskload_epi32(reinterpret_cast<const int*>(from), on);
      __builtin_memcpy(&in, &words, sizeof in);
      return widened<T>(in);
    }
#endif
    constexpr unsigned kBits = 8 * sizeof(T), kPart = kWords * kBits < 64 ? kWords : 64 / kBits; // lanes put together in 64 bits
    for (unsigned i = 0; i < kWords; i += kPart) {
      uint64_t part = 0;
      each_on(unit >> i & ((1U << kPart) - 1), [&](unsigned lane) __attribute__((always_inline)) {
        part |= uint64_t{read<std::make_unsigned_t<T>>(from + (i + lane) * sizeof(T))} << lane * kBits;
      });
      __builtin_memcpy(reinterpret_cast<std::byte*>(&in) + i * sizeof(T), &part, kPart * sizeof(T));
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
// As store_unit.
template <class T, bool Full> PTXSHIM_INLINE bool store_small_unit(std::byte* to, uint32_t unit, Words value) {
  if (!Full && !kQuickMasks && unit != kAllLanes) return false;
  const Small<T> out = narrowed<T>(value);
#if defined(__AVX512F__)
  const Mask on = static_cast<Mask>(unit);
  if constexpr (!Full && sizeof(T) == 1) return _mm_mask_storeu_epi8(to, on, reinterpret_cast<__m128i>(out)), true;
  if constexpr (!Full && sizeof(T) == 2) return _mm256_mask_storeu_epi16(to, on, reinterpret_cast<__m256i>(out)), true;
#endif
  return write(to, out), true;
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
// Without quick masks it stores the units that are on as a whole, and returns what is left of EXEC.
template <unsigned N, unsigned Lanes, bool Full> PTXSHIM_INLINE uint64_t store_units(std::byte* at, uint64_t exec, const uint32_t* row) {
  uint64_t left = Full || kQuickMasks ? 0 : exec;
  for (unsigned lane = 0; lane < Lanes; lane += kWords)
    if (store_unit<N, Full>(at + lane * 4 * N, unit_of<Full>(exec, lane), row + lane, Lanes, std::make_index_sequence<N>{}))
      left &= ~(uint64_t{kAllLanes} << lane);
  return left;
}
// All lanes load the same.
template <unsigned N, unsigned Lanes, bool Full> PTXSHIM_INLINE void spread_words(const std::byte* at, uint64_t exec, uint32_t* row) {
  uint32_t words[N];
  __builtin_memcpy(words, at, sizeof words);
  for (unsigned word = 0; word < N; ++word)
    for (unsigned lane = 0; lane < Lanes; lane += kWords)
      put_words<Full>(row + word * Lanes + lane, unit_of<Full>(exec, lane), Words{} + words[word]);
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
  uint64_t left = Full || kQuickMasks ? 0 : exec;
  for (unsigned lane = 0; lane < Lanes; lane += kWords)
    if (store_small_unit<T, Full>(at + lane * sizeof(T), unit_of<Full>(exec, lane), load_words(row + lane) >> half.shift))
      left &= ~(uint64_t{kAllLanes} << lane);
  each_on(
      left, [&](unsigned lane) __attribute__((always_inline)) { write(at + lane * sizeof(T), static_cast<T>(row[lane] >> half.shift)); });
}

} // namespace ptxshim::vgpu::meaning
