// SPDX-License-Identifier: MIT
// Vectors are one access of the vector's alignment, as PTX demands of addresses. Relaxed, acquire and release
// accesses are LLVM atomics, element by element; 128-bit ones, which the hardware has no atomics for, are
// volatile with fences. What only advises the caches (.cs, .L1::…, prefetch sizes) is dropped.
#include "lower/access.h"

#include "lower/function.h"
#include "lower/memory.h"

namespace ptxshim::ptx {

using llvm::Align;
using llvm::AtomicOrdering;

static AtomicOrdering order_of_access(const Emitter& e) { return ordering_of(e, AtomicOrdering::NotAtomic); }
static bool is_volatile(const Emitter& e) {
  return e.has(Mod::volatile_) || e.has(Mod::cv) || e.has(Mod::wt) || e.has(Mod::mmio);
}

static Value* load_atomic(Emitter& e, Value* pointer, ScalarType type, AtomicOrdering ordering) {
  const unsigned bits = bits_of(type);
  llvm::LoadInst* load =
      e.ir.CreateAlignedLoad(e.ir.getIntNTy(bits), pointer, Align(bits / 8), e.has(Mod::mmio));
  load->setAtomic(ordering, scope_of(e, ""));
  return e.reinterpret(load, e.llvm_type(type));
}

// Memory that the host and other kernels write holds values, never LLVM's undef; saying so spares the
// optimiser long searches. Shared and local memory may be read before it is written.
static bool holds_values(const Emitter& e) {
  const StateSpace space = e.space();
  return space == StateSpace::Global || space == StateSpace::Const ||
         (space == StateSpace::Param && e.function.source.is_entry);
}

void load_elements(Emitter& e, unsigned destination, unsigned address) {
  const ScalarType type = e.type(e.type_count() - 1);
  const unsigned bytes = bits_of(type) / 8;
  const std::span<const Operand> parts = e.elements(destination);
  const unsigned count = static_cast<unsigned>(parts.size());
  Value* pointer = e.address(address, e.space());
  const AtomicOrdering ordering = order_of_access(e);
  if (ordering != AtomicOrdering::NotAtomic && bytes <= 8) {
    for (unsigned k = 0; k < count; ++k)
      e.write(parts[k], load_atomic(e, e.ir.CreatePtrAdd(pointer, e.ir.getInt32(k * bytes)), type, ordering),
              type);
    return;
  }
  llvm::Type* memory = e.llvm_type(type);
  if (count > 1) memory = llvm::FixedVectorType::get(memory, count);
  llvm::LoadInst* load = e.ir.CreateAlignedLoad(memory, pointer, Align(bytes * count),
                                                is_volatile(e) || ordering != AtomicOrdering::NotAtomic);
  if (e.has(Mod::nc))
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(e.ir.getContext(), {}));
  if (holds_values(e))
    load->setMetadata(llvm::LLVMContext::MD_noundef, llvm::MDNode::get(e.ir.getContext(), {}));
  if (ordering == AtomicOrdering::Acquire) e.ir.CreateFence(AtomicOrdering::Acquire, scope_of(e, ""));
  for (unsigned k = 0; k < count; ++k)
    e.write(parts[k], count > 1 ? e.ir.CreateExtractElement(load, k) : load, type);
}

void store_elements(Emitter& e, unsigned address, unsigned source) {
  const ScalarType type = e.type(e.type_count() - 1);
  const unsigned bytes = bits_of(type) / 8;
  const std::span<const Operand> parts = e.elements(source);
  const unsigned count = static_cast<unsigned>(parts.size());
  Value* pointer = e.address(address, e.space());
  const AtomicOrdering ordering = order_of_access(e);
  if (ordering != AtomicOrdering::NotAtomic && bytes <= 8) {
    for (unsigned k = 0; k < count; ++k) {
      Value* value = e.reinterpret(e.read(parts[k], type), e.ir.getIntNTy(bytes * 8));
      llvm::StoreInst* store = e.ir.CreateAlignedStore(
          value, e.ir.CreatePtrAdd(pointer, e.ir.getInt32(k * bytes)), Align(bytes), e.has(Mod::mmio));
      store->setAtomic(ordering, scope_of(e, ""));
    }
    return;
  }
  Value* value = nullptr;
  if (count > 1) {
    value = llvm::PoisonValue::get(llvm::FixedVectorType::get(e.llvm_type(type), count));
    for (unsigned k = 0; k < count; ++k)
      value = e.ir.CreateInsertElement(value, e.read(parts[k], type), k);
  } else {
    value = e.read(parts[0], type);
  }
  if (ordering == AtomicOrdering::Release) e.ir.CreateFence(AtomicOrdering::Release, scope_of(e, ""));
  e.ir.CreateAlignedStore(value, pointer, Align(bytes * count),
                          is_volatile(e) || ordering != AtomicOrdering::NotAtomic);
}

} // namespace ptxshim::ptx
