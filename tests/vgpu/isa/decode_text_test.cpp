// SPDX-License-Identifier: MIT
// Decoding, checked by writing every operation back: random words of every encoding of every machine go through decoder and
// binder, what will be executed is written as assembly (op_text.cpp), and must be what LLVM's printer says of the bytes.
//
// Not looked at: instructions that are refused (they stop the wave), those that vanish (waits, hints, cache control), words
// for which LLVM itself says that an operand is invalid, and cache policies, which have no effect here.
#include <array>
#include <map>

#include <gtest/gtest.h>

#include "code_cache.h"
#include "control.h"
#include "op_text.h"
#include "rows.h"
#include "text.h"

namespace ptxshim::vgpu::check {
namespace {

struct Encoding {
  const char* name;
  uint32_t bits, mask;             // of the first word
  unsigned first_generation = 9, last_generation = 12;
  uint32_t source = 0;             // the first source field, when it chooses SDWA or DPP
};
// "Microcode formats" of the ISA documents.
constexpr Encoding kEncodings[] = {
    {"SOP2", 0x80000000, 0xc0000000},
    {"SOPK", 0xb0000000, 0xf0000000},
    {"SOP1", 0xbe800000, 0xff800000},
    {"SOPC", 0xbf000000, 0xff800000},
    {"SOPP", 0xbf800000, 0xff800000},
    {"SMEM", 0xc0000000, 0xfc000000, 9, 9},
    {"SMEM", 0xf4000000, 0xfc000000, 10, 12},
    {"VOP1", 0x7e000000, 0xfe000000},
    {"VOP2", 0x00000000, 0x80000000},
    {"VOPC", 0x7c000000, 0xfe000000},
    {"VOP1 SDWA", 0x7e000000, 0xfe000000, 9, 10, 0xf9},
    {"VOP2 SDWA", 0x00000000, 0x80000000, 9, 10, 0xf9},
    {"VOPC SDWA", 0x7c000000, 0xfe000000, 9, 10, 0xf9},
    {"VOP1 DPP", 0x7e000000, 0xfe000000, 9, 12, 0xfa},
    {"VOP2 DPP", 0x00000000, 0x80000000, 9, 12, 0xfa},
    {"VOPC DPP", 0x7c000000, 0xfe000000, 11, 12, 0xfa},
    {"VOP1 DPP8", 0x7e000000, 0xfe000000, 10, 12, 0xe9},
    {"VOP2 DPP8", 0x00000000, 0x80000000, 10, 12, 0xea},
    {"VOPC DPP8", 0x7c000000, 0xfe000000, 11, 12, 0xe9},
    {"VOP3", 0xd0000000, 0xfc000000, 9, 9},
    {"VOP3", 0xd4000000, 0xfc000000, 10, 12},
    {"VOP3 DPP", 0xd4000000, 0xfc000000, 11, 12, 0xfa},
    {"VOP3 DPP8", 0xd4000000, 0xfc000000, 11, 12, 0xe9},
    {"VOP3P", 0xd3800000, 0xff800000, 9, 9},
    {"VOP3P", 0xcc000000, 0xff000000, 10, 12},
    {"VOP3P DPP", 0xcc000000, 0xff000000, 11, 12, 0xfa},
    {"VOPD", 0xc8000000, 0xfc000000, 11, 12},
    {"DS", 0xd8000000, 0xfc000000},
    {"FLAT", 0xdc000000, 0xfc000000, 9, 11},
    {"FLAT", 0xec000000, 0xfc000000, 12, 12},
    {"MUBUF", 0xe0000000, 0xfc000000, 9, 11},
    {"MUBUF", 0xc4000000, 0xfc000000, 12, 12},
};
constexpr unsigned kWords = 6000;       // of each encoding of each machine
constexpr unsigned kLeastChecked = 500; // of them, on every machine that has the encoding

struct Count {
  unsigned decoded = 0, checked = 0, refused = 0, vanished = 0, invalid = 0, unprinted = 0;
};

class Random {
public:
  uint32_t next() {
    state_ ^= state_ << 13, state_ ^= state_ >> 7, state_ ^= state_ << 17;
    return static_cast<uint32_t>(state_ >> 16);
  }

private:
  uint64_t state_ = 0x2545f4914f6cdd1dULL;
};

class TextCheck {
public:
  explicit TextCheck(const Machine& machine)
      : machine_(machine), decoder_(Decoder::create(machine.gfx, machine.lanes)), target_(Target::from(machine.gfx)) {}
  void run(const Encoding& encoding);
  const std::map<std::string, Count>& counts() const { return counts_; }
  const std::map<std::string, std::string>& failures() const { return failures_; }
  const std::map<std::string, std::string>& unprinted() const { return unprinted_; }

private:
  using Words = std::array<uint32_t, 5>;
  void pick(const Encoding& encoding, const std::vector<Words>& known, Words& words);
  void check(const Instruction& in, const std::vector<Op>& ops, Count& count);
  void check_dual(const Instruction& in, const std::vector<Op>& ops, Count& count);
  void compare(const Instruction& in, OpText ours, std::string_view text);

