// SPDX-License-Identifier: MIT
// How a vector operation is executed: from a meaning's signature to the handler of an operation.
//
// A handler takes its operands from register rows, as many lanes at a time as the host's vectors have (a chunk), puts
// them into arrays of that length, calls the meaning in a loop over them, and stores the results of the lanes that EXEC
// has. The compiler turns such a loop into vector code and keeps the arrays in registers. The everyday arithmetic of
// floats is quicker still: the host's own instructions do a chunk (lane_host.h), and only where a NaN comes out the
// handler goes on with the loop. Operands:
//   vector registers      read where they lie. An operation with no others has a handler of its own (plain).
//   a constant            a row that was filled when the operation was bound (Source::row)
//   a scalar register, a sign that is changed    spread and changed on the way
//   all other forms       op_sel, DPP, SDWA ...: a step before the operation (valu_steps.cpp) fills spare rows, and one
//                         behind it does what is done to results (clamp, omod, selections)
// The usual float modes are constants of their loops, except for IEEE, which is a test that the compiler takes out of the
// loop where a meaning looks at it. All other modes share one loop, made small instead of fast. Light operations have a
// handler for each wave size and do several chunks before they look for NaNs and at EXEC, since such looks are most of
// their work; heavy ones leave out chunks without lanes.
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

// A parameter that takes an operand.
template <class T> inline constexpr bool kIsSource = !std::is_same_v<T, bool> && !std::is_same_v<T, const FloatMode&>;

// Where a source's words come from. Plain: it is a vector register.
template <unsigned Words_, bool Plain> struct SourceWords {
  const uint32_t* scalars;
  const Source& source;
  const uint32_t* row;
  SourceWords(const Wave& wave, const Source& from, unsigned lanes)
      : scalars(wave.s), source(from), row(!Plain && from.kind == SourceKind::Row ? from.row->words : wave.v + size_t{from.index} * lanes) {}
  template <unsigned Chunks> void fetch(Words (&to)[Words_][Chunks], unsigned begin, unsigned lanes) const {
    if (!Plain && source.kind == SourceKind::Scalar) {
      for (unsigned word = 0; word < Words_; ++word) {
        const Words value = Words{} + scalars[source.index + word];
        for (unsigned chunk = 0; chunk < Chunks; ++chunk) to[word][chunk] = value;
      }
      return;
    }
    for (unsigned word = 0; word < Words_; ++word)
      for (unsigned chunk = 0; chunk < Chunks; ++chunk) to[word][chunk] = load_words(row + word * lanes + begin + chunk * kWords);
    if (Plain || source.kind != SourceKind::Signed) return;
    for (unsigned chunk = 0; chunk < Chunks; ++chunk) to[Words_ - 1][chunk] = (to[Words_ - 1][chunk] & source.sign.keep) ^ source.sign.flip;
  }
};

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

// The parameters' operands: where they come from, and the words of some chunks.
template <class T> constexpr unsigned words_of_parameter() {
  if constexpr (kIsSource<T>)
    return words_of(Row32<T>::kType);
  else
    return 0;
}
template <size_t I, unsigned Words_, unsigned Chunks> struct FetchedAt {
  Words words[Words_][Chunks];
};
template <size_t I, unsigned Chunks> struct FetchedAt<I, 0, Chunks> {};
template <unsigned Chunks, class Indices, class... A> struct Fetched;
template <unsigned Chunks, size_t... I, class... A>
struct Fetched<Chunks, std::index_sequence<I...>, A...> : FetchedAt<I, words_of_parameter<A>(), Chunks>... {};

template <size_t I, unsigned Words_, bool Plain> struct OperandAt : SourceWords<Words_, Plain> {
  OperandAt(const Wave& wave, const Source& from, unsigned lanes) : SourceWords<Words_, Plain>(wave, from, lanes) {}
  template <unsigned Chunks> void fetch_at(FetchedAt<I, Words_, Chunks>& to, unsigned begin, unsigned lanes) const { this->fetch(to.words, begin, lanes); }
};
template <size_t I, bool Plain> struct OperandAt<I, 0, Plain> {
  OperandAt(const Wave&, const Source&, unsigned) {}
  template <unsigned Chunks> void fetch_at(FetchedAt<I, 0, Chunks>&, unsigned, unsigned) const {}
};
template <bool Plain, class Indices, class... A> struct Operands;
template <bool Plain, size_t... I, class... A>
struct Operands<Plain, std::index_sequence<I...>, A...> : OperandAt<I, words_of_parameter<A>(), Plain>... {
  Operands(const Wave& wave, const Op* op, unsigned lanes)
      : OperandAt<I, words_of_parameter<A>(), Plain>(wave, op->src[source_number<A...>(I)], lanes)... {}
  template <unsigned Chunks> void fetch(Fetched<Chunks, std::index_sequence<I...>, A...>& to, unsigned begin, unsigned lanes) const {
    (OperandAt<I, words_of_parameter<A>(), Plain>::fetch_at(to, begin, lanes), ...);
  }
};

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

