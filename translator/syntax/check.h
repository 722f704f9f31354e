// SPDX-License-Identifier: MIT
// Matches instructions against the forms of their op (op_forms.h), and calls against their callees.
#pragma once

#include <string>
#include <vector>

#include "syntax/ast.h"
#include "syntax/forms.h"

namespace ptxshim::ptx {

enum class Verdict : uint8_t {
  Right,
  NotYet, // right PTX that is not translated yet: fails the function
  Wrong,
  Newer, // wrong, unless a newer PTX version than known has it
};

class Checker {
public:
  explicit Checker(const Module& module) : module_(module), memory_(256) {}
  // Sets Instruction::form when the instruction is right, else `message`, and `where` when one operand is to blame.
  Verdict check(const Function& function, Instruction& instruction, std::string& message, Offset& where);
  // Arguments and results of a call; empty when they fit.
  std::string check_call(const Function& function, const Instruction& call) const;

private:
  // The forms that the modifiers of one mnemonic leave, kept for the next instruction of the same mnemonic.
  struct Match {
    Op op = Op::kInvalid;
    std::vector<Mod> modifiers;
    std::vector<Candidate> candidates;
    std::vector<Candidate> untranslated; // what the PTX ISA wants, where no form is translated
    bool unsaid = false;                 // a form of these does not say its operands
    std::string wrong; // why no form of the PTX ISA, or none for this version and target, has these modifiers
    bool known = false; // some form has them
    uint64_t hash = 0;
  };
  struct Problem {
    size_t reached = 0; // how far the form fitted
    size_t operand = 0; // which one does not
    std::string text;   // built only for the message
  };

  const Match& match(const Instruction& instruction);
  void grow();
  void judge(Match& entry, const Instruction& instruction) const;
  std::string describe_modifiers(const Instruction& instruction) const;
  std::string unfit_modifiers(const Instruction& instruction) const;
  std::string one_modifier_off(const Instruction& instruction) const;
  std::string misfit(const Function& function, const Instruction& instruction, const std::vector<Candidate>& candidates, Offset& where) const;
  Offset offset_of_operand(const Instruction& instruction, size_t index) const;
  std::string check_versions(const Instruction& instruction, const Candidate& candidate) const;

  // check_operands.cpp. All take `problem` to say what is wrong, or null to be quick.
  bool fits(const Function& function, const Instruction& instruction, const Candidate& candidate, Problem* problem) const;
  bool fits_operand(const Function& function, const Instruction& instruction, const Candidate& candidate, const OperandSpec& spec,
                    const Operand& operand, std::string* problem) const;
  bool is_untyped(const Function& function, const Instruction& instruction, std::span<const Operand> elements, ScalarType wanted) const;
  bool elements_go_together(const Function& function, std::span<const Operand> elements, std::string* problem) const;
  std::string check_values(const Instruction& instruction) const;
  bool fits_vector(const Function& function, const Instruction& instruction, const Candidate& candidate, const OperandSpec& spec,
                   const Operand& operand, std::string* problem) const;
  bool fits_scalar(const Function& function, const Instruction& instruction, const Candidate& candidate, const OperandSpec& spec,
                   const Operand& operand, std::string* problem) const;
  bool fits_register(const Function& function, const Candidate& candidate, const OperandSpec& spec, const Operand& operand,
                     std::string* problem) const;
  bool fits_special(const Instruction& instruction, const OperandSpec& spec, const Operand& operand, std::string* problem) const;
  bool fits_symbol(const Instruction& instruction, const OperandSpec& spec, const Operand& operand, std::string* problem) const;
  bool fits_address(const Function& function, const Instruction& instruction, StateSpace space, const Operand& operand, std::string* problem) const;
  bool fits_place(const Function& function, const Instruction& instruction, const Candidate& candidate, const OperandSpec& spec, const Operand& operand,
                  std::string* problem) const;
  bool fits_handle(const Function& function, const OperandSpec& spec, const Operand& operand, std::string* problem) const;
  std::string name_of(const Function& function, const Operand& operand) const;

  // check_call.cpp
  std::string check_list(const Function& function, const Operand* list, const std::vector<const Symbol*>& formals, bool results) const;
  std::string check_argument(const Function& function, const Operand& actual, const Symbol& formal, bool result) const;

  const Module& module_;
  std::vector<Match> memory_; // open addressing
  size_t used_ = 0;
};

std::string full_name(const Module& module, const RegisterInfo& info); // %r7

} // namespace ptxshim::ptx
