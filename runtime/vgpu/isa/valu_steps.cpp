// SPDX-License-Identifier: MIT
// Vector operations whose operands or results are more than plain registers: before the handler, sources are prepared in
// spare rows (DPP moves lanes, then parts are selected and signs changed); after it, a result that is scaled, clamped or
// placed into part of its register goes from spare rows to its destination. Compiled once per host ISA, as the handlers are.
// An operation needs few of these steps: each is a function of its own, so that none pays for another's registers.
#include <cstddef>

#include "meanings/meanings.h"

#include "lane_kernel.h"

#define PTXSHIM_JOIN2(a, b) a##_##b
#define PTXSHIM_JOIN(a, b) PTXSHIM_JOIN2(a, b)

namespace ptxshim::vgpu {
namespace meaning {
namespace {

using How = Preparation::How;

inline Words prepare_word(const Preparation& how, Words w) {
  w <<= how.up;
  w = how.extend ? reinterpret_cast<Words>(reinterpret_cast<Ints>(w) >> how.down) : w >> how.down;
  return (w & how.mask) ^ how.flip;
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
  case How::Word: one([how](Words w) { return prepare_word(how, w); }); break;
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

// A chunk of a row of 16 lanes that is permuted.
inline Words pick(const uint32_t* row, Words index) {
#if defined(__AVX512F__)
  const __m512i words = reinterpret_cast<__m512i>(load_words(row)); // (the form without a mask begins with an undefined value)
  return reinterpret_cast<Words>(_mm512_mask_permutexvar_epi32(words, 0xffff, reinterpret_cast<__m512i>(index), words));
#elif defined(__AVX2__)
  const __m256i at = reinterpret_cast<__m256i>(index);
  const __m256i low = _mm256_permutevar8x32_epi32(reinterpret_cast<__m256i>(load_words(row)), at);
  const __m256i high = _mm256_permutevar8x32_epi32(reinterpret_cast<__m256i>(load_words(row + 8)), at);
  return (index & 8U) != 0U ? reinterpret_cast<Words>(high) : reinterpret_cast<Words>(low);
#else
  Words w;
  for (unsigned i = 0; i < kWords; ++i) w[i] = row[index[i] & 15U];
  return w;
#endif
}
[[gnu::noinline]] Words pick_anywhere(const VopExtra& extra, const uint32_t* from, unsigned at) {
  alignas(64) uint32_t words[kWords];
  for (unsigned i = 0; i < kWords; ++i) words[i] = from[extra.lane_from[at + i]];
  return load_words(words);
}
inline Words pick(const VopExtra& extra, const uint32_t* from, unsigned at) {
  typedef uint8_t Bytes __attribute__((vector_size(kWords)));
  if (!extra.in_rows) return pick_anywhere(extra, from, at);
  Bytes index;
  __builtin_memcpy(&index, extra.lane_from + at, sizeof index);
  return pick(from + (at & ~15U), __builtin_convertvector(index & static_cast<uint8_t>(15), Words));
}

template <unsigned Lanes> inline constexpr uint64_t kWave = ~uint64_t{0} >> (64 - Lanes);
template <unsigned Lanes> inline uint64_t exec_of(const Wave& wave) { return Lanes == 32 ? wave.s[kExec] : wave.exec(); }
template <unsigned Lanes> inline void set_exec(Wave& wave, uint64_t mask) {
  if constexpr (Lanes == 32)
    wave.s[kExec] = static_cast<uint32_t>(mask);
  else
    wave.set_mask(kExec, mask);
}

// The lanes whose source is one of EXEC's.
template <unsigned Lanes> [[gnu::noinline]] uint64_t lanes_from_active(const VopExtra& extra, uint64_t exec) {
  alignas(64) uint32_t active[Lanes];
  for (unsigned at = 0; at < Lanes; at += kWords) store_words(active + at, mask_words(static_cast<uint32_t>(exec >> at)));
  uint64_t from_active = 0;
  for (unsigned at = 0; at < Lanes; at += kWords) from_active |= static_cast<uint64_t>(top_bits(pick(extra, active, at))) << at;
  return from_active;
}

// Moves lanes as DPP says, lanes that read none get zero; returns the lanes that may be written.
template <unsigned Lanes>
[[gnu::noinline]] uint64_t move_lanes(const VopExtra& extra, uint64_t exec, const uint32_t* from, unsigned words, uint32_t* to) {
  uint64_t valid = extra.lanes_valid;
  if (!extra.fetch_inactive && exec != kWave<Lanes>) valid &= lanes_from_active<Lanes>(extra, exec);
  for (unsigned word = 0; word < words; ++word)
    for (unsigned at = 0; at < Lanes; at += kWords)
      store_words(to + word * Lanes + at,
                  pick(extra, from + word * Lanes, at) & mask_words(static_cast<uint32_t>(valid >> at) & kAllLanes));
  const bool all = extra.bound_control || extra.dpp == VopExtra::Dpp::Dpp8;
  return extra.lanes_enabled & (all ? ~uint64_t{0} : valid);
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
  float factor;
};

constexpr float kScale[4] = {1.0F, 2.0F, 4.0F, 0.5F};

// Output modifiers do nothing where denormal results are kept, nor in IEEE mode (a bit that gfx12 no longer has).
bool scales(const Wave& wave, const VopExtra& extra, ValueType type) {
  const bool single = type == ValueType::F32 || type == ValueType::F32x2;
  const bool keeps_denormals = single ? wave.mode.f32_denorm_out : wave.mode.f64_f16_denorm_out;
  return extra.omod && type != ValueType::F16x2 && !keeps_denormals && (wave.generation >= 12 || !wave.mode.ieee);
}

inline Words finish_single(Words w, const Finish& how) {
  Floats x = reinterpret_cast<Floats>(w);
  const Floats zero{}, one = zero + 1.0F;
  if (how.scale) {
    x *= how.factor;
    x = ((x > -0x1p-126F) & (x < 0x1p-126F)) != 0 ? zero : x;
  }
  if (how.clamp) {
    const Floats inside = x > zero ? (x > one ? one : x) : zero; // a NaN is not above zero
    x = how.dx10 ? inside : (x != x ? x : inside);
  }
  return reinterpret_cast<Words>(x);
}

inline uint32_t clamp_half(uint32_t bits, bool dx10) {
  const uint32_t nan = dx10 ? 0 : bits, high = bits > 0x3c00U ? 0x3c00U : bits;
  const uint32_t number = bits & 0x8000U ? 0 : high;
  return (bits & 0x7fffU) > 0x7c00U ? nan : number;
}
// Of packed halves too, which are not scaled.
inline Words finish_halves(Words w, const Finish& how) {
  uint32_t words[kWords];
  store_words(words, w);
  if (how.scale) {
    PTXSHIM_LANE_LOOP
    for (unsigned i = 0; i < kWords; ++i) {
      const float value = widen(F16{static_cast<uint16_t>(words[i])}) * how.factor;
      const uint32_t scaled = value > -0x1p-14F && value < 0x1p-14F ? 0U : narrow_nearest(value).bits;
      words[i] = (words[i] & 0x7c00U) == 0x7c00U ? words[i] : scaled; // a signaling NaN stays one
    }
  }
  if (how.clamp) {
    PTXSHIM_LANE_LOOP
    for (unsigned i = 0; i < kWords; ++i) words[i] = clamp_half(words[i] & 0xffffU, how.dx10) | clamp_half(words[i] >> 16, how.dx10) << 16;
  }
  return load_words(words);
}

inline double finish_double(double x, const Finish& how) {
  if (how.scale) {
    x *= static_cast<double>(how.factor);
    x = x > -0x1p-1022 && x < 0x1p-1022 ? 0.0 : x;
  }
  const double high = x > 1.0 ? 1.0 : x, inside = x > 0.0 ? high : 0.0;
  const double clamped = x != x && !how.dx10 ? x : inside;
  return how.clamp ? clamped : x;
}
template <unsigned Lanes> [[gnu::noinline]] void finish_doubles(const Finish& how, const uint32_t* from, uint32_t* to, uint64_t exec) {
  for (unsigned at = 0; at < Lanes; at += kWords) {
    Input<double> in;
    Output<double> out;
    in.load(from + at, Lanes);
    PTXSHIM_LANE_LOOP
    for (unsigned i = 0; i < kWords; ++i) out.put(i, finish_double(in.get(i), how));
    out.store(to + at, Lanes, static_cast<uint32_t>(exec >> at) & kAllLanes, 0);
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
    store_words(to + at, choose(static_cast<uint32_t>(exec >> at) & kAllLanes, w, old));
  }
}

// The handler's result goes from its spare rows to where it belongs.
template <unsigned Lanes> inline void finish(Wave& wave, const VopExtra& extra, ValueType type, uint64_t exec) {
  const Finish how{extra.clamp, wave.mode.dx10_clamp, scales(wave, extra, type), kScale[extra.omod & 3U]};
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

template <unsigned Lanes> const Op* run_prepared(Wave& wave, const Op* op) {
  const VopExtra& extra = *op->extra;
  const ValuInfo& info = *static_cast<const ValuInfo*>(op->table);
  const uint64_t exec = exec_of<Lanes>(wave);
  uint64_t on = exec;
  for (unsigned prepared = extra.prepared; prepared; prepared &= prepared - 1)
    on &= prepare_source<Lanes>(wave, extra, info, exec, static_cast<unsigned>(count_trailing_zeros(prepared)));
  // The handler writes the lanes of EXEC: those that DPP lets through.
  if (on != exec) set_exec<Lanes>(wave, on);
  info.run[Lanes == 64](wave, op);
  if (on != exec && (!info.gives_carry || op->dst2 != kExec)) set_exec<Lanes>(wave, exec);
  if (extra.finished) finish<Lanes>(wave, extra, info.result, on);
  if (extra.to_exec) set_exec<Lanes>(wave, wave.mask_at(op->dst2));
  return op + 1;
}

void prepare_rows(const Preparation& how, unsigned words, unsigned lanes, const uint32_t* from, uint32_t* to) {
  lanes == 64 ? prepare<64>(how, words, from, to) : prepare<32>(how, words, from, to);
}

} // namespace
} // namespace meaning

extern const ValuSteps PTXSHIM_JOIN(kValuSteps, PTXSHIM_ISA);
const ValuSteps PTXSHIM_JOIN(kValuSteps, PTXSHIM_ISA) = {{meaning::run_prepared<32>, meaning::run_prepared<64>}, meaning::prepare_rows};

} // namespace ptxshim::vgpu
