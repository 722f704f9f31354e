// SPDX-License-Identifier: MIT
// Rounding and subnormals (design: one float mode a kernel). A directed rounding, or flushing where the
// kernel does not, is one inline-assembly statement that sets the mode, does the operation and restores the
// mode: the optimiser can neither take it apart nor move another operation into it, and may still drop or
// share it as it has no side effect. Both fields of the mode are set, f32 and f64/f16, since conversions
// between them do not say which one they use.
#include "lower/emitter.h"
#include "lower/function.h"

#include <llvm/IR/InlineAsm.h>

namespace ptxshim::ptx {

bool Emitter::mode_flushes() const { return function.flushes; }

Value* Emitter::flush(Value* f32) {
  if (mode_flushes()) return f32;
  constexpr unsigned kSubnormal = llvm::fcSubnormal;
  Value* subnormal = ir.createIsFPClass(f32, kSubnormal);
  Value* zero = ir.CreateCopySign(llvm::ConstantFP::getZero(f32->getType()), f32);
  return ir.CreateSelect(subnormal, zero, f32);
}

// The hardware's numbers of the modes, in both fields.
static unsigned mode_bits(Rounding rounding) {
  switch (rounding) {
  case Rounding::Default:
  case Rounding::NearestEven:
    return 0x0;
  case Rounding::PlusInf:
    return 0x5;
  case Rounding::MinusInf:
    return 0xa;
  case Rounding::Zero:
    return 0xf;
  }
  return 0;
}

Value* Emitter::rounded(Rounding rounding, ScalarType type, llvm::StringRef mnemonic,
                        llvm::ArrayRef<Value*> operands, bool flushing) {
  const auto set_mode = [&](unsigned bits) {
    return gfx_major() >= 10 ? "s_round_mode " + std::to_string(bits)
                             : "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), " + std::to_string(bits);
  };
  // Of the two bits each, those of f32 are the low ones; f64 and f16 always keep subnormals.
  const auto set_subnormals = [&](bool keep) -> std::string {
    if (gfx_major() >= 10) return keep ? "s_denorm_mode 15" : "s_denorm_mode 12";
    return keep ? "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3"
                : "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0";
  };
  std::string operation = mnemonic.str() + " $0";
  std::string constraints = "=v";
  llvm::SmallVector<llvm::Type*> types;
  for (size_t n = 0; n < operands.size(); ++n) {
    operation += ", $" + std::to_string(n + 1);
    constraints += ",v";
    types.push_back(operands[n]->getType());
  }
  const unsigned bits = mode_bits(rounding);
  if (bits) operation = set_mode(bits) + "\n" + operation + "\n" + set_mode(0);
  if (flushing && !mode_flushes())
    operation = set_subnormals(false) + "\n" + operation + "\n" + set_subnormals(true);
  llvm::FunctionType* shape = llvm::FunctionType::get(llvm_type(type), types, false);
  return ir.CreateCall(llvm::InlineAsm::get(shape, operation, constraints, false), operands);
}

} // namespace ptxshim::ptx
