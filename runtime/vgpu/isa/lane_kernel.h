// SPDX-License-Identifier: MIT
// From a meaning's signature to a loop over 32 lanes. Included only by the kernel files, which are compiled once per
// host ISA: everything here and every meaning lies in a namespace of that ISA, so that the linker cannot mix them.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "meanings/float_mode.h"
#include "valu.h"

// Lanes do not depend on each other; unrolled whole they would not become vectors.
#if defined(__clang__)
#define PTXSHIM_LANE_LOOP // (its pragma makes a warning of every loop that stays scalar)
#else
#define PTXSHIM_LANE_LOOP _Pragma("GCC ivdep") _Pragma("GCC unroll 1")
#endif

namespace ptxshim::vgpu::meaning { // a macro makes this meaning_V2, meaning_V3, meaning_V4

template <class T> struct Row32; // how a type lies in register rows

// A 32-bit word.
template <ValueType Type, class T> struct OneWord {
  static constexpr ValueType kType = Type;
  using InRow [[gnu::may_alias]] = T;
  static T load(const uint32_t* row, uint32_t, unsigned lane) { return reinterpret_cast<const InRow*>(row)[lane]; }
  static uint32_t low(T value) { return __builtin_bit_cast(uint32_t, value); }
};
// The low half of a word.
template <ValueType Type, class T> struct HalfWord {
  static constexpr ValueType kType = Type;
  static T load(const uint32_t* row, uint32_t, unsigned lane) {
    return __builtin_bit_cast(T, static_cast<uint16_t>(row[lane]));
  }
  static uint32_t low(T value) { return __builtin_bit_cast(uint16_t, value); }
};
// Both halves of a word. Shifts, since a structure that goes through memory stops the vectoriser.
template <ValueType Type, class T> struct TwoHalves {
  static constexpr ValueType kType = Type;
  using Half = decltype(T{}.lo);
  static T load(const uint32_t* row, uint32_t, unsigned lane) {
    return {__builtin_bit_cast(Half, static_cast<uint16_t>(row[lane])),
            __builtin_bit_cast(Half, static_cast<uint16_t>(row[lane] >> 16))};
  }
  static uint32_t low(T value) {
    return __builtin_bit_cast(uint16_t, value.lo) |
           static_cast<uint32_t>(__builtin_bit_cast(uint16_t, value.hi)) << 16;
  }
};
// A number of 64 bits over two rows.
template <ValueType Type, class T> struct WideWord {
  static constexpr ValueType kType = Type;
};
// Two numbers, each in its row.
template <ValueType Type, class T> struct TwoWords {
  static constexpr ValueType kType = Type;
  using InRow [[gnu::may_alias]] = decltype(T{}.lo);
  static T load(const uint32_t* row, uint32_t stride, unsigned lane) {
    const InRow* const in = reinterpret_cast<const InRow*>(row);
    return {in[lane], in[lane + stride]};
  }
  static uint32_t low(T value) { return __builtin_bit_cast(uint32_t, value.lo); }
  static uint32_t high(T value) { return __builtin_bit_cast(uint32_t, value.hi); }
};
template <> struct Row32<uint32_t> : OneWord<ValueType::B32, uint32_t> {};
template <> struct Row32<int32_t> : OneWord<ValueType::B32, int32_t> {};
template <> struct Row32<float> : OneWord<ValueType::F32, float> {};
template <> struct Row32<U16x2> : TwoHalves<ValueType::B16x2, U16x2> {};
template <> struct Row32<I16x2> : TwoHalves<ValueType::B16x2, I16x2> {};
template <> struct Row32<F16x2> : TwoHalves<ValueType::F16x2, F16x2> {};
template <> struct Row32<uint16_t> : HalfWord<ValueType::B16, uint16_t> {};
template <> struct Row32<int16_t> : HalfWord<ValueType::B16, int16_t> {};
template <> struct Row32<F16> : HalfWord<ValueType::F16, F16> {};
template <> struct Row32<BF16> : HalfWord<ValueType::BF16, BF16> {};
template <> struct Row32<uint64_t> : WideWord<ValueType::B64, uint64_t> {};
template <> struct Row32<int64_t> : WideWord<ValueType::B64, int64_t> {};
template <> struct Row32<double> : WideWord<ValueType::F64, double> {};
template <> struct Row32<U32x2> : TwoWords<ValueType::B32x2, U32x2> {};
template <> struct Row32<F32x2> : TwoWords<ValueType::F32x2, F32x2> {};
template <> struct Row32<bool> {
  static constexpr ValueType kType = ValueType::Mask;
};
template <class T> inline constexpr bool kWide = sizeof(T) == 8 && !std::is_class_v<T>;

template <class T> struct ResultOf {
  using Value = T;
  static constexpr bool kValue = true, kCarry = false;
};
template <> struct ResultOf<bool> {
  using Value = uint32_t;
  static constexpr bool kValue = false, kCarry = true;
};
template <class T> struct ResultOf<WithCarry<T>> {
  using Value = T;
  static constexpr bool kValue = true, kCarry = true;
};

template <class F> struct Signature;
template <class R, class... A> struct Signature<R (*)(A...)> {
  using Result = R;
  static constexpr bool kMode = (std::is_same_v<A, const FloatMode&> || ...);
  static constexpr bool kCarryIn = (std::is_same_v<A, bool> || ...);
  static constexpr unsigned kSources =
      static_cast<unsigned>(sizeof...(A)) - (kMode ? 1U : 0U) - (kCarryIn ? 1U : 0U);
};

// The lanes of one operand. Most are read where they lie; 64-bit numbers are put together first, eight at a time,
// because the compiler's vectoriser does not interleave two rows.
template <class T> struct Input {
  const uint32_t* row;
  uint32_t stride;
  void prepare(const LaneArgs& a, unsigned source, const FloatMode&) { row = a.src[source], stride = a.stride; }
  T get(unsigned lane) const { return Row32<T>::load(row, stride, lane); }
};
// As many words as a vector register of the host has (AVX-512's shuffles of two registers are no faster).
#if defined(__AVX2__)
typedef uint32_t Words __attribute__((vector_size(32)));
inline Words first_pairs(Words low, Words high) {
  return __builtin_shufflevector(low, high, 0, 8, 1, 9, 2, 10, 3, 11);
}
inline Words last_pairs(Words low, Words high) {
  return __builtin_shufflevector(low, high, 4, 12, 5, 13, 6, 14, 7, 15);
}
inline Words even_words(Words a, Words b) { return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14); }
inline Words odd_words(Words a, Words b) { return __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15); }
inline Words first_lanes() { return Words{0, 1, 2, 3, 4, 5, 6, 7}; }
#else
typedef uint32_t Words __attribute__((vector_size(16)));
inline Words first_pairs(Words low, Words high) { return __builtin_shufflevector(low, high, 0, 4, 1, 5); }
inline Words last_pairs(Words low, Words high) { return __builtin_shufflevector(low, high, 2, 6, 3, 7); }
inline Words even_words(Words a, Words b) { return __builtin_shufflevector(a, b, 0, 2, 4, 6); }
inline Words odd_words(Words a, Words b) { return __builtin_shufflevector(a, b, 1, 3, 5, 7); }
inline Words first_lanes() { return Words{0, 1, 2, 3}; }
#endif
inline constexpr unsigned kWords = sizeof(Words) / sizeof(uint32_t);
inline Words load_words(const void* p) {
  Words w;
  __builtin_memcpy(&w, p, sizeof w);
  return w;
}
inline void store_words(void* p, Words w) { __builtin_memcpy(p, &w, sizeof w); }

