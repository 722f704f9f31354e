// SPDX-License-Identifier: MIT
#include "lower/emitter.h"

#include "lower/function.h"
#include "lower/special_registers.h"

namespace ptxshim::ptx {

using llvm::APInt;
using llvm::ConstantInt;
using llvm::Type;

Emitter::Emitter(FunctionLowering& f, const Instruction& i)
    : ir(f.ir), module(f.module), function(f), instruction(i) {}

Rounding Emitter::rounding() const {
  for (Mod modifier : module.modifiers_of(instruction)) {
    if (modifier == Mod::rn) return Rounding::NearestEven;
    if (modifier == Mod::rz) return Rounding::Zero;
    if (modifier == Mod::rm) return Rounding::MinusInf;
    if (modifier == Mod::rp) return Rounding::PlusInf;
  }
  return Rounding::Default;
}

unsigned Emitter::operand_count() const { return instruction.operand_count; }
const Operand& Emitter::operand(unsigned n) const {
  static const Operand kAbsent;
  const std::span<const Operand> all = module.operands_of(instruction);
  return n < all.size() ? all[n] : kAbsent;
}
bool Emitter::is_sink(unsigned n) const { return operand(n).kind == OperandKind::Sink; }
unsigned Emitter::register_width(const Operand& o) const {
  if (o.kind != OperandKind::Register || o.component != kNoComponent ||
      o.index >= function.source.registers.size())
    return 1;
  return function.source.registers[o.index].vector;
}
bool Emitter::is_vector(unsigned n) const {
  return operand(n).kind == OperandKind::Vector || register_width(operand(n)) > 1;
}
std::span<const Operand> Emitter::elements(unsigned n) const {
  const Operand& whole = operand(n);
  if (whole.kind == OperandKind::Vector || whole.kind == OperandKind::List) return module.elements_of(whole);
  const unsigned width = register_width(whole);
  if (width == 1) return {&whole, 1};
  std::array<Operand, 4>& parts = components_[n % components_.size()];
  parts.fill(whole);
  for (unsigned k = 0; k < width; ++k)
    parts[k].component = static_cast<uint8_t>(k);
  return {parts.data(), width};
}

unsigned Emitter::type_count() const {
  unsigned count = 0;
  for (Mod modifier : module.modifiers_of(instruction))
    count += type_of(modifier) != ScalarType::None;
  return count;
}

Type* Emitter::llvm_type(ScalarType type) const { return ptx::llvm_type(ir.getContext(), type); }

Value* Emitter::reinterpret(Value* value, Type* type) {
  return value->getType() == type ? value : ir.CreateBitCast(value, type);
}

static unsigned width_of(Type* type) {
  return static_cast<unsigned>(type->getPrimitiveSizeInBits().getFixedValue());
}

// The low bits of `value` as an integer of `bits`, extended when it is narrower.
static Value* resized(llvm::IRBuilder<>& ir, Value* value, unsigned bits, bool is_signed) {
  const unsigned have = width_of(value->getType());
  value = ir.CreateBitCast(value, ir.getIntNTy(have));
  if (have == bits) return value;
  return is_signed ? ir.CreateSExtOrTrunc(value, ir.getIntNTy(bits))
                   : ir.CreateZExtOrTrunc(value, ir.getIntNTy(bits));
}

static llvm::APFloat literal_of(const Operand& operand) {
  if (operand.kind == OperandKind::Float32)
    return llvm::APFloat(llvm::APFloat::IEEEsingle(), APInt(32, static_cast<uint32_t>(operand.value)));
  return llvm::APFloat(llvm::APFloat::IEEEdouble(), APInt(64, static_cast<uint64_t>(operand.value)));
}

// Float literals: converted for float types; an untyped one of the same width takes the bits (mov.b32 r,
// 0f3F800000), and a decimal one in a 32-bit untyped place counts as f32.
static Value* float_literal(Emitter& e, const Operand& operand, ScalarType as) {
  Type* type = e.llvm_type(as);
  llvm::APFloat value = literal_of(operand);
  bool lost = false;
  if (type->isFloatingPointTy()) {
    value.convert(type->getFltSemantics(), llvm::APFloat::rmNearestTiesToEven, &lost);
    return llvm::ConstantFP::get(type, value);
  }
  const unsigned bits = bits_of(as);
  if (bits == 32 && operand.kind == OperandKind::Float64)
    value.convert(llvm::APFloat::IEEEsingle(), llvm::APFloat::rmNearestTiesToEven, &lost);
  return e.reinterpret(ConstantInt::get(e.ir.getContext(), value.bitcastToAPInt().zextOrTrunc(bits)), type);
}

Value* Emitter::read(unsigned n, ScalarType as) { return read(operand(n), as); }

Value* Emitter::read(const Operand& o, ScalarType as) {
  Type* type = llvm_type(as);
  const unsigned bits = bits_of(as);
  const bool is_signed = kind_of(as) == TypeKind::Signed;
  Value* value = nullptr;
  switch (o.kind) {
  case OperandKind::Register:
    value = function.load_register(o.index, o.component);
    break;
  case OperandKind::SpecialRegister:
    value = read_special_register(*this, o.index, o.component);
    break;
  case OperandKind::Integer: {
    const APInt literal(64, static_cast<uint64_t>(o.value));
    value = ConstantInt::get(ir.getContext(),
                             as == ScalarType::Pred ? APInt(1, o.value != 0) : literal.sextOrTrunc(bits));
    break;
  }
  case OperandKind::Float32:
  case OperandKind::Float64:
    value = float_literal(*this, o, as);
    break;
  case OperandKind::Symbol: {
    Value* address = function.symbol_address(o.index);
    if (address) {
      value = ir.CreatePtrToInt(address,
                                ir.getIntNTy(address->getType()->getPointerAddressSpace() == kLds ||
                                                     address->getType()->getPointerAddressSpace() == kPrivate
                                                 ? 32
                                                 : 64));
      if (o.value) value = ir.CreateAdd(value, ConstantInt::getSigned(value->getType(), o.value));
    }
    break;
  }
  case OperandKind::WarpSize:
    value = ir.getInt32(32);
    break;
  case OperandKind::Vector:
  case OperandKind::None:
  case OperandKind::AddressRegister:
  case OperandKind::AddressSymbol:
  case OperandKind::AddressAbsolute:
  case OperandKind::AddressList:
  case OperandKind::List:
  case OperandKind::Label:
  case OperandKind::Sink:
  case OperandKind::Prototype:
    break;
  }
  if (!value) {
    if (!function.failure) function.failure = error("this operand cannot be read here");
    return llvm::PoisonValue::get(type);
  }
  if (value->getType() != type) value = reinterpret(resized(ir, value, bits, is_signed), type);
  if (!o.negated) return value;
  return as == ScalarType::Pred ? ir.CreateNot(value)
         : type->isIntegerTy()  ? ir.CreateNeg(value)
                                : ir.CreateFNeg(value);
}

void Emitter::write(unsigned n, Value* value, ScalarType as) { write(operand(n), value, as); }

void Emitter::write(const Operand& o, Value* value, ScalarType as) {
  if (o.kind == OperandKind::Sink) return;
  if (o.kind != OperandKind::Register) {
    if (!function.failure) function.failure = error("this operand cannot be written");
    return;
  }
  Type* type = function.register_type(o.index);
  if (value->getType() != type) {
    const unsigned bits = width_of(type);
    value = reinterpret(resized(ir, value, bits, kind_of(as) == TypeKind::Signed), type);
  }
  function.store_register(o.index, o.component, value);
}

static unsigned address_space(const Emitter& e, StateSpace space) {
  switch (space) {
  case StateSpace::Global:
    return kGlobal;
  case StateSpace::Shared:
    return kLds;
  case StateSpace::Local:
    return kPrivate;
  case StateSpace::Const:
    return kConstant;
  case StateSpace::Param:
    return e.function.source.is_entry ? kConstant : kPrivate;
  case StateSpace::None:
  case StateSpace::Reg:
  case StateSpace::Tex:
    return kFlat;
  }
  return kFlat;
}

// An integer address as a pointer: LDS and private addresses are 32 bits wide, whatever the register.
Value* Emitter::pointer(Value* integer, unsigned space) {
  const unsigned bits = space == kLds || space == kPrivate ? 32 : 64;
  return ir.CreateIntToPtr(ir.CreateZExtOrTrunc(integer, ir.getIntNTy(bits)), ir.getPtrTy(space));
}

Value* Emitter::address(unsigned n, StateSpace space) {
  const Operand& o = operand(n);
  const unsigned wanted = address_space(*this, space);
  Value* base = nullptr;
  if (o.kind == OperandKind::AddressRegister || o.kind == OperandKind::Register) {
    Value* integer = function.load_register(o.index, o.component);
    base = pointer(resized(ir, integer, width_of(integer->getType()), false), wanted);
  } else if (o.kind == OperandKind::AddressSymbol || o.kind == OperandKind::Symbol) {
    base = function.symbol_address(o.index);
    if (base && space != StateSpace::Param && base->getType()->getPointerAddressSpace() != wanted) {
      const unsigned own = base->getType()->getPointerAddressSpace();
      const bool plain = (own == kGlobal || own == kConstant) && (wanted == kGlobal || wanted == kConstant);
      if (plain)
        base = pointer(ir.CreatePtrToInt(base, ir.getInt64Ty()), wanted);
      else if (wanted == kFlat)
        base = ir.CreateAddrSpaceCast(base, ir.getPtrTy(kFlat));
      else
        base = nullptr;
    }
  } else if (o.kind == OperandKind::AddressAbsolute || o.kind == OperandKind::Integer) {
    return pointer(ir.getInt64(static_cast<uint64_t>(o.value)), wanted);
  }
  if (!base) {
    if (!function.failure) function.failure = error("this operand is no address of the state space");
    return llvm::PoisonValue::get(ir.getPtrTy(wanted));
  }
  if (!o.value) return base;
  const bool narrow = base->getType()->getPointerAddressSpace() == kLds ||
                      base->getType()->getPointerAddressSpace() == kPrivate;
  return ir.CreatePtrAdd(base, narrow ? ir.getInt32(static_cast<uint32_t>(o.value))
                                      : ir.getInt64(static_cast<uint64_t>(o.value)));
}

Value* Emitter::read_carry() { return ir.CreateLoad(ir.getInt1Ty(), function.carry_slot()); }
void Emitter::write_carry(Value* carry) { ir.CreateStore(carry, function.carry_slot()); }

Value* Emitter::device(llvm::StringRef name, Type* result, llvm::ArrayRef<Value*> arguments) {
  llvm::SmallVector<Type*> types;
  for (Value* argument : arguments)
    types.push_back(argument->getType());
  llvm::FunctionCallee callee = ir.GetInsertBlock()->getModule()->getOrInsertFunction(
      name, llvm::FunctionType::get(result, types, false));
  return ir.CreateCall(callee, arguments);
}

Value* Emitter::intrinsic(ID id, llvm::ArrayRef<Type*> types, llvm::ArrayRef<Value*> arguments) {
  return ir.CreateIntrinsic(id, types, arguments);
}

bool Emitter::wave64() const { return function.owner.options.target->wave_size == 64; }
unsigned Emitter::gfx_major() const { return function.owner.options.gfx_major; }
llvm::StringRef Emitter::gfx() const { return function.owner.options.target->name; }

Error Emitter::error(const std::string& message, CUresult code) const {
  const Location at = module.location(instruction.offset);
  return {code, module.file_name + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) +
                    ": error: " + message};
}

} // namespace ptxshim::ptx
