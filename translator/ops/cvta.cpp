// SPDX-License-Identifier: MIT
// Between addresses of a state space and generic ones. Global and constant memory and kernel parameters lie
// in the flat address space as they are; LDS and private memory are 32-bit offsets into windows of it.
// Generic to LDS takes the low half, as the hardware does, whatever the address.
#include "lower/function.h"
#include "ops/op.h"

// clang-format off
PTXSHIM_OP(cvta,
    {"cvta<ss><t> d, a",    "ss=.const|.global|.local|.shared|.shared::cta|.shared::cluster|.param|.param::entry; t=.u32|.u64", "", 20, 20},
    {"cvta.to<ss><t> d, a", "ss=.const|.global|.local|.shared|.shared::cta|.shared::cluster|.param|.param::entry; t=.u32|.u64", "", 20, 20}) {
  // clang-format on
  const ScalarType type = e.type();
  Value* address = e.read(1, type);
  const StateSpace space = e.space();
  if (space == StateSpace::Param && !e.function.source.is_entry)
    return e.error("cvta.param in a function is not supported", CUDA_ERROR_NOT_SUPPORTED);
  if (space == StateSpace::Shared || space == StateSpace::Local) {
    if (e.has(Mod::to)) {
      address = e.ir.CreateZExt(e.ir.CreateTrunc(address, e.ir.getInt32Ty()), e.ir.getInt64Ty());
    } else {
      Value* narrow = e.pointer(address, space == StateSpace::Shared ? kLds : kPrivate);
      address =
          e.ir.CreatePtrToInt(e.ir.CreateAddrSpaceCast(narrow, e.ir.getPtrTy(kFlat)), e.ir.getInt64Ty());
    }
  }
  e.write(0, e.ir.CreateZExtOrTrunc(address, e.ir.getIntNTy(bits_of(type))), type);
  return {};
}