  const Machine& machine_;
  std::unique_ptr<Decoder> decoder_;
  Target target_;
  Random random_;
  std::map<std::string, Count> counts_;
  std::map<std::string, std::string> failures_, unprinted_; // first of each mnemonic
};

std::string_view after_mnemonic(std::string_view text) {
  while (!text.empty() && (text[0] == '\t' || text[0] == ' ')) text.remove_prefix(1);
  const size_t space = text.find(' ');
  return space == std::string_view::npos ? std::string_view() : text.substr(space + 1);
}

// LLVM prints some fields that mean nothing there, and are not kept.
void drop_meaningless(const Instruction& in, OpText& ours, OpText& theirs) {
  const bool sdwa = in.flags & flag::kSdwa;
  for (Term& term : theirs.terms) term.extended = term.extended && sdwa; // integers have no signs to change but in SDWA
  const auto erase = [](OpText& text, std::string_view prefix) {
    std::erase_if(text.modifiers, [&](const std::string& modifier) { return modifier.substr(0, prefix.size()) == prefix; });
  };
  if (has(in.mnemonic, "_iu8") || has(in.mnemonic, "_iu4")) { // there only neg_lo of the first two is more
    for (OpText* text : {&ours, &theirs})
      for (const char* field : {"op_sel:", "op_sel_hi:", "neg_hi:"}) erase(*text, field);
    for (const char* signs : {"0,0", "0,1", "1,0", "1,1"}) {
      const std::string with_third = std::string("neg_lo:[") + signs + ",1]";
      if (!theirs.modifiers.erase(with_third)) continue;
      if (std::string(signs) != "0,0") theirs.modifiers.insert(std::string("neg_lo:[") + signs + ",0]");
    }
  }
  if (has(in.mnemonic, "fp8") || has(in.mnemonic, "bf8")) // which byte is the opcode tests' matter
    for (OpText* text : {&ours, &theirs})
      for (const char* field : {"op_sel:", "op_sel_hi:", "byte_sel:", "dst_sel:", "dst_unused:", "src0_sel:"}) erase(*text, field);
  for (const char* choice : {"v_min3_", "v_max3_", "v_med3_"}) // of integers: what is chosen needs no clamp
    if (in.mnemonic.starts_with(choice) && !has(in.mnemonic, "_f") && !has(in.mnemonic, "num_")) theirs.modifiers.erase("clamp");
  if (has(in.mnemonic, "direct_load")) // which other operations it waits for
    for (const char* field : {"wait_vdst:", "wait_va_vdst:", "wait_vm_vsrc:"}) erase(theirs, field);
  if (has(in.mnemonic, "_mix")) // literals of singles are printed as if they were halves
    for (size_t i = 0; i < ours.terms.size() && i < theirs.terms.size(); ++i)
      if (ours.terms[i].name.empty() && (ours.terms[i].value & 0xffffU) == theirs.terms[i].value) theirs.terms[i].value = ours.terms[i].value;
  if (in.mnemonic == "v_mad_i32_i16" || in.mnemonic == "v_mad_u32_u16") // results of 32 bits have no other half
    for (const std::string& modifier : std::set<std::string>(theirs.modifiers))
      if (has(modifier, "op_sel:") && modifier.substr(modifier.size() - 2) == "1]") {
        theirs.modifiers.erase(modifier);
        const std::string without = modifier.substr(0, modifier.size() - 2) + "0]";
        if (without != "op_sel:[0,0,0,0]") theirs.modifiers.insert(without);
      }
}

// LLVM puts the end of an absolute value behind the mask that follows: "|v2, vcc_lo|".
std::string without_slip(std::string_view text) {
  std::string repaired(text);
  for (const char* mask : {", vcc_lo", ", vcc"}) {
    const size_t at = repaired.find(std::string(mask) + "|");
    if (at == std::string::npos) continue;
    repaired.erase(at + std::string_view(mask).size(), 1);
    repaired.insert(at, "|");
  }
  return repaired;
}

void TextCheck::compare(const Instruction& in, OpText ours, std::string_view text) {
  OpText theirs = parse_text(without_slip(after_mnemonic(text)), ours, machine_);
  drop_meaningless(in, ours, theirs);
  if (machine_.generation >= 11 && in.mnemonic.starts_with("v_dot2_f32_")) theirs.modifiers.erase("clamp"); // ignored
  const std::string what = difference(ours, theirs);
  if (what.empty()) return;
  failures_.emplace(std::string(in.mnemonic) + ": " + what,
                    machine_name(machine_) + in.text + "\n    ours: " + to_string(ours) + "\n    LLVM: " + to_string(theirs));
}

// Both halves, in whatever order they run; a result that waits in a spare register goes where its copy takes it.
void TextCheck::check_dual(const Instruction& in, const std::vector<Op>& ops, Count& count) {
  const std::string_view text = in.text;
  const size_t middle = text.find(" :: ");
  Op x = ops[0], y = ops[1];
  if (ops.size() == 3) x.dst = ops[2].dst;
  const std::string_view first = text.substr(0, middle), second = text.substr(middle + 4);
  const auto agree = [&](const Op& op, std::string_view half) {
    const std::optional<OpText> ours = print_half(op, machine_);
    return ours && difference(*ours, parse_text(after_mnemonic(half), *ours, machine_)).empty() &&
           has(half, std::string("v_dual_") + (op.row->name + 2) + " ");
  };
  ++count.checked;
  if ((agree(x, first) && agree(y, second)) || (ops.size() == 2 && agree(y, first) && agree(x, second))) return;
  failures_.emplace(std::string(in.mnemonic), machine_name(machine_) + in.text);
}

void TextCheck::check(const Instruction& in, const std::vector<Op>& ops, Count& count) {
  if (ops.empty() || in.mnemonic == "s_sleep_var" || in.mnemonic == "s_sendmsghalt") { // (how long, what message, is not kept)
    ++count.vanished;
    return;
  }
  if (ops.back().run == run_unsupported) {
    ++count.refused;
    return;
  }
  if (in.text.find("/*") != std::string::npos || in.text.find("//") != std::string::npos) {
    ++count.invalid;
    return;
  }
  if (in.mnemonic.substr(0, 7) == "v_dual_") {
    check_dual(in, ops, count);
    return;
  }
  // Accesses of LDS beside memory take more than one step; all of them hold the same fields.
  const std::optional<OpText> ours = print_op(ops[0], in, machine_);
  if (!ours) {
    ++count.unprinted;
    unprinted_.emplace(in.mnemonic, machine_name(machine_) + in.text);
    return;
  }
  ++count.checked;
  compare(in, *ours, in.text);
}

// Most words are variations of words that were instructions: many encodings are thinly populated.
void TextCheck::pick(const Encoding& encoding, const std::vector<Words>& known, Words& words) {
  for (uint32_t& word : words) word = random_.next();
  const uint32_t choice = random_.next();
  if (!known.empty() && choice % 4) {
    const Words& from = known[choice / 4 % known.size()];
    const uint32_t first_kept = choice >> 20 & 1U ? 0xffff0000U : 0xffU << (choice >> 21 & 24U);
    words[0] = (from[0] & ~0xffU & first_kept) | (from[0] & ~first_kept & 0xff000000U) | (words[0] & ~first_kept & 0xffffffU);
    const uint32_t second_new = 0xffU << (choice >> 24 & 24U);
    words[1] = (from[1] & ~second_new) | (words[1] & second_new);
    if (choice >> 28 & 1U) words[0] = from[0];
  }
  words[0] = (words[0] & ~encoding.mask) | encoding.bits;
  if (!encoding.source) return;
  uint32_t& word = encoding.mask == 0xfc000000 || encoding.mask == 0xff000000 ? words[1] : words[0];
  word = (word & ~0x1ffU) | encoding.source;
}

void TextCheck::run(const Encoding& encoding) {
  Count& count = counts_[encoding.name];
  std::vector<Words> known;
  for (unsigned i = 0; i < kWords; ++i) {
    Words words;
    pick(encoding, known, words);
    Instruction in;
    if (!decoder_->decode(std::as_bytes(std::span<const uint32_t>(words)), 0x10000, in)) continue;
    ++count.decoded;
    const unsigned before = count.checked;
    std::deque<VopExtra> extras;
    ConstantRows constants;
    const BindContext context{target_, machine_.lanes, extras, constants};
    std::vector<Op> ops;
    bind_instruction(context, in, ops);
    check(in, ops, count);
    if (count.checked > before && known.size() < 2000) known.push_back(words);
  }
}

class DecodeText : public ::testing::TestWithParam<Machine> {};

TEST_P(DecodeText, is_what_llvm_prints) {
  TextCheck check(GetParam());
  for (const Encoding& encoding : kEncodings) {
    if (GetParam().generation < encoding.first_generation || GetParam().generation > encoding.last_generation) continue;
    if (std::string(encoding.name) == "VOPD" && GetParam().lanes == 64) continue; // for waves of 32 alone
    check.run(encoding);
  }
  for (const auto& [name, count] : check.counts()) {
    std::printf("%-10s %5u decoded: %5u checked, %5u refused, %5u vanish, %5u invalid, %3u not printed\n", name.c_str(), count.decoded,
                count.checked, count.refused, count.vanished, count.invalid, count.unprinted);
    EXPECT_GE(count.checked, kLeastChecked) << name;
    EXPECT_EQ(count.unprinted, 0U) << name;
  }
  std::string report;
  for (const auto& [name, text] : check.failures()) report += name + "\n  " + text + "\n";
  EXPECT_EQ(check.failures().size(), 0U) << report;
  std::string unprinted;
  for (const auto& [name, text] : check.unprinted()) unprinted += text + "\n";
  EXPECT_EQ(unprinted, "");
}

std::string text_machine_name(const ::testing::TestParamInfo<Machine>& machine) { return machine_name(machine.param); }
INSTANTIATE_TEST_SUITE_P(Machines, DecodeText, ::testing::ValuesIn(kMachines), text_machine_name);

} // namespace
} // namespace ptxshim::vgpu::check
