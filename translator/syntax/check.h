// SPDX-License-Identifier: MIT
// Matches instructions against the forms of their op (op_forms.h), and calls against their callees.
#pragma once

#include <string>

#include "syntax/ast.h"

namespace ptxshim::ptx {

class Checker {
public:
  explicit Checker(const Module& module) : module_(module) {}
  // Sets Instruction::form. An empty string when the instruction is right, else the message; `newer` says that a newer PTX
  // version might have allowed it.
  std::string check(const Function& function, Instruction& instruction, bool& newer);
  std::string check_call(const Function& function, const Instruction& call);

private:
  const Module& module_;
};

} // namespace ptxshim::ptx
