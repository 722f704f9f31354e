// SPDX-License-Identifier: MIT
// What passes must know about an instruction without looking at its body: the columns of ops.def.
#pragma once

#include <cstdint>

#include "syntax/ast.h"

namespace ptxshim::ptx {

enum OpTraits : uint8_t {
  kPlain = 0,
  kConvergent = 1, // communicates among lanes: must not be moved across control flow
  kTerminator = 2, // ends a basic block (when not guarded)
};
enum class OpStatus : uint8_t { Ready, Later };

uint8_t traits(Op op);
OpStatus status(Op op);

} // namespace ptxshim::ptx
