// SPDX-License-Identifier: MIT
// Loads and stores as most kernels have them: the lanes of EXEC one after the other in LDS or in a piece of global memory that was
// seen lately, or at one place of scratch. Whatever else there is, and whatever fails, goes on in the general handlers (lds.cpp,
// vector_memory.cpp), which begin anew. No other function is called, so handlers have no frame. Compiled once per host ISA; the
// build defines PTXSHIM_ISA.

#include "lds.h"
#include "memory_apart.h"
#include "memory_kernels.h"
#include "memory_ops.h"
#include "wave.h"

namespace ptxshim::vgpu {
namespace {

using namespace meaning;

template <unsigned Lanes> PTXSHIM_INLINE uint32_t* row_of(Wave& wave, unsigned reg) { return wave.v + size_t{reg} * Lanes; }

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
    if constexpr (bytes_of(S) >= 4) store_words_row<bytes_of(S) / 4, Lanes, Full>(at, exec, row);
  }
}

// The same where each lane is at base + where[lane].
template <MemoryKind K, Shape S, unsigned Lanes, bool Full>
PTXSHIM_INLINE void copy_apart(std::byte* base, const uint32_t* where, uint64_t exec, uint32_t* row, const Op* op) {
  const apart::Places<uint32_t> at{base, where};
  using Byte = std::conditional_t<S == Shape::I8, int8_t, uint8_t>;
  using HalfWord = std::conditional_t<S == Shape::I16, int16_t, uint16_t>;
  if constexpr (K == MemoryKind::Load) {
    if constexpr (bytes_of(S) == 1) apart::load_small<Byte, Lanes, Full>(at, exec, row, half_of(op));
    if constexpr (bytes_of(S) == 2) apart::load_small<HalfWord, Lanes, Full>(at, exec, row, half_of(op));
    if constexpr (bytes_of(S) >= 4) apart::load<bytes_of(S) / 4, Lanes, Full>(at, exec, row);
  } else {
    if constexpr (bytes_of(S) == 1) apart::store_small<Byte, Lanes, Full>(at, exec, row, half_of(op));
    if constexpr (bytes_of(S) == 2) apart::store_small<HalfWord, Lanes, Full>(at, exec, row, half_of(op));
    if constexpr (bytes_of(S) >= 4) apart::store<bytes_of(S) / 4, Lanes, Full>(at, exec, row);
  }
}

// Tries a body, which gets whether all lanes are on, and EXEC. It is false when it has done nothing.
#define PTXSHIM_BODY const auto body = [&](auto full, uint64_t exec) __attribute__((always_inline))
template <unsigned Lanes, class Body> PTXSHIM_INLINE bool done(const Wave& wave, Body body) {
  const uint64_t exec = Lanes == 32 ? wave.s[kExec] : wave.mask_at(kExec);
  return is_full<Lanes>(exec) ? body(std::true_type{}, exec) : exec != 0 && body(std::false_type{}, exec);
}
template <unsigned Lanes, class Body> PTXSHIM_INLINE const Op* run_or(Handler general, Wave& wave, const Op* op, Body body) {
  if (done<Lanes>(wave, body)) [[likely]]
    return op + 1;
  return general(wave, op);
}
// Lanes that are apart are served by functions that return: these have frames, which handlers would not leave.
using Access = bool (*)(Wave&, const Op*);
template <Access Apart, Handler General> [[gnu::noinline]] const Op* run_apart(Wave& wave, const Op* op) {
  if (Apart(wave, op)) return op + 1;
  return General(wave, op);
}

// Whether the addresses of the lanes of EXEC follow each other, and where they begin and end.
template <unsigned Bytes, unsigned Lanes, bool Full> PTXSHIM_INLINE bool is_row(const uint32_t* row, uint64_t exec) {
  const unsigned first = Full ? 0 : first_lane(exec);
  return is_series<Bytes, Lanes, Full>(row, exec, row[first] - first * Bytes);
}
struct Ends {
  unsigned first;
  uint32_t bytes;
};
template <unsigned Bytes, unsigned Lanes, bool Full> PTXSHIM_INLINE Ends ends_of(uint64_t exec) {
  if constexpr (Full) return {0, Lanes * Bytes};
  return {first_lane(exec), (last_lane(exec) + 1 - first_lane(exec)) * Bytes};
}

// Puts the words of the row, to which `add` is added, into `where`, for lanes that are off that of a lane that is on. False: one is
// beyond lowest and lowest + room.
template <unsigned Lanes, bool Full>
PTXSHIM_INLINE bool place(const uint32_t* row, uint64_t exec, uint32_t add, uint32_t lowest, uint32_t room, uint32_t* where) {
  const Words any = Words{} + row[Full ? 0 : first_lane(exec)];
#if defined(__AVX512F__)
  uint32_t beyond = 0;
#else
  Words beyond{};
#endif
  for (unsigned lane = 0; lane < Lanes; lane += kWords) {
    const Words own = load_words(row + lane), at = (Full ? own : choose(unit_of<Full>(exec, lane), own, any)) + add;
    store_words(where + lane, at);
#if defined(__AVX512F__)
    beyond |= _mm512_cmpgt_epu32_mask(reinterpret_cast<__m512i>(at - lowest), _mm512_set1_epi32(static_cast<int>(room)));
  }
  return beyond == 0;
#else
    beyond |= reinterpret_cast<Words>(at - lowest > room);
  }
  return top_bits(beyond) == 0;
