// SPDX-License-Identifier: MIT
// From a meaning's signature to a loop over 32 lanes. Included only by the kernel files, which are compiled once per
// host ISA: everything here and every meaning lies in a namespace of that ISA, so that the linker cannot mix them.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "meanings/float_mode.h"
#include "valu.h"

namespace ptxshim::vgpu::meaning { // a macro makes this meaning_V2, meaning_V3, meaning_V4

template <class T> struct Row32; // how a type lies in register rows

template <ValueType Type, class T> struct OneWord {
  static constexpr ValueType kType = Type;
  static T load(const uint32_t* row, uint32_t, unsigned lane) { return std::bit_cast<T>(row[lane]); }
  static uint32_t low(T value) { return std::bit_cast<uint32_t>(value); }
};
template <ValueType Type, class T> struct HalfWord {
  static constexpr ValueType kType = Type;
  static T load(const uint32_t* row, uint32_t, unsigned lane) {
    return std::bit_cast<T>(static_cast<uint16_t>(row[lane]));
  }
  static uint32_t low(T value) { return std::bit_cast<uint16_t>(value); }
};
template <ValueType Type, class T> struct TwoWords {
  static constexpr ValueType kType = Type;
  static T load(const uint32_t* row, uint32_t stride, unsigned lane) {
    return std::bit_cast<T>(static_cast<uint64_t>(row[lane + stride]) << 32 | row[lane]);
  }
  static uint32_t low(T value) { return static_cast<uint32_t>(std::bit_cast<uint64_t>(value)); }
  static uint32_t high(T value) { return static_cast<uint32_t>(std::bit_cast<uint64_t>(value) >> 32); }
};
template <> struct Row32<uint32_t> : OneWord<ValueType::B32, uint32_t> {};
template <> struct Row32<int32_t> : OneWord<ValueType::B32, int32_t> {};
template <> struct Row32<float> : OneWord<ValueType::F32, float> {};
template <> struct Row32<U16x2> : OneWord<ValueType::B16x2, U16x2> {};
template <> struct Row32<I16x2> : OneWord<ValueType::B16x2, I16x2> {};
template <> struct Row32<F16x2> : OneWord<ValueType::F16x2, F16x2> {};
template <> struct Row32<uint16_t> : HalfWord<ValueType::B16, uint16_t> {};
template <> struct Row32<int16_t> : HalfWord<ValueType::B16, int16_t> {};
template <> struct Row32<F16> : HalfWord<ValueType::F16, F16> {};
template <> struct Row32<BF16> : HalfWord<ValueType::BF16, BF16> {};
template <> struct Row32<uint64_t> : TwoWords<ValueType::B64, uint64_t> {};
template <> struct Row32<int64_t> : TwoWords<ValueType::B64, int64_t> {};
template <> struct Row32<double> : TwoWords<ValueType::F64, double> {};
template <> struct Row32<U32x2> : TwoWords<ValueType::B32x2, U32x2> {};
template <> struct Row32<F32x2> : TwoWords<ValueType::F32x2, F32x2> {};
template <> struct Row32<bool> {
  static constexpr ValueType kType = ValueType::Mask;
};

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

template <class T> struct Argument {
  static T get(const LaneArgs& a, unsigned source, unsigned lane, const FloatMode&) {
    return Row32<T>::load(a.src[source], a.stride, lane);
  }
};
template <> struct Argument<bool> {
  static bool get(const LaneArgs& a, unsigned, unsigned lane, const FloatMode&) { return (a.carry_in >> lane & 1U) != 0; }
};
template <> struct Argument<const FloatMode&> {
  static const FloatMode& get(const LaneArgs&, unsigned, unsigned, const FloatMode& mode) { return mode; }
};

template <auto F, class S> struct Caller;
template <auto F, class R, class... A> struct Caller<F, R (*)(A...)> {
  template <size_t... I>
  static R call(const LaneArgs& a, unsigned lane, const FloatMode& mode, std::index_sequence<I...>) {
    return F(Argument<A>::get(a, static_cast<unsigned>(I), lane, mode)...);
  }
  static R call(const LaneArgs& a, unsigned lane, const FloatMode& mode) {
    return call(a, lane, mode, std::index_sequence_for<A...>{});
  }
};

template <auto F, bool Full> inline void lane_loop(LaneArgs& args, const FloatMode& mode) {
  using S = Signature<decltype(F)>;
  using R = ResultOf<typename S::Result>;
  using V = typename R::Value;
  const LaneArgs a = args;
  uint32_t* const dst = a.dst;
  [[maybe_unused]] uint32_t carry[32];
#pragma GCC ivdep
  for (unsigned lane = 0; lane < 32; ++lane) {
    const typename S::Result result = Caller<F, decltype(F)>::call(a, lane, mode);
    const bool on = Full || (a.exec >> lane & 1U) != 0;
    if constexpr (!R::kValue) {
      carry[lane] = result ? 1U : 0U;
    } else {
      V value;
      if constexpr (R::kCarry) {
        value = result.value;
        carry[lane] = result.carry ? 1U : 0U;
      } else {
        value = result;
      }
      uint32_t low = Row32<V>::low(value);
      if constexpr (std::is_base_of_v<HalfWord<Row32<V>::kType, V>, Row32<V>>) low |= dst[lane] & a.keep;
      if constexpr (words_of(Row32<V>::kType) == 2) {
        const uint32_t high = Row32<V>::high(value);
        const uint32_t old_low = dst[lane], old_high = dst[lane + a.stride];
        dst[lane] = on ? low : old_low;
        dst[lane + a.stride] = on ? high : old_high;
      } else {
        dst[lane] = on ? low : dst[lane];
      }
    }
  }
  if constexpr (R::kCarry) {
    uint32_t bits = 0;
    for (unsigned lane = 0; lane < 32; ++lane) bits |= carry[lane] << lane;
    args.carry_out = bits & a.exec;
  }
}

template <auto F, unsigned Kind> void lane_kernel(LaneArgs& args) {
  using S = Signature<decltype(F)>;
  constexpr bool kMaskOnly = !ResultOf<typename S::Result>::kValue;
  if constexpr (Kind == 0) {
    if (kMaskOnly || args.exec == 0xffffffffU)
      lane_loop<F, true>(args, kKeepDenormals);
    else
      lane_loop<F, false>(args, kKeepDenormals);
  } else if constexpr (Kind == 1) {
    if (kMaskOnly || args.exec == 0xffffffffU)
      lane_loop<F, true>(args, kFlushDenormals32);
    else
      lane_loop<F, false>(args, kFlushDenormals32);
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
    } else {
      info.kernel[1] = info.kernel[2] = info.kernel[0];
    }
    return info;
  }
};
template <auto F> constexpr ValuInfo info_of(const char* name) { return InfoOf<F, decltype(F)>::make(name); }

} // namespace ptxshim::vgpu::meaning
