// SPDX-License-Identifier: MIT
// What the memory atomics compute, for LDS and global memory alike: new value from old value and operands.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace ptxshim::vgpu {

enum class AtomicOp : uint8_t {
  Add, Sub, ReverseSub, SMin, UMin, SMax, UMax, And, Or, Xor, Inc, Dec, Swap, CompareSwap, MaskOr, Wrap, CondSub, SubClamp,
  FAdd, FMin, FMax, FCompareSwap, PkAddF16, PkAddBf16,
};
inline constexpr size_t kAtomicOps = static_cast<size_t>(AtomicOp::PkAddBf16) + 1;

uint32_t atomic_pk_add_f16(uint32_t a, uint32_t b);
uint32_t atomic_pk_add_bf16(uint32_t a, uint32_t b);

// (Always inlined: these are compiled for several host ISAs, and one copy for all could be that of a newer one.)

// IEEE minNum and maxNum on bits; -0 is less than +0.
template <class F, class U> [[gnu::always_inline]] inline U atomic_float_extreme(U old, U operand, bool maximum) {
  const F a = std::bit_cast<F>(old), b = std::bit_cast<F>(operand);
  if (a != a && b != b) return operand | U(1) << (std::numeric_limits<F>::digits - 2); // quiet
  if (a != a) return operand;
  if (b != b) return old;
  constexpr U kSignBit = U(1) << (sizeof(U) * 8 - 1);
  if (a == b) return ((old & kSignBit) != 0) == maximum ? operand : old;
  return (a < b) == maximum ? operand : old;
}

// T is uint32_t or uint64_t. `operand` is the data; `second` the comparand of CompareSwap, the value to OR of MaskOr,
// the limit of Wrap.
template <class T, class F, class S> [[gnu::always_inline]] inline T atomic_result_of(AtomicOp op, T old, T operand, T second) {
  switch (op) {
  case AtomicOp::Add: return old + operand;
  case AtomicOp::Sub: return old - operand;
  case AtomicOp::ReverseSub: return operand - old;
  case AtomicOp::SMin: return static_cast<S>(operand) < static_cast<S>(old) ? operand : old;
  case AtomicOp::UMin: return operand < old ? operand : old;
  case AtomicOp::SMax: return static_cast<S>(operand) > static_cast<S>(old) ? operand : old;
  case AtomicOp::UMax: return operand > old ? operand : old;
  case AtomicOp::And: return old & operand;
  case AtomicOp::Or: return old | operand;
  case AtomicOp::Xor: return old ^ operand;
  case AtomicOp::Inc: return old >= operand ? T(0) : old + 1;
  case AtomicOp::Dec: return old == 0 || old > operand ? operand : old - 1;
  case AtomicOp::Swap: return operand;
  case AtomicOp::CompareSwap: return old == second ? operand : old;
  case AtomicOp::MaskOr: return (old & ~operand) | second;
  case AtomicOp::Wrap: return old >= operand ? old - operand : old + second;
  case AtomicOp::CondSub: return old >= operand ? old - operand : old;
  case AtomicOp::SubClamp: return old >= operand ? old - operand : T(0);
  case AtomicOp::FAdd: return std::bit_cast<T>(std::bit_cast<F>(old) + std::bit_cast<F>(operand));
  case AtomicOp::FMin: return atomic_float_extreme<F>(old, operand, false);
  case AtomicOp::FMax: return atomic_float_extreme<F>(old, operand, true);
  case AtomicOp::FCompareSwap: return std::bit_cast<F>(old) == std::bit_cast<F>(second) ? operand : old;
  case AtomicOp::PkAddF16: return atomic_pk_add_f16(static_cast<uint32_t>(old), static_cast<uint32_t>(operand));
  case AtomicOp::PkAddBf16: return atomic_pk_add_bf16(static_cast<uint32_t>(old), static_cast<uint32_t>(operand));
  }
  return old;
}
[[gnu::always_inline]] inline uint32_t atomic_result(AtomicOp op, uint32_t old, uint32_t operand, uint32_t second) {
  return atomic_result_of<uint32_t, float, int32_t>(op, old, operand, second);
}
[[gnu::always_inline]] inline uint64_t atomic_result(AtomicOp op, uint64_t old, uint64_t operand, uint64_t second) {
  return atomic_result_of<uint64_t, double, int64_t>(op, old, operand, second);
}

// On memory that other threads may look at. Returns the old value.
template <class T> [[gnu::always_inline]] inline T host_atomic(T* cell, AtomicOp op, T operand, T second) {
  if (op == AtomicOp::Add) return __atomic_fetch_add(cell, operand, __ATOMIC_SEQ_CST);
  if (op == AtomicOp::Swap) return __atomic_exchange_n(cell, operand, __ATOMIC_SEQ_CST);
  if (op == AtomicOp::Or) return __atomic_fetch_or(cell, operand, __ATOMIC_SEQ_CST);
  if (op == AtomicOp::And) return __atomic_fetch_and(cell, operand, __ATOMIC_SEQ_CST);
  if (op == AtomicOp::CompareSwap) {
    T expected = second;
    __atomic_compare_exchange_n(cell, &expected, operand, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return expected;
  }
  T old = __atomic_load_n(cell, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(cell, &old, atomic_result(op, old, operand, second), true, __ATOMIC_SEQ_CST,
                                      __ATOMIC_RELAXED)) {
  }
  return old;
}

// The lanes of one instruction, each at base + offset[lane]. Rows of 64-bit values: low words, then high words.
struct AtomicLanes {
  std::byte* base;
  const int32_t* offset;
  unsigned lanes;
  uint64_t exec;
  const uint32_t* operand;
  const uint32_t* second; // read only where the operation has one
  uint32_t* old;          // null: not wanted
};
// Lane after lane. is_private: no other thread can look at the memory. one_address: all lanes have the same.
void run_atomics(AtomicOp op, unsigned bytes, bool is_private, bool one_address, const AtomicLanes& lanes);

constexpr bool has_second(AtomicOp op) {
  return op == AtomicOp::CompareSwap || op == AtomicOp::FCompareSwap || op == AtomicOp::MaskOr || op == AtomicOp::Wrap;
}

// In what the atomics on floats may differ from hardware; null: nothing. Only gfx12's minNum and maxNum (..._num_...) say
// what they make of NaNs and of the two zeros.
constexpr const char* atomic_error(AtomicOp op, std::string_view name) {
  switch (op) {
  case AtomicOp::FMin:
  case AtomicOp::FMax:
    if (name.find("_num_") == std::string_view::npos) return "as minNum and maxNum, denormals kept in every mode";
    [[fallthrough]];
  case AtomicOp::FAdd:
  case AtomicOp::FCompareSwap:
  case AtomicOp::PkAddF16:
  case AtomicOp::PkAddBf16: return "denormals kept in every mode";
  case AtomicOp::Add:
  case AtomicOp::Sub:
  case AtomicOp::ReverseSub:
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
  case AtomicOp::MaskOr:
  case AtomicOp::Wrap:
  case AtomicOp::CondSub:
  case AtomicOp::SubClamp: break;
  }
  return nullptr;
}

} // namespace ptxshim::vgpu
