// SPDX-License-Identifier: MIT
// Random instruction words through decoder, binder and handler on a wave of random registers, against the slow reference:
// every vector row, every operand form and modifier that its encodings have, every machine, every host ISA. The opcodes of
// an encoding are found by trying all their numbers, so a new row is tested without an edit here.
//
// Not tried, because no document that we know says what happens, and no compiler writes it: inline numbers such as 0.5 for
// 16-bit integers, for bfloat16, and split over packed 32-bit operands.
#include <cstring>
#include <deque>
#include <map>
#include <new>
#include <set>

#include <gtest/gtest.h>

#include "code_cache.h"
#include "control.h"
#include "reference.h"
#include "rows.h"
#include "text.h"
#include "valu.h"

namespace ptxshim::vgpu::check {
namespace {

constexpr unsigned kRegisters = 12;  // v0 to v11: results often overlap sources
constexpr unsigned kAllRegisters = kVectorRows;

class Random {
public:
  explicit Random(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ULL + 1) {}
  uint32_t next() {
    state_ ^= state_ << 13, state_ ^= state_ >> 7, state_ ^= state_ << 17;
    return static_cast<uint32_t>(state_ >> 16);
  }
  unsigned below(unsigned n) { return next() % n; }
  bool one_in(unsigned n) { return below(n) == 0; }

private:
  uint64_t state_;
};

// Words as f32, pairs of f16, or high words of f64 that are zero, denormal, infinite, NaN, near one, at the edges of integers.
uint32_t random_word(Random& random) {
  static constexpr uint32_t kEdges[] = {
      0, 1, 0x80000000U, 0x80000001U, 0x7fffffffU, 0xffffffffU, 0x3f800000U, 0xbf800000U, 0x7f800000U, 0xff800000U,
      0x7fc00001U, 0x7f800001U, 0x00800000U, 0x007fffffU, 0x7f7fffffU, 0x4f000000U, 0xcf000000U, 0x4f800000U, 0x3effffffU,
      0x3c003c00U, 0x7c00fc00U, 0x7e017c01U, 0x00010400U, 0x83ff8001U, 0x7bff7800U, 0xd6405800U, 0x38003a00U, 0x80008000U,
      0x3ff00000U, 0xbff00000U, 0x7ff00000U, 0x7ff80001U, 0x7ff00001U, 0x00100000U, 0x000fffffU, 0x41e00000U, 0x43e00000U,
      0x7fefffffU, 31, 32, 63, 64, 255, 256, 0xffff, 0x10000, 0x00ffffffU, 0x01000000U, 0xff000000U};
  const unsigned kind = random.below(8);
  if (kind < 3) return kEdges[random.below(std::size(kEdges))];
  if (kind == 3) return (random.next() & 0x80ffffffU) | (120 + random.below(16)) << 23; // around one
  if (kind == 4) return (random.next() & 0x83ff83ffU) | (11 + random.below(9)) << 26 | (11 + random.below(9)) << 10;
  if (kind == 5) return random.next() & 0x807fffffU; // f32 denormals
  if (kind == 6) return random.next() & 0x3fU;
  return random.next();
}

// One opcode in one encoding of one machine, and which fields LLVM knows for it.
struct Candidate {
  Opcode opcode;
  Family family = Family::Vop1;
  unsigned op = 0;
  unsigned encoded = 1;       // sources in the word
  bool accumulates = false, literal_operand = false;
  bool clamp = false, omod = false;
  unsigned neg = 0, abs = 0, op_sel = 0, neg_hi = 0;
  unsigned refused_forms = 0; // a bit a Form that does not decode
};

struct Failure {
  unsigned count = 0;
  std::string first;
};

bool contains(const std::string& text, const char* part) { return has(text, part); }

// The destination is also the last source, without being named as one.
bool accumulates(const std::string& name) {
  for (const char* part : {"v_mac_", "v_fmac_", "v_dot2c_", "v_dot4c_", "v_dot8c_", "v_dot2acc_", "v_pk_fmac_", "v_cvt_pkaccum_"})
    if (contains(name, part)) return true;
  return false;
}

// Other register files, bytes chosen by their own fields, four words, registers at a distance: the .s files test these.
bool has_fields_of_its_own(const std::string& name) {
  for (const char* part : {"v_accvgpr_", "fp8", "bf8", "v_mqsad_u32_u8", "v_swaprel_b32"})
    if (contains(name, part)) return true;
  return false;
}

class Bench {
public:
  Bench(const Machine& machine, Random& random)
      : machine_(machine), random_(random), decoder_(Decoder::create(machine.gfx, machine.lanes)), target_(Target::from(machine.gfx)) {
    pool_.resize(1 << 15);
    for (uint32_t& word : pool_) word = random_word(random_);
    find_candidates();
  }

