// SPDX-License-Identifier: MIT
// Vector operations whose operands or results are more than plain registers: before the handler, sources are prepared in
// spare rows (DPP moves lanes, then parts are selected and signs changed); after it, a result that is scaled, clamped or
// placed into part of its register goes from spare rows to its destination. Compiled once per host ISA, as the handlers are.
#include <cstddef>

#include "meanings/meanings.h"

#include "lane_kernel.h"

#define PTXSHIM_JOIN2(a, b) a##_##b
#define PTXSHIM_JOIN(a, b) PTXSHIM_JOIN2(a, b)

namespace ptxshim::vgpu {
namespace meaning {
namespace {

using How = Preparation::How;

void prepare_word(const Preparation& how, unsigned lanes, const uint32_t* from, uint32_t* to) {
  for (unsigned at = 0; at < lanes; at += kWords) {
    Words w = load_words(from + at) << how.up;
    w = how.extend ? reinterpret_cast<Words>(reinterpret_cast<Ints>(w) >> how.down) : w >> how.down;
    store_words(to + at, (w & how.mask) ^ how.flip);
  }
}

void prepare_pair(const Preparation& how, unsigned lanes, const uint32_t* from, uint32_t* to) {
  for (unsigned at = 0; at < lanes; at += kWords) {
    const Words low = load_words(from + at), high = load_words(from + lanes + at);
    store_words(to + at, (how.up ? high : low) ^ how.flip);
    store_words(to + lanes + at, (how.down ? high : low) ^ how.flip_high);
  }
}

void prepare_half(const Preparation& how, unsigned lanes, const uint32_t* from, uint32_t* to) {
  for (unsigned i = 0; i < lanes; ++i)
    to[i] = (to_bits(widen(F16{static_cast<uint16_t>(from[i] >> how.down)})) & how.mask) ^ how.flip;
}

// `to` may be `from`.
void prepare(const Preparation& how, unsigned words, unsigned lanes, const uint32_t* from, uint32_t* to) {
  switch (how.how) {
  case How::Copy:
    if (to != from)
      for (unsigned at = 0; at < words * lanes; at += kWords) store_words(to + at, load_words(from + at));
    break;
  case How::Word: prepare_word(how, lanes, from, to); break;
  case How::Wide:
    for (unsigned at = 0; at < lanes; at += kWords) {
      store_words(to + at, load_words(from + at));
      store_words(to + lanes + at, (load_words(from + lanes + at) & how.mask) ^ how.flip);
    }
    break;
  case How::Halves:
    for (unsigned at = 0; at < lanes; at += kWords) {
      const Words w = load_words(from + at);
      store_words(to + at, ((w >> how.up & 0xffffU) | w >> how.down << 16) ^ how.flip);
    }
    break;
  case How::Pair: prepare_pair(how, lanes, from, to); break;
  case How::Half: prepare_half(how, lanes, from, to); break;
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
inline Words pick(const VopExtra& extra, const uint32_t* from, unsigned at) {
  typedef uint8_t Bytes __attribute__((vector_size(kWords)));
  if (extra.in_rows) {
    Bytes index;
    __builtin_memcpy(&index, extra.lane_from + at, sizeof index);
    return pick(from + (at & ~15U), __builtin_convertvector(index & static_cast<uint8_t>(15), Words));
  }
  alignas(64) uint32_t words[kWords];
  for (unsigned i = 0; i < kWords; ++i) words[i] = from[extra.lane_from[at + i]];
  return load_words(words);
}

// Moves lanes as DPP says, lanes that read none get zero; returns the lanes that may be written.
uint64_t move_lanes(const Wave& wave, const VopExtra& extra, const uint32_t* from, unsigned words, uint32_t* to) {
  const unsigned lanes = wave.lanes;
  const uint64_t exec = wave.exec();
  uint64_t valid = extra.lanes_valid;
  if (!extra.fetch_inactive && exec != wave.lane_mask) {
    alignas(64) uint32_t active[64];
    for (unsigned at = 0; at < lanes; at += kWords) store_words(active + at, mask_words(static_cast<uint32_t>(exec >> at)));
    uint64_t from_active = 0;
    for (unsigned at = 0; at < lanes; at += kWords) from_active |= static_cast<uint64_t>(top_bits(pick(extra, active, at))) << at;
    valid &= from_active;
  }
  for (unsigned word = 0; word < words; ++word)
    for (unsigned at = 0; at < lanes; at += kWords)
      store_words(to + word * lanes + at,
                  pick(extra, from + word * lanes, at) & mask_words(static_cast<uint32_t>(valid >> at) & kAllLanes));
  const bool all = extra.bound_control || extra.dpp == VopExtra::Dpp::Dpp8;
  return extra.lanes_enabled & (all ? ~uint64_t{0} : valid);
}

void spread(const Wave& wave, const Source& source, unsigned words, uint32_t* to) {
  const uint64_t value = words == 2 ? wave.read64(source) : wave.read32(source);
  for (unsigned word = 0; word < words; ++word)
    for (unsigned at = 0; at < wave.lanes; at += kWords)
      store_words(to + word * wave.lanes + at, Words{} + static_cast<uint32_t>(value >> (32 * word)));
}

uint64_t prepare_source(Wave& wave, const VopExtra& extra, const ValuInfo& info, unsigned number) {
  const Source& source = extra.from[number];
  const unsigned words = words_of(info.source[number]);
  uint32_t* const to = wave.reg(kSpareSources + 2 * number);
  const uint32_t* from = to;
  uint64_t writable = ~uint64_t{0};
  if (source.kind != SourceKind::Vector) {
    spread(wave, source, words, to);
  } else {
    from = wave.reg(source.index);
    if (number == 0 && extra.dpp != VopExtra::Dpp::None) {
      writable = move_lanes(wave, extra, from, words, to);
      from = to;
    }
  }
  prepare(extra.how[number], words, wave.lanes, from, to);
  return writable;
}

// Results -------------------------------------------------------------------------------------------------------------

template <class T> inline T clamp_value(T value, bool dx10) {
  const T nan = dx10 ? T(0) : value;
  const T high = value > T(1) ? T(1) : value;
  const T inside = value > T(0) ? high : T(0);
  return value != value ? nan : inside;
}
inline uint32_t clamp_half(uint32_t bits, bool dx10) {
  const uint32_t nan = dx10 ? 0 : bits, high = bits > 0x3c00U ? 0x3c00U : bits;
  const uint32_t number = bits & 0x8000U ? 0 : high;
  return (bits & 0x7fffU) > 0x7c00U ? nan : number;
}

constexpr float kScale[4] = {1.0F, 2.0F, 4.0F, 0.5F};

// Output modifiers do nothing where denormal results are kept, nor in IEEE mode (a bit that gfx12 no longer has).
bool scales(const Wave& wave, const VopExtra& extra, ValueType type) {
  const bool single = type == ValueType::F32 || type == ValueType::F32x2;
  const bool keeps_denormals = single ? wave.mode.f32_denorm_out : wave.mode.f64_f16_denorm_out;
  return extra.omod && !keeps_denormals && (wave.generation >= 12 || !wave.mode.ieee);
}

void finish_f32(uint32_t* row, unsigned lanes, const VopExtra& extra, bool dx10, bool scale) {
  const float factor = kScale[extra.omod & 3U];
  for (unsigned i = 0; scale && i < lanes; ++i) {
    const float value = from_bits<float>(row[i]) * factor;
    row[i] = value > -0x1p-126F && value < 0x1p-126F ? 0U : to_bits(value);
  }
  for (unsigned i = 0; extra.clamp && i < lanes; ++i) row[i] = to_bits(clamp_value(from_bits<float>(row[i]), dx10));
}

void finish_f64(uint32_t* rows, unsigned lanes, const VopExtra& extra, bool dx10, bool scale) {
  for (unsigned i = 0; i < lanes; ++i) {
    double value = from_bits<double>(static_cast<uint64_t>(rows[i + lanes]) << 32 | rows[i]);
    if (scale) {
      value *= static_cast<double>(kScale[extra.omod & 3U]);
      if (value > -0x1p-1022 && value < 0x1p-1022) value = 0.0;
    }
    if (extra.clamp) value = clamp_value(value, dx10);
    rows[i] = static_cast<uint32_t>(to_bits(value));
    rows[i + lanes] = static_cast<uint32_t>(to_bits(value) >> 32);
  }
}

void finish_halves(uint32_t* row, unsigned lanes, const VopExtra& extra, bool dx10, bool scale) {
  const float factor = kScale[extra.omod & 3U];
  for (unsigned i = 0; scale && i < lanes; ++i) {
    const float value = widen(F16{static_cast<uint16_t>(row[i])}) * factor;
    const uint32_t scaled = value > -0x1p-14F && value < 0x1p-14F ? 0U : narrow_nearest(value).bits;
    row[i] = (row[i] & 0x7c00U) == 0x7c00U ? row[i] : scaled; // a signaling NaN stays one
  }
  for (unsigned i = 0; extra.clamp && i < lanes; ++i)
    row[i] = clamp_half(row[i] & 0xffffU, dx10) | clamp_half(row[i] >> 16, dx10) << 16;
}

void finish(const Wave& wave, uint32_t* rows, ValueType type, const VopExtra& extra) {
  if (!extra.clamp && !extra.omod) return;
  const unsigned lanes = wave.lanes;
  const bool dx10 = wave.mode.dx10_clamp, scale = scales(wave, extra, type);
  switch (type) {
  case ValueType::F32: finish_f32(rows, lanes, extra, dx10, scale); break;
  case ValueType::F64: finish_f64(rows, lanes, extra, dx10, scale); break;
  case ValueType::F16: finish_halves(rows, lanes, extra, dx10, scale); break;
  case ValueType::F16x2: finish_halves(rows, lanes, extra, dx10, false); break;
  case ValueType::F32x2:
    finish_f32(rows, lanes, extra, dx10, scale);
    finish_f32(rows + lanes, lanes, extra, dx10, scale);
    break;
  case ValueType::None:
  case ValueType::B16:
  case ValueType::BF16:
  case ValueType::B32:
  case ValueType::B64:
  case ValueType::B16x2:
  case ValueType::B32x2:
  case ValueType::Mask: break; // integers: the binder chose a saturating meaning
  }
}

void place(const Wave& wave, const Placement& how, const uint32_t* from, uint32_t* to, uint64_t exec) {
  for (unsigned at = 0; at < wave.lanes; at += kWords) {
    const Words old = load_words(to + at);
    Words w = load_words(from + at) << how.up;
    w = how.extend ? reinterpret_cast<Words>(reinterpret_cast<Ints>(w) >> how.up) : w >> how.up;
    store_words(to + at, choose(static_cast<uint32_t>(exec >> at) & kAllLanes, w << how.shift | (old & how.keep), old));
  }
}

const Op* run_prepared(Wave& wave, const Op* op) {
  const VopExtra& extra = *op->extra;
  const ValuInfo& info = *static_cast<const ValuInfo*>(op->table);
  const uint64_t exec = wave.exec();
  uint64_t on = exec;
  for (unsigned i = 0; i < info.sources; ++i)
    if (extra.prepared >> i & 1U) on &= prepare_source(wave, extra, info, i);
  // The handler writes the lanes of EXEC: those that DPP lets through.
  if (on != exec) wave.set_mask(kExec, on);
  info.run[wave.lanes == 64](wave, op);
  if (on != exec && (!info.gives_carry || op->dst2 != kExec)) wave.set_mask(kExec, exec);
  if (extra.finished) {
    uint32_t* const result = wave.reg(kSpareResult);
    finish(wave, result, info.result, extra);
    for (unsigned word = 0; word < words_of(info.result); ++word)
      place(wave, word ? Placement{} : extra.place, result + word * wave.lanes, wave.reg(extra.dst) + word * wave.lanes, on);
  }
  if (extra.to_exec) wave.set_mask(kExec, wave.mask_at(op->dst2));
  return op + 1;
}

} // namespace
} // namespace meaning

extern const ValuSteps PTXSHIM_JOIN(kValuSteps, PTXSHIM_ISA);
const ValuSteps PTXSHIM_JOIN(kValuSteps, PTXSHIM_ISA) = {meaning::run_prepared, meaning::prepare};

} // namespace ptxshim::vgpu
