// SPDX-License-Identifier: MIT
// Module variables become LLVM globals of the address space that stands for their state space:
//
//   .global, .const   in the code object under their PTX names, found by cuModuleGetGlobal; the host may write both
//                     before a launch, so their initial values are never folded into code
//   .shared           LDS; extern ones without size all begin where the static ones end (dynamic LDS)
//   .local            at module scope (PTX before 3.0): only a name here, see thread_variables.cpp
//   function scope    the same, but invisible outside
//
// Initialisers are byte images with addresses of variables and functions in between. ELF for AMD's GPUs has a
// dynamic relocation for an address of 64 bits and none for a part of one. So the bytes 0xFF(v), 0xFF00(v) … that
// nvcc writes for pointers in packed structures are put together again; what does not make a whole is an error.
#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>

#include "lower/emitter.h"
#include "lower/module.h"

namespace ptxshim::ptx {

using llvm::Constant;
using llvm::ConstantExpr;
using llvm::Type;

static constexpr uint64_t kLargestVariable = uint64_t{1} << 40;
static constexpr uint64_t kLargestInitialiser = uint64_t{256} << 20; // it is part of the code object

static Error variable_error(const Module& module, const Symbol& symbol, const std::string& message,
                            CUresult code) {
  const Location at = module.location(symbol.offset);
  return {code, module.file_name + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) +
                    ": error: " + std::string(module.name(symbol.name)) + ": " + message};
}

static llvm::GlobalValue::LinkageTypes linkage_of(const Symbol& symbol) {
  switch (symbol.linkage) {
  case Linkage::Internal:
    return llvm::GlobalValue::InternalLinkage;
  case Linkage::Visible:
  case Linkage::Extern:
    return llvm::GlobalValue::ExternalLinkage;
  case Linkage::Weak:
  case Linkage::Common:
    return llvm::GlobalValue::WeakAnyLinkage;
  }
  return llvm::GlobalValue::InternalLinkage;
}

// How many initialisers from `first` on make one address: one of 64 bits, or eight bytes in their order. 0: it is a part only.
static unsigned address_parts(const std::vector<Initializer>& all, size_t first) {
  constexpr unsigned kBytes = 8;
  const Initializer& start = all[first];
  if (start.mask == ~0ull) return start.size == kBytes ? 1 : 0;
  if (all.size() - first < kBytes) return 0;
  for (unsigned n = 0; n < kBytes; ++n) {
    const Initializer& each = all[first + n];
    const bool same_address = each.symbol == start.symbol && each.value == start.value && each.generic == start.generic;
    if (!same_address || each.size != 1 || each.offset != start.offset + n || each.mask != 0xffull << (8 * n)) return 0;
  }
  return kBytes;
}

// Uninitialised bytes are zero. The type's size is exactly the variable's.
static Type* image_type(llvm::LLVMContext& context, const Symbol& symbol) {
  bool has_addresses = false;
  for (const Initializer& each : symbol.initializers)
    has_addresses = has_addresses || each.symbol != kNone;
  Type* byte = Type::getInt8Ty(context);
  if (!has_addresses) return llvm::ArrayType::get(byte, symbol.size);
  llvm::SmallVector<Type*> parts;
  uint64_t end = 0;
  for (size_t n = 0; n < symbol.initializers.size();) {
    const Initializer& each = symbol.initializers[n];
    const unsigned count = each.symbol == kNone ? 0 : address_parts(symbol.initializers, n);
    n += std::max(count, 1u);
    if (count == 0) continue;
    if (each.offset > end) parts.push_back(llvm::ArrayType::get(byte, each.offset - end));
    parts.push_back(Type::getInt64Ty(context));
    end = each.offset + sizeof(uint64_t);
  }
  if (symbol.size > end) parts.push_back(llvm::ArrayType::get(byte, symbol.size - end));
  return llvm::StructType::get(context, parts, true);
}

