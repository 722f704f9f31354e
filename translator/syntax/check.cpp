// SPDX-License-Identifier: MIT
#include "syntax/check.h"

namespace ptxshim::ptx {

std::string Checker::check(const Function&, Instruction&, bool&) { return {}; }
std::string Checker::check_call(const Function&, const Instruction&) { return {}; }

} // namespace ptxshim::ptx
