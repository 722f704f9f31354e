// SPDX-License-Identifier: MIT
// How a vector operation is executed: from a meaning's signature to the handler of an operation.
//
// A handler takes its operands from register rows, as many lanes at a time as the host's vectors have (a chunk), puts
// them into arrays of that length, calls the meaning in a loop over them, and stores the results of the lanes that EXEC
// has. The compiler turns such a loop into vector code and keeps the arrays in registers. The everyday arithmetic of
// floats is quicker still: the host's own instructions do a chunk (lane_host.h), and only where a NaN comes out the
// handler goes on with the loop. Operands:
//   vector registers      read where they lie
//   a constant            a row that was filled when the operation was bound (Source::row)
//   a scalar register, a sign that is changed    spread and changed on the way
//   all other forms       op_sel, DPP, SDWA ...: a step before the operation (valu_steps.cpp) fills spare rows, and one
//                         behind it does what is done to results (clamp, omod, selections)
// The usual float modes are constants of their loops, except for IEEE, which is a test that the compiler takes out of the
// loop where a meaning looks at it. All other modes share one loop, made small instead of fast.
// Looking what is to be done is most of the work of light operations. They have handlers for each wave size and for each of
// the usual forms of sources, where nothing is left to look at but EXEC: if it has all lanes the handler does them straight
// away, else it jumps to one that does some. Heavy operations leave out chunks without lanes.
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

// Where a source's words come from.
enum class From : uint8_t { Any, Register, Signed, Uniform };
constexpr From from_of(SourceForm form, unsigned source) {
  if (form == SourceForm::Any || source > 2) return From::Any; // (the fourth has no place in Op::rows)
  if (form == SourceForm::Signed) return From::Signed;
  return static_cast<unsigned>(form) == static_cast<unsigned>(SourceForm::Uniform0) + source ? From::Uniform : From::Register;
}

template <class Word> inline Word* row_at(Word* registers, uint64_t offset) { // in bytes
  using Byte = std::conditional_t<std::is_const_v<Word>, const char, char>;
  return reinterpret_cast<Word*>(reinterpret_cast<Byte*>(registers) + offset);
}
template <bool Some, unsigned Words_, unsigned Chunks>
inline void fetch_row(const uint32_t* row, Words (&to)[Words_][Chunks], unsigned begin, unsigned lanes,
                      [[maybe_unused]] const SomeLanes (&on)[Chunks]) {
  for (unsigned word = 0; word < Words_; ++word)
    for (unsigned chunk = 0; chunk < Chunks; ++chunk) {
      const Words words = load_words(row + word * lanes + begin + chunk * kWords);
      to[word][chunk] = Some ? only(on[chunk], words) : words;
    }
}

// Of the last word of each number.
template <unsigned Words_, unsigned Chunks> inline void change_sign(const SignChange& sign, Words (&words)[Words_][Chunks]) {
  for (unsigned chunk = 0; chunk < Chunks; ++chunk) words[Words_ - 1][chunk] = (words[Words_ - 1][chunk] & sign.keep) ^ sign.flip;
}