#endif
}

// LDS ---------------------------------------------------------------------------------------------------------------

// Where lane 0 is, or would be; null: some lane is out of range.
template <unsigned Bytes, unsigned Lanes, bool Full>
PTXSHIM_INLINE std::byte* find_in_lds(const Wave& wave, const uint32_t* row, uint64_t exec, uint32_t offset) {
  const Ends ends = ends_of<Bytes, Lanes, Full>(exec);
  const uint64_t begin = row[ends.first] + offset;
  const WorkGroup& group = *wave.group;
  return begin + ends.bytes <= group.lds_bytes ? group.lds + begin - ends.first * Bytes : nullptr;
}

template <unsigned Bytes, unsigned Lanes, bool Full>
PTXSHIM_INLINE bool place_in_lds(Wave& wave, const Op* op, uint64_t exec, uint32_t offset, uint32_t* where) {
  const uint32_t size = wave.group->lds_bytes;
  return size >= Bytes && place<Lanes, Full>(row_of<Lanes>(wave, op->src[0].index), exec, offset, 0, size - Bytes, where);
}

template <MemoryKind K, Shape S, unsigned Lanes> [[gnu::noinline]] bool lds_apart(Wave& wave, const Op* op) {
  PTXSHIM_BODY {
    alignas(64) uint32_t where[Lanes];
    if (!place_in_lds<bytes_of(S), Lanes, full>(wave, op, exec, static_cast<uint32_t>(op->offset), where)) return false;
    copy_apart<K, S, Lanes, full>(wave.group->lds, where, exec, data_row<K, Lanes>(wave, op, 1), op);
    return true;
  };
  return done<Lanes>(wave, body);
}
template <MemoryKind K, Shape S, unsigned Lanes> [[gnu::noinline]] bool lds2_apart(Wave& wave, const Op* op) {
  PTXSHIM_BODY {
    alignas(64) uint32_t one[Lanes], two[Lanes];
    if (!place_in_lds<bytes_of(S), Lanes, full>(wave, op, exec, static_cast<uint32_t>(op->offset), one)) return false;
    if (!place_in_lds<bytes_of(S), Lanes, full>(wave, op, exec, op->immediate, two)) return false;
    std::byte* const base = wave.group->lds;
    copy_apart<K, S, Lanes, full>(base, one, exec, data_row<K, Lanes>(wave, op, 1), op);
    copy_apart<K, S, Lanes, full>(base, two, exec, second_row<K, S, Lanes>(wave, op), op);
    return true;
  };
  return done<Lanes>(wave, body);
}

template <MemoryKind K, Shape S, unsigned Lanes> const Op* lds(Wave& wave, const Op* op) {
  PTXSHIM_BODY {
    const uint32_t* const row = row_of<Lanes>(wave, op->src[0].index);
    std::byte* const at = find_in_lds<bytes_of(S), Lanes, full>(wave, row, exec, static_cast<uint32_t>(op->offset));
    if (!is_row<bytes_of(S), Lanes, full>(row, exec) || !at) return false;
    copy<K, S, Lanes, full>(at, exec, data_row<K, Lanes>(wave, op, 1), op);
    return true;
  };
  return run_or<Lanes>(run_apart<lds_apart<K, S, Lanes>, kLds<K>>, wave, op, body);
}
template <MemoryKind K, Shape S, unsigned Lanes> const Op* lds2(Wave& wave, const Op* op) {
  PTXSHIM_BODY {
    const uint32_t* const row = row_of<Lanes>(wave, op->src[0].index);
    std::byte* const one = find_in_lds<bytes_of(S), Lanes, full>(wave, row, exec, static_cast<uint32_t>(op->offset));
    std::byte* const two = find_in_lds<bytes_of(S), Lanes, full>(wave, row, exec, op->immediate);
    if (!is_row<bytes_of(S), Lanes, full>(row, exec) || !one || !two) return false;
    copy<K, S, Lanes, full>(one, exec, data_row<K, Lanes>(wave, op, 1), op);
    copy<K, S, Lanes, full>(two, exec, second_row<K, S, Lanes>(wave, op), op);
    return true;
  };
  return run_or<Lanes>(run_apart<lds2_apart<K, S, Lanes>, kLds2<K>>, wave, op, body);
}

// Global memory -----------------------------------------------------------------------------------------------------

