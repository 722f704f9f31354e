// SPDX-License-Identifier: MIT
// How a vector operation is executed: from a meaning's signature to the handler of an operation.
//
// A handler takes its operands from register rows, as many lanes at a time as the host's vectors have (a chunk), puts
// them into arrays of that length, calls the meaning in a loop over them, and stores the results of the lanes that EXEC
// has. The compiler turns such a loop into vector code and keeps the arrays in registers. The everyday arithmetic of
// floats is quicker still: the host's own instructions do a chunk (lane_host.h), and only where a NaN comes out the
// handler goes on with the loop. Operands:
//   a vector register     read where it lies
//   a constant            a row that was filled when the operation was bound (Source::row)
//   a scalar register, a sign that is changed    put into spare rows first, here
//   all other forms       op_sel, DPP, SDWA ...: run_prepared (valu_steps.cpp) fills spare rows and then calls the handler
//                         that is made here; it also does what is done to results (clamp, omod, selections)
// The usual float modes are constants of their loops, except for IEEE, which is a test that the compiler takes out of the
// loop where a meaning looks at it. All other modes share one loop, made small instead of fast. Light operations have a
// handler for each wave size, since finding the rows is most of their work.
//
// Included only by the kernel files, which are compiled once per host ISA: everything here and every meaning lies in a
// namespace of that ISA, so that the linker cannot mix them.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "lane_host.h"
#include "valu.h"
#include "wave.h"

// Lanes do not depend on each other; unrolled whole they would not become vectors.
#if defined(__clang__)
#define PTXSHIM_LANE_LOOP // (its pragma makes a warning of every loop that stays scalar)
#else
#define PTXSHIM_LANE_LOOP _Pragma("GCC ivdep") _Pragma("GCC unroll 1")
#endif

