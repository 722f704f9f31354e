// SPDX-License-Identifier: MIT
#include "op_text.h"

#include "control.h"
#include "gpr_index.h"
#include "gws.h"
#include "lds.h"
#include "lds_special.h"
#include "memory_bind.h"
#include "memory_ops.h"
#include "rows.h"
#include "staged_memory.h"
#include "text.h"
#include "valu.h"

namespace ptxshim::vgpu::check {
namespace {

// Registers -----------------------------------------------------------------------------------------------------------

std::string range(const char* prefix, unsigned first, unsigned words) {
  if (words == 1) return prefix + number(first);
  return std::string(prefix) + "[" + number(first) + ":" + number(first + words - 1) + "]";
}

std::string vector_name(unsigned index, unsigned words) {
  return index >= kAccumulatorBase ? range("a", index - kAccumulatorBase, words) : range("v", index, words);
}

struct Special {
  unsigned slot;
  const char* name;
};
constexpr Special kPairs[] = {{kVcc, "vcc"}, {kExec, "exec"}, {kSharedBase, "src_shared_base"}, {kSharedLimit, "src_shared_limit"},
                              {kPrivateBase, "src_private_base"}, {kPrivateLimit, "src_private_limit"}};

std::string scalar_name(unsigned slot, unsigned words, const Machine& machine) {
  if (slot == kZero || slot == kSink) return "null";
  if (slot == kM0) return "m0";
  if (slot == kScc) return "src_scc";
  if (slot == kVccz) return "src_vccz";
  if (slot == kExecz) return "src_execz";
  for (const Special& pair : kPairs) {
    const bool base = begins(pair.name, "src_");
    if (slot == pair.slot && (words == 2 || base)) return pair.name; // the bases are named whole, also as 32 bits
    if (slot == pair.slot && words == 1) return std::string(pair.name) + "_lo";
    if (slot == pair.slot + 1 && words == 1) return std::string(pair.name) + "_hi";
  }
  if (machine.generation == 9 && slot >= 102 && slot < 106) { // before gfx10
    const char* const name = slot < 104 ? "flat_scratch" : "xnack_mask";
    return words == 2 ? name : std::string(name) + (slot % 2 ? "_hi" : "_lo");
  }
  return slot >= kTtmp0 ? range("ttmp", slot - kTtmp0, words) : range("s", slot, words);
}

Term term_of(const Source& source, ValueType type, const Machine& machine) {
  Term term;
  term.type = type;
  if (source.kind == SourceKind::Vector) term.name = vector_name(source.index, source.words);
  if (source.kind == SourceKind::Scalar) term.name = scalar_name(source.index, source.words, machine);
  term.value = source.constant;
  return term;
}
Term named(std::string name) {
  Term term;
  term.name = std::move(name);
  return term;
}
Term constant(int64_t value) {
  Term term;
  term.value = static_cast<uint64_t>(value);
  return term;
}

// Vector operations ---------------------------------------------------------------------------------------------------

std::string list(const char* name, std::initializer_list<unsigned> bits, size_t count) {
  std::string text = std::string(name) + ":[";
  size_t written = 0;
  for (unsigned bit : bits)
    if (written < count) text += (written++ ? "," : "") + number(bit);
  return text + "]";
}

std::string dpp_control(const VopExtra& extra, const Machine& machine) {
  const unsigned c = extra.dpp_control, n = c & 15U;
  if (extra.dpp == VopExtra::Dpp::Dpp8) {
    std::string text = "dpp8:[";
    for (unsigned i = 0; i < 8; ++i) text += (i ? "," : "") + number(c >> 3 * i & 7U);
    return text + "]";
  }
  if (c < 0x100) return list("quad_perm", {c & 3U, c >> 2 & 3U, c >> 4 & 3U, c >> 6 & 3U}, 4);
  switch (c >> 4) {
  case 0x10: return "row_shl:" + number(n);
  case 0x11: return "row_shr:" + number(n);
  case 0x12: return "row_ror:" + number(n);
  case 0x15: return (machine.generation == 9 ? "row_newbcast:" : "row_share:") + number(n);
  case 0x16: return "row_xmask:" + number(n);
  default: break;
  }
  switch (c) {
  case 0x130: return "wave_shl:1";
  case 0x134: return "wave_rol:1";
  case 0x138: return "wave_shr:1";
  case 0x13c: return "wave_ror:1";
  case 0x140: return "row_mirror";
  case 0x141: return "row_half_mirror";
  case 0x142: return "row_bcast:15";
  case 0x143: return "row_bcast:31";
  default: return "dpp control " + hex(c);
  }
}

void add_dpp(const VopExtra& extra, const Machine& machine, OpText& text) {
  text.modifiers.insert(dpp_control(extra, machine));
  if (extra.fetch_inactive) text.modifiers.insert("fi:1");
  if (extra.dpp == VopExtra::Dpp::Dpp8) return;
  text.modifiers.insert("row_mask:" + hex(extra.row_mask));
  text.modifiers.insert("bank_mask:" + hex(extra.bank_mask));
  if (extra.bound_control) text.modifiers.insert("bound_ctrl:1");
}

constexpr const char* kSelects[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD"};

void add_sdwa(const Op& op, const ValuInfo& info, OpText& text) {
  const VopExtra& extra = *op.extra;
  static constexpr const char* kUnused[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"};
  if (info.result != ValueType::None) {
    text.modifiers.insert(std::string("dst_sel:") + kSelects[static_cast<unsigned>(extra.dst_sel)]);
    text.modifiers.insert(std::string("dst_unused:") + kUnused[static_cast<unsigned>(extra.dst_unused)]);
  }
  for (unsigned i = 0; i < info.sources && i < 2; ++i)
    text.modifiers.insert("src" + number(i) + "_sel:" + kSelects[static_cast<unsigned>(op.src[i].select)]);
}

// The destination is the last source, which the text does not repeat.
bool accumulates(std::string_view name) {
  for (const char* part : {"v_mac_", "v_fmac_", "v_dot2c_", "v_dot4c_", "v_dot8c_", "v_dot2acc_", "v_pk_fmac_", "v_cvt_pkaccum_"})
    if (begins(name, part)) return true;
  return false;
}

struct SourceBits {
  bool any = false;
  unsigned op_sel[4] = {}, op_sel_hi[4] = {}, neg[4] = {}, neg_hi[4] = {};
};

SourceBits bits_of(const Op& op, const Instruction& in, unsigned count) {
  SourceBits bits;
  const bool signed_dot = has(in.mnemonic, "_iu8") || has(in.mnemonic, "_iu4");
  const std::string_view meaning = static_cast<const ValuInfo*>(op.table)->name;
  for (unsigned i = 0; i < count; ++i) {
    const uint8_t m = op.src[i].modifiers;
    bits.op_sel[i] = m & kOpSel ? 1 : 0;
    bits.op_sel_hi[i] = m & kOpSelHigh ? 1 : 0;
    bits.neg[i] = m & kNeg ? 1 : 0;
    bits.neg_hi[i] = m & kNegHigh ? 1 : 0;
    if (signed_dot && i < 2) { // the binder chose a meaning by them: "..._us", "..._us_sat"
      const size_t at = meaning.find("_iu") + 5;
      bits.neg[i] = meaning[at + i] == 's';
    }
  }
  return bits;
}

bool any_of(const unsigned (&bits)[4], unsigned count, unsigned value) {
  for (unsigned i = 0; i < count; ++i)
    if (bits[i] == value) return true;
  return false;
}

// VOP3P: neg_lo, neg_hi, op_sel and op_sel_hi where they are not what they usually are. Mixed ones show signs at their operands.
void add_packed(const Op& op, const Instruction& in, unsigned count, OpText& text) {
  SourceBits b = bits_of(op, in, count);
  const bool mixed = has(in.mnemonic, "_mix");
  if (any_of(b.op_sel, count, 1)) text.modifiers.insert(list("op_sel", {b.op_sel[0], b.op_sel[1], b.op_sel[2]}, count));
  if (any_of(b.op_sel_hi, count, mixed ? 1 : 0))
    text.modifiers.insert(list("op_sel_hi", {b.op_sel_hi[0], b.op_sel_hi[1], b.op_sel_hi[2]}, count));
  if (mixed) return;
  if (any_of(b.neg, count, 1)) text.modifiers.insert(list("neg_lo", {b.neg[0], b.neg[1], b.neg[2]}, count));
  if (any_of(b.neg_hi, count, 1)) text.modifiers.insert(list("neg_hi", {b.neg_hi[0], b.neg_hi[1], b.neg_hi[2]}, count));
}

void add_op_sel(const Op& op, unsigned count, bool has_result, OpText& text) {
  unsigned bits[4] = {}, used = count;
  for (unsigned i = 0; i < count; ++i) bits[i] = op.src[i].modifiers & kOpSel ? 1 : 0;
  if (has_result) bits[used++] = op.extra && op.extra->dst_high ? 1 : 0;
  if (any_of(bits, used, 1)) text.modifiers.insert(list("op_sel", {bits[0], bits[1], bits[2], bits[3]}, used));
}

void add_sources(const Op& op, const Instruction& in, const ValuInfo& info, unsigned count, const Machine& machine, OpText& text) {
  const bool vop3p = in.flags & flag::kVop3p, mixed = has(in.mnemonic, "_mix");
  for (unsigned i = 0; i < count; ++i) {
    const uint8_t m = op.src[i].modifiers;
    const bool half = (mixed && (m & kOpSelHigh)) || (i == 1 && has(in.mnemonic, "_class_f16"));
    Term term = term_of(op.src[i], half ? ValueType::F16 : info.source[i], machine);
    if (!vop3p || mixed || (in.flags & flag::kVop2)) {
      term.negative = m & kNeg;
      term.absolute = m & kAbs;
      term.extended = m & kSext;
    }
    text.terms.push_back(std::move(term));
  }
}

// Operands as the instruction says them: the binder has put spare rows into their places.
Op as_said(Op op) {
  for (unsigned i = 0; i < 4; ++i) {
    Source& source = op.src[i];
    if (op.extra && (op.extra->prepared >> i & 1U)) source = op.extra->from[i];
    if (source.kind == SourceKind::Signed) source.kind = SourceKind::Vector;
    if (source.kind != SourceKind::Row) continue;
    source.kind = SourceKind::Constant;
    source.constant = source.row->constant;
  }
  if (op.extra && op.extra->finished) op.dst = op.extra->dst;
  return op;
}

std::optional<OpText> print_valu(const Op& planned, const Instruction& in, const Machine& machine) {
  const Op op = as_said(planned);
  const ValuInfo& info = *static_cast<const ValuInfo*>(op.table);
  const std::string_view name = in.mnemonic;
  const unsigned mask_words = machine.lanes / 32;
  OpText text;
  const bool to_exec = begins(name, "v_cmpx_");
  if (info.result != ValueType::None) text.terms.push_back(named(vector_name(op.dst, words_of(info.result))));
  const bool exec_alone = to_exec && machine.generation >= 10;
  if (info.gives_carry && !exec_alone) text.terms.push_back(named(scalar_name(op.dst2, mask_words, machine)));
  const unsigned count = info.sources - (accumulates(name) ? 1U : 0U);
  if (accumulates(name) && (op.src[count].kind != SourceKind::Vector || op.src[count].index != op.dst)) return std::nullopt;
  add_sources(op, in, info, count, machine, text);
  if (info.takes_carry && in.size == 0) { // a half of VOPD: VCC without a word
    if (op.src[info.sources].index != kVcc) return std::nullopt;
  } else if (info.takes_carry && !begins(name, "v_div_fmas")) {
    Source mask = op.src[info.sources];
    if (mask.kind == SourceKind::Scalar) mask.words = static_cast<uint8_t>(mask_words);
    text.terms.push_back(term_of(mask, ValueType::B64, machine));
  }
  if (has(info.name, "_sat") && !has(name, "_sat")) text.modifiers.insert("clamp");
  if (in.flags & flag::kVop3p && !(in.flags & flag::kVop2))
    add_packed(op, in, count, text);
  else if (in.flags & flag::kVop3)
    add_op_sel(op, count, info.result != ValueType::None, text);
  const VopExtra* const extra = op.extra;
  if (!extra) return text;
  if (extra->clamp) text.modifiers.insert("clamp");
  static constexpr const char* kOmods[] = {"", "mul:2", "mul:4", "div:2"};
  if (extra->omod) text.modifiers.insert(kOmods[extra->omod & 3U]);
  if (extra->dpp != VopExtra::Dpp::None) add_dpp(*extra, machine, text);
  if (extra->sdwa) add_sdwa(op, info, text);
  return text;
}

// v_readlane_b32 and its like.
std::optional<OpText> print_lanes(const Op& op, const Instruction& in, const Machine& machine) {
  OpText text;
  const bool scalar = begins(in.mnemonic, "v_readlane") || begins(in.mnemonic, "v_readfirstlane");
  const bool four = in.mnemonic == "v_mqsad_u32_u8";
  text.terms.push_back(named(scalar ? scalar_name(op.dst, 1, machine) : vector_name(op.dst, four ? 4 : 1)));
  if (four && op.immediate) text.modifiers.insert("clamp");
  for (const Source& source : op.src)
    if (source.kind != SourceKind::None) text.terms.push_back(term_of(source, ValueType::B32, machine));
  const unsigned fetch = op.src[0].modifiers & kOpSel ? 1 : 0, bound = op.src[1].modifiers & kOpSel ? 1 : 0;
  if (fetch || bound) text.modifiers.insert(list("op_sel", {fetch, bound}, 2));
  return text;
}

bool runs_any(const Op& op, std::initializer_list<Handler> handlers) {
  for (Handler handler : handlers)
    if (op.row->run == handler) return true;
  return false;
}

// Scalar operations ---------------------------------------------------------------------------------------------------

std::optional<OpText> print_branch(const Op& op, const Instruction& in, const Machine& machine) {
  OpText text;
  if (in.mnemonic == "s_cbranch_i_fork") text.terms.push_back(term_of(op.src[0], ValueType::B64, machine));
  if (begins(in.mnemonic, "s_subvector_loop")) text.terms.push_back(named(scalar_name(op.dst, 1, machine)));
  if (in.mnemonic == "s_call_b64") text.terms.push_back(named(scalar_name(op.dst, 2, machine)));
  text.terms.push_back(constant((op.offset - static_cast<int64_t>(in.pc) - 4) / 4));
  text.terms.back().type = ValueType::B16;
  return text;
}

// The field of a machine register.
std::optional<OpText> print_machine_register(const Op& op, const Instruction& in, const Machine& machine) {
  OpText text;
  const bool reads = begins(in.mnemonic, "s_getreg");
  const Term field = named("hwreg " + register_id(op.immediate & 63U, machine) + " " + number(op.immediate >> 6 & 31U) + " " +
                           number((op.immediate >> 11 & 31U) + 1));
  if (reads) {
    text.terms.push_back(named(scalar_name(op.dst, 1, machine)));
    text.terms.push_back(field);
  } else {
    text.terms.push_back(field);
    text.terms.push_back(term_of(op.src[0], ValueType::B32, machine));
  }
  return text;
}

ValueType scalar_type(const Instruction& in, unsigned source) {
  const std::string_view name = in.mnemonic;
  if (name.size() > 4 && name.substr(name.size() - 4) == "_f16") return ValueType::F16;
  const bool count = source == 1 && (has(name, "_lsh") || has(name, "_ashr") || has(name, "_bfe") || has(name, "_bitcmp"));
  const bool narrow = count || has(name, "_bfm") || has(name, "_b64_b32") || begins(name, "s_bitset") || (in.flags & flag::kSopk);
  return has(name, "64") && !narrow ? ValueType::B64 : ValueType::B32;
}

std::optional<OpText> print_scalar(const Op& op, const Instruction& in, const Machine& machine) {
  OpText text;
  bool result = false;
  for (unsigned i = 0; i < in.count; ++i) result |= in.operands[i].is_definition;
  if (has(in.mnemonic, "movreld") || has(in.mnemonic, "movrelsd")) result = true;
  if (result) text.terms.push_back(named(scalar_name(op.dst, op.dst_words, machine)));
  unsigned source = 0;
  for (unsigned i = result ? 1 : 0; i < in.count && source < 4; ++i, ++source) {
    if (in.operands[i].tied_to >= 0) continue; // the old destination, which the text does not repeat
    if (op.src[source].kind == SourceKind::None) return std::nullopt;
    text.terms.push_back(term_of(op.src[source], scalar_type(in, source), machine));
  }
  return text;
}

// An immediate alone: s_endpgm, s_trap, s_sleep, s_round_mode …
std::optional<OpText> print_immediate(const Op& op, const Instruction& in, const Machine& machine) {
  OpText text;
  if (in.count && in.operands[0].is_definition) text.terms.push_back(named(scalar_name(op.dst, op.dst_words, machine)));
  const bool barrier = runs_any(op, {run_barrier_signal, run_barrier_signal_isfirst, run_barrier_wait, run_barrier_state});
  if (barrier) text.terms.push_back(constant(-1)); // no other is executed
  if (barrier) text.terms.back().type = ValueType::B16;
  bool immediate = false;
  for (unsigned i = 0; i < in.count && !barrier; ++i) immediate |= in.operands[i].kind == OperandKind::Immediate;
  const bool silent = begins(in.mnemonic, "s_endpgm") && op.immediate == 0;
  if (immediate && !silent) text.terms.push_back(constant(op.immediate));
  if (immediate && !silent) text.terms.back().type = ValueType::B16;
  return text;
}

// Memory --------------------------------------------------------------------------------------------------------------

unsigned register_words(unsigned bytes) { return (bytes + 3) / 4; }

void add_offset(int64_t offset, OpText& text) {
  if (offset) text.modifiers.insert("offset:" + number(offset));
}

std::optional<OpText> print_scalar_memory(const Op& op, const Instruction& in, const Machine& machine) {
  const MemoryTraits& traits = *static_cast<const MemoryTraits*>(op.table);
  OpText text;
  text.terms.push_back(traits.kind == MemoryKind::Load ? named(scalar_name(op.dst, register_words(traits.bytes), machine))
                                                       : term_of(op.src[2], ValueType::B32, machine));
  const bool both_null = op.dst == kSink && op.src[2].index == kZero;
  if (op.returns && op.dst != op.src[2].index && !both_null) return std::nullopt; // result and data share registers
  text.terms.push_back(term_of(op.src[0], ValueType::B64, machine));
  const bool scalar = op.src[1].kind != SourceKind::None;
  if (scalar) text.terms.push_back(term_of(op.src[1], ValueType::B32, machine));
  if (!scalar)
    text.terms.push_back(constant(op.offset));
  else if (op.offset || has(in.name, "_IMM"))
    text.modifiers.insert("offset:" + hex(op.offset));
  return text;
}

std::optional<OpText> print_flat(const Op& op, const Instruction& in, const Machine& machine) {
  const MemoryTraits& traits = *static_cast<const MemoryTraits*>(op.table);
  const Segment segment = segment_of(op.immediate);
  OpText text;
  const unsigned words = has(in.mnemonic, "_block") ? 32 : register_words(traits.bytes);
  if (op.dst != kStagedData && (traits.kind == MemoryKind::Load || op.returns)) text.terms.push_back(named(vector_name(op.dst, words)));
  if (op.src[0].kind != SourceKind::Vector || op.src[0].index != kLaneOffsets)
    text.terms.push_back(op.src[0].kind == SourceKind::Vector ? term_of(op.src[0], ValueType::B64, machine) : named("off"));
  if (traits.kind != MemoryKind::Load) text.terms.push_back(term_of(op.src[2], ValueType::B64, machine));
  const bool no_scalar = op.src[1].kind == SourceKind::None || (has(in.mnemonic, "_addtid") && op.src[1].index == kZero);
  if (segment != Segment::Flat)
    text.terms.push_back(no_scalar ? named("off") : term_of(op.src[1], ValueType::B64, machine));
  if (op.dst == kStagedData && !has(in.mnemonic, "_lds_")) text.modifiers.insert("lds");
  add_offset(op.offset, text);
  return text;
}

std::optional<OpText> print_buffer(const Op& op, const Instruction& in, const Machine& machine) {
  const MemoryTraits& traits = *static_cast<const MemoryTraits*>(op.table);
  OpText text;
  const bool load = traits.kind == MemoryKind::Load;
  const bool lds = op.dst == kStagedData || op.src[2].index == kStagedData;
  const bool stores_lds = in.mnemonic == "buffer_store_lds_dword";
  if (lds && (stores_lds || !has(in.mnemonic, "_lds_"))) text.modifiers.insert("lds");
  if (!lds) text.terms.push_back(load ? named(vector_name(op.dst, register_words(traits.bytes))) : term_of(op.src[2], ValueType::B64, machine));
  if (op.returns && op.dst != op.src[2].index) return std::nullopt; // result and data share a register
  const unsigned form = buffer_form(op.immediate);
  if (form || !stores_lds) text.terms.push_back(form ? term_of(op.src[0], ValueType::B64, machine) : named("off"));
  text.terms.push_back(term_of(op.src[3], ValueType::B64, machine));
  text.terms.push_back(term_of(op.src[1], ValueType::B32, machine));
  if (form & kIndexed) text.modifiers.insert("idxen");
  if (form & kOffset) text.modifiers.insert("offen");
  add_offset(op.offset, text);
  return text;
}

std::optional<OpText> print_lds(const Op& op, const Instruction& in, const Machine& machine) {
  const MemoryTraits& traits = *static_cast<const MemoryTraits*>(op.table);
  OpText text;
  if (op.run == run_lds_direct) {
    text.terms.push_back(named(vector_name(op.dst, 1)));
    return text;
  }
  if (op.run == run_gws) text.modifiers.insert("gds");
  const bool two = runs_any(op, {run_lds_load2, run_lds_store2, run_lds_exchange2});
  const bool wide = op.run == run_lds_conditional_exchange;
  if (op.returns) text.terms.push_back(named(vector_name(op.dst, register_words(traits.bytes) * (two || wide ? 2 : 1))));
  for (const Source& source : op.src)
    if (source.kind != SourceKind::None) text.terms.push_back(term_of(source, ValueType::B32, machine));
  if (!two) {
    if (op.run == run_lds_swizzle)
      text.modifiers.insert("swizzle:" + number(op.offset));
    else
      add_offset(op.offset, text);
    return text;
  }
  const bool far = has(in.mnemonic, "st64") || has(in.mnemonic, "stride64");
  const int64_t unit = traits.bytes * (far ? 64 : 1), second = static_cast<int64_t>(op.immediate);
  if (op.offset % unit || second % unit) return std::nullopt;
  if (op.offset) text.modifiers.insert("offset0:" + number(op.offset / unit));
  if (second) text.modifiers.insert("offset1:" + number(second / unit));
  return text;
}

} // namespace

std::optional<OpText> print_op(const Op& op, const Instruction& in, const Machine& machine) {
  if (in.flags & flag::kFlat) return print_flat(op, in, machine);
  if (in.flags & flag::kMubuf) return print_buffer(op, in, machine);
  if (in.flags & flag::kDs) return print_lds(op, in, machine);
  if (in.flags & flag::kSmem && op.table) return print_scalar_memory(op, in, machine);
  if (in.flags & flag::kValu && op.table) return print_valu(op, in, machine);
  if (in.flags & flag::kValu && !begins(in.mnemonic, "v_s_")) return print_lanes(op, in, machine);
  if (runs_any(op, {run_branch, run_branch_scc0, run_branch_scc1, run_branch_vccz, run_branch_vccnz, run_branch_execz,
                    run_branch_execnz, run_call, run_subvector_begin, run_subvector_end}) ||
      in.mnemonic == "s_cbranch_i_fork")
    return print_branch(op, in, machine);
  if (runs_any(op, {run_getreg, run_setreg})) return print_machine_register(op, in, machine);
  if (in.mnemonic == "s_set_gpr_idx_on") {
    OpText text;
    text.terms = {term_of(op.src[0], ValueType::B32, machine), constant(op.immediate)};
    return text;
  }
  if (runs_any(op, {run_end, run_trap, run_sleep, run_barrier, run_barrier_signal, run_barrier_signal_isfirst, run_barrier_wait,
                    run_round_mode, run_denorm_mode, run_message_result, run_set_halt, run_kill, run_illegal, run_barrier_state, run_set_index_mode}))
    return print_immediate(op, in, machine);
  if (begins(in.mnemonic, "v_s_")) {
    OpText text;
    text.terms.push_back(named(scalar_name(op.dst, 1, machine)));
    Term source = term_of(op.src[0], has(in.mnemonic, "_f16") ? ValueType::F16 : ValueType::F32, machine);
    source.negative = op.src[0].modifiers & kNeg, source.absolute = op.src[0].modifiers & kAbs;
    text.terms.push_back(source);
    if (op.immediate & 3U) text.modifiers.insert(op.immediate % 4 == 1 ? "mul:2" : op.immediate % 4 == 2 ? "mul:4" : "div:2");
    if (op.immediate & 4U) text.modifiers.insert("clamp");
    return text;
  }
  return print_scalar(op, in, machine);
}

std::optional<OpText> print_half(const Op& op, const Machine& machine) {
  Instruction half;
  half.mnemonic = op.row->name;
  half.flags = flag::kValu | flag::kVop2;
  return print_valu(op, half, machine);
}

} // namespace ptxshim::vgpu::check
