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

// A bit for each of these lanes.
inline constexpr uint32_t kAllLanes = (1U << kWords) - 1;

inline Words load_words(const void* p) {
  Words w;
  __builtin_memcpy(&w, p, sizeof w);
  return w;
}
inline void store_words(void* p, Words w) { __builtin_memcpy(p, &w, sizeof w); }

// Some lanes of a chunk, in the form that the host chooses by: a mask register, or a vector with ones in the lanes that are
// off (the forms that take an operand from memory are those for such a vector).
#if defined(__AVX512F__)
struct SomeLanes {
  __mmask16 on;
};
#else
struct SomeLanes {
  Words off;
};
#endif

#if defined(__AVX512F__)
// Ones in the lanes whose bit is set.
inline Words mask_words(uint32_t bits) {
  return reinterpret_cast<Words>(_mm512_movm_epi32(static_cast<__mmask16>(bits)));
}
inline uint32_t top_bits(Words w) { return _mm512_movepi32_mask(reinterpret_cast<__m512i>(w)); }
inline SomeLanes lanes_of(uint64_t exec, unsigned begin) { return {static_cast<__mmask16>(exec >> begin)}; }
inline SomeLanes lanes_in(const uint32_t* exec, unsigned begin) { // (as it lies in memory: moving parts of a register costs more)
  __mmask16 on;
  __builtin_memcpy(&on, reinterpret_cast<const unsigned char*>(exec) + begin / 8, 2);
  return {_cvtu32_mask16(on)};
}
inline Words choose(SomeLanes lanes, Words on, Words off) {
  Words w = reinterpret_cast<Words>(_mm512_mask_blend_epi32(lanes.on, reinterpret_cast<__m512i>(off), reinterpret_cast<__m512i>(on)));
  // Without this the compiler makes a masked store of a choice that is stored, and loads wait for those to leave the store buffer.
  __asm__("" : "+v"(w));
  return w;
}
inline Words only(SomeLanes lanes, Words w) {
  return reinterpret_cast<Words>(_mm512_maskz_mov_epi32(lanes.on, reinterpret_cast<__m512i>(w)));
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
struct LaneBytes {
  alignas(64) uint64_t of[256];
};
consteval LaneBytes make_off_bytes() {
  LaneBytes bytes{};
  for (unsigned bits = 0; bits < 256; ++bits)
    for (unsigned lane = 0; lane < 8; ++lane) bytes.of[bits] |= (bits >> lane & 1U) ? 0 : uint64_t{0xff} << 8 * lane;
  return bytes;
}
inline constexpr LaneBytes kOffBytes = make_off_bytes(); // 0xff for each bit that is not set
inline SomeLanes lanes_of(uint8_t bits) {
  return {reinterpret_cast<Words>(_mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(&kOffBytes.of[bits]))))};
}
inline SomeLanes lanes_of(uint64_t exec, unsigned begin) { return lanes_of(static_cast<uint8_t>(exec >> begin)); }
inline SomeLanes lanes_in(const uint32_t* exec, unsigned begin) {
  return lanes_of(reinterpret_cast<const unsigned char*>(exec)[begin / 8]);
}
// Ones in the lanes whose bit is set.
inline Words mask_words(uint32_t bits) { return lanes_of(static_cast<uint8_t>(~bits)).off; }
inline uint32_t top_bits(Words w) { return static_cast<uint32_t>(__builtin_ia32_movmskps256(reinterpret_cast<Floats>(w))); }
inline Words choose(SomeLanes lanes, Words on, Words off) {
  return reinterpret_cast<Words>(
      _mm256_blendv_epi8(reinterpret_cast<__m256i>(on), reinterpret_cast<__m256i>(off), reinterpret_cast<__m256i>(lanes.off)));
}
inline Words only(SomeLanes lanes, Words w) { return w & ~lanes.off; }
inline Words low_pairs(Words low, Words high) { return __builtin_shufflevector(low, high, 0, 8, 1, 9, 2, 10, 3, 11); }
inline Words high_pairs(Words low, Words high) { return __builtin_shufflevector(low, high, 4, 12, 5, 13, 6, 14, 7, 15); }
inline Words even_words(Words a, Words b) { return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14); }
inline Words odd_words(Words a, Words b) { return __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15); }
#else
// Ones in the lanes whose bit is set.
inline Words mask_words(uint32_t bits) {
  const Words bit = {1, 2, 4, 8};
  return reinterpret_cast<Words>(((Words{} + bits) & bit) == bit);
}
inline uint32_t top_bits(Words w) { return static_cast<uint32_t>(__builtin_ia32_movmskps(reinterpret_cast<Floats>(w))); }
inline SomeLanes lanes_of(uint64_t exec, unsigned begin) { return {mask_words(static_cast<uint32_t>(~exec >> begin))}; }
inline SomeLanes lanes_in(const uint32_t* exec, unsigned begin) { return lanes_of(exec[begin / 32], begin % 32); }
inline Words choose(SomeLanes lanes, Words on, Words off) { return (on & ~lanes.off) | (off & lanes.off); }
inline Words only(SomeLanes lanes, Words w) { return w & ~lanes.off; }
inline Words low_pairs(Words low, Words high) { return __builtin_shufflevector(low, high, 0, 4, 1, 5); }
inline Words high_pairs(Words low, Words high) { return __builtin_shufflevector(low, high, 2, 6, 3, 7); }
inline Words even_words(Words a, Words b) { return __builtin_shufflevector(a, b, 0, 2, 4, 6); }
inline Words odd_words(Words a, Words b) { return __builtin_shufflevector(a, b, 1, 3, 5, 7); }
#endif
// The same by bits.
inline Words choose(uint32_t bits, Words on, Words off) { return choose(lanes_of(bits, 0), on, off); }
inline Words only(uint32_t bits, Words w) { return only(lanes_of(bits, 0), w); }

} // namespace ptxshim::vgpu::meaning
