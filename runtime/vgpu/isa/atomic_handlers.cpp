// SPDX-License-Identifier: MIT
// Atomics of all lanes of EXEC, in LDS or in a piece of global memory that was seen lately; whatever else there is, and whatever
// fails, goes on in the general handlers (lds.cpp, vector_memory.cpp), which begin anew. Compiled once per host ISA; the build
// defines PTXSHIM_ISA.
//
// LDS is one host thread's, so plain code does there: a vector at a time where lanes lie one after the other. In global memory a
// locked instruction of the host is what costs, so one serves two lanes where these are neighbours in an aligned 64-bit word,
// and all lanes where these have one address: as good an order as any, and others see either none of it or all.

#include "atomics.h"
#include "lds.h"
#include "memory_kernels.h"
#include "memory_lanes.h"
#include "memory_ops.h"

#define PTXSHIM_LANES _Pragma("GCC ivdep") _Pragma("GCC unroll 1")
#define PTXSHIM_LANES_SOME _Pragma("GCC unroll 8")

namespace ptxshim::vgpu {
namespace {

using namespace meaning;

enum class Place : uint8_t { Lds, Global };
template <Place P> constexpr Handler kGeneral = P == Place::Lds ? run_lds_atomic : run_flat_atomic;

// Rows of an operation. 64-bit values: low words, then high words.
struct Data {
  const uint32_t* operand;
  const uint32_t* second; // null: the operation has none
  uint32_t* old;          // null: not wanted
};
template <Place P, AtomicOp Op_, class T, unsigned Lanes> PTXSHIM_INLINE Data data_of(Wave& wave, const Op* op) {
  constexpr unsigned kWordsOf = sizeof(T) / 4;
  uint32_t* const old = op->returns ? row_of<Lanes>(wave, op->dst) : nullptr;
  if constexpr (P == Place::Global) {
    const uint32_t* const operand = row_of<Lanes>(wave, op->src[2].index);
    return {operand, has_second(Op_) ? operand + kWordsOf * Lanes : nullptr, old};
  }
  const bool second_first = (op->immediate & 1U) != 0; // ds_cmpst; ds_cmpstore (gfx11) has the comparand second
  const unsigned operand = op->src[second_first ? 2 : 1].index, second = op->src[second_first ? 1 : 2].index;
  return {row_of<Lanes>(wave, operand), has_second(Op_) ? row_of<Lanes>(wave, second) : nullptr, old};
}

template <class T> PTXSHIM_INLINE T value_of(const uint32_t* row, unsigned lane, unsigned lanes) {
  if constexpr (sizeof(T) == 8) return row[lane] | uint64_t{row[lane + lanes]} << 32;
  return row[lane];
}
template <class T> PTXSHIM_INLINE void put_value(uint32_t* row, unsigned lane, unsigned lanes, T value) {
  row[lane] = static_cast<uint32_t>(value);
  if constexpr (sizeof(T) == 8) row[lane + lanes] = static_cast<uint32_t>(value >> 32);
}
template <class T> PTXSHIM_INLINE bool is_aligned(const std::byte* p) { return reinterpret_cast<uintptr_t>(p) % sizeof(T) == 0; }

// Lanes one after the other ------------------------------------------------------------------------------------------

template <AtomicOp Op_, unsigned Lanes, bool Full> PTXSHIM_INLINE void run_row_in_lds(std::byte* at, uint64_t exec, const Data& data) {
  for (unsigned lane = 0; lane < Lanes; lane += kWords) {
    const uint32_t unit = unit_of<Full>(exec, lane);
    if (!kQuickMasks && unit == 0) continue;
    std::byte* const place = at + 4 * lane;
    const Words old = Full || (!kQuickMasks && unit == kAllLanes) ? load_words(place) : load_some(place, mask_of<1, 0>(unit));
    uint32_t before[kWords], operand[kWords], second[kWords] = {}, now[kWords];
    store_words(before, old);
    store_words(operand, load_words(data.operand + lane));
    if (has_second(Op_)) store_words(second, load_words(data.second + lane));
    PTXSHIM_LANES for (unsigned i = 0; i < kWords; ++i) now[i] = atomic_result(Op_, before[i], operand[i], second[i]);
#if defined(__AVX512F__)
    Full ? store_words(place, load_words(now)) : store_some(place, mask_of<1, 0>(unit), load_words(now));
#else
    if (Full || unit == kAllLanes)
      store_words(place, load_words(now));
    else
      each_on(unit, [&](unsigned i) __attribute__((always_inline)) { write(place + 4 * i, now[i]); });
#endif
    if (data.old) put_words<Full>(data.old + lane, unit, old);
  }
}

// The pair of lanes from `lane` on, in an aligned 64-bit word.
template <AtomicOp Op_> PTXSHIM_INLINE void run_pair(std::byte* at, unsigned lane, const Data& data) {
  uint64_t* const cell = reinterpret_cast<uint64_t*>(at);
  uint64_t before = __atomic_load_n(cell, __ATOMIC_RELAXED), now;
  const uint32_t second[2] = {has_second(Op_) ? data.second[lane] : 0, has_second(Op_) ? data.second[lane + 1] : 0};
  do {
    const uint32_t low = atomic_result(Op_, static_cast<uint32_t>(before), data.operand[lane], second[0]);
    now = low | uint64_t{atomic_result(Op_, static_cast<uint32_t>(before >> 32), data.operand[lane + 1], second[1])} << 32;
  } while (!__atomic_compare_exchange_n(cell, &before, now, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
  if (!data.old) return;
  data.old[lane] = static_cast<uint32_t>(before);
  data.old[lane + 1] = static_cast<uint32_t>(before >> 32);
}
template <AtomicOp Op_, unsigned Lanes, bool Full> PTXSHIM_INLINE void run_row_in_global(std::byte* at, uint64_t exec, const Data& data) {
  unsigned lane = Full ? 0 : first_lane(exec);
  const unsigned end = Full ? Lanes : last_lane(exec) + 1;
  while (lane < end) {
    std::byte* const place = at + 4 * lane;
    const uint64_t on = Full ? ~uint64_t{0} : exec >> lane;
    if (is_aligned<uint64_t>(place) && lane + 1 < end && (on & 3U) == 3) {
      run_pair<Op_>(place, lane, data);
      lane += 2;
      continue;
    }
    if (on & 1U) {
      const uint32_t old =
          host_atomic(reinterpret_cast<uint32_t*>(place), Op_, data.operand[lane], has_second(Op_) ? data.second[lane] : 0U);
      if (data.old) data.old[lane] = old;
    }
    ++lane;
  }
}

// Lanes anywhere ----------------------------------------------------------------------------------------------------

template <unsigned Lanes, bool Full, class Body> PTXSHIM_INLINE void each_lane(uint64_t exec, Body body) {
  if constexpr (Full) {
    PTXSHIM_LANES_SOME for (unsigned lane = 0; lane < Lanes; ++lane) body(lane);
  } else {
    each_on(exec, body);
  }
}

// All lanes at one address: they work on a copy, lane after lane. (Registers are written last: another thread may come between.)
template <Place P, AtomicOp Op_, class T, unsigned Lanes, bool Full> PTXSHIM_INLINE void run_one(T* cell, uint64_t exec, const Data& data) {
  T old[Lanes];
  const auto apply_all = [&](T value) __attribute__((always_inline)) {
    each_lane<Lanes, Full>(
        exec, [&](unsigned lane) __attribute__((always_inline)) {
          old[lane] = value;
          const T second = has_second(Op_) ? value_of<T>(data.second, lane, Lanes) : T(0);
          value = atomic_result(Op_, value, value_of<T>(data.operand, lane, Lanes), second);
        });
    return value;
  };
  if constexpr (P == Place::Lds) {
    *cell = apply_all(*cell);
  } else {
    T before = __atomic_load_n(cell, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(cell, &before, apply_all(before), true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
    }
  }
  if (data.old)
    each_lane<Lanes, Full>(
        exec, [&](unsigned lane) __attribute__((always_inline)) { put_value(data.old, lane, Lanes, old[lane]); });
}
template <Place P, AtomicOp Op_, class T, unsigned Lanes, bool Full, class Offset>
PTXSHIM_INLINE void run_apart(std::byte* base, const Offset* where, uint64_t exec, const Data& data) {
  const auto run = [&](Offset offset, T operand, T second) __attribute__((always_inline)) {
    T* const cell = reinterpret_cast<T*>(base + offset);
    if constexpr (P == Place::Global) return host_atomic(cell, Op_, operand, second);
    const T old = *cell;
    *cell = atomic_result(Op_, old, operand, second);
    return old;
  };
  if constexpr (Full && sizeof(T) == 4) { // two lanes at a time: the host has few accesses to memory per cycle
    PTXSHIM_LANES_SOME for (unsigned lane = 0; lane < Lanes; lane += 2) {
      const uint64_t offset = read<uint64_t>(where + lane), operand = read<uint64_t>(data.operand + lane);
      const uint64_t second = has_second(Op_) ? read<uint64_t>(data.second + lane) : 0;
      const T low = run(static_cast<Offset>(offset), static_cast<T>(operand), static_cast<T>(second));
      const T high = run(static_cast<Offset>(offset >> 32), static_cast<T>(operand >> 32), static_cast<T>(second >> 32));
      if (data.old) write(data.old + lane, low | uint64_t{high} << 32);
    }
  } else {
    each_lane<Lanes, Full>(
        exec, [&](unsigned lane) __attribute__((always_inline)) {
          const T second = has_second(Op_) ? value_of<T>(data.second, lane, Lanes) : T(0);
          const T old = run(where[lane], value_of<T>(data.operand, lane, Lanes), second);
          if (data.old) put_value(data.old, lane, Lanes, old);
        });
  }
}

// Whether all lanes' places are multiples of the bytes.
template <class T, unsigned Lanes> PTXSHIM_INLINE bool are_aligned(const std::byte* base, const uint32_t* where, uint64_t exec) {
  const uint32_t low = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(base)), bits = static_cast<uint32_t>(sizeof(T) - 1);
  return are_all<Lanes>(exec, [&](unsigned lane) __attribute__((always_inline)) {
    return are_equal((load_words(where + lane) + low) & bits, Words{});
  });
}

template <Place P, AtomicOp Op_, class T, unsigned Lanes> [[gnu::noinline]] bool access_apart(Wave& wave, const Op* op) {
  PTXSHIM_BODY {
    const uint32_t* const where = row_of<Lanes>(wave, op->src[0].index);
    std::byte* base = nullptr;
    if constexpr (P == Place::Lds) {
      base = find_apart_in_lds<sizeof(T), Lanes>(wave, where, exec, static_cast<uint32_t>(op->offset));
    } else {
      Common common;
      if (!find_in_global<Lanes, full>(wave, op, exec, true, common)) return false;
      base = find_apart<sizeof(T), Lanes>(common, exec);
    }
    if (!base || !are_aligned<T, Lanes>(base, where, exec)) return false;
    const Data data = data_of<P, Op_, T, Lanes>(wave, op);
    using Offset = std::conditional_t<P == Place::Lds, int32_t, uint32_t>;
    const Offset* const offset = reinterpret_cast<const Offset*>(where);
    if (is_row<0, Lanes, full>(where, exec))
      run_one<P, Op_, T, Lanes, full>(reinterpret_cast<T*>(base + offset[full ? 0 : first_lane(exec)]), exec, data);
    else
      run_apart<P, Op_, T, Lanes, full>(base, offset, exec, data);
    return true;
  };
  return done<Lanes>(wave, body);
}

template <Place P, AtomicOp Op_, class T, unsigned Lanes> constexpr Handler kApart =
    meaning::run_apart<access_apart<P, Op_, T, Lanes>, kGeneral<P>>;

template <AtomicOp Op_, unsigned Lanes> const Op* row_in_lds(Wave& wave, const Op* op) {
  PTXSHIM_BODY {
    const uint32_t* const row = row_of<Lanes>(wave, op->src[0].index);
    if (!is_row<4, Lanes, full>(row, exec)) return false;
    std::byte* const at = find_in_lds<4, Lanes, full>(wave, row, exec, static_cast<uint32_t>(op->offset));
    if (!at || !is_aligned<uint32_t>(at)) return false;
    run_row_in_lds<Op_, Lanes, full>(at, exec, data_of<Place::Lds, Op_, uint32_t, Lanes>(wave, op));
    return true;
  };
  return run_or<Lanes>(kApart<Place::Lds, Op_, uint32_t, Lanes>, wave, op, body);
}
template <AtomicOp Op_, unsigned Lanes> const Op* row_in_global(Wave& wave, const Op* op) {
  PTXSHIM_BODY {
    Common common;
    if (!is_row<4, Lanes, full>(row_of<Lanes>(wave, op->src[0].index), exec)) return false;
    if (!find_in_global<Lanes, full>(wave, op, exec, true, common)) return false;
    std::byte* const at = find_row<4, Lanes, full>(common, exec);
    if (!at || !is_aligned<uint32_t>(at)) return false;
    run_row_in_global<Op_, Lanes, full>(at, exec, data_of<Place::Global, Op_, uint32_t, Lanes>(wave, op));
    return true;
  };
  return run_or<Lanes>(kApart<Place::Global, Op_, uint32_t, Lanes>, wave, op, body);
}

// -------------------------------------------------------------------------------------------------------------------

// Those that programs use much; of the others the general handlers are enough.
constexpr bool is_here(AtomicOp op) {
  switch (op) {
  case AtomicOp::Add:
  case AtomicOp::Sub:
  case AtomicOp::SMin:
  case AtomicOp::UMin:
  case AtomicOp::SMax:
  case AtomicOp::UMax:
  case AtomicOp::And:
  case AtomicOp::Or:
  case AtomicOp::Xor:
  case AtomicOp::Inc:
  case AtomicOp::Dec:
  case AtomicOp::Swap:
  case AtomicOp::CompareSwap:
  case AtomicOp::FAdd: return true;
  case AtomicOp::ReverseSub:
  case AtomicOp::MaskOr:
  case AtomicOp::Wrap:
  case AtomicOp::CondSub:
  case AtomicOp::SubClamp:
  case AtomicOp::FMin:
  case AtomicOp::FMax:
  case AtomicOp::FCompareSwap:
  case AtomicOp::PkAddF16:
  case AtomicOp::PkAddBf16: break;
  }
  return false;
}
template <AtomicOp Op_, unsigned Lanes> constexpr AtomicHandlers handlers_of() {
  if constexpr (!is_here(Op_))
    return {};
  else
    return {{row_in_lds<Op_, Lanes>, kApart<Place::Lds, Op_, uint64_t, Lanes>},
            {row_in_global<Op_, Lanes>, kApart<Place::Global, Op_, uint64_t, Lanes>}};
}
template <unsigned Lanes, size_t... I> constexpr std::array<AtomicHandlers, kAtomicOps> make_handlers(std::index_sequence<I...>) {
  return {handlers_of<static_cast<AtomicOp>(I), Lanes>()...};
}

} // namespace

#define PTXSHIM_JOIN2(a, b) a##b
#define PTXSHIM_JOIN(a, b) PTXSHIM_JOIN2(a, b)
const std::array<AtomicHandlers, kAtomicOps> PTXSHIM_JOIN(kAtomicHandlers_, PTXSHIM_ISA)[2] = {
    make_handlers<32>(std::make_index_sequence<kAtomicOps>{}), make_handlers<64>(std::make_index_sequence<kAtomicOps>{})};

} // namespace ptxshim::vgpu
