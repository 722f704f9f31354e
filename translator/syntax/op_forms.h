// SPDX-License-Identifier: MIT
// What one PTX instruction may look like. Each ops/NAME.cpp holds its forms in the manual's notation, beside its lowering.
#pragma once

#include <cstdint>
#include <span>

#include "syntax/ast.h"

namespace ptxshim::ptx {

// syntax: "mad<m><t> d, a, b, c": <slot> a mandatory choice, {slot} an optional one, other dot-words fixed. Operands: d, d2 …
//   destinations, a b c e g sources, p q destination predicates, d|p a pair, c0 c1 source predicates (may be negated),
//   [addr] an address, {d..} {a..} a scalar or a vector whose length is that of .v2/.v4/.v8, label, (list).
// slots: "m=.hi|.lo; t=.u16|.u32; s?=.sat" ("?": may be absent).
// types: the type of each operand in order, e.g. "d:t a:t b:t c:u32" (a slot's name or a type; ":wide" = twice the slot's width, ":constant" = no register,
//   ":bits" = .b registers only);
//   empty: all operands have the type of the (last) type modifier.
// never: choices that exclude each other, "c=.lt|.le x t=.b16|.b32; ftz=.ftz x t=.f64".
struct Form {
  const char* syntax;
  const char* slots = "";
  const char* types = "";
  uint16_t ptx = 10;   // lowest .version, major * 10 + minor
  uint16_t sm = 10;    // lowest .target
  uint16_t until = 0;  // first .version that no longer has it; 0: still there
  const char* never = "";
};

std::span<const Form> forms_of(Op op); // defined by each ops/NAME.cpp through PTXSHIM_OP_FORMS

} // namespace ptxshim::ptx
