// SPDX-License-Identifier: MIT
// The parser: one pass, one token of look-ahead, names resolved on the way.
//
// Every parse_… function returns false after it has reported an error; the statement loop then skips to the next ';' or '}' and
// goes on. References to labels (which may stand further down) wait in pending_ until their scope ends.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "syntax/check.h"
#include "syntax/expression.h"
#include "syntax/keywords.h"
#include "syntax/lexer.h"
#include "syntax/parse.h"
#include "syntax/scopes.h"

namespace ptxshim::ptx {

class Parser {
public:
  static constexpr size_t kMostErrors = 20;
  static constexpr unsigned kNewestVersion = 94; // PTX ISA 9.4

  Parser(Module& module, std::vector<Diagnostic>& diagnostics);
  void parse();

private:
  // What stands before the name of a variable, parameter or register.
  struct Declaration {
    StateSpace space = StateSpace::None;
    Linkage linkage = Linkage::Internal;
    ScalarType type = ScalarType::None;
    uint8_t vector = 1;
    bool managed = false;
    uint8_t const_bank = 0;
    uint32_t alignment = 0; // 0: natural
    bool is_pointer = false;
    StateSpace pointer_space = StateSpace::None;
    uint32_t pointer_alignment = 0;
  };
  struct Pending { // a reference to a label or table that is not known yet
    enum class Place : uint8_t { Operand, TableEntry } place = Place::Operand;
    NameId name = kNone;
    uint32_t index = 0; // operand, or table
    uint32_t entry = 0;
    Offset offset = 0;
  };
  struct Header { // of a function, before it is known whether a body follows
    Function function;
    Linkage linkage = Linkage::Internal;
    NameId name = kNone;
    Offset offset = 0;
    std::vector<Symbol> returns;
    std::vector<Symbol> parameters;
    bool ranked = false; // .maxclusterrank
  };
  struct Scope {
    size_t first_pending = 0;
    Offset offset = 0;
  };

  // Messages (parser.cpp)
  bool fail(Offset offset, std::string message);
  bool fail_unknown(Offset offset, std::string message); // something a newer PTX version may have
  bool fail_token(std::string_view expected);
  void warn(Offset offset, std::string message);
  bool stopped() const { return errors_ >= kMostErrors; }
  void recover_statement();
  bool at_vector() const;
  std::string place(Offset offset); // file:line:column
  void not_supported(Offset offset, std::string what); // fails the function, not the module

  // Tokens (parser.cpp)
  void advance() { lexer_.next(token_); }
  bool at(Tok kind) const { return token_.kind == kind; }
  bool at_directive(Directive directive) const { return at(Tok::DotWord) && find_directive(token_.text) == directive; }
  bool allowed(Directive directive); // by version and target
  bool accept(Tok kind) {
    if (token_.kind != kind) return false;
    advance();
    return true;
  }
  bool expect(Tok kind) { return accept(kind) || fail_token(spelling(kind)); }
  bool parse_integer(uint64_t& value, std::string_view what);
  bool parse_count(uint32_t& value, std::string_view what);
  bool parse_string(std::string_view& text);
  bool parse_name(std::string_view what, NameId& name, Offset& offset);
  NameId intern(std::string_view text) { return names_.intern(text); }
  std::string_view source_text(const Token& token) const { return module_.text.substr(token.begin, token.end - token.begin); }

  // Constant expressions (parser.cpp)
  bool parse_constant(Constant& value, unsigned lowest = 0, unsigned nesting = 0);
  bool parse_primary(Constant& value, unsigned nesting);
  bool parse_cast(Constant& value, unsigned nesting);
  bool parse_constant_integer(int64_t& value);

  // Module scope (parser_module.cpp)
  bool parse_version();
  bool parse_target();
  bool parse_target_name(std::string_view name, Offset offset);
  bool parse_address_size();
  bool parse_module_statement();
  bool parse_linkage(Linkage& linkage);
  bool parse_module_directive(Linkage linkage);
  bool parse_alias();
  bool parse_pragma(std::vector<NameId>* pragmas);
  bool parse_file();
  bool parse_section();
  bool parse_section_item(bool strings);
  void check_header(Offset offset);

  // Declarations (parser_declarations.cpp)
  bool parse_variables(Linkage linkage);
  bool parse_declaration_head(Declaration& head);
  bool parse_declaration_word(Declaration& head, bool& done);
  bool parse_const_bank(Declaration& head);
  bool parse_alignment(uint32_t& alignment);
  bool parse_attribute(bool* managed);
  bool parse_pointer(Declaration& head);
  bool parse_variable(const Declaration& head);
  bool parse_dimensions(Symbol& symbol);
  bool parse_repetition(uint32_t& count, bool& repeated);
  bool declare_repeated(const Symbol& symbol, uint32_t count);
  bool finish_size(Symbol& symbol, Offset offset);
  bool check_variable(const Symbol& symbol);
  bool declare_variable(Symbol&& symbol);
  bool redeclare_variable(SymbolId id, Symbol&& symbol);
  bool parse_registers();
  bool parse_register(ScalarType type, uint8_t vector);
  bool parse_parameter(Symbol& symbol, bool in_prototype);

