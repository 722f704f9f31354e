// SPDX-License-Identifier: MIT
// A bound operation written as assembly, from what will be executed: register numbers, constants, modifiers, offsets. To be
// compared with LLVM's text for the same bytes. The syntax is that of the instruction lists in AMD's ISA documents.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "instruction.h"
#include "op.h"
#include "valu.h"
#include "vop_words.h"

namespace ptxshim::vgpu::check {

// A register ("v[2:3]", "vcc_lo", "off") or, with an empty name, a constant.
struct Term {
  std::string name;
  uint64_t value = 0;
  ValueType type = ValueType::B32;
  bool negative = false, absolute = false, extended = false;
};

struct OpText {
  std::vector<Term> terms;
  std::set<std::string> modifiers; // "clamp", "offset:16", "row_shl:1"
};

// Nothing: this kind of operation is not printed.
std::optional<OpText> print_op(const Op& op, const Instruction& instruction, const Machine& machine);
// One half of a VOPD pair.
std::optional<OpText> print_half(const Op& op, const Machine& machine);

// The number of a machine register, or "ignored" for those without effect.
std::string register_id(unsigned id, const Machine& machine);

// LLVM's text after the mnemonic, in the same form. `like` tells the types of constants.
OpText parse_text(std::string_view text, const OpText& like, const Machine& machine);
// Empty when they agree.
std::string difference(const OpText& ours, const OpText& theirs);
std::string to_string(const OpText& text);

} // namespace ptxshim::vgpu::check
