// SPDX-License-Identifier: MIT
// Vector operations whose operands or results are more than plain registers. Before the handler, sources are prepared in
// spare rows (DPP moves lanes, then parts are selected and signs changed): the operation begins here and goes on in its
// handler (VopExtra::handler). Behind it, in a step of its own (VopExtra::after), a result that is scaled, clamped or placed
// into part of its register goes from spare rows to its destination, and EXEC becomes what it was before DPP. Compiled once
// per host ISA, as the handlers are. The everyday cases have steps of their own; the others go through all.
#include <cstddef>

#include "meanings/meanings.h"

#include "lane_kernel.h"

#define PTXSHIM_JOIN2(a, b) a##_##b
#define PTXSHIM_JOIN(a, b) PTXSHIM_JOIN2(a, b)

namespace ptxshim::vgpu {
namespace meaning {
namespace {

using How = Preparation::How;

template <bool Extend> inline Words prepare_word(const Preparation& how, Words w) {
  w <<= how.up;
  w = Extend ? reinterpret_cast<Words>(reinterpret_cast<Ints>(w) >> how.down) : w >> how.down;
  return (w & how.mask) ^ how.flip;
}
template <unsigned Lanes> inline void prepare_words(const Preparation& how, const uint32_t* from, uint32_t* to) {
  if (how.extend)
    for (unsigned at = 0; at < Lanes; at += kWords) store_words(to + at, prepare_word<true>(how, load_words(from + at)));
  else
    for (unsigned at = 0; at < Lanes; at += kWords) store_words(to + at, prepare_word<false>(how, load_words(from + at)));
}

inline Words prepare_half(const Preparation& how, Words w) {
  uint32_t words[kWords];
  store_words(words, w);
  PTXSHIM_LANE_LOOP
  for (unsigned i = 0; i < kWords; ++i) words[i] = (to_bits(widen(F16{static_cast<uint16_t>(words[i] >> how.down)})) & how.mask) ^ how.flip;
  return load_words(words);
}

// `to` may be `from`.
template <unsigned Lanes> [[gnu::noinline]] void prepare(const Preparation& how, unsigned words, const uint32_t* from, uint32_t* to) {
  auto one = [=](auto change) {
    for (unsigned at = 0; at < Lanes; at += kWords) store_words(to + at, change(load_words(from + at)));
  };
  auto two = [=](auto change) {
    for (unsigned at = 0; at < Lanes; at += kWords) {
      const Words low = load_words(from + at), high = load_words(from + Lanes + at);
      store_words(to + at, change(low, high, false));
      store_words(to + Lanes + at, change(low, high, true));
    }
  };
  switch (how.how) {
  case How::Copy:
    for (unsigned at = 0; at < words * Lanes; at += kWords) store_words(to + at, load_words(from + at));
    break;
  case How::Word: prepare_words<Lanes>(how, from, to); break;
  case How::Wide: two([how](Words low, Words high, bool top) { return top ? (high & how.mask) ^ how.flip : low; }); break;
  case How::Halves: one([how](Words w) { return ((w >> how.up & 0xffffU) | w >> how.down << 16) ^ how.flip; }); break;
  case How::Pair:
    two([how](Words low, Words high, bool top) {
      return top ? (how.down ? high : low) ^ how.flip_high : (how.up ? high : low) ^ how.flip;
    });
    break;
  case How::Half: one([how](Words w) { return prepare_half(how, w); }); break;
  }
}

// A row of 16 lanes.
struct LaneRow {
  Words part[16 / kWords];
};
inline LaneRow load_row(const uint32_t* from) {
  LaneRow row;
  for (unsigned n = 0; n < 16 / kWords; ++n) row.part[n] = load_words(from + n * kWords);
  return row;
}
inline LaneRow row_of_bits(uint32_t bits) {
  LaneRow row;
  for (unsigned n = 0; n < 16 / kWords; ++n) row.part[n] = mask_words(bits >> n * kWords & kAllLanes);
  return row;
}
inline Words pick(const LaneRow& row, Words index) {
#if defined(__AVX512F__)
  const __m512i words = reinterpret_cast<__m512i>(row.part[0]); // (the form without a mask begins with an undefined value)
  return reinterpret_cast<Words>(_mm512_mask_permutexvar_epi32(words, 0xffff, reinterpret_cast<__m512i>(index), words));
#elif defined(__AVX2__)
  const __m256i at = reinterpret_cast<__m256i>(index);
  const __m256i low = _mm256_permutevar8x32_epi32(reinterpret_cast<__m256i>(row.part[0]), at);
  const __m256i high = _mm256_permutevar8x32_epi32(reinterpret_cast<__m256i>(row.part[1]), at);
  return (index & 8U) != 0U ? reinterpret_cast<Words>(high) : reinterpret_cast<Words>(low);
#else
  uint32_t words[16];
  __builtin_memcpy(words, row.part, sizeof words);
  Words w;
  for (unsigned i = 0; i < kWords; ++i) w[i] = words[index[i] & 15U];
  return w;
#endif
}

template <unsigned Lanes> inline constexpr uint64_t kWave = ~uint64_t{0} >> (64 - Lanes);
template <unsigned Lanes> inline uint64_t exec_of(const Wave& wave) { return Lanes == 32 ? wave.s[kExec] : wave.exec(); }
template <unsigned Lanes> inline void set_exec(Wave& wave, uint64_t mask) {
  if constexpr (Lanes == 32)
    wave.s[kExec] = static_cast<uint32_t>(mask);
  else
    wave.set_mask(kExec, mask);
}

// Moves lanes as DPP says, lanes that read none get zero; returns the lanes that read one.
template <unsigned Lanes> inline uint64_t move_in_rows(const VopExtra& extra, uint64_t exec, const uint32_t* from, uint32_t* to) {
  typedef uint8_t Bytes __attribute__((vector_size(kWords)));
  const bool active = !extra.fetch_inactive && exec != kWave<Lanes>; // only lanes of EXEC are read
  uint64_t valid = extra.lanes_valid;
  for (unsigned begin = 0; begin < Lanes; begin += 16) {
    const LaneRow row = load_row(from + begin);
    for (unsigned at = begin; at < begin + 16; at += kWords) {
      Bytes numbers;
      __builtin_memcpy(&numbers, extra.lane_from + at, sizeof numbers);
      const Words index = __builtin_convertvector(numbers & static_cast<uint8_t>(15), Words);
      uint32_t bits = static_cast<uint32_t>(valid >> at) & kAllLanes;
      if (active) {
        const uint32_t read = top_bits(pick(row_of_bits(static_cast<uint32_t>(exec >> begin) & 0xffffU), index));
        valid &= ~(static_cast<uint64_t>(~read & kAllLanes) << at);
        bits &= read;
      }
      store_words(to + at, only(bits, pick(row, index)));
    }
  }
  return valid;
}
template <unsigned Lanes> [[gnu::noinline]] uint64_t move_anywhere(const VopExtra& extra, uint64_t exec, const uint32_t* from, uint32_t* to) {
  uint64_t valid = extra.lanes_valid;
  for (unsigned lane = 0; lane < Lanes; ++lane) {
    const unsigned number = extra.lane_from[lane];
    if (!extra.fetch_inactive && !(exec >> number & 1U)) valid &= ~(uint64_t{1} << lane);
    to[lane] = valid >> lane & 1U ? from[number] : 0U;
  }
  return valid;
}
// Of the lanes that read one, and where that is said of the others: those that may be written.
inline uint64_t lanes_written(const VopExtra& extra, uint64_t valid) {
  const bool all = extra.bound_control || extra.dpp == VopExtra::Dpp::Dpp8;
  return extra.lanes_enabled & (all ? ~uint64_t{0} : valid);
}
template <unsigned Lanes>
[[gnu::noinline]] uint64_t move_lanes(const VopExtra& extra, uint64_t exec, const uint32_t* from, unsigned words, uint32_t* to) {
  uint64_t valid = 0;
  for (unsigned word = 0; word < words; ++word)
    valid = (extra.in_rows ? move_in_rows<Lanes> : move_anywhere<Lanes>)(extra, exec, from + word * Lanes, to + word * Lanes);
  return lanes_written(extra, valid);
}

template <unsigned Lanes> [[gnu::noinline]] void spread(const Wave& wave, const Source& source, unsigned words, uint32_t* to) {
  const uint64_t value = words == 2 ? wave.read64(source) : wave.read32(source);
  for (unsigned word = 0; word < words; ++word)
    for (unsigned at = 0; at < Lanes; at += kWords)
      store_words(to + word * Lanes + at, Words{} + static_cast<uint32_t>(value >> (32 * word)));
}

template <unsigned Lanes>
inline uint64_t prepare_source(Wave& wave, const VopExtra& extra, const ValuInfo& info, uint64_t exec, unsigned number) {
  const Source& source = extra.from[number];
  const unsigned words = words_of(info.source[number]);
  uint32_t* const to = wave.v + size_t{kSpareSources + 2 * number} * Lanes;
  const uint32_t* from = to;
  uint64_t writable = ~uint64_t{0};
  if (source.kind != SourceKind::Vector) {
    spread<Lanes>(wave, source, words, to);
  } else {
    from = wave.v + size_t{source.index} * Lanes;
    if (number == 0 && extra.dpp != VopExtra::Dpp::None) {
      writable = move_lanes<Lanes>(extra, exec, from, words, to);
      from = to;
    }
  }
  if (extra.how[number].how != How::Copy || from != to) prepare<Lanes>(extra.how[number], words, from, to);
  return writable;
}

// Results -------------------------------------------------------------------------------------------------------------

// What is done to floats.
struct Finish {
  bool clamp, dx10, scale;
  int by;                            // what scaling adds to the exponent
  bool largest_above, largest_below; // what becomes too large, and too small, is no infinity but the largest number
};

// Before gfx12 output modifiers do nothing where denormal results are kept, nor in IEEE mode; RDNA4 ISA 7.2.3.1.
bool scales(const Wave& wave, const VopExtra& extra, ValueType type) {
  const bool single = type == ValueType::F32 || type == ValueType::F32x2;
  const bool keeps_denormals = single ? wave.mode.f32_denorm_out : wave.mode.f64_f16_denorm_out;
  return extra.omod && type != ValueType::F16x2 && (wave.generation >= 12 || (!keeps_denormals && !wave.mode.ieee));
}

Finish finish_of(const Wave& wave, const VopExtra& extra, ValueType type) {
  static constexpr int kBy[4] = {0, 1, 2, -1};
  const Round round = type == ValueType::F32 || type == ValueType::F32x2 ? wave.mode.f32_round : wave.mode.f64_f16_round;
  return {extra.clamp, wave.mode.dx10_clamp, scales(wave, extra, type), kBy[extra.omod & 3U],
          round == Round::TowardZero || round == Round::MinusInfinity, round == Round::TowardZero || round == Round::PlusInfinity};
}

// Numbers of Bits with so many fraction bits, one or a vector of U, scaled as apply_omod (arithmetic.h) does it.
template <class U, unsigned Bits, unsigned Fraction, class T> inline T scale_bits(T bits, const Finish& how) {
  constexpr U kSign = U(1) << (Bits - 1), kSmallest = U(1) << Fraction, kInfinity = kSign - kSmallest;
  const U change = static_cast<U>(how.by) << Fraction;
  const U too_large = how.by > 0 ? kInfinity - change : kInfinity, too_small = how.by > 0 ? U(0) : kSmallest;
  const T above = T{} + (kInfinity - U(how.largest_above)), below = T{} + ((kSign | kInfinity) - U(how.largest_below));
  const T sign = bits & kSign, exponent = bits & kInfinity;
  T scaled = bits + change;
  scaled = exponent >= too_large ? (sign != U(0) ? below : above) : scaled;
  scaled = exponent == too_small ? sign : scaled;
  scaled = exponent == U(0) ? T{} : scaled;
  return exponent == kInfinity ? bits : scaled;
}

template <bool Scale> inline Words finish_single_as(Words w, const Finish& how) {
  if (Scale) w = scale_bits<uint32_t, 32, 23>(w, how);
  if (!how.clamp) return w;
  const Floats x = reinterpret_cast<Floats>(w), zero{}, one = zero + 1.0F;
  const Floats inside = x > zero ? (x > one ? one : x) : zero; // a NaN is not above zero
  return reinterpret_cast<Words>(how.dx10 ? inside : (x != x ? x : inside));
}
inline Words finish_single(Words w, const Finish& how) { return how.scale ? finish_single_as<true>(w, how) : finish_single_as<false>(w, how); }

inline uint32_t clamp_half(uint32_t bits, bool dx10) {
  const uint32_t nan = dx10 ? 0 : bits, high = bits > 0x3c00U ? 0x3c00U : bits;
  const uint32_t number = bits & 0x8000U ? 0 : high;
  return (bits & 0x7fffU) > 0x7c00U ? nan : number;
}
// Of packed halves too, which are not scaled.
inline Words finish_halves(Words w, const Finish& how) {
  if (how.scale) w = scale_bits<uint32_t, 16, 10>(w, how);
  if (!how.clamp) return w;
  uint32_t words[kWords];
  store_words(words, w);
  PTXSHIM_LANE_LOOP
  for (unsigned i = 0; i < kWords; ++i) words[i] = clamp_half(words[i] & 0xffffU, how.dx10) | clamp_half(words[i] >> 16, how.dx10) << 16;
  return load_words(words);
}

inline double finish_double(double x, const Finish& how) {
  const double scaled = __builtin_bit_cast(double, scale_bits<uint64_t, 64, 52>(__builtin_bit_cast(uint64_t, x), how));
  x = how.scale ? scaled : x;
  const double high = x > 1.0 ? 1.0 : x, inside = x > 0.0 ? high : 0.0;
  const double clamped = x != x && !how.dx10 ? x : inside;
  return how.clamp ? clamped : x;
}
template <unsigned Lanes> [[gnu::noinline]] void finish_doubles(const Finish& how, const uint32_t* from, uint32_t* to, uint64_t exec) {
  for (unsigned at = 0; at < Lanes; at += kWords) {
    Input<double> in;
    Output<double> out;
    in.load([=](unsigned word) { return load_words(from + word * Lanes + at); });
    PTXSHIM_LANE_LOOP
    for (unsigned i = 0; i < kWords; ++i) out.put(i, finish_double(in.get(i), how));
    out.rows().store_some(to + at, Lanes, 0, lanes_of(exec, at));
  }
}

inline Words unchanged(Words w, const Finish&) { return w; }

inline Words place(const Placement& how, Words w, Words old) {
  w <<= how.up;
  w = how.extend ? reinterpret_cast<Words>(reinterpret_cast<Ints>(w) >> how.up) : w >> how.up;
  return w << how.shift | (old & how.keep);
}

template <unsigned Lanes, Words (*Change)(Words, const Finish&)>
[[gnu::noinline]] void finish_words(const Finish& how, const Placement& where, const uint32_t* from, uint32_t* to, uint64_t exec) {
  for (unsigned at = 0; at < Lanes; at += kWords) {
    const Words old = load_words(to + at), w = place(where, Change(load_words(from + at), how), old);
    store_words(to + at, choose(lanes_of(exec, at), w, old));
  }
}

// The handler's result goes from its spare rows to where it belongs.
template <unsigned Lanes> inline void finish(Wave& wave, const VopExtra& extra, ValueType type, uint64_t exec) {
  const Finish how = finish_of(wave, extra, type);
  const uint32_t* const from = wave.v + size_t{kSpareResult} * Lanes;
  uint32_t* const to = wave.v + size_t{extra.dst} * Lanes;
  switch (type) {
  case ValueType::F32: finish_words<Lanes, finish_single>(how, extra.place, from, to, exec); break;
  case ValueType::F32x2:
    finish_words<Lanes, finish_single>(how, {}, from, to, exec);
    finish_words<Lanes, finish_single>(how, {}, from + Lanes, to + Lanes, exec);
    break;
  case ValueType::F16:
  case ValueType::F16x2: finish_words<Lanes, finish_halves>(how, extra.place, from, to, exec); break;
  case ValueType::F64: finish_doubles<Lanes>(how, from, to, exec); break;
  case ValueType::None: break;
  case ValueType::B64: // integers: the binder chose a saturating meaning
  case ValueType::B32x2:
    finish_words<Lanes, unchanged>(how, {}, from, to, exec);
    finish_words<Lanes, unchanged>(how, {}, from + Lanes, to + Lanes, exec);
    break;
  case ValueType::B16:
  case ValueType::BF16:
  case ValueType::B32:
  case ValueType::B16x2:
  case ValueType::Mask: finish_words<Lanes, unchanged>(how, extra.place, from, to, exec); break;
  }
}

// Before the operation: its sources. EXEC becomes the lanes that the operation writes: those that DPP lets through.
template <unsigned Lanes> const Op* run_prepare_any(Wave& wave, const Op* op) {
  const VopExtra& extra = *op->extra;
  const ValuInfo& info = *static_cast<const ValuInfo*>(op->table);
  const uint64_t exec = exec_of<Lanes>(wave);
  uint64_t on = exec;
  for (unsigned prepared = extra.prepared; prepared; prepared &= prepared - 1)
    on &= prepare_source<Lanes>(wave, extra, info, exec, static_cast<unsigned>(count_trailing_zeros(prepared)));
  wave.exec_before = exec;
  if (on != exec) set_exec<Lanes>(wave, on);
  return extra.handler(wave, op);
}
template <unsigned Lanes> const Op* run_move(Wave& wave, const Op* op) {
  const VopExtra& extra = *op->extra;
  const uint64_t exec = exec_of<Lanes>(wave);
  const uint64_t valid = move_in_rows<Lanes>(extra, exec, wave.v + size_t{extra.from[0].index} * Lanes, wave.v + size_t{kSpareSources} * Lanes);
  wave.exec_before = exec;
  set_exec<Lanes>(wave, exec & lanes_written(extra, valid));
  return extra.handler(wave, op);
}
template <unsigned Lanes> const Op* run_select(Wave& wave, const Op* op) {
  const VopExtra& extra = *op->extra;
  for (unsigned prepared = extra.prepared; prepared; prepared &= prepared - 1) {
    const unsigned i = static_cast<unsigned>(count_trailing_zeros(prepared));
    prepare_words<Lanes>(extra.how[i], wave.v + size_t{extra.from[i].index} * Lanes, wave.v + size_t{kSpareSources + 2 * i} * Lanes);
  }
  return extra.handler(wave, op);
}

// Behind the operation: its result, and EXEC as it was.
template <unsigned Lanes> const Op* run_finish_any(Wave& wave, const Op* op) {
  const VopExtra& extra = *op->extra;
  const ValuInfo& info = *static_cast<const ValuInfo*>(op->table);
  if (extra.finished) finish<Lanes>(wave, extra, info.result, exec_of<Lanes>(wave));
  if (extra.dpp != VopExtra::Dpp::None && (!info.gives_carry || op->dst2 != kExec)) set_exec<Lanes>(wave, wave.exec_before);
  if (extra.to_exec) set_exec<Lanes>(wave, wave.mask_at(op->dst2));
  return next(wave, op);
}
template <unsigned Lanes> const Op* run_finish_single(Wave& wave, const Op* op) {
  const VopExtra& extra = *op->extra;
  const Finish how = finish_of(wave, extra, ValueType::F32);
  const uint64_t exec = exec_of<Lanes>(wave);
  const uint32_t* const from = wave.v + size_t{kSpareResult} * Lanes;
  uint32_t* const to = wave.v + size_t{extra.dst} * Lanes;
  auto finish_row = [=](auto change) {
    for (unsigned at = 0; at < Lanes; at += kWords)
      store_words(to + at, choose(lanes_of(exec, at), change(load_words(from + at), how), load_words(to + at)));
  };
  if (how.scale)
    finish_row([](Words w, const Finish& finish) { return finish_single_as<true>(w, finish); });
  else
    finish_row([](Words w, const Finish& finish) { return finish_single_as<false>(w, finish); });
  return next(wave, op);
}
template <unsigned Lanes> const Op* run_restore(Wave& wave, const Op* op) {
  set_exec<Lanes>(wave, wave.exec_before);
  return next(wave, op);
}

void prepare_rows(const Preparation& how, unsigned words, unsigned lanes, const uint32_t* from, uint32_t* to) {
  lanes == 64 ? prepare<64>(how, words, from, to) : prepare<32>(how, words, from, to);
}

} // namespace
} // namespace meaning

extern const ValuSteps PTXSHIM_JOIN(kValuSteps, PTXSHIM_ISA);
const ValuSteps PTXSHIM_JOIN(kValuSteps, PTXSHIM_ISA) = {
    {meaning::run_move<32>, meaning::run_move<64>},
    {meaning::run_select<32>, meaning::run_select<64>},
    {meaning::run_prepare_any<32>, meaning::run_prepare_any<64>},
    {meaning::run_restore<32>, meaning::run_restore<64>},
    {meaning::run_finish_single<32>, meaning::run_finish_single<64>},
    {meaning::run_finish_any<32>, meaning::run_finish_any<64>},
    meaning::prepare_rows};

} // namespace ptxshim::vgpu
