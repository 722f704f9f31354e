// SPDX-License-Identifier: MIT
// Rows of the scalar unit. Where the meaning is a function of operands and SCC its signature says everything; transfers of
// control and what touches EXEC, M0 or machine registers has a handler in control.cpp or exec_ops.cpp.

#include <bit>
#include <string>
#include <type_traits>
#include <utility>

#include "control.h"
#include "gpr_index.h"
#include "meanings/meanings.h"
#include "rows.h"

namespace ptxshim::vgpu {
namespace {

template <class T> T read_scalar(const Wave& wave, const Source& source) {
  if constexpr (sizeof(T) == 8) {
    return std::bit_cast<T>(wave.read64(source));
  } else if constexpr (sizeof(T) == 2) {
    return std::bit_cast<T>(static_cast<uint16_t>(wave.read32(source)));
  } else {
    return std::bit_cast<T>(wave.read32(source));
  }
}
template <class T> void write_scalar(Wave& wave, unsigned slot, T value) {
  if constexpr (sizeof(T) == 8) {
    wave.write64(slot, std::bit_cast<uint64_t>(value));
  } else if constexpr (sizeof(T) == 2) {
    wave.s[slot] = std::bit_cast<uint16_t>(value);
  } else {
    wave.s[slot] = std::bit_cast<uint32_t>(value);
  }
}

template <class T> struct ScalarArgument {
  static constexpr unsigned kUses = 1;
  static T get(const Wave& wave, const Op* op, unsigned source) { return read_scalar<T>(wave, op->src[source]); }
};
template <> struct ScalarArgument<bool> {
  static constexpr unsigned kUses = 0;
  static bool get(const Wave& wave, const Op*, unsigned) { return wave.scc(); }
};
template <> struct ScalarArgument<const meaning::FloatMode&> {
  static constexpr unsigned kUses = 0;
  static const meaning::FloatMode& get(const Wave& wave, const Op*, unsigned) { return wave.mode; }
};

inline void put_result(Wave& wave, const Op*, bool value) { wave.set_scc(value); }
template <class T> void put_result(Wave& wave, const Op* op, meaning::WithScc<T> result) {
  write_scalar(wave, op->dst, result.value);
  wave.set_scc(result.scc);
}
template <class T> void put_result(Wave& wave, const Op* op, T value) { write_scalar(wave, op->dst, value); }

template <auto F, class S> struct ScalarCaller;
template <auto F, class R, class... A> struct ScalarCaller<F, R (*)(A...)> {
  static constexpr unsigned kSources = (0U + ... + ScalarArgument<A>::kUses);
  template <size_t... I> static R call(const Wave& wave, const Op* op, std::index_sequence<I...>) {
    constexpr unsigned kUses[] = {ScalarArgument<A>::kUses...};
    auto position = [&](size_t index) {
      unsigned at = 0;
      for (size_t i = 0; i < index; ++i) at += kUses[i];
      return at;
    };
    return F(ScalarArgument<A>::get(wave, op, position(I))...);
  }
  static const Op* run(Wave& wave, const Op* op) {
    put_result(wave, op, call(wave, op, std::index_sequence_for<A...>{}));
    return next(wave, op);
  }
};

struct NamedScalar {
  const char* name;
  Handler run;
  unsigned sources;
};
// clang-format off
constexpr NamedScalar kScalars[] = {
#define SCALAR(name) {#name, ScalarCaller<&meaning::name, decltype(&meaning::name)>::run, \
                      ScalarCaller<&meaning::name, decltype(&meaning::name)>::kSources},
#include "scalar.def"
};
// clang-format on

// LLVM reads the inline numbers of some opcodes on halves as singles. A literal makes the instruction longer.
void narrow_inline_number(const Instruction& in, Source& source) {
  const bool half = in.mnemonic.size() > 4 && in.mnemonic.substr(in.mnemonic.size() - 4) == "_f16";
  if (!half || in.size != 4 || source.kind != SourceKind::Constant || !(source.constant & 0xffff0000U)) return;
  const uint32_t single = static_cast<uint32_t>(source.constant);
  const bool integer = static_cast<int32_t>(single) >= -16 && static_cast<int32_t>(single) < 0;
  if (integer) return;
  source.constant = single == 0x3e22f983U // 1 / (2 pi), the only one that is no power of two
                        ? 0x3118U
                        : (single >> 16 & 0x8000U) | ((single >> 23 & 0xffU) - 112) << 10;
}

bool bind_scalar(const BindContext&, const Instruction& in, const Row& row, Op& op) {
  unsigned sources = 0;
  bool have_destination = false;
  for (unsigned i = 0; i < in.count; ++i) {
    const Operand& operand = in.operands[i];
    if (operand.kind == OperandKind::Vector) return false;
    if (operand.is_definition) {
      op.dst = destination_slot(operand);
      op.dst_words = operand.words ? operand.words : 1;
      have_destination = true;
    } else if (sources < row.immediate) {
      if (!bind_source(operand, op.src[sources])) return false;
      Source& source = op.src[sources++];
      narrow_inline_number(in, source);
      if (source.kind == SourceKind::Constant && source.constant >> 31 == 1 &&
          in.mnemonic.find("_i64") != std::string_view::npos)
        source.constant |= 0xffffffff00000000ULL;
    }
  }
  while (sources < row.immediate) { // the destination's old value
    if (!have_destination) return false;
    Source& source = op.src[sources++];
    source.kind = SourceKind::Scalar;
    source.index = op.dst;
  }
  return true;
}

// gfx12's v_s_* opcodes: a vector opcode's function on one scalar, with neg and abs. immediate: omod, then kClampScalar.
constexpr uint32_t kClampScalar = 4;

template <auto F, class T> const Op* run_pseudo_scalar(Wave& wave, const Op* op) {
  constexpr uint32_t kSignBit = sizeof(T) == 2 ? 0x8000U : 0x80000000U;
  uint32_t bits = wave.read32(op->src[0]);
  if (op->src[0].modifiers & kAbs) bits &= ~kSignBit;
  if (op->src[0].modifiers & kNeg) bits ^= kSignBit;
  T value;
  if constexpr (sizeof(T) == 2) {
    value = std::bit_cast<T>(static_cast<uint16_t>(bits));
  } else {
    value = std::bit_cast<T>(bits);
  }
  value = meaning::apply_omod(F(value, wave.mode), op->immediate & 3U, wave.mode, true);
  if (op->immediate & kClampScalar) value = meaning::apply_clamp(value, wave.mode);
  write_scalar(wave, op->dst, value);
  return op + 1;
}

bool bind_pseudo_scalar(const BindContext&, const Instruction& in, const Row&, Op& op) {
  if (in.count < 3) return false;
  op.dst = destination_slot(in.operands[0]);
  if (!in.operands[1].is_modifiers || !bind_source(in.operands[2], op.src[0])) return false;
  op.src[0].modifiers = static_cast<uint8_t>(in.operands[1].value & (kNeg | kAbs));
  op.immediate = (text_has(in, "mul:2") ? 1U : text_has(in, "mul:4") ? 2U : text_has(in, "div:2") ? 3U : 0U) |
                 (text_has(in, "clamp") ? kClampScalar : 0U);
  return op.src[0].kind != SourceKind::Vector;
}

struct PseudoRow {
  const char* name;
  Handler run;
  const char* note;
};
// clang-format off
constexpr PseudoRow kPseudos[] = {
#define PSEUDO_SCALAR(name, same_as, type, note) {#name, run_pseudo_scalar<&meaning::same_as, type>, note},
#include "pseudo_scalar.def"
};
// clang-format on

// Control -------------------------------------------------------------------------------------------------------------

bool bind_branch(const BindContext&, const Instruction& in, const Row&, Op& op) {
  const Operand* target = nullptr;
  for (unsigned i = 0; i < in.count; ++i) {
    if (in.operands[i].is_definition) op.dst = destination_slot(in.operands[i]);
    if (in.operands[i].kind == OperandKind::Immediate) target = &in.operands[i];
  }
  if (!target) return false;
  op.offset = static_cast<int64_t>(in.pc + 4) + static_cast<int16_t>(target->value) * 4;
  return true;
}

// s_cbranch_g_fork: mask, address. s_cbranch_i_fork: mask, distance.
bool bind_fork(const BindContext& context, const Instruction& in, const Row& row, Op& op) {
  if (in.count < 2 || !bind_source(in.operands[0], op.src[0])) return false;
  if (in.mnemonic == "s_cbranch_i_fork") return bind_branch(context, in, row, op);
  return bind_source(in.operands[1], op.src[1]);
}

// LLVM lists the register beside the distance as if it were only read.
bool bind_subvector(const BindContext& context, const Instruction& in, const Row& row, Op& op) {
  if (!bind_branch(context, in, row, op)) return false;
  for (unsigned i = 0; i < in.count; ++i)
    if (in.operands[i].kind == OperandKind::Scalar || in.operands[i].kind == OperandKind::Null) {
      op.dst = destination_slot(in.operands[i]);
      return true;
    }
  return false;
}

bool bind_plain(const BindContext&, const Instruction& in, const Row& row, Op& op) {
  unsigned sources = 0;
  op.immediate = row.immediate;
  for (unsigned i = 0; i < in.count; ++i) {
    const Operand& operand = in.operands[i];
    if (operand.kind == OperandKind::Vector) return false;
    if (operand.is_definition) {
      op.dst = destination_slot(operand);
      op.dst_words = operand.words ? operand.words : 1;
      if (operand.kind == OperandKind::Null && in.mnemonic.find("_b64") != std::string_view::npos) op.dst_words = 2; // of any width
    } else if (sources < 2 && operand.kind != OperandKind::None) {
      if (!bind_source(operand, op.src[sources++])) return false;
    }
  }
  return true;
}

bool bind_immediate(const BindContext&, const Instruction& in, const Row&, Op& op) {
  for (unsigned i = 0; i < in.count; ++i) {
    const Operand& operand = in.operands[i];
    if (operand.is_definition) {
      op.dst = destination_slot(operand);
      op.dst_words = operand.words ? operand.words : 1;
    } else if (operand.kind == OperandKind::Immediate) {
      op.immediate = static_cast<uint32_t>(operand.value);
    }
  }
  return true;
}

// gfx12: -1 is the barrier of the work group. Named barriers and M0 are refused.
bool bind_barrier(const BindContext&, const Instruction& in, const Row&, Op& op) {
  bool whole_group = false; // M0 is not listed as an operand
  for (unsigned i = 0; i < in.count; ++i) {
    const Operand& operand = in.operands[i];
    if (operand.is_definition) op.dst = destination_slot(operand);
    whole_group |= operand.kind == OperandKind::Immediate && static_cast<int16_t>(operand.value) == -1;
  }
  return whole_group;
}

// s_setreg_b32: value, field. s_setreg_imm32_b32: value, field as immediates, in LLVM's order of the operands.
bool bind_setreg(const BindContext&, const Instruction& in, const Row&, Op& op) {
  if (in.count < 2) return false;
  if (!bind_source(in.operands[0], op.src[0]) || in.operands[1].kind != OperandKind::Immediate) return false;
  op.immediate = static_cast<uint32_t>(in.operands[1].value);
  return true;
}

// s_set_gpr_idx_on: the index, then what it applies to.
bool bind_index_on(const BindContext&, const Instruction& in, const Row&, Op& op) {
  if (in.count < 2 || !bind_source(in.operands[0], op.src[0]) || in.operands[1].kind != OperandKind::Immediate) return false;
  op.immediate = static_cast<uint32_t>(in.operands[1].value);
  return true;
}

// s_movreld: the destination is listed like a source.
bool bind_movreld(const BindContext&, const Instruction& in, const Row&, Op& op) {
  if (in.count < 2) return false;
  op.dst = destination_slot(in.operands[0]);
  op.dst_words = in.operands[0].words ? in.operands[0].words : 1;
  return in.operands[0].kind == OperandKind::Scalar && bind_source(in.operands[1], op.src[0]);
}

bool bind_gone(const BindContext&, const Instruction&, const Row&, Op& op) {
  op.run = run_nothing;
  return true;
}

struct ControlRow {
  const char* name;
  Handler run;
  Binder bind;
  uint32_t immediate;
};
// clang-format off
constexpr ControlRow kControls[] = {
#define CONTROL(name, handler, binder, immediate) {#name, handler, binder, static_cast<uint32_t>(immediate)},
#include "control.def"
};
// clang-format on

} // namespace

void add_scalar_rows(RowSink sink, void* context) {
  for (const NamedScalar& scalar : kScalars)
    sink(context, scalar.name, Row(scalar.name, Fidelity::Exact, bind_scalar, scalar.run, nullptr, scalar.sources, ""));
  for (const PseudoRow& pseudo : kPseudos)
    sink(context, pseudo.name, Row(pseudo.name, Fidelity::Approximate, bind_pseudo_scalar, pseudo.run, nullptr, 0, pseudo.note));
  for (const ControlRow& control : kControls)
    sink(context, control.name, Row(control.name, Fidelity::Exact, control.bind, control.run, nullptr, control.immediate, ""));
}

} // namespace ptxshim::vgpu
