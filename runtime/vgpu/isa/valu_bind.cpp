// SPDX-License-Identifier: MIT
// What of a vector operation's operands can be settled once per instruction: constants become rows with their modifiers
// applied; other forms than plain registers become a plan that run_prepared (valu_steps.cpp) follows.

#include "valu_bind.h"

namespace ptxshim::vgpu {
namespace {

using How = Preparation::How;

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

void select_part(Select select, Preparation& how) {
  const unsigned number = static_cast<unsigned>(select);
  if (select < Select::Word0) {
    how.up = static_cast<uint8_t>(24 - 8 * number);
    how.down = 24;
  } else if (select != Select::Dword) {
    how.up = select == Select::Word0 ? 16 : 0;
    how.down = 16;
  }
}

Preparation packed_preparation(uint8_t modifiers, bool halves) {
  Preparation how;
  const bool low = (modifiers & kOpSel) != 0, high = (modifiers & kOpSelHigh) != 0;
  how.how = halves ? How::Halves : How::Pair;
  how.up = low ? (halves ? 16 : 1) : 0;
  how.down = high ? (halves ? 16 : 1) : 0;
  if (modifiers & kNeg) how.flip = halves ? 0x8000U : 0x80000000U;
  if (modifiers & kNegHigh) (halves ? how.flip : how.flip_high) |= 0x80000000U;
  return how;
}

// v_fma_mix_* and its like: op_sel_hi says that the source is a half, op_sel which.
Preparation mixed_preparation(uint8_t modifiers) {
  Preparation how;
  how.how = modifiers & kOpSelHigh ? How::Half : How::Word;
  if ((modifiers & kOpSelHigh) && (modifiers & kOpSel)) how.down = 16;
  if (modifiers & kAbs) how.mask = 0x7fffffffU;
  if (modifiers & kNeg) how.flip = 0x80000000U;
  return how;
}

Preparation preparation_of(const Source& source, ValueType type, bool sdwa, bool packed, bool mixed) {
  if (mixed) return mixed_preparation(source.modifiers);
  const bool words = type == ValueType::F32x2 || type == ValueType::B32x2, halves = type == ValueType::F16x2 || type == ValueType::B16x2;
  if (packed && (words || halves)) return packed_preparation(source.modifiers, halves);
  Preparation how;
  if (words || halves) return how; // encodings without the fields take pairs as they are
  const SignBits bits = sign_bits(type);
  const uint32_t sign = bits.high ? bits.high : bits.low;
  how.how = bits.high ? How::Wide : How::Word;
  if (sdwa) {
    select_part(source.select, how);
    how.extend = (source.modifiers & kSext) != 0;
  } else if ((source.modifiers & kOpSel) && sign == 0x8000U) {
    how.down = 16;
  }
  if (source.modifiers & kAbs) how.mask = ~sign;
  if (source.modifiers & kNeg) how.flip = sign;
  return how;
}

bool changes(const Preparation& how) {
  switch (how.how) {
  case How::Copy: return false;
  case How::Word:
  case How::Wide: return how.up || how.down || how.mask != ~0U || how.flip;
  case How::Halves: return how.up != 0 || how.down != 16 || how.flip;
  case How::Pair: return how.up != 0 || how.down != 1 || how.flip || how.flip_high;
  case How::Half: break;
  }
  return true;
}

void make_row(const BindContext& context, unsigned words, const Preparation& how, Source& source) {
  ConstantRow row{};
  row.constant = source.constant;
  for (unsigned word = 0; word < words; ++word)
    for (unsigned lane = 0; lane < context.wave_size; ++lane)
      row.words[word * context.wave_size + lane] = static_cast<uint32_t>(source.constant >> (32 * word));
  valu_steps().prepare(how, words, context.wave_size, row.words, row.words);
  source.kind = SourceKind::Row;
  source.row = context.constants.keep(row);
}

void plan_moves(unsigned lanes, VopExtra& extra) {
  extra.in_rows = true;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if ((extra.row_mask >> (lane / 16 & 3U) & 1U) && (extra.bank_mask >> (lane / 4 & 3U) & 1U)) extra.lanes_enabled |= 1ULL << lane;
    const int from = dpp_source_lane(extra, lane, lanes);
    if (from < 0) continue;
    extra.lane_from[lane] = static_cast<uint8_t>(from);
    extra.lanes_valid |= 1ULL << lane;
    if (static_cast<unsigned>(from) / 16 != lane / 16) extra.in_rows = false;
  }
  if (extra.dpp == VopExtra::Dpp::Dpp8) extra.lanes_enabled = ~0ULL;
}

Placement placement_of(const VopExtra& extra) {
  Placement place;
  if (extra.dst_high) return {16, 16, false, 0xffffU};
  if (extra.keep_high) return {16, 0, false, 0xffff0000U};
  if (!extra.sdwa || extra.dst_sel == Select::Dword) return place;
  const unsigned select = static_cast<unsigned>(extra.dst_sel);
  const bool word = extra.dst_sel >= Select::Word0;
  place.up = word ? 16 : 24;
  place.shift = static_cast<uint8_t>(word ? 16 * (select - 4) : 8 * select);
  place.extend = extra.dst_unused == VopExtra::Unused::Sext;
  if (extra.dst_unused == VopExtra::Unused::Preserve) place.keep = ~((~0U >> place.up) << place.shift);
  return place;
}

Handler step_before(const ValuInfo& info, const VopExtra& extra, unsigned size) {
  const bool moves = extra.dpp != VopExtra::Dpp::None;
  if (moves && extra.in_rows && extra.prepared == 1 && extra.how[0].how == How::Copy && words_of(info.source[0]) == 1)
    return valu_steps().move[size];
  bool words = !moves;
  for (unsigned i = 0; i < info.sources; ++i)
    if (extra.prepared >> i & 1U) words = words && extra.from[i].kind == SourceKind::Vector && extra.how[i].how == How::Word;
  return words ? valu_steps().select[size] : valu_steps().prepare_any[size];
}

Handler step_behind(const ValuInfo& info, const VopExtra& extra, const Op& op, unsigned size) {
  const bool moves = extra.dpp != VopExtra::Dpp::None, to_exec = info.gives_carry && op.dst2 == kExec;
  if (!extra.finished && !extra.to_exec) return moves && !to_exec ? valu_steps().restore[size] : nullptr;
  const bool single = info.result == ValueType::F32 && !moves && !extra.to_exec && !extra.dst_high && !extra.sdwa;
  return single ? valu_steps().finish_single[size] : valu_steps().finish_any[size];
}

SourceForm form_of_sources(const ValuInfo& info, const Op& op) {
  SourceForm form = SourceForm::Registers;
  for (unsigned i = 0; i < info.sources; ++i) {
    const SourceKind kind = op.src[i].kind;
    const bool sign = kind == SourceKind::Signed;
    if (kind == SourceKind::Vector || (sign && form == SourceForm::Signed)) continue;
    const bool uniform = kind == SourceKind::Row || kind == SourceKind::Scalar;
    if (!(sign || uniform) || form != SourceForm::Registers || i > 2) return SourceForm::Any;
    form = sign ? SourceForm::Signed : static_cast<SourceForm>(static_cast<unsigned>(SourceForm::Uniform0) + i);
  }
  return form;
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

void plan_valu(const BindContext& context, const ValuInfo& info, const VopExtra& form, bool packed, bool mixed, Op& op) {
  VopExtra extra = form;
  for (unsigned i = 0; i < info.sources; ++i) {
    Source& source = op.src[i];
    if (source.kind == SourceKind::Vector) source.sign = {~0U, 0};
    const Preparation how = preparation_of(source, info.source[i], extra.sdwa, packed, mixed);
    const bool moved = i == 0 && extra.dpp != VopExtra::Dpp::None;
    if (source.kind == SourceKind::Constant) {
      make_row(context, words_of(info.source[i]), how, source);
      continue;
    }
    const bool computed = source.kind == SourceKind::Scalar && (source.index == kVccz || source.index == kExecz);
    if (!changes(how) && !moved && !computed) continue;
    const bool sign = (how.how == How::Word || how.how == How::Wide) && !how.up && !how.down;
    if (sign && !moved && source.kind == SourceKind::Vector) {
      source.kind = SourceKind::Signed;
      source.sign = {how.mask, how.flip};
      continue;
    }
    extra.prepared |= static_cast<uint8_t>(1U << i);
    if (changes(how)) extra.how[i] = how;
    extra.from[i] = source;
    source = Source{};
    source.kind = SourceKind::Vector;
    source.index = static_cast<uint16_t>(kSpareSources + 2 * i);
    source.sign = {~0U, 0};
  }
  op.table = &info;
  op.immediate = extra.keep_high ? 0xffff0000U : 0U;
  extra.place = placement_of(extra);
  extra.finished = extra.clamp || extra.omod || extra.dst_high || (extra.sdwa && extra.dst_sel != Select::Dword);
  const unsigned size = context.wave_size == 64 ? 1 : 0;
  extra.handler = info.run[static_cast<size_t>(form_of_sources(info, op))][size];
  op.run = extra.handler;
  if (extra.dpp != VopExtra::Dpp::None) plan_moves(context.wave_size, extra);
  extra.after = step_behind(info, extra, op, size);
  if (!extra.prepared && !extra.after && !extra.sdwa) return;
  if (extra.prepared) op.run = step_before(info, extra, size);
  if (extra.finished) {
    op.immediate = 0;
    extra.dst = op.dst;
    op.dst = kSpareResult;
  }
  context.extras.push_back(extra);
  op.extra = &context.extras.back();
}

} // namespace ptxshim::vgpu
