// SPDX-License-Identifier: MIT
// Loads, stores and atomics of LDS, global memory and buffers against a plain reference: random words of the DS, FLAT and
// MUBUF encodings, lane after lane, byte after byte. What an opcode does is read off its name, as AMD's ISA documents compose it, and not from the
// rows, so that a wrong size, sign or operation in a row is seen.
#include <algorithm>
#include <bit>
#include <cstring>
#include <deque>
#include <map>
#include <new>
#include <set>
#include <span>

#include <gtest/gtest.h>

#include "code_cache.h"
#include "control.h"
#include "dispatch_state.h"
#include "loader.h"
#include "memory_bind.h"
#include "rows.h"
#include "text.h"
#include "valu.h"
#include "vop_words.h"

namespace ptxshim::vgpu::check {
namespace {

enum class What : uint8_t { Load, Store, Atomic, Unknown };
enum class Part : uint8_t { Whole, Low, High };
struct Access {
  What what = What::Unknown;
  unsigned bytes = 4;
  bool sign = false, two = false, far = false;
  Part part = Part::Whole;
  std::string operation; // of an atomic
  bool real = false;
};

// The opcodes that are not plain accesses, or compute more than exact numbers show.
bool is_special(std::string_view name) {
  for (const char* part : {"swizzle", "permute", "append", "consume", "ordered", "gws", "addtid", "condxchg", "src2", "bvh", "nop",
                           "direct", "_block", "_lds_", "_tr_", "pk_add", "_format", "ds_read_tr", "_inv", "_wb"})
    if (has(name, part)) return true;
  return false;
}

unsigned bytes_of(std::string_view name) {
  if (has(name, "dwordx4") || has(name, "b128")) return 16;
  if (has(name, "dwordx3") || has(name, "b96")) return 12;
  if (has(name, "dwordx2") || has(name, "64") || has(name, "_x2")) return 8;
  if (has(name, "byte") || has(name, "_u8") || has(name, "_i8") || has(name, "_b8")) return 1;
  if (has(name, "short") || has(name, "_u16") || has(name, "_i16") || has(name, "_b16")) return 2;
  return 4;
}

std::string operation_of(std::string_view name) {
  struct Word {
    const char *part, *operation;
  };
  // The first that fits: longer names before those that they contain.
  static constexpr Word kWords[] = {
      {"fcmpswap", "cmp"}, {"cmpswap", "cmp"}, {"cmpstore", "cmp"}, {"cmpst", "cmp"}, {"wrxchg", "swap"}, {"storexchg", "swap"}, {"swap", "swap"},
      {"cond_sub", "condsub"}, {"sub_clamp", "clampsub"}, {"csub", "clampsub"}, {"rsub", "rsub"}, {"mskor", "mskor"}, {"wrap", "wrap"},
      {"smin", "smin"}, {"umin", "umin"}, {"smax", "smax"}, {"umax", "umax"}, {"fmin", "min"}, {"fmax", "max"},
      {"inc", "inc"}, {"dec", "dec"}, {"add", "add"}, {"sub", "sub"}, {"xor", "xor"}, {"and", "and"}, {"or", "or"}};
  for (const Word& word : kWords)
    if (has(name, word.part)) return word.operation;
  for (const char* extreme : {"min", "max"})
    if (has(name, extreme)) return (has(name, "_i") ? "s" : has(name, "_u") ? "u" : "") + std::string(extreme);
  return "";
}

Access access_of(std::string_view name) {
  Access access;
  if (is_special(name)) return access;
  const std::string_view rest = name.substr(name.find('_') + 1);
  access.two = has(rest, "2addr") || begins(rest, "read2") || begins(rest, "write2") || begins(rest, "wrxchg2");
  access.far = has(rest, "st64") || has(rest, "stride64");
  std::string sized(rest);
  for (const char* distance : {"st64", "stride64"})
    if (const size_t at = sized.find(distance); at != std::string::npos) sized.erase(at, std::strlen(distance));
  access.bytes = bytes_of(sized);
  access.sign = has(rest, "sbyte") || has(rest, "sshort") || has(rest, "_i8") || has(rest, "_i16");
  const bool load = begins(rest, "load") || begins(rest, "read"), store = begins(rest, "store_") || begins(rest, "write");
  if (load || store) {
    access.what = load ? What::Load : What::Store;
    if (has(rest, "d16")) access.part = has(rest, "_hi") ? Part::High : Part::Low;
    return access;
  }
  access.what = What::Atomic;
  access.operation = operation_of(rest);
  access.real = has(rest, "_f32") || has(rest, "_f64") || has(rest, "fmin") || has(rest, "fmax") || has(rest, "fcmpswap");
  return access;
}

template <class F, class U> U real_result(const std::string& op, U old, U data, U second) {
  const F a = std::bit_cast<F>(old), b = std::bit_cast<F>(data);
  if (op == "add") return std::bit_cast<U>(static_cast<F>(a + b));
  if (op == "min") return b < a ? data : old;
  if (op == "max") return b > a ? data : old;
  return a == std::bit_cast<F>(second) ? data : old; // cmp
}
template <class U, class S> U integer_result(const std::string& op, U old, U data, U second) {
  if (op == "swap") return data;
  if (op == "cmp") return old == second ? data : old;
  if (op == "add") return old + data;
  if (op == "sub") return old - data;
  if (op == "rsub") return data - old;
  if (op == "smin") return static_cast<S>(data) < static_cast<S>(old) ? data : old;
  if (op == "smax") return static_cast<S>(data) > static_cast<S>(old) ? data : old;
  if (op == "umin") return data < old ? data : old;
  if (op == "umax") return data > old ? data : old;
  if (op == "and") return old & data;
  if (op == "or") return old | data;
  if (op == "xor") return old ^ data;
  if (op == "inc") return old >= data ? 0 : old + 1;
  if (op == "dec") return old == 0 || old > data ? data : old - 1;
  if (op == "mskor") return (old & ~data) | second;
  if (op == "wrap") return old >= data ? old - data : old + second;
  if (op == "condsub") return old >= data ? old - data : old;
  EXPECT_EQ(op, "clampsub");
  return old >= data ? old - data : 0;
}
uint64_t atomic_value(const Access& access, uint64_t old, uint64_t data, uint64_t second) {
  if (access.bytes == 8)
    return access.real ? real_result<double>(access.operation, old, data, second)
                       : integer_result<uint64_t, int64_t>(access.operation, old, data, second);
  const uint32_t a = static_cast<uint32_t>(old), b = static_cast<uint32_t>(data), c = static_cast<uint32_t>(second);
  return access.real ? real_result<float>(access.operation, a, b, c) : integer_result<uint32_t, int32_t>(access.operation, a, b, c);
}

enum class Space : uint8_t { Lds, Global, Buffer };
enum class Layout : uint8_t { Apart, Row, Same };

class MemoryBench {
public:
  static constexpr uint64_t kApart = 1024; // each lane has its own bytes
  static constexpr unsigned kVectors = 24;

