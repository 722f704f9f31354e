// SPDX-License-Identifier: MIT
// Made from the rows themselves, so that a new row is here without an edit.
#include "lane_meanings.h"

#include <bit>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "lane_variants.h"

namespace ptxshim::vgpu::check {
namespace {

using namespace meaning;

template <class T> constexpr Value kValueOf = Value::None;
template <> constexpr Value kValueOf<uint16_t> = Value::U16;
template <> constexpr Value kValueOf<int16_t> = Value::I16;
template <> constexpr Value kValueOf<F16> = Value::F16;
template <> constexpr Value kValueOf<BF16> = Value::BF16;
template <> constexpr Value kValueOf<uint32_t> = Value::U32;
template <> constexpr Value kValueOf<int32_t> = Value::I32;
template <> constexpr Value kValueOf<float> = Value::F32;
template <> constexpr Value kValueOf<uint64_t> = Value::U64;
template <> constexpr Value kValueOf<int64_t> = Value::I64;
template <> constexpr Value kValueOf<double> = Value::F64;
template <> constexpr Value kValueOf<U16x2> = Value::U16x2;
template <> constexpr Value kValueOf<I16x2> = Value::U16x2;
template <> constexpr Value kValueOf<F16x2> = Value::F16x2;
template <> constexpr Value kValueOf<U32x2> = Value::U32x2;
template <> constexpr Value kValueOf<F32x2> = Value::F32x2;

template <class T> T unpack_bits(uint64_t bits) {
  T value;
  static_assert(sizeof value <= sizeof bits && std::endian::native == std::endian::little);
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
template <class T> uint64_t pack_bits(T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

template <class T> struct Result {
  static constexpr Value kValue = kValueOf<T>;
  static constexpr bool kCarry = false;
  static LaneOutput of(T result) { return {pack_bits(result), false}; }
};
template <> struct Result<bool> {
  static constexpr Value kValue = Value::None;
  static constexpr bool kCarry = true;
  static LaneOutput of(bool result) { return {0, result}; }
};
template <class T> struct Result<WithCarry<T>> {
  static constexpr Value kValue = kValueOf<T>;
  static constexpr bool kCarry = true;
  static LaneOutput of(WithCarry<T> result) { return {pack_bits(result.value), result.carry != 0}; }
};

template <class T> T argument(const LaneInput& in, unsigned& next) { return unpack_bits<T>(in.src[next++]); }
template <> bool argument<bool>(const LaneInput& in, unsigned&) { return in.carry; }
template <> const FloatMode& argument<const FloatMode&>(const LaneInput& in, unsigned&) { return *in.mode; }

template <auto F, class S> struct Caller;
template <auto F, class R, class... A> struct Caller<F, R (*)(A...)> {
  static LaneOutput call(const LaneInput& in) {
    unsigned next = 0;
    // Braces evaluate in order.
    struct Apply {
      R result;
      Apply(A... a) : result(F(a...)) {}
    };
    return Result<R>::of(Apply{argument<A>(in, next)...}.result);
  }
  static LaneMeaning make(const char* name) {
    LaneMeaning m{name, Result<R>::kValue, 0, {}, false, Result<R>::kCarry, call};
    auto add = [&]<class T>(std::type_identity<T>) {
      if constexpr (std::is_same_v<T, bool>)
        m.takes_carry = true;
      else if constexpr (!std::is_same_v<T, const FloatMode&>)
        m.source[m.sources++] = kValueOf<T>;
    };
    (add(std::type_identity<A>{}), ...);
    return m;
  }
};

using Meanings = std::map<std::string, LaneMeaning, std::less<>>;

// clang-format off
#define PTXSHIM_MEANING(name) all.emplace(#name, Caller<&meaning::name, decltype(&meaning::name)>::make(#name));
const Meanings& meanings() {
  static const Meanings kMeanings = [] {
    Meanings all;
#define VALU(name, fidelity, note) PTXSHIM_MEANING(name)
#define SATURATE(name) PTXSHIM_MEANING(name)
#include "vop_float.def"
#define VALU(name, fidelity, note) PTXSHIM_MEANING(name)
#define SATURATE(name) PTXSHIM_MEANING(name)
#include "vop_integer.def"
#define VALU(name, fidelity, note) PTXSHIM_MEANING(name)
#define SATURATE(name) PTXSHIM_MEANING(name)
#include "vop_compare.def"
#define VALU(name, fidelity, note) PTXSHIM_MEANING(name)
#define SATURATE(name) PTXSHIM_MEANING(name)
#define SIGNED_DOT(name) \
  SATURATE(name##_uu) SATURATE(name##_su) SATURATE(name##_us) SATURATE(name##_ss) \
  SATURATE(name##_uu_sat) SATURATE(name##_su_sat) SATURATE(name##_us_sat) SATURATE(name##_ss_sat)
#include "vop_packed.def"
    return all;
  }();
  return kMeanings;
}
#undef PTXSHIM_MEANING
// clang-format on

} // namespace

const LaneMeaning* find_meaning(const char* name) {
  const auto found = meanings().find(std::string_view(name));
  return found == meanings().end() ? nullptr : &found->second;
}

void for_each_meaning(void (*visit)(void* context, const LaneMeaning& meaning), void* context) {
  for (const auto& [name, meaning] : meanings()) visit(context, meaning);
}

} // namespace ptxshim::vgpu::check
