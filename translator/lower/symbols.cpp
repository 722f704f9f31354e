// SPDX-License-Identifier: MIT
// What a linker does with symbol tables, done on checked modules, where messages can still name lines. It accepts and refuses as
// nvlink 13.0 does (tests/translator/link_test.cpp has the pairs), with three differences:
//   - what nobody defines costs the kernels that reach it, not the program;
//   - two kernels of one name are refused although neither is .visible: nobody could say which one is to be launched;
//   - .common beside .weak is accepted (nvlink crashes): the initialised definition stays.
//
//   rank of a definition    beside an equal one         beside a higher one
//   strong                  an error
//   .weak                   the first one stays         becomes a declaration
//   .common                 the largest size, the       becomes a declaration, may not be larger
//                           strictest alignment
//
// Declarations that no code uses are not looked at: headers declare much.
#include "lower/symbols.h"

#include <algorithm>
#include <map>

#include "syntax/parse.h"

namespace ptxshim::ptx {

namespace {

constexpr size_t kMostErrors = 20;

enum class Rank : uint8_t { Declaration, Common, Weak, Strong };

struct Entry {
  Module* module;
  SymbolId id;
  Rank rank;
  Symbol& symbol() const { return module->symbols[id]; }
  Function& function() const { return module->functions[symbol().function]; }
  bool is_function() const { return symbol().kind != SymbolKind::Variable; }
  std::string place() const {
    const Location at = module->location(symbol().offset);
    return module->file_name + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
  }
};

// Calls `use` with each symbol that the code and the initialisers of a module name, and where.
template <class Use> void for_each_use(const Module& module, Use use) {
  for (const Function& function : module.functions) {
    if (!function.has_body) continue;
    for (const Instruction& each : function.body) {
      for (const Operand& operand : module.operands_of(each)) {
        if (operand.kind == OperandKind::Symbol || operand.kind == OperandKind::AddressSymbol)
          use(operand.index, each.offset, function.symbol);
        if (operand.kind != OperandKind::Vector && operand.kind != OperandKind::AddressList) continue;
        for (const Operand& element : module.elements_of(operand))
          if (element.kind == OperandKind::Symbol || element.kind == OperandKind::AddressSymbol)
            use(element.index, each.offset, function.symbol);
      }
    }
    for (const Table& table : function.tables)
      if (table.kind == Table::Kind::CallTargets)
        for (const SymbolId id : table.entries)
          use(id, function.offset, function.symbol);
  }
  for (SymbolId id = 0; id < module.symbols.size(); ++id)
    for (const Initializer& each : module.symbols[id].initializers)
      if (each.symbol != kNone) use(each.symbol, module.symbols[id].offset, id);
}

Rank rank_of(const Module& module, const Symbol& symbol) {
  if (symbol.kind == SymbolKind::Function && !module.functions[symbol.function].has_body) return Rank::Declaration;
  switch (symbol.linkage) {
  case Linkage::Extern:
    return Rank::Declaration;
  case Linkage::Common:
    return Rank::Common;
  case Linkage::Weak:
    return Rank::Weak;
  case Linkage::Visible:
  case Linkage::Internal: // a kernel: those have a name outside in any case
    return Rank::Strong;
  }
  return Rank::Declaration;
}

bool is_external(const Module& module, const Symbol& symbol) {
  if (symbol.kind == SymbolKind::Parameter) return false;
  if (symbol.kind == SymbolKind::Variable && symbol.function != kNone) return false; // of a body
  const bool dynamic_shared = symbol.space == StateSpace::Shared && symbol.unsized;
  const bool kernel = symbol.kind == SymbolKind::Function && module.functions[symbol.function].is_entry;
  return !dynamic_shared && (symbol.linkage != Linkage::Internal || kernel);
}

bool same_shape(const Symbol& a, const Symbol& b) {
  const bool arrays = !a.dimensions.empty() || !b.dimensions.empty();
  if (a.size != b.size || a.dimensions.empty() != b.dimensions.empty() || a.unsized != b.unsized || a.vector != b.vector) return false;
  return arrays ? bits_of(a.type) == bits_of(b.type) : (kind_of(a.type) == TypeKind::Float) == (kind_of(b.type) == TypeKind::Float);
}

// How a declaration reads: "(.param .b64, .param .b8[16])".
std::string shape_text(const Module& module, const std::vector<SymbolId>& ids) {
  std::string text;
  for (const SymbolId id : ids) {
    const Symbol& each = module.symbols[id];
    text += (text.empty() ? "." : ", .") + std::string(spelling(each.type));
    if (!each.dimensions.empty()) text += "[" + (each.unsized ? std::string() : std::to_string(each.size / std::max(1u, bits_of(each.type) / 8))) + "]";
  }
  return "(" + text + ")";
}

std::string prototype(const Entry& entry) {
  return shape_text(*entry.module, entry.function().returns) + " " + shape_text(*entry.module, entry.function().parameters);
}

bool same_shapes(const Entry& a, const std::vector<SymbolId>& left, const Entry& b, const std::vector<SymbolId>& right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(), [&](SymbolId x, SymbolId y) {
    return same_shape(a.module->symbols[x], b.module->symbols[y]);
  });
}

std::string space_name(const Entry& entry) {
  if (entry.is_function()) return entry.function().is_entry ? "a kernel" : "a function";
  const Symbol& symbol = entry.symbol();
  const bool opaque = symbol.type == ScalarType::TexRef || symbol.type == ScalarType::SamplerRef || symbol.type == ScalarType::SurfRef;
  if (opaque) return "a ." + std::string(spelling(symbol.type));
  std::string space = symbol.space == StateSpace::Const ? ".const" : symbol.space == StateSpace::Shared ? ".shared" : ".global";
  return std::string(symbol.managed ? "a managed " : "a ") + space + " variable";
}

class Resolver {
public:
  explicit Resolver(std::vector<Module>& modules) {
    for (Module& module : modules) {
      std::vector<bool> used(module.symbols.size(), false);
      for_each_use(module, [&](SymbolId id, Offset, SymbolId) { used[id] = true; });
      for (SymbolId id = 0; id < module.symbols.size(); ++id) {
        const Symbol& symbol = module.symbols[id];
        if (!is_external(module, symbol)) continue;
        const Rank rank = rank_of(module, symbol);
        if (rank != Rank::Declaration || used[id]) names_[module.name(symbol.name)].push_back({&module, id, rank});
      }
    }
  }

