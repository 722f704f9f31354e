// SPDX-License-Identifier: MIT
// How the values of a meaning's signature lie in register rows, and the lanes of a chunk (lane_kernel.h) as arrays of them.
#pragma once

#include <cstdint>
#include <type_traits>

#include "lane_vector.h"
#include "meanings/float_mode.h"
#include "valu.h"

namespace ptxshim::vgpu::meaning { // a macro makes this meaning_V2, meaning_V3, meaning_V4

template <class T> struct Row32; // how a type lies in register rows

// A 32-bit word.
template <ValueType Type, class T> struct OneWord {
  static constexpr ValueType kType = Type;
  static T load(const uint32_t* words, unsigned lane) { return __builtin_bit_cast(T, words[lane]); }
  static uint32_t low(T value) { return __builtin_bit_cast(uint32_t, value); }
};
// The low half of a word.
template <ValueType Type, class T> struct HalfWord {
  static constexpr ValueType kType = Type;
  static T load(const uint32_t* words, unsigned lane) { return __builtin_bit_cast(T, static_cast<uint16_t>(words[lane])); }
  static uint32_t low(T value) { return __builtin_bit_cast(uint16_t, value); }
};
// Both halves of a word. Shifts, since a structure that goes through memory stops the vectoriser.
template <ValueType Type, class T> struct TwoHalves {
  static constexpr ValueType kType = Type;
  using Half = decltype(T{}.lo);
  static T load(const uint32_t* words, unsigned lane) {
    return {__builtin_bit_cast(Half, static_cast<uint16_t>(words[lane])),
            __builtin_bit_cast(Half, static_cast<uint16_t>(words[lane] >> 16))};
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
  using Word = decltype(T{}.lo);
  static T load(const uint32_t* low, const uint32_t* high, unsigned lane) {
    return {__builtin_bit_cast(Word, low[lane]), __builtin_bit_cast(Word, high[lane])};
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
template <class T> inline constexpr bool kPair = std::is_same_v<T, U32x2> || std::is_same_v<T, F32x2>;

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

// What the mode of single precision matters for. (Single sums of bfloat16 numbers are f32 operations.)
template <class T> inline constexpr bool kIsSingle =
    std::is_same_v<T, float> || std::is_same_v<T, F32x2> || std::is_same_v<T, BF16> || std::is_same_v<T, WithCarry<float>>;

template <class F> struct Signature;
template <class R, class... A> struct Signature<R (*)(A...)> {
  using Result = R;
  static constexpr bool kMode = (std::is_same_v<A, const FloatMode&> || ...);
  static constexpr bool kCarryIn = (std::is_same_v<A, bool> || ...);
  static constexpr bool kSingle = kIsSingle<R> || (kIsSingle<A> || ...);
  static constexpr unsigned kSources =
      static_cast<unsigned>(sizeof...(A)) - (kMode ? 1U : 0U) - (kCarryIn ? 1U : 0U);
};

// One operand's lanes of a chunk; `word` hands out its words of these lanes.
template <class T> struct Input {
  uint32_t words[kWords];
  template <class Word> void load(Word word) { store_words(words, word(0)); }
  T get(unsigned lane) const { return Row32<T>::load(words, lane); }
};
template <class T> requires kPair<T> struct Input<T> {
  uint32_t low[kWords], high[kWords];
  template <class Word> void load(Word word) {
    store_words(low, word(0));
    store_words(high, word(1));
  }
  T get(unsigned lane) const { return Row32<T>::load(low, high, lane); }
};
// The compiler's vectoriser does not interleave two rows.
template <class T> requires kWide<T> struct Input<T> {
  T lanes[kWords];
  template <class Word> void load(Word word) {
    const Words low = word(0), high = word(1);
    store_words(lanes, low_pairs(low, high));
    store_words(lanes + kWords / 2, high_pairs(low, high));
  }
  T get(unsigned lane) const { return lanes[lane]; }
};
template <> struct Input<bool> {
  uint32_t words[kWords];
  void load(uint64_t bits) { store_words(words, mask_words(static_cast<uint32_t>(bits))); }
  bool get(unsigned lane) const { return words[lane] != 0; }
};
template <> struct Input<const FloatMode&> {};

// The results of a chunk as they lie in register rows.
template <class V> struct ResultRows {
  Words words;
  void store(uint32_t* row, unsigned, [[maybe_unused]] uint32_t keep) const {
    if constexpr (sizeof(V) == 2)
      store_words(row, words | (load_words(row) & keep));
    else
      store_words(row, words);
  }
  void store_some(uint32_t* row, unsigned, [[maybe_unused]] uint32_t keep, SomeLanes lanes) const {
    const Words old = load_words(row);
    store_words(row, choose(lanes, sizeof(V) == 2 ? words | (old & keep) : words, old));
  }
};
template <class V> requires(kPair<V> || kWide<V>) struct ResultRows<V> {
  Words low, high;
  void store(uint32_t* row, unsigned stride, uint32_t) const {
    store_words(row, low);
    store_words(row + stride, high);
  }
  void store_some(uint32_t* row, unsigned stride, uint32_t, SomeLanes lanes) const {
    store_words(row, choose(lanes, low, load_words(row)));
    store_words(row + stride, choose(lanes, high, load_words(row + stride)));
  }
};

// The results of a chunk as they are computed.
template <class V> struct Output {
  uint32_t words[kWords];
  void put(unsigned lane, V value) { words[lane] = Row32<V>::low(value); }
  ResultRows<V> rows() const { return {load_words(words)}; }
};
template <class V> requires kPair<V> struct Output<V> {
  uint32_t low[kWords], high[kWords];
  void put(unsigned lane, V value) { low[lane] = Row32<V>::low(value), high[lane] = Row32<V>::high(value); }
  ResultRows<V> rows() const { return {load_words(low), load_words(high)}; }
};
template <class V> requires kWide<V> struct Output<V> {
  V lanes[kWords];
  void put(unsigned lane, V value) { lanes[lane] = value; }
  ResultRows<V> rows() const {
    const Words first = load_words(lanes), last = load_words(lanes + kWords / 2);
    return {even_words(first, last), odd_words(first, last)};
  }
};

} // namespace ptxshim::vgpu::meaning