template <unsigned Words_, From Where> struct SourceWords { // Any
  const uint32_t* scalars;
  const Source& source;
  const uint32_t* row;
  SourceWords(const Wave& wave, const Source& from, unsigned lanes, uint64_t)
      : scalars(wave.s), source(from), row(from.kind == SourceKind::Row ? from.row->words : wave.v + size_t{from.index} * lanes) {}
  // Some: words of other lanes than those of `on` become 0, unless the source is the same in all lanes.
  template <bool Some, unsigned Chunks>
  void fetch(Words (&to)[Words_][Chunks], unsigned begin, unsigned lanes, const SomeLanes (&on)[Chunks]) const {
    if (source.kind == SourceKind::Scalar) {
      for (unsigned word = 0; word < Words_; ++word)
        for (unsigned chunk = 0; chunk < Chunks; ++chunk) to[word][chunk] = Words{} + scalars[source.index + word];
      return;
    }
    fetch_row<Some>(row, to, begin, lanes, on);
    if (source.kind == SourceKind::Signed) change_sign(source.sign, to);
  }
};
template <unsigned Words_> struct SourceWords<Words_, From::Register> {
  const uint32_t* row;
  SourceWords(const Wave& wave, const Source&, unsigned, uint64_t offset) : row(row_at(wave.v, offset)) {}
  template <bool Some, unsigned Chunks>
  void fetch(Words (&to)[Words_][Chunks], unsigned begin, unsigned lanes, const SomeLanes (&on)[Chunks]) const {
    fetch_row<Some>(row, to, begin, lanes, on);
  }
};
template <unsigned Words_> struct SourceWords<Words_, From::Signed> {
  const SignChange& sign;
  const uint32_t* row;
  SourceWords(const Wave& wave, const Source& from, unsigned, uint64_t offset) : sign(from.sign), row(row_at(wave.v, offset)) {}
  template <bool Some, unsigned Chunks>
  void fetch(Words (&to)[Words_][Chunks], unsigned begin, unsigned lanes, const SomeLanes (&on)[Chunks]) const {
    fetch_row<Some>(row, to, begin, lanes, on);
    change_sign(sign, to);
  }
};
template <unsigned Words_> struct SourceWords<Words_, From::Uniform> {
  const uint32_t* words;
  unsigned apart; // the words of a number
  SourceWords(const Wave& wave, const Source& from, unsigned lanes, uint64_t)
      : words(from.kind == SourceKind::Scalar ? wave.s + from.index : from.row->words),
        apart(from.kind == SourceKind::Scalar ? 1 : lanes) {}
  template <bool Some, unsigned Chunks> void fetch(Words (&to)[Words_][Chunks], unsigned, unsigned, const SomeLanes (&)[Chunks]) const {
    for (unsigned word = 0; word < Words_; ++word)
      for (unsigned chunk = 0; chunk < Chunks; ++chunk) to[word][chunk] = Words{} + words[word * apart];
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

template <size_t I, unsigned Words_, From Where> struct OperandAt : SourceWords<Words_, Where> {
  OperandAt(const Wave& wave, const Source& from, unsigned lanes, uint64_t offset)
      : SourceWords<Words_, Where>(wave, from, lanes, offset) {}
  template <bool Some, unsigned Chunks>
  void fetch_at(FetchedAt<I, Words_, Chunks>& to, unsigned begin, unsigned lanes, const SomeLanes (&on)[Chunks]) const {
    this->template fetch<Some>(to.words, begin, lanes, on);
  }
};
template <size_t I, From Where> struct OperandAt<I, 0, Where> {
  OperandAt(const Wave&, const Source&, unsigned, uint64_t) {}
  template <bool Some, unsigned Chunks> void fetch_at(FetchedAt<I, 0, Chunks>&, unsigned, unsigned, const SomeLanes (&)[Chunks]) const {}
};
template <SourceForm Sources, class Indices, class... A> struct Operands;
template <SourceForm Sources, size_t... I, class... A>
struct Operands<Sources, std::index_sequence<I...>, A...>
    : OperandAt<I, words_of_parameter<A>(), from_of(Sources, source_number<A...>(I))>... {
  Operands(const Wave& wave, const Op* op, unsigned lanes, uint64_t rows)
      : OperandAt<I, words_of_parameter<A>(), from_of(Sources, source_number<A...>(I))>(
            wave, op->src[source_number<A...>(I)], lanes, row_offset(rows, 1 + source_number<A...>(I)))... {}
  template <bool Some, unsigned Chunks>
  void fetch(Fetched<Chunks, std::index_sequence<I...>, A...>& to, unsigned begin, unsigned lanes, const SomeLanes (&on)[Chunks]) const {
    (OperandAt<I, words_of_parameter<A>(), from_of(Sources, source_number<A...>(I))>::template fetch_at<Some>(to, begin, lanes, on), ...);
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

// Whether it has handlers for all lanes and for some.
template <auto F> inline constexpr bool kParted = kIsLight<F> && ResultOf<typename Signature<decltype(F)>::Result>::kValue;

// What a handler is made for. Lanes: of the wave if they are known, else 0. Host: the host's own operation does it. Chunks: that
// are done together. Exec: what lanes EXEC has.
enum class Exec : uint8_t { Any, All, Some };
struct Form {
  unsigned lanes;
  SourceForm sources;
  bool host;
  unsigned chunks;
  Exec exec;
};
// Whether a chunk costs enough to look whether it has lanes.
template <auto F> constexpr bool skips_chunks(Exec exec) {
  using V = typename ResultOf<typename Signature<decltype(F)>::Result>::Value;
  return !kIsLight<F> || (exec == Exec::Some && HostOperation<F>::kExists && kWords < 16 && (kParts<V> != 1 || sizeof(V) == 2));
}
// As many as the host's registers hold.
template <auto F> constexpr unsigned chunks_together(unsigned lanes, SourceForm sources, Exec exec) {
  constexpr bool kWideResult = words_of(Row32<typename ResultOf<typename Signature<decltype(F)>::Result>::Value>::kType) == 2;
  const unsigned all = 32 / kWords, most = kWideResult || sources == SourceForm::Any ? 2 : 4;
  return lanes == 0 || skips_chunks<F>(exec) ? 1 : all < most ? all : most;
}

// What some chunks come to.
template <class R, unsigned Chunks> struct Computed {
  ResultRows<typename ResultOf<R>::Value> rows[Chunks];
  uint64_t carries = 0; // a bit per lane
};
template <size_t Number, unsigned Chunks, class T>
inline HostOperand<T> host_operand(const FetchedAt<Number, words_of_parameter<T>(), Chunks>& fetched, [[maybe_unused]] uint64_t mask,
                                   [[maybe_unused]] unsigned chunk) {
  HostOperand<T> in;
  if constexpr (std::is_same_v<T, bool>) in.lanes = lanes_of(mask, chunk * kWords);
  if constexpr (kIsSource<T>)
    for (unsigned word = 0; word < words_of_parameter<T>(); ++word) in.words[word] = fetched.words[word][chunk];
  return in;
}

template <auto F, class... A> using HostPart = decltype(HostOperation<F>::run(part(HostOperand<A>{}, 0)...));

// Returns whether a result is a NaN.
template <auto F, class R, unsigned Chunks, class... A, size_t... I>
inline bool compute_by_host(const Fetched<Chunks, std::index_sequence<I...>, A...>& fetched, uint64_t mask, Computed<R, Chunks>& out) {
  using V = typename ResultOf<R>::Value;
  using Part = HostPart<F, A...>;
  Part parts[Chunks * kParts<V>];
#pragma GCC unroll 8
  for (unsigned n = 0; n < Chunks * kParts<V>; ++n)
    parts[n] = HostOperation<F>::run(part(host_operand<I, Chunks, A>(fetched, mask, n / kParts<V>), n % kParts<V>)...);
#pragma GCC unroll 8
  for (unsigned chunk = 0; chunk < Chunks; ++chunk) {
    HostResult<V, Part> result;
    for (unsigned n = 0; n < kParts<V>; ++n) result.part[n] = parts[chunk * kParts<V> + n];
    out.rows[chunk] = rows_of(result);
  }
  return has_nan(parts);
}

template <auto F, class R, unsigned Chunks, class... A, size_t... I>
inline void compute(const FloatMode& mode, const Fetched<Chunks, std::index_sequence<I...>, A...>& fetched, uint64_t mask,
                    Computed<R, Chunks>& out) {
  using Out = ResultOf<R>;
#pragma GCC unroll 8
  for (unsigned chunk = 0; chunk < Chunks; ++chunk) {
    // (Fills structures in place: a tuple would be cleared first.)
    Inputs<std::index_sequence<I...>, A...> in;
    auto load = [&]<size_t Number, class T>(InputAt<Number, T>& input) {
      if constexpr (std::is_same_v<T, bool>)
        input.load(mask >> chunk * kWords);
      else if constexpr (kIsSource<T>)
        input.load([&](unsigned word) {
          return static_cast<const FetchedAt<Number, words_of_parameter<T>(), Chunks>&>(fetched).words[word][chunk];
        });
    };
    (load(static_cast<InputAt<I, A>&>(in)), ...);
    Output<typename Out::Value> result;
    [[maybe_unused]] uint32_t carry[kWords];
    run_chunk<F, R, typename Out::Value, A...>(mode, result, carry, static_cast<const InputAt<I, A>&>(in)...);
    if constexpr (Out::kValue) out.rows[chunk] = result.rows();
    if constexpr (Out::kCarry) out.carries |= static_cast<uint64_t>(top_bits(load_words(carry))) << chunk * kWords;
  }
}

template <auto F, Form How, class R, class... A, size_t... I>
inline const Op* run_lanes(Wave& wave, const Op* op, const FloatMode& mode, unsigned first, R (*)(A...), std::index_sequence<I...>) {
  using Out = ResultOf<R>;
  using Indices = std::index_sequence<I...>;
  constexpr unsigned kLanes = How.chunks * kWords;
  constexpr uint64_t kAll = kLanes == 64 ? ~uint64_t{0} : (uint64_t{1} << kLanes % 64) - 1;
  const unsigned lanes = How.lanes ? How.lanes : wave.lanes;
  const uint64_t exec = How.lanes == 32 ? wave.s[kExec] : wave.exec();
  const uint64_t rows = op->rows;
  [[maybe_unused]] uint32_t* const dst = row_at(wave.v, row_offset(rows, 0));
  [[maybe_unused]] const uint32_t keep = op->immediate;
  const Operands<How.sources, Indices, A...> operands(wave, op, lanes, rows);
  [[maybe_unused]] uint64_t mask = 0, carries = 0;
  if constexpr ((std::is_same_v<A, bool> || ...)) mask = source_mask<How.lanes>(wave, op->src[source_number<A...>(sizeof...(A))]);
#pragma GCC unroll 4
  for (unsigned begin = first; begin < lanes; begin += kLanes) {
    const uint64_t on = exec >> begin & kAll;
    if (skips_chunks<F>(How.exec) && !on) continue;
    SomeLanes some[How.chunks];
    if constexpr (How.exec == Exec::Some)
      for (unsigned chunk = 0; chunk < How.chunks; ++chunk) some[chunk] = lanes_in(wave.s + kExec, begin + chunk * kWords);
    Fetched<How.chunks, Indices, A...> fetched;
    Computed<R, How.chunks> out;
    if constexpr (How.host) {
      operands.template fetch<How.exec == Exec::Some && kHasNans<HostPart<F, A...>>>(fetched, begin, lanes, some);
      if (compute_by_host<F, R>(fetched, mask >> begin, out)) [[unlikely]] return run_after_nan<F>(wave, op, begin);
    } else {
      operands.template fetch<false>(fetched, begin, lanes, some);
      compute<F, R>(mode, fetched, mask >> begin, out);
    }
    if constexpr (Out::kCarry) carries |= out.carries << begin;
    if constexpr (Out::kValue) {
#pragma GCC unroll 8
      for (unsigned chunk = 0; chunk < How.chunks; ++chunk) {
        uint32_t* const row = dst + begin + chunk * kWords;
        if (How.exec == Exec::All || (How.exec == Exec::Any && on == kAll))
          out.rows[chunk].store(row, lanes, keep);
        else
          out.rows[chunk].store_some(row, lanes, keep, How.exec == Exec::Some ? some[chunk] : lanes_of(on, chunk * kWords));
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

inline constexpr Form kAnyForm = {0, SourceForm::Any, false, 1, Exec::Any};
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

template <auto F, unsigned Lanes, SourceForm Sources, Exec On>
inline constexpr Form kUsualForm = {Lanes, Sources, HostOperation<F>::kExists, chunks_together<F>(Lanes, Sources, On), On};

// Of a light operation where EXEC lacks lanes, in one of the usual modes.
template <auto F, unsigned Lanes, SourceForm Sources> [[gnu::noinline, gnu::flatten]] const Op* run_some(Wave& wave, const Op* op) {
  return run_in_mode<F, kUsualForm<F, Lanes, Sources, Exec::Some>>(wave, op, kKeepDenormals);
}
// The handler. Lanes: 32, 64, or 0 for both.
template <auto F, unsigned Lanes, SourceForm Sources> [[gnu::flatten]] const Op* run_meaning(Wave& wave, const Op* op) {
  using S = Signature<decltype(F)>;
  if constexpr (S::kMode) {
    const bool flushes = wave.mode_kind == ModeKind::FlushDenormals32;
    if (wave.mode_kind != ModeKind::KeepDenormals && (S::kSingle || !flushes)) [[unlikely]]
      return flushes ? run_flushing<F>(wave, op) : run_in_other_mode<F>(wave, op);
  }
  if constexpr (kParted<F>) {
    if (Lanes == 32 ? wave.s[kExec] != ~0U : wave.exec() != ~uint64_t{0}) [[unlikely]]
      return run_some<F, Lanes, Sources>(wave, op);
    return run_in_mode<F, kUsualForm<F, Lanes, Sources, Exec::All>>(wave, op, kKeepDenormals);
  } else {
    FloatMode mode;
    if constexpr (S::kMode) mode.ieee = wave.mode.ieee;
    return run_in_mode<F, kUsualForm<F, Lanes, Sources, Exec::Any>>(wave, op, mode);
  }
}

template <auto F, class S> struct InfoOf;
template <auto F, class R, class... A> struct InfoOf<F, R (*)(A...)> {
  template <unsigned Lanes, SourceForm Sources> static constexpr void put_form(ValuInfo& info) {
    constexpr unsigned kSources = Signature<R (*)(A...)>::kSources;
    if constexpr (static_cast<unsigned>(Sources) < static_cast<unsigned>(SourceForm::Uniform0) + kSources)
      info.run[static_cast<size_t>(Sources)][Lanes == 64 ? 1 : 0] = run_meaning<F, Lanes, Sources>;
  }
  // Handlers for some forms of sources; the one for any does for those that are not worth one.
  template <unsigned Lanes, SourceForm... Forms> static constexpr void put(ValuInfo& info) {
    for (auto& handlers : info.run) handlers[Lanes == 64 ? 1 : 0] = run_meaning<F, Lanes, SourceForm::Any>;
    (put_form<Lanes, Forms>(info), ...);
  }
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
    if constexpr (kIsLight<F>) {
      put<32, SourceForm::Registers, SourceForm::Uniform0, SourceForm::Uniform1, SourceForm::Uniform2>(info);
      put<64, SourceForm::Registers>(info);
      if constexpr (HostOperation<F>::kExists && S::kMode) put_form<32, SourceForm::Signed>(info);
    } else {
      for (auto& handlers : info.run) handlers[0] = handlers[1] = run_meaning<F, 0, SourceForm::Any>;
      info.run[static_cast<size_t>(SourceForm::Registers)][0] = run_meaning<F, 32, SourceForm::Registers>;
    }
    return info;
  }
};
template <auto F> constexpr ValuInfo info_of(const char* name) { return InfoOf<F, decltype(F)>::make(name); }

} // namespace ptxshim::vgpu::meaning
