// SPDX-License-Identifier: MIT
// Loads and stores as most kernels have them: the lanes of EXEC one after the other in LDS or in a piece of global memory that was
// seen lately, or at one place of scratch. Whatever else there is, and whatever fails, goes on in the general handlers (lds.cpp,
// vector_memory.cpp), which begin anew. No other function is called, so few handlers have a frame. Compiled once per host ISA; the
// build defines PTXSHIM_ISA. Beside them ds_bpermute_b32, which accesses LDS in name alone.

#include "lds.h"
#include "memory_apart.h"
#include "memory_kernels.h"
#include "memory_lanes.h"
#include "memory_ops.h"

namespace ptxshim::vgpu {
namespace {

using namespace meaning;

// What data is loaded to, or stored from.
template <MemoryKind K, unsigned Lanes> PTXSHIM_INLINE uint32_t* data_row(Wave& wave, const Op* op, unsigned source) {
  return row_of<Lanes>(wave, K == MemoryKind::Load ? op->dst : op->src[source].index);
}

constexpr unsigned bytes_of(Shape shape) {
  constexpr unsigned kBytes[kShapes] = {1, 1, 2, 2, 4, 8, 12, 16};
  return kBytes[static_cast<unsigned>(shape)];
}

PTXSHIM_INLINE HalfRow half_of(const Op* op) {
  const Half half = static_cast<const MemoryTraits*>(op->table)->half;
  return {half == Half::High ? 16U : 0U, half == Half::None ? 0U : half == Half::High ? 0xffffU : 0xffff0000U};
}

template <MemoryKind K, Shape S, unsigned Lanes> PTXSHIM_INLINE uint32_t* second_row(Wave& wave, const Op* op) {
  return row_of<Lanes>(wave, K == MemoryKind::Load ? op->dst + bytes_of(S) / 4 : op->src[2].index);
}

// The general handlers.
template <MemoryKind K> constexpr Handler kLds = K == MemoryKind::Load ? run_lds_load : run_lds_store;
template <MemoryKind K> constexpr Handler kLds2 = K == MemoryKind::Load ? run_lds_load2 : run_lds_store2;
template <MemoryKind K> constexpr Handler kFlat = K == MemoryKind::Load ? run_flat_load : run_flat_store;

// Between memory, from lane 0 on, and a register row.
template <MemoryKind K, Shape S, unsigned Lanes, bool Full>
PTXSHIM_INLINE void copy(std::byte* at, uint64_t exec, uint32_t* row, const Op* op) {
  using Byte = std::conditional_t<S == Shape::I8, int8_t, uint8_t>;
  using HalfWord = std::conditional_t<S == Shape::I16, int16_t, uint16_t>;
  if constexpr (K == MemoryKind::Load) {
    if constexpr (bytes_of(S) == 1) load_small_row<Byte, Lanes, Full>(at, exec, row, half_of(op));
    if constexpr (bytes_of(S) == 2) load_small_row<HalfWord, Lanes, Full>(at, exec, row, half_of(op));
    if constexpr (bytes_of(S) >= 4) load_words_row<bytes_of(S) / 4, Lanes, Full>(at, exec, row);
  } else {
    if constexpr (bytes_of(S) == 1) store_small_row<Byte, Lanes, Full>(at, exec, row, half_of(op));
    if constexpr (bytes_of(S) == 2) store_small_row<HalfWord, Lanes, Full>(at, exec, row, half_of(op));
    if constexpr (bytes_of(S) >= 4) apart::store_row<bytes_of(S) / 4, Lanes, Full>(at, exec, row);
  }
}

// What lanes that are apart must be able to read: at least words, which are quicker to put together than smaller pieces.
template <MemoryKind K, Shape S> constexpr unsigned kReach = K == MemoryKind::Load&& S < Shape::W1 ? 4 : bytes_of(S);

// N words from each base into rows that follow each other, where each lane is at where[lane].
template <class Offset, unsigned N, unsigned Lanes, bool Full, size_t Bases>
PTXSHIM_INLINE void load_apart(std::byte* const (&bases)[Bases], const uint32_t* where, uint64_t exec, uint32_t* row) {
  const Offset* const offset = reinterpret_cast<const Offset*>(where);
  if (!is_row<0, Lanes, Full>(where, exec)) return apart::load<N, Lanes, Full>(bases, offset, exec, row);
  const Offset one = offset[Full ? 0 : first_lane(exec)]; // of all lanes; it may be overwritten
  for (std::byte* const base : bases) {
    spread_words<N, Lanes, Full>(base + one, exec, row);
    row += N * Lanes;
  }
}
// As copy, where each lane is at base + where[lane].
template <class Offset, MemoryKind K, Shape S, unsigned Lanes, bool Full>
PTXSHIM_INLINE void copy_apart(std::byte* base, const uint32_t* where, uint64_t exec, uint32_t* row, const Op* op) {
  const apart::Places<Offset> at{base, reinterpret_cast<const Offset*>(where)};
  using Byte = std::conditional_t<S == Shape::I8, int8_t, uint8_t>;
  using HalfWord = std::conditional_t<S == Shape::I16, int16_t, uint16_t>;
  if constexpr (K == MemoryKind::Load) {
    if constexpr (bytes_of(S) == 1) apart::load_small<Byte, Lanes, Full, true>(at, exec, row, half_of(op));
    if constexpr (bytes_of(S) == 2) apart::load_small<HalfWord, Lanes, Full, true>(at, exec, row, half_of(op));
    if constexpr (bytes_of(S) >= 4) load_apart<Offset, bytes_of(S) / 4, Lanes, Full>({base}, where, exec, row);
  } else {
    if constexpr (bytes_of(S) == 1) apart::store_each<uint8_t, Lanes, Full>(at, exec, row, half_of(op).shift);
    if constexpr (bytes_of(S) == 2) apart::store_each<uint16_t, Lanes, Full>(at, exec, row, half_of(op).shift);
    if constexpr (bytes_of(S) >= 4) apart::store<bytes_of(S) / 4, Lanes, Full>(at, exec, row);
  }
}

// LDS ---------------------------------------------------------------------------------------------------------------

template <MemoryKind K, Shape S, unsigned Lanes> [[gnu::noinline]] const Op* lds_apart(Wave& wave, const Op* op) {
  PTXSHIM_BODY {
    const uint32_t* const where = row_of<Lanes>(wave, op->src[0].index);
    std::byte* const base = find_apart_in_lds<kReach<K, S>, Lanes>(wave, where, exec, static_cast<uint32_t>(op->offset));
    if (!base) return false;
    copy_apart<int32_t, K, S, Lanes, full>(base, where, exec, data_row<K, Lanes>(wave, op, 1), op);
    return true;
  };
  return run_or<Lanes>(kLds<K>, wave, op, body);
}
template <MemoryKind K, Shape S, unsigned Lanes> [[gnu::noinline]] const Op* lds2_apart(Wave& wave, const Op* op) {
  PTXSHIM_BODY {
    const uint32_t* const where = row_of<Lanes>(wave, op->src[0].index);
    std::byte* const one = find_apart_in_lds<kReach<K, S>, Lanes>(wave, where, exec, static_cast<uint32_t>(op->offset));
    std::byte* const two = find_apart_in_lds<kReach<K, S>, Lanes>(wave, where, exec, op->immediate);
    if (!one || !two) return false;
    uint32_t* const row = data_row<K, Lanes>(wave, op, 1);
    if constexpr (K == MemoryKind::Load) {
      load_apart<int32_t, bytes_of(S) / 4, Lanes, full>({one, two}, where, exec, row);
    } else {
      copy_apart<int32_t, K, S, Lanes, full>(one, where, exec, row, op);
      copy_apart<int32_t, K, S, Lanes, full>(two, where, exec, second_row<K, S, Lanes>(wave, op), op);
    }
    return true;
  };
  return run_or<Lanes>(kLds2<K>, wave, op, body);
}

template <MemoryKind K, Shape S, unsigned Lanes> const Op* lds(Wave& wave, const Op* op) {
  PTXSHIM_BODY {
    const uint32_t* const row = row_of<Lanes>(wave, op->src[0].index);
    if (!is_row<bytes_of(S), Lanes, full>(row, exec)) return false;
    std::byte* const at = find_in_lds<bytes_of(S), Lanes, full>(wave, row, exec, static_cast<uint32_t>(op->offset));
    if (!at) return false;
    copy<K, S, Lanes, full>(at, exec, data_row<K, Lanes>(wave, op, 1), op);
    return true;
  };
  return run_or<Lanes>(lds_apart<K, S, Lanes>, wave, op, body);
}
template <MemoryKind K, Shape S, unsigned Lanes> const Op* lds2(Wave& wave, const Op* op) {
  PTXSHIM_BODY {
    const uint32_t* const row = row_of<Lanes>(wave, op->src[0].index);
    if (!is_row<bytes_of(S), Lanes, full>(row, exec)) return false;
    std::byte* const one = find_in_lds<bytes_of(S), Lanes, full>(wave, row, exec, static_cast<uint32_t>(op->offset));
    std::byte* const two = find_in_lds<bytes_of(S), Lanes, full>(wave, row, exec, op->immediate);
    if (!one || !two) return false;
    copy<K, S, Lanes, full>(one, exec, data_row<K, Lanes>(wave, op, 1), op);
    copy<K, S, Lanes, full>(two, exec, second_row<K, S, Lanes>(wave, op), op);
    return true;
  };
  return run_or<Lanes>(lds2_apart<K, S, Lanes>, wave, op, body);
}

// Global memory -----------------------------------------------------------------------------------------------------

template <MemoryKind K, Shape S, unsigned Lanes> [[gnu::noinline]] const Op* flat_apart(Wave& wave, const Op* op) {
  PTXSHIM_BODY {
    Common common;
    if (!find_in_global<Lanes, full>(wave, op, exec, K == MemoryKind::Store, common)) return false;
    std::byte* const base = find_apart<kReach<K, S>, Lanes>(common, exec);
    if (!base) return false;
    copy_apart<uint32_t, K, S, Lanes, full>(base, common.low, exec, data_row<K, Lanes>(wave, op, 2), op);
    return true;
  };
  return run_or<Lanes>(kFlat<K>, wave, op, body);
}

template <MemoryKind K, Shape S, unsigned Lanes> const Op* flat(Wave& wave, const Op* op) {
  PTXSHIM_BODY {
    Common common;
    if (!is_row<bytes_of(S), Lanes, full>(row_of<Lanes>(wave, op->src[0].index), exec)) return false;
    if (!find_in_global<Lanes, full>(wave, op, exec, K == MemoryKind::Store, common)) return false;
    std::byte* const at = find_row<bytes_of(S), Lanes, full>(common, exec);
    if (!at) return false;
    copy<K, S, Lanes, full>(at, exec, data_row<K, Lanes>(wave, op, 2), op);
    return true;
  };
  return run_or<Lanes>(flat_apart<K, S, Lanes>, wave, op, body);
}

// Scratch -----------------------------------------------------------------------------------------------------------

// Where the row of cells is that all lanes have the same offset of; null: there is no such row.
template <unsigned Bytes, unsigned Lanes, bool Full>
PTXSHIM_INLINE std::byte* find_in_scratch(Wave& wave, const Op* op, uint64_t exec, uint64_t offset, uint64_t wraps) {
  if (op->src[0].kind == SourceKind::Vector) {
    const uint32_t* const row = row_of<Lanes>(wave, op->src[0].index);
    if (!is_row<0, Lanes, Full>(row, exec)) return nullptr;
    offset += row[Full ? 0 : first_lane(exec)];
  }
  offset &= wraps;
  if (offset % 4 != 0 || offset > wave.scratch_bytes || Bytes > wave.scratch_bytes - offset) return nullptr;
  return reinterpret_cast<std::byte*>(wave.scratch) + offset * Lanes;
}
template <MemoryKind K, Shape S, unsigned Lanes, bool Full>
PTXSHIM_INLINE void copy_cells(Wave& wave, const Op* op, std::byte* at, uint64_t exec) {
  uint32_t* const row = data_row<K, Lanes>(wave, op, 2);
  for (unsigned word = 0; word < bytes_of(S) / 4; ++word)
    copy<K, Shape::W1, Lanes, Full>(at + word * 4 * Lanes, exec, row + word * Lanes, op);
}

template <MemoryKind K, Shape S, unsigned Lanes> const Op* scratch(Wave& wave, const Op* op) {
  PTXSHIM_BODY {
    const uint32_t scalar = op->src[1].kind != SourceKind::None ? wave.read32(op->src[1]) : 0U;
    std::byte* const at =
        find_in_scratch<bytes_of(S), Lanes, full>(wave, op, exec, static_cast<uint64_t>(op->offset) + scalar, 0xffffffffU);
    if (!at) return false;
    copy_cells<K, S, Lanes, full>(wave, op, at, exec);
    return true;
  };
  return run_or<Lanes>(kFlat<K>, wave, op, body);
}
// Through the descriptor that a kernel gets.
template <MemoryKind K, Shape S, unsigned Lanes> const Op* buffer(Wave& wave, const Op* op) {
  PTXSHIM_BODY {
    const uint32_t* const s = &wave.s[op->src[3].index];
    if (!adds_thread(s)) return false;
    const uint32_t scalar = op->src[1].kind != SourceKind::None ? wave.read32(op->src[1]) : 0U;
    const uint64_t begin = (buffer_base(s) - kScratchBufferBase + scalar) / Lanes + static_cast<uint64_t>(op->offset);
    std::byte* const at = find_in_scratch<bytes_of(S), Lanes, full>(wave, op, exec, begin, ~0ULL);
    if (!at) return false;
    copy_cells<K, S, Lanes, full>(wave, op, at, exec);
    return true;
  };
  return run_or<Lanes>(run_buffer, wave, op, body);
}

// Exchanges between lanes -------------------------------------------------------------------------------------------

#if defined(__AVX2__) && !defined(__AVX512F__)
// Words of Count vectors by their number, of which the low bits count.
template <unsigned Count> PTXSHIM_INLINE __m256 chosen_words(const __m256i* from, __m256i number) {
  if constexpr (Count == 1) {
    return _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(from[0], number));
  } else {
    constexpr int kBit = Count == 2 ? 3 : Count == 4 ? 4 : 5;
    const __m256 low = chosen_words<Count / 2>(from, number), high = chosen_words<Count / 2>(from + Count / 2, number);
    return _mm256_blendv_ps(low, high, _mm256_castsi256_ps(_mm256_slli_epi32(number, 31 - kBit)));
  }
}
template <unsigned Lanes, bool Full, size_t... I> // (loops over vectors would become copies of memory)
PTXSHIM_INLINE void permute_vectors(const uint32_t* data, const uint32_t* address, uint32_t offset, bool halves, uint64_t exec,
                                    uint32_t* to, std::index_sequence<I...>) {
  const __m256i from[] = {reinterpret_cast<__m256i>(only(unit_of<Full>(exec, I * kWords), load_words(data + I * kWords)))...};
  const auto chosen = [&](unsigned lane) __attribute__((always_inline)) {
    const __m256i number = reinterpret_cast<__m256i>((load_words(address + lane) + offset) >> 2);
    if (Lanes == 64 && !halves) return chosen_words<Lanes / kWords>(from, number);
    return chosen_words<32 / kWords>(from + (lane < 32 ? 0 : 32 / kWords), number);
  };
  const Words result[] = {reinterpret_cast<Words>(chosen(I * kWords))...};
  (put_words<Full>(to + I * kWords, unit_of<Full>(exec, I * kWords), result[I]), ...);
}
#endif
// Words of `data`, which is zero in lanes that are off, by their number; gfx10 and gfx11 stay within 32 lanes.
template <unsigned Lanes, bool Full>
PTXSHIM_INLINE void permute(const uint32_t* data, const uint32_t* address, uint32_t offset, bool halves, uint64_t exec, uint32_t* to) {
#if defined(__AVX512F__)
  __m512i from[Lanes / kWords];
  for (unsigned i = 0; i < Lanes / kWords; ++i)
    from[i] = _mm512_maskz_loadu_epi32(mask_of<1, 0>(unit_of<Full>(exec, i * kWords)), data + i * kWords);
  Words result[Lanes / kWords];
  for (unsigned i = 0; i < Lanes / kWords; ++i) {
    const __m512i index = reinterpret_cast<__m512i>((load_words(address + i * kWords) + offset) >> 2);
    __m512i chosen = _mm512_permutex2var_epi32(from[0], index, from[1]); // by the five low bits
    if constexpr (Lanes == 64) {
      const Mask far = halves ? (i < 2 ? 0 : 0xffff) : _mm512_test_epi32_mask(index, _mm512_set1_epi32(32));
      chosen = _mm512_mask_blend_epi32(far, chosen, _mm512_permutex2var_epi32(from[2], index, from[3]));
    }
    result[i] = reinterpret_cast<Words>(chosen);
  }
  for (unsigned i = 0; i < Lanes / kWords; ++i) put_words<Full>(to + i * kWords, unit_of<Full>(exec, i * kWords), result[i]);
#elif defined(__AVX2__)
  permute_vectors<Lanes, Full>(data, address, offset, halves, exec, to, std::make_index_sequence<Lanes / kWords>{});
#else
  alignas(64) uint32_t from[Lanes], where[Lanes];
  for (unsigned lane = 0; lane < Lanes; lane += kWords) {
    const Words own = load_words(data + lane);
    store_words(from + lane, only(unit_of<Full>(exec, lane), own));
    const Words bytes = (load_words(address + lane) + offset) & (Lanes == 32 || halves ? 0x7cU : 0xfcU);
    store_words(where + lane, halves && lane >= 32 ? bytes + 128U : bytes);
  }
  apart::load<1, Lanes, Full>({reinterpret_cast<std::byte*>(from)}, where, exec, to);
#endif
}
template <unsigned Lanes> [[gnu::noinline]] bool bpermute(Wave& wave, const Op* op) {
  PTXSHIM_BODY {
    const bool halves = Lanes == 64 && (wave.generation == 10 || wave.generation == 11);
    permute<Lanes, full>(row_of<Lanes>(wave, op->src[1].index), row_of<Lanes>(wave, op->src[0].index), static_cast<uint32_t>(op->offset),
                         halves, exec, row_of<Lanes>(wave, op->dst));
    return true;
  };
  return done<Lanes>(wave, body);
}

// -------------------------------------------------------------------------------------------------------------------

template <MemoryKind K, unsigned Lanes> constexpr RowHandlers make_handlers() {
  return {
      {lds<K, Shape::U8, Lanes>, lds<K, Shape::I8, Lanes>, lds<K, Shape::U16, Lanes>, lds<K, Shape::I16, Lanes>, lds<K, Shape::W1, Lanes>,
       lds<K, Shape::W2, Lanes>, lds_apart<K, Shape::W3, Lanes>, lds<K, Shape::W4, Lanes>},
      {nullptr, nullptr, nullptr, nullptr, lds2<K, Shape::W1, Lanes>, lds2<K, Shape::W2, Lanes>, nullptr, nullptr},
      {flat<K, Shape::U8, Lanes>, flat<K, Shape::I8, Lanes>, flat<K, Shape::U16, Lanes>, flat<K, Shape::I16, Lanes>,
       flat<K, Shape::W1, Lanes>, flat<K, Shape::W2, Lanes>, flat_apart<K, Shape::W3, Lanes>, flat<K, Shape::W4, Lanes>},
      {nullptr, nullptr, nullptr, nullptr, scratch<K, Shape::W1, Lanes>, scratch<K, Shape::W2, Lanes>, scratch<K, Shape::W3, Lanes>,
       scratch<K, Shape::W4, Lanes>},
      {nullptr, nullptr, nullptr, nullptr, buffer<K, Shape::W1, Lanes>, buffer<K, Shape::W2, Lanes>, buffer<K, Shape::W3, Lanes>,
       buffer<K, Shape::W4, Lanes>},
  };
}

} // namespace

#define PTXSHIM_JOIN2(a, b) a##b
#define PTXSHIM_JOIN(a, b) PTXSHIM_JOIN2(a, b)
const RowHandlers PTXSHIM_JOIN(kRowHandlers_, PTXSHIM_ISA)[2][2] = {
    {make_handlers<MemoryKind::Load, 32>(), make_handlers<MemoryKind::Store, 32>()},
    {make_handlers<MemoryKind::Load, 64>(), make_handlers<MemoryKind::Store, 64>()},
};

const Handler PTXSHIM_JOIN(kPermuteHandlers_, PTXSHIM_ISA)[2] = {run_apart<bpermute<32>, run_lds_bpermute>,
                                                                 run_apart<bpermute<64>, run_lds_bpermute>};

} // namespace ptxshim::vgpu
