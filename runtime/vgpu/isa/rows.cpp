// SPDX-License-Identifier: MIT
#include "rows.h"

#include <cstdlib>
#include <string>
#include <unordered_map>

#include "control.h"
#include "staged_memory.h"

namespace ptxshim::vgpu {
namespace {

struct Table {
  std::deque<Row> rows;
  std::unordered_map<std::string_view, const Row*> by_name;
};

void add(void* context, const char* name, const Row& row) {
  Table& table = *static_cast<Table*>(context);
  table.rows.emplace_back(row);
  table.rows.back().name = name;
  table.by_name.emplace(name, &table.rows.back());
}

struct Alias {
  const char* name;
  const char* same_as;
};
// clang-format off
constexpr Alias kAliases[] = {
#define ALIAS(name, same_as) {#name, #same_as},
#include "aliases.def"
};
constexpr const char* kDuals[] = {
#define DUAL(name) #name,
#include "dual.def"
};
// clang-format on

Table* make_table() {
  Table* table = new Table;
  add_scalar_rows(add, table);
  add_memory_rows(add, table);
  add_lds_rows(add, table);
  add_vector_rows(add, table);
  for (const Alias& alias : kAliases) {
    const auto original = table->by_name.find(alias.same_as);
    if (original != table->by_name.end() && !table->by_name.count(alias.name)) add(table, alias.name, *original->second);
  }
  for (const char* dual : kDuals) {
    const auto single = table->by_name.find(single_of_dual(dual));
    if (single == table->by_name.end()) continue;
    add(table, dual, Row(dual, single->second->fidelity, nullptr, run_unsupported, nullptr, 0, single->second->note));
  }
  return table;
}

const Table& table() {
  static const Table* const kTable = make_table();
  return *kTable;
}

} // namespace

const Row* find_row(std::string_view mnemonic) {
  const auto found = table().by_name.find(mnemonic);
  return found == table().by_name.end() ? nullptr : found->second;
}

void for_each_row(void (*visit)(void* context, std::string_view mnemonic, const Row& row), void* context) {
  for (const auto& [name, row] : table().by_name) visit(context, name, *row);
}

bool bind_source(const Operand& operand, Source& out, bool as_destination) {
  out = Source{};
  switch (operand.kind) {
  case OperandKind::Vector: out.kind = SourceKind::Vector; break;
  case OperandKind::Scalar: out.kind = SourceKind::Scalar; break;
  case OperandKind::Null:
    out.kind = SourceKind::Scalar;
    out.index = as_destination ? kSink : kZero;
    return true;
  case OperandKind::Immediate:
    out.kind = SourceKind::Constant;
    out.constant = static_cast<uint64_t>(operand.value);
    return true;
  case OperandKind::None:
  case OperandKind::Other: return false;
  }
  out.index = operand.index;
  out.words = operand.words;
  return true;
}

uint16_t destination_slot(const Operand& operand) {
  return operand.kind == OperandKind::Null ? static_cast<uint16_t>(kSink) : operand.index;
}

bool text_has(const Instruction& instruction, std::string_view word) {
  const std::string_view text = instruction.text;
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const bool starts = at == 0 || text[at - 1] == ' ';
    const size_t end = at + word.size();
    const bool ends = end == text.size() || text[end] == ' ' || text[end] == ',' || word.back() == ':';
    if (starts && ends) return true;
  }
  return false;
}

bool text_number(const Instruction& instruction, std::string_view key, int64_t& out) {
  const std::string& text = instruction.text;
  const std::string needle = " " + std::string(key);
  const size_t at = text.find(needle);
  if (at == std::string::npos) return false;
  out = std::strtoll(text.c_str() + at + needle.size(), nullptr, 0);
  return true;
}

namespace {

bool all_kept(const Instruction& instruction) {
  for (unsigned i = 0; i < instruction.count; ++i)
    if (instruction.operands[i].kind == OperandKind::Other) return false;
  return true;
}

// The step that an instruction has beside its operation, before or behind it (staged_memory.h, valu_steps.cpp).
void push_steps(const Op& op, std::vector<Op>& out) {
  Op step = op;
  if (op.src[0].kind == SourceKind::Vector && op.src[0].index == kLaneOffsets) {
    step.run = run_lane_offsets;
    out.push_back(step);
  }
  if (op.src[2].kind == SourceKind::Vector && op.src[2].index == kStagedData) {
    step.run = run_stage_from_lds;
    out.push_back(step);
  }
  out.push_back(op);
  if (op.dst == kStagedData) {
    step.run = run_stage_to_lds;
    out.push_back(step);
  }
  if (op.extra && op.extra->after) {
    step.run = op.extra->after;
    out.push_back(step);
  }
}

void bind_operations(const BindContext& context, const Instruction& instruction, std::vector<Op>& out) {
  if (instruction.mnemonic.substr(0, 7) == "v_dual_" && bind_dual(context, instruction, out)) return;
  Op op;
  op.pc = instruction.pc;
  op.size = static_cast<uint8_t>(instruction.size);
  const Row* const row = find_row(instruction.mnemonic);
  if (row) {
    op.row = row;
    op.run = row->run;
    op.table = row->table;
    op.immediate = row->immediate;
    row->decoded.fetch_add(1, std::memory_order_relaxed);
    if (row->bind && all_kept(instruction) && row->bind(context, instruction, *row, op)) {
      if (op.run != run_nothing) push_steps(op, out);
      return;
    }
    row->refused.fetch_add(1, std::memory_order_relaxed);
  }
  op.run = run_unsupported;
  out.push_back(op);
}

} // namespace

void bind_instruction(const BindContext& context, const Instruction& instruction, std::vector<Op>& out) {
  static_assert(kVectorRows * 64 / 2 <= 0xffff, "Op::rows holds places in 16 bits");
  const size_t before = out.size();
  bind_operations(context, instruction, out);
  for (size_t i = before; i < out.size(); ++i) place_rows(out[i], context.wave_size);
}

} // namespace ptxshim::vgpu