  void run(unsigned cases, HostIsa isa);
  const std::vector<Candidate>& candidates() const { return candidates_; }
  const std::map<std::string, Failure>& failures() const { return failures_; }
  const std::map<std::string, unsigned>& refused() const { return refused_; }
  unsigned executed() const { return executed_; }

private:
  bool decode(const Vop& vop, Instruction& out) {
    std::vector<uint32_t> words = encode(vop, machine_);
    words.resize(5, 0x7e000280U);
    return decoder_->decode(std::as_bytes(std::span<const uint32_t>(words)), 0x1000, out);
  }
  void find_candidates();
  void find_fields(Candidate& candidate);
  Vop plain(const Candidate& candidate) const;
  unsigned pick_vector(bool wide) { return random_.below(kRegisters - 1) & (wide && machine_.cdna2() ? ~1U : ~0U); }
  unsigned pick_source(const Candidate& candidate, unsigned index, bool literal_allowed, Vop& vop);
  unsigned pick_scalar(bool wide, bool destination);
  void pick_form(const Candidate& candidate, Vop& vop);
  void pick_modifiers(const Candidate& candidate, Vop& vop);
  Vop pick(const Candidate& candidate);
  void pick_cross_lane(const Candidate& candidate, Vop& vop);
  void run_case(Candidate& candidate, HostIsa isa);
  void fill_state(bool two_indices);
  void compare(const Candidate& candidate, const Vop& vop, const Instruction& in, const State& expected, HostIsa isa);

