// SPDX-License-Identifier: MIT
// Register rows as vectors of the host: as many lanes at a time as one vector register of the host ISA has words. Included
// only by files that are compiled once per host ISA; all lies in a namespace of that ISA.
#pragma once

#include <cstdint>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace ptxshim::vgpu::meaning { // a macro makes this meaning_V2, meaning_V3, meaning_V4

#if defined(__AVX512F__)
inline constexpr unsigned kWords = 16;
#elif defined(__AVX2__)
inline constexpr unsigned kWords = 8;
#else
inline constexpr unsigned kWords = 4;
#endif
typedef uint32_t Words __attribute__((vector_size(kWords * 4)));
typedef int32_t Ints __attribute__((vector_size(kWords * 4)));
typedef float Floats __attribute__((vector_size(kWords * 4)));

// Whether masks are vectors that are made from bits, and not registers of their own.
#if defined(__AVX512F__)
inline constexpr bool kMasksAreDear = false;
#else
inline constexpr bool kMasksAreDear = true;
#endif

// A bit for each of these lanes.
inline constexpr uint32_t kAllLanes = (1U << kWords) - 1;

inline Words load_words(const void* p) {
  Words w;
  __builtin_memcpy(&w, p, sizeof w);
  return w;
}
inline void store_words(void* p, Words w) { __builtin_memcpy(p, &w, sizeof w); }

#if defined(__AVX512F__)
// Ones in the lanes whose bit is set.
inline Words mask_words(uint32_t bits) {
  return reinterpret_cast<Words>(_mm512_movm_epi32(static_cast<__mmask16>(bits)));
}
inline uint32_t top_bits(Words w) { return _mm512_movepi32_mask(reinterpret_cast<__m512i>(w)); }
inline Words choose(uint32_t bits, Words on, Words off) {
  Words w = reinterpret_cast<Words>(_mm512_mask_blend_epi32(
      static_cast<__mmask16>(bits), reinterpret_cast<__m512i>(off), reinterpret_cast<__m512i>(on)));
  // Without this the compiler makes a masked store of a choice that is stored, and loads wait for those to leave the store buffer.
  __asm__("" : "+v"(w));
  return w;
}
inline Words only(uint32_t bits, Words w) {
  return reinterpret_cast<Words>(_mm512_maskz_mov_epi32(static_cast<__mmask16>(bits), reinterpret_cast<__m512i>(w)));
}
inline Words low_pairs(Words low, Words high) {
  return __builtin_shufflevector(low, high, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}
inline Words high_pairs(Words low, Words high) {
  return __builtin_shufflevector(low, high, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}
inline Words even_words(Words a, Words b) {
  return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
}
inline Words odd_words(Words a, Words b) {
  return __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
}
#elif defined(__AVX2__)
inline Words mask_words(uint32_t bits) {
  const Words bit = {1, 2, 4, 8, 16, 32, 64, 128};
  return reinterpret_cast<Words>(((Words{} + bits) & bit) == bit);
}
inline uint32_t top_bits(Words w) { return static_cast<uint32_t>(__builtin_ia32_movmskps256(reinterpret_cast<Floats>(w))); }
inline Words choose(uint32_t bits, Words on, Words off) {
  return reinterpret_cast<Words>(_mm256_blendv_epi8(reinterpret_cast<__m256i>(off), reinterpret_cast<__m256i>(on), reinterpret_cast<__m256i>(mask_words(bits))));
}
inline Words only(uint32_t bits, Words w) { return w & mask_words(bits); }
inline Words low_pairs(Words low, Words high) { return __builtin_shufflevector(low, high, 0, 8, 1, 9, 2, 10, 3, 11); }
inline Words high_pairs(Words low, Words high) { return __builtin_shufflevector(low, high, 4, 12, 5, 13, 6, 14, 7, 15); }
inline Words even_words(Words a, Words b) { return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14); }
inline Words odd_words(Words a, Words b) { return __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15); }
#else
inline Words mask_words(uint32_t bits) {
  const Words bit = {1, 2, 4, 8};
  return reinterpret_cast<Words>(((Words{} + bits) & bit) == bit);
}
inline uint32_t top_bits(Words w) { return static_cast<uint32_t>(__builtin_ia32_movmskps(reinterpret_cast<Floats>(w))); }
inline Words choose(uint32_t bits, Words on, Words off) {
  const Words mask = mask_words(bits);
  return (on & mask) | (off & ~mask);
}
inline Words only(uint32_t bits, Words w) { return w & mask_words(bits); }
inline Words low_pairs(Words low, Words high) { return __builtin_shufflevector(low, high, 0, 4, 1, 5); }
inline Words high_pairs(Words low, Words high) { return __builtin_shufflevector(low, high, 2, 6, 3, 7); }
inline Words even_words(Words a, Words b) { return __builtin_shufflevector(a, b, 0, 2, 4, 6); }
inline Words odd_words(Words a, Words b) { return __builtin_shufflevector(a, b, 1, 3, 5, 7); }
#endif

} // namespace ptxshim::vgpu::meaning
