// SPDX-License-Identifier: MIT
// Loads and stores as most kernels have them: the lanes of EXEC one after the other in LDS or in a piece of global memory that was
// seen lately, or at one place of scratch. Whatever else there is, and whatever fails, goes on in the general handlers (lds.cpp,
// vector_memory.cpp), which begin anew. No other function is called, so handlers have no frame. Compiled once per host ISA; the
// build defines PTXSHIM_ISA.

#include "lds.h"
#include "memory_kernels.h"
#include "memory_ops.h"
#include "memory_row.h"
#include "wave.h"

namespace ptxshim::vgpu {
namespace {

using namespace meaning;

template <unsigned Lanes> PTXSHIM_INLINE uint32_t* row_of(Wave& wave, unsigned reg) { return wave.v + size_t{reg} * Lanes; }

constexpr unsigned bytes_of(Shape shape) {
  constexpr unsigned kBytes[kShapes] = {1, 1, 2, 2, 4, 8, 12, 16};
  return kBytes[static_cast<unsigned>(shape)];
}

PTXSHIM_INLINE HalfRow half_of(const Op* op) {
  const Half half = static_cast<const MemoryTraits*>(op->table)->half;
  return {half == Half::High ? 16U : 0U, half == Half::None ? 0U : half == Half::High ? 0xffffU : 0xffff0000U};
}

// Between memory, from lane 0 on, and a register row.
template <MemoryKind K, Shape S, unsigned Lanes, bool Full> PTXSHIM_INLINE void copy(std::byte* at, uint64_t exec, uint32_t* row, const Op* op) {
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

// Tries `body(all lanes are on, EXEC)`, which is false when it has done nothing.
template <unsigned Lanes, class Body> PTXSHIM_INLINE const Op* run_or(Handler general, Wave& wave, const Op* op, Body body) {
  const uint64_t exec = Lanes == 32 ? wave.s[kExec] : wave.mask_at(kExec);
  if (is_full<Lanes>(exec) ? body(std::true_type{}, exec) : exec != 0 && body(std::false_type{}, exec)) [[likely]]
    return op + 1;
  return general(wave, op);
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

// LDS ---------------------------------------------------------------------------------------------------------------

// Where lane 0 is, or would be; null: some lane is out of range.
template <unsigned Bytes, unsigned Lanes, bool Full>
PTXSHIM_INLINE std::byte* find_in_lds(const Wave& wave, const uint32_t* row, uint64_t exec, uint32_t offset) {
  const Ends ends = ends_of<Bytes, Lanes, Full>(exec);
  const uint64_t begin = row[ends.first] + offset;
  const WorkGroup& group = *wave.group;
  return begin + ends.bytes <= group.lds_bytes ? group.lds + begin - ends.first * Bytes : nullptr;
}

template <MemoryKind K, Shape S, unsigned Lanes> const Op* lds(Wave& wave, const Op* op) {
  return run_or<Lanes>(K == MemoryKind::Load ? run_lds_load : run_lds_store, wave, op, [&](auto full, uint64_t exec) [[gnu::always_inline]] {
    const uint32_t* const row = row_of<Lanes>(wave, op->src[0].index);
    std::byte* const at = find_in_lds<bytes_of(S), Lanes, full>(wave, row, exec, static_cast<uint32_t>(op->offset));
    if (!is_row<bytes_of(S), Lanes, full>(row, exec) || !at) return false;
    copy<K, S, Lanes, full>(at, exec, row_of<Lanes>(wave, K == MemoryKind::Load ? op->dst : op->src[1].index), op);
    return true;
  });
}
template <MemoryKind K, Shape S, unsigned Lanes> const Op* lds2(Wave& wave, const Op* op) {
  return run_or<Lanes>(K == MemoryKind::Load ? run_lds_load2 : run_lds_store2, wave, op, [&](auto full, uint64_t exec) [[gnu::always_inline]] {
    const uint32_t* const row = row_of<Lanes>(wave, op->src[0].index);
    std::byte* const one = find_in_lds<bytes_of(S), Lanes, full>(wave, row, exec, static_cast<uint32_t>(op->offset));
    std::byte* const two = find_in_lds<bytes_of(S), Lanes, full>(wave, row, exec, op->immediate);
    if (!is_row<bytes_of(S), Lanes, full>(row, exec) || !one || !two) return false;
    copy<K, S, Lanes, full>(one, exec, row_of<Lanes>(wave, K == MemoryKind::Load ? op->dst : op->src[1].index), op);
    copy<K, S, Lanes, full>(two, exec, row_of<Lanes>(wave, K == MemoryKind::Load ? op->dst + bytes_of(S) / 4 : op->src[2].index), op);
    return true;
  });
}

// Global memory -----------------------------------------------------------------------------------------------------

// Flat addresses that lead to LDS or scratch are mapped nowhere.
template <unsigned Bytes, unsigned Lanes, bool Full>
PTXSHIM_INLINE std::byte* find_in_global(Wave& wave, const Op* op, uint64_t exec, bool write) {
  const uint32_t* const low = row_of<Lanes>(wave, op->src[0].index);
  const Ends ends = ends_of<Bytes, Lanes, Full>(exec);
  uint64_t address = low[ends.first];
  if (!is_row<Bytes, Lanes, Full>(low, exec) || address + ends.bytes > 1ULL << 32) return nullptr; // (high words would differ)
  if (op->src[1].kind != SourceKind::None) {
    address += wave.read64(op->src[1]);
  } else {
    const uint32_t* const high = low + Lanes;
    if (!is_series<0, Lanes, Full>(high, exec, high[ends.first])) return nullptr;
    address |= uint64_t{high[ends.first]} << 32;
  }
  std::byte* const host = wave.memory->seen(address + static_cast<uint64_t>(op->offset), ends.bytes, write);
  return host ? host - ends.first * Bytes : nullptr;
}

template <MemoryKind K, Shape S, unsigned Lanes> const Op* flat(Wave& wave, const Op* op) {
  return run_or<Lanes>(K == MemoryKind::Load ? run_flat_load : run_flat_store, wave, op, [&](auto full, uint64_t exec) [[gnu::always_inline]] {
    std::byte* const at = find_in_global<bytes_of(S), Lanes, full>(wave, op, exec, K == MemoryKind::Store);
    if (!at) return false;
    copy<K, S, Lanes, full>(at, exec, row_of<Lanes>(wave, K == MemoryKind::Load ? op->dst : op->src[2].index), op);
    return true;
  });
}

// Scratch -----------------------------------------------------------------------------------------------------------

// Where the row of cells is that all lanes have the same offset of; null: there is no such row.
template <unsigned Bytes, unsigned Lanes, bool Full> PTXSHIM_INLINE std::byte* find_in_scratch(Wave& wave, const Op* op, uint64_t exec, uint64_t offset, uint64_t wraps) {
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
template <MemoryKind K, Shape S, unsigned Lanes, bool Full> PTXSHIM_INLINE void copy_cells(Wave& wave, const Op* op, std::byte* at, uint64_t exec) {
  uint32_t* const row = row_of<Lanes>(wave, K == MemoryKind::Load ? op->dst : op->src[2].index);
  for (unsigned word = 0; word < bytes_of(S) / 4; ++word)
    copy<K, Shape::W1, Lanes, Full>(at + word * 4 * Lanes, exec, row + word * Lanes, op);
}

template <MemoryKind K, Shape S, unsigned Lanes> const Op* scratch(Wave& wave, const Op* op) {
  return run_or<Lanes>(K == MemoryKind::Load ? run_flat_load : run_flat_store, wave, op, [&](auto full, uint64_t exec) [[gnu::always_inline]] {
    const uint32_t scalar = op->src[1].kind != SourceKind::None ? wave.read32(op->src[1]) : 0U;
    std::byte* const at = find_in_scratch<bytes_of(S), Lanes, full>(wave, op, exec, static_cast<uint64_t>(op->offset) + scalar, 0xffffffffU);
    if (!at) return false;
    copy_cells<K, S, Lanes, full>(wave, op, at, exec);
    return true;
  });
}
// Through the descriptor that a kernel gets.
template <MemoryKind K, Shape S, unsigned Lanes> const Op* buffer(Wave& wave, const Op* op) {
  return run_or<Lanes>(run_buffer, wave, op, [&](auto full, uint64_t exec) [[gnu::always_inline]] {
    const uint32_t* const s = &wave.s[op->src[3].index];
    if (!adds_thread(s)) return false;
    const uint32_t scalar = op->src[1].kind != SourceKind::None ? wave.read32(op->src[1]) : 0U;
    const uint64_t begin = (buffer_base(s) - kScratchBufferBase + scalar) / Lanes + static_cast<uint64_t>(op->offset);
    std::byte* const at = find_in_scratch<bytes_of(S), Lanes, full>(wave, op, exec, begin, ~0ULL);
    if (!at) return false;
    copy_cells<K, S, Lanes, full>(wave, op, at, exec);
    return true;
  });
}

// -------------------------------------------------------------------------------------------------------------------

template <MemoryKind K, unsigned Lanes> constexpr RowHandlers make_handlers() {
  return {
      {lds<K, Shape::U8, Lanes>, lds<K, Shape::I8, Lanes>, lds<K, Shape::U16, Lanes>, lds<K, Shape::I16, Lanes>, lds<K, Shape::W1, Lanes>,
       lds<K, Shape::W2, Lanes>, nullptr, lds<K, Shape::W4, Lanes>},
      {nullptr, nullptr, nullptr, nullptr, lds2<K, Shape::W1, Lanes>, lds2<K, Shape::W2, Lanes>, nullptr, nullptr},
      {flat<K, Shape::U8, Lanes>, flat<K, Shape::I8, Lanes>, flat<K, Shape::U16, Lanes>, flat<K, Shape::I16, Lanes>,
       flat<K, Shape::W1, Lanes>, flat<K, Shape::W2, Lanes>, nullptr, flat<K, Shape::W4, Lanes>},
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