  explicit MemoryBench(const Machine& machine)
      : machine_(machine), decoder_(Decoder::create(machine.gfx, machine.lanes)), target_(Target::from(machine.gfx)), view_(memory_),
        registers_(wave_.v, size_t{kVectorRows} * machine.lanes), bytes_(kApart * 64 + 140000) {
    global_ = memory_.allocate(bytes_);
    lds_.resize(bytes_ + 64);
    properties_.lds_aperture = 1ULL << 56, properties_.scratch_aperture = 2ULL << 56;
    dispatch_.properties = &properties_;
    group_.dispatch = &dispatch_;
    group_.lds = lds_.data();
    group_.lds_bytes = static_cast<uint32_t>(bytes_);
  }
  void run_case(Space space);
  const std::set<std::string>& reached() const { return reached_; }
  const std::map<std::string, std::string>& failures() const { return failures_; }
  unsigned executed() const { return executed_; }

private:
  uint32_t random() {
    state_ ^= state_ << 13, state_ ^= state_ >> 7, state_ ^= state_ << 17;
    return static_cast<uint32_t>(state_ >> 16);
  }
  uint32_t& v(std::span<uint32_t> registers, unsigned reg, unsigned lane) { return registers[size_t{reg} * machine_.lanes + lane]; }
  void fill(bool real, bool wide);
  bool place(const Access& access, const Op& op, bool lds);
  bool place_in_buffer(const Access& access, const Op& op);
  void encode(Space space, uint32_t (&words)[5]);
  void expect(const Access& access, const Op& op, bool lds, std::vector<uint32_t>& registers, std::vector<std::byte>& bytes);
  uint64_t data(const std::vector<uint32_t>& before, unsigned reg, unsigned lane, unsigned bytes) {
    const size_t at = size_t{reg} * machine_.lanes + lane;
    return bytes == 8 ? static_cast<uint64_t>(before[at + machine_.lanes]) << 32 | before[at] : before[at];
  }