  Result<void> run() {
    for (auto& [name, entries] : names_) {
      if (entries.size() < 2) continue;
      Entry& chosen = *std::max_element(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.rank < b.rank; });
      for (Entry& each : entries)
        if (&each != &chosen && fits(name, each, chosen)) join(each, chosen);
      if (errors_ >= kMostErrors) break;
    }
    if (errors_) return Error{CUDA_ERROR_INVALID_PTX, text_};
    return {};
  }

private:
  bool fail(const Entry& at, const std::string& message) {
    if (errors_++) text_ += '\n';
    Diagnostic diagnostic;
    diagnostic.offset = at.symbol().offset;
    diagnostic.message = message;
    text_ += format(*at.module, diagnostic);
    return false;
  }

  bool fits(std::string_view name, const Entry& one, const Entry& chosen) {
    const std::string quoted = "'" + std::string(name) + "'";
    const std::string what = space_name(one), other = space_name(chosen);
    if (what != other) return fail(one, quoted + " is " + what + " here and " + other + " at " + chosen.place());
    if (one.rank == Rank::Strong && chosen.rank == Rank::Strong) return fail(one, quoted + " is defined twice, first at " + chosen.place());
    if (one.is_function()) {
      const Function& a = one.function();
      const Function& b = chosen.function();
      if (same_shapes(one, a.parameters, chosen, b.parameters) && same_shapes(one, a.returns, chosen, b.returns)) return true;
      return fail(one, "function " + quoted + " has results and parameters " + prototype(one) + " here and " + prototype(chosen) + " at " + chosen.place());
    }
    const Symbol& a = one.symbol();
    const Symbol& b = chosen.symbol();
    const bool merges = chosen.rank == Rank::Common && one.rank == Rank::Common;
    const bool smaller = one.rank == Rank::Common || chosen.rank == Rank::Common ? a.size <= b.size : a.size == b.size;
    if (a.unsized || b.unsized || merges || smaller) return true;
    return fail(one, quoted + " has " + std::to_string(a.size) + " bytes here and " + std::to_string(b.size) + " at " + chosen.place());
  }

  // Makes a declaration of it.
  static void join(Entry& one, Entry& chosen) {
    Symbol& symbol = one.symbol();
    if (one.is_function()) {
      if (one.rank == Rank::Declaration) return;
      symbol.kind = SymbolKind::Function; // no alias any more
      symbol.aliasee = kNone;
      Function& function = one.function();
      function.has_body = false;
      function.body.clear();
      function.tables.clear();
      function.locals.clear();
    } else {
      Symbol& kept = chosen.symbol();
      kept.alignment = std::max(kept.alignment, symbol.alignment);
      if (one.rank == Rank::Common) kept.size = std::max(kept.size, symbol.size);
      symbol.initializers.clear();
      symbol.has_initializer = false;
      symbol.is_joined = chosen.rank != Rank::Declaration;
    }
    symbol.linkage = Linkage::Extern;
  }

  std::map<std::string_view, std::vector<Entry>> names_;
  std::string text_;
  size_t errors_ = 0;
};

} // namespace

Result<void> resolve_symbols(std::vector<Module>& modules) { return Resolver(modules).run(); }

Uses first_uses(std::span<const Module> modules) {
  Uses uses;
  for (const Module& module : modules)
    for_each_use(module, [&](SymbolId id, Offset offset, SymbolId user) {
      const Symbol& symbol = module.symbols[id];
      if (symbol.kind != SymbolKind::Parameter && rank_of(module, symbol) == Rank::Declaration)
        uses.try_emplace(module.name_of(id), Use{&module, id, user, offset});
    });
  return uses;
}

std::string undefined_symbol(const Use& use) {
  const bool variable = use.module->symbols[use.symbol].kind == SymbolKind::Variable;
  Diagnostic diagnostic;
  diagnostic.offset = use.offset;
  diagnostic.message = std::string("undefined ") + (variable ? "variable '" : "function '") + std::string(use.module->name_of(use.symbol)) +
                       "', used in '" + std::string(use.module->name_of(use.user)) + "'";
  return format(*use.module, diagnostic);
}

} // namespace ptxshim::ptx
