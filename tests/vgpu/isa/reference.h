// SPDX-License-Identifier: MIT
// The slow, plain way to execute a vector instruction: one lane after the other, from the fields of the instruction word,
// as AMD's ISA documents describe operands, modifiers, DPP and SDWA. Shares the pure meanings with the virtual GPU and
// nothing else, so that its fast ways (lane kernels, masks, spreads, special handlers) cannot differ without being seen.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "instruction.h"
#include "lane_meanings.h"
#include "vop_words.h"

namespace ptxshim::vgpu::check {

struct State {
  std::array<uint32_t, kScalarSlots> s{};
  std::vector<uint32_t> v; // [register][lane]
};

// What an opcode is, apart from its word.
struct Opcode {
  std::string mnemonic;
  const LaneMeaning* meaning = nullptr; // null: one of the opcodes that look at other lanes
  bool short_result_keeps = false;      // a 16-bit result leaves the other half of its register as it was
};

// Opcodes without a meaning of one lane that execute() knows.
bool is_cross_lane(const std::string& mnemonic);

class Reference {
public:
  Reference(const Machine& machine, const meaning::FloatMode& mode, State& state)
      : machine_(machine), mode_(mode), state_(state), before_(state) {}
  void execute(const Vop& vop, const Opcode& opcode);

private:
  uint64_t exec() const;
  uint64_t mask_at(unsigned code) const;
  uint32_t scalar(unsigned code) const;
  uint64_t fetch(const Vop& vop, unsigned code, Value type, unsigned lane) const;
  uint64_t source(const Vop& vop, const Opcode& opcode, unsigned index, unsigned lane) const;
  uint64_t modified(const Vop& vop, const Opcode& opcode, unsigned index, uint64_t bits) const;
  int source_lane(const Vop& vop, unsigned lane) const;
  bool lane_writes(const Vop& vop, unsigned lane) const;
  uint64_t finish(const Vop& vop, Value type, uint64_t bits) const;
  void write_value(const Vop& vop, const Opcode& opcode, Value type, unsigned lane, uint64_t bits);
  void write_mask(unsigned code, uint64_t mask);
  void write_scalar(unsigned code, uint32_t value);
  void execute_cross_lane(const Vop& vop, const std::string& mnemonic);
  void execute_permlane(const Vop& vop, const std::string& mnemonic);
  void execute_relative(const Vop& vop, const std::string& mnemonic);
  uint32_t& v(unsigned reg, unsigned lane) { return state_.v[size_t{reg} * machine_.lanes + lane]; }
  uint32_t old(unsigned reg, unsigned lane) const { return before_.v[size_t{reg} * machine_.lanes + lane]; }

  const Machine& machine_;
  const meaning::FloatMode& mode_;
  State& state_;
  const State before_; // every lane reads before any writes
};

} // namespace ptxshim::vgpu::check