template <class T> requires kWide<T> struct Input<T> {
  alignas(64) T lanes[32];
  void prepare(const LaneArgs& a, unsigned source, const FloatMode&) {
    for (unsigned i = 0; i < 32; i += kWords) {
      const Words low = load_words(a.src[source] + i), high = load_words(a.src[source] + a.stride + i);
      store_words(lanes + i, first_pairs(low, high));
      store_words(lanes + i + kWords / 2, last_pairs(low, high));
    }
  }
  T get(unsigned lane) const { return lanes[lane]; }
};
template <> struct Input<bool> {
  uint32_t lanes[32];
  void prepare(const LaneArgs& a, unsigned, const FloatMode&) {
    for (unsigned i = 0; i < 32; ++i) lanes[i] = a.carry_in >> i & 1U;
  }
  bool get(unsigned lane) const { return lanes[lane] != 0; }
};
template <> struct Input<const FloatMode&> {
  const FloatMode* mode;
  void prepare(const LaneArgs&, unsigned, const FloatMode& m) { mode = &m; }
  const FloatMode& get(unsigned) const { return *mode; }
};

template <class T> inline void store_wide(const LaneArgs& a, const T* values) {
  for (unsigned i = 0; i < 32; i += kWords) {
    const Words first = load_words(values + i), last = load_words(values + i + kWords / 2);
    const Words exec = first_lanes() * 0 + a.exec;
    const Words on = 0 - (exec >> (first_lanes() + i) & 1U);
    uint32_t* const low = a.dst + i;
    uint32_t* const high = low + a.stride;
    store_words(low, (even_words(first, last) & on) | (load_words(low) & ~on));
    store_words(high, (odd_words(first, last) & on) | (load_words(high) & ~on));
  }
}

template <class T, bool Full> inline void store(const LaneArgs& a, unsigned lane, T value) {
  const bool on = Full || (a.exec >> lane & 1U) != 0;
  uint32_t low = Row32<T>::low(value);
  if constexpr (std::is_base_of_v<HalfWord<Row32<T>::kType, T>, Row32<T>>) low |= a.dst[lane] & a.keep;
  if constexpr (words_of(Row32<T>::kType) == 2) {
    const uint32_t high = Row32<T>::high(value);
    const uint32_t old_high = a.dst[lane + a.stride];
    a.dst[lane + a.stride] = on ? high : old_high;
  }
  const uint32_t old_low = a.dst[lane];
  a.dst[lane] = on ? low : old_low;
}