// Whether an operation is so quick that it pays to know the number of lanes.
template <auto F> inline constexpr bool kIsLight = !Signature<decltype(F)>::kMode || HostOperation<F>::kExists ||
                                                   !ResultOf<typename Signature<decltype(F)>::Result>::kValue;

// What a handler is made for. Lanes: of the wave if they are known, else 0. Plain: all sources are vector registers. Host:
// the host's own operation does it. Chunks: that are done together.
struct Form {
  unsigned lanes;
  bool plain, host;
  unsigned chunks;
};
// As many as the host's registers hold.
template <auto F> constexpr unsigned chunks_together(unsigned lanes, bool plain) {
  constexpr bool kWideResult = words_of(Row32<typename ResultOf<typename Signature<decltype(F)>::Result>::Value>::kType) == 2;
  const unsigned all = 32 / kWords, most = kWideResult || !plain ? 2 : 4;
  return lanes == 0 || !kIsLight<F> ? 1 : all < most ? all : most;
}

// Whether a host operation must not see what the lanes hold that are off (lane_host.h), nor can say which lanes are NaNs.
template <auto F, class R> inline constexpr bool kSparesLanes = HostOperation<F>::kMultiplies || kParts<typename ResultOf<R>::Value> != 1;

// What some chunks come to.
template <class R, unsigned Chunks> struct Computed {
  Rows<typename ResultOf<R>::Value> rows[Chunks];
  uint64_t nans = 0;    // not 0: there is one; a bit per lane unless lanes are spared
  uint64_t carries = 0; // a bit per lane
};

// Some: what other lanes than those of `on` hold is left out.
template <auto F, bool Host, bool Some, class R, unsigned Chunks, class... A, size_t... I>
inline void compute(const FloatMode& mode, const Fetched<Chunks, std::index_sequence<I...>, A...>& fetched, uint64_t mask, [[maybe_unused]] uint64_t on,
                    Computed<R, Chunks>& out) {
  using Out = ResultOf<R>;
#pragma GCC unroll 8
  for (unsigned chunk = 0; chunk < Chunks; ++chunk) {
    // (Fills structures in place: a tuple would be cleared first.)
    auto words_of_chunk = [&]<size_t Number, class T>(std::type_identity<T>, unsigned word) {
      const Words words = static_cast<const FetchedAt<Number, words_of_parameter<T>(), Chunks>&>(fetched).words[word][chunk];
      return Some ? only(static_cast<uint32_t>(on >> chunk * kWords) & kAllLanes, words) : words;
    };
    if constexpr (Host) {
      auto operand = [&]<size_t Number, class T>(std::type_identity<T> type) {
        HostOperand<T> in;
        if constexpr (kIsSource<T>)
          for (unsigned word = 0; word < words_of_parameter<T>(); ++word) in.words[word] = words_of_chunk.template operator()<Number>(type, word);
        return in;
      };
      const uint64_t nans = run_host<F>(out.rows[chunk], operand.template operator()<I>(std::type_identity<A>{})...);
      out.nans |= kSparesLanes<F, R> ? nans : nans << chunk * kWords;
    } else {
      Inputs<std::index_sequence<I...>, A...> in;
      auto load = [&]<size_t Number, class T>(InputAt<Number, T>& input) {
        if constexpr (std::is_same_v<T, bool>)
          input.load(mask >> chunk * kWords);
        else if constexpr (kIsSource<T>)
          input.load([&](unsigned word) { return words_of_chunk.template operator()<Number>(std::type_identity<T>{}, word); });
      };
      (load(static_cast<InputAt<I, A>&>(in)), ...);
      Output<typename Out::Value> result;
      [[maybe_unused]] uint32_t carry[kWords];
      run_chunk<F, R, typename Out::Value, A...>(mode, result, carry, static_cast<const InputAt<I, A>&>(in)...);
      if constexpr (Out::kValue) out.rows[chunk] = result.rows();
      if constexpr (Out::kCarry) out.carries |= static_cast<uint64_t>(top_bits(load_words(carry))) << chunk * kWords;
    }
  }
}

