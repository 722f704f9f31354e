// SPDX-License-Identifier: MIT
// Several PTX modules become one program: which definition each external name means.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptxshim/result.h"
#include "syntax/ast.h"

namespace ptxshim::ptx {

// Leaves one definition of each name; the others become declarations of it. An Error says what does not fit together, with
// both places. Names that nobody defines are no error here: they cost only the kernels that need them.
Result<void> resolve_symbols(std::vector<Module>& modules);

// Where code or an initialiser names something first that its own module only declares.
struct Use {
  const Module* module;
  SymbolId symbol, user;
  Offset offset;
};
using Uses = std::unordered_map<std::string_view, Use>; // by name
Uses first_uses(std::span<const Module> modules);

// "a.ptx:12:5: error: undefined function 'f', used in 'k'", with the source line.
std::string undefined_symbol(const Use& use);

} // namespace ptxshim::ptx
