// SPDX-License-Identifier: MIT
// What an instruction's file defines: its forms and its lowering, nothing else. See any short file of this folder (ops/popc.cpp).
//
//   PTXSHIM_OP(popc, {"popc<t> d, a", "t=.b32|.b64", "d:u32 a:t", 20, 20}) {
//     Value* a = e.read(1);
//     e.write(0, e.ir.CreateZExtOrTrunc(e.ir.CreateUnaryIntrinsic(Intrinsic::ctpop, a), e.ir.getInt32Ty()));
//     return {};
//   }
//
// Helpers of one file stand above the macro in `namespace ptxshim::ptx { static … }`; the files are compiled several at a time
// (unity build), so their names must not clash: put the instruction's name in them.
#pragma once

#include "lower/emitter.h"
#include "syntax/op_forms.h"

namespace ptxshim::ptx {

namespace Intrinsic = llvm::Intrinsic;

struct OpBody {
  std::span<const Form> forms;
  Result<void> (*lower)(Emitter& e, const Instruction& i) = nullptr;
};
const OpBody& body_of(Op op); // rows that are Later have an empty one (ops/bodies.cpp)

} // namespace ptxshim::ptx

// Defines ops::NAME's forms and opens its lowering function; `e` is the Emitter, `i` the Instruction.
#define PTXSHIM_OP(name, ...)                                                                                          \
  namespace ptxshim::ptx::ops::name {                                                                                  \
  static constexpr Form kForms[] = {__VA_ARGS__};                                                                      \
  static Result<void> lower(Emitter& e, const Instruction& i);                                                         \
  extern const OpBody kBody;                                                                                           \
  const OpBody kBody = {kForms, lower};                                                                                \
  }                                                                                                                    \
  ptxshim::Result<void> ptxshim::ptx::ops::name::lower([[maybe_unused]] ptxshim::ptx::Emitter& e,                      \
                                                       [[maybe_unused]] const ptxshim::ptx::Instruction& i)