namespace ptxshim::vgpu::meaning { // a macro makes this meaning_V2, meaning_V3, meaning_V4

template <class T> inline constexpr bool kIsSource = !std::is_same_v<T, bool> && !std::is_same_v<T, const FloatMode&>;

// Where the rows of a source lie.
template <unsigned Words_> inline const uint32_t* source_row(Wave& wave, uint32_t* v, const Source& source, unsigned number, unsigned lanes) {
  if (source.kind == SourceKind::Vector) [[likely]]
    return v + size_t{source.index} * lanes;
  if (source.kind == SourceKind::Row) return source.row->words;
  uint32_t* const to = v + size_t{kSpareSources + 2 * number} * lanes;
  if (source.kind == SourceKind::Signed) {
    const uint32_t* const from = v + size_t{source.index} * lanes;
    const uint32_t mask = static_cast<uint32_t>(source.constant), flip = static_cast<uint32_t>(source.constant >> 32);
    for (unsigned at = 0; at < (Words_ - 1) * lanes; at += kWords) store_words(to + at, load_words(from + at));
    for (unsigned at = (Words_ - 1) * lanes; at < Words_ * lanes; at += kWords)
      store_words(to + at, (load_words(from + at) & mask) ^ flip);
    return to;
  }
  for (unsigned word = 0; word < Words_; ++word) {
    const Words value = Words{} + wave.s[source.index + word];
    for (unsigned at = 0; at < lanes; at += kWords) store_words(to + word * lanes + at, value);
  }
  return to;
}

template <unsigned Lanes> inline uint64_t source_mask(const Wave& wave, const Source& source) {
  if (source.kind == SourceKind::Constant) return source.constant;
  return Lanes == 32 ? wave.s[source.index] : wave.mask_at(source.index);
}

template <size_t I, class T> struct InputAt : Input<T> {};
template <class Indices, class... A> struct Inputs;
template <size_t... I, class... A> struct Inputs<std::index_sequence<I...>, A...> : InputAt<I, A>... {};

// How many of the parameters before number I are sources.
template <class... A> consteval unsigned source_number(size_t i) {
  constexpr bool kSources[] = {kIsSource<A>...};
  unsigned number = 0;
  for (size_t k = 0; k < i; ++k) number += kSources[k] ? 1U : 0U;
  return number;
}

// The lanes of a chunk, one after the other as far as the source goes.
template <auto F, class R, class V, class... A>
inline void run_chunk(const FloatMode& mode, Output<V>& out, uint32_t* carry, const Input<A>&... in) {
  auto get = [&]<class T>(const Input<T>& input, unsigned lane) -> decltype(auto) {
    if constexpr (std::is_same_v<T, const FloatMode&>)
      return (mode);
    else
      return input.get(lane);
  };
  PTXSHIM_LANE_LOOP
  for (unsigned lane = 0; lane < kWords; ++lane) {
    const R result = F(get.template operator()<A>(in, lane)...);
    if constexpr (!ResultOf<R>::kValue) {
      carry[lane] = result ? ~0U : 0U;
    } else if constexpr (ResultOf<R>::kCarry) {
      carry[lane] = result.carry ? ~0U : 0U;
      out.put(lane, result.value);
    } else {
      out.put(lane, result);
    }
  }
}

template <auto F> [[gnu::noinline]] const Op* run_after_nan(Wave& wave, const Op* op, unsigned first);

// Lanes: of the wave if they are known, else 0. Host: let the host's own operation do it.
template <auto F, unsigned Lanes, bool Host, class R, class... A, size_t... I>
inline const Op* run_lanes(Wave& wave, const Op* op, const FloatMode& mode, unsigned first, R (*)(A...), std::index_sequence<I...>) {
  using Out = ResultOf<R>;
  const unsigned lanes = Lanes ? Lanes : wave.lanes;
  const uint64_t exec = Lanes == 32 ? wave.s[kExec] : wave.exec();
  uint32_t* const v = wave.v;
  [[maybe_unused]] uint32_t* const dst = v + size_t{op->dst} * lanes;
  [[maybe_unused]] const uint32_t keep = op->immediate;
  auto row_of = [&]<class T, unsigned Number>() -> const uint32_t* {
    if constexpr (kIsSource<T>)
      return source_row<words_of(Row32<T>::kType)>(wave, v, op->src[Number], Number, lanes);
    else
      return nullptr;
  };
  const uint32_t* const rows[] = {row_of.template operator()<A, source_number<A...>(I)>()...};
  [[maybe_unused]] uint64_t mask = 0, result_mask = 0;
  if constexpr ((std::is_same_v<A, bool> || ...)) mask = source_mask<Lanes>(wave, op->src[source_number<A...>(sizeof...(A))]);
#pragma GCC unroll 4
  for (unsigned at = first; at < lanes; at += kWords) {
    const uint32_t on = static_cast<uint32_t>(exec >> at) & kAllLanes;
    if (!on) continue;
    Inputs<std::index_sequence<I...>, A...> in; // (a tuple would be cleared first)
    auto load = [&]<class T>(Input<T>& input, const uint32_t* row) {
      if constexpr (std::is_same_v<T, bool>)
        input.load(mask >> at);
      else if constexpr (kIsSource<T>)
        input.load(row + at, lanes);
    };
    (load.template operator()<A>(static_cast<InputAt<I, A>&>(in), rows[I]), ...);
    [[maybe_unused]] Output<typename Out::Value> out;
    [[maybe_unused]] uint32_t carry[kWords];
    if constexpr (Host) {
      if (run_host<F>(out, on, static_cast<const InputAt<I, A>&>(in)...)) [[unlikely]]
        return run_after_nan<F>(wave, op, at);
    } else {
      run_chunk<F, R, typename Out::Value, A...>(mode, out, carry, static_cast<const InputAt<I, A>&>(in)...);
    }
    if constexpr (Out::kValue) out.store(dst + at, lanes, on, keep);
    if constexpr (Out::kCarry) result_mask |= static_cast<uint64_t>(top_bits(load_words(carry)) & on) << at;
  }
  if constexpr (Out::kCarry && Lanes == 32) wave.s[op->dst2] = static_cast<uint32_t>(result_mask);
  if constexpr (Out::kCarry && Lanes != 32) wave.set_mask(op->dst2, result_mask);
  return op + 1;
}
template <auto F, unsigned Lanes, bool Host>
[[gnu::flatten]] inline const Op* run_in_mode(Wave& wave, const Op* op, const FloatMode& mode, unsigned first = 0) {
  return [&]<class R, class... A>(R (*f)(A...)) {
    return run_lanes<F, Lanes, Host>(wave, op, mode, first, f, std::index_sequence_for<A...>{});
  }(F);
}

template <auto F> const Op* run_after_nan(Wave& wave, const Op* op, unsigned first) {
  FloatMode mode;
  mode.ieee = wave.mode.ieee;
  return run_in_mode<F, 0, false>(wave, op, mode, first);
}
template <auto F> [[gnu::noinline]] const Op* run_flushing(Wave& wave, const Op* op) {
  FloatMode mode = kFlushDenormals32;
  mode.ieee = wave.mode.ieee;
  return run_in_mode<F, 0, false>(wave, op, mode);
}
template <auto F> [[gnu::noinline, gnu::cold]] const Op* run_in_other_mode(Wave& wave, const Op* op) {
  return run_in_mode<F, 0, false>(wave, op, wave.mode);
}

// Whether an operation is so quick that it pays to know the number of lanes.
template <auto F> inline constexpr bool kIsLight = !Signature<decltype(F)>::kMode || HostOperation<F>::kExists ||
                                                   !ResultOf<typename Signature<decltype(F)>::Result>::kValue;

// The handler. Lanes: 32, 64, or 0 for both.
template <auto F, unsigned Lanes> [[gnu::flatten]] const Op* run_meaning(Wave& wave, const Op* op) {
  using S = Signature<decltype(F)>;
  if constexpr (!S::kMode) {
    return run_in_mode<F, Lanes, false>(wave, op, kKeepDenormals);
  } else {
    const bool flushes = wave.mode_kind == ModeKind::FlushDenormals32;
    if (wave.mode_kind == ModeKind::KeepDenormals || (!S::kSingle && flushes)) [[likely]] {
      FloatMode mode;
      mode.ieee = wave.mode.ieee;
      return run_in_mode<F, Lanes, HostOperation<F>::kExists>(wave, op, mode);
    }
    return S::kSingle && flushes ? run_flushing<F>(wave, op) : run_in_other_mode<F>(wave, op);
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
      if constexpr (kIsSource<T>) info.source[at++] = Row32<T>::kType;
    };
    (add(std::type_identity<A>{}), ...);
    info.takes_carry = S::kCarryIn;
    info.gives_carry = Out::kCarry;
    info.run[0] = run_meaning<F, kIsLight<F> ? 32 : 0>;
    info.run[1] = run_meaning<F, kIsLight<F> ? 64 : 0>;
    return info;
  }
};
template <auto F> constexpr ValuInfo info_of(const char* name) { return InfoOf<F, decltype(F)>::make(name); }

} // namespace ptxshim::vgpu::meaning
