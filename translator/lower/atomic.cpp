// SPDX-License-Identifier: MIT
// atom and red. The default is relaxed at device scope. Floating-point additions are left to LLVM: a native
// instruction where it has exactly these semantics, else a compare-and-swap loop.
#include "lower/access.h"
#include "lower/memory.h"

namespace ptxshim::ptx {

using llvm::AtomicOrdering;
using llvm::AtomicRMWInst;

static AtomicRMWInst::BinOp atomic_operation(const Emitter& e, ScalarType type) {
  const bool is_float = kind_of(type) == TypeKind::Float || kind_of(type) == TypeKind::BFloat;
  const bool is_signed = kind_of(type) == TypeKind::Signed;
  if (e.has(Mod::add)) return is_float ? AtomicRMWInst::FAdd : AtomicRMWInst::Add;
  if (e.has(Mod::and_)) return AtomicRMWInst::And;
  if (e.has(Mod::or_)) return AtomicRMWInst::Or;
  if (e.has(Mod::xor_)) return AtomicRMWInst::Xor;
  if (e.has(Mod::exch)) return AtomicRMWInst::Xchg;
  if (e.has(Mod::inc)) return AtomicRMWInst::UIncWrap;
  if (e.has(Mod::dec)) return AtomicRMWInst::UDecWrap;
  if (e.has(Mod::min))
    return is_float ? AtomicRMWInst::FMin : is_signed ? AtomicRMWInst::Min : AtomicRMWInst::UMin;
  if (e.has(Mod::max))
    return is_float ? AtomicRMWInst::FMax : is_signed ? AtomicRMWInst::Max : AtomicRMWInst::UMax;
  return AtomicRMWInst::BAD_BINOP;
}

static Value* compare_and_swap(Emitter& e, Value* pointer, ScalarType type, unsigned first,
                               AtomicOrdering ordering) {
  AtomicOrdering failure = ordering;
  if (ordering == AtomicOrdering::AcquireRelease) failure = AtomicOrdering::Acquire;
  if (ordering == AtomicOrdering::Release) failure = AtomicOrdering::Monotonic;
  Value* both =
      e.ir.CreateAtomicCmpXchg(pointer, e.read(first, type), e.read(first + 1, type),
                               llvm::Align(bits_of(type) / 8), ordering, failure, scope_of(e, "agent"));
  return e.ir.CreateExtractValue(both, 0);
}

Result<void> lower_atomic(Emitter& e, bool returns) {
  const unsigned address = returns ? 1 : 0;
  const ScalarType type = e.type(e.type_count() - 1);
  const unsigned bytes = bits_of(type) / 8;
  if (bytes > 8) return e.error("atomic operations on 128 bits are not supported", CUDA_ERROR_NOT_SUPPORTED);
  Value* pointer = e.address(address, e.space());
  const AtomicOrdering ordering = ordering_of(e, AtomicOrdering::Monotonic);
  if (e.has(Mod::cas)) {
    Value* old = compare_and_swap(e, pointer, type, address + 1, ordering);
    e.write(0, old, type);
    return {};
  }
  const AtomicRMWInst::BinOp operation = atomic_operation(e, type);
  if (operation == AtomicRMWInst::BAD_BINOP)
    return e.error("this atomic operation is not supported", CUDA_ERROR_NOT_SUPPORTED);
  const std::span<const Operand> sources = e.elements(address + 1);
  for (unsigned k = 0; k < sources.size(); ++k) {
    Value* place = k ? e.ir.CreatePtrAdd(pointer, e.ir.getInt32(k * bytes)) : pointer;
    Value* old = e.ir.CreateAtomicRMW(operation, place, e.read(sources[k], type), llvm::Align(bytes),
                                      ordering, scope_of(e, "agent"));
    if (returns) e.write(e.elements(0)[k], old, type);
  }
  return {};
}

} // namespace ptxshim::ptx