template <size_t I, class T> struct InputAt : Input<T> {};
template <class Indices, class... A> struct Inputs;
template <size_t... I, class... A> struct Inputs<std::index_sequence<I...>, A...> : InputAt<I, A>... {};

template <auto F, bool Full, class R, class... A, size_t... I>
[[gnu::always_inline]] inline void run_lanes(LaneArgs& args, const FloatMode& mode, R (*)(A...),
                                             std::index_sequence<I...>) {
  using Out = ResultOf<R>;
  using V = typename Out::Value;
  const LaneArgs a = args;
  Inputs<std::index_sequence<I...>, A...> in; // (a tuple would be cleared first)
  (static_cast<InputAt<I, A>&>(in).prepare(a, static_cast<unsigned>(I), mode), ...);
  [[maybe_unused]] alignas(64) V wide[kWide<V> ? 32 : 1];
  [[maybe_unused]] alignas(64) uint32_t carry[32];
  PTXSHIM_LANE_LOOP
  for (unsigned lane = 0; lane < 32; ++lane) {
    const R result = F(static_cast<const InputAt<I, A>&>(in).get(lane)...);
    V value{};
    if constexpr (!Out::kValue) {
      carry[lane] = result ? 1U : 0U;
    } else if constexpr (Out::kCarry) {
      carry[lane] = result.carry ? 1U : 0U;
      value = result.value;
    } else {
      value = result;
    }
    if constexpr (Out::kValue && kWide<V>) wide[lane] = value;
    if constexpr (Out::kValue && !kWide<V>) store<V, Full>(a, lane, value);
  }
  if constexpr (Out::kValue && kWide<V>) store_wide(a, wide);
  if constexpr (Out::kCarry) {
    uint32_t bits = 0;
    for (unsigned lane = 0; lane < 32; ++lane) bits |= carry[lane] << lane;
    args.carry_out = bits & a.exec;
  }
}
template <auto F, bool Full> [[gnu::always_inline]] inline void lane_loop(LaneArgs& args, const FloatMode& mode) {
  [&]<class R, class... A>(R (*f)(A...)) __attribute__((always_inline)) {
    run_lanes<F, Full>(args, mode, f, std::index_sequence_for<A...>{});
  }(F);
}

// The modes that kernels nearly always run in, in the order of ModeKind: constants of their loops.
inline constexpr FloatMode kUsualModes[kModeKinds - 1] = {
    kKeepDenormals,
    kFlushDenormals32,
    {.ieee = false},
    {.f32_denorm_in = false, .f32_denorm_out = false, .ieee = false},
};

template <auto F, unsigned Kind> [[gnu::flatten]] void lane_kernel(LaneArgs& args) {
  using S = Signature<decltype(F)>;
  constexpr bool kMaskOnly = !ResultOf<typename S::Result>::kValue;
  if constexpr (Kind < kModeKinds - 1) {
    static constexpr FloatMode kMode = kUsualModes[Kind];
    if (kMaskOnly || args.exec == 0xffffffffU)
      lane_loop<F, true>(args, kMode);
    else
      lane_loop<F, kMaskOnly>(args, kMode);
  } else {
    lane_loop<F, kMaskOnly>(args, *static_cast<const FloatMode*>(args.mode));
  }
}

template <auto F, class S> struct InfoOf;
template <auto F, class R, class... A> struct InfoOf<F, R (*)(A...)> {
  static constexpr ValuInfo make(const char* name) {
    using S = Signature<R (*)(A...)>;
    using Out = ResultOf<R>;
    ValuInfo info{};
    info.name = name;
    info.result = Out::kValue ? Row32<typename Out::Value>::kType : ValueType::None;
    info.sources = static_cast<uint8_t>(S::kSources);
    unsigned at = 0;
    auto add = [&]<class T>(std::type_identity<T>) {
      if constexpr (!std::is_same_v<T, const FloatMode&> && !std::is_same_v<T, bool>)
        info.source[at++] = Row32<T>::kType;
    };
    (add(std::type_identity<A>{}), ...);
    info.takes_carry = S::kCarryIn;
    info.gives_carry = Out::kCarry;
    info.kernel[0] = lane_kernel<F, 0>;
    if constexpr (S::kMode) {
      info.kernel[1] = lane_kernel<F, 1>;
      info.kernel[2] = lane_kernel<F, 2>;
      info.kernel[3] = lane_kernel<F, 3>;
      info.kernel[4] = lane_kernel<F, 4>;
    } else {
      info.kernel[1] = info.kernel[2] = info.kernel[3] = info.kernel[4] = info.kernel[0];
    }
    return info;
  }
};
template <auto F> constexpr ValuInfo info_of(const char* name) { return InfoOf<F, decltype(F)>::make(name); }

} // namespace ptxshim::vgpu::meaning