  // Initialisers (parser_initializers.cpp)
  bool parse_initializer(Symbol& symbol);
  bool parse_initializer_list(Symbol& symbol, const std::vector<uint64_t>& shape);
  bool parse_initializer_value(Symbol& symbol, uint64_t offset);
  bool parse_initializer_symbol(Symbol& symbol, Initializer& element);
  bool parse_initializer_mask(Symbol& symbol, Initializer& element, uint64_t mask);
  bool parse_opaque_initializer(Symbol& symbol);

  // Functions (parser_functions.cpp)
  bool parse_function(Linkage linkage, bool is_entry);
  bool parse_function_header(Header& header);
  bool parse_parameter_list(std::vector<Symbol>& parameters, bool in_prototype);
  bool parse_function_attributes(Header& header);
  bool parse_function_attribute(Header& header, Directive directive, bool& known);
  bool check_function_header(const Header& header);
  bool check_function_attributes(const Header& header);
  bool parse_triple(uint32_t (&values)[3]);
  bool declare_function(Header& header, bool has_body);
  bool redeclare_function(Header& header, SymbolId id, bool has_body);
  bool compatible(const std::vector<SymbolId>& before, const std::vector<Symbol>& now) const;
  bool add_parameters(std::vector<Symbol>& list, std::vector<SymbolId>& ids);
  bool parse_body();
  void finish_function();
  bool parse_statement();
  bool parse_label_statement();
  bool parse_body_directive();
  bool parse_table(NameId name, Offset offset);
  bool parse_table_entries(uint32_t table, bool functions);
  bool parse_prototype(Table& table);
  bool parse_loc();
  bool parse_position();
  void open_scope();
  void close_scope();

  // Instructions (parser_instructions.cpp)
  bool parse_instruction();
  bool parse_modifiers(Instruction& instruction);
  bool parse_guard(Instruction& instruction);
  bool parse_operands(Instruction& instruction);
  bool parse_operand(Operand& operand, unsigned nesting);
  bool parse_list(Operand& operand, OperandKind kind, Tok close, unsigned nesting);
  bool parse_constant_operand(Operand& operand);
  bool parse_address(Operand& operand, unsigned nesting);
  bool parse_address_base(Operand& operand);
  bool parse_offset(Operand& operand);
  bool parse_index(Operand& operand);
  bool index_by_register(Operand& operand, const Operand& index, int64_t stride);
  void add_instruction(Op op, std::initializer_list<Mod> modifiers, std::initializer_list<Operand> operands);
  void spread_special(Operand& operand);
  void take_elements(Operand& operand, size_t mark);
  bool parse_name_operand(Operand& operand);
  bool parse_negated_operand(Operand& operand);
  bool parse_component(Operand& operand);
  bool resolve(std::string_view text, Operand& operand);
  bool resolve_range(std::string_view text, size_t stem, Operand& operand);
  bool resolve_bound(NameId name, const Binding& binding, Operand& operand);
  bool resolve_unbound(std::string_view text, Operand& operand);
  uint32_t register_of(RegisterRange& range, uint32_t number);
  std::string near_name(std::string_view text) const;
  std::string near_label(std::string_view text);
  void finish_instruction(Instruction& instruction);

  // Names (parser.cpp)
  bool bind_new(NameId name, Meaning meaning, uint32_t index, Offset offset);
  void note_exact(NameId name);
  bool in_range(std::string_view text) const;
  Function& function() { return module_.functions[function_]; }

  Module& module_;
  std::vector<Diagnostic>& diagnostics_;
  Lexer lexer_;
  Token token_;
  Names names_;
  Scopes scopes_;
  Checker checker_;
  size_t errors_ = 0;
  size_t errors_before_ = 0; // errors when the current function began

  bool managed_ = false;      // .attribute(.managed) stood before the state space
  uint32_t line_ = 1;         // of line_offset_, which only moves on
  Offset line_offset_ = 0;
  Offset line_start_ = 0;
  uint32_t function_ = kNone; // the one whose body is open
  std::vector<Scope> open_;   // scopes of that body
  std::vector<Pending> pending_;
  std::vector<RegisterRange> ranges_;
  size_t dense_budget_ = 0; // entries of RegisterRange::dense that may still be made
  std::vector<bool> exact_with_digits_; // by prefix: `x` when a plain name x1 exists
  bool digit_prefix_ = false;           // a range whose prefix ends in a digit exists
  std::vector<Operand> stack_;          // operands of the statement that is being read
  bool has_pending_ = false;            // among them are labels that are not known yet
  std::vector<uint32_t> calls_;         // calls of this body, checked at its end
  Op op_ = Op::kInvalid;                // of the instruction being read
  bool takes_labels_ = false;           // it may name labels
  bool spreads_ = false;                // a special register with components stands for all of them
};

} // namespace ptxshim::ptx
