// SPDX-License-Identifier: MIT
// Names for printing: those of the text, with a suffix where two that hid one another now stand in one scope.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "syntax/ast.h"

namespace ptxshim::ptx {

class PrintNames {
public:
  struct Group { // one .reg declaration: a name, or name<count>
    std::string name;
    ScalarType type = ScalarType::None;
    uint8_t vector = 1;
    uint64_t count = 0; // 0: a plain name
  };

  explicit PrintNames(const Module& module);
  void enter(const Function& function);

  std::string symbol(SymbolId id) const;
  const std::string& reg(uint32_t index) const { return registers_[index]; }
  const std::string& label(uint32_t index) const { return labels_[index]; }
  const std::string& table(uint32_t index) const { return tables_[index]; }
  const std::vector<Group>& groups() const { return groups_; }

private:
  std::string unique(std::string name);
  void name_parameters(const Function& function, const std::vector<SymbolId>& ids);
  void name_registers(const Function& function);
  void name_group(const Function& function, Group& group, const std::vector<uint32_t>& members);

  const Module& module_;
  std::unordered_set<std::string> module_names_;
  std::unordered_set<std::string> used_;
  std::unordered_map<SymbolId, std::string> symbols_; // of the function that differ from the text
  std::vector<std::string> registers_;
  std::vector<std::string> labels_;
  std::vector<std::string> tables_;
  std::vector<Group> groups_;
};

} // namespace ptxshim::ptx
