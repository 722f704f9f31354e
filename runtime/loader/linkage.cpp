// SPDX-License-Identifier: MIT
// Programs made with -rdc=true carry libcudadevrt as one of their modules: 780 KB of PTX, for the newest
// architecture alone, that serves launches from device code. Hardly any program uses it, and translating it
// would cost each of them seconds and perhaps an error. So it is left out unless another module declares one
// of its functions as .extern.
//
// To see that, no parser is needed: only the names in module-scope declarations. The scan below skips
// comments, strings and everything in braces, and reads the head of each statement up to its ';' or '{'.
#include "linkage.h"

#include <algorithm>
#include <cctype>
#include <unordered_set>

namespace ptxshim {
namespace loader {

namespace {

bool name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%' || c == '.';
}

// Tokens of a PTX text: words (with a leading dot for directives) and single other characters. Empty at the
// end.
class Scanner {
public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::string_view next() {
    skip_blank();
    if (at_ >= text_.size()) return {};
    const size_t begin = at_;
    if (text_[at_] == '"') {
      const size_t end = text_.find('"', at_ + 1);
      at_ = end == std::string_view::npos ? text_.size() : end + 1;
    } else if (name_character(text_[at_])) {
      while (at_ < text_.size() && name_character(text_[at_]))
        ++at_;
    } else {
      ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }

  // Past the '}' that closes the '{' just read.
  void skip_block() {
    for (size_t depth = 1; depth > 0;) {
      skip_blank();
      const size_t stop = text_.find_first_of("{}\"/", at_);
      if (stop == std::string_view::npos) {
        at_ = text_.size();
        return;
      }
      at_ = stop;
      if (text_[at_] == '"') {
        next();
        continue;
      }
      if (text_[at_] == '{') ++depth;
      if (text_[at_] == '}') --depth;
      if (text_[at_] == '/' && !at_comment())
        ++at_;
      else if (text_[at_] != '/')
        ++at_;
    }
  }

private:
  bool at_comment() const {
    return at_ + 1 < text_.size() && text_[at_] == '/' && (text_[at_ + 1] == '/' || text_[at_ + 1] == '*');
  }
  void skip_blank() {
    while (at_ < text_.size()) {
      if (std::isspace(static_cast<unsigned char>(text_[at_])) || text_[at_] == '\0') {
        ++at_;
      } else if (at_comment()) {
        const bool line = text_[at_ + 1] == '/';
        const size_t end = line ? text_.find('\n', at_) : text_.find("*/", at_ + 2);
        at_ = end == std::string_view::npos ? text_.size() : end + (line ? 1 : 2);
      } else {
        return;
      }
    }
  }

  std::string_view text_;
  size_t at_ = 0;
};

// Reads the head of one statement: directives, then the first plain name outside parentheses. `.func (.param
// .b32 r) f (...)`.
class Statement {
public:
  void take(std::string_view token) {
    if (token == ".extern")
      symbol_.linkage = ModuleSymbol::Linkage::Extern;
    else if (token == ".visible")
      symbol_.linkage = ModuleSymbol::Linkage::Visible;
    else if (token == ".weak" || token == ".common")
      symbol_.linkage = ModuleSymbol::Linkage::Weak;
    else if (token == ".func")
      symbol_.function = declares_ = true;
    else if (token == ".entry" || token == ".global" || token == ".const" || token == ".shared")
      declares_ = true;
    else if (token == "(")
      ++depth_;
    else if (token == ")")
      depth_ -= depth_ > 0;
    else if (declares_ && depth_ == 0 && symbol_.name.empty() && starts_name(token))
      symbol_.name = token;
  }
  bool complete() const { return declares_ && !symbol_.name.empty(); }
  ModuleSymbol take_symbol() { return std::move(symbol_); }

private:
  static bool starts_name(std::string_view token) {
    return std::isalpha(static_cast<unsigned char>(token[0])) || token[0] == '_' || token[0] == '$' ||
           token[0] == '%';
  }

  ModuleSymbol symbol_;
  bool declares_ = false;
  int depth_ = 0;
};

} // namespace

std::vector<ModuleSymbol> module_symbols(std::string_view text) {
  std::vector<ModuleSymbol> symbols;
  Scanner scanner(text);
  Statement statement;
  for (std::string_view token = scanner.next(); !token.empty(); token = scanner.next()) {
    const bool block = token == "{";
    if (block) scanner.skip_block();
    if (!block && token != ";") {
      statement.take(token);
      continue;
    }
    if (statement.complete()) symbols.push_back(statement.take_symbol());
    statement = Statement();
  }
  return symbols;
}

bool is_device_runtime(const std::vector<ModuleSymbol>& symbols) {
  return std::any_of(symbols.begin(), symbols.end(), [](const ModuleSymbol& symbol) {
    return symbol.function && symbol.linkage != ModuleSymbol::Linkage::Extern &&
           symbol.name == "cudaGetParameterBufferV2";
  });
}

} // namespace loader

void drop_unused_device_runtime(std::vector<PtxImage>& modules) {
  if (modules.size() < 2) return;
  using namespace loader;
  std::vector<std::vector<ModuleSymbol>> symbols;
  for (const PtxImage& module : modules)
    symbols.push_back(module_symbols(module.text));
  for (size_t i = 0; i < modules.size(); ++i) {
    if (!is_device_runtime(symbols[i])) continue;
    std::unordered_set<std::string_view> offered;
    for (const ModuleSymbol& symbol : symbols[i])
      if (symbol.linkage != ModuleSymbol::Linkage::Extern) offered.insert(symbol.name);
    bool used = false;
    for (size_t j = 0; j < modules.size() && !used; ++j)
      for (const ModuleSymbol& symbol : symbols[j])
        used |= j != i && symbol.linkage == ModuleSymbol::Linkage::Extern && offered.contains(symbol.name);
    if (used) continue;
    modules.erase(modules.begin() + static_cast<std::ptrdiff_t>(i));
    return;
  }
}

} // namespace ptxshim
