// SPDX-License-Identifier: MIT
// Copies between memory and registers for all lanes of a wave. Compiled once per host ISA; the build defines PTXSHIM_ISA.
// Everything but the table has internal linkage, so that the linker cannot mix the builds.
//
// What is loaded is put together in registers of the host and stored as whole vectors: the vector operation that reads it
// next would miss the store buffer if lanes were stored one by one. Lanes outside EXEC have offset 0, so they load what the
// first lane loads, and it is dropped; their stores go to a sink. Hardware gathers are not used: they are slower than single
// loads on most hosts. Lanes that lie one after the other are in memory_row.h.

#include "memory_kernels.h"

#include "memory_row.h"

namespace ptxshim::vgpu {
namespace {

// Lanes are taken in blocks of four, as many at a time as a vector of 256 bits holds (128 where there is no AVX2).
typedef uint32_t Block __attribute__((vector_size(16)));
#if defined(__AVX2__)
typedef uint32_t Words __attribute__((vector_size(32)));
typedef int32_t Ints __attribute__((vector_size(32)));
#define PTXSHIM_SHUFFLE(a, b, i, j, k, l)                                                                              \
  __builtin_shufflevector(a, b, i, j, k, l, (i) + 4, (j) + 4, (k) + 4, (l) + 4) // within blocks; b begins at kB
constexpr int kB = 8;
constexpr Words kLanes{0, 1, 2, 3, 4, 5, 6, 7}, kBits{1, 2, 4, 8, 16, 32, 64, 128};
PTXSHIM_INLINE bool any(Words w) { return !_mm256_testz_si256(reinterpret_cast<__m256i>(w), reinterpret_cast<__m256i>(w)); }
#else
typedef uint32_t Words __attribute__((vector_size(16)));
typedef int32_t Ints __attribute__((vector_size(16)));
#define PTXSHIM_SHUFFLE(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
constexpr int kB = 4;
constexpr Words kLanes{0, 1, 2, 3}, kBits{1, 2, 4, 8};
PTXSHIM_INLINE bool any(Words w) { return !_mm_testz_si128(reinterpret_cast<__m128i>(w), reinterpret_cast<__m128i>(w)); }
#endif
constexpr unsigned kWords = kB;
#define PTXSHIM_UNROLL _Pragma("GCC unroll 16")
#define PTXSHIM_UNROLL_SOME _Pragma("GCC unroll 4")

template <class T> PTXSHIM_INLINE T read(const void* p) {
  T value;
  __builtin_memcpy(&value, p, sizeof value);
  return value;
}
template <class T> PTXSHIM_INLINE void write(void* p, T value) { __builtin_memcpy(p, &value, sizeof value); }

PTXSHIM_INLINE Words all(uint32_t value) { return Words{} + value; }
// All ones for the lanes of EXEC among those from `lane` on.
PTXSHIM_INLINE Words mask_of(uint64_t exec, unsigned lane) {
  return reinterpret_cast<Words>((all(static_cast<uint32_t>(exec >> lane)) & kBits) != 0);
}
PTXSHIM_INLINE Words choose(Words on, Words a, Words b) { return (a & on) | (b & ~on); }
// Whether none, or all, of the lanes that are taken together from `lane` on are in EXEC.
PTXSHIM_INLINE uint32_t unit_of(uint64_t exec, unsigned lane) { return static_cast<uint32_t>(exec >> lane) & ((1U << kWords) - 1); }
using meaning::first_lane;
using meaning::is_full;

// Spans -------------------------------------------------------------------------------------------------------------

// The usual case by itself: all lanes on, and one after the other.
template <AddressForm Form, unsigned Lanes> PTXSHIM_INLINE bool is_row(const LaneAddresses& a) {
  const Words low0 = all(a.low[0]);
  Words apart = {}, expected = low0 + kLanes * a.bytes;
  PTXSHIM_UNROLL for (unsigned i = 0; i < Lanes / kWords; ++i) {
    apart |= read<Words>(a.low + i * kWords) ^ expected;
    if constexpr (Form == AddressForm::Full64) apart |= read<Words>(a.high + i * kWords) ^ all(a.high[0]);
    expected += kWords * a.bytes;
  }
  return !any(apart) && (Form == AddressForm::Wrapping32 || a.low[0] + (Lanes - 1) * a.bytes >= a.low[0]);
}

template <AddressForm Form, unsigned Lanes, bool Full> PTXSHIM_INLINE void measure(const LaneAddresses& a, LaneSpan& out) {
  const unsigned first = Full ? 0 : first_lane(a.exec), last = Full ? Lanes - 1 : 63U - static_cast<unsigned>(__builtin_clzll(a.exec));
  const Words low0 = all(a.low[first]);
  [[maybe_unused]] const Words high0 = all(Form == AddressForm::Full64 ? a.high[first] : 0U);
  Words apart = {}, far = {}, expected = (kLanes - first) * a.bytes;
  Ints lowest = {}, highest = {};
  PTXSHIM_UNROLL for (unsigned i = 0; i < Lanes / kWords; ++i) {
    const Words on = Full ? all(~0U) : mask_of(a.exec, i * kWords), low = read<Words>(a.low + i * kWords);
    const Words offset = (low - low0) & on;
    if constexpr (Form != AddressForm::Wrapping32) {
      Words high = reinterpret_cast<Words>(low < low0); // -1: borrowed
      if constexpr (Form == AddressForm::Full64) high += read<Words>(a.high + i * kWords) - high0;
      far |= (high ^ reinterpret_cast<Words>(reinterpret_cast<Ints>(offset) >> 31)) & on;
    }
    apart |= (offset ^ expected) & on;
    expected += kWords * a.bytes;
    const Ints distance = reinterpret_cast<Ints>(offset);
    write(out.offset + i * kWords, distance);
    lowest = distance < lowest ? distance : lowest;
    highest = distance > highest ? distance : highest;
  }
  out.near = !any(far);
  out.contiguous = !any(apart);
  out.lowest = 0;
  out.highest = static_cast<int32_t>((last - first) * a.bytes);
  if (out.contiguous) return;
  out.highest = 0;
  PTXSHIM_UNROLL for (unsigned i = 0; i < kWords; ++i) {
    out.lowest = lowest[i] < out.lowest ? lowest[i] : out.lowest;
    out.highest = highest[i] > out.highest ? highest[i] : out.highest;
  }
}

template <AddressForm Form, unsigned Lanes> void span(const LaneAddresses& in, LaneSpan& out) {
  const LaneAddresses a = in;
  if (!is_full<Lanes>(a.exec)) return measure<Form, Lanes, false>(a, out);
  if (a.want_offsets || !is_row<Form, Lanes>(a)) return measure<Form, Lanes, true>(a, out);
  out.lowest = 0;
  out.highest = static_cast<int32_t>((Lanes - 1) * a.bytes);
  out.contiguous = out.near = true;
}

// Lanes with their words beside each other <-> one vector a word -------------------------------------------------------

// Where a lane's bytes are, by its offset or because all lanes are on and lie one after the other.
struct Apart {
  const std::byte* base;
  const int32_t* offset;
  const std::byte* operator()(unsigned lane) const { return base + offset[lane]; }
};
template <unsigned Bytes> struct InRow {
  const std::byte* base;
  const std::byte* operator()(unsigned lane) const { return base + size_t{lane} * Bytes; }
};

// Four bytes of each lane; 8 (two lanes a block); 16 (one lane a block).
template <class At> PTXSHIM_INLINE Words words4(At at, unsigned lane, unsigned skip) {
  auto word = [&](unsigned i) { return read<uint32_t>(at(lane + i) + skip); };
#if defined(__AVX2__)
  return Words{word(0), word(1), word(2), word(3), word(4), word(5), word(6), word(7)};
#else
  return Words{word(0), word(1), word(2), word(3)};
#endif
}
template <class At> PTXSHIM_INLINE Words pairs(At at, unsigned lane) {
  typedef uint64_t Pairs __attribute__((vector_size(sizeof(Words))));
  auto pair = [&](unsigned i) { return read<uint64_t>(at(lane + i)); };
#if defined(__AVX2__)
  return reinterpret_cast<Words>(Pairs{pair(0), pair(1), pair(4), pair(5)});
#else
  return reinterpret_cast<Words>(Pairs{pair(0), pair(1)});
#endif
}
template <class At> PTXSHIM_INLINE Words quads(At at, unsigned lane) {
#if defined(__AVX2__)
  return __builtin_shufflevector(read<Block>(at(lane)), read<Block>(at(lane + 4)), 0, 1, 2, 3, 4, 5, 6, 7);
#else
  return read<Block>(at(lane));
#endif
}

template <unsigned N> struct Rows {
  Words word[N];
};
// Turns four quads (lane by lane) into four rows (word by word), and back: a matrix of four by four in each block.
PTXSHIM_INLINE Rows<4> transpose(Words a, Words b, Words c, Words d) {
  const Words ab_low = PTXSHIM_SHUFFLE(a, b, 0, kB, 1, kB + 1), ab_high = PTXSHIM_SHUFFLE(a, b, 2, kB + 2, 3, kB + 3);
  const Words cd_low = PTXSHIM_SHUFFLE(c, d, 0, kB, 1, kB + 1), cd_high = PTXSHIM_SHUFFLE(c, d, 2, kB + 2, 3, kB + 3);
  return {{PTXSHIM_SHUFFLE(ab_low, cd_low, 0, 1, kB, kB + 1), PTXSHIM_SHUFFLE(ab_low, cd_low, 2, 3, kB + 2, kB + 3),
           PTXSHIM_SHUFFLE(ab_high, cd_high, 0, 1, kB, kB + 1), PTXSHIM_SHUFFLE(ab_high, cd_high, 2, 3, kB + 2, kB + 3)}};
}

template <unsigned N, class At> PTXSHIM_INLINE Rows<N> collect(At at, unsigned lane) {
  if constexpr (N == 1) return {{words4(at, lane, 0)}};
  if constexpr (N == 2 || N == 3) {
    const Words a = pairs(at, lane), b = pairs(at, lane + 2);
    Rows<N> rows{{PTXSHIM_SHUFFLE(a, b, 0, 2, kB, kB + 2), PTXSHIM_SHUFFLE(a, b, 1, 3, kB + 1, kB + 3)}};
    if constexpr (N == 3) rows.word[2] = words4(at, lane, 8);
    return rows;
  }
  if constexpr (N == 4) return transpose(quads(at, lane), quads(at, lane + 1), quads(at, lane + 2), quads(at, lane + 3));
}

// Loads -------------------------------------------------------------------------------------------------------------

template <bool Full> PTXSHIM_INLINE void put(uint32_t* to, uint64_t exec, unsigned lane, Words value) {
  write(to + lane, Full ? value : choose(mask_of(exec, lane), value, read<Words>(to + lane)));
}

template <unsigned N, unsigned Lanes, bool Full, class At> void load_words(const LaneCopy& c, At at) {
  uint32_t* const row = c.row;
  const uint64_t exec = c.exec;
  PTXSHIM_UNROLL_SOME for (unsigned lane = 0; lane < Lanes; lane += kWords) {
    if (!Full && unit_of(exec, lane) == 0) continue;
    const Rows<N> rows = collect<N>(at, lane);
    PTXSHIM_UNROLL for (unsigned word = 0; word < N; ++word) put<Full>(row + word * Lanes, exec, lane, rows.word[word]);
  }
}
template <unsigned N, unsigned Lanes> void load_one(const LaneCopy& c) { // all lanes the same
  uint32_t value[N];
  __builtin_memcpy(value, c.base, sizeof value);
  PTXSHIM_UNROLL for (unsigned word = 0; word < N; ++word)
    for (unsigned lane = 0; lane < Lanes; lane += kWords) put<false>(c.row + word * Lanes, c.exec, lane, all(value[word]));
}

// Where lane 0 is, or would be, if lanes of so many bytes lie one after the other.
std::byte* row_begin(const LaneCopy& c, unsigned bytes) { return c.base - static_cast<ptrdiff_t>(bytes * first_lane(c.exec)); }

template <unsigned N, unsigned Lanes> void load(const LaneCopy& c) {
  const bool full = is_full<Lanes>(c.exec);
  const Apart apart{c.base, c.span->offset};
  if constexpr (N == 3) {
    if (c.span->contiguous && full) return load_words<N, Lanes, true>(c, InRow<4 * N>{c.base});
  } else if (c.span->contiguous) {
    return full ? meaning::load_words_row<N, Lanes, true>(c.base, c.exec, c.row)
                : meaning::load_words_row<N, Lanes, false>(row_begin(c, 4 * N), c.exec, c.row);
  }
  if (c.span->lowest == c.span->highest) return load_one<N, Lanes>(c);
  if (full) return load_words<N, Lanes, true>(c, apart);
  load_words<N, Lanes, false>(c, apart);
}

// Bytes and half words: T is int8_t, uint8_t, int16_t or uint16_t.
template <class T, unsigned Lanes> void load_small(const LaneCopy& copy) {
  const LaneCopy c = copy;
  if (c.span->contiguous) return meaning::load_small_row<T, Lanes, false>(row_begin(c, sizeof(T)), c.exec, c.row, {c.shift, c.keep});
  const Apart at{c.base, c.span->offset};
  PTXSHIM_UNROLL_SOME for (unsigned lane = 0; lane < Lanes; lane += kWords) {
    if (unit_of(c.exec, lane) == 0) continue;
    auto word = [&](unsigned i) { return static_cast<uint32_t>(int32_t{read<T>(at(lane + i))}); };
#if defined(__AVX2__)
    const Words value{word(0), word(1), word(2), word(3), word(4), word(5), word(6), word(7)};
#else
    const Words value{word(0), word(1), word(2), word(3)};
#endif
    const Words old = read<Words>(c.row + lane);
    write(c.row + lane, choose(mask_of(c.exec, lane) & ~c.keep, value << c.shift, old));
  }
}

// Stores ------------------------------------------------------------------------------------------------------------

struct Sink {
  alignas(16) std::byte bytes[16];
};
template <bool Full> PTXSHIM_INLINE std::byte* target(const LaneCopy& c, const int32_t* offset, Sink& sink, unsigned lane) {
  std::byte* const to = c.base + offset[lane];
  return Full || (c.exec >> lane & 1U) ? to : sink.bytes;
}

template <unsigned Lanes, bool Full> void store_quads(const LaneCopy& copy, const int32_t* offset) {
  const LaneCopy c = copy;
  Sink sink;
  PTXSHIM_UNROLL_SOME for (unsigned lane = 0; lane < Lanes; lane += kWords) {
    if (!Full && unit_of(c.exec, lane) == 0) continue;
    const uint32_t* const row = c.row + lane;
    const Rows<4> quads = transpose(read<Words>(row), read<Words>(row + Lanes), read<Words>(row + 2 * Lanes), read<Words>(row + 3 * Lanes));
    PTXSHIM_UNROLL for (unsigned i = 0; i < kWords; ++i) {
      const Words quad = quads.word[i % 4];
#if defined(__AVX2__)
      const Block block = i < 4 ? __builtin_shufflevector(quad, quad, 0, 1, 2, 3) : __builtin_shufflevector(quad, quad, 4, 5, 6, 7);
#else
      const Block block = quad;
#endif
      write(target<Full>(c, offset, sink, lane + i), block);
    }
  }
}

template <unsigned Lanes, bool Full> void store_pairs(const LaneCopy& copy, const int32_t* offset) {
  typedef uint64_t Pairs __attribute__((vector_size(sizeof(Words))));
  const LaneCopy c = copy;
  Sink sink;
  PTXSHIM_UNROLL_SOME for (unsigned lane = 0; lane < Lanes; lane += kWords) {
    if (!Full && unit_of(c.exec, lane) == 0) continue;
    const Words low = read<Words>(c.row + lane), high = read<Words>(c.row + lane + Lanes);
    const Pairs even = reinterpret_cast<Pairs>(PTXSHIM_SHUFFLE(low, high, 0, kB, 1, kB + 1));
    const Pairs odd = reinterpret_cast<Pairs>(PTXSHIM_SHUFFLE(low, high, 2, kB + 2, 3, kB + 3));
    PTXSHIM_UNROLL for (unsigned i = 0; i < kWords; ++i) {
      const unsigned in_block = i / 4 * 2 + i % 2;
      write(target<Full>(c, offset, sink, lane + i), i % 4 < 2 ? even[in_block] : odd[in_block]);
    }
  }
}

// One, or with the third word after a pair.
template <unsigned N, unsigned Lanes, bool Full> void store_words(const LaneCopy& copy, const int32_t* offset) {
  const LaneCopy c = copy;
  Sink sink;
  for (unsigned first = 0; first < Lanes; first += kWords) {
    if (!Full && unit_of(c.exec, first) == 0) continue;
    PTXSHIM_UNROLL for (unsigned lane = first; lane < first + kWords; ++lane) {
      std::byte* const to = target<Full>(c, offset, sink, lane);
      const uint32_t* const row = c.row + lane;
      if constexpr (N == 3) {
        write(to, row[0] | uint64_t{row[Lanes]} << 32);
        write(to + 8, row[2 * Lanes]);
      } else {
        write(to, row[0]);
      }
    }
  }
}

// Offsets of lanes of three words that lie one after the other.
struct TripleOffsets {
  int32_t of[64];
  constexpr TripleOffsets() : of() {
    for (int i = 0; i < 64; ++i) of[i] = 12 * i;
  }
};
constexpr TripleOffsets kTripleOffsets{};

template <unsigned N, unsigned Lanes, bool Full> void store_lanes(const LaneCopy& c) {
  const int32_t* const offset = N == 3 && c.span->contiguous && Full ? kTripleOffsets.of : c.span->offset;
  if constexpr (N == 4)
    store_quads<Lanes, Full>(c, offset);
  else if constexpr (N == 2)
    store_pairs<Lanes, Full>(c, offset);
  else
    store_words<N, Lanes, Full>(c, offset);
}
template <unsigned N, unsigned Lanes> void store(const LaneCopy& c) {
  const bool full = is_full<Lanes>(c.exec);
  if constexpr (N != 3) {
    if (c.span->contiguous)
      return full ? meaning::store_words_row<N, Lanes, true>(c.base, c.exec, c.row)
                  : meaning::store_words_row<N, Lanes, false>(row_begin(c, 4 * N), c.exec, c.row);
  }
  full ? store_lanes<N, Lanes, true>(c) : store_lanes<N, Lanes, false>(c);
}

template <class T, unsigned Lanes> void store_small(const LaneCopy& copy) {
  const LaneCopy c = copy;
  if (c.span->contiguous) return meaning::store_small_row<T, Lanes, false>(row_begin(c, sizeof(T)), c.exec, c.row, {c.shift, c.keep});
  Sink sink;
  for (unsigned first = 0; first < Lanes; first += kWords) {
    if (unit_of(c.exec, first) == 0) continue;
    PTXSHIM_UNROLL for (unsigned lane = first; lane < first + kWords; ++lane)
      write(target<false>(c, c.span->offset, sink, lane), static_cast<T>(c.row[lane] >> c.shift));
  }
}

template <unsigned L> constexpr MemoryKernels make_kernels() {
  return {
      {span<AddressForm::Wrapping32, L>, span<AddressForm::Extended32, L>, span<AddressForm::Full64, L>},
      {load_small<uint8_t, L>, load_small<int8_t, L>, load_small<uint16_t, L>, load_small<int16_t, L>, load<1, L>, load<2, L>,
       load<3, L>, load<4, L>},
      {store_small<uint8_t, L>, store_small<uint8_t, L>, store_small<uint16_t, L>, store_small<uint16_t, L>, store<1, L>,
       store<2, L>, store<3, L>, store<4, L>},
  };
}

} // namespace

#define PTXSHIM_JOIN2(a, b) a##b
#define PTXSHIM_JOIN(a, b) PTXSHIM_JOIN2(a, b)
const MemoryKernels PTXSHIM_JOIN(kMemory_, PTXSHIM_ISA)[2] = {make_kernels<32>(), make_kernels<64>()};

} // namespace ptxshim::vgpu