// What the lanes of EXEC have in common, and the range that the first of them is in. Flat addresses that lead to LDS or scratch are
// in none.
struct Common {
  const uint32_t* low;
  uint64_t base; // an address is this + low[lane]
  const MemoryRange* range;
};
template <unsigned Lanes, bool Full> PTXSHIM_INLINE bool find_in_global(Wave& wave, const Op* op, uint64_t exec, bool write, Common& out) {
  const unsigned first = Full ? 0 : first_lane(exec);
  out.low = row_of<Lanes>(wave, op->src[0].index);
  if (op->src[1].kind != SourceKind::None) {
    out.base = wave.read64(op->src[1]);
  } else {
    const uint32_t* const high = out.low + Lanes;
    if (!is_series<0, Lanes, Full>(high, exec, high[first])) return false;
    out.base = uint64_t{high[first]} << 32;
  }
  out.base += static_cast<uint64_t>(op->offset);
  wave.resume = op; // whose fault it is when the host faults
  out.range = wave.memory->seen(out.base + out.low[first]);
  return out.range && (!write || out.range->writable);
}

template <MemoryKind K, Shape S, unsigned Lanes> [[gnu::noinline]] bool flat_apart(Wave& wave, const Op* op) {
  PTXSHIM_BODY {
    Common common;
    if (!find_in_global<Lanes, full>(wave, op, exec, K == MemoryKind::Store, common)) return false;
    // The low words that lead into the range.
    const int64_t skip = static_cast<int64_t>(common.base - common.range->gpu),
                  last = static_cast<int64_t>(common.range->size) - bytes_of(S) - skip;
    const int64_t lowest = skip < 0 ? -skip : 0, highest = last < 0xffffffff ? last : 0xffffffff;
    alignas(64) uint32_t where[Lanes];
    if (highest < lowest ||
        !place<Lanes, full>(common.low, exec, 0, static_cast<uint32_t>(lowest), static_cast<uint32_t>(highest - lowest), where))
      return false;
    copy_apart<K, S, Lanes, full>(common.range->host + skip, where, exec, data_row<K, Lanes>(wave, op, 2), op);
    return true;
  };
  return done<Lanes>(wave, body);
}

template <MemoryKind K, Shape S, unsigned Lanes> const Op* flat(Wave& wave, const Op* op) {
  PTXSHIM_BODY {
    constexpr unsigned kBytes = bytes_of(S);
    Common common;
    if (!find_in_global<Lanes, full>(wave, op, exec, K == MemoryKind::Store, common) || !is_row<kBytes, Lanes, full>(common.low, exec))
      return false;
    const Ends ends = ends_of<kBytes, Lanes, full>(exec);
    const uint64_t begin = common.low[ends.first], offset = common.base + begin - common.range->gpu;
    if (begin + ends.bytes > 1ULL << 32 || ends.bytes > common.range->size - offset)
      return false; // (beyond 32 bits high words would differ)
    std::byte* const at = common.range->host + offset - ends.first * kBytes;
    copy<K, S, Lanes, full>(at, exec, data_row<K, Lanes>(wave, op, 2), op);
    return true;
  };
  return run_or<Lanes>(run_apart<flat_apart<K, S, Lanes>, kFlat<K>>, wave, op, body);
}

// Scratch -----------------------------------------------------------------------------------------------------------

// Where the row of cells is that all lanes have the same offset of; null: there is no such row.
template <unsigned Bytes, unsigned Lanes, bool Full>
PTXSHIM_INLINE std::byte* find_in_scratch(Wave& wave, const Op* op, uint64_t exec, uint64_t offset, uint64_t wraps) {
  if (op->src[0].kind == SourceKind::Vector) {
    const uint32_t* const row = row_of<Lanes>(wave, op->src[0].index);
    const uint32_t own = row[Full ? 0 : first_lane(exec)];
    if (!is_series<0, Lanes, Full>(row, exec, own)) return nullptr;
    offset += own;
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

// -------------------------------------------------------------------------------------------------------------------

template <MemoryKind K, unsigned Lanes> constexpr RowHandlers make_handlers() {
  return {
      {lds<K, Shape::U8, Lanes>, lds<K, Shape::I8, Lanes>, lds<K, Shape::U16, Lanes>, lds<K, Shape::I16, Lanes>, lds<K, Shape::W1, Lanes>,
       lds<K, Shape::W2, Lanes>, run_apart<lds_apart<K, Shape::W3, Lanes>, kLds<K>>, lds<K, Shape::W4, Lanes>},
      {nullptr, nullptr, nullptr, nullptr, lds2<K, Shape::W1, Lanes>, lds2<K, Shape::W2, Lanes>, nullptr, nullptr},
      {flat<K, Shape::U8, Lanes>, flat<K, Shape::I8, Lanes>, flat<K, Shape::U16, Lanes>, flat<K, Shape::I16, Lanes>,
       flat<K, Shape::W1, Lanes>, flat<K, Shape::W2, Lanes>, run_apart<flat_apart<K, Shape::W3, Lanes>, kFlat<K>>,
       flat<K, Shape::W4, Lanes>},
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

} // namespace ptxshim::vgpu
