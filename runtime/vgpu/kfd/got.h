// SPDX-License-Identifier: MIT
// Redirects imported functions of libraries that are already loaded, by writing their GOT slots.
#pragma once

#include <span>
#include <string_view>

namespace ptxshim::vgpu {

struct Redirection {
  const char* symbol;
  void* replacement;
};

// Every library whose file name begins with one of the prefixes. Returns how many libraries matched.
// The caller's own slots, and those of every other library, stay as they are.
unsigned redirect_imports(std::span<const std::string_view> library_prefixes,
                          std::span<const Redirection> redirections);

} // namespace ptxshim::vgpu
