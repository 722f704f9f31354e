// SPDX-License-Identifier: MIT
// From text to a checked module.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ptxshim/result.h"
#include "syntax/ast.h"

namespace ptxshim::ptx {

struct Diagnostic {
  enum class Severity : uint8_t { Error, Warning } severity = Severity::Error;
  CUresult code = CUDA_ERROR_INVALID_PTX;
  Offset offset = 0;
  std::string message; // without location
};

// "file:line:col: error: message", the source line and a caret.
std::string format(const Module& module, const Diagnostic& diagnostic);

// Lexes, parses, resolves names, and checks every instruction against the forms of its op. Up to 20 errors are collected; the
// Error's message holds them all, formatted. CUDA_ERROR_INVALID_PTX, or CUDA_ERROR_UNSUPPORTED_PTX_VERSION when the text's
// version is newer than known and something unknown is used. An instruction whose row is "later" does not fail the module:
// it sets Function::error of its function. `text` must outlive the module. Warnings are appended to `warnings` when given.
Result<Module> parse_module(std::string_view text, std::string file_name, std::vector<Diagnostic>* warnings = nullptr);

// Prints a module as PTX that parses to the same module (--emit=ast).
std::string print(const Module& module);

} // namespace ptxshim::ptx
