// SPDX-License-Identifier: MIT
// Where an ELF file holds fat binaries.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "ptxshim/result.h"

namespace ptxshim::loader {

struct ElfFatbins {
  std::vector<std::span<const std::byte>> alone;    // each is loaded by itself
  std::vector<std::span<const std::byte>> together; // relocatable device code: linked into one module
};

// `bytes` must be private to us: libelf may convert it in place. The results point into it, from the fatbin's
// header to the end of its section.
Result<ElfFatbins> find_fatbins(std::span<std::byte> bytes);

} // namespace ptxshim::loader
