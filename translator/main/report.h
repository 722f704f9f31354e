// SPDX-License-Identifier: MIT
// What ptxshimc prints about kernels.
#pragma once

#include <string>

#include "ptxshim/code_object.h"

namespace ptxshim::compiler {

std::string usage_report(const CodeObject& code_object); // --verbose
std::string kernel_list(const CodeObject& code_object);  // --list-kernels
std::string version_text();

} // namespace ptxshim::compiler
