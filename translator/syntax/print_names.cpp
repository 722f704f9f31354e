// SPDX-License-Identifier: MIT
#include "syntax/print_names.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace ptxshim::ptx {

PrintNames::PrintNames(const Module& module) : module_(module) {
  for (const SymbolId id : module.variables) module_names_.emplace(module.name_of(id));
  for (const Function& function : module.functions) module_names_.emplace(module.name_of(function.symbol));
}

std::string PrintNames::unique(std::string name) {
  const std::string base = name;
  for (unsigned i = 1; module_names_.contains(name) || used_.contains(name); ++i) name = base + "_" + std::to_string(i) + "_";
  used_.insert(name);
  return name;
}

std::string PrintNames::symbol(SymbolId id) const {
  const auto renamed = symbols_.find(id);
  return renamed == symbols_.end() ? std::string(module_.name_of(id)) : renamed->second;
}

void PrintNames::name_parameters(const Function& function, const std::vector<SymbolId>& ids) {
  for (const SymbolId id : ids) {
    const Symbol& symbol = module_.symbols[id];
    std::string name(module_.name(symbol.name));
    if (name != "_") name = unique(std::move(name));
    if (symbol.parameter_register < function.registers.size()) registers_[symbol.parameter_register] = name;
    symbols_[id] = std::move(name);
  }
}

// The registers of one name<n>: if any of them is taken, all get another prefix.
void PrintNames::name_group(const Function& function, Group& group, const std::vector<uint32_t>& members) {
  const std::string base = group.name;
  const auto taken = [&](uint32_t member) {
    const std::string name = group.name + std::to_string(function.registers[member].number);
    return used_.contains(name) || module_names_.contains(name);
  };
  for (unsigned i = 1; std::any_of(members.begin(), members.end(), taken); ++i) group.name = base + "_" + std::to_string(i) + "_";
  for (const uint32_t member : members) {
    const uint32_t number = function.registers[member].number;
    registers_[member] = group.name + std::to_string(number);
    used_.insert(registers_[member]);
    group.count = std::max<uint64_t>(group.count, uint64_t{number} + 1);
  }
}

void PrintNames::name_registers(const Function& function) {
  using Key = std::tuple<NameId, ScalarType, uint8_t>;
  std::map<Key, size_t> known;
  std::vector<Group> ranges;
  std::vector<std::vector<uint32_t>> members;
  std::unordered_set<uint64_t> numbers; // range and number
  for (uint32_t i = 0; i < function.registers.size(); ++i) {
    const RegisterInfo& info = function.registers[i];
    if (!registers_[i].empty()) continue; // a parameter
    if (info.number == kNone) {
      registers_[i] = unique(std::string(module_.name(info.name)));
      groups_.push_back({registers_[i], info.type, info.vector, 0});
      continue;
    }
    const auto [entry, added] = known.try_emplace(Key{info.name, info.type, info.vector}, ranges.size());
    if (added) {
      ranges.push_back({std::string(module_.name(info.name)), info.type, info.vector, 0});
      members.emplace_back();
    }
    // %r1 twice, of two scopes: the second goes to a range of its own.
    if (!numbers.insert(uint64_t{entry->second} << 32 | info.number).second) {
      entry->second = ranges.size();
      numbers.insert(uint64_t{entry->second} << 32 | info.number);
      ranges.push_back({std::string(module_.name(info.name)), info.type, info.vector, 0});
      members.emplace_back();
    }
    members[entry->second].push_back(i);
  }
  for (size_t g = 0; g < ranges.size(); ++g) {
    name_group(function, ranges[g], members[g]);
    groups_.push_back(std::move(ranges[g]));
  }
}

void PrintNames::enter(const Function& function) {
  used_.clear();
  symbols_.clear();
  groups_.clear();
  registers_.assign(function.registers.size(), {});
  labels_.clear();
  tables_.clear();
  name_parameters(function, function.returns);
  name_parameters(function, function.parameters);
  name_registers(function);
  for (const SymbolId id : function.locals) symbols_[id] = unique(std::string(module_.name_of(id)));
  for (const NameId label : function.labels) labels_.push_back(unique(std::string(module_.name(label))));
  for (const Table& table : function.tables) tables_.push_back(unique(std::string(module_.name(table.name))));
}

} // namespace ptxshim::ptx
