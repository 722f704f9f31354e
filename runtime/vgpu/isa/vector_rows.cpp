// SPDX-License-Identifier: MIT
// Rows of vector ALU opcodes: which lane kernel, which of the instruction's operands are its sources, what modifiers.
//
// Operands come as LLVM lists them: results; for DPP the old value of the destination; sources, each after its modifiers
// where the encoding has them; a lane mask where the opcode takes one; then immediates. A lane mask that is not listed
// is VCC.

#include <cstring>
#include <string>
#include <unordered_map>

#include "control.h"
#include "rows.h"
#include "valu_bind.h"

namespace ptxshim::vgpu {
namespace {

struct NamedRow {
  const char* name;
  Fidelity fidelity;
  const char* note;
};
// clang-format off
constexpr NamedRow kRows[] = {
#define VALU(name, fidelity, note) {#name, Fidelity::fidelity, note},
#include "vop_float.def"
#define VALU(name, fidelity, note) {#name, Fidelity::fidelity, note},
#include "vop_integer.def"
#define VALU(name, fidelity, note) {#name, Fidelity::fidelity, note},
#include "vop_compare.def"
#define VALU(name, fidelity, note) {#name, Fidelity::fidelity, note},
#include "vop_packed.def"
};
// clang-format on

using InfoMap = std::unordered_map<std::string_view, const ValuInfo*>;

const InfoMap& infos() {
  static const InfoMap* const kInfos = [] {
    InfoMap* const maps = new InfoMap[kHostIsas];
    for (unsigned isa = 0; isa < kHostIsas; ++isa) {
      const ValuTable* const tables = valu_tables(static_cast<HostIsa>(isa));
      for (unsigned group = 0; group < kValuGroups; ++group)
        for (unsigned i = 0; i < tables[group].count; ++i) maps[isa].emplace(tables[group].infos[i].name, &tables[group].infos[i]);
    }
    return maps;
  }();
  return kInfos[static_cast<unsigned>(host_isa())];
}
const ValuInfo* info_of(const Row& row) { return infos().at(static_cast<const ValuInfo*>(row.table)->name); }

bool starts_with(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

bool is_float(ValueType type) {
  return type == ValueType::F16 || type == ValueType::F32 || type == ValueType::F64 || type == ValueType::F16x2 ||
         type == ValueType::F32x2;
}
bool is_pair(ValueType type) {
  return type == ValueType::F16x2 || type == ValueType::B16x2 || type == ValueType::F32x2 || type == ValueType::B32x2;
}
bool is_half(ValueType type) { return type == ValueType::F16 || type == ValueType::B16 || type == ValueType::BF16; }

struct Parsed {
  unsigned sources = 0;
  unsigned first_immediate = 0; // operands after the sources and the lane mask
};

void sign_extend_literal(const Instruction& in, ValueType type, Source& source) {
  if (type == ValueType::B64 && source.kind == SourceKind::Constant && source.constant >> 31 == 1 &&
      in.mnemonic.find("_i64") != std::string_view::npos)
    source.constant |= 0xffffffff00000000ULL;
}

// Clamp, DPP controls and their like, which follow the sources. Constants as sources have types of their own.
bool is_field(const Operand& operand) {
  constexpr uint8_t kUnknown = 0, kImmediate = 1; // llvm::MCOI::OperandType
  return operand.kind == OperandKind::Immediate && (operand.type == kUnknown || operand.type == kImmediate);
}

// Walks the operands; false when they do not fit the meaning.
bool parse_operands(const Instruction& in, const ValuInfo& info, Op& op, Parsed& parsed) {
  unsigned i = 0;
  bool mask_set = false;
  for (; i < in.count && in.operands[i].is_definition; ++i) {
    const Operand& operand = in.operands[i];
    if (operand.kind == OperandKind::Vector) {
      op.dst = operand.index;
    } else {
      op.dst2 = destination_slot(operand);
      mask_set = true;
    }
  }
  if (!mask_set) op.dst2 = kVcc;
  const bool has_old_value = (in.flags & flag::kDpp) && i < in.count && !in.operands[i].is_modifiers &&
                             (in.operands[i].tied_to == 0 || in.operands[i].kind == OperandKind::None);
  if (has_old_value) ++i;
  uint8_t modifiers = 0;
  for (; i < in.count && parsed.sources < info.sources; ++i) {
    const Operand& operand = in.operands[i];
    if (operand.is_modifiers) {
      modifiers = static_cast<uint8_t>(operand.value & 0xf);
      continue;
    }
    if (is_field(operand)) break;
    Source& source = op.src[parsed.sources];
    if (!bind_source(operand, source)) return false;
    if (operand.tied_to >= 0 && source.kind == SourceKind::Vector) source.index = op.dst;
    source.modifiers = modifiers;
    modifiers = 0;
    sign_extend_literal(in, info.source[parsed.sources], source);
    ++parsed.sources;
  }
  while (parsed.sources < info.sources) { // v_mac and its like: the destination is the last source
    Source& source = op.src[parsed.sources++];
    source = Source{};
    source.kind = SourceKind::Vector;
    source.index = op.dst;
  }
  if (info.takes_carry) {
    Source& mask = op.src[info.sources];
    const bool names_mask = in.mnemonic.find("v_div_fmas") == std::string_view::npos; // that one takes VCC without naming it
    if (names_mask && (in.flags & flag::kVop3) && i < in.count && in.operands[i].kind != OperandKind::None && !in.operands[i].is_modifiers) {
      if (!bind_source(in.operands[i++], mask)) return false;
    } else {
      mask = Source{};
      mask.kind = SourceKind::Scalar;
      mask.index = kVcc;
    }
  }
  parsed.first_immediate = i;
  return true;
}

// DPP and SDWA fields are the last immediates.
bool parse_dpp(const Instruction& in, VopExtra& extra) {
  const std::string_view name = in.name;
  if (name.find("dpp8") != std::string_view::npos) {
    if (in.count < 2) return false;
    extra.dpp = VopExtra::Dpp::Dpp8;
    extra.dpp_control = static_cast<uint32_t>(in.operands[in.count - 2].value);
    extra.fetch_inactive = in.operands[in.count - 1].value == 0xea || in.operands[in.count - 1].value == 1;
    return true;
  }
  const bool has_fetch = name.find("_vi") == std::string_view::npos && name.find("_gfx9") == std::string_view::npos;
  const unsigned fields = has_fetch ? 5 : 4;
  if (in.count < fields) return false;
  const Operand* const field = &in.operands[in.count - fields];
  extra.dpp = VopExtra::Dpp::Dpp16;
  extra.dpp_control = static_cast<uint32_t>(field[0].value);
  extra.row_mask = static_cast<uint8_t>(field[1].value & 15);
  extra.bank_mask = static_cast<uint8_t>(field[2].value & 15);
  extra.bound_control = field[3].value != 0;
  extra.fetch_inactive = has_fetch && field[4].value != 0;
  return true;
}

bool parse_sdwa(const Instruction& in, const ValuInfo& info, Op& op, VopExtra& extra) {
  const unsigned selects = info.sources < 2 ? 1 : 2; // v_mac's third source is not selected
  const bool has_destination = info.result != ValueType::None;
  const unsigned fields = selects + (has_destination ? 2U : 0U);
  if (in.count < fields) return false;
  const Operand* field = &in.operands[in.count - fields];
  // A tied operand may stand at the very end.
  if (in.operands[in.count - 1].kind == OperandKind::Vector) --field;
  extra.sdwa = true;
  if (has_destination) {
    extra.dst_sel = static_cast<Select>(field[0].value & 7);
    extra.dst_unused = static_cast<VopExtra::Unused>(field[1].value & 3);
    field += 2;
  }
  for (unsigned i = 0; i < selects; ++i) {
    if (field[i].kind != OperandKind::Immediate || field[i].value > 6) return false;
    op.src[i].select = static_cast<Select>(field[i].value);
    const ValueType type = info.source[i];
    const bool integer = type == ValueType::B16 || type == ValueType::B32;
    if (integer && in.mnemonic != "v_cndmask_b32" && (op.src[i].modifiers & kNeg))
      op.src[i].modifiers = static_cast<uint8_t>((op.src[i].modifiers & ~kNeg) | kSext);
  }
  return true;
}

bool is_mix(std::string_view mnemonic) { return starts_with(mnemonic, "v_fma_mix") || starts_with(mnemonic, "v_mad_mix"); }

// gfx10 and later keep the other half of a 16-bit destination. gfx9 clears it, but for the opcodes that have only the
// VOP3 form and thus op_sel, and of these not for the "legacy" ones.
bool keeps_high_half(const BindContext& context, const Instruction& in) {
  if (context.target.generation >= 10) return true;
  return (in.flags & flag::kVop3) && in.name.find("_e64") == std::string_view::npos &&
         in.mnemonic.find("legacy") == std::string_view::npos;
}

// Signs are for numbers, and for what picks numbers. LLVM reads the bits of the other operands too.
bool takes_signs(const Instruction& in, ValueType type) {
  const bool number = is_float(type) || type == ValueType::BF16 || in.mnemonic.find("_bf16") != std::string_view::npos;
  return number || starts_with(in.mnemonic, "v_cndmask_");
}

// False: signs of pairs, which only VOP3P has fields for.
bool drop_meaningless_signs(const Instruction& in, const ValuInfo& info, Op& op) {
  for (unsigned i = 0; i < info.sources; ++i) {
    if (takes_signs(in, info.source[i]) && is_pair(info.source[i]) && (op.src[i].modifiers & (kNeg | kAbs))) return false;
    if (!takes_signs(in, info.source[i])) op.src[i].modifiers &= static_cast<uint8_t>(~(kNeg | kAbs));
  }
  return true;
}

// LLVM reads the inline numbers of v_*_mix_* as halves. Where op_sel_hi says that the operand is a single they are singles;
// false: it could also be a literal.
bool widen_mixed_constants(const Instruction& in, Op& op) {
  struct Number {
    uint16_t half;
    uint32_t single;
  };
  static constexpr Number kNumbers[] = {{0x3800, 0x3f000000}, {0xb800, 0xbf000000}, {0x3c00, 0x3f800000},
                                        {0xbc00, 0xbf800000}, {0x4000, 0x40000000}, {0xc000, 0xc0000000},
                                        {0x4400, 0x40800000}, {0xc400, 0xc0800000}, {0x3118, 0x3e22f983}};
  const bool literals = in.size > 8 && !(in.flags & flag::kDpp);
  for (unsigned i = 0; i < 3; ++i) {
    Source& source = op.src[i];
    if (source.kind != SourceKind::Constant || (source.modifiers & kOpSelHigh)) continue;
    for (const Number& number : kNumbers) {
      if (source.constant != number.half) continue;
      if (literals) return false;
      source.constant = number.single;
      break;
    }
  }
  return true;
}

// An integer opcode with the clamp bit: what it then means. A choice among its operands cannot go beyond the range.
bool saturate(std::string_view mnemonic, const ValuInfo*& info) {
  for (const char* choice : {"v_min3_", "v_max3_", "v_med3_"})
    if (starts_with(mnemonic, choice)) return true;
  std::string name(info->name);
  if (const size_t legacy = name.find("_legacy"); legacy != std::string::npos) name.erase(legacy, 7);
  const auto found = infos().find(name + "_sat");
  if (found == infos().end()) return false;
  info = found->second;
  return true;
}

// Sums of products of floats have no clamp bit (RDNA3 and RDNA4 ISA, 7.2.3.1).
bool ignores_clamp(const BindContext& context, const Instruction& in, const ValuInfo& info) {
  return context.target.generation >= 11 && starts_with(in.mnemonic, "v_dot") && is_float(info.result);
}

// Reads what the instruction's form adds to its operands and plans the operation; a clamped integer operation has a meaning
// of its own.
bool bind_forms(const BindContext& context, const Instruction& in, const ValuInfo* info, bool to_exec, Op& op) {
  VopExtra extra;
  extra.to_exec = to_exec;
  const bool vop3p = (in.flags & flag::kVop3p) && !(in.flags & flag::kVop2);
  const bool mix = is_mix(in.mnemonic);
  if (!vop3p && !(in.flags & flag::kSdwa) && !drop_meaningless_signs(in, *info, op)) return false;
  if (mix && !widen_mixed_constants(in, op)) return false;
  if ((in.flags & flag::kVop3) && !vop3p && !(in.flags & flag::kSdwa)) { // op_sel of the destination lies in the first source's bits
    if (info->result != ValueType::None && is_half(info->result) && (op.src[0].modifiers & kOpSelHigh)) extra.dst_high = true;
    for (unsigned i = 0; i < info->sources; ++i) op.src[i].modifiers &= static_cast<uint8_t>(~kOpSelHigh);
  }
  if (in.mnemonic.find("mixhi") != std::string_view::npos) extra.dst_high = true;
  if ((in.flags & flag::kDpp) && !parse_dpp(in, extra)) return false;
  if ((in.flags & flag::kSdwa) && !parse_sdwa(in, *info, op, extra)) return false;
  extra.clamp = info->result != ValueType::None && text_has(in, "clamp"); // of a comparison: NaNs signal, the result is the same
  extra.clamp = extra.clamp && !ignores_clamp(context, in, *info);
  if (text_has(in, "mul:2")) extra.omod = 1;
  if (text_has(in, "mul:4")) extra.omod = 2;
  if (text_has(in, "div:2")) extra.omod = 3;
  if (extra.clamp && !is_float(info->result)) {
    if (!saturate(in.mnemonic, info)) return false;
    extra.clamp = false;
  }
  extra.keep_high = is_half(info->result) && !extra.sdwa && !extra.dst_high && keeps_high_half(context, in);
  plan_valu(context, *info, extra, vop3p, mix, op);
  return true;
}

// EXEC := the lanes of EXEC for which the comparison holds; before gfx10 the scalar destination gets the same.
bool bind_compare_exec(const BindContext& context, const Instruction& in, const Row& row, Op& op) {
  const ValuInfo* info = info_of(row);
  Parsed parsed;
  if (!parse_operands(in, *info, op, parsed)) return false;
  const bool only_exec = context.target.generation >= 10;
  if (only_exec) op.dst2 = kExec;
  return bind_forms(context, in, info, !only_exec, op);
}

// Conversions of 8-bit floats: gfx942 has formats of its own, and a byte or half of a register is chosen by SDWA, op_sel
// or byte_sel. Results of less than a register leave the rest of it alone.
bool bind_float8(const BindContext& context, const Instruction& in, const Row& row, Op& op) {
  const ValuInfo* info = info_of(row);
  if (context.target.is_gfx940) info = infos().at(std::string(row.name) + "_fnuz");
  Parsed parsed;
  VopExtra extra;
  if (!parse_operands(in, *info, op, parsed)) return false;
  for (const char* field : {"clamp", "mul:2", "mul:4", "div:2"})
    if (text_has(in, field)) return false;
  if ((in.flags & flag::kDpp) && !parse_dpp(in, extra)) return false;
  int64_t byte = 0;
  text_number(in, "byte_sel:", byte);
  const bool pair = in.mnemonic.find("_pk_") != std::string_view::npos;
  const bool op_sel = (op.src[0].modifiers & kOpSel) != 0, high = (op.src[0].modifiers & kOpSelHigh) != 0;
  for (unsigned i = 0; i < info->sources; ++i) op.src[i].modifiers &= kNeg | kAbs;
  if (info->result == ValueType::B16) { // two bytes
    extra.dst_high = high;
    extra.keep_high = true;
  } else if (info->result == ValueType::B32) { // one byte
    const unsigned at = parsed.first_immediate;
    if (at < in.count && in.operands[at].is_modifiers) byte = (high ? 2 : 0) + (in.operands[at].value & kOpSel ? 1 : 0);
    extra.sdwa = true;
    extra.dst_sel = static_cast<Select>(byte & 3);
    extra.dst_unused = VopExtra::Unused::Preserve;
  } else {
    extra.sdwa = true;
    op.src[0].select = static_cast<Select>(pair ? (op_sel ? Select::Word1 : Select::Word0) : static_cast<Select>(byte & 3));
    if (in.flags & flag::kSdwa) op.src[0].select = static_cast<Select>(in.operands[in.count - 1].value);
  }
  plan_valu(context, *info, extra, false, false, op);
  return true;
}
bool is_float8(std::string_view name) {
  return starts_with(name, "v_cvt_") && (name.find("fp8") != std::string_view::npos || name.find("bf8") != std::string_view::npos);
}

// Opcodes with handlers of their own: sources in order, results likewise.
bool bind_lanes(const BindContext&, const Instruction& in, const Row& row, Op& op) {
  if (in.flags & (flag::kSdwa | flag::kDpp)) return false;
  unsigned sources = 0;
  uint8_t modifiers = 0;
  bool have_destination = false;
  const bool swaps = row.run == run_swap || row.run == run_swaprel;
  op.immediate = row.run == run_mqsad ? text_has(in, "clamp") : row.immediate;
  for (unsigned i = 0; i < in.count; ++i) {
    const Operand& operand = in.operands[i];
    if (operand.is_modifiers) {
      modifiers = static_cast<uint8_t>(operand.value & 0xf);
    } else if (operand.is_definition || (!have_destination && i == 0)) { // v_movreld names its destination as a source
      if (have_destination) continue;                                   // v_swap_b32's second result is its source
      op.dst = destination_slot(operand);
      op.dst_is_scalar = operand.kind != OperandKind::Vector;
      have_destination = true;
    } else if (operand.tied_to >= 0 && !swaps) {
      continue;
    } else if (sources < 3 && operand.kind != OperandKind::None) {
      if (swaps && operand.index == op.dst && sources > 0) continue;
      if (!bind_source(operand, op.src[sources])) return false;
      op.src[sources++].modifiers = modifiers;
      modifiers = 0;
    }
  }
  return have_destination && sources > 0;
}

// v_dot4_i32_iu8 and its like: the neg bits of the first two sources are their signs.
bool bind_signed_dot(const BindContext& context, const Instruction& in, const Row& row, Op& op) {
  const ValuInfo* info = info_of(row);
  Parsed parsed;
  if (!parse_operands(in, *info, op, parsed)) return false;
  const std::string signs = {(op.src[0].modifiers & kNeg) ? 's' : 'u', (op.src[1].modifiers & kNeg) ? 's' : 'u'};
  for (unsigned i = 0; i < info->sources; ++i) op.src[i].modifiers = 0;
  const auto found = infos().find(std::string(row.name) + "_" + signs);
  if (found == infos().end()) return false;
  info = found->second;
  return bind_forms(context, in, info, false, op);
}

struct SpecialRow {
  const char* name;
  Handler run;
  uint32_t immediate;
};
// clang-format off
constexpr SpecialRow kSpecial[] = {
#define LANES(name, handler, immediate) {#name, handler, immediate},
#include "vop_lanes.def"
};
constexpr const char* kSignedDots[] = {
#define SIGNED_DOT(name) #name,
#include "vop_packed.def"
};
struct RefusedRow {
  const char* name;
  Fidelity why;
};
constexpr RefusedRow kRefused[] = {
#define REFUSED(name, why) {#name, Fidelity::why},
#include "refused.def"
};
// clang-format on

} // namespace

bool bind_valu(const BindContext& context, const Instruction& in, const Row& row, Op& op) {
  const ValuInfo* info = info_of(row);
  Parsed parsed;
  return parse_operands(in, *info, op, parsed) && bind_forms(context, in, info, false, op);
}

void add_vector_rows(RowSink sink, void* context) {
  for (const NamedRow& named : kRows) {
    const auto found = infos().find(named.name);
    if (found == infos().end()) continue;
    const Binder bind = is_float8(named.name) ? bind_float8 : bind_valu;
    sink(context, named.name, Row(named.name, named.fidelity, bind, found->second->run[0][0], found->second, 0, named.note));
    if (!starts_with(named.name, "v_cmp_")) continue;
    static std::deque<std::string>* const names = new std::deque<std::string>;
    names->push_back("v_cmpx_" + std::string(named.name + 6));
    const char* const name = names->back().c_str();
    sink(context, name, Row(name, named.fidelity, bind_compare_exec, found->second->run[0][0], found->second, 0, named.note));
  }
  for (const char* name : kSignedDots) {
    const auto found = infos().find(std::string(name) + "_uu");
    if (found != infos().end())
      sink(context, name, Row(name, Fidelity::Exact, bind_signed_dot, found->second->run[0][0], found->second, 0, ""));
  }
  for (const SpecialRow& special : kSpecial)
    sink(context, special.name, Row(special.name, Fidelity::Exact, bind_lanes, special.run, nullptr, special.immediate, ""));
  for (const RefusedRow& refused : kRefused)
    sink(context, refused.name, Row(refused.name, refused.why, nullptr, run_unsupported, nullptr, 0, ""));
}

} // namespace ptxshim::vgpu
