// SPDX-License-Identifier: MIT
// Module scope: the three opening directives, linkage, aliases, pragmas, files and debug sections.
// Of the contents of .section, .debug_str is kept: .loc names inlined functions by it. The rest is DWARF about NVIDIA's registers and
// frames; it is checked for form and then dropped.
#include <algorithm>

#include "syntax/forms.h"
#include "syntax/parser.h"

namespace ptxshim::ptx {
namespace {

struct Target {
  std::string_view name;
  uint16_t ptx; // first .version that has it
};
// clang-format off
constexpr Target kTargets[] = {
    {"sm_10", 10}, {"sm_11", 10}, {"sm_12", 12}, {"sm_13", 12}, {"sm_20", 20}, {"sm_21", 20},
    {"sm_30", 30}, {"sm_32", 40}, {"sm_35", 31}, {"sm_37", 41}, {"sm_50", 40}, {"sm_52", 41},
    {"sm_53", 42}, {"sm_60", 50}, {"sm_61", 50}, {"sm_62", 50}, {"sm_70", 60}, {"sm_72", 61},
    {"sm_75", 63}, {"sm_80", 70}, {"sm_86", 71}, {"sm_87", 74}, {"sm_88", 73}, {"sm_89", 78},
    {"sm_90", 78}, {"sm_90a", 80}, {"sm_100", 86}, {"sm_100f", 88}, {"sm_100a", 86}, {"sm_101", 86},
    {"sm_101f", 88}, {"sm_101a", 86}, {"sm_103", 88}, {"sm_103f", 88}, {"sm_103a", 88}, {"sm_110", 90},
    {"sm_110f", 90}, {"sm_110a", 90}, {"sm_120", 87}, {"sm_120f", 88}, {"sm_120a", 87}, {"sm_121", 88},
    {"sm_121f", 88}, {"sm_121a", 88}, {"sm_107", 94}, {"sm_107f", 94}, {"sm_107a", 94},
};
// clang-format on

} // namespace

uint16_t version_of_target(std::string_view name) {
  const auto* const target = std::find_if(std::begin(kTargets), std::end(kTargets), [&](const Target& each) { return each.name == name; });
  return target == std::end(kTargets) ? uint16_t{0} : target->ptx;
}

void Parser::parse() {
  advance();
  if (!at_directive(Directive::version)) {
    fail(token_.begin, "a PTX module opens with .version, found " + describe(token_));
    return;
  }
  if (!parse_version()) return;
  if (!at_directive(Directive::target)) {
    fail(token_.begin, ".target is expected behind .version, found " + describe(token_));
    return;
  }
  if (!parse_target()) return;
  module_.address_size = 32;
  if (at_directive(Directive::address_size) && !parse_address_size()) return;
  while (!at(Tok::End) && !stopped()) {
    if (parse_module_statement()) continue;
    recover_statement();
    // What is left of a body whose header was wrong.
    unsigned depth = 0;
    while (at(Tok::LeftBrace) || (depth > 0 && !at(Tok::End))) {
      if (at(Tok::LeftBrace)) ++depth;
      if (at(Tok::RightBrace)) --depth;
      advance();
    }
    if (accept(Tok::RightBrace)) accept(Tok::Semicolon); // of an initialiser
  }
}

bool Parser::parse_version() {
  const std::string_view digits = "0123456789.";
  advance();
  const Offset offset = token_.begin;
  const std::string_view text = module_.text.substr(offset, token_.end - offset);
  const size_t dot = text.find('.');
  const bool form = at(Tok::Float64) && text.find_first_not_of(digits) == std::string_view::npos && dot != std::string_view::npos &&
                    dot >= 1 && dot <= 2 && text.size() == dot + 2;
  if (!form) return fail(offset, "a version number like 8.5 is expected");
  const uint32_t major = static_cast<uint32_t>(dot == 1 ? text[0] - '0' : (text[0] - '0') * 10 + (text[1] - '0'));
  module_.version = major * 10 + static_cast<uint32_t>(text[dot + 1] - '0');
  if (module_.version < 10) return fail(offset, "there is no PTX version " + std::string(text));
  advance();
  return true;
}

bool Parser::parse_target_name(std::string_view name, Offset offset) {
  const uint16_t version = version_of_target(name);
  if (version == 0) {
    std::vector<std::string_view> names;
    for (const Target& each : kTargets) names.push_back(each.name);
    const WordTable table(names.data(), names.size());
    return fail_unknown(offset, "unknown target '" + std::string(name.substr(0, 40)) + "'" + did_you_mean(table.nearest(name)));
  }
  if (module_.version < version) {
    return fail(offset, "target " + std::string(name) + " needs PTX version " + version_text(version) + ", the module is of version " +
                            version_text(module_.version));
  }
  name.remove_prefix(3);
  module_.sm = 0;
  module_.sm_suffix = 0;
  for (const char c : name) {
    if (c >= '0' && c <= '9') module_.sm = module_.sm * 10 + static_cast<uint32_t>(c - '0');
    else module_.sm_suffix = c;
  }
  return true;
}

bool Parser::parse_target() {
  bool mode = false;
  do {
    advance();
    const std::string_view name = token_.text;
    const Offset offset = token_.begin;
    if (!at(Tok::Identifier)) return fail_token("a target");
    if (module_.sm == 0) {
      if (!parse_target_name(name, offset)) return false;
    } else if (name == "debug") {
      module_.debug = true;
    } else if (name == "texmode_independent" || name == "texmode_unified") {
      if (mode) return fail(offset, "a second texture mode");
      mode = true;
      module_.texmode_independent = name == "texmode_independent";
    } else if (name == "map_f64_to_f32") {
      if (module_.sm >= 13) return fail(offset, "map_f64_to_f32 is for targets without f64, below sm_13");
      module_.map_f64_to_f32 = true;
    } else {
      return fail_unknown(offset, "unknown option '" + std::string(name.substr(0, 40)) + "' of .target");
    }
    advance();
  } while (at(Tok::Comma));
  return true;
}

bool Parser::parse_address_size() {
  if (!allowed(Directive::address_size)) return false;
  advance();
  const Offset offset = token_.begin;
  uint32_t size = 0;
  if (!parse_count(size, "an address size")) return false;
  if (size != 32 && size != 64) return fail(offset, "the address size is 32 or 64");
  module_.address_size = size;
  return true;
}

bool Parser::parse_module_statement() {
  if (at(Tok::AtAt)) { // @@DWARF, the debug data of PTX 1.x
    lexer_.skip_line();
    advance();
    return true;
  }
  if (!at(Tok::DotWord)) return fail_token("a directive");
  Linkage linkage = Linkage::Internal;
  managed_ = false;
  if (at_directive(Directive::attribute) && !parse_attribute(&managed_)) return false;
  return parse_linkage(linkage) && parse_module_directive(linkage);
}

bool Parser::parse_linkage(Linkage& linkage) {
  for (; at(Tok::DotWord); advance()) {
    const Directive word = find_directive(token_.text);
    Linkage next = Linkage::Internal;
    if (word == Directive::extern_) next = Linkage::Extern;
    else if (word == Directive::visible) next = Linkage::Visible;
    else if (word == Directive::weak) next = Linkage::Weak;
    else if (word == Directive::common) next = Linkage::Common;
    else return true;
    if (!allowed(word)) return false;
    if (linkage != Linkage::Internal) return fail(token_.begin, "a second linkage directive " + describe(token_));
    linkage = next;
  }
  return fail_token("a declaration");
}

bool Parser::parse_module_directive(Linkage linkage) {
  const Offset offset = token_.begin;
  const Directive word = find_directive(token_.text);
  const auto plain = [&] {
    if (linkage != Linkage::Internal) return fail(offset, "a linkage directive before " + describe(token_));
    return true;
  };
  if (!allowed(word)) return false;
  switch (word) {
  case Directive::entry: advance(); return parse_function(linkage, true);
  case Directive::func: advance(); return parse_function(linkage, false);
  case Directive::global:
  case Directive::const_:
  case Directive::shared:
  case Directive::local:
  case Directive::tex: return parse_variables(linkage);
  case Directive::reg:
  case Directive::param: return fail(offset, describe(token_) + " variables live in functions, not at module scope");
  case Directive::alias: return plain() && parse_alias();
  case Directive::pragma: return plain() && parse_pragma(nullptr);
  case Directive::file: return plain() && parse_file();
  case Directive::section: return plain() && parse_section();
  case Directive::target: return fail(offset, "a second .target");
  case Directive::address_size: return fail(offset, ".address_size stands directly behind .target");
  case Directive::version: return fail(offset, "a second .version");
  case Directive::extern_:
  case Directive::visible:
  case Directive::weak:
  case Directive::common:
  case Directive::align:
  case Directive::attribute:
  case Directive::managed:
  case Directive::unified:
  case Directive::branchtargets:
  case Directive::calltargets:
  case Directive::callprototype:
  case Directive::maxnreg:
  case Directive::maxntid:
  case Directive::reqntid:
  case Directive::minnctapersm:
  case Directive::maxnctapersm:
  case Directive::reqnctapercluster:
  case Directive::explicitcluster:
  case Directive::maxclusterrank:
  case Directive::blocksareclusters:
  case Directive::noreturn:
  case Directive::abi_preserve:
  case Directive::abi_preserve_control:
  case Directive::minperctamemory:
  case Directive::language:
  case Directive::loc:
  case Directive::loc_intermediate:
  case Directive::ptr:
  case Directive::v2:
  case Directive::v4: return fail(offset, describe(token_) + " has no meaning at module scope");
  case Directive::Unknown: break;
  }
  return fail_unknown(offset, "unknown directive " + describe(token_) + did_you_mean(directive_words().nearest(token_.text), "."));
}

// .alias name, function;
bool Parser::parse_alias() {
  advance();
  NameId name = kNone;
  NameId target = kNone;
  Offset offset = 0;
  Offset target_offset = 0;
  if (!parse_name("the alias", name, offset) || !expect(Tok::Comma)) return false;
  if (!parse_name("the function that it stands for", target, target_offset) || !expect(Tok::Semicolon)) return false;
  const Binding* alias = scopes_.find(name);
  const Binding* aliasee = scopes_.find(target);
  const auto is_function = [&](const Binding* b) { return b && module_.symbols[b->index].kind == SymbolKind::Function; };
  if (!is_function(aliasee)) return fail(target_offset, "'" + std::string(module_.name(target)) + "' is not a function");
  if (!is_function(alias)) return fail(offset, "'" + std::string(module_.name(name)) + "' is not declared as a function");
  if (alias->index == aliasee->index) return fail(offset, "an alias of itself");
  const Function& body = module_.functions[module_.symbols[aliasee->index].function];
  if (body.is_entry) return fail(target_offset, "an alias must stand for a function, not for a kernel");
  Symbol& symbol = module_.symbols[alias->index];
  const Function& declared = module_.functions[symbol.function];
  if (declared.parameters.size() != body.parameters.size() || declared.returns.size() != body.returns.size()) {
    return fail(offset, "'" + std::string(module_.name(name)) + "' and '" + std::string(module_.name(target)) + "' differ in parameters or results");
  }
  if (module_.functions[symbol.function].has_body) return fail(offset, "'" + std::string(module_.name(name)) + "' has a body of its own");
  symbol.kind = SymbolKind::Alias;
  symbol.aliasee = aliasee->index;
  return true;
}

bool Parser::parse_pragma(std::vector<NameId>* pragmas) {
  do {
    advance();
    std::string_view text;
    if (!parse_string(text)) return false;
    if (pragmas) pragmas->push_back(intern(text));
  } while (at(Tok::Comma));
  return expect(Tok::Semicolon);
}

// .file 1 "name" {, timestamp, size}
bool Parser::parse_file() {
  advance();
  SourceFile file;
  std::string_view path;
  const Offset offset = token_.begin;
  uint64_t ignored = 0;
  if (!parse_count(file.index, "a file number") || !parse_string(path)) return false;
  if (accept(Tok::Comma) && (!parse_integer(ignored, "a timestamp") || !expect(Tok::Comma) || !parse_integer(ignored, "a file size"))) {
    return false;
  }
  file.path = path;
  for (const SourceFile& before : module_.files)
    if (before.index == file.index) return fail(offset, "a second file of number " + std::to_string(file.index));
  module_.files.push_back(std::move(file));
  return true;
}

bool Parser::parse_section() {
  const Offset offset = token_.begin;
  advance();
  if (!at(Tok::DotWord)) return fail_token("the name of a section");
  const bool strings = at(Tok::DotWord) && token_.text == "debug_str";
  if (strings) module_.debug_labels.push_back({intern(source_text(token_)), static_cast<uint32_t>(module_.debug_strings.size())});
  advance();
  if (!expect(Tok::LeftBrace)) return false;
  while (!at(Tok::RightBrace)) {
    if (at(Tok::End)) return fail(offset, "a section that is never closed");
    if (!parse_section_item(strings)) return false;
  }
  advance();
  return true;
}

// label:   or   .b8 1, label, label+4, label-label
bool Parser::parse_section_item(bool strings) {
  if (at(Tok::Identifier)) {
    if (strings) module_.debug_labels.push_back({intern(token_.text), static_cast<uint32_t>(module_.debug_strings.size())});
    advance();
    return expect(Tok::Colon);
  }
  if (!at(Tok::DotWord)) return fail_token("debug data");
  const ScalarType type = find_type(token_.text);
  if (kind_of(type) != TypeKind::Untyped) return fail(token_.begin, "debug data is .b8, .b16, .b32 or .b64, not " + describe(token_));
  do {
    advance();
    if (strings)
      for (unsigned bit = 0; bit < bits_of(type); bit += 8) module_.debug_strings += static_cast<char>(at(Tok::Integer) ? token_.value >> bit : 0);
    for (bool more = true; more;) {
      if (at(Tok::Minus) || at(Tok::Plus)) advance();
      if (!at(Tok::Integer) && !at(Tok::Identifier) && !at(Tok::DotWord)) return fail_token("a number or a label");
      advance();
      more = at(Tok::Plus) || at(Tok::Minus);
    }
  } while (at(Tok::Comma));
  return true;
}

} // namespace ptxshim::ptx
