// SPDX-License-Identifier: MIT
// translate() (ptxshim/translate.h) with its intermediate stages, for bin/ptxshimc and tests.
#pragma once

#include <string>

#include "ptxshim/translate.h"

namespace ptxshim::ptx {

enum class Emit : uint8_t { UnoptimisedIr, Ir, Assembly, CodeObject };

// With another stage than CodeObject, `text` gets it and the result's ELF is empty.
Result<CodeObject> translate_to(const TranslateRequest& request, Emit emit, std::string& text);

} // namespace ptxshim::ptx
