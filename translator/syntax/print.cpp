// SPDX-License-Identifier: MIT
// A module as PTX. Scopes are gone from the AST, so everything a function declares is printed at its top; names that hid one another
// get a suffix. What parses from it is the same module again, and prints the same.
#include <bit>
#include <charconv>
#include <unordered_map>
#include <unordered_set>

#include "syntax/keywords.h"
#include "syntax/parse.h"
#include "syntax/print_names.h"

namespace ptxshim::ptx {
namespace {

std::string_view directive_of(Linkage linkage) {
  switch (linkage) {
  case Linkage::Internal: return "";
  case Linkage::Visible: return ".visible ";
  case Linkage::Extern: return ".extern ";
  case Linkage::Weak: return ".weak ";
  case Linkage::Common: return ".common ";
  }
  return "";
}

std::string_view directive_of(StateSpace space) {
  switch (space) {
  case StateSpace::None: return "";
  case StateSpace::Reg: return ".reg";
  case StateSpace::Const: return ".const";
  case StateSpace::Global: return ".global";
  case StateSpace::Local: return ".local";
  case StateSpace::Param: return ".param";
  case StateSpace::Shared: return ".shared";
  case StateSpace::Tex: return ".tex";
  }
  return "";
}

double half_value(uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const double mantissa = bits & 1023;
  const double magnitude = exponent == 0 ? mantissa * 0x1p-24 : (mantissa + 1024) * std::bit_cast<double>(static_cast<uint64_t>(1023 + exponent - 25) << 52);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

class Printer {
public:
  explicit Printer(const Module& module) : module_(module), names_(module) {}
  std::string print();

private:
  void word(std::string_view text) { out_ += text; }
  void number(int64_t value);
  void hex(uint64_t value, unsigned digits);
  void header();
  void find_early_functions();
  void note_early(const Operand& operand, uint32_t function, std::vector<bool>& early) const;
  void variable(SymbolId id, bool local);
  void shape(const Symbol& symbol);
  void initializer(const Symbol& symbol);
  void initializer_level(const Symbol& symbol, const std::vector<uint64_t>& shape, size_t level, uint64_t base, uint64_t stride, size_t& next);
  void initializer_element(const Symbol& symbol, const Initializer& element);
  void parameters(const std::vector<SymbolId>& ids);
  void parameter(const Symbol& symbol, std::string_view name);
  void prototype_list(const std::vector<Symbol>& list);
  void function_head(uint32_t index);
  void triple(std::string_view directive, const uint32_t (&values)[3]);
  void function_body(uint32_t index);
  void registers(const Function& function);
  void table(const Function& function, uint32_t index);
  void position(std::span<const Operand> numbers);
  void debug_strings();
  void instruction(const Function& function, const Instruction& instruction);
  void operand(const Function& function, const Operand& operand);
  void elements(const Function& function, const Operand& operand, char open, char close);
  void component(const Operand& operand);

  const Module& module_;
  PrintNames names_;
  std::vector<bool> early_; // functions that need a prototype
  std::string out_;
};

void Printer::number(int64_t value) { out_ += std::to_string(value); }

void Printer::hex(uint64_t value, unsigned digits) {
  for (unsigned i = digits; i > 0; --i) out_ += "0123456789ABCDEF"[(value >> (4 * (i - 1))) & 15];
}

void Printer::header() {
  out_ += ".version " + std::to_string(module_.version / 10) + "." + std::to_string(module_.version % 10) + "\n.target sm_" +
          std::to_string(module_.sm);
  if (module_.sm_suffix != 0) out_ += module_.sm_suffix;
  if (module_.debug) word(", debug");
  if (module_.texmode_independent) word(", texmode_independent");
  if (module_.map_f64_to_f32) word(", map_f64_to_f32");
  if (module_.version >= 23) out_ += "\n.address_size " + std::to_string(module_.address_size);
  word("\n\n");
  for (const SourceFile& file : module_.files) out_ += ".file " + std::to_string(file.index) + " \"" + file.path + "\"\n";
}

void Printer::note_early(const Operand& operand, uint32_t function, std::vector<bool>& early) const {
  if (operand.kind == OperandKind::Symbol) {
    const Symbol& symbol = module_.symbols[operand.index];
    if (symbol.kind == SymbolKind::Function && symbol.function > function) early[symbol.function] = true;
  }
}

// Functions that are named before their body is printed.
void Printer::find_early_functions() {
  early_.assign(module_.functions.size(), false);
  for (const Symbol& symbol : module_.symbols)
    for (const Initializer& element : symbol.initializers)
      if (element.symbol != kNone && module_.symbols[element.symbol].function != kNone &&
          module_.symbols[element.symbol].kind == SymbolKind::Function) {
        early_[module_.symbols[element.symbol].function] = true;
      }
  for (uint32_t f = 0; f < module_.functions.size(); ++f) {
    const Function& function = module_.functions[f];
    if (!function.has_body) early_[f] = true;
    for (const Table& table : function.tables)
      for (const uint32_t entry : table.entries)
        if (table.kind == Table::Kind::CallTargets && module_.symbols[entry].kind == SymbolKind::Function) early_[module_.symbols[entry].function] = true;
    for (const Instruction& instruction : function.body)
      for (const Operand& operand : module_.operands_of(instruction)) note_early(operand, f, early_);
  }
  // All before the last of them too: functions keep their order.
  for (size_t f = early_.size(); f > 1; --f)
    if (early_[f - 1]) early_[f - 2] = true;
}

std::string Printer::print() {
  header();
  find_early_functions();
  for (uint32_t f = 0; f < module_.functions.size(); ++f) {
    if (!early_[f]) continue;
    names_.enter(module_.functions[f]);
    function_head(f);
    word(";\n");
  }
  for (const SymbolId id : module_.variables) variable(id, false);
  for (uint32_t f = 0; f < module_.functions.size(); ++f) {
    if (!module_.functions[f].has_body) continue;
    names_.enter(module_.functions[f]);
    out_ += '\n';
    function_head(f);
    function_body(f);
  }
  for (SymbolId id = 0; id < module_.symbols.size(); ++id) {
    const Symbol& symbol = module_.symbols[id];
    if (symbol.kind == SymbolKind::Alias) out_ += ".alias " + names_.symbol(id) + ", " + names_.symbol(symbol.aliasee) + ";\n";
  }
  debug_strings();
  return std::move(out_);
}

void Printer::shape(const Symbol& symbol) {
  for (size_t i = 0; i < symbol.dimensions.size(); ++i) {
    const bool open = i == 0 && symbol.unsized;
    out_ += open ? std::string("[]") : "[" + std::to_string(symbol.dimensions[i]) + "]";
  }
}

void Printer::variable(SymbolId id, bool local) {
  const Symbol& symbol = module_.symbols[id];
  if (local) word("  ");
  word(directive_of(symbol.linkage));
  word(directive_of(symbol.space));
  if (symbol.const_bank != 0) out_ += "[" + std::to_string(symbol.const_bank) + "]";
  if (symbol.managed) word(" .attribute(.managed)");
  out_ += " .align " + std::to_string(symbol.alignment);
  if (symbol.vector > 1) out_ += " .v" + std::to_string(symbol.vector);
  out_ += " ." + std::string(spelling(symbol.type)) + " " + names_.symbol(id);
  shape(symbol);
  if (symbol.has_initializer) initializer(symbol);
  word(";\n");
}

void Printer::initializer_element(const Symbol& symbol, const Initializer& element) {
  if (element.symbol != kNone) {
    const bool masked = element.mask != ~0ull;
    if (masked) {
      word("0x");
      hex(element.mask, 16);
      word("(");
    }
    const std::string name = names_.symbol(element.symbol);
    out_ += element.generic ? "generic(" + name + ")" : name;
    if (element.value != 0) out_ += "+" + std::to_string(static_cast<int64_t>(element.value));
    if (masked) word(")");
    return;
  }
  if (symbol.type == ScalarType::F32) {
    word("0f");
    hex(element.value, 8);
  } else if (symbol.type == ScalarType::F64) {
    word("0d");
    hex(element.value, 16);
  } else if (symbol.type == ScalarType::F16) {
    char text[40];
    const std::to_chars_result end = std::to_chars(text, text + sizeof text, half_value(static_cast<uint16_t>(element.value)), std::chars_format::scientific);
    out_.append(text, end.ptr);
  } else {
    out_ += std::to_string(element.value);
    if (element.value > static_cast<uint64_t>(INT64_MAX)) word("U");
  }
}

// One brace per dimension; what follows the last element that is not zero is left out. As deep as the variable has dimensions.
void Printer::initializer_level(const Symbol& symbol, const std::vector<uint64_t>& shape, size_t level, uint64_t base, uint64_t stride, size_t& next) {
  if (level == shape.size()) {
    if (next < symbol.initializers.size() && symbol.initializers[next].offset == base) {
      initializer_element(symbol, symbol.initializers[next++]);
    } else {
      word(kind_of(symbol.type) == TypeKind::Float ? "0.0" : "0");
    }
    return;
  }
  word("{");
  const uint64_t part = stride / shape[level];
  for (uint64_t i = 0; i < shape[level] && next < symbol.initializers.size(); ++i) {
    if (i > 0) word(", ");
    initializer_level(symbol, shape, level + 1, base + i * part, part, next);
  }
  word("}");
}

void Printer::initializer(const Symbol& symbol) {
  word(" = ");
  std::vector<uint64_t> shape = symbol.dimensions;
  if (symbol.vector > 1) shape.push_back(symbol.vector);
  size_t next = 0;
  initializer_level(symbol, shape, 0, 0, symbol.size, next);
}

void Printer::parameter(const Symbol& symbol, std::string_view name) {
  word(directive_of(symbol.space));
  if (symbol.space != StateSpace::Reg && !symbol.is_pointer) out_ += " .align " + std::to_string(symbol.alignment);
  if (symbol.vector > 1) out_ += " .v" + std::to_string(symbol.vector);
  out_ += " ." + std::string(spelling(symbol.type));
  if (symbol.is_pointer) {
    word(" .ptr");
    if (symbol.pointer_space != StateSpace::None) (word(" "), word(directive_of(symbol.pointer_space)));
    if (symbol.pointer_alignment != 0) out_ += " .align " + std::to_string(symbol.pointer_alignment);
  }
  word(" ");
  word(name.empty() ? "_" : name);
  shape(symbol);
}

void Printer::parameters(const std::vector<SymbolId>& ids) {
  word("(");
  for (size_t i = 0; i < ids.size(); ++i) {
    if (i > 0) word(", ");
    parameter(module_.symbols[ids[i]], names_.symbol(ids[i]));
  }
  word(")");
}

void Printer::prototype_list(const std::vector<Symbol>& list) {
  word("(");
  for (size_t i = 0; i < list.size(); ++i) {
    if (i > 0) word(", ");
    parameter(list[i], module_.name(list[i].name));
  }
  word(")");
}

void Printer::triple(std::string_view directive, const uint32_t (&values)[3]) {
  if (values[0] == 0) return;
  word(directive);
  out_ += " " + std::to_string(values[0]) + ", " + std::to_string(values[1]) + ", " + std::to_string(values[2]);
}

void Printer::function_head(uint32_t index) {
  const Function& function = module_.functions[index];
  const Symbol& symbol = module_.symbols[function.symbol];
  word(directive_of(symbol.linkage));
  word(function.is_entry ? ".entry " : ".func ");
  if (!function.returns.empty()) {
    parameters(function.returns);
    word(" ");
  }
  out_ += names_.symbol(function.symbol);
  parameters(function.parameters);
  triple("\n.maxntid", function.max_threads);
  triple("\n.reqntid", function.required_threads);
  triple("\n.reqnctapercluster", function.cluster);
  if (function.min_blocks != 0) out_ += "\n.minnctapersm " + std::to_string(function.min_blocks);
  if (function.max_registers != 0) out_ += "\n.maxnreg " + std::to_string(function.max_registers);
  if (function.noreturn) word("\n.noreturn");
  for (const NameId pragma : function.pragmas) out_ += "\n.pragma \"" + std::string(module_.name(pragma)) + "\";";
}

void Printer::registers(const Function& function) {
  for (const PrintNames::Group& group : names_.groups()) {
    out_ += "  .reg ";
    if (group.vector > 1) out_ += ".v" + std::to_string(group.vector) + " ";
    out_ += "." + std::string(spelling(group.type)) + " " + group.name;
    if (group.count != 0) out_ += "<" + std::to_string(group.count) + ">";
    word(";\n");
  }
  for (const SymbolId id : function.locals) variable(id, true);
}

void Printer::table(const Function& function, uint32_t index) {
  const Table& table = function.tables[index];
  out_ += "  " + names_.table(index) + ": ";
  switch (table.kind) {
  case Table::Kind::CallPrototype:
    word(".callprototype ");
    if (!table.returns.empty()) prototype_list(table.returns);
    word(" _ ");
    prototype_list(table.parameters);
    if (table.noreturn) word(" .noreturn");
    break;
  case Table::Kind::CallTargets:
  case Table::Kind::BranchTargets:
    word(table.kind == Table::Kind::CallTargets ? ".calltargets " : ".branchtargets ");
    for (size_t i = 0; i < table.entries.size(); ++i) {
      if (i > 0) word(", ");
      out_ += table.kind == Table::Kind::CallTargets ? names_.symbol(table.entries[i]) : names_.label(table.entries[i]);
    }
    break;
  }
  word(";\n");
}

void Printer::component(const Operand& operand) {
  if (operand.component < 4) out_ += std::string(".") + "xyzw"[operand.component];
  if (operand.component != kSelector) return;
  out_ += '.';
  for (uint64_t rest = static_cast<uint64_t>(operand.value); rest != 0; rest >>= 8) out_ += static_cast<char>(rest & 0xff);
}

void Printer::elements(const Function& function, const Operand& list, char open, char close) {
  out_ += open;
  bool first = true;
  for (const Operand& element : module_.elements_of(list)) {
    if (!first) word(", ");
    first = false;
    if (list.kind == OperandKind::AddressList && &element == module_.elements_of(list).data()) { // its base stands bare
      const size_t at = out_.size();
      operand(function, element);
      out_.erase(at, 1);
      out_.pop_back();
    } else {
      operand(function, element);
    }
  }
  out_ += close;
}

void Printer::operand(const Function& function, const Operand& operand) {
  const auto offset = [&] {
    if (operand.value != 0) out_ += "+" + std::to_string(operand.value);
  };
  switch (operand.kind) {
  case OperandKind::None: break;
  case OperandKind::Register:
    if (operand.negated) word(function.registers[operand.index].type == ScalarType::Pred ? "!" : "-");
    out_ += names_.reg(operand.index);
    component(operand);
    break;
  case OperandKind::SpecialRegister:
    out_ += special_register(operand.index).spelling;
    component(operand);
    break;
  case OperandKind::Integer: number(operand.value); break;
  case OperandKind::Float32: word("0f"), hex(static_cast<uint64_t>(operand.value), 8); break;
  case OperandKind::Float64: word("0d"), hex(static_cast<uint64_t>(operand.value), 16); break;
  case OperandKind::Symbol: out_ += names_.symbol(operand.index), offset(); break;
  case OperandKind::AddressRegister:
    out_ += "[" + names_.reg(operand.index);
    component(operand);
    offset();
    word("]");
    break;
  case OperandKind::AddressSymbol: out_ += "[" + names_.symbol(operand.index), offset(), word("]"); break;
  case OperandKind::AddressAbsolute: out_ += "[" + std::to_string(operand.value) + "]"; break;
  case OperandKind::Vector: elements(function, operand, '{', '}'); break;
  case OperandKind::List: elements(function, operand, '(', ')'); break;
  case OperandKind::AddressList: elements(function, operand, '[', ']'); break;
  case OperandKind::Label: out_ += names_.label(operand.index); break;
  case OperandKind::Sink: word("_"); break;
  case OperandKind::WarpSize: word("WARP_SZ"); break;
  case OperandKind::Prototype: out_ += names_.table(operand.index); break;
  }
}

void Printer::position(std::span<const Operand> numbers) {
  for (const Operand& each : numbers) out_ += " " + std::to_string(each.value);
}

// The section's own name is the first of its labels.
void Printer::debug_strings() {
  if (module_.debug_labels.empty()) return;
  word(".section .debug_str\n{\n");
  size_t label = 0;
  for (size_t at = 0; at <= module_.debug_strings.size(); ++at) {
    for (; label < module_.debug_labels.size() && module_.debug_labels[label].offset == at; ++label)
      if (const std::string_view name = module_.name(module_.debug_labels[label].name); name[0] != '.') out_ += std::string(name) + ":\n";
    if (at < module_.debug_strings.size()) out_ += ".b8 " + std::to_string(static_cast<uint8_t>(module_.debug_strings[at])) + "\n";
  }
  word("}\n");
}

void Printer::instruction(const Function& function, const Instruction& instruction) {
  const std::span<const Operand> operands = module_.operands_of(instruction);
  if (instruction.op == Op::kLabel) {
    out_ += names_.label(operands[0].index) + ":\n";
    return;
  }
  word("  ");
  if (instruction.op == Op::kLoc) {
    word(".loc");
    position(operands.first(3));
    if (operands.size() > 3) {
      out_ += ", function_name " + std::string(module_.name(operands[3].index)) + "+" + std::to_string(operands[3].value) + ", inlined_at";
      position(operands.subspan(4));
    }
    word("\n");
    return;
  }
  if (instruction.guard != kNone) out_ += std::string("@") + (instruction.guard_negated ? "!" : "") + names_.reg(instruction.guard) + " ";
  word(spelling(instruction.op));
  for (const Mod modifier : module_.modifiers_of(instruction)) (out_ += '.', word(spelling(modifier)));
  std::string_view separator = " ";
  for (const Operand& each : operands) {
    word(separator);
    operand(function, each);
    separator = each.paired ? "|" : ", ";
  }
  word(";\n");
}

void Printer::function_body(uint32_t index) {
  const Function& function = module_.functions[index];
  word("\n{\n");
  registers(function);
  for (uint32_t i = 0; i < function.tables.size(); ++i) table(function, i);
  for (const Instruction& each : function.body) instruction(function, each);
  word("}\n");
}

} // namespace

std::string print(const Module& module) { return Printer(module).print(); }

} // namespace ptxshim::ptx
