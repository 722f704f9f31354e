// SPDX-License-Identifier: MIT
// What modules say about linking with one another, as far as choosing modules needs it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ptxshim/image.h"

namespace ptxshim::loader {

struct ModuleSymbol {
  enum class Linkage { Local, Extern, Visible, Weak };
  Linkage linkage = Linkage::Local;
  bool function = false; // .func; kernels and variables are not
  std::string name;
};

// The functions, kernels and variables that a PTX text declares or defines at module scope. Never fails: what
// it cannot read it skips, the translator has the last word.
std::vector<ModuleSymbol> module_symbols(std::string_view text);

// Is this NVIDIA's device runtime library (libcudadevrt), which nvcc adds to every -rdc=true program?
bool is_device_runtime(const std::vector<ModuleSymbol>& symbols);

} // namespace ptxshim::loader
