// SPDX-License-Identifier: MIT
// What an instruction's body sees of the function that is being lowered: its operands as typed SSA values,
// and an IRBuilder.
#pragma once

#include <array>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsAMDGPU.h>

#include "ptxshim/result.h"
#include "syntax/ast.h"

namespace ptxshim::ptx {

using llvm::Value;
using llvm::Intrinsic::ID;

enum class Rounding : uint8_t { Default, NearestEven, Zero, MinusInf, PlusInf };

class FunctionLowering; // lower/function.h: registers, blocks, variables, calls

// The LLVM address space behind a PTX state space (None: flat). Kernel parameters are Param; those of
// functions live on the stack, so that a pointer that Emitter::address returns for Param may be kPrivate as
// well.
inline constexpr unsigned kFlat = 0, kGlobal = 1, kLds = 3, kConstant = 4, kPrivate = 5;

class Emitter {
public:
  Emitter(FunctionLowering& f, const Instruction& i);

  llvm::IRBuilder<>& ir;
  const Module& module;
  FunctionLowering& function;
  const Instruction& instruction; // the one being lowered

  // The modifiers of the instruction.
  bool has(Mod m) const { return module.has(instruction, m); }
  ScalarType type(unsigned n = 0) const { return module.type(instruction, n); } // n-th type modifier
  StateSpace space() const { return module.space(instruction); }
  Rounding rounding() const; // .rn .rz .rm .rp; Default when none is written

  unsigned operand_count() const;
  const Operand&
  operand(unsigned n) const; // top-level operand n; of a pair d|p both count (d is n, p is n + 1)
  bool is_sink(unsigned n) const;
  bool is_vector(unsigned n) const;
  // Of a vector {a, b} or a vector register; the operand itself when it is a scalar. Valid until the next
  // call for the same n.
  std::span<const Operand> elements(unsigned n) const;

  // Operand n as a value of LLVM type llvm_type(as): integers of every signedness iN, f32 float, f64 double,
  // f16 half, bf16 bfloat, f16x2 <2 x half>, pred i1. Registers of another type of the same size are
  // reinterpreted; a wider register gives its low bits; literals are converted as the PTX ISA says for `as`;
  // a negated predicate is inverted. Without `as`: the instruction's last type modifier (what most
  // instructions' sources have).
  Value* read(unsigned n, ScalarType as);
  Value* read(unsigned n) { return read(n, type(type_count() - 1)); }
  Value* read(const Operand& operand, ScalarType as);
  // Writes destination n. The value has LLVM type llvm_type(as) (default: the type the value has); the
  // register may be wider: then it is sign- or zero-extended as `as` says. Sinks swallow the value. A guard
  // is not the body's concern.
  void write(unsigned n, Value* value, ScalarType as = ScalarType::None);
  void write(const Operand& operand, Value* value, ScalarType as = ScalarType::None);

  // The address of [..] operand n as a pointer in the LLVM address space of `space` (None: flat).
  Value* address(unsigned n, StateSpace space);
  Value* pointer(Value* integer, unsigned llvm_space); // an integer address as a pointer

  unsigned type_count() const;
  llvm::Type* llvm_type(ScalarType type) const;
  // The same bits as another type of the same size.
  Value* reinterpret(Value* value, llvm::Type* type);

  // The per-thread carry flag of add.cc, addc …
  Value* read_carry();
  void write_carry(Value* carry);

  // f32 arithmetic in another rounding mode than the kernel's: see design.md, decision 7. `operation`
  // receives the operands and emits one operation between the mode changes, which the optimiser cannot pull
  // apart. With `flushing` the operation flushes f32 subnormals in a kernel that keeps them: the same bundle
  // sets that mode too.
  Value* rounded(Rounding rounding, ScalarType type, llvm::StringRef mnemonic,
                 llvm::ArrayRef<Value*> operands, bool flushing = false);
  // .ftz in a kernel that keeps subnormals: subnormal f32 -> zero of the same sign. Identity where the
  // kernel's mode flushes.
  Value* flush(Value* f32);
  bool mode_flushes() const; // the kernel runs with f32 subnormals flushed

  // A call of a function of translator/device/ (the support library, C++ compiled to bitcode), e.g.
  // device("ptx_div_rn_f64", …).
  Value* device(llvm::StringRef name, llvm::Type* result, llvm::ArrayRef<Value*> arguments);
  Value* intrinsic(ID id, llvm::ArrayRef<llvm::Type*> types, llvm::ArrayRef<Value*> arguments);

  bool wave64() const; // two warps share a wave
  // Target questions: the major of the ISA (9, 10, 11, 12) and the whole name ("gfx90a").
  unsigned gfx_major() const;
  llvm::StringRef gfx() const;
  Error error(const std::string& message,
              CUresult code = CUDA_ERROR_INVALID_PTX) const; // with the instruction's location

private:
  unsigned register_width(const Operand& operand) const; // components of a whole vector register, else 1
  mutable std::array<std::array<Operand, 4>, 4> components_;
};

} // namespace ptxshim::ptx
