// SPDX-License-Identifier: MIT
// The scalar unit against a plain reference: random words of SOP1, SOP2, SOPC and SOPK with every opcode that is a function
// of its operands, and those that combine EXEC with one. Operands are fetched, the pure meaning is called, result and SCC are
// written as AMD's ISA documents say; then all scalar registers must be the same.
#include <bit>
#include <cstring>
#include <deque>
#include <map>
#include <new>
#include <set>

#include <gtest/gtest.h>

#include "code_cache.h"
#include "control.h"
#include "meanings/meanings.h"
#include "rows.h"
#include "vop_words.h"

namespace ptxshim::vgpu::check {
namespace {

using namespace meaning;

struct ScalarInput {
  uint64_t src[3] = {};
  bool scc = false;
  const FloatMode* mode = nullptr;
};
struct ScalarOutput {
  uint64_t value = 0;
  bool scc = false;
};
struct ScalarMeaning {
  unsigned sources = 0, bytes[3] = {}; // of each operand
  bool is_float[3] = {}, is_signed[3] = {};
  unsigned result_bytes = 0;           // 0: SCC alone
  bool writes_scc = false;
  ScalarOutput (*call)(const ScalarInput& in) = nullptr;
};

template <class T> T from_source(uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
template <class T> uint64_t to_value(T result) {
  uint64_t bits = 0;
  std::memcpy(&bits, &result, sizeof result);
  return bits;
}
template <class T> struct Outcome {
  static constexpr unsigned kBytes = sizeof(T);
  static constexpr bool kScc = false;
  static ScalarOutput of(T result) { return {to_value(result), false}; }
};
template <> struct Outcome<bool> {
  static constexpr unsigned kBytes = 0;
  static constexpr bool kScc = true;
  static ScalarOutput of(bool result) { return {0, result}; }
};
template <class T> struct Outcome<WithScc<T>> {
  static constexpr unsigned kBytes = sizeof(T);
  static constexpr bool kScc = true;
  static ScalarOutput of(WithScc<T> result) { return {to_value(result.value), result.scc}; }
};
template <class T> T scalar_argument(const ScalarInput& in, unsigned& next) { return from_source<T>(in.src[next++]); }
template <> bool scalar_argument<bool>(const ScalarInput& in, unsigned&) { return in.scc; }
template <> const FloatMode& scalar_argument<const FloatMode&>(const ScalarInput& in, unsigned&) { return *in.mode; }

template <auto F, class S> struct Caller;
template <auto F, class R, class... A> struct Caller<F, R (*)(A...)> {
  static ScalarOutput call(const ScalarInput& in) {
    unsigned next = 0;
    struct Apply { // braces evaluate in order
      R result;
      Apply(A... a) : result(F(a...)) {}
    };
    return Outcome<R>::of(Apply{scalar_argument<A>(in, next)...}.result);
  }
  static ScalarMeaning make() {
    ScalarMeaning m;
    m.result_bytes = Outcome<R>::kBytes;
    m.writes_scc = Outcome<R>::kScc;
    m.call = call;
    auto add = [&]<class T>(std::type_identity<T>) {
      if constexpr (!std::is_same_v<T, bool> && !std::is_same_v<T, const FloatMode&>) {
        m.bytes[m.sources] = sizeof(T);
        m.is_float[m.sources] = std::is_same_v<T, float> || std::is_same_v<T, F16>;
        m.is_signed[m.sources++] = std::is_same_v<T, int64_t>;
      }
    };
    (add(std::type_identity<A>{}), ...);
    return m;
  }
};

// clang-format off
const std::map<std::string, ScalarMeaning, std::less<>>& scalar_meanings() {
  static const std::map<std::string, ScalarMeaning, std::less<>> kAll = {
#define SCALAR(name) {#name, Caller<&meaning::name, decltype(&meaning::name)>::make()},
#include "scalar.def"
  };
  return kAll;
}
// clang-format on

enum class Format : uint8_t { Sop1, Sop2, Sopc, Sopk };

class ScalarBench {
public:
  explicit ScalarBench(const Machine& machine)
      : machine_(machine), decoder_(Decoder::create(machine.gfx, machine.lanes)), target_(Target::from(machine.gfx)) {}
  void run_case(Format format);
  unsigned executed() const { return executed_; }
  const std::set<std::string>& reached() const { return reached_; }
  const std::map<std::string, std::string>& failures() const { return failures_; }

private:
  uint32_t random() {
    state_ ^= state_ << 13, state_ ^= state_ >> 7, state_ ^= state_ << 17;
    return static_cast<uint32_t>(state_ >> 16);
  }
  unsigned pick_code();
  uint64_t fetch(unsigned code, unsigned bytes, bool is_float, bool is_signed) const;
  void put(std::vector<uint32_t>& s, unsigned code, unsigned bytes, uint64_t value) const;
  bool expect(const std::string& name, Format format, std::vector<uint32_t>& s);
  bool combine_exec(const std::string& name, std::vector<uint32_t>& s);
  unsigned slot_of(unsigned code) const { return code == code_m0(machine_) ? kM0 : code; }
  bool is_null(unsigned code) const { return machine_.generation >= 10 && code == code_null(machine_); }

  const Machine& machine_;
  std::unique_ptr<Decoder> decoder_;
  Target target_;
  Wave wave_;
  unsigned sdst_ = 0, ssrc_[2] = {};
  uint16_t simm_ = 0;
  uint32_t literal_ = 0;
  uint64_t state_ = 0x853c49e6748fea9bULL;
  unsigned executed_ = 0;
  std::set<std::string> reached_;
  std::map<std::string, std::string> failures_;
};

unsigned ScalarBench::pick_code() {
  switch (random() % 8) {
  case 0:
  case 1:
  case 2: return random() % 24 & ~1U; // even, for 64 bits
  case 3: return random() % 24;
  case 4: return random() % 2 ? kCodeVcc : kCodeExec;
  case 5: return kCodeZero + random() % 81;
  case 6: return random() % 2 ? kCodeHalf + random() % 9 : kCodeScc;
  default: return random() % 3 ? kCodeLiteral : code_m0(machine_);
  }
}

uint64_t ScalarBench::fetch(unsigned code, unsigned bytes, bool is_float, bool is_signed) const {
  static constexpr float kNumbers[] = {0.5F, -0.5F, 1, -1, 2, -2, 4, -4};
  static constexpr uint16_t kHalves[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118};
  if (is_null(code)) return 0;
  if (code == kCodeLiteral) return is_signed ? static_cast<uint64_t>(int64_t{static_cast<int32_t>(literal_)}) : literal_;
  if (code >= kCodeHalf && code < kCodeSdwa) {
    const unsigned which = code - kCodeHalf;
    if (bytes == 2 && is_float) return kHalves[which];
    if (bytes == 8) return which == 8 ? 0x3fc45f306dc9c882ULL : std::bit_cast<uint64_t>(double{kNumbers[which]});
    return which == 8 ? 0x3e22f983U : std::bit_cast<uint32_t>(kNumbers[which]);
  }
  if (code >= kCodeZero && code <= 208)
    return static_cast<uint64_t>(code <= 192 ? int64_t{code} - 128 : 192 - int64_t{code});
  if (code == kCodeScc) return wave_.s[kScc];
  const uint64_t low = wave_.s[slot_of(code)];
  return bytes == 8 ? low | static_cast<uint64_t>(wave_.s[slot_of(code) + 1]) << 32 : low;
}

void ScalarBench::put(std::vector<uint32_t>& s, unsigned code, unsigned bytes, uint64_t value) const {
  if (is_null(code) || bytes == 0) return;
  s[slot_of(code)] = static_cast<uint32_t>(value);
  if (bytes == 8) s[slot_of(code) + 1] = static_cast<uint32_t>(value >> 32);
}

// s_<operation>_saveexec: the old EXEC is the result. s_<operation>_wrexec: the new one is.
bool ScalarBench::combine_exec(const std::string& name, std::vector<uint32_t>& s) {
  const bool save = name.find("_saveexec_") != std::string::npos, write = name.find("_wrexec_") != std::string::npos;
  if (!save && !write) return false;
  const unsigned bytes = name.find("b64") != std::string::npos ? 8 : 4;
  const uint64_t mask = bytes == 8 ? ~uint64_t{0} : 0xffffffffU;
  const uint64_t source = fetch(ssrc_[0], bytes, false, false) & mask, old = fetch(kCodeExec, bytes, false, false);
  const std::string operation = name.substr(2, name.find(save ? "_saveexec" : "_wrexec") - 2);
  uint64_t now = 0;
  if (operation == "and") now = source & old;
  if (operation == "or") now = source | old;
  if (operation == "xor") now = source ^ old;
  if (operation == "nand") now = ~(source & old);
  if (operation == "nor") now = ~(source | old);
  if (operation == "xnor") now = ~(source ^ old);
  if (operation == "andn1" || operation == "and_not0") now = ~source & old;
  if (operation == "andn2" || operation == "and_not1") now = source & ~old;
  if (operation == "orn1" || operation == "or_not0") now = ~source | old;
  if (operation == "orn2" || operation == "or_not1") now = source | ~old;
  now &= mask;
  put(s, sdst_, bytes, save ? old : now);
  put(s, kCodeExec, bytes, now);
  s[kScc] = now != 0;
  return true;
}

// What the registers must be afterwards. False: not an opcode that this reference knows.
bool ScalarBench::expect(const std::string& name, Format format, std::vector<uint32_t>& s) {
  if (combine_exec(name, s)) return true;
  const auto found = scalar_meanings().find(name);
  if (found == scalar_meanings().end()) return false;
  const ScalarMeaning& m = found->second;
  ScalarInput in;
  in.scc = wave_.s[kScc] != 0;
  in.mode = &wave_.mode;
  // SOPK: what is not the immediate is the destination. SOP1, SOP2: what the word does not name is its old value.
  const unsigned named = format == Format::Sop1 ? 1 : 2;
  const bool multiplies_literal = name == "s_fmamk_f32", adds_literal = name == "s_fmaak_f32";
  for (unsigned i = 0; i < m.sources; ++i) {
    if ((multiplies_literal && i == 1) || (adds_literal && i == 2))
      in.src[i] = literal_;
    else if (multiplies_literal && i == 2)
      in.src[i] = fetch(ssrc_[1], 4, true, false);
    else if (format == Format::Sopk)
      in.src[i] = m.bytes[i] == 2 ? simm_ : fetch(sdst_, m.bytes[i], false, false);
    else
      in.src[i] = fetch(i < named ? ssrc_[i] : sdst_, m.bytes[i], m.is_float[i], m.is_signed[i]);
  }
  const ScalarOutput out = m.call(in);
  put(s, sdst_, m.result_bytes == 2 ? 4 : m.result_bytes, out.value);
  if (m.writes_scc) s[kScc] = out.scc;
  return true;
}

void ScalarBench::run_case(Format format) {
  sdst_ = random() % 6 == 0 ? kCodeVcc : random() % 24 & (random() % 2 ? ~1U : ~0U);
  if (machine_.generation >= 10 && random() % 16 == 0) sdst_ = code_null(machine_);
  for (unsigned& code : ssrc_) code = pick_code();
  simm_ = static_cast<uint16_t>(random());
  literal_ = random() % 2 ? random() : 0xffffff00U | random() % 256;
  uint32_t words[5] = {0, literal_, 0, 0, 0};
  switch (format) {
  case Format::Sop1: words[0] = 0xbe800000U | sdst_ << 16 | random() % 128 << 8 | ssrc_[0]; break;
  case Format::Sop2: words[0] = 0x80000000U | random() % 96 << 23 | sdst_ << 16 | ssrc_[1] << 8 | ssrc_[0]; break;
  case Format::Sopc: words[0] = 0xbf000000U | random() % 128 << 16 | ssrc_[1] << 8 | ssrc_[0]; break;
  case Format::Sopk: words[0] = 0xb0000000U | random() % 29 << 23 | sdst_ << 16 | simm_; break;
  }
  Instruction in;
  if (!decoder_->decode(std::as_bytes(std::span<const uint32_t>(words)), 0x1000, in) || in.text.find("/*") != std::string::npos) return;
  std::deque<VopExtra> extras;
  std::vector<Op> ops;
  ConstantRows constants;
  bind_instruction(BindContext{target_, machine_.lanes, extras, constants}, in, ops);
  new (&wave_) Wave; // (all but the vector registers)
  wave_.lanes = machine_.lanes;
  wave_.lane_mask = machine_.lanes == 64 ? ~uint64_t{0} : 0xffffffffU;
  wave_.generation = machine_.generation;
  for (unsigned slot = 0; slot < 128; ++slot) wave_.s[slot] = random() % 4 ? random() : random() % 40;
  wave_.s[kScc] = random() % 2;
  wave_.set_mode(random() % 2 ? 0x3f0 : random() & 0x3ffU);
  for (unsigned i = 0; i < in.count; ++i) // pairs begin at even registers: LLVM takes the odd ones for the even below
    if (in.operands[i].words == 2 && ((sdst_ | ssrc_[0] | ssrc_[1]) & 1U)) return;
  const std::string name(in.mnemonic);
  std::vector<uint32_t> s(wave_.s, wave_.s + kScalarSlots);
  if (name == "s_cvt_hi_f32_f16" && ssrc_[0] >= kCodeHalf && ssrc_[0] < kCodeSdwa) return; // no document says what their high half is
  if (!expect(name, format, s)) return;
  if (ops.empty() || ops.back().run == run_unsupported) {
    failures_.emplace(name, machine_name(machine_) + in.text + " is refused");
    return;
  }
  for (const Op& op : ops) ASSERT_TRUE(run_alone(wave_, op)) << in.text;
  ++executed_;
  reached_.insert(name);
  for (unsigned slot = 0; slot < kSink; ++slot) {
    if (wave_.s[slot] == s[slot]) continue;
    char what[96];
    std::snprintf(what, sizeof what, ": slot %u is 0x%x, not 0x%x", slot, wave_.s[slot], s[slot]);
    failures_.emplace(name, machine_name(machine_) + in.text + what);
    return;
  }
}

class ScalarReference : public ::testing::TestWithParam<Machine> {};

TEST_P(ScalarReference, agrees_with_the_virtual_gpu) {
  ScalarBench bench(GetParam());
  for (unsigned i = 0; i < 30000; ++i)
    for (const Format format : {Format::Sop1, Format::Sop2, Format::Sopc, Format::Sopk}) bench.run_case(format);
  std::string report;
  for (const auto& [name, text] : bench.failures()) report += text + "\n";
  EXPECT_EQ(bench.failures().size(), 0U) << report;
  EXPECT_GT(bench.executed(), 40000U);
  EXPECT_GT(bench.reached().size(), 90U);
  std::printf("%s: %zu scalar opcodes, %u cases\n", machine_name(GetParam()).c_str(), bench.reached().size(), bench.executed());
}

std::string scalar_machine_name(const ::testing::TestParamInfo<Machine>& machine) { return machine_name(machine.param); }
INSTANTIATE_TEST_SUITE_P(Machines, ScalarReference, ::testing::ValuesIn(kMachines), scalar_machine_name);

} // namespace
} // namespace ptxshim::vgpu::check
