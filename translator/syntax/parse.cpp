// SPDX-License-Identifier: MIT
#include "syntax/parse.h"

#include "syntax/parser.h"

namespace ptxshim::ptx {
namespace {

constexpr size_t kLongestLine = 160; // of source text in a message

// The part of the line around `column` that is worth showing, and the column in it. Tabs and other controls become blanks.
std::string excerpt(std::string_view line, uint32_t& column) {
  size_t begin = 0;
  if (line.size() > kLongestLine) {
    begin = column > kLongestLine / 2 ? column - kLongestLine / 2 : 0;
    line = line.substr(begin, kLongestLine);
    column -= static_cast<uint32_t>(begin);
  }
  std::string shown(line);
  for (char& c : shown)
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) c = ' ';
  return shown;
}

std::string join(const Module& module, const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  size_t errors = 0;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.severity != Diagnostic::Severity::Error) continue;
    if (!text.empty()) text += '\n';
    text += format(module, diagnostic);
    ++errors;
  }
  if (errors >= Parser::kMostErrors) text += "\nthat is enough: no more errors are listed";
  return text;
}

} // namespace

std::string format(const Module& module, const Diagnostic& diagnostic) {
  const Location location = module.location(diagnostic.offset);
  std::string text = module.file_name.empty() ? std::string("PTX") : module.file_name;
  text += ':' + std::to_string(location.line) + ':' + std::to_string(location.column) + ": ";
  text += diagnostic.severity == Diagnostic::Severity::Error ? "error: " : "warning: ";
  text += diagnostic.message;
  uint32_t column = location.column;
  const std::string line = excerpt(module.line_text(diagnostic.offset), column);
  if (line.empty()) return text;
  return text + '\n' + line + '\n' + std::string(column > 0 ? column - 1 : 0, ' ') + '^';
}

Result<Module> parse_module(std::string_view text, std::string file_name, std::vector<Diagnostic>* warnings) {
  Module module;
  module.file_name = std::move(file_name);
  if (text.size() >= UINT32_MAX - 16) return Error{CUDA_ERROR_INVALID_PTX, module.file_name + ": the text is larger than 4 GB"};
  module.text = text;
  std::vector<Diagnostic> diagnostics;
  {
    Parser parser(module, diagnostics);
    parser.parse();
  }
  bool failed = false;
  CUresult code = CUDA_ERROR_INVALID_PTX;
  for (Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.severity == Diagnostic::Severity::Error) {
      failed = true;
      if (diagnostic.code == CUDA_ERROR_UNSUPPORTED_PTX_VERSION) code = diagnostic.code;
    } else if (warnings) {
      warnings->push_back(diagnostic);
    }
  }
  if (failed) return Error{code, join(module, diagnostics)};
  return module;
}

ScalarType Module::type(const Instruction& i, unsigned n) const {
  for (const Mod modifier : modifiers_of(i)) {
    const ScalarType found = type_of(modifier);
    if (found != ScalarType::None && n-- == 0) return found;
  }
  return ScalarType::None;
}

StateSpace Module::space(const Instruction& i) const {
  for (const Mod modifier : modifiers_of(i))
    if (const StateSpace found = space_of(modifier); found != StateSpace::None) return found;
  return StateSpace::None;
}

Location Module::location(Offset offset) const {
  Location location;
  size_t line_start = 0;
  const size_t end = std::min<size_t>(offset, text.size());
  for (size_t newline = text.find('\n'); newline < end; newline = text.find('\n', newline + 1)) {
    ++location.line;
    line_start = newline + 1;
  }
  location.column = static_cast<uint32_t>(end - line_start + 1);
  return location;
}

std::string_view Module::line_text(Offset offset) const {
  const size_t at = std::min<size_t>(offset, text.size());
  const size_t before = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  const size_t begin = before == std::string_view::npos ? 0 : before + 1;
  const size_t end = std::min(text.find('\n', begin), text.size());
  return text.substr(begin, end - begin);
}

} // namespace ptxshim::ptx
