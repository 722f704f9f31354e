// SPDX-License-Identifier: MIT
// The table of opcodes. A row binds a mnemonic to the handler that executes it; the .def files are its only source.
#pragma once

#include <atomic>
#include <string>
#include <string_view>

#include "code_cache.h"
#include "instruction.h"
#include "op.h"

namespace ptxshim::vgpu {

enum class Fidelity : uint8_t {
  Exact,
  Approximate, // within the error that the note states
  Later,       // refused by name, to be written
  Graphics,    // refused by name: not for compute code
  Privileged,  // refused by name: for trap handlers, debuggers and the driver
};
inline constexpr unsigned kFidelities = 5;

struct BindContext {
  const Target& target;
  unsigned wave_size;
  std::deque<VopExtra>& extras;
  ConstantRows& constants;
};

// Fills the operation from the instruction. False: this form is not supported.
using Binder = bool (*)(const BindContext& context, const Instruction& instruction, const Row& row, Op& op);

struct Row {
  const char* name = nullptr;
  Fidelity fidelity = Fidelity::Exact;
  Binder bind = nullptr;
  Handler run = nullptr;
  const void* table = nullptr;
  uint32_t immediate = 0;
  const char* note = "";
  mutable std::atomic<uint32_t> decoded{0}; // instructions that dispatches have arrived at
  mutable std::atomic<uint32_t> refused{0}; // those of them that are not supported

  Row() = default;
  Row(const char* n, Fidelity f, Binder b, Handler r, const void* t, uint32_t i, const char* text)
      : name(n), fidelity(f), bind(b), run(r), table(t), immediate(i), note(text) {}
  Row(const Row& other)
      : name(other.name), fidelity(other.fidelity), bind(other.bind), run(other.run), table(other.table),
        immediate(other.immediate), note(other.note) {}
};

// Null: no row of that name.
const Row* find_row(std::string_view mnemonic);
void for_each_row(void (*visit)(void* context, std::string_view mnemonic, const Row& row), void* context);

// Puts one instruction into one or two operations (dual issue). What cannot be executed becomes an operation that says so.
void bind_instruction(const BindContext& context, const Instruction& instruction, std::vector<Op>& out);

// The two operations of a VOPD instruction (dual.cpp). False: not understood, nothing added.
bool bind_dual(const BindContext& context, const Instruction& instruction, std::vector<Op>& out);
std::string single_of_dual(std::string_view dual); // "v_dual_add_f32" is v_add_f32
std::string_view second_dual_mnemonic(const Instruction& instruction);

// Parts of the table.
using RowSink = void (*)(void* context, const char* name, const Row& row);
void add_scalar_rows(RowSink sink, void* context);
void add_memory_rows(RowSink sink, void* context);
void add_lds_rows(RowSink sink, void* context);
void add_vector_rows(RowSink sink, void* context);

// Shared by the binders.
bool bind_source(const Operand& operand, Source& out, bool as_destination = false);
uint16_t destination_slot(const Operand& operand);
bool text_has(const Instruction& instruction, std::string_view word);
bool text_number(const Instruction& instruction, std::string_view key, int64_t& out); // "offset:" -> its number

} // namespace ptxshim::vgpu