template <auto F, Form How, class R, class... A, size_t... I>
inline const Op* run_lanes(Wave& wave, const Op* op, const FloatMode& mode, unsigned first, R (*)(A...), std::index_sequence<I...>) {
  using Out = ResultOf<R>;
  using Indices = std::index_sequence<I...>;
  constexpr unsigned kLanes = How.chunks * kWords;
  constexpr bool kApart = How.host && kSparesLanes<F, R>;
  constexpr uint64_t kAll = kLanes == 64 ? ~uint64_t{0} : (uint64_t{1} << kLanes % 64) - 1;
  const unsigned lanes = How.lanes ? How.lanes : wave.lanes;
  const uint64_t exec = How.lanes == 32 ? wave.s[kExec] : wave.exec();
  [[maybe_unused]] uint32_t* const dst = wave.v + size_t{op->dst} * lanes;
  [[maybe_unused]] const uint32_t keep = op->immediate;
  const Operands<How.plain, Indices, A...> operands(wave, op, lanes);
  [[maybe_unused]] uint64_t mask = 0, carries = 0;
  if constexpr ((std::is_same_v<A, bool> || ...)) mask = source_mask<How.lanes>(wave, op->src[source_number<A...>(sizeof...(A))]);
#pragma GCC unroll 4
  for (unsigned begin = first; begin < lanes; begin += kLanes) {
    const uint64_t on = exec >> begin & kAll;
    if (!kIsLight<F> && !on) continue;
    if (!kApart || !kMasksAreDear || on == kAll) [[likely]] {
      Fetched<How.chunks, Indices, A...> fetched;
      Computed<R, How.chunks> out;
      operands.fetch(fetched, begin, lanes);
      if (!kApart || on == kAll) [[likely]]
        compute<F, How.host, false, R>(mode, fetched, mask >> begin, on, out);
      else
        compute<F, How.host, kApart, R>(mode, fetched, mask >> begin, on, out);
      if (How.host && (kApart ? out.nans : out.nans & on)) [[unlikely]] return run_after_nan<F>(wave, op, begin);
      if constexpr (Out::kCarry) carries |= out.carries << begin;
      if constexpr (Out::kValue) {
#pragma GCC unroll 8
        for (unsigned chunk = 0; chunk < How.chunks; ++chunk) {
          uint32_t* const row = dst + begin + chunk * kWords;
          if (on == kAll)
            out.rows[chunk].store(row, lanes, keep);
          else
            out.rows[chunk].store_some(row, lanes, keep, static_cast<uint32_t>(on >> chunk * kWords) & kAllLanes);
        }
      }
      continue;
    }
    if constexpr (kApart && kMasksAreDear) { // (these have no carries)
#pragma GCC unroll 1
      for (unsigned at = begin; at < begin + kLanes; at += kWords) {
        const uint32_t some = static_cast<uint32_t>(exec >> at) & kAllLanes;
        if (!some) continue;
        Fetched<1, Indices, A...> fetched;
        Computed<R, 1> out;
        operands.fetch(fetched, at, lanes);
        compute<F, true, true, R>(mode, fetched, mask >> at, some, out);
        if (out.nans) [[unlikely]] return run_after_nan<F>(wave, op, at);
        out.rows[0].store_some(dst + at, lanes, keep, some);
      }
    }
  }
  if constexpr (Out::kCarry && How.lanes == 32) wave.s[op->dst2] = static_cast<uint32_t>(carries & exec);
  if constexpr (Out::kCarry && How.lanes != 32) wave.set_mask(op->dst2, carries & exec);
  return next(wave, op);
}
template <auto F, Form How>
[[gnu::flatten]] inline const Op* run_in_mode(Wave& wave, const Op* op, const FloatMode& mode, unsigned first = 0) {
  return [&]<class R, class... A>(R (*f)(A...)) {
    return run_lanes<F, How>(wave, op, mode, first, f, std::index_sequence_for<A...>{});
  }(F);
}

inline constexpr Form kAnyForm = {0, false, false, 1};
template <auto F> const Op* run_after_nan(Wave& wave, const Op* op, unsigned first) {
  FloatMode mode;
  mode.ieee = wave.mode.ieee;
  return run_in_mode<F, kAnyForm>(wave, op, mode, first);
}
template <auto F> [[gnu::noinline]] const Op* run_flushing(Wave& wave, const Op* op) {
  FloatMode mode = kFlushDenormals32;
  mode.ieee = wave.mode.ieee;
  return run_in_mode<F, kAnyForm>(wave, op, mode);
}
template <auto F> [[gnu::noinline, gnu::cold]] const Op* run_in_other_mode(Wave& wave, const Op* op) {
  return run_in_mode<F, kAnyForm>(wave, op, wave.mode);
}

// The handler. Lanes: 32, 64, or 0 for both.
template <auto F, unsigned Lanes, bool Plain> [[gnu::flatten]] const Op* run_meaning(Wave& wave, const Op* op) {
  using S = Signature<decltype(F)>;
  constexpr Form kForm = {Lanes, Plain, HostOperation<F>::kExists, chunks_together<F>(Lanes, Plain)};
  if constexpr (!S::kMode) {
    return run_in_mode<F, kForm>(wave, op, kKeepDenormals);
  } else {
    const bool flushes = wave.mode_kind == ModeKind::FlushDenormals32;
    if (wave.mode_kind == ModeKind::KeepDenormals || (!S::kSingle && flushes)) [[likely]] {
      FloatMode mode;
      mode.ieee = wave.mode.ieee;
      return run_in_mode<F, kForm>(wave, op, mode);
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
    info.run[0] = run_meaning<F, kIsLight<F> ? 32 : 0, false>;
    info.run[1] = run_meaning<F, kIsLight<F> ? 64 : 0, false>;
    info.plain[0] = run_meaning<F, kIsLight<F> ? 32 : 0, kIsLight<F>>;
    info.plain[1] = run_meaning<F, kIsLight<F> ? 64 : 0, kIsLight<F>>;
    return info;
  }
};
template <auto F> constexpr ValuInfo info_of(const char* name) { return InfoOf<F, decltype(F)>::make(name); }

} // namespace ptxshim::vgpu::meaning
