// SPDX-License-Identifier: MIT
// Where the code comes from: .file and .loc as LLVM's debug locations, which become the line tables (DWARF) of the code object.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/IRBuilder.h>

#include "syntax/ast.h"

namespace ptxshim::ptx {

class DebugInfo {
public:
  // A module without .loc gets none, unless `text_lines` is set: then the lines of the PTX text itself are the source.
  DebugInfo(const Module& source, llvm::Module& target, bool text_lines);

  // What is built from here on belongs to the function, at no line in particular.
  void enter(const Function& function, llvm::Function* target, llvm::IRBuilder<>& ir);
  // What is built from here on stems from this instruction, or from where this .loc says.
  void at(const Instruction& instruction, llvm::IRBuilder<>& ir);
  void finish(); // when all functions are built

private:
  using Position = std::tuple<uint32_t, uint32_t, uint32_t>; // file, line, column

  llvm::DIFile* file(uint32_t index);
  llvm::DISubprogram* inlined_function(const Operand& name, uint32_t file_index);
  llvm::DILocation* location(const Position& position, llvm::DISubprogram* function, llvm::DILocation* call);
  llvm::DILocation* call_at(const Position& position, const Position& own);
  uint32_t text_line(Offset offset) const;

  const Module& source_;
  llvm::DIBuilder builder_;
  llvm::DICompileUnit* unit_ = nullptr; // null: no debug information
  llvm::DISubroutineType* type_ = nullptr;
  bool text_lines_ = false;
  std::vector<Offset> line_starts_; // of the text, with text_lines_
  std::unordered_map<uint32_t, std::string_view> paths_; // of .file
  std::unordered_map<uint32_t, llvm::DIFile*> files_;
  std::unordered_map<NameId, uint32_t> labels_; // of .debug_str
  std::map<std::pair<std::string_view, uint32_t>, llvm::DISubprogram*> inlined_;
  llvm::DISubprogram* subprogram_ = nullptr; // of the function that is being built
  std::map<Position, llvm::DILocation*> seen_; // the last .loc of this function with the position
};

} // namespace ptxshim::ptx
