// SPDX-License-Identifier: MIT
// Atomics of all lanes of a wave, one loop for each operation, width and kind of place. Where all lanes have one address
// the lanes work on a copy, one after the other, and one exchange puts the outcome in its place: that is as good an order
// as any, and other threads see either none of it or all.
#include "atomics.h"

#include <array>
#include <utility>

#include "meanings/meanings.h"

namespace ptxshim::vgpu {

uint32_t atomic_pk_add_f16(uint32_t a, uint32_t b) {
  return meaning::pack(meaning::v_pk_add_f16(meaning::unpack_f16(a), meaning::unpack_f16(b), meaning::kKeepDenormals));
}

uint32_t atomic_pk_add_bf16(uint32_t a, uint32_t b) {
  auto half = [](uint32_t x, uint32_t y) {
    const float sum = std::bit_cast<float>(x << 16) + std::bit_cast<float>(y << 16);
    const uint32_t bits = std::bit_cast<uint32_t>(sum);
    if (sum != sum) return (bits >> 16) | 0x40U;
    return (bits + 0x7fffU + (bits >> 16 & 1U)) >> 16; // nearest even
  };
  return half(a & 0xffffU, b & 0xffffU) | half(a >> 16, b >> 16) << 16;
}

namespace {

enum class Place : uint8_t { Private, PrivateOne, Shared, SharedOne };
constexpr size_t kPlaces = 4;

template <class T> T value_of(const uint32_t* row, unsigned lane, unsigned lanes) {
  if constexpr (sizeof(T) == 8) return row[lane] | uint64_t{row[lane + lanes]} << 32;
  return row[lane];
}
template <class T> void put_value(uint32_t* row, unsigned lane, unsigned lanes, T value) {
  row[lane] = static_cast<uint32_t>(value);
  if constexpr (sizeof(T) == 8) row[lane + lanes] = static_cast<uint32_t>(value >> 32);
}

template <class Body> void each_lane(const AtomicLanes& a, Body body) {
  for (uint64_t left = a.exec; left; left &= left - 1) body(static_cast<unsigned>(__builtin_ctzll(left)));
}

// Applies the operations of all lanes to a value; the values that the lanes have met go to old.
template <class T, AtomicOp Op> T apply_all(const AtomicLanes& a, T value, T* old) {
  each_lane(a, [&](unsigned lane) {
    old[lane] = value;
    const T second = has_second(Op) ? value_of<T>(a.second, lane, a.lanes) : T(0);
    value = atomic_result(Op, value, value_of<T>(a.operand, lane, a.lanes), second);
  });
  return value;
}

template <class T, AtomicOp Op, Place P> void run(const AtomicLanes& a) {
  if constexpr (P == Place::PrivateOne || P == Place::SharedOne) {
    T* const cell = reinterpret_cast<T*>(a.base);
    T old[64];
    if constexpr (P == Place::PrivateOne) {
      *cell = apply_all<T, Op>(a, *cell, old);
    } else {
      T before = __atomic_load_n(cell, __ATOMIC_RELAXED);
      while (!__atomic_compare_exchange_n(cell, &before, apply_all<T, Op>(a, before, old), true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
      }
    }
    if (a.old) each_lane(a, [&](unsigned lane) { put_value(a.old, lane, a.lanes, old[lane]); });
  } else {
    each_lane(a, [&](unsigned lane) {
      T* const cell = reinterpret_cast<T*>(a.base + a.offset[lane]);
      const T operand = value_of<T>(a.operand, lane, a.lanes);
      const T second = has_second(Op) ? value_of<T>(a.second, lane, a.lanes) : T(0);
      T old;
      if constexpr (P == Place::Private) {
        old = *cell;
        *cell = atomic_result(Op, old, operand, second);
      } else {
        old = host_atomic(cell, Op, operand, second);
      }
      if (a.old) put_value(a.old, lane, a.lanes, old);
    });
  }
}

using Run = void (*)(const AtomicLanes&);
template <class T, size_t... I> constexpr std::array<Run, sizeof...(I)> all_of(std::index_sequence<I...>) {
  return {run<T, static_cast<AtomicOp>(I / kPlaces), static_cast<Place>(I % kPlaces)>...};
}
constexpr auto kRuns32 = all_of<uint32_t>(std::make_index_sequence<kAtomicOps * kPlaces>{});
constexpr auto kRuns64 = all_of<uint64_t>(std::make_index_sequence<kAtomicOps * kPlaces>{});

} // namespace

void run_atomics(AtomicOp op, unsigned bytes, bool is_private, bool one_address, const AtomicLanes& lanes) {
  const size_t place = (is_private ? 0U : 2U) + (one_address ? 1U : 0U);
  const auto& runs = bytes == 8 ? kRuns64 : kRuns32;
  runs[static_cast<size_t>(op) * kPlaces + place](lanes);
}

} // namespace ptxshim::vgpu
