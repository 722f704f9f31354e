// SPDX-License-Identifier: MIT
// How a vector operation gets its operands and gives its results; what it computes is the lane kernel's business.
//
// A kernel sees rows of 32 lanes. A scalar or constant operand is spread over such a row. What modifiers there are is
// done on copies of the rows: lanes moved (DPP), parts selected (SDWA, op_sel), signs changed (abs, then neg). After the
// kernel come omod, clamp and the choice of the destination's bits, and only then the lanes of EXEC are written.

#include "valu_run.h"

#include <bit>

namespace ptxshim::vgpu {
namespace {

constexpr unsigned kMaxSources = 4;
using Rows = uint32_t[2 * 64];

void spread(uint32_t* row, unsigned lanes, uint32_t value) {
  for (unsigned i = 0; i < lanes; ++i) row[i] = value;
}

void spread(const Wave& wave, const Source& source, unsigned words, uint32_t* rows) {
  if (words == 1) {
    spread(rows, wave.lanes, wave.read32(source));
    return;
  }
  const uint64_t value = wave.read64(source);
  spread(rows, wave.lanes, static_cast<uint32_t>(value));
  spread(rows + wave.lanes, wave.lanes, static_cast<uint32_t>(value >> 32));
}

uint64_t call_kernel(const Wave& wave, const ValuInfo& info, LaneArgs& args, uint64_t exec, uint64_t carry_in) {
  const LaneKernel kernel = info.kernel[static_cast<unsigned>(wave.mode_kind)];
  args.mode = &wave.mode;
  args.exec = static_cast<uint32_t>(exec);
  args.carry_in = static_cast<uint32_t>(carry_in);
  args.carry_out = 0;
  kernel(args);
  uint64_t carry = args.carry_out;
  if (wave.lanes == 64) {
    args.exec = static_cast<uint32_t>(exec >> 32);
    args.carry_in = static_cast<uint32_t>(carry_in >> 32);
    args.carry_out = 0;
    args.dst += 32;
    for (unsigned i = 0; i < info.sources; ++i) args.src[i] += 32;
    kernel(args);
    carry |= static_cast<uint64_t>(args.carry_out) << 32;
  }
  return carry;
}

uint64_t carry_of(const Wave& wave, const ValuInfo& info, const Op* op) {
  if (!info.takes_carry) return 0;
  const Source& source = op->src[info.sources];
  if (source.kind == SourceKind::Constant) return source.constant;
  return wave.mask_at(source.index);
}

// Modifiers ---------------------------------------------------------------------------------------------------------

uint32_t select_part(uint32_t value, Select select, bool sign) {
  switch (select) {
  case Select::Byte0:
  case Select::Byte1:
  case Select::Byte2:
  case Select::Byte3: {
    const uint32_t byte = value >> (8 * static_cast<unsigned>(select)) & 0xffU;
    return sign && (byte & 0x80U) ? byte | 0xffffff00U : byte;
  }
  case Select::Word0:
  case Select::Word1: {
    const uint32_t word = value >> (select == Select::Word1 ? 16 : 0) & 0xffffU;
    return sign && (word & 0x8000U) ? word | 0xffff0000U : word;
  }
  case Select::Dword: break;
  }
  return value;
}

struct SignBits {
  uint32_t low = 0, high = 0;
};
SignBits sign_bits(ValueType type) {
  switch (type) {
  case ValueType::F16:
  case ValueType::BF16:
  case ValueType::B16: return {0x8000U, 0};
  case ValueType::F32:
  case ValueType::B32: return {0x80000000U, 0};
  case ValueType::F64:
  case ValueType::B64: return {0, 0x80000000U};
  case ValueType::None:
  case ValueType::Mask:
  case ValueType::B16x2:
  case ValueType::F16x2:
  case ValueType::B32x2:
  case ValueType::F32x2: break;
  }
  return {};
}

void modify_packed16(uint32_t* row, unsigned lanes, uint8_t modifiers) {
  const unsigned low_shift = modifiers & kOpSel ? 16 : 0, high_shift = modifiers & kOpSelHigh ? 16 : 0;
  const uint32_t flip = (modifiers & kNeg ? 0x8000U : 0U) | (modifiers & kNegHigh ? 0x80000000U : 0U);
  for (unsigned i = 0; i < lanes; ++i) {
    const uint32_t value = row[i];
    row[i] = ((value >> low_shift & 0xffffU) | (value >> high_shift & 0xffffU) << 16) ^ flip;
  }
}

void modify_packed32(uint32_t* rows, unsigned lanes, uint8_t modifiers) {
  const uint32_t flip_low = modifiers & kNeg ? 0x80000000U : 0U, flip_high = modifiers & kNegHigh ? 0x80000000U : 0U;
  for (unsigned i = 0; i < lanes; ++i) {
    const uint32_t low = rows[i], high = rows[i + lanes];
    rows[i] = (modifiers & kOpSel ? high : low) ^ flip_low;
    rows[i + lanes] = (modifiers & kOpSelHigh ? high : low) ^ flip_high;
  }
}

float half_to_float(uint32_t bits) {
  const uint32_t sign = (bits & 0x8000U) << 16, exponent = bits >> 10 & 0x1fU, fraction = bits & 0x3ffU;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000U | fraction << 13);
  if (exponent == 0) {
    const float value = static_cast<float>(fraction) * 0x1p-24F;
    return sign ? -value : value;
  }
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

// v_fma_mix_*: op_sel_hi says that the source is a half, op_sel which.
void modify_mixed(uint32_t* row, unsigned lanes, uint8_t modifiers) {
  for (unsigned i = 0; i < lanes; ++i) {
    uint32_t value = row[i];
    if (modifiers & kOpSelHigh)
      value = std::bit_cast<uint32_t>(half_to_float(modifiers & kOpSel ? value >> 16 : value & 0xffffU));
    if (modifiers & kAbs) value &= 0x7fffffffU;
    if (modifiers & kNeg) value ^= 0x80000000U;
    row[i] = value;
  }
}

void modify(uint32_t* rows, unsigned lanes, const Source& source, ValueType type, bool sdwa) {
  const uint8_t modifiers = source.modifiers;
  if (type == ValueType::F16x2 || type == ValueType::B16x2) {
    if (!sdwa) modify_packed16(rows, lanes, modifiers);
    return;
  }
  if (type == ValueType::F32x2 || type == ValueType::B32x2) {
    modify_packed32(rows, lanes, modifiers);
    return;
  }
  if (sdwa)
    for (unsigned i = 0; i < lanes; ++i) rows[i] = select_part(rows[i], source.select, (modifiers & kSext) != 0);
  const bool half = type == ValueType::F16 || type == ValueType::B16 || type == ValueType::BF16;
  if (half && (modifiers & kOpSel) && !sdwa)
    for (unsigned i = 0; i < lanes; ++i) rows[i] >>= 16;
  const SignBits bits = sign_bits(type);
  if (modifiers & kAbs)
    for (unsigned i = 0; i < lanes; ++i) rows[i] &= ~bits.low;
  if (modifiers & kNeg)
    for (unsigned i = 0; i < lanes; ++i) rows[i] ^= bits.low;
  if (!bits.high) return;
  if (modifiers & kAbs)
    for (unsigned i = 0; i < lanes; ++i) rows[i + lanes] &= ~bits.high;
  if (modifiers & kNeg)
    for (unsigned i = 0; i < lanes; ++i) rows[i + lanes] ^= bits.high;
}

// Moves lanes of the first source; returns the lanes that may be written.
uint64_t permute(const Wave& wave, const VopExtra& extra, const uint32_t* from, unsigned words, uint32_t* to) {
  const uint64_t exec = wave.exec();
  uint64_t writable = 0;
  for (unsigned lane = 0; lane < wave.lanes; ++lane) {
    const bool enabled = extra.dpp == VopExtra::Dpp::Dpp8 ||
                         ((extra.row_mask >> (lane / 16 & 3U) & 1U) && (extra.bank_mask >> (lane / 4 & 3U) & 1U));
    const int other = dpp_source_lane(extra, lane, wave.lanes);
    const bool valid = other >= 0 && (extra.fetch_inactive || (exec >> other & 1U));
    for (unsigned word = 0; word < words; ++word)
      to[lane + word * wave.lanes] = valid ? from[static_cast<unsigned>(other) + word * wave.lanes] : 0;
    if (enabled && (valid || extra.bound_control || extra.dpp == VopExtra::Dpp::Dpp8)) writable |= 1ULL << lane;
  }
  return writable;
}

// Results -----------------------------------------------------------------------------------------------------------

template <class T> T clamp_value(T value, bool dx10) {
  if (value != value) return dx10 ? T(0) : value;
  if (!(value > T(0))) return T(0);
  return value > T(1) ? T(1) : value;
}

uint32_t clamp_half(uint32_t bits, bool dx10) {
  if ((bits & 0x7fffU) > 0x7c00U) return dx10 ? 0 : bits;
  if (bits & 0x8000U) return 0;
  return bits > 0x3c00U ? 0x3c00U : bits;
}

// Output modifiers do nothing where denormal results are kept, nor in IEEE mode (a bit that gfx12 no longer has).
bool scales(const Wave& wave, const VopExtra& extra, ValueType type) {
  const bool single = type == ValueType::F32 || type == ValueType::F32x2;
  const bool keeps_denormals = single ? wave.mode.f32_denorm_out : wave.mode.f64_f16_denorm_out;
  return extra.omod && !keeps_denormals && (wave.generation >= 12 || !wave.mode.ieee);
}

// Exact but for what becomes too large or too small.
uint32_t scale_half(uint32_t bits, float scale) {
  if ((bits & 0x7c00U) == 0x7c00U) return bits;
  const float value = half_to_float(bits & 0xffffU) * scale;
  if (value > -0x1p-14F && value < 0x1p-14F) return 0;
  if (value >= 0x1p16F || value <= -0x1p16F) return (bits & 0x8000U) | 0x7c00U;
  const uint32_t wide = std::bit_cast<uint32_t>(value);
  return (bits & 0x8000U) | ((wide >> 23 & 0xffU) - 112) << 10 | (wide >> 13 & 0x3ffU);
}

void finish_f32(uint32_t* row, unsigned lanes, const VopExtra& extra, const meaning::FloatMode& mode, bool scale) {
  static constexpr float kScale[4] = {1.0F, 2.0F, 4.0F, 0.5F};
  for (unsigned i = 0; i < lanes; ++i) {
    float value = std::bit_cast<float>(row[i]);
    if (scale) {
      value *= kScale[extra.omod & 3U];
      if (value > -0x1p-126F && value < 0x1p-126F) value = 0.0F;
    }
    if (extra.clamp) value = clamp_value(value, mode.dx10_clamp);
    row[i] = std::bit_cast<uint32_t>(value);
  }
}

void finish_f64(uint32_t* rows, unsigned lanes, const VopExtra& extra, const meaning::FloatMode& mode, bool scale) {
  static constexpr double kScale[4] = {1.0, 2.0, 4.0, 0.5};
  for (unsigned i = 0; i < lanes; ++i) {
    double value = std::bit_cast<double>(static_cast<uint64_t>(rows[i + lanes]) << 32 | rows[i]);
    if (scale) {
      value *= kScale[extra.omod & 3U];
      if (value > -0x1p-1022 && value < 0x1p-1022) value = 0.0;
    }
    if (extra.clamp) value = clamp_value(value, mode.dx10_clamp);
    const uint64_t bits = std::bit_cast<uint64_t>(value);
    rows[i] = static_cast<uint32_t>(bits);
    rows[i + lanes] = static_cast<uint32_t>(bits >> 32);
  }
}

void finish_halves(uint32_t* row, unsigned lanes, const VopExtra& extra, bool dx10, bool packed, bool scale) {
  static constexpr float kScale[4] = {1.0F, 2.0F, 4.0F, 0.5F};
  for (unsigned i = 0; scale && !packed && i < lanes; ++i) row[i] = scale_half(row[i], kScale[extra.omod & 3U]);
  for (unsigned i = 0; extra.clamp && i < lanes; ++i) {
    const uint32_t low = clamp_half(row[i] & 0xffffU, dx10);
    row[i] = low | (packed ? clamp_half(row[i] >> 16, dx10) << 16 : 0U);
  }
}

void finish(const Wave& wave, uint32_t* rows, ValueType type, const VopExtra& extra) {
  if (!extra.clamp && !extra.omod) return;
  const meaning::FloatMode& mode = wave.mode;
  const unsigned lanes = wave.lanes;
  const bool scale = scales(wave, extra, type);
  switch (type) {
  case ValueType::F32: finish_f32(rows, lanes, extra, mode, scale); break;
  case ValueType::F64: finish_f64(rows, lanes, extra, mode, scale); break;
  case ValueType::F16: finish_halves(rows, lanes, extra, mode.dx10_clamp, false, scale); break;
  case ValueType::F16x2: finish_halves(rows, lanes, extra, mode.dx10_clamp, true, scale); break;
  case ValueType::F32x2:
    finish_f32(rows, lanes, extra, mode, scale);
    finish_f32(rows + lanes, lanes, extra, mode, scale);
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

uint32_t place(uint32_t result, uint32_t old, const VopExtra& extra) {
  if (extra.dst_high) return (old & 0xffffU) | result << 16;
  if (extra.keep_high) return (old & 0xffff0000U) | (result & 0xffffU);
  if (!extra.sdwa || extra.dst_sel == Select::Dword) return result;
  const unsigned select = static_cast<unsigned>(extra.dst_sel);
  const bool word = extra.dst_sel >= Select::Word0;
  const unsigned width = word ? 16 : 8, shift = word ? 16 * (select - 4) : 8 * select;
  const uint32_t mask = (1U << width) - 1;
  uint32_t value = (result & mask) << shift;
  switch (extra.dst_unused) {
  case VopExtra::Unused::Pad: break;
  case VopExtra::Unused::Sext:
    if (result >> (width - 1) & 1U) value |= shift + width < 32 ? ~0U << (shift + width) : 0U;
    break;
  case VopExtra::Unused::Preserve: value |= old & ~(mask << shift); break;
  }
  return value;
}

void store(Wave& wave, const Op* op, const uint32_t* rows, unsigned words, uint64_t exec) {
  uint32_t* const dst = wave.reg(op->dst);
  for (unsigned lane = 0; lane < wave.lanes; ++lane)
    if (exec >> lane & 1U) dst[lane] = place(rows[lane], dst[lane], *op->extra);
  if (words == 2)
    for (unsigned lane = 0; lane < wave.lanes; ++lane)
      if (exec >> lane & 1U) dst[lane + wave.lanes] = rows[lane + wave.lanes];
}

// Without modifiers both results of a pair come from its low half.
bool is_packed(ValueType type) {
  return type == ValueType::F16x2 || type == ValueType::B16x2 || type == ValueType::F32x2 || type == ValueType::B32x2;
}

// Fetches all sources with their modifiers into rows; returns the lanes that DPP lets through.
uint64_t fetch_modified(Wave& wave, const Op* op, const ValuInfo& info, Rows* rows, LaneArgs& args) {
  uint64_t writable = wave.lane_mask;
  const VopExtra& extra = *op->extra;
  for (unsigned i = 0; i < info.sources; ++i) {
    const Source& source = op->src[i];
    const unsigned words = words_of(info.source[i]);
    if (source.kind == SourceKind::Vector) {
      const uint32_t* const from = wave.reg(source.index);
      if (i == 0 && extra.dpp != VopExtra::Dpp::None)
        writable = permute(wave, extra, from, words, rows[i]);
      else
        std::memcpy(rows[i], from, words * wave.lanes * sizeof(uint32_t));
    } else {
      spread(wave, source, words, rows[i]);
    }
    if (op->immediate & 1U) // a v_*_mix_* opcode
      modify_mixed(rows[i], wave.lanes, source.modifiers);
    else if (source.modifiers || extra.sdwa || is_packed(info.source[i]))
      modify(rows[i], wave.lanes, source, info.source[i], extra.sdwa);
    args.src[i] = rows[i];
  }
  return writable;
}

} // namespace

int dpp_source_lane(const VopExtra& extra, unsigned lane, unsigned lanes) {
  const unsigned control = extra.dpp_control, amount = control & 15U, row = lane & ~15U, in_row = lane & 15U;
  const int self = static_cast<int>(lane), count = static_cast<int>(lanes);
  if (extra.dpp == VopExtra::Dpp::Dpp8) return static_cast<int>((lane & ~7U) + (control >> (3 * (lane & 7U)) & 7U));
  if (control < 0x100) return static_cast<int>((lane & ~3U) + (control >> (2 * (lane & 3U)) & 3U));
  switch (control >> 4) {
  case 0x10: return in_row + amount < 16 ? static_cast<int>(lane + amount) : -1;           // row_shl
  case 0x11: return in_row >= amount ? static_cast<int>(lane - amount) : -1;               // row_shr
  case 0x12: return static_cast<int>(row + ((in_row - amount) & 15U));                      // row_ror
  case 0x15: return static_cast<int>(row + amount);                                         // row_share, row_newbcast
  case 0x16: return static_cast<int>(row + (in_row ^ amount));                              // row_xmask
  default: break;
  }
  switch (control) {
  case 0x130: return self + 1 < count ? self + 1 : -1;          // wave_shl:1
  case 0x134: return (self + 1) % count;                        // wave_rol:1
  case 0x138: return self - 1;                                  // wave_shr:1
  case 0x13C: return (self + count - 1) % count;                // wave_ror:1
  case 0x140: return static_cast<int>(row + (15 - in_row));     // row_mirror
  case 0x141: return static_cast<int>((lane & ~7U) + (7 - (lane & 7U))); // row_half_mirror
  case 0x142: return row == 0 ? -1 : static_cast<int>(row - 1); // row_bcast:15
  case 0x143: return lane < 32 ? -1 : 31;                       // row_bcast:31
  default: return -1;
  }
}

namespace {
// Rows with signs changed: abs, then neg, of one- and two-word floats.
void copy_signed(const Wave& wave, const uint32_t* from, const Source& source, ValueType type, uint32_t* to) {
  const SignBits bits = sign_bits(type);
  const unsigned lanes = wave.lanes;
  const uint32_t clear_low = source.modifiers & kAbs ? ~bits.low : ~0U, flip_low = source.modifiers & kNeg ? bits.low : 0U;
  for (unsigned i = 0; i < lanes; ++i) to[i] = (from[i] & clear_low) ^ flip_low;
  if (words_of(type) == 1) return;
  const uint32_t clear_high = source.modifiers & kAbs ? ~bits.high : ~0U, flip_high = source.modifiers & kNeg ? bits.high : 0U;
  for (unsigned i = lanes; i < 2 * lanes; ++i) to[i] = (from[i] & clear_high) ^ flip_high;
}

template <bool Signed> const Op* run_unmoved(Wave& wave, const Op* op) {
  const ValuInfo& info = *static_cast<const ValuInfo*>(op->table);
  alignas(64) Rows rows[kMaxSources];
  LaneArgs args;
  args.stride = wave.lanes;
  args.dst = wave.reg(op->dst);
  args.keep = op->immediate;
  for (unsigned i = 0; i < info.sources; ++i) {
    const Source& source = op->src[i];
    const uint32_t* from = rows[i];
    if (source.kind == SourceKind::Vector)
      from = wave.reg(source.index);
    else
      spread(wave, source, words_of(info.source[i]), rows[i]);
    args.src[i] = from;
    if (!Signed || !source.modifiers) continue;
    copy_signed(wave, from, source, info.source[i], rows[i]);
    args.src[i] = rows[i];
  }
  const uint64_t carry = call_kernel(wave, info, args, wave.exec(), carry_of(wave, info, op));
  if (info.gives_carry) wave.set_mask(op->dst2, carry);
  return op + 1;
}
} // namespace

const Op* run_valu(Wave& wave, const Op* op) { return run_unmoved<false>(wave, op); }

// Modifiers that only change signs of sources: the usual case, and nearly as quick as none.
const Op* run_valu_signed(Wave& wave, const Op* op) { return run_unmoved<true>(wave, op); }

namespace {
// Lanes is a constant so that register rows are found by shifts, and a wave of 32 keeps nothing for a second half.
template <unsigned Sources, unsigned Lanes> const Op* run_valu_registers(Wave& wave, const Op* op) {
  const LaneKernel kernel = static_cast<const ValuInfo*>(op->table)->kernel[static_cast<unsigned>(wave.mode_kind)];
  const uint64_t exec = wave.exec();
  LaneArgs args;
  args.dst = wave.v + size_t{op->dst} * Lanes;
  for (unsigned i = 0; i < Sources; ++i) args.src[i] = wave.v + size_t{op->src[i].index} * Lanes;
  args.stride = Lanes;
  args.exec = static_cast<uint32_t>(exec);
  args.keep = op->immediate;
  args.mode = &wave.mode;
  kernel(args);
  if constexpr (Lanes == 64) {
    args.dst += 32;
    for (unsigned i = 0; i < Sources; ++i) args.src[i] += 32;
    args.exec = static_cast<uint32_t>(exec >> 32);
    kernel(args);
  }
  return op + 1;
}
} // namespace

Handler plain_handler(const ValuInfo& info, const Op& op, unsigned lanes) {
  static constexpr Handler kHandlers[3][2] = {{run_valu_registers<1, 32>, run_valu_registers<1, 64>},
                                                {run_valu_registers<2, 32>, run_valu_registers<2, 64>},
                                                {run_valu_registers<3, 32>, run_valu_registers<3, 64>}};
  if (info.takes_carry || info.gives_carry || info.result == ValueType::None) return run_valu;
  if (info.sources < 1 || info.sources > 3) return run_valu;
  for (unsigned i = 0; i < info.sources; ++i)
    if (op.src[i].kind != SourceKind::Vector) return run_valu;
  return kHandlers[info.sources - 1][lanes == 64];
}

const Op* run_valu_modified(Wave& wave, const Op* op) {
  const ValuInfo& info = *static_cast<const ValuInfo*>(op->table);
  alignas(64) Rows rows[kMaxSources];
  alignas(64) Rows result;
  LaneArgs args;
  args.stride = wave.lanes;
  args.dst = result;
  args.keep = 0;
  const uint64_t exec = wave.exec() & fetch_modified(wave, op, info, rows, args);
  const uint64_t carry = call_kernel(wave, info, args, wave.lane_mask, carry_of(wave, info, op)) & exec;
  if (info.result != ValueType::None) {
    finish(wave, result, info.result, *op->extra);
    store(wave, op, result, words_of(info.result), exec);
  }
  if (info.gives_carry) wave.set_mask(op->dst2, carry);
  return op + 1;
}

// EXEC := the lanes of EXEC for which the comparison holds; before gfx10 the scalar destination gets the same.
const Op* run_compare_exec(Wave& wave, const Op* op) {
  const ValuInfo& info = *static_cast<const ValuInfo*>(op->table);
  alignas(64) Rows rows[kMaxSources];
  LaneArgs args;
  args.stride = wave.lanes;
  args.dst = nullptr;
  args.keep = 0;
  const uint64_t exec = wave.exec() & fetch_modified(wave, op, info, rows, args);
  const uint64_t result = call_kernel(wave, info, args, exec, 0);
  if (op->dst_is_scalar) wave.set_mask(op->dst2, result);
  wave.set_mask(kExec, result);
  return op + 1;
}

} // namespace ptxshim::vgpu
