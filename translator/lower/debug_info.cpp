// SPDX-License-Identifier: MIT
// nvcc -lineinfo writes .loc in front of instructions, and libraries are often built so. Such a module gets line tables whatever the
// options say: they do not change the code (a test compares), and only who reads them pays.
//
// LLVM wants locations in scopes. A function of the PTX is a DISubprogram; one that was inlined before the PTX was written is
// another, by the name that .loc gives. Where it was called is given as a position alone: it means the nearest .loc before
// it with that position (ptxas demands one), which may be inlined itself, and so on outwards.
//
// What PTX says of variables and types (.section .debug_info of nvcc -G) is about NVIDIA's registers and is not carried over.
#include "lower/debug_info.h"

#include <algorithm>

#include <llvm/BinaryFormat/Dwarf.h>

namespace ptxshim::ptx {

static constexpr unsigned kDwarfVersion = 5;
static constexpr unsigned kDeepestInlining = 64; // what is deeper is taken as a cycle
static constexpr uint32_t kLargestColumn = 0xffff;  // LLVM keeps 16 bits

static bool has_positions(const Module& module) {
  for (const Function& function : module.functions)
    for (const Instruction& each : function.body)
      if (each.op == Op::kLoc) return true;
  return false;
}

DebugInfo::DebugInfo(const Module& source, llvm::Module& target, bool text_lines) : source_(source), builder_(target) {
  const bool positions = has_positions(source);
  if (!positions && !text_lines) return;
  text_lines_ = !positions;
  if (text_lines_)
    for (size_t at = 0; at != std::string_view::npos && at < source.text.size();) {
      line_starts_.push_back(static_cast<Offset>(at));
      at = source.text.find('\n', at);
      if (at != std::string_view::npos) ++at;
    }
  for (const SourceFile& each : source.files)
    paths_.emplace(each.index, each.path);
  for (const DebugLabel& each : source.debug_labels)
    labels_[each.name] = each.offset;
  target.setModuleFlag(llvm::Module::Max, "Dwarf Version", kDwarfVersion);
  target.setModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
  llvm::DIFile* main = text_lines_ || source.files.empty() ? builder_.createFile(source.file_name.empty() ? "PTX" : source.file_name, "") : file(source.files.front().index);
  unit_ = builder_.createCompileUnit(text_lines_ ? llvm::dwarf::DW_LANG_Mips_Assembler : llvm::dwarf::DW_LANG_C_plus_plus, main,
                                     "ptxshim", true, "", 0, "", llvm::DICompileUnit::LineTablesOnly);
  type_ = builder_.createSubroutineType(builder_.getOrCreateTypeArray({}));
}

llvm::DIFile* DebugInfo::file(uint32_t index) {
  llvm::DIFile*& made = files_[index];
  if (made) return made;
  const auto path = paths_.find(index);
  const std::string name = path == paths_.end() || path->second.empty() ? "file " + std::to_string(index) : std::string(path->second);
  return made = builder_.createFile(name, "");
}

uint32_t DebugInfo::text_line(Offset offset) const {
  return static_cast<uint32_t>(std::upper_bound(line_starts_.begin(), line_starts_.end(), offset) - line_starts_.begin());
}

void DebugInfo::enter(const Function& function, llvm::Function* target, llvm::IRBuilder<>& ir) {
  subprogram_ = nullptr;
  seen_.clear();
  if (!unit_) return;
  llvm::DIFile* where = unit_->getFile();
  uint32_t line = 0;
  if (text_lines_) {
    line = text_line(function.offset);
  } else {
    const auto first = std::find_if(function.body.begin(), function.body.end(), [](const Instruction& each) { return each.op == Op::kLoc; });
    if (first == function.body.end()) return;
    const std::span<const Operand> operands = source_.operands_of(*first);
    where = file(static_cast<uint32_t>(operands[0].value));
    line = static_cast<uint32_t>(operands[1].value);
  }
  const std::string_view name = source_.name_of(function.symbol);
  subprogram_ = builder_.createFunction(where, {name.data(), name.size()}, {}, where, line, type_, line, llvm::DINode::FlagZero,
                                        llvm::DISubprogram::SPFlagDefinition | llvm::DISubprogram::SPFlagOptimized);
  target->setSubprogram(subprogram_);
  ir.SetCurrentDebugLocation(llvm::DILocation::get(ir.getContext(), 0, 0, subprogram_));
}

llvm::DISubprogram* DebugInfo::inlined_function(const Operand& name, uint32_t file_index) {
  std::string_view text;
  if (const auto label = labels_.find(name.index); label != labels_.end()) {
    const uint64_t at = uint64_t{label->second} + static_cast<uint64_t>(name.value);
    if (at < source_.debug_strings.size()) text = std::string_view(source_.debug_strings).substr(at);
    text = text.substr(0, text.find('\0'));
  }
  llvm::DISubprogram*& made = inlined_[{text, file_index}];
  if (!made)
    made = builder_.createFunction(file(file_index), {text.data(), text.size()}, {}, file(file_index), 0, type_, 0, llvm::DINode::FlagZero,
                                   llvm::DISubprogram::SPFlagDefinition | llvm::DISubprogram::SPFlagOptimized);
  return made;
}

llvm::DILocation* DebugInfo::location(const Position& position, llvm::DISubprogram* function, llvm::DILocation* call) {
  const auto& [file_index, line, column] = position;
  llvm::DIScope* scope = function;
  if (llvm::DIFile* const own = file(file_index); own != function->getFile()) scope = builder_.createLexicalBlockFile(function, own);
  return llvm::DILocation::get(unit_->getContext(), line, std::min(column, kLargestColumn), scope, call);
}

// Where a function was inlined. A function that is inlined at its own position would make an endless chain.
llvm::DILocation* DebugInfo::call_at(const Position& position, const Position& own) {
  const auto found = seen_.find(position);
  if (found == seen_.end() || position == own) return location(position, subprogram_, nullptr);
  unsigned depth = 0;
  for (const llvm::DILocation* each = found->second; each; each = each->getInlinedAt())
    if (++depth > kDeepestInlining) return location(position, subprogram_, nullptr);
  return found->second;
}

void DebugInfo::at(const Instruction& instruction, llvm::IRBuilder<>& ir) {
  if (!subprogram_) return;
  if (text_lines_) {
    ir.SetCurrentDebugLocation(llvm::DILocation::get(ir.getContext(), text_line(instruction.offset), 0, subprogram_));
    return;
  }
  if (instruction.op != Op::kLoc) return;
  const std::span<const Operand> operands = source_.operands_of(instruction);
  const auto position = [&](size_t first) {
    return Position(operands[first].value, operands[first + 1].value, operands[first + 2].value);
  };
  const Position here = position(0);
  llvm::DILocation* made = nullptr;
  if (operands.size() == 3)
    made = location(here, subprogram_, nullptr);
  else
    made = location(here, inlined_function(operands[3], std::get<0>(here)), call_at(position(4), here));
  seen_[here] = made;
  ir.SetCurrentDebugLocation(made);
}

void DebugInfo::finish() {
  if (unit_) builder_.finalize();
}

} // namespace ptxshim::ptx