  const Machine& machine_;
  std::unique_ptr<Decoder> decoder_;
  Target target_;
  DirectMemory memory_;
  MemoryView view_;
  Wave wave_;
  std::span<uint32_t> registers_;
  std::vector<std::byte> lds_;
  uint64_t bytes_, global_ = 0;
  DeviceProperties properties_;
  Dispatch dispatch_;
  WorkGroup group_;
  uint64_t state_ = 0xda3e39cb94b95bdbULL;
  uint64_t where_[64] = {}; // each lane's first byte
  unsigned inside_[64] = {}; // bytes that are in range
  Layout layout_ = Layout::Apart;
  unsigned executed_ = 0;
  std::set<std::string> reached_;
  std::map<std::string, std::string> failures_;
};

void MemoryBench::fill(bool real, bool wide) {
  const auto word = [&](size_t i) {
    if (!real) return random() % 4 ? random() : random() % 3;
    const int number = static_cast<int>(random() % 5) - 2; // small, so that sums are exact and comparisons often equal
    if (!wide) return std::bit_cast<uint32_t>(static_cast<float>(number));
    return i % 2 ? static_cast<uint32_t>(std::bit_cast<uint64_t>(static_cast<double>(number)) >> 32) : 0U;
  };
  for (unsigned reg = 0; reg < kVectors; ++reg)
    for (unsigned lane = 0; lane < machine_.lanes; ++lane) v(registers_, reg, lane) = word(reg);
  for (unsigned lane = 0; lane < machine_.lanes; ++lane)
    for (unsigned i = 0; i < (lane ? 48 : kApart / 4); ++i) // (at the beginning there is room for lanes one after the other)
      for (std::byte* base : {lds_.data(), memory_.host(global_)}) {
        const uint32_t value = word(i);
        std::memcpy(base + lane * kApart + 4 * i, &value, 4);
      }
}

// Gives every lane an address: within its own bytes, after the lane before it, or the same. False: the offset makes that impossible.
bool MemoryBench::place(const Access& access, const Op& op, bool lds) {
  for (unsigned& inside : inside_) inside = access.bytes;
  const unsigned align = access.what == What::Atomic || lds ? std::bit_ceil(access.bytes) : 1;
  const bool scalar = op.src[1].kind == SourceKind::Scalar && !lds;
  const uint64_t begin = random() % (128 / align) * align;
  layout_ = static_cast<Layout>(random() % 3);
  uint64_t base = 0;
  if (scalar) {
    base = global_ - static_cast<uint64_t>(op.offset) - random() % 100000;
    wave_.write64(op.src[1].index, base);
    if (wave_.read64(op.src[1]) != base) return false; // NULL and its like
  }
  for (unsigned lane = 0; lane < machine_.lanes; ++lane) {
    where_[lane] = layout_ == Layout::Apart ? lane * kApart + random() % (128 / align) * align : layout_ == Layout::Row ? begin + lane * access.bytes : begin;
    const uint64_t address = (lds ? where_[lane] : global_ + where_[lane]) - static_cast<uint64_t>(op.offset) - base;
    if (op.src[0].index + 1U >= kVectors) return false;
    if (lds && access.two && where_[lane] < static_cast<uint64_t>(op.offset)) return false;
    v(registers_, op.src[0].index, lane) = static_cast<uint32_t>(address);
    if (!lds && !scalar) v(registers_, op.src[0].index + 1, lane) = static_cast<uint32_t>(address >> 32);
  }
  return true;
}

// A raw buffer, of which each dword must be in range (an atomic as a whole): CDNA3 ISA 9.1.5.1 (and gfx10) say where it begins,
// RDNA3 ISA 9.4.1 all of it; from gfx10 on the scalar offset takes from the size. With an index a structured one, whose
// records are the lanes' bytes. Some have room for the first lanes alone.
bool MemoryBench::place_in_buffer(const Access& access, const Op& op) {
  const unsigned form = buffer_form(op.immediate), descriptor = op.src[3].index;
  const bool indexed = form & kIndexed, offset = form & kOffset;
  if (descriptor > 20 || (!indexed && (!offset || op.offset > 1 << 20))) return false;
  uint64_t scalar = op.src[1].constant;
  if (op.src[1].kind == SourceKind::Scalar) {
    if (op.src[1].index >= descriptor && op.src[1].index < descriptor + 4) return false;
    if (op.src[1].index < 24) wave_.s[op.src[1].index] = random() % 5000;
    scalar = wave_.read32(op.src[1]);
  }
  if (scalar > 1 << 20) return false; // EXEC and its like
  const uint64_t base = global_ - scalar - static_cast<uint64_t>(op.offset), beyond = random() % 2 ? 64 : random() % machine_.lanes;
  const uint32_t stride = indexed ? kApart : 0;
  const uint64_t limit = static_cast<uint64_t>(op.offset) + beyond * kApart + 512;
  const uint64_t records = indexed ? beyond : limit + (machine_.generation >= 10 ? scalar : 0);
  wave_.s[descriptor] = static_cast<uint32_t>(base);
  wave_.s[descriptor + 1] = static_cast<uint32_t>(base >> 32 & 0xffffU) | stride << 16;
  wave_.s[descriptor + 2] = static_cast<uint32_t>(records);
  wave_.s[descriptor + 3] = 0x27000U | (machine_.generation < 10 ? 0 : indexed ? 1U << 28 : 3U << 28);
  const unsigned align = access.what == What::Atomic ? std::bit_ceil(access.bytes) : 1;
  for (unsigned lane = 0; lane < machine_.lanes; ++lane) {
    const uint32_t within = offset ? random() % (128 / align) * align : 0;
    where_[lane] = lane * kApart + within;
    const unsigned step = access.what == What::Atomic || access.bytes < 4 ? access.bytes : 4, last = machine_.generation >= 11 ? step : 1;
    const uint64_t begin = where_[lane] + static_cast<uint64_t>(op.offset);
    inside_[lane] = 0;
    while (inside_[lane] < access.bytes && (indexed ? lane < beyond : begin + inside_[lane] + last <= limit)) inside_[lane] += step;
    unsigned reg = op.src[0].index;
    if (indexed) v(registers_, reg++, lane) = lane;
    if (offset) v(registers_, reg, lane) = indexed ? within : static_cast<uint32_t>(where_[lane]);
  }
  return true;
}

void MemoryBench::expect(const Access& access, const Op& op, bool lds, std::vector<uint32_t>& registers, std::vector<std::byte>& bytes) {
  const std::vector<uint32_t> before = registers;
  const uint64_t second_place = access.two ? op.immediate - static_cast<uint64_t>(op.offset) : 0;
  const unsigned words = (access.bytes + 3) / 4, data0 = lds ? op.src[1].index : op.src[2].index;
  for (unsigned lane = 0; lane < machine_.lanes; ++lane) {
    if (!(wave_.exec() >> lane & 1U)) continue;
    for (unsigned half = 0; half < (access.two ? 2U : 1U); ++half) {
      std::byte* const at = bytes.data() + where_[lane] + (half ? second_place : 0);
      const unsigned dst = op.dst + half * words, from = half ? op.src[2].index : data0;
      uint32_t loaded[4] = {};
      std::memcpy(loaded, at, inside_[lane]);
      if (access.sign && access.bytes == 1) loaded[0] = static_cast<uint32_t>(static_cast<int8_t>(loaded[0]));
      if (access.sign && access.bytes == 2) loaded[0] = static_cast<uint32_t>(static_cast<int16_t>(loaded[0]));
      const uint32_t was = before[size_t{op.dst} * machine_.lanes + lane];
      if (access.part == Part::Low) loaded[0] = (was & 0xffff0000U) | (loaded[0] & 0xffffU);
      if (access.part == Part::High) loaded[0] = (was & 0xffffU) | loaded[0] << 16;
      if (access.what == What::Load || (access.what == What::Atomic && op.returns))
        for (unsigned i = 0; i < words; ++i) v(registers, dst + i, lane) = loaded[i];
      if (access.what == What::Store) {
        uint32_t stored[4];
        for (unsigned i = 0; i < words; ++i) stored[i] = before[size_t{from + i} * machine_.lanes + lane];
        if (access.part == Part::High) stored[0] >>= 16;
        std::memcpy(at, stored, inside_[lane]);
      }
      if (access.what != What::Atomic || !inside_[lane]) continue;
      uint64_t old = 0;
      std::memcpy(&old, at, access.bytes);
      uint64_t operand = data(before, from, lane, access.bytes), second = 0;
      if (lds && op.src[2].kind == SourceKind::Vector && !access.two) second = data(before, op.src[2].index, lane, access.bytes);
      if (!lds) second = data(before, from + words, lane, access.bytes);
      // Up to gfx10 ds_cmpst names the comparand first; global memory and gfx11's ds_cmpstore name it last.
      if (lds && access.operation == "cmp" && machine_.generation < 11) std::swap(operand, second);
      const uint64_t now = atomic_value(access, old, operand, second);
      std::memcpy(at, &now, access.bytes);
    }
  }
}

// A random word, with low registers.
void MemoryBench::encode(Space space, uint32_t (&words)[5]) {
  for (uint32_t& word : words) word = random();
  const bool gfx12 = machine_.generation == 12;
  const auto low = [&](unsigned shift) { return random() % (kVectors - 8) << shift; };
  const uint32_t scalar = random() % 32 & ~1U, none = random() % 2 ? (gfx12 ? 124U : 0x7dU) : scalar;
  switch (space) {
  case Space::Lds:
    words[0] = (words[0] & 0x03ffffffU) | 0xd8000000U;
    words[1] = low(0) | low(8) | low(16) | low(24);
    return;
  case Space::Global:
    words[0] = (words[0] & 0x03ffff80U) | (gfx12 ? 0xec000000U | none : 0xdc000000U | (words[0] & 0x7fU));
    words[1] = gfx12 ? low(0) | low(23) : low(0) | low(8) | none << 16 | low(24);
    words[2] = low(0) | (random() % 2 ? 0U : random() & 0xfffff000U) << 8;
    return;
  case Space::Buffer:
    if (gfx12) {
      words[0] = (words[0] & 0x003fff80U) | 0xc4000000U | (random() % 2 ? 124U : scalar);
      words[1] = low(0) | (random() % 6 * 4) << 9 | (random() & 3U) << 30; // vdata, rsrc, offen and idxen
      words[2] = low(0) | (random() & 0xfffU) << 8;
      return;
    }
    words[0] = (words[0] & 0x03ffffffU) | 0xe0000000U;
    words[1] = low(0) | low(8) | random() % 6 << 16 | (random() % 2 ? 128U + random() % 64 : scalar) << 24;
    if (machine_.generation == 11) words[1] |= (random() & 3U) << 22;
    return;
  }
}

void MemoryBench::run_case(Space space) {
  const bool lds = space == Space::Lds;
  uint32_t words[5];
  encode(space, words);
  Instruction in;
  if (!decoder_->decode(std::as_bytes(std::span<const uint32_t>(words)), 0x1000, in)) return;
  if (space == Space::Global && !begins(in.mnemonic, "global_") && !begins(in.mnemonic, "flat_")) return;
  const Access access = access_of(in.mnemonic);
  std::deque<VopExtra> extras;
  std::vector<Op> ops;
  ConstantRows constants;
  choose_host_isa(static_cast<HostIsa>(random() % (static_cast<unsigned>(best_host_isa()) + 1)));
  bind_instruction(BindContext{target_, machine_.lanes, extras, constants}, in, ops);
  if (access.what == What::Unknown || ops.size() != 1 || ops[0].run == run_unsupported) return;
  const Op& op = ops[0];
  new (&wave_) Wave; // (all but the vector registers)
  wave_.lanes = machine_.lanes;
  wave_.lane_mask = machine_.lanes == 64 ? ~uint64_t{0} : 0xffffffffU;
  wave_.generation = machine_.generation;
  wave_.group = &group_;
  wave_.memory = &view_;
  const uint64_t some = static_cast<uint64_t>(random()) << 32 | random(), first = ~uint64_t{0} >> random() % 64;
  wave_.write64(kExec, random() % 2 ? ~uint64_t{0} : random() % 2 ? first : some);
  fill(access.real, access.bytes == 8);
  for (const Source& source : op.src) // the whole of every operand within the registers looked at
    if (source.kind == SourceKind::Vector && source.index + 8U > kVectors) return;
  if (op.dst + 8U > kVectors) return;
  if (!(space == Space::Buffer ? place_in_buffer(access, op) : place(access, op, lds))) return;
  // Two places of a lane must not be another lane's, nor lie over each other.
  const uint64_t apart = access.two ? (op.immediate > op.offset ? op.immediate - static_cast<uint64_t>(op.offset) : static_cast<uint64_t>(op.offset) - op.immediate) : 64;
  if (access.two && (apart < access.bytes || apart % kApart > kApart - 300 || (apart > 256 && apart % kApart < 256))) return;
  if (access.two && (op.immediate < op.offset || (layout_ == Layout::Row && apart < uint64_t{machine_.lanes} * access.bytes))) return;
  std::vector<uint32_t> registers(registers_.begin(), registers_.end());
  std::byte* const memory = lds ? lds_.data() : memory_.host(global_);
  std::vector<std::byte> bytes(memory, memory + bytes_);
  expect(access, op, lds, registers, bytes);
  const bool ended = run_alone(wave_, op);
  ++executed_;
  reached_.insert(std::string(in.mnemonic));
  std::string what;
  if (!ended) what = " stopped: " + dispatch_.outcome.report;
  if (!std::equal(registers.begin(), registers.end(), registers_.begin())) what += " registers differ";
  if (std::memcmp(memory, bytes.data(), bytes_) != 0) what += " memory differs";
  if (!what.empty()) failures_.emplace(std::string(in.mnemonic), machine_name(machine_) + in.text + what);
}

class MemoryReference : public ::testing::TestWithParam<Machine> {};

TEST_P(MemoryReference, agrees_with_the_virtual_gpu) {
  MemoryBench bench(GetParam());
  for (unsigned i = 0; i < 400000 && bench.executed() < 8000; ++i) bench.run_case(static_cast<Space>(i % 3));
  choose_host_isa(best_host_isa());
  std::string report;
  for (const auto& [name, text] : bench.failures()) report += text + "\n";
  EXPECT_EQ(bench.failures().size(), 0U) << report;
  std::printf("%s: %zu memory opcodes, %u cases\n", machine_name(GetParam()).c_str(), bench.reached().size(), bench.executed());
  EXPECT_GE(bench.executed(), 4000U);
  EXPECT_GT(bench.reached().size(), 80U);
}

std::string memory_machine_name(const ::testing::TestParamInfo<Machine>& machine) { return machine_name(machine.param); }
INSTANTIATE_TEST_SUITE_P(Machines, MemoryReference, ::testing::ValuesIn(kMachines), memory_machine_name);

} // namespace
} // namespace ptxshim::vgpu::check
