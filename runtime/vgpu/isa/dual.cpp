// SPDX-License-Identifier: MIT
// VOPD: two vector operations in one instruction. Both read before either writes, so the one that would be disturbed goes
// first; where each reads what the other writes, the first result waits in a register of our own.

#include <string>

#include "control.h"
#include "rows.h"
#include "valu_bind.h"

namespace ptxshim::vgpu {
namespace {

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// LLVM reads the inline numbers of a pair of halves as singles here: whether they are such, or a literal, is not known.
bool is_inline_number(const Operand& operand) {
  if (operand.kind != OperandKind::Immediate) return false;
  const uint32_t size = static_cast<uint32_t>(operand.value) & 0x7fffffffU;
  return size == 0x3f000000 || size == 0x3f800000 || size == 0x40000000 || size == 0x40800000 || size == 0x3e22f983;
}

// One half as an instruction of its own: its result, then the sources that are its.
bool take_half(const Instruction& in, const Row* row, unsigned definition, unsigned& at, Instruction& out) {
  if (!row || row->bind != bind_valu) return false;
  const ValuInfo& info = *static_cast<const ValuInfo*>(row->table);
  const std::string_view name = row->name;
  const bool accumulates = contains(name, "fmac") || contains(name, "dot2c") || contains(name, "dot2acc");
  const unsigned wanted = info.sources - (accumulates ? 1U : 0U);
  out.pc = in.pc;
  out.size = in.size;
  out.flags = flag::kValu | flag::kVop2;
  out.mnemonic = name;
  out.name = name;
  out.operands[0] = in.operands[definition];
  out.count = 1;
  while (out.count - 1 < wanted) {
    if (at >= in.count) return false;
    if (in.operands[at].tied_to < 0) out.operands[out.count++] = in.operands[at];
    ++at;
  }
  while (at < in.count && in.operands[at].tied_to >= 0) ++at;
  return !contains(name, "dot2") || !is_inline_number(out.operands[1]);
}

bool reads(const Op& op, uint16_t reg) {
  for (const Source& source : op.src)
    if (source.kind == SourceKind::Vector && source.index == reg) return true;
  return false;
}

Op start_op(const Instruction& in, const Row* row) {
  Op op;
  op.pc = in.pc;
  op.size = static_cast<uint8_t>(in.size);
  op.row = row;
  op.run = row->run;
  op.table = row->table;
  row->decoded.fetch_add(1, std::memory_order_relaxed);
  return op;
}

} // namespace

std::string single_of_dual(std::string_view dual) { return "v_" + std::string(dual.substr(7)); }

std::string_view second_dual_mnemonic(const Instruction& in) {
  const std::string_view text = in.text;
  const size_t at = text.find(":: ");
  if (at == std::string_view::npos) return {};
  const std::string_view rest = text.substr(at + 3);
  return rest.substr(0, rest.find(' '));
}

bool bind_dual(const BindContext& context, const Instruction& in, std::vector<Op>& out) {
  const std::string_view second = second_dual_mnemonic(in);
  if (second.size() < 8 || in.mnemonic.size() < 8 || in.count < 3) return false;
  const Row* const row_x = find_row(single_of_dual(in.mnemonic));
  const Row* const row_y = find_row(single_of_dual(second));
  Instruction half_x, half_y;
  unsigned at = 2;
  if (!take_half(in, row_x, 0, at, half_x) || !take_half(in, row_y, 1, at, half_y)) return false;
  Op x = start_op(in, row_x), y = start_op(in, row_y);
  if (!row_x->bind(context, half_x, *row_x, x) || !row_y->bind(context, half_y, *row_y, y)) return false;
  if (!reads(y, x.dst)) {
    out.push_back(x);
    out.push_back(y);
  } else if (!reads(x, y.dst)) {
    out.push_back(y);
    out.push_back(x);
  } else {
    const Row* const move = find_row("v_mov_b32");
    if (!move) return false;
    Op copy = start_op(in, move);
    copy.dst = x.dst;
    copy.src[0].kind = SourceKind::Vector;
    copy.src[0].index = kSpareRegister;
    copy.src[0].sign = {~0U, 0};
    x.dst = kSpareRegister;
    out.push_back(x);
    out.push_back(y);
    out.push_back(copy);
  }
  return true;
}

} // namespace ptxshim::vgpu