Result<void> ModuleLowering::declare_variables() {
  std::vector<std::pair<SymbolId, bool>> all; // and whether it is of module scope
  for (SymbolId id : source.variables)
    all.push_back({id, true});
  for (const Function& function : source.functions)
    for (SymbolId id : function.locals)
      all.push_back({id, false});
  for (const auto& [id, outer] : all) {
    const Symbol& symbol = source.symbols[id];
    unsigned space = kGlobal;
    if (symbol.space == StateSpace::Shared)
      space = kLds;
    else if (symbol.space == StateSpace::Const)
      space = kConstant;
    else if (symbol.space != StateSpace::Global && symbol.space != StateSpace::Tex) {
      if (!outer || symbol.space != StateSpace::Local) continue; // .local and .param: the function's own
      space = kPrivate;
    }
    if (symbol.size > kLargestVariable || (symbol.alignment & (symbol.alignment - 1)))
      return variable_error(source, symbol, "its size or alignment makes no sense", CUDA_ERROR_INVALID_PTX);
    const bool dynamic = space == kLds && (symbol.unsized || symbol.linkage == Linkage::Extern) && !symbol.is_joined;
    Type* type =
        dynamic ? llvm::ArrayType::get(Type::getInt8Ty(context()), 0) : image_type(context(), symbol);
    std::string name(source.name(symbol.name));
    if (!outer) name = std::string(name) + ".local";
    Constant* initial = llvm::Constant::getNullValue(type);
    auto linkage = outer ? linkage_of(symbol) : llvm::GlobalValue::InternalLinkage;
    if (dynamic || symbol.linkage == Linkage::Extern) {
      initial = nullptr;
      linkage = llvm::GlobalValue::ExternalLinkage;
    } else if (space == kLds || space == kPrivate) {
      initial = llvm::PoisonValue::get(type);
    }
    auto* made = new llvm::GlobalVariable(*llvm_, type, false, linkage, initial, name, nullptr, llvm::GlobalValue::NotThreadLocal, space,
                                          space == kGlobal || space == kConstant);
    made->setAlignment(llvm::Align(std::max<uint32_t>(symbol.alignment, 1)));
    if (outer && space != kPrivate)
      made->addAttribute(kVariableAttribute, symbol.managed       ? "managed"
                                             : space == kConstant ? "const"
                                                                  : "global");
    variables_[id] = made;
  }
  for (const auto& [id, outer] : all)
    if (!source.symbols[id].initializers.empty() && variables_.count(id))
      if (Result<void> done = initialise_variable(id); !done) return done;
  return {};
}

Result<void> ModuleLowering::initialise_variable(SymbolId id) {
  const Symbol& symbol = source.symbols[id];
  auto* target = llvm::cast<llvm::GlobalVariable>(variables_[id]);
  if (symbol.size > kLargestInitialiser)
    return variable_error(source, symbol, "an initialiser of this size is not supported",
                          CUDA_ERROR_NOT_SUPPORTED);
  std::vector<uint8_t> bytes(symbol.size, 0);
  llvm::SmallVector<Constant*> parts;
  uint64_t end = 0;
  const auto flush_bytes = [&](uint64_t until) {
    if (until <= end) return;
    parts.push_back(
        llvm::ConstantDataArray::get(context(), llvm::ArrayRef<uint8_t>(bytes.data() + end, until - end)));
  };
  for (const Initializer& each : symbol.initializers) {
    if (each.offset > symbol.size || each.size > symbol.size - each.offset || each.size > 8)
      return variable_error(source, symbol, "an initialiser lies outside the variable",
                            CUDA_ERROR_INVALID_PTX);
    if (each.symbol == kNone)
      for (unsigned n = 0; n < each.size; ++n)
        bytes[each.offset + n] = static_cast<uint8_t>(each.value >> (8 * n));
  }
  for (size_t n = 0; n < symbol.initializers.size();) {
    const Initializer& each = symbol.initializers[n];
    if (each.symbol == kNone) {
      ++n;
      continue;
    }
    const unsigned count = address_parts(symbol.initializers, n);
    if (count == 0)
      return variable_error(source, symbol,
                            "a part of the address of '" + std::string(source.name_of(each.symbol)) +
                                "' as initialiser is not supported, only all of its 64 bits",
                            CUDA_ERROR_NOT_SUPPORTED);
    n += count;
    Constant* address = variable(each.symbol);
    if (!address) address = function(each.symbol);
    if (!address || each.offset < end)
      return variable_error(source, symbol, "an initialiser is no address, or out of order", CUDA_ERROR_INVALID_PTX);
    flush_bytes(each.offset);
    Type* word = Type::getInt64Ty(context());
    Constant* value = ConstantExpr::getPtrToInt(address, word);
    if (each.value) value = ConstantExpr::getAdd(value, llvm::ConstantInt::get(word, each.value));
    parts.push_back(value);
    end = each.offset + sizeof(uint64_t);
  }
  if (parts.empty()) {
    target->setInitializer(llvm::ConstantDataArray::get(context(), llvm::ArrayRef<uint8_t>(bytes)));
    return {};
  }
  flush_bytes(symbol.size);
  target->setInitializer(
      llvm::ConstantStruct::get(llvm::cast<llvm::StructType>(target->getValueType()), parts));
  return {};
}

} // namespace ptxshim::ptx
