// SPDX-License-Identifier: MIT
// Copies between memory and register rows where every lane has a place of its own.
//
// What is loaded is put together in registers of the host and stored as whole vectors: the vector operation that reads it
// next would miss the store buffer if lanes were stored one by one. Lanes outside EXEC load what the first that is on loads, and
// it is dropped. Offsets are taken two at a time, as 64 bits: from memory where all lanes are on, else out of a vector, since
// single words of a vector that was just stored come slowly out of the store buffer. Hardware gathers are not used: they
// are slower than single loads on most hosts.
// Included only by files that are compiled once per host ISA; all lies in a namespace of that ISA.
#pragma once

#include "memory_row.h"

namespace ptxshim::vgpu::meaning::apart { // a macro makes this meaning_V2, meaning_V3, meaning_V4

// Lanes are taken in blocks of four, as many at a time as a vector of 256 bits holds (128 where there is no AVX2).
typedef uint32_t Block __attribute__((vector_size(16)));
#if defined(__AVX2__)
typedef uint32_t Words __attribute__((vector_size(32)));
typedef int32_t Ints __attribute__((vector_size(32)));
#define PTXSHIM_SHUFFLE(a, b, i, j, k, l)                                                                                                  \
  __builtin_shufflevector(a, b, i, j, k, l, (i) + 4, (j) + 4, (k) + 4, (l) + 4) // within blocks; b begins at kB
inline constexpr int kB = 8;
typedef uint64_t Pairs __attribute__((vector_size(32)));
inline constexpr Words kLanes{0, 1, 2, 3, 4, 5, 6, 7}, kBits{1, 2, 4, 8, 16, 32, 64, 128};
PTXSHIM_INLINE bool any(Words w) { return !_mm256_testz_si256(reinterpret_cast<__m256i>(w), reinterpret_cast<__m256i>(w)); }
#else
typedef uint32_t Words __attribute__((vector_size(16)));
typedef int32_t Ints __attribute__((vector_size(16)));
#define PTXSHIM_SHUFFLE(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
inline constexpr int kB = 4;
typedef uint64_t Pairs __attribute__((vector_size(16)));
inline constexpr Words kLanes{0, 1, 2, 3}, kBits{1, 2, 4, 8};
PTXSHIM_INLINE bool any(Words w) { return !_mm_testz_si128(reinterpret_cast<__m128i>(w), reinterpret_cast<__m128i>(w)); }
#endif
inline constexpr unsigned kWords = kB;
#define PTXSHIM_UNROLL _Pragma("GCC unroll 16")
#define PTXSHIM_UNROLL_SOME _Pragma("GCC unroll 4")

PTXSHIM_INLINE Words all(uint32_t value) { return Words{} + value; }
// All ones for the lanes of EXEC among those from `lane` on.
PTXSHIM_INLINE Words mask_of(uint64_t exec, unsigned lane) {
  return reinterpret_cast<Words>((all(static_cast<uint32_t>(exec >> lane)) & kBits) == kBits);
}
PTXSHIM_INLINE Words choose(Words on, Words a, Words b) { return (a & on) | (b & ~on); }
// Whether none, or all, of the lanes that are taken together from `lane` on are in EXEC.
PTXSHIM_INLINE uint32_t unit_of(uint64_t exec, unsigned lane) { return static_cast<uint32_t>(exec >> lane) & ((1U << kWords) - 1); }

// Lanes with their words beside each other <-> one vector a word -------------------------------------------------------

// Where a lane's bytes are: 32 bits, with a sign or without, from the base.
template <class Offset> struct Places {
  std::byte* base;
  const Offset* offset;
  PTXSHIM_INLINE std::byte* operator()(unsigned lane) const { return base + offset[lane]; }
};

// Places of the lanes that are taken together.
template <class Offset> struct UnitPlaces {
  std::byte* base;
  uint64_t pair[kWords / 2];
  PTXSHIM_INLINE std::byte* operator()(unsigned i) const {
    using Pair = std::conditional_t<std::is_signed_v<Offset>, int64_t, uint64_t>;
    return base + (i % 2 ? static_cast<Pair>(pair[i / 2]) >> 32 : static_cast<Pair>(static_cast<Offset>(pair[i / 2])));
  }
};
// `any`: the offset of a lane that is on. (It may be overwritten by what is loaded.)
template <bool Full, class Offset>
PTXSHIM_INLINE UnitPlaces<Offset> unit_places(const Places<Offset>& at, uint64_t exec, unsigned lane, Words any) {
  UnitPlaces<Offset> out{at.base, {}};
  if (Full || unit_of(exec, lane) == (1U << kWords) - 1) {
    for (unsigned i = 0; i < kWords / 2; ++i) out.pair[i] = read<uint64_t>(at.offset + lane + 2 * i);
    return out;
  }
  const Pairs pairs = reinterpret_cast<Pairs>(choose(mask_of(exec, lane), read<Words>(at.offset + lane), any));
  for (unsigned i = 0; i < kWords / 2; ++i) {
    out.pair[i] = pairs[i];
    __asm__("" : "+r"(out.pair[i])); // (the compiler would take the halves out of the vector one by one)
  }
  return out;
}

// Four bytes of each lane; 8 (two lanes a block); 16 (one lane a block).
template <class At> PTXSHIM_INLINE Words words4(const At& at, unsigned skip) {
  auto word = [&](unsigned i) { return read<uint32_t>(at(i) + skip); };
#if defined(__AVX2__)
  return Words{word(0), word(1), word(2), word(3), word(4), word(5), word(6), word(7)};
#else
  return Words{word(0), word(1), word(2), word(3)};
#endif
}
template <class At> PTXSHIM_INLINE Words pairs(const At& at, unsigned first) {
  auto pair = [&](unsigned i) { return read<uint64_t>(at(first + i)); };
#if defined(__AVX2__)
  return reinterpret_cast<Words>(Pairs{pair(0), pair(1), pair(4), pair(5)});
#else
  return reinterpret_cast<Words>(Pairs{pair(0), pair(1)});
#endif
}
template <class At> PTXSHIM_INLINE Words quads(const At& at, unsigned first) {
#if defined(__AVX2__)
  return __builtin_shufflevector(read<Block>(at(first)), read<Block>(at(first + 4)), 0, 1, 2, 3, 4, 5, 6, 7);
#else
  return read<Block>(at(first));
#endif
}

template <unsigned N> struct Rows { Words word[N]; };
// Turns four quads (lane by lane) into four rows (word by word), and back: a matrix of four by four in each block.
PTXSHIM_INLINE Rows<4> transpose(Words a, Words b, Words c, Words d) {
  const Words ab_low = PTXSHIM_SHUFFLE(a, b, 0, kB, 1, kB + 1), ab_high = PTXSHIM_SHUFFLE(a, b, 2, kB + 2, 3, kB + 3);
  const Words cd_low = PTXSHIM_SHUFFLE(c, d, 0, kB, 1, kB + 1), cd_high = PTXSHIM_SHUFFLE(c, d, 2, kB + 2, 3, kB + 3);
  return {{PTXSHIM_SHUFFLE(ab_low, cd_low, 0, 1, kB, kB + 1), PTXSHIM_SHUFFLE(ab_low, cd_low, 2, 3, kB + 2, kB + 3),
           PTXSHIM_SHUFFLE(ab_high, cd_high, 0, 1, kB, kB + 1), PTXSHIM_SHUFFLE(ab_high, cd_high, 2, 3, kB + 2, kB + 3)}};
}

template <unsigned N, class At> PTXSHIM_INLINE Rows<N> collect(const At& at) {
  if constexpr (N == 1) return {{words4(at, 0)}};
  if constexpr (N == 2 || N == 3) {
    const Words a = pairs(at, 0), b = pairs(at, 2);
    Rows<N> rows{{PTXSHIM_SHUFFLE(a, b, 0, 2, kB, kB + 2), PTXSHIM_SHUFFLE(a, b, 1, 3, kB + 1, kB + 3)}};
    if constexpr (N == 3) rows.word[2] = words4(at, 8);
    return rows;
  }
  if constexpr (N == 4) return transpose(quads(at, 0), quads(at, 1), quads(at, 2), quads(at, 3));
}

// Loads -------------------------------------------------------------------------------------------------------------

template <bool Full> PTXSHIM_INLINE void put(uint32_t* to, uint64_t exec, unsigned lane, Words value) {
  write(to + lane, Full ? value : choose(mask_of(exec, lane), value, read<Words>(to + lane)));
}

// N words from each base, at the same offsets, into rows that follow each other. (These may be where the offsets are.)
template <unsigned N, unsigned Lanes, bool Full, class Offset, size_t Bases>
PTXSHIM_INLINE void load(std::byte* const (&bases)[Bases], const Offset* offset, uint64_t exec, uint32_t* row) {
  const Words any = all(static_cast<uint32_t>(offset[Full ? 0 : meaning::first_lane(exec)]));
  PTXSHIM_UNROLL_SOME for (unsigned lane = 0; lane < Lanes; lane += kWords) {
    if (!Full && unit_of(exec, lane) == 0) continue;
    UnitPlaces<Offset> unit = unit_places<Full>(Places<Offset>{nullptr, offset}, exec, lane, any);
    Rows<N> rows[Bases];
    PTXSHIM_UNROLL for (size_t i = 0; i < Bases; ++i) {
      unit.base = bases[i];
      rows[i] = collect<N>(unit);
    }
    PTXSHIM_UNROLL for (unsigned word = 0; word < Bases * N; ++word)
        put<Full>(row + word * Lanes, exec, lane, rows[word / N].word[word % N]);
  }
}

// Bytes and half words: T is int8_t, uint8_t, int16_t or uint16_t. Wide: of every lane four bytes can be read.
template <class T, unsigned Lanes, bool Full, bool Wide, class Offset>
PTXSHIM_INLINE void load_small(const Places<Offset>& at, uint64_t exec, uint32_t* row, HalfRow half) {
  constexpr unsigned kUnused = Wide ? 32 - 8 * sizeof(T) : 0;
  using Read = std::conditional_t<Wide, uint32_t, T>;
  const Words any = all(static_cast<uint32_t>(at.offset[Full ? 0 : meaning::first_lane(exec)]));
  PTXSHIM_UNROLL_SOME for (unsigned lane = 0; lane < Lanes; lane += kWords) {
    if (!Full && unit_of(exec, lane) == 0) continue;
    const UnitPlaces<Offset> unit = unit_places<Full>(at, exec, lane, any);
    auto word = [&](unsigned i) { return static_cast<uint32_t>(read<Read>(unit(i))); };
#if defined(__AVX2__)
    const Words in = Words{word(0), word(1), word(2), word(3), word(4), word(5), word(6), word(7)} << kUnused;
#else
    const Words in = Words{word(0), word(1), word(2), word(3)} << kUnused;
#endif
    const Words extended = std::is_signed_v<T> ? reinterpret_cast<Words>(reinterpret_cast<Ints>(in) >> kUnused) : in >> kUnused;
    const Words value = extended << half.shift;
    put<Full>(row, exec, lane, half.keep == 0 ? value : (value & ~half.keep) | (read<Words>(row + lane) & half.keep));
  }
}

// Stores, in ascending order of lanes -------------------------------------------------------------------------------

// Units of lanes of two and of four words are turned, and lanes that are off stored to a sink; single words are taken lane by lane.
struct Sink {
  alignas(16) std::byte bytes[16];
};
template <bool Full, class At> PTXSHIM_INLINE auto targets(const At& at, uint64_t exec, unsigned lane, Sink& sink) {
  if constexpr (Full)
    return unit_places<true>(at, exec, lane, Words{});
  else
    return [&at, lane, unit = unit_of(exec, lane), &sink](unsigned i)
        __attribute__((always_inline)) { return unit >> i & 1U ? at(lane + i) : sink.bytes; };
}

template <unsigned Lanes, bool Full, class At> PTXSHIM_INLINE void store_quads(const At& at, uint64_t exec, const uint32_t* from) {
  Sink sink;
  PTXSHIM_UNROLL_SOME for (unsigned lane = 0; lane < Lanes; lane += kWords) {
    if (!Full && unit_of(exec, lane) == 0) continue;
    const auto to = targets<Full>(at, exec, lane, sink);
    const uint32_t* const row = from + lane;
    const Rows<4> quads = transpose(read<Words>(row), read<Words>(row + Lanes), read<Words>(row + 2 * Lanes), read<Words>(row + 3 * Lanes));
    PTXSHIM_UNROLL for (unsigned i = 0; i < kWords; ++i) {
      const Words quad = quads.word[i % 4];
#if defined(__AVX2__)
      const Block block = i < 4 ? __builtin_shufflevector(quad, quad, 0, 1, 2, 3) : __builtin_shufflevector(quad, quad, 4, 5, 6, 7);
#else
      const Block block = quad;
#endif
      write(to(i), block);
    }
  }
}
template <unsigned Lanes, bool Full, class At> PTXSHIM_INLINE void store_triples(const At& at, uint64_t exec, const uint32_t* row) {
  const auto store_lane = [&](unsigned lane) __attribute__((always_inline)) {
    std::byte* const to = at(lane);
    write(to, row[lane] | uint64_t{row[Lanes + lane]} << 32);
    write(to + 8, row[2 * Lanes + lane]);
  };
  if constexpr (!Full) return meaning::each_on(exec, store_lane);
  PTXSHIM_UNROLL for (unsigned lane = 0; lane < Lanes; ++lane) store_lane(lane);
}
template <unsigned Lanes, bool Full, class At> PTXSHIM_INLINE void store_pairs(const At& at, uint64_t exec, const uint32_t* from) {
  Sink sink;
  PTXSHIM_UNROLL_SOME for (unsigned lane = 0; lane < Lanes; lane += kWords) {
    if (!Full && unit_of(exec, lane) == 0) continue;
    const auto to = targets<Full>(at, exec, lane, sink);
    const Words low = read<Words>(from + lane), high = read<Words>(from + lane + Lanes);
    const Pairs even = reinterpret_cast<Pairs>(PTXSHIM_SHUFFLE(low, high, 0, kB, 1, kB + 1));
    const Pairs odd = reinterpret_cast<Pairs>(PTXSHIM_SHUFFLE(low, high, 2, kB + 2, 3, kB + 3));
    PTXSHIM_UNROLL for (unsigned i = 0; i < kWords; ++i) {
      const unsigned in_block = i / 4 * 2 + i % 2;
      write(to(i), i % 4 < 2 ? even[in_block] : odd[in_block]);
    }
  }
}

// A T of each word. Where all lanes are on, places and words are read for two at a time: the host has few accesses to memory
// per cycle.
template <class T, unsigned Lanes, bool Full, class At>
PTXSHIM_INLINE void store_each(const At& at, uint64_t exec, const uint32_t* row, unsigned shift) {
  if constexpr (!Full)
    return meaning::each_on(
        exec, [&](unsigned lane) __attribute__((always_inline)) { write(at(lane), static_cast<T>(row[lane] >> shift)); });
  if constexpr (Full)
    PTXSHIM_UNROLL_SOME for (unsigned lane = 0; lane < Lanes; lane += kWords) {
      const auto unit = unit_places<true>(at, exec, lane, Words{});
      PTXSHIM_UNROLL for (unsigned i = 0; i < kWords; i += 2) {
        const uint64_t pair = read<uint64_t>(row + lane + i) >> shift;
        write(unit(i), static_cast<T>(pair));
        write(unit(i + 1), static_cast<T>(pair >> 32));
      }
    }
}

template <unsigned N, unsigned Lanes, bool Full, class At> PTXSHIM_INLINE void store(const At& at, uint64_t exec, const uint32_t* row) {
  if constexpr (N == 1) store_each<uint32_t, Lanes, Full>(at, exec, row, 0);
  if constexpr (N == 2) store_pairs<Lanes, Full>(at, exec, row);
  if constexpr (N == 3) store_triples<Lanes, Full>(at, exec, row);
  if constexpr (N == 4) store_quads<Lanes, Full>(at, exec, row);
}
// Lanes that follow each other: whole units of them, and the others as if they were apart.
template <unsigned N, unsigned Lanes, bool Full> PTXSHIM_INLINE void store_row(std::byte* begin, uint64_t exec, const uint32_t* row) {
  const uint64_t left = store_units<N, Lanes, Full>(begin, exec, row);
  if (left != 0)
    store<N, Lanes, false>([&](unsigned lane) __attribute__((always_inline)) { return begin + lane * 4 * N; }, left, row);
}

} // namespace ptxshim::vgpu::meaning::apart