  const Machine& machine_;
  Random& random_;
  std::unique_ptr<Decoder> decoder_;
  Target target_;
  std::vector<uint32_t> pool_;
  Wave wave_;
  State before_;
  std::vector<Candidate> candidates_;
  std::map<std::string, Failure> failures_;
  std::map<std::string, unsigned> refused_; // forms that decode and that the binder does not take
  unsigned executed_ = 0;
};

Value source_type(const Candidate& candidate, unsigned index) {
  const LaneMeaning* const meaning = candidate.opcode.meaning;
  return meaning && index < meaning->sources ? meaning->source[index] : Value::U32;
}

Vop Bench::plain(const Candidate& candidate) const {
  Vop vop;
  vop.family = candidate.family;
  vop.op = candidate.op;
  vop.vdst = 4;
  vop.encoded = candidate.encoded;
  for (unsigned i = 0; i < 3; ++i) vop.src[i] = kCodeVector + 2 + 2 * i;
  const LaneMeaning* const meaning = candidate.opcode.meaning;
  if (!meaning) return vop;
  if (candidate.family == Family::Vop3) {
    vop.scalar_result = meaning->gives_carry && meaning->result != Value::None;
    if (meaning->result == Value::None)
      vop.vdst = contains(candidate.opcode.mnemonic, "v_cmpx_") && machine_.generation >= 10 ? kCodeExec : 10;
    vop.sdst = 10;
    if (meaning->takes_carry && candidate.encoded > meaning->sources) vop.src[meaning->sources] = 12;
  }
  if (candidate.literal_operand) vop.has_literal = true;
  return vop;
}

void Bench::find_candidates() {
  struct Range {
    Family family;
    unsigned count;
  };
  for (const Range range : {Range{Family::Vop1, 256}, Range{Family::Vop2, 62}, Range{Family::Vopc, 256},
                            Range{Family::Vop3, machine_.generation == 9 ? 0x380U : 0x400U}, Range{Family::Vop3p, 128}})
    for (unsigned op = 0; op < range.count; ++op) {
      Candidate candidate;
      candidate.family = range.family;
      candidate.op = op;
      candidate.encoded = range.family == Family::Vop1 ? 1 : range.family == Family::Vop2 || range.family == Family::Vopc ? 2 : 3;
      Vop vop = plain(candidate);
      Instruction in;
      bool known = false;
      for (unsigned vdst : {4U, 10U, kCodeExec}) { // vector and scalar results, and v_cmpx
        vop.vdst = vdst;
        for (unsigned third : {262U, 12U, 0U}) {
          if (known) break;
          vop.src[2] = third;
          known = decode(vop, in);
        }
      }
      if (!known) continue;
      const Row* const row = find_row(in.mnemonic);
      if (!row || !row->bind || row->run == run_nothing) continue;
      candidate.opcode.mnemonic = in.mnemonic;
      const std::string& name = candidate.opcode.mnemonic;
      if (has_fields_of_its_own(name)) continue;
      std::string meaning_name = contains(name, "v_cmpx_") ? "v_cmp_" + name.substr(7) : name;
      candidate.opcode.meaning = find_meaning(meaning_name.c_str());
      if (!candidate.opcode.meaning) candidate.opcode.meaning = find_meaning((meaning_name + "_uu").c_str());
      if (!candidate.opcode.meaning && !is_cross_lane(name)) {
        ADD_FAILURE() << name << " on " << machine_name(machine_) << " has neither a meaning of one lane nor a reference";
        continue;
      }
      if (const LaneMeaning* const meaning = candidate.opcode.meaning) {
        candidate.accumulates = accumulates(name);
        candidate.literal_operand = range.family == Family::Vop2 && (contains(name, "madmk") || contains(name, "madak") ||
                                                                     contains(name, "fmamk") || contains(name, "fmaak"));
        if (range.family == Family::Vop3 || range.family == Family::Vop3p) {
          const bool mask_source = meaning->takes_carry && !contains(name, "v_div_fmas");
          candidate.encoded = meaning->sources - (candidate.accumulates ? 1U : 0U) + (mask_source ? 1U : 0U);
        }
      }
      find_fields(candidate);
      candidates_.push_back(candidate);
    }
}

// LLVM knows neg and abs for more operands than AMD: they are for numbers, and for what picks or packs numbers.
bool takes_sign(const Candidate& candidate, Value type) {
  const std::string& name = candidate.opcode.mnemonic;
  if (candidate.family == Family::Vop3p)
    return type == Value::F16x2 || type == Value::F32x2 || type == Value::F32 || contains(name, "_iu8") || contains(name, "_iu4");
  return is_number(type) || contains(name, "v_cndmask_") || contains(name, "v_pack_b32_f16");
}

// Of a comparison the bit says that NaNs signal: its result is the same.
bool is_integer(const LaneMeaning& meaning) {
  return meaning.result != Value::None && !is_number(meaning.result) && meaning.result != Value::F16x2 && meaning.result != Value::F32x2;
}
// Integers saturate where they have a meaning for it. The rest is refused (UnknownForms below).
bool clamps(const LaneMeaning& meaning) {
  return !is_integer(meaning) || find_meaning((std::string(meaning.name) + "_sat").c_str());
}

// A field is there when LLVM's text changes with it.
void Bench::find_fields(Candidate& candidate) {
  Instruction base;
  const Vop vop = plain(candidate);
  if (!decode(vop, base)) return;
  const auto changes = [&](auto set) {
    Vop changed = vop;
    set(changed);
    Instruction in;
    return decode(changed, in) && in.text != base.text && in.mnemonic == base.mnemonic;
  };
  const LaneMeaning* const meaning = candidate.opcode.meaning;
  for (const Form form : {Form::Sdwa, Form::Dpp16, Form::Dpp8}) {
    Vop other = vop;
    other.form = form;
    other.dpp_ctrl = 0x150; // the one that takes 64 bits; before CDNA 2 a quad permutation
    if (!machine_.cdna2() && machine_.generation < 10) other.dpp_ctrl = 0;
    Instruction in;
    const uint64_t flags = form == Form::Sdwa ? flag::kSdwa : flag::kDpp;
    if (!decode(other, in) || in.mnemonic != base.mnemonic || !(in.flags & flags))
      candidate.refused_forms |= 1U << static_cast<unsigned>(form);
  }
  if (candidate.family != Family::Vop3 && candidate.family != Family::Vop3p) return;
  for (unsigned bit = 0; bit < 4; ++bit) {
    const unsigned mask = 1U << bit;
    const Value type = source_type(candidate, bit);
    if (!vop.scalar_result && changes([&](Vop& v) { v.op_sel = mask; }) &&
        (candidate.family == Family::Vop3p || !meaning || (bit == 3 ? is_short(meaning->result) : is_short(type))))
      candidate.op_sel |= mask;
    if (bit == 3 || bit >= candidate.encoded) continue;
    const bool packed = is_pair16(type) || is_pair32(type) || contains(candidate.opcode.mnemonic, "_mix");
    if (candidate.family == Family::Vop3p && !packed) candidate.op_sel &= ~mask;
    if (!takes_sign(candidate, type)) continue;
    if (changes([&](Vop& v) { v.neg = mask; })) candidate.neg |= mask;
    if (candidate.family == Family::Vop3 && !vop.scalar_result && changes([&](Vop& v) { v.abs = mask; })) candidate.abs |= mask;
    if (candidate.family == Family::Vop3p && packed && changes([&](Vop& v) { v.neg_hi = mask; })) candidate.neg_hi |= mask;
  }
  candidate.clamp = meaning && clamps(*meaning) && changes([](Vop& v) { v.clamp = true; });
  candidate.omod = candidate.family == Family::Vop3 && meaning && is_number(meaning->result) && changes([](Vop& v) { v.omod = 1; });
  // A 16-bit result with op_sel is one that keeps the other half on gfx9.
  candidate.opcode.short_result_keeps = (candidate.op_sel & 8U) != 0;
}

unsigned Bench::pick_scalar(bool wide, bool destination) {
  const unsigned special = random_.below(8);
  if (special == 0) return kCodeVcc + (wide ? 0 : random_.below(2));
  if (special == 1 && !destination) return kCodeExec + (wide ? 0 : random_.below(2));
  if (special == 2 && !wide) return code_m0(machine_);
  if (special == 3 && machine_.generation >= 10) return code_null(machine_);
  return random_.below(24) & (wide ? ~1U : ~0U);
}

unsigned Bench::pick_source(const Candidate& candidate, unsigned index, bool literal_allowed, Vop& vop) {
  const Value type = source_type(candidate, index);
  const bool wide = is_wide(type);
  if (random_.below(3)) return kCodeVector + pick_vector(wide);
  const bool bfloat = contains(candidate.opcode.mnemonic, "bf16");
  switch (random_.below(5)) {
  case 0:
  case 1: return pick_scalar(wide, false);
  case 2: return is_pair32(type) ? pick_scalar(wide, false) : kCodeZero + random_.below(81);
  case 3:
    if (type == Value::U16 || type == Value::I16 || is_pair32(type) || bfloat) return pick_scalar(wide, false);
    return kCodeHalf + random_.below(9);
  default: break;
  }
  // (Mixed precision with literals is refused where they could be inline numbers, see vector_rows.cpp.)
  if (literal_allowed && !is_pair32(type) && !contains(candidate.opcode.mnemonic, "_mix")) {
    vop.has_literal = true;
    vop.literal = random_word(random_);
    return kCodeLiteral;
  }
  if (!wide && machine_.generation < 12 && random_.one_in(2)) return kCodeVccz + random_.below(3);
  return kCodeVector + pick_vector(wide);
}

void Bench::pick_form(const Candidate& candidate, Vop& vop) {
  const bool long_form = candidate.family == Family::Vop3 || candidate.family == Family::Vop3p;
  const unsigned form = random_.below(8);
  if (candidate.literal_operand || !candidate.opcode.meaning) return;
  if (form == 0 && !long_form && machine_.generation <= 10) vop.form = Form::Sdwa;
  if ((form == 1 || form == 2) && (!long_form || machine_.generation >= 11)) vop.form = Form::Dpp16;
  if (form == 3 && machine_.generation >= (long_form ? 11U : 10U)) vop.form = Form::Dpp8;
  if (candidate.refused_forms >> static_cast<unsigned>(vop.form) & 1U) vop.form = Form::Plain;
  if (vop.form == Form::Plain) return;
  bool wide = is_wide(candidate.opcode.meaning->result);
  for (unsigned i = 0; i < candidate.opcode.meaning->sources; ++i) wide |= is_wide(source_type(candidate, i));
  vop.src[0] = kCodeVector + pick_vector(wide);
  if (vop.form == Form::Dpp8) {
    vop.lane_select = random_.next() & 0xffffffU;
    vop.fetch_inactive = random_.one_in(2);
  }
  if (vop.form == Form::Dpp16) {
    static constexpr unsigned kControls9[] = {0x100, 0x110, 0x120, 0x130, 0x134, 0x138, 0x13c, 0x140, 0x141, 0x142, 0x143};
    static constexpr unsigned kControls10[] = {0x100, 0x110, 0x120, 0x140, 0x141, 0x150, 0x160};
    const bool rdna = machine_.generation >= 10;
    unsigned control = rdna ? kControls10[random_.below(7)] : kControls9[random_.below(11)];
    if (control <= 0x120) control |= 1 + random_.below(15);
    if (control >= 0x150) control |= random_.below(16);
    if (random_.one_in(3)) control = random_.below(256);
    if (wide || (machine_.cdna2() && random_.one_in(6))) control = 0x150 + random_.below(16); // row_newbcast
    vop.dpp_ctrl = control;
    vop.row_mask = random_.one_in(2) ? 15 : random_.below(16);
    vop.bank_mask = random_.one_in(2) ? 15 : random_.below(16);
    vop.bound_ctrl = random_.one_in(2);
    vop.fetch_inactive = rdna && random_.one_in(2);
  }
  if (vop.form == Form::Sdwa) {
    vop.dst_sel = random_.below(7);
    vop.dst_unused = random_.below(3);
    for (unsigned i = 0; i < 2; ++i) {
      vop.sel[i] = random_.below(7);
      vop.src[i] = random_.one_in(5) ? random_.below(24) : kCodeVector + pick_vector(false);
    }
    if (candidate.family == Family::Vop1) vop.sel[1] = 6;
    vop.sdwa_scalar_result = candidate.family == Family::Vopc && random_.one_in(2);
    if (contains(candidate.opcode.mnemonic, "v_cmpx_") && machine_.generation >= 10) vop.sdwa_scalar_result = false;
    vop.sdst = pick_scalar(machine_.lanes == 64, true);
  }
}

void Bench::pick_modifiers(const Candidate& candidate, Vop& vop) {
  const LaneMeaning& meaning = *candidate.opcode.meaning;
  const bool short_dpp = vop.form == Form::Dpp16 && candidate.family != Family::Vop3 && candidate.family != Family::Vop3p;
  for (unsigned i = 0; i < candidate.encoded && i < meaning.sources; ++i) {
    const bool number = takes_sign(candidate, source_type(candidate, i));
    const bool has_fields = short_dpp || vop.form == Form::Sdwa;
    if (has_fields && i < 2 && number && random_.one_in(2)) vop.neg |= random_.below(2) << i, vop.abs |= random_.below(2) << i;
    if (vop.form == Form::Sdwa && i < 2 && !number && random_.one_in(2)) vop.sext |= 1U << i;
  }
  if (vop.form == Form::Sdwa && candidate.family != Family::Vopc && is_number(meaning.result)) {
    vop.clamp = random_.one_in(4);
    vop.omod = random_.one_in(4) ? random_.below(4) : 0;
  }
  if (candidate.family != Family::Vop3 && candidate.family != Family::Vop3p) return;
  if (random_.one_in(2)) vop.neg = random_.next() & candidate.neg, vop.neg_hi = random_.next() & candidate.neg_hi;
  if (random_.one_in(2)) vop.abs = random_.next() & candidate.abs;
  if (random_.one_in(2)) vop.op_sel = random_.next() & candidate.op_sel;
  if (candidate.family == Family::Vop3p && random_.one_in(2)) vop.op_sel_hi = random_.below(8);
  if (candidate.clamp) vop.clamp = random_.one_in(3);
  if (candidate.omod) vop.omod = random_.one_in(3) ? random_.below(4) : 0;
}

void Bench::pick_cross_lane(const Candidate& candidate, Vop& vop) {
  const std::string& name = candidate.opcode.mnemonic;
  vop.src[0] = kCodeVector + pick_vector(false);
  if (contains(name, "v_readlane") || contains(name, "v_readfirstlane")) vop.vdst = pick_scalar(false, true);
  const unsigned choice = random_.below(3);
  if (contains(name, "lane_b32") && !contains(name, "readfirst")) {
    vop.src[1] = choice ? pick_scalar(false, false) : kCodeZero + random_.below(65);
    if (contains(name, "write")) vop.src[0] = random_.one_in(3) ? kCodeZero + random_.below(65) : pick_scalar(false, false);
  } else if (contains(name, "_var_")) {
    vop.src[1] = kCodeVector + pick_vector(false);
  } else if (contains(name, "permlane")) {
    vop.src[1] = random_.below(24), vop.src[2] = choice ? random_.below(24) : kCodeZero + random_.below(65);
  } else if (contains(name, "mbcnt")) {
    vop.src[0] = choice ? kCodeVector + pick_vector(false) : random_.one_in(2) ? pick_scalar(false, false) : 193;
    vop.src[1] = choice == 1 && vop.family == Family::Vop3 ? random_.below(24) : kCodeVector + pick_vector(false);
  } else if (contains(name, "v_movreld") && choice == 0) {
    vop.src[0] = kCodeZero + random_.below(65);
  }
  vop.encoded = contains(name, "permlane") && !contains(name, "_var_") ? 3 : contains(name, "readfirst") || contains(name, "movrel") ? 1 : 2;
  vop.op_sel = random_.next() & candidate.op_sel & 3U;
}

Vop Bench::pick(const Candidate& candidate) {
  Vop vop = plain(candidate);
  const LaneMeaning* const meaning = candidate.opcode.meaning;
  const bool long_form = candidate.family == Family::Vop3 || candidate.family == Family::Vop3p;
  vop.vdst = pick_vector(meaning && is_wide(meaning->result));
  if (!meaning) {
    pick_cross_lane(candidate, vop);
    return vop;
  }
  const bool literals = !long_form || machine_.generation >= 10;
  for (unsigned i = 0; i < meaning->sources; ++i) {
    const bool vector_only = !long_form && i > 0;
    vop.src[i] = vector_only ? kCodeVector + pick_vector(is_wide(source_type(candidate, i)))
                             : pick_source(candidate, i, literals && !candidate.literal_operand && !vop.has_literal, vop);
  }
  pick_form(candidate, vop);
  if (vop.form != Form::Plain) { // no literals there, and gfx11 takes vector registers alone
    vop.has_literal = false;
    for (unsigned i = 1; long_form && i < meaning->sources; ++i)
      if (vop.src[i] < kCodeVector) vop.src[i] = kCodeVector + pick_vector(is_wide(source_type(candidate, i)));
  }
  if (candidate.literal_operand) {
    vop.has_literal = true;
    vop.literal = random_word(random_);
    const bool middle = contains(candidate.opcode.mnemonic, "mk_");
    vop.src[middle ? 1 : 2] = kCodeLiteral;
    vop.second = middle ? 2 : 1;
  }
  if (candidate.accumulates) vop.src[meaning->sources - 1] = kCodeVector + vop.vdst;
  if (candidate.family == Family::Vop3) {
    const bool wide_mask = machine_.lanes == 64;
    if (meaning->takes_carry && candidate.encoded > meaning->sources)
      vop.src[meaning->sources] = random_.one_in(6) ? kCodeZero + random_.below(81) : pick_scalar(wide_mask, false);
    vop.sdst = pick_scalar(wide_mask, true);
    if (meaning->result == Value::None)
      vop.vdst = contains(candidate.opcode.mnemonic, "v_cmpx_") && machine_.generation >= 10 ? kCodeExec : vop.sdst;
  }
  pick_modifiers(candidate, vop);
  return vop;
}

void Bench::fill_state(bool two_indices) {
  const unsigned lanes = machine_.lanes;
  const size_t used = size_t{kRegisters + 12} * lanes;
  new (&wave_) Wave; // (all but the vector registers)
  std::memcpy(wave_.v, pool_.data() + random_.below(static_cast<unsigned>(pool_.size() - used)), used * 4);
  wave_.lanes = lanes;
  wave_.lane_mask = lanes == 64 ? ~uint64_t{0} : 0xffffffffU;
  wave_.generation = machine_.generation;
  for (unsigned slot = 0; slot < 128; ++slot) wave_.s[slot] = pool_[random_.below(static_cast<unsigned>(pool_.size()))];
  wave_.s[kM0] = random_.below(8) | (two_indices ? random_.below(8) << 16 : 0U);
  wave_.s[kScc] = random_.below(2);
  if (random_.one_in(8)) wave_.s[kVcc] = wave_.s[kVcc + 1] = 0;
  uint64_t exec = ~uint64_t{0};
  const unsigned choice = random_.below(8);
  if (choice == 0) exec = 0;
  if (choice == 1) exec = uint64_t{1} << random_.below(lanes);
  if (choice == 2) exec = 0xffffffffU;
  if (choice >= 5) exec = static_cast<uint64_t>(random_.next()) << 32 | random_.next();
  std::memcpy(&wave_.s[kExec], &exec, 8);
  static constexpr uint32_t kModes[] = {0x3f0, 0x3f0, 0x3c0, 0x3c0, 0x1f0, 0x1c0};
  wave_.set_mode(random_.one_in(4) ? random_.next() & 0x3ffU : kModes[random_.below(6)]);
}

// The meaning that the fields choose.
const LaneMeaning* chosen_meaning(const Candidate& candidate, const Vop& vop) {
  std::string name = candidate.opcode.meaning->name;
  if (contains(candidate.opcode.mnemonic, "_iu8") || contains(candidate.opcode.mnemonic, "_iu4"))
    name = candidate.opcode.mnemonic + "_" + (vop.neg & 1U ? "s" : "u") + (vop.neg & 2U ? "s" : "u");
  if (vop.clamp && is_integer(*candidate.opcode.meaning)) name += "_sat";
  return find_meaning(name.c_str());
}

void Bench::run_case(Candidate& candidate, HostIsa isa) {
  const Vop vop = pick(candidate);
  Instruction in;
  if (!decode(vop, in) || in.mnemonic != candidate.opcode.mnemonic) return;
  const bool dpp = in.flags & flag::kDpp, sdwa = in.flags & flag::kSdwa;
  if (dpp != (vop.form == Form::Dpp16 || vop.form == Form::Dpp8) || sdwa != (vop.form == Form::Sdwa)) return;
  std::deque<VopExtra> extras;
  ConstantRows constants;
  const BindContext context{target_, machine_.lanes, extras, constants};
  std::vector<Op> ops;
  bind_instruction(context, in, ops);
  Opcode opcode = candidate.opcode;
  if (opcode.meaning) {
    opcode.meaning = chosen_meaning(candidate, vop);
    if (machine_.generation >= 10) opcode.short_result_keeps = true;
    if (contains(opcode.mnemonic, "mixlo")) opcode.short_result_keeps = true;
  }
  const bool runs = !ops.empty() && ops.back().run != run_unsupported;
  if (!runs || (candidate.opcode.meaning && !opcode.meaning)) {
    ++refused_[opcode.mnemonic + (runs ? " runs without a meaning: " : ": ") + in.text];
    return;
  }
  fill_state(contains(opcode.mnemonic, "v_movrelsd_2"));
  State expected;
  std::memcpy(expected.s.data(), wave_.s, sizeof wave_.s);
  const size_t used = size_t{kRegisters + 12} * machine_.lanes;
  expected.v.assign(wave_.v, wave_.v + used);
  before_ = expected;
  Reference(machine_, wave_.mode, expected).execute(vop, opcode);
  for (const Op& op : ops) ASSERT_TRUE(run_alone(wave_, op)) << in.text;
  ++executed_;
  compare(candidate, vop, in, expected, isa);
}

void Bench::compare(const Candidate& candidate, const Vop& vop, const Instruction& in, const State& expected, HostIsa isa) {
  std::string what;
  const unsigned lanes = machine_.lanes;
  for (unsigned slot = 0; slot < kSink && what.empty(); ++slot)
    if (wave_.s[slot] != expected.s[slot])
      what = "s" + std::to_string(slot) + " is " + hex(wave_.s[slot]) + ", not " + hex(expected.s[slot]) + " (was " +
             hex(before_.s[slot]) + ")";
  if (what.empty() && std::memcmp(wave_.v, expected.v.data(), expected.v.size() * 4) == 0) return;
  for (size_t i = 0; i < expected.v.size() && what.empty(); ++i)
    if (wave_.v[i] != expected.v[i]) {
      const unsigned lane = static_cast<unsigned>(i % lanes);
      what = "v" + std::to_string(i / lanes) + " lane " + std::to_string(lane) + " is " + hex(wave_.v[i]) + ", not " + hex(expected.v[i]) +
             " (was " + hex(before_.v[i]) + "); sources";
      for (unsigned source = 0; source < 3 && candidate.opcode.meaning && source < candidate.opcode.meaning->sources; ++source)
        if (vop.src[source] >= kCodeVector)
          what += " " + hex(before_.v[size_t{vop.src[source] - kCodeVector} * lanes + lane]);
        else
          what += " code" + std::to_string(vop.src[source]);
    }
  Failure& failure = failures_[candidate.opcode.mnemonic + " " + family_name(candidate.family) + " form " +
                               std::to_string(static_cast<unsigned>(vop.form))];
  if (failure.count++) return;
  uint64_t exec;
  std::memcpy(&exec, &before_.s[kExec], 8);
  failure.first = machine_name(machine_) + " v" + std::to_string(static_cast<unsigned>(isa) + 2) + ":" + in.text + "\n    exec " +
                  hex_bits(exec) + " mode " + hex(wave_.mode_register) + ": " + what;
}

void Bench::run(unsigned cases, HostIsa isa) {
  choose_host_isa(isa);
  for (Candidate& candidate : candidates_) {
    const unsigned before = executed_;
    for (unsigned i = 0; i < cases; ++i) run_case(candidate, isa);
    if (executed_ == before) ++failures_["nothing ran: " + candidate.opcode.mnemonic + " " + family_name(candidate.family) + " " + std::to_string(candidate.op)].count;
  }
}

class ExecutionReference : public ::testing::TestWithParam<Machine> {};

TEST_P(ExecutionReference, agrees_with_the_virtual_gpu) {
  Random random(20240607);
  Bench bench(GetParam(), random);
  for (unsigned isa = 0; isa <= static_cast<unsigned>(best_host_isa()); ++isa)
    bench.run(isa == static_cast<unsigned>(best_host_isa()) ? 120 : 40, static_cast<HostIsa>(isa));
  std::string report;
  for (const auto& [name, failure] : bench.failures())
    report += name + " (" + std::to_string(failure.count) + ")\n  " + failure.first + "\n";
  EXPECT_EQ(bench.failures().size(), 0U) << report;
  std::string refused;
  for (const auto& [name, count] : bench.refused()) refused += name + "\n";
  EXPECT_EQ(bench.refused().size(), 0U) << refused;
  std::printf("%s: %zu opcodes and encodings, %u cases\n", machine_name(GetParam()).c_str(), bench.candidates().size(), bench.executed());
}

// Names that only machines before gfx9 (and gfx1010) have.
const std::set<std::string> kOlder = {"v_addc_u32", "v_subb_u32", "v_subbrev_u32", "v_lshl_b32", "v_lshr_b32", "v_ashr_i32",
                                      "v_lshl_b64", "v_lshr_b64", "v_ashr_i64", "v_mul_lo_i32", "v_mac_legacy_f32"};

TEST(ExecutionReferenceTable, reaches_every_vector_row) {
  std::set<std::string> reached;
  for (const Machine& machine : kMachines) {
    Random random(1);
    const Bench bench(machine, random);
    for (const Candidate& candidate : bench.candidates()) reached.insert(candidate.opcode.mnemonic);
  }
  struct Context {
    const std::set<std::string>* reached;
    std::string missing;
  } context{&reached, {}};
  for_each_row(
      [](void* opaque, std::string_view name, const Row& row) {
        Context& c = *static_cast<Context*>(opaque);
        const bool vector = name.substr(0, 2) == "v_" && name.substr(0, 4) != "v_s_" && row.bind && row.run != run_nothing;
        if (!vector || c.reached->count(std::string(name)) || kOlder.count(std::string(name))) return;
        if (!has_fields_of_its_own(std::string(name)) && name != "v_illegal") c.missing += " " + std::string(name);
      },
      &context);
  EXPECT_EQ(context.missing, "");
}

std::string machine_test_name(const ::testing::TestParamInfo<Machine>& machine) { return machine_name(machine.param); }
INSTANTIATE_TEST_SUITE_P(Machines, ExecutionReference, ::testing::ValuesIn(kMachines),
                         machine_test_name);

} // namespace
} // namespace ptxshim::vgpu::check
